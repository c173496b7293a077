/* The core of the horizon finder in metrics known in closed form. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "support/horizon_metrics.h"
#include "support/main.h"

static const double ORIGIN[3] = {0.0, 0.0, 0.0};

static tx_horizon_finder *finder(int l_max, int reflect) {
  tx_domain domain = {.extent = 50.0};
  for (int d = 0; d < 3; d++) domain.low[d] = reflect >> d & 1 ? TX_FACE_REFLECT : TX_FACE_OUTER;
  tx_horizon_finder *f;
  assert_int_equal(tx_horizon_finder_create(&domain, l_max, &f), TX_OK);
  return f;
}

static tx_horizon search(tx_horizon_finder *f, metric_jets *jets, const double centre[3],
                         double r) {
  tx_metric_source from = metric_source(jets);
  tx_surface guess;
  tx_horizon out;
  tx_surface_sphere(f->l_max, centre, r, &guess);
  assert_int_equal(tx_search(f, &from, &guess, 0, NULL, &out), TX_OK);
  return out;
}

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g differs from %.15g by %.2e, more than %.2e", value, expected, value - expected,
             tolerance);
}

/* The rule is exact for products of two harmonics, and its own mirror image. */
static void test_harmonics_orthonormal(void **state) {
  for (int l_max = 2; l_max <= TX_HORIZON_L_MAX; l_max += 11) {
    tx_sphere s;
    assert_int_equal(tx_sphere_create(l_max, &s), TX_OK);
    int n = (l_max + 1) * (l_max + 1), mode[TX_HORIZON_COEFFICIENTS];
    static double y[TX_HORIZON_COEFFICIENTS][6], at[TX_HORIZON_COEFFICIENTS];
    static double product[TX_HORIZON_COEFFICIENTS][3];
    memset(product, 0, sizeof product);
    for (int i = 0; i < n; i++) mode[i] = i;
    for (int p = 0; p < s.n; p++) {
      double x[3], e[2][3];
      tx_sphere_frame(&s, p, x, e);
      tx_sphere_harmonics(&s, p, n, mode, y);
      tx_sphere_harmonics_at(l_max, x, at);
      for (int i = 0; i < n; i++) {
        near(at[i], y[i][0], 1e-12);
        double w = s.weight[p / s.n_phi] * y[i][0];
        product[i][0] += w * y[i][0];
        product[i][1] += w * y[n - 1][0];
        product[i][2] += w * y[n / 2][0];
      }
    }
    for (int i = 0; i < n; i++) {
      near(product[i][0], 1.0, 1e-12);
      near(product[i][1], i == n - 1, 1e-12);
      near(product[i][2], i == n / 2, 1e-12);
    }
    tx_sphere_destroy(&s);
  }
}

/* Y_11, Y_1-1, Y_10 are sqrt(3/4 pi) (x, y, z); at the poles too. */
static void test_harmonics_signs(void **state) {
  const double x[3][3] = {{0.3, -0.4, 1.2}, {0.0, 0.0, -2.0}, {-1.0, 2.0, 0.0}};
  for (int p = 0; p < 3; p++) {
    double y[9], r = sqrt(x[p][0] * x[p][0] + x[p][1] * x[p][1] + x[p][2] * x[p][2]);
    double scale = sqrt(0.75 / M_PI) / r;
    tx_sphere_harmonics_at(2, x[p], y);
    near(y[0], sqrt(0.25 / M_PI), 1e-15);
    near(y[3], scale * x[p][0], 1e-15);
    near(y[1], scale * x[p][1], 1e-15);
    near(y[2], scale * x[p][2], 1e-15);
    near(y[4], sqrt(15.0 / (4.0 * M_PI)) * x[p][0] * x[p][1] / (r * r), 1e-15);
  }
}

/* Derivatives: those of harmonics of degree 0 in Cartesian coordinates, by differences:
 * e_a.grad and e_a.grad grad.e_b at r = 1; the second is the covariant one on the sphere. */
