/* The mesh follows what happens on it: first grid, and regrids of a run. */
#include "evolve/sim.h"

#include <math.h>
#include "base/memory.h"
#include "base/timer.h"
#include "refine/grid_limit.h"
#include "refine/reach.h"

/* Ask the forest for a change. *transfer is NULL if nothing changed. */
static tx_status adapt(tx_octree *tree, const tx_policy *policy, const tx_grid_data *data,
                       tx_transfer **transfer) {
  int8_t *flag = NULL;
  *transfer = NULL;
  tx_octree_guard(tree, policy->limit ? tx_grid_limit_check : NULL, policy->limit);
  tx_status status = tx_policy_flags(policy, data, &flag);
  TX_THEN(status,
          tx_octree_adapt(tree, data->mesh,
                          &(tx_adaptation){flag, policy->level_min, policy->level_max, NULL},
                          transfer));
  tx_free(flag);
  if (status == TX_OK && *transfer && (*transfer)->to_revision == (*transfer)->from_revision) {
    tx_transfer_destroy(*transfer);
    *transfer = NULL;
  }
  return status;
}

/* One round of the first grid, on a mesh of tx_mesh_begin: data, for which it is completed, if criteria need them, and a
 * change. */
static tx_status first_round(tx_octree *tree, tx_mesh *mesh, const tx_params *p,
                             const tx_initial_data *id, const tx_policy *policy, bool *changed) {
  const tx_system *system = tx_system_of(p);
  tx_system_params physics;
  tx_exec *exec = NULL;
  tx_field *u = NULL;
  tx_transfer *transfer = NULL;
  const bool data = tx_policy_needs_data(policy);
  tx_sim_physics(p, &physics);
  tx_status status = data ? tx_mesh_end(mesh) : tx_mesh_regions(mesh);
  if (data) {
    TX_THEN(status, tx_exec_create(mesh, system->n_vars, &exec));
    TX_THEN(status, tx_agree(mesh->comm, tx_field_create_state(exec, system, &u)));
    TX_THEN(status, tx_agree(mesh->comm, tx_exec_initial_data(exec, tx_exec_all(exec), id, u)));
    TX_THEN(status, tx_agree(mesh->comm, tx_exec_enforce(exec, tx_exec_all(exec), &physics, u)));
    TX_THEN(status, tx_agree(mesh->comm, tx_ghosts_fill(exec, u)));
  }
  TX_THEN(status, adapt(tree, policy, &(tx_grid_data){mesh, exec, u}, &transfer));
  *changed = transfer != NULL;
  tx_transfer_destroy(transfer);
  tx_field_destroy(u);
  tx_exec_destroy(exec);
  return status;
}

tx_status tx_grid_build(MPI_Comm comm, const tx_params *p, const tx_initial_data *id,
                        const tx_policy *policy, tx_octree **tree, tx_mesh **mesh) {
  tx_domain domain;
  bool changed = true;
  tx_sim_domain(p, &domain);
  tx_policy refine = *policy;
  refine.may_coarsen = false;
  *tree = NULL;
  *mesh = NULL;
  if (policy->limit)
    TX_TRY(tx_agree(
        comm, tx_grid_limit_check(policy->limit, tx_domain_octants(&domain, p->grid_level_min))));
  tx_phase_begin(TX_PHASE_INITIAL_DATA);
  tx_status status = tx_octree_create(comm, &domain, p->grid_level_min, tree);
  /* Octants are refined only, up to level_max, so that the rounds end. */
  while (status == TX_OK && changed) {
    tx_mesh_destroy(*mesh);
    *mesh = NULL;
    status = tx_mesh_begin(*tree, mesh);
    TX_THEN(status, first_round(*tree, *mesh, p, id, &refine, &changed));
  }
  if (status == TX_OK && !tx_policy_needs_data(&refine)) status = tx_mesh_end(*mesh);
  tx_phase_end(TX_PHASE_INITIAL_DATA);
  if (status == TX_OK) return TX_OK;
  tx_mesh_destroy(*mesh);
  tx_octree_destroy(*tree);
  *mesh = NULL;
  *tree = NULL;
  return status;
}

tx_status tx_grid_follow(tx_octree *tree, tx_mesh *mesh, const tx_policy *policy, tx_mesh **out) {
  tx_transfer *transfer = NULL;
  *out = NULL;
  TX_TRY(tx_mesh_regions(mesh));
  TX_TRY(adapt(tree, policy, &(tx_grid_data){mesh, NULL, NULL}, &transfer));
  tx_transfer_destroy(transfer);
  return tx_mesh_begin(tree, out);
}

