/* The algebraic constraints and the floors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/bssn.h"
#include "support/cmocka.h"

enum { N = 77, STRIDE = 80 };

static const tx_system_params p = {.chi_floor = 1e-4, .alpha_floor = 1e-3};

static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static double noise(void) {
  return 2.0 * rand() / RAND_MAX - 1.0;
}

/* Determinant of gt and gt^ij At_ij at point n, by Cramer's rule. */
static void measure(double (*u)[STRIDE], int n, double *det, double *trace) {
#define G(i, j) u[TX_VAR_GT00 + sym[(i) % 3][(j) % 3]][n]
  double sum = 0.0, d = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double cofactor = G(i + 1, j + 1) * G(i + 2, j + 2) - G(i + 1, j + 2) * G(i + 2, j + 1);
      sum += cofactor * u[TX_VAR_AT00 + sym[i][j]][n];
      if (i == 0) d += cofactor * G(i, j);
    }
#undef G
  *det = d;
  *trace = sum / d;
}

/* Metrics of determinant about `scale`^3. */
static void fill(double (*u)[STRIDE], double scale, double size) {
  for (int v = 0; v < TX_VARS; v++)
    for (int n = 0; n < STRIDE; n++) u[v][n] = tx_bssn.variable[v].infinity + size * noise();
  for (int c = 0; c < 6; c++)
    for (int n = 0; n < STRIDE; n++) u[TX_VAR_GT00 + c][n] *= scale;
}

static void constraints_hold_afterwards(void **state) {
  static const double scales[] = {1.0, 0.95, 1.05, 1.9, 0.2, 30.0};
  srand(1);
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
    double u[TX_VARS][STRIDE], before[TX_VARS][STRIDE], diag[2] = {0.0, 0.0}, worst[2] = {0.0, 0.0};
    fill(u, scales[s], 0.02);
    memcpy(before, u, sizeof u);
    tx_bssn.enforce(&p, N, STRIDE, u[0], diag);
    for (int n = 0; n < STRIDE; n++) {
      double det, trace, old_det, old_trace;
      measure(u, n, &det, &trace);
      measure(before, n, &old_det, &old_trace);
      if (n >= N) { /* beyond the end */
        for (int v = 0; v < TX_VARS; v++) assert_true(u[v][n] == before[v][n]);
        continue;
      }
      assert_true(fabs(det - 1.0) < 4e-15);
      assert_true(fabs(trace) < 1e-16);
      worst[0] = fmax(worst[0], fabs(old_det - 1.0));
      worst[1] = fmax(worst[1], fabs(old_trace));
      const double factor = 1.0 / cbrt(old_det);
      for (int c = 0; c < 6; c++) {
        const double *gt = before[TX_VAR_GT00 + c], *At = before[TX_VAR_AT00 + c];
        assert_true(fabs(u[TX_VAR_GT00 + c][n] - factor * gt[n]) < 1e-15);
        assert_true(fabs(u[TX_VAR_AT00 + c][n] - (At[n] - gt[n] * old_trace / 3.0)) < 1e-15);
      }
      for (int v = 0; v < TX_VARS; v++)
        if (v < TX_VAR_GT00 || v > TX_VAR_GT22)
          if (v < TX_VAR_AT00 || v > TX_VAR_AT22) assert_true(u[v][n] == before[v][n]);
    }
    assert_true(fabs(diag[0] - worst[0]) < 1e-12 * worst[0]);
    assert_true(fabs(diag[1] - worst[1]) < 1e-12 * worst[1]);
  }
}

static void floors_lift_only_what_is_below(void **state) {
  double u[TX_VARS][STRIDE], diag[2] = {3.0, 4.0};
  fill(u, 1.0, 0.0);
  u[TX_VAR_CHI][3] = -2.0;
  u[TX_VAR_CHI][4] = 2e-4;
  u[TX_VAR_ALPHA][5] = 0.0;
  u[TX_VAR_ALPHA][6] = 2e-3;
  u[TX_VAR_ALPHA][N - 1] = -1.0;
  tx_bssn.enforce(&p, N, STRIDE, u[0], diag);
  assert_true(u[TX_VAR_CHI][3] == p.chi_floor && u[TX_VAR_CHI][4] == 2e-4);
  assert_true(u[TX_VAR_ALPHA][5] == p.alpha_floor && u[TX_VAR_ALPHA][6] == 2e-3);
  assert_true(u[TX_VAR_ALPHA][N - 1] == p.alpha_floor);
  assert_true(diag[0] == 3.0 && diag[1] == 4.0);
  tx_bssn.enforce(&p, N, STRIDE, u[0], NULL);
}

/* The floors alone: what enforcement does to chi and alpha, and nothing else. */
static void floors_touch_nothing_else(void **state) {
  double u[TX_VARS][STRIDE], all[TX_VARS][STRIDE], before[TX_VARS][STRIDE];
  fill(u, 1.05, 0.02);
  for (int n = 0; n < STRIDE; n += 3) u[TX_VAR_CHI][n] = -0.5;
  for (int n = 0; n < STRIDE; n += 4) u[TX_VAR_ALPHA][n] = -1.5;
  u[TX_VAR_CHI][1] = NAN;
  memcpy(before, u, sizeof u);
  memcpy(all, u, sizeof u);
  tx_bssn.floors(&p, N, STRIDE, u[0]);
  tx_bssn.enforce(&p, N, STRIDE, all[0], NULL);
  assert_true(u[TX_VAR_CHI][3] == p.chi_floor && u[TX_VAR_ALPHA][4] == p.alpha_floor);
  for (int v = 0; v < TX_VARS; v++)
    assert_memory_equal(u[v], v == TX_VAR_CHI || v == TX_VAR_ALPHA ? all[v] : before[v],
                        sizeof u[v]);
}

static void flat_space_is_not_touched(void **state) {
  double u[TX_VARS][STRIDE], before[TX_VARS][STRIDE], diag[2] = {0.0, 0.0};
  fill(u, 1.0, 0.0);
  memcpy(before, u, sizeof u);
  tx_bssn.enforce(&p, N, STRIDE, u[0], diag);
  assert_memory_equal(u, before, sizeof u);
  assert_true(diag[0] == 0.0 && diag[1] == 0.0);
}

static void not_a_number_stays_and_shows(void **state) {
  for (int n = 0; n < N; n += N - 1) {
    double u[TX_VARS][STRIDE], diag[2] = {0.0, 0.0};
    fill(u, 1.0, 0.0);
    u[TX_VAR_GT11][n] = NAN;
    u[TX_VAR_CHI][n] = NAN;
    tx_bssn.enforce(&p, N, STRIDE, u[0], diag);
    assert_true(isnan(u[TX_VAR_GT11][n]) && isnan(u[TX_VAR_CHI][n]));
    assert_true(isnan(diag[0]) && isnan(diag[1]));
    assert_true(u[TX_VAR_GT11][N / 2] == 1.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constraints_hold_afterwards),
      cmocka_unit_test(floors_lift_only_what_is_below),
      cmocka_unit_test(floors_touch_nothing_else),
      cmocka_unit_test(flat_space_is_not_touched),
      cmocka_unit_test(not_a_number_stays_and_shows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
