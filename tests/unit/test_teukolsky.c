/* The quadrupole wave: it solves the linear Einstein equations, and its Psi4 is what its metric
 * says. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_integration.h>

#include "physics/bssn.h"
#include "physics/initial_data/initial_data.h"
#include "differences.h"
#include "support/cmocka.h"
#include "tests/support/teukolsky.h"

static tx_initial_data *make(int m, int parity, double amplitude, double width) {
  tx_params p;
  memset(&p, 0, sizeof p);
  p.grid_extent = 64.0;
  p.initial_data_type = TX_ID_TEUKOLSKY;
  p.initial_data_wave_m = m;
  p.initial_data_wave_parity = parity;
  p.initial_data_amplitude = amplitude;
  p.initial_data_wavelength = width;
  tx_initial_data *id;
  assert_int_equal(tx_initial_data_create(&p, &id), TX_OK);
  return id;
}

/** h_ij (values 0 to 8) and dh_ij/dt (9 to 17). */
static void metric(const tx_initial_data *id, double t, const double *x, double *values) {
  double h[3][3], dh[3][3][3], dt_h[3][3];
  tx_teukolsky_metric(&id->teukolsky, t, x, h, dh, dt_h);
  memcpy(values, h, sizeof h);
  memcpy(values + 9, dt_h, sizeof dt_h);
}

static const double points[][4] = {/* t, x, y, z in widths */
                                   {0.0, 0.0, 0.0, 0.0},     {0.3, 0.0, 0.0, 0.0},
                                   {0.2, 0.02, -0.01, 0.03}, {-0.4, 0.5, 0.4, -0.3},
                                   {0.7, 0.6, -0.6, 0.53},   {0.1, 0.9, 0.3, 0.3},
                                   {1.2, -0.4, 1.3, 0.8},    {3.1, 1.0, 2.0, -2.0}};
enum { POINTS = sizeof points / sizeof *points };

/** Transverse, tracefree, symmetric, a solution of the wave equation; the analytic derivatives are
 *  those of the metric; smooth through the origin and where the series ends (points straddle both).
 */
static void solves_linear_equations(void **state) {
  for (int m = -2; m <= 2; m++)
    for (int parity = 0; parity < 2; parity++) {
      tx_initial_data *id = make(m, parity, 0.1, 1.0);
      for (int n = 0; n < POINTS; n++) {
        jet d[18];
        double h[3][3], dh[3][3][3], dt_h[3][3];
        differences(metric, 9, id, points[n][0], points[n] + 1, 0.04, d);
        tx_teukolsky_metric(&id->teukolsky, points[n][0], points[n] + 1, h, dh, dt_h);
        assert_true(fabs(h[0][0] + h[1][1] + h[2][2]) < 1e-15);
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) {
            assert_true(fabs(h[i][j] - h[j][i]) < 1e-16);
            const double *q = d[3 * i + j];
            double wave = q[DD(1, 1)] + q[DD(2, 2)] + q[DD(3, 3)] - q[DD(0, 0)];
            assert_true(fabs(wave) < 2e-8); /* the terms are of order 1 */
            assert_true(fabs(q[1] - dt_h[i][j]) < 1e-9);
            for (int k = 0; k < 3; k++) assert_true(fabs(q[2 + k] - dh[k][i][j]) < 1e-9);
          }
        for (int i = 0; i < 3; i++)
          assert_true(fabs(dh[0][0][i] + dh[1][1][i] + dh[2][2][i]) < 1e-14);
      }
      tx_initial_data_destroy(id);
    }
}

/** At t = 0 the wave is at rest, and near the origin it is what the header says. */
static void starts_as_documented(void **state) {
  const double zero[3] = {0.0, 0.0, 0.0}, near[3] = {2e-5, -3e-5, 1e-5}, far[3] = {1.0, 2.0, -0.7};
  for (int m = -2; m <= 2; m++)
    for (int parity = 0; parity < 2; parity++) {
      tx_initial_data *id = make(m, parity, 0.25, 2.0);
      const tx_teukolsky *w = &id->teukolsky;
      double h[3][3], dh[3][3][3], dt_h[3][3];
      tx_teukolsky_metric(w, 0.0, far, h, dh, dt_h);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) assert_true(dt_h[i][j] == 0.0);
      tx_teukolsky_metric(w, 0.0, zero, h, dh, dt_h);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          assert_true(fabs(h[i][j] - (parity ? 0.0 : 0.25 * w->C_dd[i][j])) < 1e-15);
      tx_teukolsky_metric(w, 0.0, near, h, dh, dt_h);
      for (int i = 0; i < 3 && parity; i++)
        for (int j = 0; j < 3; j++) {
          double curl = 0.0;
          for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
              curl += 0.5 * near[k] *
                      (tx_epsilon(i, k, l) * w->C_dd[l][j] + tx_epsilon(j, k, l) * w->C_dd[l][i]);
          assert_true(fabs(h[i][j] - 0.25 * curl / 2.0) < 1e-13);
        }
      tx_initial_data_destroy(id);
    }
}

