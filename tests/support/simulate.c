#include "physics/bssn.h"
#include "support/cmocka.h"
#include "support/simulate.h"

#include <math.h>
#include <string.h>

void simulate_box(tx_params *p, int points, double dt, double t_end) {
  tx_params_default(p);
  p->grid_extent = 0.5;
  p->grid_periodic = TX_DIMS_XYZ;
  int level = 0;
  while ((2 * TX_N) << level < points) level++;
  assert_int_equal((2 * TX_N) << level, points);
  p->grid_level_min = p->grid_level_max = level;
  p->evolution_cfl = dt * points;
  p->evolution_dissipation = 0.0;
  p->gauge_slicing = TX_SLICING_HARMONIC;
  p->gauge_shift = TX_SHIFT_ZERO;
  p->run_t_end = t_end;
}

void simulate_nested(tx_params *p, int levels) {
  p->grid_level_max = p->grid_ball_level = p->grid_level_min + levels - 1;
  p->grid_ball_radius = ldexp(0.875 * p->grid_extent, 1 - levels);
  p->grid_ball_growth = 2.0;
  p->evolution_time_steps = TX_STEPS_LEVELS;
  p->evolution_macro_step = 1e6;
}

static void require_ok(tx_status status) {
  if (status != TX_OK) fail_msg("status %d: %s", status, tx_error_text());
}

void simulate_to(tx_sim *sim, tx_params *p, double t_end) {
  p->run_t_end = t_end;
  while (sim->t < t_end) require_ok(tx_sim_step(sim));
  require_ok(tx_sim_check(sim));
}

tx_sim *simulate(const tx_params *p) {
  tx_sim *sim = NULL;
  require_ok(tx_sim_create(MPI_COMM_WORLD, p, &sim));
  while (sim->t < p->run_t_end) require_ok(tx_sim_step(sim));
  require_ok(tx_sim_check(sim));
  return sim;
}

void simulate_refine(tx_sim *sim, const double x[3]) {
  bool changed;
  tx_tracker_init(&sim->tracker, 1, (const double(*)[3])x);
  sim->puncture_level[0] = tx_policy_puncture_level(sim->params, 0);
  require_ok(tx_ghosts_fill(sim->exec, sim->u));
  require_ok(tx_sim_regrid(sim, &changed));
  require_ok(tx_sim_complete(sim));
}

double simulate_error(tx_sim *sim, int v, simulate_counts *counts, const void *with) {
  static double exact[TX_SYSTEM_VARS * TX_N3];
  double sum = 0.0, volume = 0.0;
  tx_initial_map map;
  require_ok(tx_initial_map_of(sim->system, &map));
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u, x0[3], h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level);
    require_ok(tx_field_octant(sim->u, b, &u));
    tx_mesh_origin(sim->mesh, b, x0);
    tx_initial_data_octant(sim->id, &map,
                           &(tx_initial_at){sim->t, {x0[0], x0[1], x0[2]}, {NULL, NULL}}, h, exact);
    for (int p = 0; p < TX_N3; p++) {
      const double x[3] = {x0[0] + p % TX_N * h, x0[1] + p / TX_N % TX_N * h,
                           x0[2] + p / (TX_N * TX_N) * h};
      if (counts && !counts(x, with)) continue;
      const double e = u[(size_t)v * TX_N3 + (size_t)p] - exact[(size_t)v * TX_N3 + (size_t)p];
      sum += e * e * h * h * h;
      volume += h * h * h;
    }
  }
  return sqrt(sum / volume);
}

void simulate_line(tx_sim *sim, int v, int points, double *values) {
  int found = 0;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const tx_octant *o = &sim->mesh->octant[b];
    double *u;
    if (o->x[1] != 0 || o->x[2] != 0) continue;
    require_ok(tx_field_octant(sim->u, b, &u));
    memcpy(values + o->x[0] * TX_N, u + (size_t)v * TX_N3, TX_N * sizeof *values);
    found += TX_N;
  }
  assert_int_equal(found, points);
}

double convergence_order(double error_coarse, double error_fine) {
  return log2(error_coarse / error_fine);
}

bool convergence_as_expected(const char *what, double order, double expected) {
  const bool as_expected = fabs(order - expected) <= 0.5;
  print_message("%s: order %.2f\n", what, order);
  if (!as_expected)
    print_error("%s: order %.2f is not within 0.5 of %.1f\n", what, order, expected);
  return as_expected;
}
