/* Modes of functions on the sphere. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "gw_extraction/gw.h"
#include "gw_extraction/harmonics.h"
#include "support/cmocka.h"

enum { L_HIGHEST = 65 };

static const double radius = 5.0;

static tx_domain domain_of(int reflect) {
  tx_domain domain = {.extent = 10.0};
  for (int d = 0; d < 3; d++) domain.low[d] = reflect >> d & 1 ? TX_FACE_REFLECT : TX_FACE_OUTER;
  return domain;
}

static tx_gw *gw_of(int reflect, int l_max, int degree) {
  tx_domain domain = domain_of(reflect);
  tx_gw *gw;
  assert_int_equal(tx_gw_create(&domain, 1, &radius, l_max, degree, &gw), TX_OK);
  return gw;
}

/* The function _{-2}Y_lm gives 1 in its own mode and 0 in all others. */
static void check_pure(tx_gw *gw, int l, int m) {
  const tx_gw_info *info = tx_gw_describe(gw);
  double(*value)[2], (*modes)[2];
  assert_int_equal(tx_alloc((size_t)info->n_points, sizeof *value, "test", &value), TX_OK);
  assert_int_equal(tx_alloc((size_t)info->n_modes, sizeof *modes, "test", &modes), TX_OK);
  tx_harmonics *h;
  assert_int_equal(tx_harmonics_create(-2, l, &h), TX_OK);
  for (int p = 0; p < info->n_points; p++) {
    const double *x = tx_gw_points(gw)[p];
    double y[L_HIGHEST + 1], phi = atan2(x[1], x[0]);
    tx_harmonics_theta(h, m, x[2], hypot(x[0], x[1]), y);
    value[p][0] = y[l - tx_harmonics_lowest(h, m)] * cos(m * phi);
    value[p][1] = y[l - tx_harmonics_lowest(h, m)] * sin(m * phi);
  }
  tx_harmonics_destroy(h);
  tx_gw_project(gw, 1, (const double(*)[2])value, modes);
  modes[tx_gw_index(l, m)][0] -= 1.0;
  for (int i = 0; i < info->n_modes; i++) assert_true(hypot(modes[i][0], modes[i][1]) < 1e-12);
  tx_free(value);
  tx_free(modes);
}

static void test_pure_low(void **state) {
  tx_gw *gw = gw_of(0, 8, 0);
  for (int i = 0; i < tx_gw_describe(gw)->n_modes; i++) {
    int l, m;
    tx_gw_mode(i, &l, &m);
    assert_int_equal(tx_gw_index(l, m), i);
    assert_true(l >= 2 && l <= 8 && m >= -l && m <= l);
    check_pure(gw, l, m);
  }
  tx_gw_destroy(gw);
}

static void test_pure_high(void **state) {
  tx_gw *gw = gw_of(0, 60, 0);
  check_pure(gw, 2, -2);
  check_pure(gw, 37, 20);
  check_pure(gw, 60, 59);
  tx_gw_destroy(gw);
  gw = gw_of(0, L_HIGHEST, 0);
  assert_int_equal(tx_gw_describe(gw)->degree, 131);
  check_pure(gw, L_HIGHEST, -L_HIGHEST);
  tx_gw_destroy(gw);
}

/* The least degree that is accepted keeps modes apart; the default also keeps out those 8 above. */
static void test_degree(void **state) {
  tx_domain domain = domain_of(0);
  tx_gw *gw;
  assert_int_equal(tx_gw_create(&domain, 1, &radius, 8, 15, &gw), TX_ERR_PARAM);
  tx_error_clear();
  gw = gw_of(0, 8, 16);
  assert_int_equal(tx_gw_describe(gw)->degree, 17);
  check_pure(gw, 8, -3);
  tx_gw_destroy(gw);
  gw = gw_of(0, 4, 0);
  assert_int_equal(tx_gw_describe(gw)->degree, 17);
  tx_gw_destroy(gw);
}

static void test_refused(void **state) {
  tx_domain domain = domain_of(0);
  tx_gw *gw;
  const double outside = 10.0;
  assert_int_equal(tx_gw_create(&domain, 1, &outside, 4, 0, &gw), TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "radius 10"));
  assert_int_equal(tx_gw_create(&domain, 1, &radius, 1, 0, &gw), TX_ERR_PARAM);
  assert_int_equal(tx_gw_create(&domain, 1, &radius, 66, 0, &gw), TX_ERR_PARAM);
  assert_int_equal(tx_gw_create(&domain, 1, &radius, 4, 133, &gw), TX_ERR_PARAM);
  tx_error_clear();
}

