/* The limit on evolution.cfl that parameters are checked against is where the scheme becomes unstable. */
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>
#include "params/table.h"

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
        most = fmax(most, fabs(u[(size_t)v * TX_N3 + i] - tx_variables[v].infinity));
  }
  return most;
}

/* By how much noise grows over the second half of STEPS steps, at `part` of the limit. */
static double growth(int slicing, double sigma, double lambda_f0, double part) {
  const int points = 2 * TX_N;
  tx_params p;
  tx_sim *sim = NULL;
  simulate_box(&p, points, 1.0 / points, 0.0);
  p.gauge_slicing = slicing;
  p.gauge_shift = TX_SHIFT_GAMMA_DRIVER;
  p.gauge_lambda_f0 = lambda_f0;
  p.gauge_eta = 0.0;
  p.initial_data_type = TX_ID_NOISE;
  p.initial_data_amplitude = NOISE;
  p.evolution_dissipation = sigma;
  p.evolution_cfl = part * tx_param_cfl_limit(&p);
  double dt = p.evolution_cfl / points;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  double half = deviation(sim, &p, dt, STEPS / 2);
  double whole = deviation(sim, &p, dt, STEPS);
  tx_sim_destroy(sim);
  print_message("cfl %.3f (%.2f of the limit): %.1e, then %.1e\n", p.evolution_cfl, part, half,
                whole);
  return whole / half;
}

static void assert_limit(int slicing, double sigma, double lambda_f0) {
  assert_true(growth(slicing, sigma, lambda_f0, 0.98) < 2.0);
  assert_true(growth(slicing, sigma, lambda_f0, 1.02) > 10.0);
}

static void test_usual_gauge(void **state) {
  (void)state;
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 0.4, 1.0);
}

static void test_no_dissipation(void **state) {
  (void)state;
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 0.0, 1.0);
}

static void test_strong_dissipation(void **state) {
  (void)state;
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 2.0, 1.0);
}

static void test_harmonic_slicing(void **state) {
  (void)state;
  assert_limit(TX_SLICING_HARMONIC, 0.4, 1.0);
}

static void test_fast_shift(void **state) {
  (void)state;
  assert_limit(TX_SLICING_ONE_PLUS_LOG, 0.4, 8.0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_usual_gauge),        cmocka_unit_test(test_no_dissipation),
    cmocka_unit_test(test_strong_dissipation), cmocka_unit_test(test_harmonic_slicing),
    cmocka_unit_test(test_fast_shift),
};

TEST_MAIN(tests)