/** Both forms of the radial integrals agree where one takes over from the other. */
static void series_meets_closed_form(void **state) {
  for (double T = -2.0; T <= 2.0; T += 0.125) {
    double near[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J], far[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J];
    double top[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J];
    tx_teukolsky_near(T, TX_TEUKOLSKY_NEAR, near);
    tx_teukolsky_far(T, TX_TEUKOLSKY_NEAR, far);
    tx_teukolsky_near(0.0, 0.0, top);
    for (int j = 6; j < TX_TEUKOLSKY_J; j++)
      for (int n = 0; 2 * n + 2 <= j && n < TX_TEUKOLSKY_N; n++)
        assert_true(fabs(near[n][j] - far[n][j]) < 2e-14 * fmax(fabs(top[n][j & ~1]), 1.0) * j);
  }
}

/** -2Y_2m, arXiv:0709.0093, table of eq. II.9 onwards. */
static double complex harmonic(int m, double theta, double phi) {
  double c = cos(theta), s = sin(theta);
  const double y[5] = {sqrt(5.0 / (64 * M_PI)) * (1 - c) * (1 - c),
                       sqrt(5.0 / (16 * M_PI)) * s * (1 - c), sqrt(15.0 / (32 * M_PI)) * s * s,
                       sqrt(5.0 / (16 * M_PI)) * s * (1 + c),
                       sqrt(5.0 / (64 * M_PI)) * (1 + c) * (1 + c)};
  return y[m + 2] * cexp(I * (m * phi));
}

static void sphere_frame(double theta, double phi, double n[3], double complex mbar[3]) {
  double e_theta[3] = {cos(theta) * cos(phi), cos(theta) * sin(phi), -sin(theta)};
  double e_phi[3] = {-sin(phi), cos(phi), 0.0};
  n[0] = sin(theta) * cos(phi);
  n[1] = sin(theta) * sin(phi);
  n[2] = cos(theta);
  for (int i = 0; i < 3; i++) mbar[i] = (e_theta[i] - I * e_phi[i]) / sqrt(2.0);
}

/** (E_ij - i B_ij) mbar^i mbar^j by differences of the metric: the linear Ricci tensor of the slice
 *  and the curl of K_ij = -1/2 dh_ij/dt, without use of any property of the solution. */
static double complex psi4_by_differences(const tx_initial_data *id, double t, double r,
                                          double theta, double phi) {
  double n[3];
  jet d[18];
  double complex mbar[3], psi4 = 0.0;
  sphere_frame(theta, phi, n, mbar);
  for (int i = 0; i < 3; i++) n[i] *= r;
  differences(metric, 18, id, t, n, 0.05, d);
#define H(a, b, i, j) d[3 * (i) + (j)][DD(1 + (a), 1 + (b))]
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double E = 0.0, B = 0.0;
      for (int k = 0; k < 3; k++) {
        E += 0.5 * (H(k, i, k, j) + H(k, j, k, i) - H(k, k, i, j) - H(i, j, k, k));
        for (int l = 0; l < 3; l++) B += tx_epsilon(i, k, l) * -0.5 * d[9 + 3 * l + j][2 + k];
      }
      psi4 += (E - I * B) * mbar[i] * mbar[j];
    }
#undef H
  return psi4;
}

/** Project the Psi4 of the metric on a sphere and compare with the analytic modes. */
static void psi4_is_that_of_the_metric(void **state) {
  enum { N_THETA = 6, N_PHI = 7 };
  gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(N_THETA);
  assert_non_null(rule);
  const double where[][2] = {{0.0, 0.7}, {0.4, 0.7}, {1.3, 2.1}, {5.2, 5.0}}; /* t, r */
  for (int c = 0; c < 10; c++) {
    tx_initial_data *id = make(c / 2 - 2, c % 2, 1.0e-3, 1.0);
    for (size_t n = 0; n < sizeof where / sizeof *where; n++) {
      double t = where[n][0], r = where[n][1], largest = 0.0;
      double complex modes[5] = {0.0};
      for (size_t a = 0; a < N_THETA; a++)
        for (int b = 0; b < N_PHI; b++) {
          double mu, w, phi = 2.0 * M_PI * (b + 0.3) / N_PHI;
          gsl_integration_glfixed_point(-1.0, 1.0, a, &mu, &w, rule);
          double complex psi4 = psi4_by_differences(id, t, r, acos(mu), phi);
          largest = fmax(largest, cabs(psi4));
          for (int m = -2; m <= 2; m++)
            modes[m + 2] += w * 2.0 * M_PI / N_PHI * psi4 * conj(harmonic(m, acos(mu), phi));
        }
      assert_true(largest > 1e-4);
      for (int m = -2; m <= 2; m++) {
        double exact[2];
        tx_test_teukolsky_psi4(id, t, r, m, exact);
        assert_true(cabs(modes[m + 2] - (exact[0] + I * exact[1])) < 1e-6 * largest);
      }
    }
    tx_initial_data_destroy(id);
  }
  gsl_integration_glfixed_table_free(rule);
}

