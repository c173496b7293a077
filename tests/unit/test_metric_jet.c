/* Metric, shift and lapse at a point with their rates, tx_system.metric_at: against Kerr's spacetime in coordinates that wobble,
 * against the slow reference of the gauge's equations, and Z4c against BSSN. */
#include <math.h>
#include <string.h>

#include "exact_vacuum.h"
#include "physics/bssn.h"
#include "reference_bssn.h"
#include "support/cmocka.h"
#include "z4c_point.h"

static const double events[][4] = {
    {0.0, 3.1, -2.4, 1.7}, {1.3, -2.2, 2.9, -3.3}, {-0.7, 0.4, 3.6, 2.8}};
enum { EVENTS = sizeof events / sizeof *events };

static const double along[3] = {2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0};

static tx_system_params usual(void) {
  return (tx_system_params){.eta = 2.0,
                            .lambda_f0 = 1.0,
                            .advect_lapse = 1.0,
                            .advect_shift = 1.0,
                            .advect_B = 1.0,
                            .advect_Gt = 1.0,
                            .sigma = 0.4};
}

static void cut_jets(int n_vars, const double (*jets)[10], double (*u)[4]) {
  for (int v = 0; v < n_vars; v++) memcpy(u[v], jets[v], sizeof u[v]);
}

static double slope(const double jet[10]) {
  return along[0] * jet[1] + along[1] * jet[2] + along[2] * jet[3];
}

/* The equations have no coordinates. */
static const double nowhere[3] = {NAN, NAN, NAN};

static void assert_near(double a, double b) {
  if (!(fabs(a - b) < 1e-12)) fail_msg("%.17g is not %.17g", a, b);
}

/* gamma_ij = gt_ij / chi, shift and lapse, and how they change along a direction; the metric's rate is that of the spacetime,
 * whatever the gauge. */
static void metric_changes_as_the_exact_one(void **state) {
  const tx_system_params p = usual();
  for (int n = 0; n < EVENTS; n++) {
    double jets[TX_VARS][10], dot[TX_VARS], u[TX_VARS][4];
    tx_metric_jet found;
    exact_jets(events[n], jets);
    exact_dot(events[n], dot);
    cut_jets(TX_VARS, (const double(*)[10])jets, u);
    tx_bssn.metric_at(&p, nowhere, (const double(*)[4])u, along, &found);
    const double *chi = jets[TX_VAR_CHI];
    for (int c = 0; c < 6; c++) {
      const double *gt = jets[TX_VAR_GT00 + c], gamma = gt[0] / chi[0];
      assert_near(found.value[c], gamma);
      assert_near(found.dn[c], slope(gt) / chi[0] - gamma * slope(chi) / chi[0]);
      assert_near(found.dt[c], dot[TX_VAR_GT00 + c] / chi[0] - gamma * dot[TX_VAR_CHI] / chi[0]);
      assert_true(fabs(found.dt[c]) > 1e-4 && fabs(found.dn[c]) > 1e-4);
    }
    for (int i = 0; i < 3; i++) {
      assert_near(found.value[TX_METRIC_SHIFT + i], jets[TX_VAR_BETA0 + i][0]);
      assert_near(found.dn[TX_METRIC_SHIFT + i], slope(jets[TX_VAR_BETA0 + i]));
    }
    assert_near(found.value[TX_METRIC_LAPSE], jets[TX_VAR_ALPHA][0]);
    assert_near(found.dn[TX_METRIC_LAPSE], slope(jets[TX_VAR_ALPHA]));
  }
}

