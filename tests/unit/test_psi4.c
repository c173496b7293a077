/* Psi4 and the expansions of spheres at a point: waves, holes, cosmologies, mirror images, the axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/bssn.h"
#include "physics/psi4_point.h"
#include "physics/octant/weyl_point.h"
#include "support/cmocka.h"

static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static void flat_jets(double jets[TX_VARS][10]) {
  memset(jets, 0, TX_VARS * sizeof *jets);
  for (int v = 0; v < TX_VARS; v++) jets[v][0] = tx_bssn.variable[v].infinity;
}

/* Flat jets and those of a weak plane wave h_ij = (a (t t - p p) + b (t p + p t)) cos(w (n x - time) + phase) at the
 * point x, n the direction of x and t, p those of growing theta and phi there, in coordinates in which spheres about the origin
 * are spheres, turned by an angle about z that grows with the radius by `shear' over it: dy^i = A^i_a dx^a with
 * A = 1 - shear (z x n) n. */
static void wave_jets(const double x[3], double a, double b, double w, double phase, double shear,
                      double jets[TX_VARS][10]) {
  const double th = acos(x[2] / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])),
               ph = atan2(x[1], x[0]);
  const double dir[3] = {sin(th) * cos(ph), sin(th) * sin(ph), cos(th)};
  const double e_t[3] = {cos(th) * cos(ph), cos(th) * sin(ph), -sin(th)};
  const double e_p[3] = {-sin(ph), cos(ph), 0.0}, around[3] = {-dir[1], dir[0], 0.0};
  double A[3][3], wave[3][3];
  flat_jets(jets);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      A[i][j] = (i == j) - shear * around[i] * dir[j];
      wave[i][j] =
          a * (e_t[i] * e_t[j] - e_p[i] * e_p[j]) + b * (e_t[i] * e_p[j] + e_t[j] * e_p[i]);
    }
  /* dir is the gradient of the radius in both coordinates: A^i_a dir_i = dir_a. */
  for (int c = 0; c < 3; c++)
    for (int d = c; d < 3; d++) {
      double flat = 0.0, h = 0.0;
      for (int i = 0; i < 3; i++) {
        flat += A[i][c] * A[i][d];
        for (int j = 0; j < 3; j++) h += A[i][c] * A[j][d] * wave[i][j];
      }
      double *gt = jets[TX_VAR_GT00 + sym[c][d]], *At = jets[TX_VAR_AT00 + sym[c][d]];
      gt[0] = flat + h * cos(phase);
      At[0] = -0.5 * w * h * sin(phase); /* K_ij = -1/2 d_t h_ij */
      for (int k = 0; k < 3; k++) {
        gt[1 + k] = -w * dir[k] * h * sin(phase);
        At[1 + k] = -0.5 * w * w * dir[k] * h * cos(phase);
        for (int l = k; l < 3; l++) gt[4 + sym[k][l]] = -w * w * dir[k] * dir[l] * h * cos(phase);
      }
    }
}

/* Psi4 = -(d2 h+/dt2 - i d2 hx/dt2), whether or not the coordinates are turned against each other from sphere to sphere: a
 * radial vector that is tilted against the spheres takes in Psi3 at first order of the tilt. */
static void outgoing_waves_have_the_stated_sign(void **state) {
  const double a = 3e-9, b = -2e-9, w = 1.3, phase = 0.4, shear[] = {0.0, -0.02, 0.5};
  for (int n = 0; n < 36; n++) {
    const double th = 0.2 + 0.23 * (n / 3), ph = 0.5 * (n / 3), r = 100.0;
    const double x[3] = {r * sin(th) * cos(ph), r * sin(th) * sin(ph), r * cos(th)};
    double jets[TX_VARS][10], psi4[2];
    wave_jets(x, a, b, w, phase, shear[n % 3], jets);
    tx_bssn.psi4_at((const double(*)[10])jets, x, psi4);
    assert_true(fabs(psi4[0] - w * w * a * cos(phase)) < 1e-15);
    assert_true(fabs(psi4[1] + w * w * b * cos(phase)) < 1e-15);
  }
}

/* Schwarzschild in isotropic coordinates, chi = (1 + m/2r)^-4: E_ij = m/R^3 diag(-2, 1, 1) in the
 * radial frame, R the areal radius; B_ij and Psi4 vanish. */
