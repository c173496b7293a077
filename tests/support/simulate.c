#include "support/simulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
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

double simulate_error(tx_sim *sim, int v) {
  double sum = 0.0, volume = 0.0;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u, x0[3], h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level);
    static double exact[TX_VARS * TX_N3];
    require_ok(tx_field_octant(sim->u, b, &u));
    tx_mesh_origin(sim->mesh, b, x0);
    tx_initial_data_octant(sim->id, sim->t, x0, h, exact);
    for (size_t i = (size_t)v * TX_N3; i < (size_t)(v + 1) * TX_N3; i++)
      sum += (u[i] - exact[i]) * (u[i] - exact[i]) * h * h * h;
    volume += TX_N3 * h * h * h;
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
