/* Parts of `tendex check', and the run that they look at. All functions are local: one process does all of it. */
#pragma once

#include "advice/advice.h"
#include "evolve/macro.h"
#include "evolve/sim.h"
#include "machine/compute.h"

/** Time after a merger, in ADM energies, for which waves last: the ringdown. */
#define TX_CHECK_RINGDOWN 60.0

/** Options of `tendex check' beside those of all commands; views of argv. */
typedef struct tx_check_options {
  int ranks;           /**< that the run will have; 0: as many as now */
  double speed;        /**< point-stages a second a core; 0: measured */
  const char *machine; /**< that the run will have, "2 H200"; NULL: not given */
  bool strict;         /**< notes are failures */
} tx_check_options;

/** Run that is looked at but not done, by its first grid on one process. Parts fill it in, one after the other. */
typedef struct tx_check {
  const tx_params *p;
  const tx_budget *machine; /**< that the run is for; NULL: not given. Borrowed */
  int ranks, threads;       /**< that the run will have */
  bool gpu;                 /**< the run will have a GPU a rank */
  double speed;             /**< point-stages a second a core or a GPU; 0: not known */
  tx_compute compute;       /**< of this machine */

  tx_initial_data *id; /**< a preview of the data; owned */
  tx_adm_numbers adm;  /**< of the preview */
  tx_grid_limit limit; /**< for the grid that is looked at */
  tx_policy policy;    /**< of the first grid */
  tx_octree *tree;     /**< owned */
  tx_mesh *mesh;       /**< the first grid; owned */
  tx_rank_load *load;  /**< [ranks]; owned */
  double grown;        /**< work on a grid that has followed the holes over that on the first one */
  double remnant;      /**< the same after their merger */
  double
      larger; /**< points of the grid that has followed the holes over those of the first one, at least 1 */

  tx_macro macro;     /**< time steps of the levels of the first grid */
  int levels;         /**< with grids of their own; 0 with one time step for all levels */
  double level_slots; /**< points of their ghosts, all levels, on one rank */
  double level_boundary[TX_LEVELS]; /**< points of a stored stage of each, on one rank */
  double dt, steps;                 /**< of the finest level: M, to run.t_end or run.max_steps */

  double merger;   /**< estimated time of the merger of two holes, M; -1: not known, or never */
  double turns;    /**< estimated orbits until then; 0: not known */
  double approach; /**< without a merger: time when they are closest first, M; -1: never */
  bool orbits;     /**< two holes orbit each other, or plunge from an orbit */

  double wall_s;     /**< estimated, without messages, waves and output */
  int notes;         /**< given so far */
  tx_text *said;     /**< the notes, a line each; NULL: not wanted. Borrowed */
  tx_estimate found; /**< the estimate, when all parts are done */
} tx_check;

/** Collective. Show what a run of `p` would be on the ranks that the request names (as now, if none): grid, time step,
 *  partition, halo, memory, cost; and note what an expert would. Errors: TX_ERR_PARAM with --strict and notes; those of the parts. */
tx_status tx_check_main(MPI_Comm comm, const tx_params *p, const tx_request *request);

/** Log a note: what an expert would look at twice, with numbers and a remedy. */
void tx_check_note(tx_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Note a sphere of the parameter `list` that is too far inside to see waves; `better`: a radius to give, 0 for any that is
 *  larger. */
void tx_check_note_near_zone(tx_check *c, const char *list, double r, double better);

/** Set grown, remnant and larger; changes the tree. Errors: those of tx_grid_follow and tx_grid_build. */
tx_status tx_check_changes(tx_check *c);

/** Log the motion of the holes; set merger, turns, approach and orbits. Errors: TX_ERR_MEMORY. */
tx_status tx_check_motion(tx_check *c);

/** Log how much of the waves arrives at the outermost sphere, and whether a refinement boundary disturbs it. */
tx_status tx_check_show_waves(tx_check *c);

/** Set macro and what begins with level. Errors: those of tx_level_grids_create. */
tx_status tx_check_count_levels(tx_check *c);

/** Log the worldtubes as a run does. Errors: those of tx_worldtubes_create; TX_ERR_PARAM. */
tx_status tx_check_show_worldtubes(tx_check *c);

/** Log ranks, halo, memory and cost; set wall_s. */
tx_status tx_check_show_cost(tx_check *c);

/** Note what is amiss: with the purpose of the run (end, horizons, dissipation); intervals and time steps of levels; grids of
 *  punctures, gauge, symmetry and norms; waves; worldtubes; memory of GPUs; the machine; ranks, checkpoints and time. Errors:
 *  TX_ERR_MEMORY. */
tx_status tx_check_purpose(tx_check *c);
tx_status tx_check_levels(tx_check *c);
tx_status tx_check_punctures(tx_check *c);
tx_status tx_check_waves(tx_check *c);
tx_status tx_check_worldtubes(tx_check *c);
tx_status tx_check_device(tx_check *c);
tx_status tx_check_machine(tx_check *c);
tx_status tx_check_ranks(tx_check *c);