static void a_hole_at_rest_has_its_tidal_field_and_no_waves(void **state) {
  const double m = 0.9, x[3] = {0.8, -1.1, 0.7};
  const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), psi = 1 + m / (2 * r);
  /* chi = f(r) with f = psi^-4 */
  const double dpsi = -m / (2 * r * r), ddpsi = m / (r * r * r);
  const double f1 = -4 * pow(psi, -5) * dpsi;
  const double f2 = 20 * pow(psi, -6) * dpsi * dpsi - 4 * pow(psi, -5) * ddpsi;
  double jets[TX_VARS][10], E[6], B[6], psi4[2];
  flat_jets(jets);
  jets[TX_VAR_CHI][0] = pow(psi, -4);
  for (int i = 0; i < 3; i++) {
    jets[TX_VAR_CHI][1 + i] = f1 * x[i] / r;
    for (int j = i; j < 3; j++)
      jets[TX_VAR_CHI][4 + sym[i][j]] =
          f2 * x[i] * x[j] / (r * r) + f1 * ((i == j) / r - x[i] * x[j] / (r * r * r));
  }
  tx_weyl_point((const double(*)[10])jets, (const double[3]){0.0}, E, B);
  const double R = r * psi * psi, g = pow(psi, 4);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      const double expected = m / (R * R * R) * g * ((i == j) - 3 * x[i] * x[j] / (r * r));
      assert_true(fabs(E[sym[i][j]] - expected) < 1e-14);
      assert_true(B[sym[i][j]] == 0.0);
    }
  tx_bssn.psi4_at((const double(*)[10])jets, x, psi4);
  assert_true(fabs(psi4[0]) < 1e-15 && fabs(psi4[1]) < 1e-15);
}

/* Kasner, ds^2 = -dt^2 + sum t^(2 p_i) dx_i^2: E_ii = p_i (1 - p_i) t^(2 p_i - 2). */
static void kasner_has_its_tidal_field(void **state) {
  const double p[3] = {2. / 3, 2. / 3, -1. / 3}, t = 1.7;
  const double q[3] = {p[2], p[0], p[1]}; /* so that x and y differ */
  double jets[TX_VARS][10], E[6], B[6], psi4[2];
  flat_jets(jets);
  const double chi = pow(t, -2. / 3); /* det gamma = t^2 */
  jets[TX_VAR_CHI][0] = chi;
  jets[TX_VAR_K][0] = -1 / t;
  for (int i = 0; i < 3; i++) {
    const double gamma = pow(t, 2 * q[i]);
    jets[TX_VAR_GT00 + sym[i][i]][0] = chi * gamma;
    jets[TX_VAR_AT00 + sym[i][i]][0] = chi * gamma * (-q[i] / t + 1 / (3 * t));
  }
  tx_weyl_point((const double(*)[10])jets, (const double[3]){0.0}, E, B);
  for (int i = 0; i < 3; i++) {
    const double expected = q[i] * (1 - q[i]) * pow(t, 2 * q[i] - 2);
    assert_true(fabs(E[sym[i][i]] - expected) < 1e-14);
    assert_true(B[sym[i][i]] == 0.0);
  }
  /* On the axis theta is x and phi is y, above and below: Psi4 = (E_xx/g_xx - E_yy/g_yy)/2. */
  for (int side = -1; side <= 1; side++) {
    const double x[3] = {0.0, 0.0, 3.0 * side};
    tx_bssn.psi4_at((const double(*)[10])jets, x, psi4);
    assert_true(fabs(psi4[0] - 0.5 * (q[0] * (1 - q[0]) - q[1] * (1 - q[1])) / (t * t)) < 1e-14);
    assert_true(fabs(psi4[1]) < 1e-15);
  }
}

static double noise(void) {
  return 2.0 * rand() / RAND_MAX - 1.0;
}

static void random_jets(double jets[TX_VARS][10]) {
  for (int v = 0; v < TX_VARS; v++)
    for (int n = 0; n < 10; n++)
      jets[v][n] = (n == 0 ? tx_bssn.variable[v].infinity : 0.0) + 0.2 * noise();
}

/* The jet of the mirror image across the plane of dimension `dim`. */
static void mirror(int dim, double jets[TX_VARS][10]) {
  for (int v = 0; v < TX_VARS; v++) {
    for (int n = 0; n < 10; n++) jets[v][n] *= tx_bssn.variable[v].parity[dim];
    jets[v][1 + dim] *= -1;
    for (int k = 0; k < 3; k++)
      if (k != dim) jets[v][4 + sym[dim][k]] *= -1;
  }
}

static void mirror_images_have_the_conjugate(void **state) {
  srand(1);
  for (int n = 0; n < 60; n++) {
    double jets[TX_VARS][10], x[3] = {noise(), noise(), noise()}, psi4[2], image[2];
    random_jets(jets);
    tx_bssn.psi4_at((const double(*)[10])jets, x, psi4);
    mirror(n % 3, jets);
    x[n % 3] *= -1;
    tx_bssn.psi4_at((const double(*)[10])jets, x, image);
    const double size = hypot(psi4[0], psi4[1]);
    assert_true(fabs(image[0] - psi4[0]) < 1e-12 * size);
    assert_true(fabs(image[1] + psi4[1]) < 1e-12 * size);
    assert_true(fabs(psi4[1]) > 0.0);
  }
}

