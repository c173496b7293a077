/* A simulation: its state, time steps and regrids. */
#pragma once

#include "evolve/levels.h"
#include "refine/policy.h"
#include "refine/grid_limit.h"
#include "evolve/tracker.h"
#include "exec/exec.h"
#include "files/record.h"
#include "physics/initial_data/initial_data.h"
#include "physics/system.h"

/** Requests to the run at the end of a step; if ranks differ, the largest counts. */
enum {
  TX_ASK_NOTHING,
  TX_ASK_CHECKPOINT,
  TX_ASK_WALLTIME, /**< to end, as the time is up */
  TX_ASK_SIGNAL    /**< to end; plus the signal's number */
};

/** Deferred work in two parts: run(with, 0), then run(with, 1). Collective, the status agreed. */
#define TX_WORK_PARTS TX_MEANWHILE_PARTS
typedef struct tx_work {
  tx_status (*run)(void *with, int part);
  void *with;
} tx_work;

/** One simulation. Owns everything but the parameters. u holds the state at time t. With one time step for all levels sum,
 *  y1 and y2 are the scratch copies of a Runge-Kutta step, four copies of the state in all; with local time steps `levels` has
 *  the state once more. */
typedef struct tx_sim {
  MPI_Comm comm;           /**< borrowed */
  const tx_params *params; /**< borrowed */
  const tx_system *system;
  tx_system_params physics;
  tx_initial_data *id;
  tx_adm_numbers adm; /**< of the initial data */
  bool data_only;     /**< made by tx_sim_create_data */
  tx_field *regular;  /**< with data_only: u of data that were solved for on the grid, else NULL */
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *exec;
  bool incomplete; /**< the second parts of mesh and exec are still to come: see tx_sim_complete */
  tx_field *u, *sum, *y1, *y2;
  tx_levels *levels;   /**< of this mesh; NULL until the next step needs them */
  tx_grid_limit limit; /**< memory limit of its grids */
  tx_tracker tracker;
  int puncture_level[TX_PUNCTURES_MAX]; /**< finest level around each */
  int64_t step;
  double t, dt;   /**< time of u; full time step on this mesh, see tx_sim_full_step, M */
  int halvings;   /**< m: tx_sim_step takes 2^m of these */
  double t_since; /**< t = t_since + (step - step_since) dt: time does not gather round-off */
  int64_t step_since;
  bool merged;         /**< the grid may become that of the remnant, see grid.remnant_level */
  int64_t points;      /**< points of the mesh, all ranks */
  int64_t points_most; /**< most points the mesh ever had */
  double point_stages; /**< evolved so far, all ranks; those of covered octants count */
  double point_stages_global; /**< the same with one time step for all levels */
  int64_t regrids;            /**< regrids that changed the mesh */
  double
      algebraic[2]; /**< largest |det gt - 1| and |tr At| before they were enforced, as of the last
                              call of tx_sim_algebraic */
  int asked; /**< TX_ASK_...: before a step this rank's request, after it that of all ranks */
  tx_work deferred;           /**< see tx_sim_defer */
  int parts_left;             /**< parts of `deferred` still to be run */
  tx_gidx refined, coarsened; /**< in the last of these: octants refined, families coarsened */
} tx_sim;

/** Take domain and physics from the parameters. Local. */
void tx_sim_domain(const tx_params *p, tx_domain *out);
void tx_sim_physics(const tx_params *p, tx_system_params *out);

/** Fail with TX_ERR_MEMORY if there is no room to evolve even the coarsest grid of `p`, before anything is made. Collective. */
tx_status tx_sim_check_memory(MPI_Comm comm, const tx_params *p);

/** Create a simulation: first grid and initial data, no scratch copies of the state yet. Collective. The caller owns *out. Borrows
 *  `p`. On errors *out is NULL; TX_ERR_MEMORY for grids that there is no room to evolve. */
tx_status tx_sim_create(MPI_Comm comm, const tx_params *p, tx_sim **out);

/** Create initial data that are not evolved: one copy of the state must fit into memory. Collective. */
tx_status tx_sim_create_data(MPI_Comm comm, const tx_params *p, tx_sim **out);
void tx_sim_destroy(tx_sim *sim);

/** Add the records of a checkpoint besides mesh and fields: clock, counts, punctures, numbers of the initial
 *  data. Local. */
void tx_sim_records(tx_sim *sim, tx_record_list *list);

/** Create a simulation on an existing forest, at step and time 0, with the punctures of the initial data
 *  and a state that is not filled in. Takes over `tree`, on errors too. Borrows `p`. Collective. */
tx_status tx_sim_create_on(MPI_Comm comm, const tx_params *p, tx_octree *tree, tx_sim **out);