static void test_harmonics_derivatives(void **state) {
  enum { L = 5, N = (L + 1) * (L + 1) };
  const double h = 1e-3;
  tx_sphere s;
  assert_int_equal(tx_sphere_create(L, &s), TX_OK);
  int mode[N];
  for (int i = 0; i < N; i++) mode[i] = i;
  for (int p = 3; p < s.n; p += 41) {
    double n[3], e[2][3], y[N][6], value[5][5][N];
    tx_sphere_frame(&s, p, n, e);
    tx_sphere_harmonics(&s, p, N, mode, y);
    for (int a = -1; a <= 1; a++)
      for (int b = -1; b <= 1; b++) {
        double x[3];
        for (int d = 0; d < 3; d++) x[d] = n[d] + h * (a * e[0][d] + b * e[1][d]);
        tx_sphere_harmonics_at(L, x, value[a + 1][b + 1]);
      }
    for (int i = 0; i < N; i++) {
      near((value[2][1][i] - value[0][1][i]) / (2 * h), y[i][1], 1e-4);
      near((value[1][2][i] - value[1][0][i]) / (2 * h), y[i][2], 1e-4);
      near((value[2][1][i] - 2 * value[1][1][i] + value[0][1][i]) / (h * h), y[i][3], 1e-3);
      near((value[1][2][i] - 2 * value[1][1][i] + value[1][0][i]) / (h * h), y[i][5], 1e-3);
      double mixed = value[2][2][i] - value[2][0][i] - value[0][2][i] + value[0][0][i];
      near(mixed / (4 * h * h), y[i][4], 1e-3);
      int l, m;
      tx_sphere_mode(i, &l, &m);
      near(y[i][3] + y[i][5], -l * (l + 1.0) * y[i][0], 1e-12);
    }
  }
  tx_sphere_destroy(&s);
}

/* Spheres in Schwarzschild's metric: Theta = (2/(r psi^2)) (1 - m/(2r))/(1 + m/(2r)), m = 1. */
static void test_expansion_of_spheres(void **state) {
  metric_punctures hole = {1, {1.0}, {{0.0}}};
  metric_jets jets = {metric_of_punctures, &hole, 0.01, 0};
  tx_metric_source from = metric_source(&jets);
  tx_horizon_finder *f = finder(3, 0);
  for (double r = 0.3; r < 20.0; r *= 2.0) {
    tx_surface sphere;
    tx_surface_sphere(3, ORIGIN, r, &sphere);
    tx_search_begin(f, &sphere);
    assert_true(tx_search_place(f, 0.0));
    assert_int_equal(tx_search_evaluate(f, &from), TX_OK);
    double psi = 1.0 + 0.5 / r, Theta = 2.0 / (r * psi * psi) * (1.0 - 0.5 / r) / psi, area = 0.0;
    for (int i = 0; i < f->n_points; i++) {
      near(f->column[i][TX_HORIZON_THETA], Theta, 1e-8);
      near(f->column[i][TX_HORIZON_RATE], pow(psi * r, 2.0), 1e-8 * pow(psi * r, 2.0));
      area += f->weight[i] * f->column[i][TX_HORIZON_AREA];
    }
    near(area, 4.0 * M_PI * r * r * pow(psi, 4.0), 1e-10 * area);
  }
  tx_horizon_finder_destroy(f);
}

