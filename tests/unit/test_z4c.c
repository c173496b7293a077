/* The generated arithmetic of Z4c on random data, against what arXiv:1111.2177 adds to BSSN, whose slow reference gives the
 * rest: with K = Khat + 2 Theta, Z4c's equations are those of BSSN but for
 *   d_t alpha: Khat in the place of K;
 *   d_t Khat:  advection of Khat in the place of K's, and + alpha kappa1 (1 - kappa2) Theta;
 *   d_t Gt^i:  + 2 alpha gt^ij d_j Theta - 2 alpha kappa1 (Gt^i - gt^jk Gt^i_jk), as - 2/3 gt^ij d_j (2 Khat + Theta) is
 *              - 4/3 gt^ij d_j K + 2 gt^ij d_j Theta; the same in d_t B^i;
 *   d_t Theta = beta^k d_k Theta + alpha H/2 - alpha kappa1 (2 + kappa2) Theta. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact_vacuum.h"
#include "physics/bssn.h"
#include "reference_bssn.h"
#include "support/cmocka.h"
#include "z4c_point.h"

static double noise(void) {
  return 2.0 * rand() / RAND_MAX - 1.0;
}

/* Indices of a symmetric tensor's components, and its trace with the inverse of the metric taken away. */
static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static void inverse(const double jets[][10], double inv[3][3]) {
#define G(i, j) jets[TX_VAR_GT00 + sym[(i) % 3][(j) % 3]][0]
  double det = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inv[i][j] = G(i + 1, j + 1) * G(i + 2, j + 2) - G(i + 1, j + 2) * G(i + 2, j + 1);
  for (int i = 0; i < 3; i++) det += G(0, i) * inv[0][i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inv[i][j] /= det;
#undef G
}

/* Of Z4c, At without trace, as constraints by the physical metric need it; and of BSSN, with K = Khat + 2 Theta. */
static void random_jets(double z4c[Z4C_VARS][10], double bssn[TX_VARS][10]) {
  double inv[3][3], trace = 0.0;
  for (int v = 0; v < Z4C_VARS; v++) {
    const bool one = v == TX_VAR_CHI || v == TX_VAR_ALPHA;
    const double far = v < TX_VARS ? tx_bssn.variable[v].infinity : 0.0;
    z4c[v][0] = one ? 0.5 + 0.4 * noise() : far + 0.3 * noise();
    for (int n = 1; n < 10; n++) z4c[v][n] = noise();
  }
  inverse((const double(*)[10])z4c, inv);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) trace += inv[i][j] * z4c[TX_VAR_AT00 + sym[i][j]][0];
  for (int c = 0; c < 6; c++) z4c[TX_VAR_AT00 + c][0] -= trace / 3.0 * z4c[TX_VAR_GT00 + c][0];
  memcpy(bssn, z4c, TX_VARS * sizeof *bssn);
  for (int n = 0; n < 10; n++) bssn[TX_VAR_K][n] += 2.0 * z4c[Z4C_THETA][n];
}

static double along_shift(const double jets[][10], int v) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += jets[TX_VAR_BETA0 + k][0] * jets[v][1 + k];
  return sum;
}

/* See above. */
static void expect(const tx_system_params *p, const double z[Z4C_VARS][10],
                   const double b[TX_VARS][10], const double x[3], double rhs[Z4C_VARS]) {
  const double still[TX_VARS] = {0.0}, alpha = z[TX_VAR_ALPHA][0], Theta = z[Z4C_THETA][0];
  const double slicing = p->slicing == TX_SLICING_HARMONIC ? alpha * alpha : 2.0 * alpha;
  double inv[3][3], constraints[TX_CONSTRAINTS];
  inverse(z, inv);
  reference_constraints(b, constraints);
  reference_rhs(p, b, still, x, rhs);
  rhs[TX_VAR_ALPHA] += slicing * 2.0 * Theta;
  rhs[TX_VAR_K] += alpha * p->own[Z4C_KAPPA1] * (1.0 - p->own[Z4C_KAPPA2]) * Theta -
                   2.0 * along_shift(z, Z4C_THETA);
  for (int i = 0; i < 3; i++) {
    double more = -2.0 * alpha * p->own[Z4C_KAPPA1] * constraints[TX_CONSTRAINT_G0 + i];
    for (int j = 0; j < 3; j++) more += 2.0 * alpha * inv[i][j] * z[Z4C_THETA][1 + j];
    rhs[TX_VAR_GAMT0 + i] += more;
    if (p->shift != TX_SHIFT_ZERO) rhs[TX_VAR_B0 + i] += more;
  }
  rhs[Z4C_THETA] = along_shift(z, Z4C_THETA) + 0.5 * alpha * constraints[TX_CONSTRAINT_H] -
                   alpha * p->own[Z4C_KAPPA1] * (2.0 + p->own[Z4C_KAPPA2]) * Theta;
}

