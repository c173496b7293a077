/* Limits of the forms of eta that are known exactly. The right-hand sides with each form are compared
 * with the reference in test_bssn.c. */
#include <math.h>

#include "physics/eta_point.h"
#include "support/cmocka.h"

static const tx_system_params metric = {
    .eta_form = TX_ETA_METRIC, .eta_R0 = 1.31, .eta_a = 1.0, .eta_b = 2.0, .eta_max = 1e9};
static const double flat[6] = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0};

static double relative(double a, double b) {
  return fabs(a / b - 1.0);
}

/* eta of a spherical W(r) in a flat conformal metric, at a point off the axes. */
static double metric_of(const tx_system_params *p, double W, double dW) {
  const double n[3] = {2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0}, x[3] = {0.0, 0.0, 0.0};
  double dchi[3];
  for (int i = 0; i < 3; i++) dchi[i] = 2.0 * W * dW * n[i];
  return tx_eta_point(p, x, flat, W * W, dchi);
}

static void decay_is_the_exponential(void **state) {
  assert_true(tx_eta_decay(0.0) == 1.0);
  assert_true(tx_eta_decay(64.0) == 0.0 && tx_eta_decay(1e300) == 0.0);
  for (double t = 1e-9; t < 64.0; t *= 1.07)
    assert_true(relative(tx_eta_decay(t), exp(-t)) < 1e-13);
}

static void radial_goes_from_the_centre_to_infinity(void **state) {
  const tx_system_params p = {
      .eta_form = TX_ETA_RADIAL, .eta = 2.0, .eta_far = 0.25, .eta_radius = 40.0};
  const double dchi[3] = {0.0};
#define RADIAL(...) tx_eta_point(&p, (const double[3]){__VA_ARGS__}, flat, 1.0, dchi)
  assert_true(RADIAL(0.0, 0.0, 0.0) == 2.0);
  assert_true(RADIAL(0.0, 400.0, 0.0) == 0.25);
  assert_true(RADIAL(1e150, 0.0, 0.0) == 0.25);
  const double at_radius = 0.25 + 1.75 * exp(-1.0);
  assert_true(relative(RADIAL(-40.0, 0.0, 0.0), at_radius) < 1e-13);
  assert_true(relative(RADIAL(80.0 / 7.0, -120.0 / 7.0, 240.0 / 7.0), at_radius) < 1e-13);
#undef RADIAL
}

/* On the initial slice W = (1 + y)^-2, y = m/(2 r): eta = (4 R0/m)(1 + y)/(2 + y)^2 with the usual powers,
 * R0/m far away. */
static void metric_of_a_hole_is_known(void **state) {
  for (double m = 0.1; m < 2.0; m *= 3.0)
    for (double r = 0.01 * m; r < 900.0 * m; r *= 1.3) {
      const double y = 0.5 * m / r, W = pow(1.0 + y, -2.0), dW = 2.0 * y / r * pow(1.0 + y, -3.0);
      const double expected = 4.0 * 1.31 / m * (1.0 + y) / ((2.0 + y) * (2.0 + y));
      assert_true(relative(metric_of(&metric, W, dW), expected) < 1e-12);
      tx_system_params p = metric;
      p.eta_a = 2.0;
      assert_true(relative(metric_of(&p, W, dW), expected / ((1.0 + W) * (1.0 + W))) < 1e-12);
      p.eta_a = 1.0, p.eta_b = 1.0;
      assert_true(relative(metric_of(&p, W, dW), expected * (1.0 - W)) < 1e-12);
      p.eta_max = 0.5 * expected * (1.0 - W);
      assert_true(metric_of(&p, W, dW) == p.eta_max);
    }
}

/* On the stationary slice W = r/R near the puncture, R = 1.31 m: eta = 1/m for R0 = 1.31, whatever the
 * distance. */
static void metric_at_a_puncture_is_one_over_its_mass(void **state) {
  for (double m = 0.1; m < 2.0; m *= 3.0) {
    const double r = 1e-6 * m;
    assert_true(relative(metric_of(&metric, r / (1.31 * m), 1.0 / (1.31 * m)), 1.0 / m) < 2e-6);
  }
}

static void metric_is_finite_where_it_has_no_scale(void **state) {
  assert_true(metric_of(&metric, 1.0, 0.0) == 0.0); /* flat space */
  /* Waves on it: W passes through 1, and 1 - W is taken as 1/1000. */
  assert_true(relative(metric_of(&metric, 1.0, 1e-7), 1.31e-7 * 1e6) < 1e-12);
  assert_true(relative(metric_of(&metric, 1.0 + 1e-9, 1e-7), 1.31e-7 * 1e6) < 1e-8);
  assert_true(metric_of(&metric, 1e-150, 0.0) == 0.0); /* a floor */
  tx_system_params p = metric;
  p.eta_a = 2.0; /* 1 - W^2 is 2 (1 - W) there */
  assert_true(relative(metric_of(&p, 1.0, 1e-7), 1.31e-7 * 0.25e6) < 1e-12);
  p.eta_max = 30.0;
  assert_true(metric_of(&p, 1.0, 1.0) == 30.0);
}

/* gt^ij measures the slope: it is det gt = 1's inverse metric, not the unit matrix. */
static void metric_measures_by_the_conformal_metric(void **state) {
  const double gt[6] = {4.0, 0.0, 0.0, 0.5, 0.0, 0.5}, x[3] = {0.0, 0.0, 0.0};
  const double along[3] = {0.2, 0.0, 0.0}, across[3] = {0.0, 0.2, 0.0};
  const double unit = tx_eta_point(&metric, x, flat, 0.25, along);
  assert_true(relative(tx_eta_point(&metric, x, gt, 0.25, along), unit / 2.0) < 1e-14);
  assert_true(relative(tx_eta_point(&metric, x, gt, 0.25, across), unit * sqrt(2.0)) < 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decay_is_the_exponential),
      cmocka_unit_test(radial_goes_from_the_centre_to_infinity),
      cmocka_unit_test(metric_of_a_hole_is_known),
      cmocka_unit_test(metric_at_a_puncture_is_one_over_its_mass),
      cmocka_unit_test(metric_is_finite_where_it_has_no_scale),
      cmocka_unit_test(metric_measures_by_the_conformal_metric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
