/* Spin-weighted harmonics: the Goldberg sum, closed forms, orthonormality and symmetries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/complex.h"
#include "base/memory.h"
#include "gw_extraction/harmonics.h"
#include "gw_extraction/lebedev.h"
#include "support/cmocka.h"
#include "tests/support/harmonic.h"

static double complex harmonic(int s, int l, int m, double theta, double phi) {
  const double n[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
  double y[2];
  tx_test_harmonic(s, l, m, n, y);
  return CMPLX(y[0], y[1]);
}

static long double factorial(int n) {
  return tgammal((long double)n + 1.0L);
}

/* arXiv:0709.0093 eq. II.7 and II.8, term by term. */
static double complex goldberg_sum(int s, int l, int m, double theta, double phi) {
  int k = -s;
  long double c = cosl(0.5L * theta), sn = sinl(0.5L * theta), d = 0.0L;
  long double root =
      sqrtl(factorial(l + m) * factorial(l - m) * factorial(l + k) * factorial(l - k));
  for (int t = m > k ? m - k : 0; t <= l + m && t <= l - k; t++)
    d += (t & 1 ? -1.0L : 1.0L) * root * powl(c, 2 * l + m - k - 2 * t) * powl(sn, 2 * t + k - m) /
         (factorial(l + m - t) * factorial(l - k - t) * factorial(t) * factorial(t + k - m));
  double value = (double)(d * sqrtl((long double)(2 * l + 1) / (4.0L * acosl(-1.0L))));
  return (s & 1 ? -value : value) * cexp(CMPLX(0.0, m * phi));
}

static void test_sum(void **state) {
  const double theta[] = {0.0, 0.03, 0.7, M_PI / 2, 2.2, 3.1, M_PI};
  for (int s = -3; s <= 3; s++)
    for (int l = abs(s); l <= 14; l++)
      for (int m = -l; m <= l; m++)
        for (int i = 0; i < 7; i++) {
          double phi = i == 0 || i == 6 ? 0.0 : 0.4 * i - 0.9;
          double error =
              cabs(harmonic(s, l, m, theta[i], phi) - goldberg_sum(s, l, m, theta[i], phi));
          assert_true(error < 2e-13);
        }
}

static void test_closed_forms(void **state) {
  for (int i = 0; i <= 10; i++) {
    double theta = 0.1 + 0.28 * i, phi = 0.6 * i - 2.8, c = cos(theta), s = sin(theta);
    double complex e = cexp(CMPLX(0.0, phi));
    const double complex expect[5] = {
        sqrt(5 / (64 * M_PI)) * (1 - c) * (1 - c) / (e * e),
        sqrt(5 / (16 * M_PI)) * s * (1 - c) / e, sqrt(15 / (32 * M_PI)) * s * s,
        sqrt(5 / (16 * M_PI)) * s * (1 + c) * e, sqrt(5 / (64 * M_PI)) * (1 + c) * (1 + c) * e * e};
    for (int m = -2; m <= 2; m++)
      assert_true(cabs(harmonic(-2, 2, m, theta, phi) - expect[m + 2]) < 1e-14);
    assert_true(cabs(harmonic(0, 1, 1, theta, phi) + sqrt(3 / (8 * M_PI)) * s * e) < 1e-14);
    assert_true(cabs(harmonic(0, 1, 0, theta, phi) - sqrt(3 / (4 * M_PI)) * c) < 1e-14);
  }
}

/* All products of harmonics up to l_max, whatever their m. */
static void test_orthonormal_low(void **state) {
  enum { L_MAX = 9, MODES = (L_MAX + 1) * (L_MAX + 1) };
  for (int s = -2; s <= 1; s++) {
    tx_lebedev rule;
    assert_int_equal(tx_lebedev_create(2 * L_MAX, &rule), TX_OK);
    double complex(*y)[MODES];
    assert_int_equal(tx_alloc((size_t)rule.n, sizeof *y, "test", &y), TX_OK);
    for (int p = 0; p < rule.n; p++)
      for (int l = abs(s); l <= L_MAX; l++)
        for (int m = -l; m <= l; m++) {
          double v[2];
          tx_test_harmonic(s, l, m, rule.x[p], v);
          y[p][l * l + l + m] = CMPLX(v[0], v[1]);
        }
    for (int a = s * s; a < MODES; a++)
      for (int b = s * s; b < MODES; b++) {
        double complex sum = a == b ? -1.0 : 0.0;
        for (int p = 0; p < rule.n; p++) sum += rule.w[p] * y[p][a] * conj(y[p][b]);
        assert_true(cabs(sum) < 1e-12);
      }
    tx_free(y);
    tx_lebedev_destroy(&rule);
  }
}