/** Far out and outgoing, psi4 = -(d2 h+/dt2 - i d2 hx/dt2), with corrections that fall as r^-4:
 * both sides have the same ones of lower order. */
static void psi4_of_outgoing_waves(void **state) {
  const double theta = 1.1, phi = 0.6, e = 0.05;
  for (int c = 0; c < 10; c++) {
    tx_initial_data *id = make(c / 2 - 2, c % 2, 1.0e-3, 1.0);
    double error[2];
    for (int n = 0; n < 2; n++) {
      double r = n ? 14.0 : 7.0, t = r + 0.4, x[3], psi4[2], h[3][3], dh[3][3][3], dt_h[3][3];
      double complex mbar[3], d2h = 0.0, sum = 0.0;
      sphere_frame(theta, phi, x, mbar);
      for (int i = 0; i < 3; i++) x[i] *= r;
      for (int p = -4; p <= 4; p++) {
        tx_teukolsky_metric(&id->teukolsky, t + p * e, x, h, dh, dt_h);
        for (int i = 0; i < 3; i++) /* h+ - i hx = h_ij mbar^i mbar^j */
          for (int j = 0; j < 3; j++)
            d2h += difference_2(p) / (e * e) * h[i][j] * mbar[i] * mbar[j];
      }
      for (int m = -2; m <= 2; m++) {
        tx_test_teukolsky_psi4(id, t, r, m, psi4);
        sum += (psi4[0] + I * psi4[1]) * harmonic(m, theta, phi);
      }
      error[n] = cabs(sum + d2h) / cabs(d2h);
    }
    assert_true(error[0] < 1e-4);
    assert_true(error[0] / error[1] > 12.0 && error[0] / error[1] < 20.0);
    tx_initial_data_destroy(id);
  }
}

/** The evolution's Psi4 of the analytic metric: sign, phase and parity without a grid. */
static void psi4_point_agrees(void **state) {
  const double angles[][2] = {{0.4, 0.3}, {1.2, 2.5}, {2.0, -1.9}, {2.9, 5.0}, {M_PI / 2, 0.0}};
  for (int c = 0; c < 10; c++)
    for (size_t n = 0; n < sizeof angles / sizeof *angles; n++) {
      tx_initial_data *id = make(c / 2 - 2, c % 2, 1.0e-7, 1.0);
      double r = 1.7, t = 0.9, x[3], jets[TX_VARS][10] = {{0.0}}, exact[2], psi4[2];
      double complex mbar[3], sum = 0.0;
      sphere_frame(angles[n][0], angles[n][1], x, mbar);
      for (int i = 0; i < 3; i++) x[i] *= r;
      jet all[TX_VARS];
      differences(tx_initial_data_at, TX_VARS, id, t, x, 0.06, all);
      for (int v = 0; v < TX_VARS; v++) {
        jets[v][0] = all[v][0];
        for (int a = 0, ab = 4; a < 3; a++) {
          jets[v][1 + a] = all[v][2 + a];
          for (int b = a; b < 3; b++) jets[v][ab++] = all[v][DD(1 + a, 1 + b)];
        }
      }
      tx_bssn.psi4_at(jets, x, psi4);
      for (int m = -2; m <= 2; m++) {
        tx_test_teukolsky_psi4(id, t, r, m, exact);
        sum += (exact[0] + I * exact[1]) * harmonic(m, angles[n][0], angles[n][1]);
      }
      double f[2];
      tx_test_teukolsky_radial(&id->teukolsky, t, r, f);
      assert_true(hypot(f[0], f[1]) > 5e-8);
      assert_true(cabs(psi4[0] + I * psi4[1] - sum) < 1e-5 * hypot(f[0], f[1]));
      tx_initial_data_destroy(id);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_linear_equations),  cmocka_unit_test(starts_as_documented),
      cmocka_unit_test(series_meets_closed_form), cmocka_unit_test(psi4_is_that_of_the_metric),
      cmocka_unit_test(psi4_of_outgoing_waves),   cmocka_unit_test(psi4_point_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
