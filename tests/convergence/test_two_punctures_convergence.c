/* Spectral convergence of two-puncture data: the series of the reference, and the fall of the error with
 * spins, unequal masses and one puncture alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/initial_data/two_punctures.h"
#include "support/cmocka.h"

enum { FINEST = 64 };

static tx_two_punctures solved(tx_two_punctures_spec spec, int n) {
  tx_two_punctures data;
  spec.resolution = n;
  spec.tolerance = 1e-9;
  if (tx_two_punctures_solve(&spec, &data) != TX_OK) fail_msg("n = %d: %s", n, tx_error_text());
  return data;
}

static void close_to(const char *what, double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s = %.12g is not %.12g within %g", what, value, expected, tolerance);
}

/* Largest difference of u over its largest value, near both punctures and far. */
static double difference(const tx_spectral *u, const tx_bowen_york *exact) {
  double worst = 0.0, largest = 0.0;
  srand(1);
  for (int i = 0; i < 1000; i++) {
    const double reach = pow(10.0, 3.0 * rand() / RAND_MAX - 1.0);
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = exact->position[i % exact->n][d] + reach * (2.0 * rand() / RAND_MAX - 1.0);
    const double value = tx_spectral_point(&exact->u, x);
    worst = fmax(worst, fabs(tx_spectral_point(u, x) - value));
    largest = fmax(largest, fabs(value));
  }
  return worst / largest;
}

/* Errors at n = 16, 24, .. 48 [out], each at most 8 times what the solver says it is. */
static void errors(const char *what, tx_two_punctures_spec spec, double error[5]) {
  tx_two_punctures exact = solved(spec, FINEST);
  for (int i = 0; i < 5; i++) {
    tx_two_punctures data = solved(spec, 16 + 8 * i);
    error[i] = difference(&data.data.u, &exact.data);
    print_message("%s, n = %d: E - E(%d) = %8.1e, error of u %.1e (estimated %.1e)\n", what,
                  data.resolution, FINEST, data.energy - exact.energy, error[i], data.error);
    if (!(error[i] < data.error && data.error < 200.0 * error[i]))
      fail_msg("%s: the error %g at n = %d was estimated as %g", what, error[i], data.resolution,
               data.error);
    tx_two_punctures_free(&data);
  }
  tx_two_punctures_free(&exact);
}

/* By which factor the error falls for every 8 points more. */
static double rate(const char *what, const double error[5]) {
  const double factor = pow(error[0] / error[4], 0.25);
  print_message("%s: the error falls by %.1f for every 8 points\n", what, factor);
  return factor;
}

static const tx_two_punctures_spec r1 = {.n = 2,
                                         .mass = {.483, .483},
                                         .position = {{3.257}, {-3.257}},
                                         .momentum = {{0, .133, 0}, {0, -.133, 0}}};

/* gr-qc/0602026's R1: values of an independent solver with the same collocation. */
static void r1_at_all_resolutions(void **state) {
  const struct {
    int n;
    double M, E;
  } row[] = {{16, .505080259, .995702619},
             {24, .505084391, .995703299},
             {32, .505084524, .995703307},
             {48, .505084526, .995703307}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    tx_two_punctures data = solved(r1, row[i].n);
    close_to("M", data.mass_adm[0], row[i].M, 1e-9);
    close_to("E", data.energy, row[i].E, 1e-9);
    tx_two_punctures_free(&data);
  }
}

static void r1_converges_exponentially(void **state) {
  double error[5];
  errors("R1", r1, error);
  const double factor = rate("R1", error);
  assert_true(factor > 20.0 && factor < 80.0 && error[2] < 2e-6);
}

/* Slower by half in the logarithm: the source is larger and narrower about a spinning puncture. */
static void spinning_punctures_converge(void **state) {
  tx_two_punctures_spec spec = {.n = 2,
                                .adm_masses = 1,
                                .mass = {0.5, 0.5},
                                .position = {{5.0}, {-5.0}},
                                .momentum = {{-.001, .096, 0}, {.001, -.096, 0}},
                                .spin = {{0, 0, .125}, {0, 0, .125}}};
  double error[5];
  errors("spins of 0.5 along z", spec, error);
  double factor = rate("spins of 0.5 along z", error);
  assert_true(factor > 8.0 && factor < 25.0);
  const double S[2][3] = {{0.1, 0.1, 0.125}, {-0.15, 0.0, 0.125}};
  memcpy(spec.spin, S, sizeof S);
  errors("spins of 0.75 in no plane", spec, error);
  factor = rate("spins of 0.75 in no plane", error);
  assert_true(factor > 6.0 && factor < 25.0);
}

static void unequal_masses_converge(void **state) {
  const tx_two_punctures_spec spec = {.n = 2,
                                      .adm_masses = 1,
                                      .mass = {8.0 / 9, 1.0 / 9},
                                      .position = {{10.0 / 9}, {-80.0 / 9}},
                                      .momentum = {{0, .05, 0}, {0, -.05, 0}}};
  double error[5];
  errors("masses 8:1", spec, error);
  const double factor = rate("masses 8:1", error);
  assert_true(factor > 5.0 && factor < 20.0);
}

/* Its total momentum brings logarithms at infinity, log(r)/r^3, and with them a power of n. */
static void one_moving_puncture_converges(void **state) {
  const tx_two_punctures_spec spec = {.n = 1, .mass = {1.0}, .momentum = {{0.3, 0.4, 0.0}}};
  double error[5];
  errors("one moving puncture", spec, error);
  const double order = log(error[2] / error[4]) / log(48.0 / 32.0);
  print_message("one moving puncture: order %.1f from 32 to 48 points\n", order);
  assert_true(error[2] < 1e-7 && order > 5.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(r1_at_all_resolutions),         cmocka_unit_test(r1_converges_exponentially),
      cmocka_unit_test(spinning_punctures_converge),   cmocka_unit_test(unequal_masses_converge),
      cmocka_unit_test(one_moving_puncture_converges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