/* The derivatives of Theta by the surface are those of differences, where nothing is symmetric. */
static void test_linearisation(void **state) {
  metric_kerr kerr = {{0.3, -0.4, 0.6}, {0.1, 0.2, -0.1}, {0.0}};
  metric_jets jets = {metric_of_kerr, &kerr, 0.02, 0};
  const double n[3] = {0.48, 0.6, 0.64}, x[3] = {0.8, 1.0, 1.1}, step = 1e-4;
  tx_surface_jet s = {.n = {0.48, 0.6, 0.64}, .h = 1.9, .d = {0.3, -0.2}, .dd = {0.4, 0.1, -0.3}};
  double across = hypot(n[0], n[1]);
  const double e[2][3] = {{n[0] * n[2] / across, n[1] * n[2] / across, -across},
                          {-n[1] / across, n[0] / across, 0.0}};
  memcpy(s.e, e, sizeof e);
  double column[TX_HORIZON_COLUMNS];
  tx_adm_jet metric;
  metric_jet(&jets, x, n, &metric);
  tx_horizon_expansion(&metric, &s, column);
  for (int c = 0; c < 6; c++) {
    double Theta[2];
    for (int side = 0; side < 2; side++) {
      tx_surface_jet moved = s;
      double change = side ? step : -step, at[3], other[TX_HORIZON_COLUMNS];
      memcpy(at, x, sizeof at);
      if (c == 0) {
        moved.h += change;
        for (int d = 0; d < 3; d++) at[d] += change * n[d];
      } else if (c < 3)
        moved.d[c - 1] += change;
      else
        moved.dd[c - 3] += change;
      metric_jet(&jets, at, n, &metric);
      tx_horizon_expansion(&metric, &moved, other);
      Theta[side] = other[TX_HORIZON_THETA];
    }
    near(column[TX_HORIZON_BY_H + c], (Theta[1] - Theta[0]) / (2.0 * step), 1e-6);
  }
}

static void test_schwarzschild(void **state) {
  metric_punctures hole = {1, {1.0}, {{0.03, -0.02, 0.07}}};
  metric_jets jets = {metric_of_punctures, &hole, 0.01, 0};
  tx_horizon_finder *f = finder(6, 0);
  for (double r = 0.3; r < 1.1; r += 0.233) {
    tx_horizon h = search(f, &jets, ORIGIN, r);
    assert_true(h.found);
    assert_in_range(h.iterations, 3, 9);
    near(h.area, 16.0 * M_PI, 1e-6 * 16.0 * M_PI);
    near(h.mass_irreducible, 1.0, 1e-6);
    near(h.mass, 1.0, 1e-6);
    near(h.radius_areal, 2.0, 2e-6);
    near(h.radius_min, 0.5, 1e-6);
    near(h.radius_mean, 0.5, 1e-6);
    near(h.radius_max, 0.5, 1e-6);
    assert_true(h.residual < 1e-5);
    for (int d = 0; d < 3; d++) {
      near(h.centroid[d], hole.position[0][d], 1e-6);
      near(h.spin[d], 0.0, 1e-12);
    }
  }
  tx_horizon_finder_destroy(f);
}

/* Kerr in Kerr-Schild coordinates: r_+ = 1 + sqrt(1 - a^2), the horizon an ellipsoid of
 * semi-axes r_+ along a and sqrt(r_+^2 + a^2) across; area 8 pi r_+, J = a. The extrinsic
 * curvature is not zero, so that this knows its sign. */
static tx_horizon check_kerr(tx_horizon_finder *f, const metric_kerr *kerr, double r) {
  metric_jets jets = {metric_of_kerr, kerr, 0.02, 0};
  tx_horizon h = search(f, &jets, ORIGIN, r);
  double a2 = kerr->a[0] * kerr->a[0] + kerr->a[1] * kerr->a[1] + kerr->a[2] * kerr->a[2];
  double r_plus = 1.0 + sqrt(1.0 - a2);
  assert_true(h.found);
  near(h.area, 8.0 * M_PI * r_plus, 1e-6 * h.area);
  near(h.mass, 1.0, 1e-6);
  near(h.mass_irreducible, sqrt(0.5 * r_plus), 1e-6);
  near(h.chi, sqrt(a2), 1e-6);
  for (int d = 0; d < 3; d++) {
    near(h.spin[d], kerr->a[d], 1e-6);
    near(h.centroid[d], kerr->position[d], 1e-6);
  }
  return h;
}