/* Every gauge that parameters know. */
static void gauge_changes_by_its_own_equations(void **state) {
  enum { CASES = 6 };
  tx_system_params p[CASES];
  for (int i = 0; i < CASES; i++) p[i] = usual();
  p[1].slicing = TX_SLICING_HARMONIC;
  p[2].lapse_pull = 0.6;
  p[3].advect_lapse = p[3].advect_shift = 0.0;
  p[4].lambda_f0 = 0.3, p[4].lambda_f1 = 1.1;
  p[5].shift = TX_SHIFT_ZERO;
  double lapse[CASES], shift[CASES];
  for (int i = 0; i < CASES; i++) {
    double jets[TX_VARS][10], u[TX_VARS][4], still[TX_VARS] = {0.0}, rhs[TX_VARS];
    tx_metric_jet found;
    exact_jets(events[0], jets);
    for (int v = TX_VAR_B0; v <= TX_VAR_B2; v++) jets[v][0] = 0.1 * (v - TX_VAR_B0 + 1);
    cut_jets(TX_VARS, (const double(*)[10])jets, u);
    tx_bssn.metric_at(&p[i], nowhere, (const double(*)[4])u, along, &found);
    reference_rhs(&p[i], (const double(*)[10])jets, still, &events[0][1], rhs);
    assert_near(found.dt[TX_METRIC_LAPSE], rhs[TX_VAR_ALPHA]);
    for (int k = 0; k < 3; k++) assert_near(found.dt[TX_METRIC_SHIFT + k], rhs[TX_VAR_BETA0 + k]);
    lapse[i] = found.dt[TX_METRIC_LAPSE];
    shift[i] = found.dt[TX_METRIC_SHIFT];
  }
  for (int i = 1; i < CASES; i++) /* the cases differ */
    assert_true(fabs(lapse[i] - lapse[0]) > 1e-4 || fabs(shift[i] - shift[0]) > 1e-4);
}

/* Damping of the Hamiltonian constraint goes with the spacing, and is left out as dissipation is. */
static void damping_by_the_grid_is_left_out(void **state) {
  tx_system_params p = usual();
  double jets[TX_VARS][10], u[TX_VARS][4];
  tx_metric_jet without, with;
  exact_jets(events[0], jets);
  cut_jets(TX_VARS, (const double(*)[10])jets, u);
  tx_bssn.metric_at(&p, nowhere, (const double(*)[4])u, along, &without);
  p.cfl = p.own[TX_OWN_HAMILTONIAN_DAMPING] = 1.0;
  tx_bssn.metric_at(&p, nowhere, (const double(*)[4])u, along, &with);
  assert_memory_equal(&without, &with, sizeof with);
}

/* K = Khat + 2 Theta moves the metric, Khat alone the lapse. */
static void z4c_changes_as_bssn_does(void **state) {
  const tx_system *z4c = NULL;
  for (int n = 0; tx_system_numbered(n); n++)
    if (strcmp(tx_system_numbered(n)->name, "z4c") == 0) z4c = tx_system_numbered(n);
  assert_non_null(z4c);
  tx_system_params p = usual();
  p.own[Z4C_KAPPA1] = 0.02;
  double jets[TX_VARS][10], u[TX_VARS][4], z[Z4C_VARS][4] = {{0.0}};
  tx_metric_jet found, by_K, by_Khat;
  exact_jets(events[1], jets);
  cut_jets(TX_VARS, (const double(*)[10])jets, u);
  memcpy(z, u, sizeof u);
  z[Z4C_THETA][0] = 0.03;
  z4c->metric_at(&p, nowhere, (const double(*)[4])z, along, &found);
  tx_bssn.metric_at(&p, nowhere, (const double(*)[4])u, along, &by_Khat);
  u[TX_VAR_K][0] += 2.0 * z[Z4C_THETA][0];
  tx_bssn.metric_at(&p, nowhere, (const double(*)[4])u, along, &by_K);
  for (int c = 0; c < TX_METRIC_PARTS; c++) {
    const tx_metric_jet *expected = c == TX_METRIC_LAPSE ? &by_Khat : &by_K;
    assert_near(found.value[c], expected->value[c]);
    assert_near(found.dn[c], expected->dn[c]);
    assert_near(found.dt[c], expected->dt[c]);
  }
  assert_true(fabs(by_K.dt[0] - by_Khat.dt[0]) > 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(metric_changes_as_the_exact_one),
      cmocka_unit_test(gauge_changes_by_its_own_equations),
      cmocka_unit_test(damping_by_the_grid_is_left_out),
      cmocka_unit_test(z4c_changes_as_bssn_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
