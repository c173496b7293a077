/* One time step: classical Runge-Kutta, as one ordered list. */
#include "base/runge_kutta.h"
#include "evolve/sim.h"

#include <math.h>
#include "base/signals.h"
#include "base/timer.h"
#include "evolve/macro.h"
#include "evolve/macro_step.h"
#include "evolve/stability.h"

/* A step longer than this by a round-off is not cut into two. */
#define STEP_SLACK 1e-9

static tx_status need_scratch(tx_sim *sim) {
  tx_field **scratch[3] = {&sim->sum, &sim->y1, &sim->y2};
  tx_status status = TX_OK;
  for (int i = 0; i < 3; i++)
    if (!*scratch[i]) TX_KEEP(status, tx_field_create_state(sim->exec, sim->system, scratch[i]));
  return tx_agree(sim->comm, status);
}

/* k1 .. k4 at the states u, y1, y2, y1; their weighted sum becomes the new u. Every rank goes
 * through all stages, whatever fails on the way, and all agree at the end. */
static tx_status runge_kutta(tx_sim *sim, tx_system_params physics, double dt) {
  const tx_field *state[4] = {sim->u, sim->y1, sim->y2, sim->y1};
  tx_field *next[4] = {sim->y1, sim->y2, sim->y1, NULL};
  tx_exec *x = sim->exec;
  tx_status status = TX_OK;
  for (int s = 0; s < 4; s++) {
    const tx_field *y = state[s];
    tx_system_params_at(&physics, sim->t + tx_rk_time[s] * dt);
    const tx_stage stage = {
        .u = sim->u,
        .y = y,
        .base_sum = s == 0 ? sim->u : sim->sum,
        .sum = sim->sum,
        .next = next[s],
        .dt_sum = tx_rk_weight[s] * dt,
        .dt_next = tx_rk_reach[s] * dt,
    };
    TX_KEEP(status, tx_ghosts_begin(x, y));
    TX_KEEP(status, tx_exec_stage(x, tx_exec_interior(x), &physics, &stage));
    TX_KEEP(status, tx_ghosts_end(x, y));
    TX_KEEP(status, tx_exec_stage(x, tx_exec_boundary(x), &physics, &stage));
    /* A GPU that is asked now and answers when it has been given the next stage never waits for the host. */
    TX_KEEP(status, tx_tracker_answer(&sim->tracker));
    tx_tracker_ask(&sim->tracker, s, dt, x, y);
  }
  TX_KEEP(status, tx_tracker_answer(&sim->tracker));
  tx_field_swap(sim->u, sim->sum);
  return status;
}

/* Run a part of the deferred work during a macro step. */
static tx_status beside(void *simulation, int part) {
  tx_sim *sim = simulation;
  TX_TRY(tx_sim_complete(sim));
  return tx_sim_catch_up(sim, part + 1);
}

/* How many times the step of the finest level is that which steps are counted in, as a power of two: 2^0 but on the grid of a
 * remnant; no more than a step has. */
static int longer_steps(const tx_sim *sim, int halvings) {
  const int finest = sim->mesh->level_highest;
  const int longer = tx_step_level(sim->params, finest) - finest;
  return longer < halvings ? longer : halvings;
}

/* The equations for steps of the finest level of 2^longer of those that are counted. */
static tx_system_params physics_of(const tx_sim *sim, int longer) {
  tx_system_params physics = sim->physics;
  const int counted = tx_step_level(sim->params, sim->mesh->level_highest);
  physics.eta_max = tx_eta_limit_of(sim->params, counted - longer);
  return physics;
}

static tx_status one_step(tx_sim *sim, double dt, int halvings) {
  TX_TRY(tx_sim_complete(sim));
  TX_TRY(tx_sim_catch_up(sim, TX_WORK_PARTS));
  TX_TRY(need_scratch(sim));
  tx_step_begin();
  const tx_status status = runge_kutta(sim, physics_of(sim, longer_steps(sim, halvings)), dt);
  tx_step_end();
  sim->point_stages += 4.0 * (double)sim->points;
  sim->point_stages_global += 4.0 * (double)sim->points;
  return status;
}

/* Levels for the mesh as it is. */
static tx_status need_levels(tx_sim *sim) {
  const bool old = sim->levels && sim->levels->grids->grid[0]->revision != sim->mesh->revision;
  if (sim->levels && !old) return TX_OK;
  TX_TRY(tx_grid_limit_check_levels(&sim->limit, sim->mesh->level_count));
  return old ? tx_levels_renew(sim->levels, sim->mesh, sim->u)
             : tx_levels_create(sim->mesh, sim->u, &sim->levels);
}

/* All levels at their own pace, and their leaves to u. A macro step that is shortened has no more halvings than it takes. The
 * punctures stay where they are until its end: what is deferred looks at them. */
static tx_status macro_step(tx_sim *sim, double dt, int halvings) {
  while (halvings > 0 && ldexp(sim->dt, halvings - 1) * (1.0 + STEP_SLACK) >= dt) halvings--;
  const int longer = longer_steps(sim, halvings);
  const tx_system_params physics = physics_of(sim, longer);
  halvings -= longer;
  TX_TRY(need_levels(sim));
  const double before = sim->levels->point_stages;
  tx_tracker tracker = sim->tracker;
  tx_status status = tx_levels_step(sim->levels, &(tx_macro_step){.t = sim->t,
                                                                  .dt = dt,
                                                                  .halvings = halvings,
                                                                  .physics = &physics,
                                                                  .tracker = &tracker,
                                                                  .meanwhile = beside,
                                                                  .with = sim});
  if (status == TX_OK) sim->tracker = tracker;
  sim->point_stages += sim->levels->point_stages - before;
  sim->point_stages_global += 4.0 * ldexp((double)sim->points, halvings);
  TX_THEN(status, tx_levels_store(sim->levels, sim->u));
  return status;
}

/* Combine the status and the requests of all ranks, this one's signal included. */
static tx_status agree(tx_sim *sim, tx_status status) {
  const int signal = tx_signals_received();
  if (signal) sim->asked = TX_ASK_SIGNAL + signal;
  tx_phase_begin(TX_PHASE_WAIT);
  status = tx_agree_most(sim->comm, status, &sim->asked);
  tx_phase_end(TX_PHASE_WAIT);
  return status;
}

/* By the count of steps, on this grid and since one was shortened. */
static double time_of(const tx_sim *sim) {
  return sim->t_since + (double)(sim->step - sim->step_since) * sim->dt;
}

/* An end of the run that is the end of a full step but for a round-off shortens none: a run that goes further is then as if it had
 * been as long from the beginning. */
tx_status tx_sim_step(tx_sim *sim) {
  const bool levels = sim->params->evolution_time_steps == TX_STEPS_LEVELS;
  const int halvings = tx_macro_levels_from(sim->halvings, sim->step);
  const double full = ldexp(sim->dt, halvings), left = sim->params->run_t_end - sim->t;
  const bool last = left <= full * (1.0 + STEP_SLACK), cut = left < full * (1.0 - STEP_SLACK);
  const double dt = cut ? left : full;
  sim->t = time_of(sim); /* not where the run was to end */
  tx_status status = levels ? macro_step(sim, dt, halvings) : one_step(sim, dt, halvings);
  TX_TRY(agree(sim, status));
  sim->step += (int64_t)1 << halvings;
  sim->t = last ? sim->params->run_t_end : time_of(sim);
  /* Steps after a shortened one are counted from it. */
  if (cut) {
    sim->t_since = sim->t;
    sim->step_since = sim->step;
  }
  return TX_OK;
}