static void test_kerr(void **state) {
  tx_horizon_finder *f = finder(8, 0), *half = finder(8, 4);
  metric_kerr aligned = {{0.0, 0.0, 0.7}, {0.0}, {0.0}},
              any = {{0.4, -0.3, 0.5}, {0.2, 0.3, -0.1}, {0.0}};
  check_kerr(f, &any, 1.6);
  check_kerr(half, &aligned, 1.3);
  tx_horizon h = check_kerr(half, &aligned, 3.0);
  double up[3] = {0.0, 0.0, 1.0}, out[3] = {1.0, 0.0, 0.0}, r_plus = 1.0 + sqrt(0.51);
  near(tx_surface_radius(&h.surface, up), r_plus, 1e-5);
  near(tx_surface_radius(&h.surface, out), sqrt(r_plus * r_plus + 0.49), 1e-5);
  near(h.radius_min, r_plus, 1e-5);
  near(h.radius_max, sqrt(r_plus * r_plus + 0.49), 1e-5);
  tx_horizon_finder_destroy(f);
  tx_horizon_finder_destroy(half);
}

/* Two equal punctures have a common horizon for separations below 0.76620 M: from 1.5324 for
 * masses of 1 each (C. Lages, thesis, Jena 2010), and from the minimal surfaces of revolution by
 * a shooting method, which gave 0.7661974 and at 0.75 M the area 16 pi 0.97959612 and the waist
 * 0.3058794. */
static tx_horizon search_pair(tx_horizon_finder *f, double separation) {
  metric_punctures pair = {
      2, {0.5, 0.5}, {{0.0, 0.0, 0.5 * separation}, {0.0, 0.0, -0.5 * separation}}};
  metric_jets jets = {metric_of_punctures, &pair, 0.005, 0};
  return search(f, &jets, ORIGIN, 0.7);
}

static void test_critical_separation(void **state) {
  tx_horizon_finder *f = finder(12, 7);
  assert_true(search_pair(f, 0.7655).found);
  assert_false(search_pair(f, 0.7670).found);
  assert_false(search_pair(f, 1.0).found);
  tx_horizon h = search_pair(f, 0.75);
  assert_true(h.found);
  near(h.area / (16.0 * M_PI), 0.97959612, 2e-7);
  near(h.radius_min, 0.3058794, 1e-5);
  near(h.radius_max, 0.6381782, 1e-3);
  tx_horizon_finder_destroy(f);
}

/* Inside the common horizon there is another surface with Theta = 0, whose linear operator has a
 * negative eigenvalue; they meet at the critical separation, s_c, as s_c +- c sqrt(d_c - d). A
 * search that starts at the inner one goes on to the outer one. */
static void test_inner_surface(void **state) {
  tx_horizon_finder *f = finder(12, 7);
  tx_horizon outer = search_pair(f, 0.75), critical = search_pair(f, 0.766), h;
  assert_true(outer.found && critical.found);
  metric_punctures pair = {2, {0.5, 0.5}, {{0.0, 0.0, 0.375}, {0.0, 0.0, -0.375}}};
  metric_jets jets = {metric_of_punctures, &pair, 0.005, 0};
  tx_metric_source from = metric_source(&jets);
  tx_surface guess = critical.surface;
  for (int i = 0; i < 169; i++) guess.a[i] += critical.surface.a[i] - outer.surface.a[i];
  double waist[3] = {1.0, 0.0, 0.0};
  assert_true(tx_surface_radius(&guess, waist) < outer.radius_min - 0.03);
  assert_int_equal(tx_search(f, &from, &guess, 0, NULL, &h), TX_OK);
  assert_true(h.found);
  near(h.area, outer.area, 1e-6);
  near(h.radius_min, outer.radius_min, 1e-5);
  tx_horizon_finder_destroy(f);
}

/* On the way to a horizon inside, a surface that must hold both punctures gives up when it loses
 * one. */
