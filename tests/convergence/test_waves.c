/* Order of convergence on waves with a known solution: Alcubierre et al., gr-qc/0305023 (the "apples with
 * apples" gauge wave and linear wave). */
#include "base/schemes.h"
#include "physics/bssn.h"
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>
#include <stdio.h>

/* Points along a box of two octants; the fewest have 16 a wavelength. Steps are short: their error is of order 4. */
#define FEWEST     (2 * TX_N)
#define WAVELENGTH (8.0 / TX_N)
#define DT         (TX_K == 3 ? 1.0 / 512 : 1.0 / 4096)
#define T_END      (TX_K == 3 ? 1.0 / 64 : 1.0 / 256)

static void gauge_wave(tx_params *p, int points) {
  simulate_box(p, points, DT, T_END);
  p->initial_data_type = TX_ID_GAUGE_WAVE;
  p->initial_data_amplitude = 0.01;
  p->initial_data_wavelength = WAVELENGTH;
}

static const int watched[] = {TX_VAR_ALPHA, TX_VAR_CHI,  TX_VAR_GT00, TX_VAR_GT11,
                              TX_VAR_K,     TX_VAR_AT00, TX_VAR_GAMT0};
#define WATCHED (sizeof watched / sizeof *watched)

/* Orders of the watched variables from the fewest points to twice as many, each within 0.5 of what is expected. */
static void assert_gauge_wave_orders_with(tx_evolved system, int order, bool upwinded, int ko,
                                          double dissipation, double expected) {
  double error[2][WATCHED];
  int off = 0;
  for (int g = 0; g < 2; g++) {
    tx_params p;
    gauge_wave(&p, FEWEST << g);
    p.evolution_system = system;
    p.evolution_order = order;
    p.evolution_advection = upwinded ? TX_ADVECTION_UPWINDED : TX_ADVECTION_CENTRED;
    p.evolution_dissipation_order = ko;
    p.evolution_dissipation = dissipation;
    tx_sim *sim = simulate(&p);
    for (size_t w = 0; w < WATCHED; w++) error[g][w] = simulate_error(sim, watched[w], NULL, NULL);
    tx_sim_destroy(sim);
  }
  for (size_t w = 0; w < WATCHED; w++)
    off += !convergence_as_expected(tx_bssn.variable[watched[w]].name,
                                    convergence_order(error[0][w], error[1][w]), expected);
  assert_int_equal(off, 0);
}

static void assert_gauge_wave_orders(tx_evolved system, double dissipation, double expected) {
  assert_gauge_wave_orders_with(system, 2 * TX_K, false, 2 * TX_K - 1, dissipation, expected);
}

static void test_gauge_wave_has_the_order_of_the_scheme(void **state) {
#define ORDERS(a, suffix, is, up, half)                                                            \
  if ((is) != 2 * TX_K)                                                                            \
    assert_gauge_wave_orders_with(TX_EVOLVED_BSSN, is, up, 2 * (half)-1, 0.0, is);
  TX_SCHEMES(ORDERS, )
}

static void test_gauge_wave_has_the_usual_order(void **state) {
  assert_gauge_wave_orders(TX_EVOLVED_BSSN, 0.0, 2 * TX_K);
}

/* Its variables stand where those of BSSN do, Khat in the place of K. */
static void test_gauge_wave_of_z4c_has_the_usual_order(void **state) {
  assert_gauge_wave_orders(TX_EVOLVED_Z4C, 0.0, 2 * TX_K);
}

/* The undivided 6th difference over 64 h is a term of order h^5, the 8th over 256 h one of order h^7. */
static void test_gauge_wave_with_dissipation_has_its_order(void **state) {
  assert_gauge_wave_orders(TX_EVOLVED_BSSN, 0.4, 2 * TX_K - 1);
}