static void test_orthonormal_high(void **state) {
  enum { L_MAX = 60 };
  const int ms[] = {-60, -31, -2, 0, 1, 2, 17, 59};
  tx_lebedev rule;
  tx_harmonics *h;
  assert_int_equal(tx_lebedev_create(2 * L_MAX, &rule), TX_OK);
  assert_int_equal(tx_harmonics_create(-2, L_MAX, &h), TX_OK);
  for (int i = 0; i < 8; i++) {
    int n = L_MAX + 1 - tx_harmonics_lowest(h, ms[i]);
    double sum[L_MAX + 1][L_MAX + 1] = {{0.0}}, y[L_MAX + 1];
    for (int p = 0; p < rule.n; p++) {
      tx_harmonics_theta(h, ms[i], rule.x[p][2], hypot(rule.x[p][0], rule.x[p][1]), y);
      for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) sum[a][b] += rule.w[p] * y[a] * y[b];
    }
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) assert_true(fabs(sum[a][b] - (a == b ? 1.0 : 0.0)) < 1e-12);
  }
  tx_harmonics_destroy(h);
  tx_lebedev_destroy(&rule);
}

/* sum_m |_sY_lm|^2 = (2 l + 1)/(4 pi) in every direction, also close to the axis. */
static void test_addition_theorem(void **state) {
  const double theta[] = {0.0, 1e-7, 1e-3, 0.4, M_PI / 2, 3.0, 3.141, M_PI};
  for (int i = 0; i < 8; i++)
    for (int l = 2; l <= 60; l += 29) {
      tx_harmonics *h;
      assert_int_equal(tx_harmonics_create(-2, l, &h), TX_OK);
      double sum = 0.0, y[61];
      for (int m = -l; m <= l; m++) {
        tx_harmonics_theta(h, m, cos(theta[i]), sin(theta[i]), y);
        double v = y[l - tx_harmonics_lowest(h, m)];
        sum += v * v;
      }
      assert_true(fabs(sum * 4.0 * M_PI / (2 * l + 1) - 1.0) < 1e-12);
      tx_harmonics_destroy(h);
    }
}

static void test_symmetries(void **state) {
  for (int s = -2; s <= 2; s++)
    for (int l = abs(s); l <= 8; l++)
      for (int m = -l; m <= l; m++) {
        double theta = 0.3 + 0.3 * l, phi = 0.7 * m - 0.2;
        double complex y = harmonic(s, l, m, theta, phi);
        double complex other = harmonic(-s, l, -m, theta, phi), antipode;
        assert_true(cabs(conj(y) - ((s + m) & 1 ? -other : other)) < 1e-13);
        antipode = harmonic(s, l, m, M_PI - theta, phi + M_PI);
        other = harmonic(-s, l, m, theta, phi);
        assert_true(cabs(antipode - (l & 1 ? -other : other)) < 1e-13);
      }
  tx_harmonics *h;
  assert_int_equal(tx_harmonics_create(-2, 20, &h), TX_OK);
  for (int m = -20; m <= 20; m++) {
    double above[21], below[21];
    tx_harmonics_theta(h, m, 0.6, 0.8, above);
    tx_harmonics_theta(h, -m, -0.6, 0.8, below);
    for (int i = 0; i <= 20 - tx_harmonics_lowest(h, m); i++)
      assert_true(fabs(above[i]) == fabs(below[i]) && above[i] != 0.0);
  }
  tx_harmonics_destroy(h);
}

static void test_impossible(void **state) {
  tx_harmonics *h;
  assert_int_equal(tx_harmonics_create(-2, 201, &h), TX_ERR_PARAM);
  assert_null(h);
  tx_error_clear();
  assert_int_equal(tx_memory_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sum),
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_orthonormal_low),
      cmocka_unit_test(test_orthonormal_high),
      cmocka_unit_test(test_addition_theorem),
      cmocka_unit_test(test_symmetries),
      cmocka_unit_test(test_impossible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