/* Largest difference over the largest value. */
static double difference(int n, const double *a, const double *b) {
  double worst = 0.0, size = 0.0;
  for (int i = 0; i < n; i++) {
    assert_true(isfinite(a[i]));
    worst = fmax(worst, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
  }
  return worst / size;
}

static void right_hand_sides(void **state) {
  srand(3);
  for (int choice = 0; choice < 64; choice++) {
    const tx_system_params p = {
        .eta = 1.7,
        .lambda_f0 = 0.8,
        .lambda_f1 = 0.3,
        .advect_lapse = choice & 1,
        .advect_shift = choice >> 1 & 1,
        .advect_B = choice >> 2 & 1,
        .advect_Gt = choice >> 3 & 1,
        .lapse_pull = choice % 3 * 0.7,
        .own = {[Z4C_KAPPA1] = choice % 5 * 0.4, [Z4C_KAPPA2] = choice % 7 * 0.3 - 0.9},
        .slicing = choice >> 4 & 1 ? TX_SLICING_HARMONIC : TX_SLICING_ONE_PLUS_LOG,
        .shift = choice >> 5 & 1 ? TX_SHIFT_ZERO : TX_SHIFT_GAMMA_DRIVER};
    for (int n = 0; n < 20; n++) {
      const double x[3] = {noise(), noise(), noise()};
      double z4c[Z4C_VARS][10], bssn[TX_VARS][10], ko[Z4C_VARS], rhs[Z4C_VARS], expected[Z4C_VARS];
      random_jets(z4c, bssn);
      for (int v = 0; v < Z4C_VARS; v++) ko[v] = noise();
      z4c_rhs(&p, (const double(*)[10])z4c, ko, x, rhs);
      expect(&p, (const double(*)[10])z4c, (const double(*)[10])bssn, x, expected);
      for (int v = 0; v < Z4C_VARS; v++) {
        const bool zero = p.shift == TX_SHIFT_ZERO && v >= TX_VAR_BETA0 && v <= TX_VAR_B2;
        if (!zero) expected[v] += ko[v];
      }
      assert_true(difference(Z4C_VARS, rhs, expected) < 1e-12);
    }
  }
}

/* They come from the parameters of the run. */
static void own_parameters(void **state) {
  tx_params p;
  double own[TX_SYSTEM_OWN] = {0.0};
  tx_params_default(&p);
  p.evolution_kappa1 = 0.3;
  p.evolution_kappa2 = 0.7;
  tx_system_numbered(TX_EVOLVED_Z4C)->parameters(&p, own);
  assert_true(own[Z4C_KAPPA1] == 0.3 && own[Z4C_KAPPA2] == 0.7 && own[2] == 0.0);
}

/* On a solution of Einstein's equations, where Theta and Z^i are 0, they stay so, and the rest moves as it must; but not
 * where there is Theta. */
static void a_vacuum_stays_one(void **state) {
  static const double event[4] = {1.3, -2.2, 2.9, -3.3};
  const tx_system_params p = {.eta = 2.0,
                              .lambda_f0 = 1.0,
                              .advect_lapse = 1.0,
                              .advect_shift = 1.0,
                              .advect_B = 1.0,
                              .advect_Gt = 1.0,
                              .own = {[Z4C_KAPPA1] = 0.7, [Z4C_KAPPA2] = 0.3}};
  double z4c[Z4C_VARS][10] = {{0.0}}, bssn[TX_VARS][10], dot[TX_VARS], rhs[Z4C_VARS];
  const double ko[Z4C_VARS] = {0.0};
  exact_jets(event, bssn);
  exact_dot(event, dot);
  memcpy(z4c, bssn, sizeof bssn);
  z4c_rhs(&p, (const double(*)[10])z4c, ko, &event[1], rhs);
  for (int v = TX_VAR_CHI; v < TX_VARS; v++) assert_true(fabs(rhs[v] - dot[v]) < 1e-12);
  assert_true(fabs(rhs[Z4C_THETA]) < 1e-12);
  z4c[Z4C_THETA][0] = z4c[Z4C_THETA][1] = 1e-2;
  z4c_rhs(&p, (const double(*)[10])z4c, ko, &event[1], rhs);
  assert_true(fabs(rhs[Z4C_THETA]) > 1e-3 && fabs(rhs[TX_VAR_K] - dot[TX_VAR_K]) > 1e-4);
  assert_true(fabs(rhs[TX_VAR_GAMT0] - dot[TX_VAR_GAMT0]) > 1e-4);
}

static void constraints_and_weyl(void **state) {
  srand(4);
  for (int n = 0; n < 300; n++) {
    double z4c[Z4C_VARS][10], bssn[TX_VARS][10], c[TX_CONSTRAINTS], d[TX_CONSTRAINTS];
    double ours[12], plain[12], E[3][3], B[3][3];
    random_jets(z4c, bssn);
    z4c_constraints((const double(*)[10])z4c, c);
    reference_constraints((const double(*)[10])bssn, d);
    assert_true(difference(TX_CONSTRAINTS, c, d) < 1e-12);
    z4c_weyl((const double(*)[10])z4c, ours, ours + 6);
    reference_weyl((const double(*)[10])bssn, E, B);
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++) {
        plain[sym[i][j]] = E[i][j];
        plain[6 + sym[i][j]] = B[i][j];
      }
    assert_true(difference(12, ours, plain) < 1e-12);
  }
}

static void variables_are_those_of_bssn_and_theta(void **state) {
  for (int v = 0; v < TX_VARS; v++)
    assert_string_equal(z4c_name(v), v == TX_VAR_K ? "Khat" : tx_bssn.variable[v].name);
  assert_string_equal(z4c_name(Z4C_THETA), "Theta");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_hand_sides),
      cmocka_unit_test(own_parameters),
      cmocka_unit_test(a_vacuum_stays_one),
      cmocka_unit_test(constraints_and_weyl),
      cmocka_unit_test(variables_are_those_of_bssn_and_theta),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