/* Three grids against each other: no part of second order in the amplitude, and above round-off. */
static void test_linear_wave_has_the_usual_order(void **state) {
  enum { SEEN = 3 };
  static const int seen[SEEN] = {TX_VAR_GT11, TX_VAR_GT22, TX_VAR_AT11};
  double line[3][SEEN][4 * FEWEST];
  for (int g = 0; g < 3; g++) {
    tx_params p;
    simulate_box(&p, FEWEST << g, DT, 0.5 * T_END);
    p.initial_data_type = TX_ID_LINEAR_WAVE;
    p.initial_data_amplitude = TX_K == 3 ? 1e-5 : 1e-2; /* grids differ by more than round-off */
    p.initial_data_wavelength = WAVELENGTH;
    tx_sim *sim = simulate(&p);
    for (int w = 0; w < SEEN; w++) simulate_line(sim, seen[w], FEWEST << g, line[g][w]);
    tx_sim_destroy(sim);
  }
  for (int w = 0; w < SEEN; w++) {
    double d[2] = {0.0, 0.0};
    for (int i = 0; i < FEWEST; i++)
      for (int g = 0; g < 2; g++) {
        double e = line[g][w][i << g] - line[g + 1][w][i << (g + 1)];
        d[g] += e * e;
      }
    const double order = convergence_order(sqrt(d[0]), sqrt(d[1]));
    assert_true(convergence_as_expected(tx_bssn.variable[seen[w]].name, order, 2 * TX_K));
  }
}

/* The amplitude of the test suite, for a whole period: what travels is the wave. */
static void test_linear_wave_travels(void **state) {
  const double amplitude = 1e-8;
  tx_params p;
  simulate_box(&p, 2 * TX_N, 1.0 / 64, 1.0);
  p.initial_data_type = TX_ID_LINEAR_WAVE;
  p.initial_data_amplitude = amplitude;
  tx_sim *sim = simulate(&p);
  double error = simulate_error(sim, TX_VAR_GT11, NULL, NULL) / amplitude;
  print_message("error after one period: %.2e of the amplitude\n", error);
  assert_true(error < 1e-4);
  tx_sim_destroy(sim);
}

/* K along a line, with steps of cfl times the spacing, of half and of a quarter of that. */
static void assert_fourth_order_in_time(int points, double cfl, void (*change)(tx_params *)) {
  double line[3][32], d[2] = {0.0, 0.0};
  for (int g = 0; g < 3; g++) {
    tx_params p;
    gauge_wave(&p, points);
    if (change) change(&p);
    p.run_t_end = 0.25;
    p.evolution_cfl = cfl / (1 << g);
    tx_sim *sim = simulate(&p);
    simulate_line(sim, TX_VAR_K, points, line[g]);
    tx_sim_destroy(sim);
  }
  for (int i = 0; i < points; i++)
    for (int g = 0; g < 2; g++)
      d[g] += (line[g][i] - line[g + 1][i]) * (line[g][i] - line[g + 1][i]);
  assert_true(convergence_as_expected("K in time", convergence_order(sqrt(d[0]), sqrt(d[1])), 4.0));
}

static void test_runge_kutta_is_fourth_order(void **state) {
  assert_fourth_order_in_time(2 * TX_N, 0.5, NULL);
}

/* A pull of the lapse that depends on time, taken at the times of the stages. */
static void with_slow_start(tx_params *p) {
  p->gauge_slicing = TX_SLICING_ONE_PLUS_LOG;
  p->gauge_slow_start = 6.0;
  p->gauge_slow_start_time = 0.2;
}

static void test_runge_kutta_is_fourth_order_with_slow_start(void **state) {
  assert_fourth_order_in_time(2 * TX_N, 0.2, with_slow_start);
}

static void with_one_step_for_all(tx_params *p) {
  with_slow_start(p);
  p->evolution_time_steps = TX_STEPS_GLOBAL;
}

static void test_one_step_for_all_is_fourth_order_with_slow_start(void **state) {
  assert_fourth_order_in_time(2 * TX_N, 0.2, with_one_step_for_all);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_gauge_wave_has_the_usual_order),
    cmocka_unit_test(test_gauge_wave_has_the_order_of_the_scheme),
    cmocka_unit_test(test_gauge_wave_of_z4c_has_the_usual_order),
    cmocka_unit_test(test_gauge_wave_with_dissipation_has_its_order),
    cmocka_unit_test(test_linear_wave_has_the_usual_order),
    cmocka_unit_test(test_linear_wave_travels),
    cmocka_unit_test(test_runge_kutta_is_fourth_order),
    cmocka_unit_test(test_runge_kutta_is_fourth_order_with_slow_start),
    cmocka_unit_test(test_one_step_for_all_is_fourth_order_with_slow_start),
};

TEST_MAIN(tests)