/** Build the first grid of parameters p: refine until nothing changes, with the initial data evaluated again on each grid.
 *  Collective. The caller owns *tree and *mesh. Errors: TX_ERR_MEMORY, before anything is made that policy->limit does not allow. */
tx_status tx_grid_build(MPI_Comm comm, const tx_params *p, const tx_initial_data *id,
                        const tx_policy *policy, tx_octree **tree, tx_mesh **mesh);

/** Collective. Make the mesh [out] after a regrid of `mesh`, which `tree` has now and which has regions afterwards, by a policy that
 *  needs no data; as tx_mesh_begin leaves it. The caller owns *out. Errors: those of tx_octree_adapt. */
tx_status tx_grid_follow(tx_octree *tree, tx_mesh *mesh, const tx_policy *policy, tx_mesh **out);

/** Collective. Change the forest by the flags of `policy` on data->mesh. *transfer is NULL if nothing changed, else the caller
 *  owns it. Errors: those of tx_policy_flags and tx_octree_adapt. */
tx_status tx_grid_adapt(tx_octree *tree, const tx_policy *policy, const tx_grid_data *data,
                        tx_transfer **transfer);

/** Find the coarsest and finest level [out] of the octants of this rank that touch the shell between radii `inner` and
 *  `outer`, M, about x; TX_LEVELS and 0 if none does. Local. */
void tx_levels_in_shell(const tx_mesh *mesh, const double x[3], double inner, double outer,
                        int *coarsest, int *finest);
/** Find coarsest and finest levels [n] of n shells, inner and outer radius each, in one pass. Local. */
void tx_levels_in_shells(const tx_mesh *mesh, const double x[3], int n, const double (*shell)[2],
                         int *coarsest, int *finest);

/** Make the policy for the first grid, with the punctures of the initial data. Local. */
void tx_policy_start(const tx_params *p, const tx_adm_numbers *adm, tx_policy *out);

/** Make the policy for the punctures' positions after TX_POLICY_AHEAD of the interval until the next regrid, extrapolated
 *  straight, by at most half their radius of the finest level. Local. */
void tx_sim_policy(const tx_sim *sim, tx_policy *out);

/** Return the full time step on a mesh, M, in which steps are counted: cfl times the spacing of tx_step_level. Local. */
double tx_sim_full_step(const tx_params *p, const tx_mesh *mesh);

/** Return the number of halvings from the macro step to the full step: 0 with one time step for all levels. Local. */
int tx_sim_halvings(const tx_params *p, const tx_mesh *mesh);

/** Collective. Advance by 2^halvings full steps, or to t_end if that is closer; a shortened step counts as the same number.
 *  The status is agreed. */
tx_status tx_sim_step(tx_sim *sim);

/** Local. Defer `work` on the present state of the simulation: it runs once, before that state
 *  changes. With local time steps the next tx_sim_step runs each part after the steps of the coarser levels were
 *  queued on the GPU, otherwise both at its start; a tx_sim_regrid that changes the mesh runs them first. Both
 *  functions return its failure; if they fail earlier, the work is still pending. One work at a time. */
void tx_sim_defer(tx_sim *sim, tx_work work);
/** Collective. Run now the first `parts` parts of the deferred work, if they are pending. A part that fails is not
 *  repeated. The status is agreed. */
tx_status tx_sim_catch_up(tx_sim *sim, int parts);

/** Collective. Adapt the mesh to the present state and transfer the state to it; the ghosts of u must be filled.
 *  *changed tells whether the mesh changed; then mesh and exec are as after tx_mesh_begin and tx_exec_begin, until
 *  tx_sim_complete. */
tx_status tx_sim_regrid(tx_sim *sim, bool *changed);

/** Collective. Complete mesh and exec, if a regrid has left them incomplete. tx_sim_step, _norms, _check and checkpoints do so;
 *  call it before any other operation that needs ghosts or sets of octants. */
tx_status tx_sim_complete(tx_sim *sim);

/** Compute the norms of the constraints, without balls around the punctures; ghosts of u must be
 *  filled. Collective. */
tx_status tx_sim_norms(tx_sim *sim, tx_norms *out);

/** Compute the analysis quantities; ghosts of u must be filled. *out: a field that the caller destroys, NULL after an error.
 *  Collective. */
tx_status tx_sim_analysis(tx_sim *sim, tx_field **out);

/** Compute the norms of each variable of a field, as of the constraints: l2 and max [variables]. Collective. */
tx_status tx_sim_volume_norms(tx_sim *sim, const tx_field *f, double *l2, double *max);

/** Collective. Bring sim->algebraic up to date; a regrid does so too. */
tx_status tx_sim_algebraic(tx_sim *sim);

/** Fail with TX_ERR_NUMERICS if the state is not finite or chi or alpha not positive. Collective. */
tx_status tx_sim_check(tx_sim *sim);