static void triad_is_orthonormal_and_right_handed(void **state) {
  srand(2);
  for (int n = 0; n < 50; n++) {
    const double x[3] = {n ? noise() : 0.0, n ? noise() : 0.0, n == 1 ? 0.0 : noise()};
    double g[6], e[3][3], det = 0.0;
    for (int c = 0; c < 6; c++) g[c] = (c == 0 || c == 3 || c == 5) + 0.2 * noise();
    tx_triad(g, x, e[1], e[2], e[0]);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) assert_true(fabs(tx_sym_apply(g, e[a], e[b]) - (a == b)) < 1e-14);
      det +=
          e[0][a] * (e[1][(a + 1) % 3] * e[2][(a + 2) % 3] - e[1][(a + 2) % 3] * e[2][(a + 1) % 3]);
    }
    assert_true(det > 0.0);
  }
}

/* Schwarzschild in Kerr-Schild coordinates (arXiv:gr-qc/9607034): with H = m/r gamma_ij = delta_ij + 2 H u_i u_j, u_i = x^i/r, and
 * K_ij = 2 H/(r sqrt(1 + 2 H)) (delta_ij - (2 + H) u_i u_j). Observers at rest in the slice fall in at v = 2 H of those at rest:
 * n(r) = -2 H/sqrt(1 + 2 H), s(r) = 1/sqrt(1 + 2 H), and expansions are 2/r times those. */
static void observers_of_kerr_schild_fall_in(void **state) {
  const double m = 1.0;
  for (int n = 0; n < 8; n++) {
    const double x[3] = {3.0 - n, 1.2 * n - 2.0, 1.7},
                 at = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double jets[TX_VARS][10], found[2];
    flat_jets(jets);
    const double H = m / at, det = 1.0 + 2.0 * H, root = sqrt(det), K_T = 2.0 * H / (at * root);
    double *chi = jets[TX_VAR_CHI];
    chi[0] = pow(det, -1.0 / 3.0);
    /* d_k det = -2 H x^k/r^2 */
    for (int k = 0; k < 3; k++) chi[1 + k] = chi[0] / (-3.0 * det) * (-2.0 * H * x[k] / (at * at));
    const double trace = 2.0 * K_T + K_T * (1.0 - (2.0 + H)) / det;
    jets[TX_VAR_K][0] = trace;
    for (int i = 0; i < 3; i++)
      for (int j = i; j < 3; j++) {
        double *gt = jets[TX_VAR_GT00 + sym[i][j]];
        const double uu = x[i] * x[j] / (at * at), gamma = (i == j) + 2.0 * H * uu;
        gt[0] = chi[0] * gamma;
        jets[TX_VAR_AT00 + sym[i][j]][0] =
            chi[0] * (K_T * ((i == j) - (2.0 + H) * uu) - trace / 3.0 * gamma);
        /* 2 H u_i u_j = 2 m x_i x_j/r^3 */
        for (int k = 0; k < 3; k++)
          gt[1 + k] = chi[1 + k] * gamma + chi[0] * 2.0 * m / pow(at, 3.0) *
                                               ((i == k) * x[j] + (j == k) * x[i] -
                                                3.0 * x[i] * x[j] * x[k] / (at * at));
      }
    tx_bssn.expansion_at((const double(*)[10])jets, x, found);
    assert_true(fabs(found[0] + 4.0 * H / (at * root)) < 1e-14);
    assert_true(fabs(found[1] - 2.0 / (at * root)) < 1e-14);
    assert_true(fabs(-found[0] / found[1] - 2.0 * H) < 1e-14);
  }
}

/* sqrt(det gamma) s^i at x + d of a metric that is linear in d, and, where K is given, -q^ij K_ij. */
static void normal_at(const double jets[TX_VARS][10], const double x[3], const double d[3],
                      double flux[3], double *across) {
  double g[3][3], up[3][3], K[3][3], u[3], r = 0.0, det = 0.0, square = 0.0;
  const double *c = jets[TX_VAR_CHI], chi = c[0] + c[1] * d[0] + c[2] * d[1] + c[3] * d[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double *t = jets[TX_VAR_GT00 + sym[i][j]];
      g[i][j] = (t[0] + t[1] * d[0] + t[2] * d[1] + t[3] * d[2]) / chi;
      K[i][j] = jets[TX_VAR_AT00 + sym[i][j]][0] / chi + g[i][j] * jets[TX_VAR_K][0] / 3.0;
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
      up[i][j] = g[a][p] * g[b][q] - g[a][q] * g[b][p];
    }
  for (int j = 0; j < 3; j++) det += g[0][j] * up[0][j];
  for (int i = 0; i < 3; i++) r += (x[i] + d[i]) * (x[i] + d[i]);
  for (int i = 0; i < 3; i++) u[i] = (x[i] + d[i]) / sqrt(r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) square += up[i][j] / det * u[i] * u[j];
  *across = 0.0;
  for (int i = 0; i < 3; i++) {
    flux[i] = 0.0;
    for (int j = 0; j < 3; j++) flux[i] += up[i][j] / det * u[j] / sqrt(square);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) *across -= (up[i][j] / det - flux[i] * flux[j]) * K[i][j];
  for (int i = 0; i < 3; i++) flux[i] *= sqrt(det);
}