static void test_around(void **state) {
  metric_punctures pair = {2, {0.8, 0.2}, {{0.0, 0.0, 1.0}, {0.0, 0.0, -4.0}}};
  metric_jets jets = {metric_of_punctures, &pair, 0.01, 0};
  tx_metric_source from = metric_source(&jets);
  tx_horizon_finder *f = finder(6, 3);
  tx_surface guess;
  tx_horizon h;
  tx_surface_sphere(6, ORIGIN, 5.0, &guess);
  assert_int_equal(tx_search(f, &from, &guess, 0, NULL, &h), TX_OK);
  assert_true(h.found);
  near(h.centroid[2], 1.0, 0.01);
  int calls = jets.calls;
  assert_int_equal(tx_search(f, &from, &guess, 2, (const double(*)[3])pair.position, &h), TX_OK);
  assert_false(h.found);
  assert_in_range(jets.calls - calls, 1, 4);
  assert_int_equal(h.iterations, jets.calls - calls);
  tx_horizon_finder_destroy(f);
}

/* What mirrors forbid is 0 to the last bit, from a guess that has it; the rest is as without
 * mirrors. */
static void test_mirrors(void **state) {
  metric_kerr kerr = {{0.0, 0.0, 0.6}, {0.0}, {0.0}};
  metric_punctures pair = {2, {0.5, 0.5}, {{0.3, 0.0, 0.0}, {-0.3, 0.0, 0.0}}};
  metric_jets jets[2] = {{metric_of_kerr, &kerr, 0.02, 0}, {metric_of_punctures, &pair, 0.005, 0}};
  const double radius[2] = {2.0, 0.6};
  for (int reflect = 1; reflect < 8; reflect++) {
    int which = reflect == 4 ? 0 : 1;
    tx_horizon_finder *f = finder(6, reflect), *whole = finder(6, 0);
    tx_metric_source from = metric_source(&jets[which]);
    tx_surface guess;
    tx_horizon h, w = search(whole, &jets[which], ORIGIN, radius[which]);
    tx_surface_sphere(6, ORIGIN, radius[which], &guess);
    for (int i = 1; i < 49; i++) guess.a[i] = 0.01 / i;
    assert_int_equal(tx_search(f, &from, &guess, 0, NULL, &h), TX_OK);
    assert_true(h.found && w.found);
    near(h.area, w.area, 1e-7);
    near(h.mass, w.mass, 1e-7);
    near(h.radius_mean, w.radius_mean, 1e-7);
    near(h.spin[2], w.spin[2], 1e-7);
    for (int d = 0; d < 3; d++) {
      if (reflect >> d & 1) assert_true(h.centroid[d] == 0.0 && h.surface.centre[d] == 0.0);
      if (reflect & ~(1 << d)) assert_true(h.spin[d] == 0.0);
    }
    int forbidden = 0;
    for (int i = 0; i < 49; i++) {
      int l, m;
      tx_sphere_mode(i, &l, &m);
      bool odd[3] = {(m < 0) != (m % 2 != 0), m < 0, (l + m) % 2 != 0};
      for (int d = 0; d < 3; d++)
        if (reflect >> d & 1 && odd[d]) {
          assert_true(h.surface.a[i] == 0.0);
          forbidden++;
        }
      near(h.surface.a[i], w.surface.a[i], 1e-6);
    }
    assert_true(forbidden >= 21);
    tx_horizon_finder_destroy(f);
    tx_horizon_finder_destroy(whole);
  }
}

/* A surface described about another centre is the same surface. */
static void test_recentre(void **state) {
  tx_horizon_finder *f = finder(16, 0);
  tx_surface s;
  double offset[3] = {0.1, -0.15, 0.05}, back[3];
  tx_surface_sphere(16, ORIGIN, 1.0, &s);
  tx_search_begin(f, &s);
  assert_true(tx_search_place(f, 0.0));
  assert_true(tx_search_recentre(f, offset));
  for (int p = 0; p < f->n_points; p++) {
    double r = tx_surface_radius(&f->surface, f->normal[p]), r2 = 0.0;
    for (int d = 0; d < 3; d++) r2 += pow(offset[d] + r * f->normal[p][d], 2.0);
    near(r2, 1.0, 1e-8);
  }
  tx_search_offset(f, back);
  for (int d = 0; d < 3; d++) near(back[d], -offset[d], 0.03 * fabs(offset[d]));
  double outside[3] = {1.3, 0.0, 0.0};
  assert_true(tx_search_place(f, 0.0));
  assert_false(tx_search_recentre(f, outside));
  tx_horizon_finder_destroy(f);
}

