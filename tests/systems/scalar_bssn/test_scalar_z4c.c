/* The same matter with Z4c as with BSSN, from the parts of two packages: what it adds to the equations is the same, Khat standing in
 * the place of K, and to that of Theta it adds alpha/2 of what it adds to the Hamiltonian constraint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/bssn.h"
#include "support/cmocka.h"
#include "systems/scalar_bssn/scalar_bssn_point.h"
#include "systems/scalar_bssn/scalar_z4c_point.h"

static double noise(void) {
  return 2.0 * rand() / RAND_MAX - 1.0;
}

/* Jets of Z4c with matter; of BSSN with the same metric, curvature and matter. */
static void random_jets(double z4c[SCALAR_Z4C_VARS][10], double bssn[SCALAR_VARS][10]) {
  for (int v = 0; v < SCALAR_Z4C_VARS; v++) {
    const bool one = v == TX_VAR_CHI || v == TX_VAR_ALPHA;
    const double far = v < TX_VARS ? tx_bssn.variable[v].infinity : 0.0;
    z4c[v][0] = one ? 0.5 + 0.4 * noise() : far + 0.3 * noise();
    for (int n = 1; n < 10; n++) z4c[v][n] = noise();
  }
  memcpy(bssn, z4c, TX_VARS * sizeof *bssn);
  memcpy(bssn[SCALAR_PHI], z4c[SCALAR_Z4C_PHI], 2 * sizeof *bssn);
  for (int n = 0; n < 10; n++) bssn[TX_VAR_K][n] += 2.0 * z4c[SCALAR_Z4C_THETA][n];
}

/* What matter adds: what is less without it. */
static void added_to_z4c(const tx_system_params *p, double z4c[SCALAR_Z4C_VARS][10],
                         double rhs[SCALAR_Z4C_VARS], double constraints[TX_CONSTRAINTS]) {
  double kept[2][10], vacuum[SCALAR_Z4C_VARS], none[TX_CONSTRAINTS];
  scalar_z4c_rhs(p, (const double(*)[10])z4c, rhs);
  scalar_z4c_constraints(p, (const double(*)[10])z4c, constraints);
  memcpy(kept, z4c[SCALAR_Z4C_PHI], sizeof kept);
  memset(z4c[SCALAR_Z4C_PHI], 0, sizeof kept);
  scalar_z4c_rhs(p, (const double(*)[10])z4c, vacuum);
  scalar_z4c_constraints(p, (const double(*)[10])z4c, none);
  memcpy(z4c[SCALAR_Z4C_PHI], kept, sizeof kept);
  for (int v = 0; v < SCALAR_Z4C_VARS; v++) rhs[v] -= vacuum[v];
  for (int c = 0; c < TX_CONSTRAINTS; c++) constraints[c] -= none[c];
}

static void added_to_bssn(const tx_system_params *p, double bssn[SCALAR_VARS][10],
                          double rhs[SCALAR_VARS], double constraints[TX_CONSTRAINTS]) {
  double kept[2][10], vacuum[SCALAR_VARS], with[SCALAR_QUANTITIES], none[SCALAR_QUANTITIES];
  const double x[3] = {0.0};
  scalar_rhs(p, (const double(*)[10])bssn, x, rhs);
  scalar_constraints(p, (const double(*)[10])bssn, with);
  memcpy(kept, bssn[SCALAR_PHI], sizeof kept);
  memset(bssn[SCALAR_PHI], 0, sizeof kept);
  scalar_rhs(p, (const double(*)[10])bssn, x, vacuum);
  scalar_constraints(p, (const double(*)[10])bssn, none);
  memcpy(bssn[SCALAR_PHI], kept, sizeof kept);
  for (int v = 0; v < SCALAR_VARS; v++) rhs[v] -= vacuum[v];
  for (int c = 0; c < TX_CONSTRAINTS; c++) constraints[c] = with[c] - none[c];
}

static void same(double a, double b) {
  if (!(fabs(a - b) < 1e-9 * (1.0 + fabs(b)))) fail_msg("%.15g is not %.15g", a, b);
}

static void matter_is_the_same(void **state) {
  srand(9);
  for (int n = 0; n < 200; n++) {
    tx_system_params p = {.eta = 1.7,
                          .lambda_f0 = 0.8,
                          .advect_lapse = 1.0,
                          .advect_shift = 1.0,
                          .advect_B = 1.0,
                          .own = {[0] = 0.3, [1] = 0.2}};
    tx_system_params q = p;
    p.own[SCALAR_Z4C_MASS] = q.own[SCALAR_MASS] = 0.6 * (n % 3);
    p.own[SCALAR_Z4C_MASS + 1] = q.own[SCALAR_SELF_INTERACTION] = n % 5 - 2.0;
    q.own[SCALAR_DAMPING] = 0.0;
    double z4c[SCALAR_Z4C_VARS][10], bssn[SCALAR_VARS][10], a[SCALAR_Z4C_VARS], b[SCALAR_VARS],
        c[TX_CONSTRAINTS], d[TX_CONSTRAINTS];
    random_jets(z4c, bssn);
    added_to_z4c(&p, z4c, a, c);
    added_to_bssn(&q, bssn, b, d);
    for (int v = 0; v < TX_VARS; v++) same(a[v], b[v]);
    for (int v = 0; v < 2; v++) same(a[SCALAR_Z4C_PHI + v], b[SCALAR_PHI + v]);
    for (int k = 0; k < TX_CONSTRAINTS; k++) same(c[k], d[k]);
    same(a[SCALAR_Z4C_THETA], 0.5 * z4c[TX_VAR_ALPHA][0] * c[TX_CONSTRAINT_H]);
    assert_true(fabs(a[SCALAR_Z4C_THETA]) > 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(matter_is_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
