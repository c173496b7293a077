/* Grids of the octree: the first one of a run, changes by the refinement flags, and levels at a radius. */
#include "evolve/sim.h"

#include <math.h>
#include "base/memory.h"
#include "base/timer.h"
#include "evolve/stability.h"
#include "refine/grid_limit.h"
#include "refine/reach.h"

void tx_sim_domain(const tx_params *p, tx_domain *out) {
  out->extent = p->grid_extent;
  out->trees = p->grid_trees;
  for (int d = 0; d < 3; d++) {
    bool periodic = (p->grid_periodic >> d) & 1, reflect = (p->grid_reflect >> d) & 1;
    out->high[d] = periodic ? TX_FACE_PERIODIC : TX_FACE_OUTER;
    out->low[d] = periodic ? TX_FACE_PERIODIC : reflect ? TX_FACE_REFLECT : TX_FACE_OUTER;
  }
}

/* Set the dissipation of the levels outside of the wave zone. */
static void levels_outside(const tx_params *p, tx_system_params *out) {
  out->sigma_outside = p->evolution_dissipation_outside;
  if (!(out->sigma_outside > 0.0)) return;
  for (int level = p->grid_level_min; level < p->grid_ball_level; level++) {
    const double reach = tx_wave_zone_reach(p, level);
    out->over_reach2[level] = 1.0 / (reach * reach);
  }
}

void tx_sim_physics(const tx_params *p, tx_system_params *out) {
  *out = (tx_system_params){
      .eta_form = p->gauge_eta_form,
      .eta = p->gauge_eta,
      .eta_far = p->gauge_eta_far,
      .eta_radius = p->gauge_eta_radius,
      .eta_R0 = p->gauge_eta_R0,
      .eta_a = p->gauge_eta_a,
      .eta_b = p->gauge_eta_b,
      .eta_max = tx_eta_limit(p),
      .lambda_f0 = p->gauge_lambda_f0,
      .lambda_f1 = p->gauge_lambda_f1,
      .advect_lapse = p->gauge_advect_lapse ? 1.0 : 0.0,
      .advect_shift = p->gauge_advect_shift ? 1.0 : 0.0,
      .advect_B = p->gauge_advect_B ? 1.0 : 0.0,
      .advect_Gt = p->gauge_advect_Gt ? 1.0 : 0.0,
      .slow_start = p->gauge_slow_start,
      .slow_start_time = p->gauge_slow_start_time,
      .cfl = p->evolution_cfl,
      .sigma = p->evolution_dissipation,
      .by_W = p->evolution_dissipation_by_W,
      .chi_floor = p->evolution_chi_floor,
      .alpha_floor = p->evolution_alpha_floor,
      .slicing = p->gauge_slicing,
      .shift = p->gauge_shift,
  };
  tx_system_of(p)->parameters(p, out->own);
  levels_outside(p, out);
  tx_system_params_at(out, 0.0);
}

tx_status tx_grid_adapt(tx_octree *tree, const tx_policy *policy, const tx_grid_data *data,
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
    TX_THEN(status, tx_exec_create(mesh, tx_system_fields(system), &exec));
    TX_THEN(status, tx_agree(mesh->comm, tx_field_create_state(exec, system, &u)));
    TX_THEN(status, tx_agree(mesh->comm, tx_exec_initial_data(exec, tx_exec_all(exec), id, u)));
    TX_THEN(status, tx_agree(mesh->comm, tx_exec_enforce(exec, tx_exec_all(exec), &physics, u)));
    TX_THEN(status, tx_agree(mesh->comm, tx_ghosts_fill(exec, u)));
  }
  TX_THEN(status, tx_grid_adapt(tree, policy, &(tx_grid_data){mesh, exec, u}, &transfer));
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
  TX_TRY(tx_grid_adapt(tree, policy, &(tx_grid_data){mesh, NULL, NULL}, &transfer));
  tx_transfer_destroy(transfer);
  return tx_mesh_begin(tree, out);
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