static void free_scratch(tx_sim *sim) {
  tx_field **scratch[3] = {&sim->sum, &sim->y1, &sim->y2};
  for (int i = 0; i < 3; i++) {
    tx_field_destroy(*scratch[i]);
    *scratch[i] = NULL;
  }
  tx_levels_rest(sim->levels);
}

/* The state on the new mesh takes the old one's place. Its plan is completed by the next step: with steps of levels, on a
 * GPU, while that computes. */
static tx_status transfer_state(tx_sim *sim, const tx_transfer *transfer) {
  tx_mesh *mesh = NULL;
  tx_exec *exec = NULL;
  tx_field *u = NULL;
  tx_status status = tx_mesh_begin(sim->tree, &mesh);
  TX_THEN(status, tx_exec_begin(mesh, sim->system->n_vars, &exec));
  TX_THEN(status, tx_exec_transfer(sim->exec, sim->u, transfer, exec, &u));
  if (status != TX_OK) {
    tx_field_destroy(u);
    tx_exec_destroy(exec);
    tx_mesh_destroy(mesh);
    return status;
  }
  tx_field_destroy(sim->u);
  tx_exec_destroy(sim->exec);
  tx_mesh_destroy(sim->mesh);
  sim->u = u;
  sim->exec = exec;
  sim->mesh = mesh;
  sim->incomplete = true;
  return TX_OK;
}

tx_status tx_sim_complete(tx_sim *sim) {
  if (!sim->incomplete) return TX_OK;
  tx_phase_begin(TX_PHASE_REGRID);
  tx_status status = tx_mesh_end(sim->mesh);
  TX_THEN(status, tx_exec_end(sim->exec));
  TX_THEN(status,
          tx_agree(sim->comm, tx_exec_outer_planes(sim->exec, tx_exec_all(sim->exec), sim->u)));
  tx_phase_end(TX_PHASE_REGRID);
  sim->incomplete = status != TX_OK;
  return status;
}

static void set_time_step(tx_sim *sim) {
  double dt = tx_sim_full_step(sim->params, sim->mesh);
  sim->halvings = tx_sim_halvings(sim->params, sim->mesh);
  if (dt == sim->dt) return;
  sim->dt = dt;
  sim->t_since = sim->t;
  sim->step_since = sim->step;
}

tx_status tx_sim_regrid(tx_sim *sim, bool *changed) {
  tx_policy policy;
  tx_transfer *transfer = NULL;
  *changed = false;
  tx_sim_policy(sim, &policy);
  TX_TRY(tx_sim_complete(sim));
  tx_phase_begin(TX_PHASE_REGRID);
  tx_status status =
      adapt(sim->tree, &policy, &(tx_grid_data){sim->mesh, sim->exec, sim->u}, &transfer);
  if (status == TX_OK && transfer) {
    status = tx_sim_catch_up(sim, TX_WORK_PARTS);
    TX_THEN(status, tx_sim_algebraic(sim));
    free_scratch(sim);
    TX_THEN(status, transfer_state(sim, transfer));
  }
  if (status == TX_OK && transfer) {
    *changed = true;
    sim->regrids++;
    sim->refined = transfer->n_refined;
    sim->coarsened = transfer->n_coarsened;
    sim->points = sim->mesh->n_global * TX_N3;
    if (sim->points > sim->points_most) sim->points_most = sim->points;
    set_time_step(sim);
  }
  tx_transfer_destroy(transfer);
  tx_phase_end(TX_PHASE_REGRID);
  return status;
}

void tx_levels_in_shells(const tx_mesh *mesh, const double x[3], int n, const double (*shell)[2],
                         int *coarsest, int *finest) {
  for (int s = 0; s < n; s++) coarsest[s] = TX_LEVELS, finest[s] = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    int level = mesh->octant[b].level;
    double low[3], size = tx_mesh_size(mesh, level), far = 0.0;
    tx_mesh_origin(mesh, b, low);
    const double near = tx_box_distance(low, size, x);
    for (int d = 0; d < 3; d++) {
      double reach = fmax(fabs(low[d] - x[d]), fabs(low[d] + size - x[d]));
      far += reach * reach;
    }
    far = sqrt(far);
    for (int s = 0; s < n; s++) {
      if (near > shell[s][1] || far < shell[s][0]) continue;
      if (level < coarsest[s]) coarsest[s] = level;
      if (level > finest[s]) finest[s] = level;
    }
  }
}

void tx_levels_in_shell(const tx_mesh *mesh, const double x[3], double inner, double outer,
                        int *coarsest, int *finest) {
  const double shell[1][2] = {{inner, outer}};
  tx_levels_in_shells(mesh, x, 1, shell, coarsest, finest);
}