static void lost(metric_jets *jets, const tx_surface *guess, int most) {
  tx_horizon_finder *f = finder(4, 4);
  tx_metric_source from = metric_source(jets);
  tx_horizon h;
  int calls = jets->calls;
  assert_int_equal(tx_search(f, &from, guess, 0, NULL, &h), TX_OK);
  assert_false(h.found);
  assert_in_range(jets->calls - calls, 0, most);
  assert_int_equal(h.iterations, jets->calls - calls);
  tx_horizon_finder_destroy(f);
}

/* Searches that cannot succeed end soon, without an error. */
static void test_lost(void **state) {
  metric_punctures hole = {1, {1.0}, {{0.0}}};
  metric_jets flat = {metric_flat, NULL, 0.01, 0}, bad = {metric_nan, NULL, 0.01, 0};
  metric_jets good = {metric_of_punctures, &hole, 0.001, 0};
  tx_surface s;
  double far[3] = {49.0, 0.0, 0.0}, away[3] = {5.0, 0.0, 0.0}, beyond[3] = {0.0, 0.0, -60.0};
  double beside[3] = {0.3, 0.0, 0.0};
  tx_surface_sphere(4, ORIGIN, 1.0, &s);
  lost(&flat, &s, 12);
  lost(&bad, &s, 1);
  tx_surface_sphere(4, ORIGIN, 60.0, &s); /* outside the domain */
  lost(&good, &s, 0);
  tx_surface_sphere(4, far, 2.0, &s);
  lost(&good, &s, 0);
  tx_surface_sphere(4, beyond, 2.0, &s);
  lost(&good, &s, 0);
  tx_surface_sphere(4, away, 0.5, &s); /* nothing to be found there */
  lost(&good, &s, 14);
  tx_surface_sphere(4, ORIGIN, 0.015, &s); /* too small for the mesh */
  lost(&good, &s, 0);
  tx_surface_sphere(4, beside, 0.12, &s); /* inside the horizon, beside the puncture */
  lost(&good, &s, 14);
  for (int k = 0; k < 4; k++) { /* no surface at all */
    tx_surface_sphere(4, ORIGIN, k == 0 ? NAN : k == 1 ? INFINITY : k == 2 ? -1.0 : 1.0, &s);
    if (k == 3) s.a[6] = -10.0;
    lost(&good, &s, 0);
  }
  tx_surface_sphere(4, ORIGIN, 1.0, &s);
  s.centre[1] = NAN;
  lost(&good, &s, 0);
}

static tx_status sample_nothing(void *context, size_t n, const double (*x)[3],
                                const double (*normal)[3], tx_adm_jet *jets, bool *mine) {
  (void)context;
  (void)normal;
  (void)jets;
  memset(mine, 0, n * sizeof *mine);
  return TX_OK;
}

static tx_status sample_failing(void *context, size_t n, const double (*x)[3],
                                const double (*normal)[3], tx_adm_jet *jets, bool *mine) {
  (void)n;
  (void)normal;
  (void)jets;
  (void)mine;
  TX_FAIL(TX_ERR_LIBRARY, "%s", (const char *)context);
}

