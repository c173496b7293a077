/* The limit on evolution.cfl that parameters are checked against is where the scheme becomes unstable. */
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>
#include "base/schemes.h"
#include "evolve/stability.h"
#include "physics/bssn.h"

#define NOISE 1e-10
#define STEPS 100

/* Largest deviation of all variables from flat space after `steps` steps. One rank. */
static double deviation(tx_sim *sim, tx_params *p, double dt, int steps) {
  double most = 0.0;
  simulate_to(sim, p, steps * dt);
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u;
    assert_int_equal(tx_field_octant(sim->u, b, &u), TX_OK);
    for (int v = 0; v < TX_VARS; v++)
      for (size_t i = 0; i < TX_N3; i++)
        most = fmax(most, fabs(u[(size_t)v * TX_N3 + i] - tx_bssn.variable[v].infinity));
  }
  return most;
}

static void noise(tx_params *p, int points) {
  simulate_box(p, points, 1.0 / points, 0.0);
  p->gauge_shift = TX_SHIFT_GAMMA_DRIVER;
  p->gauge_eta = 0.0;
  p->initial_data_type = TX_ID_NOISE;
  p->initial_data_amplitude = NOISE;
}

/* By how much noise grows over the second half of STEPS steps of the finest level. */
static double growth(tx_params *p, double part) {
  tx_sim *sim = NULL;
  p->evolution_cfl = part * tx_cfl_limit(p);
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, p, &sim), TX_OK);
  double half = deviation(sim, p, sim->dt, STEPS / 2);
  double whole = deviation(sim, p, sim->dt, STEPS);
  tx_sim_destroy(sim);
  print_message("cfl %.3f (%.2f of the limit): %.1e, then %.1e\n", p->evolution_cfl, part, half,
                whole);
  return whole / half;
}

static tx_time_steps time_steps = TX_STEPS_LEVELS;

static void assert_limit_of(int order, bool upwinded, int dissipation) {
  tx_params p;
  noise(&p, 2 * TX_N);
  const double usual = tx_cfl_limit(&p);
  const int usual_order = p.evolution_order;
  p.evolution_order = order;
  p.evolution_dissipation_order = dissipation;
  p.evolution_advection = upwinded ? TX_ADVECTION_UPWINDED : TX_ADVECTION_CENTRED;
  if (order < usual_order) assert_true(tx_cfl_limit(&p) > usual);
  assert_true(growth(&p, 0.98) < 2.0);
  assert_true(growth(&p, 1.02) > 10.0);
}

static void assert_limit(int slicing, double sigma, double lambda_f0) {
  tx_params p;
  noise(&p, 2 * TX_N);
  p.evolution_time_steps = time_steps;
  p.gauge_slicing = slicing;
  p.gauge_lambda_f0 = lambda_f0;
  p.evolution_dissipation = sigma;
  assert_true(growth(&p, 0.98) < 2.0);
  assert_true(growth(&p, 1.02) > 10.0);
}

static void test_usual_gauge(void **state) {
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 0.4, 1.0);
}

static void test_one_step_for_all(void **state) {
  time_steps = TX_STEPS_GLOBAL;
  test_usual_gauge(state);
  time_steps = TX_STEPS_LEVELS;
}

static void test_no_dissipation(void **state) {
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 0.0, 1.0);
}

static void test_strong_dissipation(void **state) {
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 2.0, 1.0);
}

static void test_harmonic_slicing(void **state) {
  assert_limit(TX_SLICING_HARMONIC, 0.4, 1.0);
}

static void test_fast_shift(void **state) {
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 0.4, 8.0);
}

/* Those of lower order have lower frequencies: a higher limit. */
static void test_other_schemes(void **state) {
#define LIMIT(a, suffix, is, up, half)                                                             \
  if ((is) != 2 * TX_K) assert_limit_of(is, up, 2 * (half)-1);
  TX_SCHEMES(LIMIT, )
}

/* Steps of three levels, one a cube within the other, with an edge at both ends in x and at one in y and z: the same limit. */
static void test_steps_of_levels(void **state) {
  tx_params p;
  noise(&p, 4 * TX_N);
  p.gauge_slicing = TX_SLICING_ONE_PLUS_LOG;
  p.evolution_dissipation = 0.4;
  p.grid_periodic = TX_DIMS_X;
  p.grid_reflect = TX_DIMS_YZ;
  simulate_nested(&p, 3);
  assert_true(growth(&p, 0.98) < 2.0);
  assert_true(growth(&p, 1.02) > 10.0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_usual_gauge),      cmocka_unit_test(test_one_step_for_all),
    cmocka_unit_test(test_no_dissipation),   cmocka_unit_test(test_strong_dissipation),
    cmocka_unit_test(test_harmonic_slicing), cmocka_unit_test(test_fast_shift),
    cmocka_unit_test(test_steps_of_levels),  cmocka_unit_test(test_other_schemes),
};

TEST_MAIN(tests)
