/* Spins of horizons by approximate Killing vectors, in metrics known in closed form. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "support/horizon_metrics.h"
#include "support/main.h"

static const double ORIGIN[3] = {0.0, 0.0, 0.0};

static tx_horizon search(int l_max, int reflect, metric_function metric, const void *data,
                         double r) {
  tx_domain domain = {.extent = 50.0};
  for (int d = 0; d < 3; d++) domain.low[d] = reflect >> d & 1 ? TX_FACE_REFLECT : TX_FACE_OUTER;
  tx_horizon_finder *f;
  assert_int_equal(tx_horizon_finder_create(&domain, l_max, &f), TX_OK);
  metric_jets jets = {metric, data, 0.02, 0};
  tx_metric_source from = metric_source(&jets);
  tx_surface guess;
  tx_horizon out;
  tx_surface_sphere(l_max, ORIGIN, r, &guess);
  assert_int_equal(tx_search(f, &from, &guess, 0, NULL, &out), TX_OK);
  tx_horizon_finder_destroy(f);
  return out;
}

static void near(const char *what, double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s: %.15g differs from %.15g by %.2e, more than %.2e", what, value, expected,
             value - expected, tolerance);
}

/* A map of coordinates. */
typedef struct map {
  const char *name;
  double map[3][3], wave[3];
} map;
static const map MAPS[] = {
    {"squashed along x", {{1.3, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0}},
    {"sheared", {{1.0, 0.25, 0.1}, {0.0, 1.0, 0.3}, {0.0, 0.0, 0.9}}, {0.0}},
    {"curled", {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.3, -0.25, 0.1}},
};
enum { N_MAPS = sizeof MAPS / sizeof MAPS[0] };

static tx_horizon search_mapped(int l_max, const map *m, const metric_kerr *kerr) {
  metric_mapped mapped = {.metric = metric_of_kerr, .data = kerr};
  memcpy(mapped.map, m->map, sizeof mapped.map);
  memcpy(mapped.wave, m->wave, sizeof mapped.wave);
  return search(l_max, 0, metric_of_mapped, &mapped, 1.6);
}

/* Kerr's spin is a, whatever the coordinates of its slice; coordinate rotations are off by percents. A linear map
 * takes the axis of rotation along. */
static void test_distorted(void **state) {
  const metric_kerr kerr = {{0.3, -0.2, 0.5}, {0.1, 0.0, -0.2}, {0.0}};
  for (int k = 0; k < N_MAPS; k++) {
    const map *m = &MAPS[k];
    tx_horizon h = search_mapped(10, m, &kerr);
    assert_true(h.found && !h.by_rotation);
    double a = tx_vec3_norm(kerr.a), turned[3], off = tx_vec3_norm(h.spin_coordinate) / a - 1.0;
    print_message("%s: J off by %.1e, by rotations by %.1e; shear %.1e, next %.2f; Theta %.1e\n",
                  m->name, tx_vec3_norm(h.spin) - a, off, h.shear[0], h.shear[1], h.residual);
    near(m->name, tx_vec3_norm(h.spin), a, 1e-6);
    near("mass", h.mass, 1.0, 3e-6);
    near("chi", h.chi, a, 2e-6);
    assert_true(fabs(off) > 0.01);
    for (int i = 0; i < 3; i++) /* the map of the axis, back to a */
      turned[i] = m->map[i][0] * h.spin[0] + m->map[i][1] * h.spin[1] + m->map[i][2] * h.spin[2];
    for (int i = 0; i < 3 && k < 2; i++)
      near("direction", turned[i] / tx_vec3_norm(turned), kerr.a[i] / a, 1e-5);
  }
}

/* It converges with the surface. */
static void test_converges(void **state) {
  const metric_kerr kerr = {{0.3, -0.2, 0.5}, {0.1, 0.0, -0.2}, {0.0}};
  static const int l_max[3] = {6, 8, 10};
  double off[3];
  for (int k = 0; k < 3; k++) {
    tx_horizon h = search_mapped(l_max[k], &MAPS[1], &kerr);
    assert_true(h.found && !h.by_rotation);
    off[k] = fabs(tx_vec3_norm(h.spin) - tx_vec3_norm(kerr.a));
    print_message("l_max %d: J off by %.1e, shear %.1e\n", l_max[k], off[k], h.shear[0]);
  }
  for (int k = 1; k < 3; k++) assert_true(off[k] < 0.2 * off[k - 1]);
  assert_true(off[0] > 1e-6);
}

/* A boost takes another section of the horizon, on which the rotation is as much a symmetry and its angular momentum the
 * same, whether along the spin or across. */
static void test_boosted(void **state) {
  static const double velocity[2][3] = {{0.0, 0.0, 0.3}, {0.3, -0.1, 0.1}};
  for (int k = 0; k < 2; k++) {
    metric_kerr kerr = {{0.0, 0.0, 0.6}, {0.0}, {0.0}};
    memcpy(kerr.velocity, velocity[k], sizeof kerr.velocity);
    tx_horizon h = search(8, 0, metric_of_kerr, &kerr, 1.8);
    assert_true(h.found && !h.by_rotation);
    print_message(
        "boost %d: J off by %.1e, by rotations by %.1e; shear %.1e; spin (%.6f, %.6f, %.6f)\n", k,
        tx_vec3_norm(h.spin) - 0.6, tx_vec3_norm(h.spin_coordinate) - 0.6, h.shear[0], h.spin[0],
        h.spin[1], h.spin[2]);
    near("J", tx_vec3_norm(h.spin), 0.6, 1e-6);
    near("area", h.area, 8.0 * M_PI * 1.8, 1e-5);
  }
}

/* Without spin there is none, and no direction that is not a number. */
static void test_schwarzschild(void **state) {
  metric_punctures at_rest = {1, {1.0}, {{0.03, -0.02, 0.07}}};
  tx_horizon h = search(8, 0, metric_of_punctures, &at_rest, 0.6);
  assert_true(h.found && !h.by_rotation && h.chi == 0.0 && tx_vec3_norm(h.spin) == 0.0);
  near("shear", h.shear[0], 0.0, 1e-9);
  near("next shear", h.shear[1], 2.0, 1e-6);
  metric_kerr moving = {{0.0}, {0.0}, {0.3, -0.1, 0.2}};
  h = search(8, 0, metric_of_kerr, &moving, 1.8);
  assert_true(h.found && !h.by_rotation);
  near("J", tx_vec3_norm(h.spin), 0.0, 1e-6);
}

/* A mirror leaves the spin across it, as it is without the mirror; two leave none. */
static void test_mirrors(void **state) {
  for (int d = 0; d < 3; d++) {
    metric_kerr kerr = {{0.0}, {0.0}, {0.0}};
    metric_mapped mapped = {.metric = metric_of_kerr,
                            .data = &kerr,
                            .map = {{1.15, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.95}}};
    kerr.a[d] = -0.5;
    tx_horizon h = search(8, 1 << d, metric_of_mapped, &mapped, 1.8);
    tx_horizon whole = search(8, 0, metric_of_mapped, &mapped, 1.8);
    assert_true(h.found && !h.by_rotation && whole.found);
    for (int i = 0; i < 3; i++) {
      near("spin", h.spin[i], kerr.a[i], 1e-6);
      near("without mirror", whole.spin[i], kerr.a[i], 1e-6);
      if (i != d) assert_true(h.spin[i] == 0.0 && h.spin_coordinate[i] == 0.0);
    }
    assert_true(fabs(h.spin_coordinate[d] + 0.5) > 1e-4);
  }
  metric_punctures hole = {1, {1.0}, {{0.0}}};
  tx_horizon h = search(6, 6, metric_of_punctures, &hole, 0.6);
  assert_true(h.found && !h.by_rotation && tx_vec3_norm(h.spin) == 0.0 && isnan(h.shear[0]));
}

/* Punctures, with the extrinsic curvature of Bowen and York of a small spin S about the z axis:
 * K_ij = psi^-2 3/r^3 (epsilon_kil S^k n^l n_j + epsilon_kjl S^k n^l n_i). */
static const double S = 0.01;

static void metric_of_turning(const void *data, const double x[3], double gamma_dd[3][3],
                              double K_dd[3][3]) {
  metric_of_punctures(data, x, gamma_dd, K_dd);
  if (!K_dd) return;
  const double r = tx_vec3_norm(x), psi2 = sqrt(gamma_dd[0][0]);
  const double turn[3] = {-S * x[1] / r, S * x[0] / r, 0.0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      K_dd[i][j] = 3.0 / (psi2 * r * r * r) * (turn[i] * x[j] + turn[j] * x[i]) / r;
}

/* When two holes have just merged, their lobes turn against each other with less shear than the whole about an axis across:
 * rotations take the place of Killing vectors. A little later the vectors are there. */
static void test_peanut(void **state) {
  for (int late = 0; late < 2; late++) {
    const double d = late ? 0.3 : 0.38;
    metric_punctures pair = {2, {0.5, 0.5}, {{d, 0.0, 0.0}, {-d, 0.0, 0.0}}};
    tx_horizon h = search(12, 0, metric_of_turning, &pair, 0.7);
    print_message("%g: shear %.3g and %.3g, spin %.3g, by rotations %.6g\n", 2.0 * d, h.shear[0],
                  h.shear[1], h.spin[2], h.spin_coordinate[2]);
    assert_true(h.found);
    assert_int_equal(h.by_rotation, !late);
    for (int i = 0; i < 3 && !late; i++) assert_true(h.spin[i] == h.spin_coordinate[i]);
    if (late) assert_true(h.spin[2] != h.spin_coordinate[2]);
  }
}

/* GSL's eigenvectors are those of its own BLAS. Sums of another one, which comes with p4est, may depend on the number of threads. */
static void test_own_blas(void **state) {
  const char *names[] = {"cblas_ddot", "cblas_dgemm", "cblas_dgemv", "cblas_dsymv", "cblas_dtrsm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Dl_info from = {0};
    void *at = dlsym(RTLD_DEFAULT, names[i]);
    assert_non_null(at);
    assert_true(dladdr(at, &from));
    if (!strstr(from.dli_fname, "gslcblas")) fail_msg("%s is that of %s", names[i], from.dli_fname);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_distorted), cmocka_unit_test(test_converges),
    cmocka_unit_test(test_boosted),   cmocka_unit_test(test_schwarzschild),
    cmocka_unit_test(test_mirrors),   cmocka_unit_test(test_peanut),
    cmocka_unit_test(test_own_blas),
};
TEST_MAIN(tests)