static void test_errors(void **state) {
  tx_domain domain = {.extent = 10.0};
  tx_horizon_finder *f;
  assert_int_equal(tx_horizon_finder_create(&domain, 1, &f), TX_ERR_PARAM);
  assert_null(f);
  assert_non_null(strstr(tx_error_text(), "horizons.l_max is 1"));
  tx_error_clear();
  assert_int_equal(tx_horizon_finder_create(&domain, TX_HORIZON_L_MAX + 1, &f), TX_ERR_PARAM);
  tx_error_clear();
  size_t before = tx_memory_blocks(), need = tx_memory_in_use();
  f = finder(4, 0);
  size_t blocks = tx_memory_blocks() - before;
  need = tx_memory_in_use() - need;
  tx_horizon_finder_destroy(f);
  assert_true(blocks > 3);
  for (size_t bytes = need / 40; bytes < need - 8; bytes += need / 40) {
    tx_memory_limit(tx_memory_in_use() + bytes);
    assert_int_equal(tx_horizon_finder_create(&domain, 4, &f), TX_ERR_MEMORY);
    tx_memory_limit(0);
    assert_null(f);
    assert_int_equal(tx_memory_blocks(), before);
    tx_error_clear();
  }
  f = finder(4, 0);
  tx_surface s;
  tx_horizon h;
  tx_metric_source from = {MPI_COMM_SELF, 0.01, sample_nothing, NULL};
  tx_surface_sphere(4, ORIGIN, 1.0, &s);
  assert_int_equal(tx_search(f, &from, &s, 0, NULL, &h), TX_ERR_MESH);
  assert_non_null(strstr(tx_error_text(), "sampled by 0 ranks"));
  tx_error_clear();
  from = (tx_metric_source){MPI_COMM_SELF, 0.01, sample_failing, "the source is gone"};
  assert_int_equal(tx_search(f, &from, &s, 0, NULL, &h), TX_ERR_LIBRARY);
  assert_string_equal(tx_error_text(), "the source is gone");
  tx_error_clear();
  s.l_max = TX_HORIZON_L_MAX + 1;
  assert_int_equal(tx_search(f, &from, &s, 0, NULL, &h), TX_ERR_PARAM);
  tx_error_clear();
  tx_horizon_finder_destroy(f);
}

static void test_linear_solve(void **state) {
  enum { N = 150 };
  static double a[N * N], copy[N * N], b[N], x[N];
  unsigned seed = 7;
  for (int i = 0; i < N * N; i++) {
    seed = seed * 1664525u + 1013904223u;
    copy[i] = a[i] = seed / 4294967296.0 - 0.5;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) b[i] += a[i * N + j] * (1.0 + j % 5);
  memcpy(x, b, sizeof x);
  int sign = tx_linear_solve(N, a, x);
  assert_int_equal(abs(sign), 1);
  for (int j = 0; j < N; j++) near(x[j], 1.0 + j % 5, 1e-10);
  for (int j = 0; j < N; j++) copy[j] = -copy[j]; /* one row turned round */
  b[0] = -b[0];
  assert_int_equal(tx_linear_solve(N, copy, b), -sign);
  for (int j = 0; j < N; j++) near(b[j], 1.0 + j % 5, 1e-10);
  double swapped[4] = {0.0, 1.0, 1.0, 0.0}, one[2] = {2.0, 3.0};
  assert_int_equal(tx_linear_solve(2, swapped, one), -1);
  assert_true(one[0] == 3.0 && one[1] == 2.0);
  double singular[4] = {1.0, 2.0, 2.0, 4.0}, bad[4] = {1.0, (double)NAN, 0.0, 1.0};
  assert_int_equal(tx_linear_solve(2, singular, one), 0);
  assert_int_equal(tx_linear_solve(2, bad, one), 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_harmonics_orthonormal),
      cmocka_unit_test(test_harmonics_signs),
      cmocka_unit_test(test_harmonics_derivatives),
      cmocka_unit_test(test_expansion_of_spheres),
      cmocka_unit_test(test_linearisation),
      cmocka_unit_test(test_schwarzschild),
      cmocka_unit_test(test_kerr),
      cmocka_unit_test(test_critical_separation),
      cmocka_unit_test(test_inner_surface),
      cmocka_unit_test(test_around),
      cmocka_unit_test(test_mirrors),
      cmocka_unit_test(test_recentre),
      cmocka_unit_test(test_lost),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_linear_solve),
  };
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tx_status left = tx_base_finalize(MPI_COMM_WORLD);
  MPI_Finalize();
  return failed || left != TX_OK;
}