/* Of each set of mirror images one is sampled. */
static void test_points_used(void **state) {
  for (int reflect = 0; reflect < 8; reflect++) {
    tx_gw *gw = gw_of(reflect, 8, 0);
    int expect = 0;
    for (int p = 0; p < tx_gw_describe(gw)->n_points; p++) {
      int kept = 1;
      for (int d = 0; d < 3; d++) kept &= !(reflect >> d & 1 && tx_gw_points(gw)[p][d] < 0.0);
      expect += kept;
    }
    assert_int_equal(tx_gw_describe(gw)->n_used, expect);
    tx_gw_destroy(gw);
  }
}

/* Arbitrary values, conjugate at mirror images in the reflected dimensions. */
static void fill_mirrored(const tx_gw *gw, int reflect, double (*value)[2]) {
  const double(*x)[3] = tx_gw_points(gw);
  for (int p = 0; p < tx_gw_describe(gw)->n_points; p++) {
    double y[3], sign = 1.0;
    int on_plane = 0;
    for (int d = 0; d < 3; d++) {
      int reflects = reflect >> d & 1;
      y[d] = reflects ? fabs(x[p][d]) : x[p][d];
      if (reflects && x[p][d] < 0.0) sign = -sign;
      on_plane |= reflects && x[p][d] == 0.0;
    }
    value[p][0] = sin(3.0 * y[0] + 1.0) + cos(5.0 * y[1] - 7.0 * y[2]);
    value[p][1] = on_plane ? 0.0 : sign * (cos(4.0 * y[0] - 2.0) + sin(6.0 * y[1] + 3.0 * y[2]));
  }
}

static void test_reflections_exact(void **state) {
  tx_gw *gw = gw_of(0, 12, 0);
  const tx_gw_info *info = tx_gw_describe(gw);
  double(*value)[2], (*modes)[2];
  assert_int_equal(tx_alloc((size_t)info->n_points, sizeof *value, "test", &value), TX_OK);
  assert_int_equal(tx_alloc((size_t)info->n_modes, sizeof *modes, "test", &modes), TX_OK);
  for (int reflect = 1; reflect < 8; reflect++) {
    fill_mirrored(gw, reflect, value);
    tx_gw_project(gw, 1, (const double(*)[2])value, modes);
    for (int i = 0; i < info->n_modes; i++) {
      int l, m;
      tx_gw_mode(i, &l, &m);
      const double *a = modes[i], *b = modes[tx_gw_index(l, -m)];
      double l_sign = l & 1 ? -1.0 : 1.0, m_sign = m & 1 ? -1.0 : 1.0;
      if (reflect & 1) assert_true(a[0] == m_sign * a[0] && a[1] == -m_sign * a[1]);
      if (reflect & 2) assert_true(a[1] == 0.0);
      if (reflect & 4) assert_true(a[0] == l_sign * b[0] && a[1] == -l_sign * b[1]);
    }
    assert_true(hypot(modes[0][0], modes[0][1]) > 1e-3);
  }
  tx_free(value);
  tx_free(modes);
  tx_gw_destroy(gw);
}

static void test_threads(void **state) {
  tx_gw *gw = gw_of(0, 12, 0);
  const tx_gw_info *info = tx_gw_describe(gw);
  size_t n = (size_t)info->n_points, n_modes = (size_t)info->n_modes;
  double(*value)[2], (*one)[2], (*many)[2];
  assert_int_equal(tx_alloc(2 * n, sizeof *value, "test", &value), TX_OK);
  assert_int_equal(tx_alloc(2 * n_modes, sizeof *one, "test", &one), TX_OK);
  assert_int_equal(tx_alloc(2 * n_modes, sizeof *many, "test", &many), TX_OK);
  fill_mirrored(gw, 0, value);
  fill_mirrored(gw, 5, value + n);
  omp_set_num_threads(1);
  tx_gw_project(gw, 1, (const double(*)[2])value, one);
  tx_gw_project(gw, 1, (const double(*)[2])value + n, one + n_modes);
  omp_set_num_threads(4);
  tx_gw_project(gw, 2, (const double(*)[2])value, many);
  assert_memory_equal(one, many, 2 * n_modes * sizeof *one);
  tx_free(value);
  tx_free(one);
  tx_free(many);
  tx_gw_destroy(gw);
  assert_int_equal(tx_memory_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pure_low),    cmocka_unit_test(test_pure_high),
      cmocka_unit_test(test_degree),      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_points_used), cmocka_unit_test(test_reflections_exact),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
