/* The equations against exact solutions of Einstein's: a sign that is wrong in the generator and in
 * the reference alike shows here. */
#include <complex.h>
#include <math.h>

#include "exact_vacuum.h"
#include "physics/bssn.h"
#include "physics/octant/weyl_point.h"
#include "rhs_point.h"
#include "support/cmocka.h"

static const double events[][4] = {
    {0.0, 3.1, -2.4, 1.7}, {1.3, -2.2, 2.9, -3.3}, {-0.7, 0.4, 3.6, 2.8}};
enum { EVENTS = sizeof events / sizeof *events };

static void variables_move_as_the_exact_ones(void **state) {
  const tx_system_params p = {.eta = 2.0,
                              .lambda_f0 = 1.0,
                              .advect_lapse = 1.0,
                              .advect_shift = 1.0,
                              .advect_B = 1.0,
                              .advect_Gt = 1.0};
  for (int n = 0; n < EVENTS; n++) {
    double jets[TX_VARS][10], dot[TX_VARS], rhs[TX_VARS], ko[TX_VARS] = {0.0};
    exact_jets(events[n], jets);
    exact_dot(events[n], dot);
    rhs_point(&p, (const double(*)[10])jets, ko, &events[n][1], rhs);
    for (int v = TX_VAR_CHI; v < TX_VARS; v++) { /* the gauge is not the code's */
      assert_true(fabs(dot[v]) > 1e-6);
      assert_true(fabs(rhs[v] - dot[v]) < 1e-12);
    }
  }
}

static void constraints_vanish(void **state) {
  for (int n = 0; n < EVENTS; n++) {
    double jets[TX_VARS][10], out[TX_CONSTRAINTS];
    exact_jets(events[n], jets);
    constraints_point(NULL, (const double(*)[10])jets, out);
    for (int c = 0; c < TX_CONSTRAINTS; c++) assert_true(fabs(out[c]) < 1e-12);
    for (int v = 0; v < TX_VARS; v++) jets[v][1] += 1e-2; /* and do not when they should not */
    constraints_point(NULL, (const double(*)[10])jets, out);
    for (int c = 0; c < TX_CONSTRAINTS; c++) assert_true(fabs(out[c]) > 1e-4);
  }
}

/* Q_ij = E_ij - i B_ij of a type D vacuum has Q_ij Q^ij = 6 Psi_2^2 on every slice, and for Kerr
 * Psi_2 = -M/(r - i a cos(theta))^3 (Chandrasekhar, The Mathematical Theory of Black Holes, ch. 6).
 * */
static void weyl_invariant_is_that_of_kerr(void **state) {
  for (int n = 0; n < EVENTS; n++) {
    static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double jets[TX_VARS][10], E[6], B[6], gu[3][3], det = 0.0, r, cos_theta;
    exact_jets(events[n], jets);
    tx_weyl_point((const double(*)[10])jets, (const double[3]){0.0}, E, B);
#define G(i, j) (jets[TX_VAR_GT00 + sym[(i) % 3][(j) % 3]][0] / jets[TX_VAR_CHI][0])
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        gu[i][j] = G(i + 1, j + 1) * G(i + 2, j + 2) - G(i + 1, j + 2) * G(i + 2, j + 1);
        if (i == 0) det += gu[i][j] * G(i, j);
      }
#undef G
    double complex invariant = 0.0, trace = 0.0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        trace += gu[i][j] / det * (E[sym[i][j]] - I * B[sym[i][j]]);
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++)
            invariant += gu[i][k] * gu[j][l] / (det * det) * (E[sym[i][j]] - I * B[sym[i][j]]) *
                         (E[sym[k][l]] - I * B[sym[k][l]]);
      }
    exact_position(events[n], &r, &cos_theta);
    const double complex expected = 6.0 / cpow(r - I * EXACT_SPIN * cos_theta, 6.0);
    assert_true(cabs(trace) < 1e-12);
    assert_true(fabs(cimag(expected)) > 0.1 * cabs(expected));
    assert_true(cabs(invariant - expected) < 1e-9 * cabs(expected));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variables_move_as_the_exact_ones),
      cmocka_unit_test(constraints_vanish),
      cmocka_unit_test(weyl_invariant_is_that_of_kerr),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
