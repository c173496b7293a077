/* Lebedev rules: exact to their degree, not beyond it, and symmetric under reflections. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw_extraction/lebedev.h"
#include "support/cmocka.h"

enum { DEGREE_MAX = 132, LANES = 8 };

/* Add the integrals over LANES points of Y_lm for l = m .. l_max: Legendre recurrence in l. */
static void add_points(int m, int l_max, const double *up, const double *down, const double *z,
                       const double *first, const double *c, const double *s,
                       double (*sum)[2][LANES]) {
  double now[LANES], before[LANES] = {0.0};
  for (int i = 0; i < LANES; i++) now[i] = first[i];
  for (int l = m; l <= l_max; l++)
    for (int i = 0; i < LANES; i++) {
      sum[l][0][i] += c[i] * now[i];
      sum[l][1][i] += s[i] * now[i];
      double next = up[l] * z[i] * now[i] - down[l] * before[i];
      before[i] = now[i];
      now[i] = next;
    }
}

/* Largest error of the integrals of the orthonormal Y_lm with l_from <= l <= l_to at one m: exact
 * values are sqrt(4 pi) for l = 0 and 0 otherwise. */
static double largest_error(const tx_lebedev *rule, int m, int l_from, int l_to) {
  double sum[DEGREE_MAX + 1][2][LANES] = {{{0.0}}}, up[DEGREE_MAX + 1], down[DEGREE_MAX + 1];
  for (int l = m; l <= l_to; l++) {
    double scale = (2.0 * l + 3.0) / ((l + 1.0) * (l + 1.0) - (double)m * m);
    up[l] = sqrt(scale * (2.0 * l + 1.0));
    down[l] = l > m ? sqrt(scale * ((double)l * l - (double)m * m) / (2.0 * l - 1.0)) : 0.0;
  }
  double norm = sqrt(1.0 / (4.0 * M_PI));
  for (int k = 1; k <= m; k++) norm *= sqrt((2.0 * k + 1.0) / (2.0 * k));
  for (int begin = 0; begin < rule->n; begin += LANES) {
    double z[LANES] = {0.0}, first[LANES] = {0.0}, c[LANES] = {0.0}, s[LANES] = {0.0};
    for (int i = 0; i < LANES && begin + i < rule->n; i++) {
      const double *x = rule->x[begin + i];
      double phi = atan2(x[1], x[0]);
      z[i] = x[2];
      first[i] = norm * pow(hypot(x[0], x[1]), m);
      c[i] = rule->w[begin + i] * cos(m * phi);
      s[i] = rule->w[begin + i] * sin(m * phi);
    }
    add_points(m, l_to, up, down, z, first, c, s, sum);
  }
  double largest = 0.0;
  for (int l = l_from > m ? l_from : m; l <= l_to; l++) {
    double re = l == 0 ? -sqrt(4.0 * M_PI) : 0.0, im = 0.0;
    for (int i = 0; i < LANES; i++) {
      re += sum[l][0][i];
      im += sum[l][1][i];
    }
    largest = fmax(largest, hypot(re, im));
  }
  return largest;
}

static void test_exact_to_degree(void **state) {
  assert_int_equal(tx_lebedev_rules(), 32);
  for (int which = 0; which < tx_lebedev_rules(); which++) {
    tx_lebedev rule;
    int degree = tx_lebedev_degree(which);
    assert_int_equal(tx_lebedev_create(degree, &rule), TX_OK);
    assert_int_equal(rule.degree, degree);
    double error = 0.0;
    for (int m = 0; m <= degree; m++) error = fmax(error, largest_error(&rule, m, 0, degree));
    print_message("degree %3d: %4d points, error %.1e\n", degree, rule.n, error);
    assert_true(error < 1e-13);
    tx_lebedev_destroy(&rule);
  }
}

/* The next degree is even (odd ones vanish by symmetry): the rule must miss one of its Y_lm, which by
 * symmetry again can only have m = 0, 4, 8, ... */
static void test_fails_beyond_degree(void **state) {
  for (int which = 0; which < tx_lebedev_rules(); which++) {
    tx_lebedev rule;
    int degree = tx_lebedev_degree(which);
    assert_int_equal(tx_lebedev_create(degree, &rule), TX_OK);
    double error = 0.0;
    for (int m = 0; m <= degree + 1; m += 4)
      error = fmax(error, largest_error(&rule, m, degree + 1, degree + 1));
    print_message("degree %3d: error one beyond %.1e\n", degree, error);
    assert_true(error > 1.0);
    tx_lebedev_destroy(&rule);
  }
}

static void test_points(void **state) {
  for (int which = 0; which < tx_lebedev_rules(); which++) {
    tx_lebedev rule;
    assert_int_equal(tx_lebedev_create(tx_lebedev_degree(which), &rule), TX_OK);
    for (int g = 0; g < rule.n_groups; g++) {
      const double *x = rule.x[rule.group[g]];
      int images = (x[0] == 0.0 ? 1 : 2) * (x[1] == 0.0 ? 1 : 2) * (x[2] == 0.0 ? 1 : 2);
      assert_int_equal(rule.group[g + 1] - rule.group[g], images);
      assert_true(x[0] >= 0.0 && x[1] >= 0.0 && x[2] >= 0.0);
      int last = -1;
      for (int p = rule.group[g]; p < rule.group[g + 1]; p++) {
        const double *y = rule.x[p];
        for (int d = 0; d < 3; d++) assert_true(fabs(y[d]) == x[d]);
        int signs = (y[0] < 0.0) + 2 * (y[1] < 0.0) + 4 * (y[2] < 0.0);
        assert_true(signs > last);
        last = signs;
        assert_true(rule.w[p] == rule.w[rule.group[g]]);
        assert_true(fabs(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1.0) < 1e-15);
      }
    }
    assert_int_equal(rule.group[rule.n_groups], rule.n);
    tx_lebedev_destroy(&rule);
  }
  assert_int_equal(tx_memory_blocks(), 0);
}

static void test_choice(void **state) {
  tx_lebedev rule;
  assert_int_equal(tx_lebedev_create(32, &rule), TX_OK);
  assert_int_equal(rule.degree, 35);
  assert_int_equal(rule.n, 434);
  tx_lebedev_destroy(&rule);
  assert_int_equal(tx_lebedev_create(131, &rule), TX_OK);
  assert_int_equal(rule.n, 5810);
  tx_lebedev_destroy(&rule);
  assert_int_equal(tx_lebedev_create(132, &rule), TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "132"));
  tx_error_clear();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_to_degree),
      cmocka_unit_test(test_fails_beyond_degree),
      cmocka_unit_test(test_points),
      cmocka_unit_test(test_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
