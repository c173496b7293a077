/* Regrids of a run: the state moves to the new mesh. */
#include "evolve/sim.h"

#include <math.h>
#include "base/memory.h"
#include "base/timer.h"
#include "refine/grid_limit.h"
#include "refine/reach.h"

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
  TX_THEN(status, tx_exec_begin(mesh, tx_system_fields(sim->system), &exec));
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
      tx_grid_adapt(sim->tree, &policy, &(tx_grid_data){sim->mesh, sim->exec, sim->u}, &transfer);
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