/* Of any metric: D_i s^i = d_i (sqrt(det gamma) s^i)/sqrt(det gamma), by differences. Of Z4c, K is Khat + 2 Theta. */
static void expansions_are_those_of_any_metric(void **state) {
  srand(4);
  for (int n = 0; n < 40; n++) {
    const double x[3] = {noise(), noise(), n ? noise() : 0.0}, h = 1e-5, none[3] = {0.0};
    double jets[TX_VARS + 1][10], found[2], flux[3], across, unused, along = 0.0, g[6], det;
    random_jets(jets);
    memset(jets[TX_VARS], 0, sizeof jets[TX_VARS]);
    tx_bssn.expansion_at((const double(*)[10])jets, x, found);
    for (int c = 0; c < 6; c++) g[c] = jets[TX_VAR_GT00 + c][0] / jets[TX_VAR_CHI][0];
    det = g[0] * (g[3] * g[5] - g[4] * g[4]) - g[1] * (g[1] * g[5] - g[4] * g[2]) +
          g[2] * (g[1] * g[4] - g[3] * g[2]);
    for (int k = 0; k < 3; k++)
      for (int side = -1; side <= 1; side += 2) {
        double d[3] = {0.0};
        d[k] = side * h;
        normal_at(jets, x, d, flux, &unused);
        along += side * flux[k] / (2.0 * h * sqrt(det));
      }
    normal_at(jets, x, none, flux, &across);
    assert_true(fabs(found[0] - across) < 1e-13);
    assert_true(fabs(found[1] - along) < 1e-7 * (1.0 + fabs(along)));
    double z4c[2];
    jets[TX_VARS][0] = noise();
    jets[TX_VAR_K][0] -= 2.0 * jets[TX_VARS][0];
    tx_system_numbered(TX_EVOLVED_Z4C)->expansion_at((const double(*)[10])jets, x, z4c);
    assert_true(fabs(z4c[0] - found[0]) < 1e-14 && z4c[1] == found[1]);
  }
  /* Slices ask for the centre. */
  double jets[TX_VARS][10], found[2];
  const double centre[3] = {0.0};
  random_jets(jets);
  tx_bssn.expansion_at((const double(*)[10])jets, centre, found);
  assert_true(isfinite(found[0]) && isfinite(found[1]));
}

/* On the axis theta and phi are those of phi = 0. Around it Psi4 turns with them, by 2 phi, and by no more: a value that
 * depended on the direction would be a pulse in all modes with m = 2. */
static void the_axis_is_a_point_as_others(void **state) {
  srand(3);
  for (int n = 0; n < 24; n++) {
    const double side = n % 2 ? 1.0 : -1.0, ph = 0.3 * n, far = 1e-9;
    double jets[TX_VARS][10], on[2], near[2];
    random_jets(jets);
    const double x[3] = {0.0, 0.0, 2.0 * side}, centre[3] = {0.0};
    const double y[3] = {far * cos(ph), far * sin(ph), 2.0 * side};
    tx_bssn.psi4_at((const double(*)[10])jets, x, on);
    tx_bssn.psi4_at((const double(*)[10])jets, y, near);
    const double c = cos(2 * ph), s = side * sin(2 * ph);
    assert_true(fabs(on[0] * c - on[1] * s - near[0]) < 1e-7);
    assert_true(fabs(on[0] * s + on[1] * c - near[1]) < 1e-7);
    tx_bssn.psi4_at((const double(*)[10])jets, centre, on);
    assert_true(isfinite(on[0]) && isfinite(on[1]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outgoing_waves_have_the_stated_sign),
      cmocka_unit_test(a_hole_at_rest_has_its_tidal_field_and_no_waves),
      cmocka_unit_test(kasner_has_its_tidal_field),
      cmocka_unit_test(mirror_images_have_the_conjugate),
      cmocka_unit_test(triad_is_orthonormal_and_right_handed),
      cmocka_unit_test(observers_of_kerr_schild_fall_in),
      cmocka_unit_test(expansions_are_those_of_any_metric),
      cmocka_unit_test(the_axis_is_a_point_as_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
