/* Fluxes of energy, angular and linear momentum: against analytic series, surface integrals of
 * the news, and rotations. */
#include <math.h>
#include <string.h>

#include "base/complex.h"
#include "base/memory.h"
#include "gw_extraction/fluxes.h"
#include "gw_extraction/gw.h"
#include "gw_extraction/harmonics.h"
#include "gw_extraction/lebedev.h"
#include "support/cmocka.h"
#include "tests/support/harmonic.h"

enum { L_MAX = 5, MODES = (L_MAX + 1) * (L_MAX + 1) - 4 };

static const double radius = 40.0;

/* A burst S(t) = A exp(-(t - T)^2/(2 W^2) - i w t), its news S' and psi4 = S''. */
static const double burst_time = 40.0, burst_width = 5.0;

static void burst(double complex amplitude, double omega, double t, double complex out[3]) {
  double x = (t - burst_time) / burst_width;
  double complex rate = -x / burst_width - CMPLX(0.0, omega);
  out[0] = amplitude * cexp(-0.5 * x * x - CMPLX(0.0, omega * t));
  out[1] = rate * out[0];
  out[2] = (rate * rate - 1.0 / (burst_width * burst_width)) * out[0];
}

/* Amplitude and frequency of mode (l, m) in tests that mix all modes. */
static double complex amplitude_of(int i) {
  return CMPLX(cos(1.7 * i + 0.3), sin(2.9 * i - 1.0));
}

static double omega_of(int i) {
  return 0.3 + 0.1 * sin(3.1 * i);
}

/* Feed all modes until `t_end` in steps of `dt`; rotation (if any) takes modes to modes. */
static void feed(tx_fluxes *f, double t_end, double dt, const double complex (*rotation)[MODES]) {
  assert_int_equal(tx_fluxes_create(1, &radius, L_MAX, f), TX_OK);
  for (int step = 0; step <= (int)lround(t_end / dt); step++) {
    double psi4[MODES][2];
    double complex plain[MODES];
    for (int i = 0; i < MODES; i++) {
      double complex s[3];
      burst(amplitude_of(i), omega_of(i), step * dt, s);
      plain[i] = s[2];
    }
    for (int i = 0; i < MODES; i++) {
      double complex sum = plain[i];
      if (rotation) {
        sum = 0.0;
        for (int j = 0; j < MODES; j++) sum += rotation[i][j] * plain[j];
      }
      psi4[i][0] = creal(sum);
      psi4[i][1] = cimag(sum);
    }
    assert_int_equal(tx_fluxes_add(f, step * dt, (const double(*)[2])psi4), TX_OK);
  }
}

/* The flux of energy and momentum through the sphere, r^2/(16 pi) integral (1, n) |N|^2 dOmega. */
static void test_momentum_surface(void **state) {
  tx_fluxes f;
  feed(&f, 41.0, 0.05, NULL);
  const double(*news)[2] = tx_fluxes_news(&f, 0);
  tx_lebedev rule;
  assert_int_equal(tx_lebedev_create(2 * L_MAX + 1, &rule), TX_OK);
  double expect[4] = {0.0};
  for (int p = 0; p < rule.n; p++) {
    double complex n = 0.0;
    for (int i = 0; i < MODES; i++) {
      int l, m;
      double y[2];
      tx_gw_mode(i, &l, &m);
      tx_test_harmonic(-2, l, m, rule.x[p], y);
      n += CMPLX(news[i][0], news[i][1]) * CMPLX(y[0], y[1]);
    }
    double density = rule.w[p] * creal(n * conj(n)) * radius * radius / (16.0 * M_PI);
    expect[0] += density;
    for (int d = 0; d < 3; d++) expect[1 + d] += density * rule.x[p][d];
  }
  const double *rate = tx_fluxes_rate(&f, 0);
  assert_true(fabs(rate[TX_FLUX_E] - expect[0]) < 1e-12 * expect[0]);
  for (int d = 0; d < 3; d++) {
    assert_true(fabs(rate[TX_FLUX_PX + d] - expect[1 + d]) < 1e-12 * expect[0]);
    assert_true(fabs(expect[1 + d]) > 1e-3 * expect[0]);
  }
  tx_lebedev_destroy(&rule);
  tx_fluxes_destroy(&f);
}

/* Modes of a wave turned by beta about y and then by alpha about z: the matrix
 * D^l_{m'm} = e^{-i m' alpha} d^l_{m'm}(beta), with d^l from _sY_lm, s = -m. */
static void rotation_matrix(double alpha, double beta, double complex (*d)[MODES]) {
  memset(d, 0, MODES * sizeof *d);
  const double n[3] = {sin(beta), 0.0, cos(beta)};
  for (int i = 0; i < MODES; i++)
    for (int j = 0; j < MODES; j++) {
      int l, m, l_from, m_from;
      tx_gw_mode(i, &l, &m);
      tx_gw_mode(j, &l_from, &m_from);
      if (l_from != l) continue;
      double y[2];
      tx_test_harmonic(-m_from, l, m, n, y);
      double value = y[0] * sqrt(4.0 * M_PI / (2 * l + 1)) * (m_from & 1 ? -1.0 : 1.0);
      d[i][j] = value * cexp(CMPLX(0.0, -m * alpha));
    }
}

/* A turned wave carries turned momenta; J_z is known to be right from the rotating (2, 2) mode. */
static void test_rotation(void **state) {
  const double alpha[] = {0.0, 0.0, 0.9}, beta[] = {M_PI / 2, 0.7, 2.0};
  tx_fluxes plain, turned;
  feed(&plain, 45.0, 0.25, NULL);
  for (int i = 0; i < 3; i++) {
    double complex d[MODES][MODES];
    rotation_matrix(alpha[i], beta[i], d);
    feed(&turned, 45.0, 0.25, (const double complex(*)[MODES])d);
    double ca = cos(alpha[i]), sa = sin(alpha[i]), cb = cos(beta[i]), sb = sin(beta[i]);
    const double *a = tx_fluxes_total(&plain, 0), *b = tx_fluxes_total(&turned, 0);
    double size =
        fabs(a[TX_FLUX_E]) + fabs(a[TX_FLUX_JX]) + fabs(a[TX_FLUX_JY]) + fabs(a[TX_FLUX_JZ]);
    assert_true(fabs(a[TX_FLUX_E] - b[TX_FLUX_E]) < 1e-11 * size);
    for (int v = TX_FLUX_JX; v <= TX_FLUX_PX; v += 3) {
      double x = a[v] * cb + a[v + 2] * sb, z = a[v + 2] * cb - a[v] * sb;
      assert_true(fabs(b[v] - (x * ca - a[v + 1] * sa)) < 1e-11 * size);
      assert_true(fabs(b[v + 1] - (x * sa + a[v + 1] * ca)) < 1e-11 * size);
      assert_true(fabs(b[v + 2] - z) < 1e-11 * size);
      for (int k = 0; k < 3; k++) assert_true(fabs(a[v + k]) > 1e-4 * size);
    }
    tx_fluxes_destroy(&turned);
  }
  tx_fluxes_destroy(&plain);
}

/* What a burst in one mode carries off in all, sampled every dt. */
static void one_mode(int l, int m, double dt, double total[TX_FLUX_COUNT]) {
  tx_fluxes f;
  assert_int_equal(tx_fluxes_create(1, &radius, L_MAX, &f), TX_OK);
  for (int step = 0; step * dt <= 2.0 * burst_time; step++) {
    double psi4[MODES][2] = {{0.0}};
    double complex s[3];
    burst(0.01, 0.8, step * dt, s);
    psi4[tx_gw_index(l, m)][0] = creal(s[2]);
    psi4[tx_gw_index(l, m)][1] = cimag(s[2]);
    assert_int_equal(tx_fluxes_add(&f, step * dt, (const double(*)[2])psi4), TX_OK);
  }
  memcpy(total, tx_fluxes_total(&f, 0), TX_FLUX_COUNT * sizeof *total);
  tx_fluxes_destroy(&f);
}

/* Integrals over all t of |S'|^2 and Im(S conj S'), A = 0.01, w = 0.8, W = 5:
 * A^2 sqrt(pi) W (w^2 + 1/(2 W^2)) and A^2 sqrt(pi) W w. A wave that turns anticlockwise, e^{-i w t} in
 * m = 2, carries J_z > 0. */
static void test_rotating_mode(void **state) {
  double w = 0.8, norm = 1e-4 * sqrt(M_PI) * burst_width * radius * radius / (16.0 * M_PI);
  double energy = norm * (w * w + 0.5 / (burst_width * burst_width)), total[TX_FLUX_COUNT];
  for (int m = -2; m <= 2; m++) {
    one_mode(2, m, 0.02, total);
    assert_true(fabs(total[TX_FLUX_E] / energy - 1.0) < 1e-4);
    assert_true(fabs(total[TX_FLUX_JZ] - m * norm * w) < 2e-4 * norm * w);
    assert_true(total[TX_FLUX_JX] == 0.0 && total[TX_FLUX_JY] == 0.0);
    assert_true(total[TX_FLUX_PX] == 0.0 && total[TX_FLUX_PY] == 0.0);
    /* P_z of |_{-2}Y_2m|^2 is m/3 of the energy. */
    assert_true(fabs(total[TX_FLUX_PZ] - m / 3.0 * energy) < 1e-4 * energy);
  }
}

/* The trapezoidal rule is of second order. psi4 = A e^{lambda t} from t = 0 on:
 * N = A (e^{lambda t} - 1)/lambda, S = A ((e^{lambda t} - 1)/lambda^2 - t/lambda). */
static void test_order(void **state) {
  const double complex lambda = CMPLX(-0.1, -0.5);
  double error_e[3], error_j[3];
  for (int i = 0; i < 3; i++) {
    tx_fluxes f;
    assert_int_equal(tx_fluxes_create(1, &radius, L_MAX, &f), TX_OK);
    int steps = 50 << i;
    for (int step = 0; step <= steps; step++) {
      double psi4[MODES][2] = {{0.0}}, t = 20.0 * step / steps;
      psi4[tx_gw_index(2, 2)][0] = creal(cexp(lambda * t));
      psi4[tx_gw_index(2, 2)][1] = cimag(cexp(lambda * t));
      assert_int_equal(tx_fluxes_add(&f, t, (const double(*)[2])psi4), TX_OK);
    }
    double complex e = cexp(20.0 * lambda) - 1.0, n = e / lambda, s = (n - 20.0) / lambda;
    double scale = radius * radius / (16.0 * M_PI);
    error_e[i] = fabs(tx_fluxes_rate(&f, 0)[TX_FLUX_E] - scale * creal(n * conj(n)));
    error_j[i] = fabs(tx_fluxes_rate(&f, 0)[TX_FLUX_JZ] - scale * 2.0 * cimag(s * conj(n)));
    tx_fluxes_destroy(&f);
  }
  for (int i = 0; i < 2; i++) {
    double order_e = log2(error_e[i] / error_e[i + 1]), order_j = log2(error_j[i] / error_j[i + 1]);
    assert_true(order_e > 1.9 && order_e < 2.1);
    assert_true(order_j > 1.9 && order_j < 2.1);
  }
}

/* Several spheres do not mix, uneven times are fine, and times must grow. */
static void test_series(void **state) {
  const double radii[2] = {10.0, 20.0};
  tx_fluxes f;
  assert_int_equal(tx_fluxes_create(2, radii, L_MAX, &f), TX_OK);
  double psi4[2][MODES][2] = {{{0.0}}};
  psi4[0][tx_gw_index(3, 1)][0] = psi4[1][tx_gw_index(3, 1)][0] = 2.0;
  psi4[1][tx_gw_index(2, 0)][1] = 1.0;
  const double t[] = {1.0, 1.5, 3.5};
  for (int i = 0; i < 3; i++)
    assert_int_equal(tx_fluxes_add(&f, t[i], (const double(*)[2])psi4), TX_OK);
  assert_true(fabs(tx_fluxes_news(&f, 0)[tx_gw_index(3, 1)][0] - 5.0) < 1e-14);
  assert_true(fabs(tx_fluxes_news(&f, 1)[tx_gw_index(2, 0)][1] - 2.5) < 1e-14);
  assert_true(tx_fluxes_news(&f, 0)[tx_gw_index(2, 0)][1] == 0.0);
  assert_true(fabs(tx_fluxes_rate(&f, 0)[TX_FLUX_E] - 2500.0 / (16.0 * M_PI)) < 1e-11);
  assert_true(fabs(tx_fluxes_rate(&f, 1)[TX_FLUX_E] - 400.0 * 31.25 / (16.0 * M_PI)) < 1e-11);
  assert_true(f.samples == 3 && f.time == 3.5);
  assert_int_equal(tx_fluxes_add(&f, 3.5, (const double(*)[2])psi4), TX_ERR_USAGE);
  assert_true(f.samples == 3 && tx_fluxes_news(&f, 0)[tx_gw_index(3, 1)][0] < 5.1);
  tx_error_clear();
  tx_fluxes_destroy(&f);
  assert_int_equal(tx_memory_blocks(), 0);
}

/* Strain that chirps from w = 0.05 to 0.5 at t = 1000 and fades, both smoothly. */
static double complex chirp(double t) {
  const double end = 1002.4, left = 1.0 - fmin(t, 1000.0) / end, after = fmax(t - 1000.0, 0.0);
  const double turned = 0.08 * end * (1.0 - pow(left, 5.0 / 8.0)) + 0.48 * after;
  const double size = (1.0 - exp(-t * t / 5000.0)) * exp(-0.5 * pow(after / 12.0, 2));
  return 2.5e-3 * size * cexp(CMPLX(0.0, -turned));
}

/* It in (2, 2), beside slow parts of (2, 2) and (2, 0) such as the tides of holes are at small radii. */
static void chirp_beside_tides(double tide, double left_out, double total[TX_FLUX_COUNT]) {
  tx_fluxes f;
  assert_int_equal(tx_fluxes_create(1, &radius, L_MAX, &f), TX_OK);
  tx_fluxes_leave_out(&f, left_out);
  for (int step = 0; step <= 2400; step++) {
    const double t = 0.5 * step, d = 0.1;
    const double complex wave = (chirp(t + d) - 2.0 * chirp(t) + chirp(t - d)) / (d * d);
    double psi4[MODES][2] = {{0.0}};
    psi4[tx_gw_index(2, 2)][0] = creal(wave) + tide;
    psi4[tx_gw_index(2, 2)][1] = cimag(wave) - 0.5 * tide;
    psi4[tx_gw_index(2, 0)][0] = 4.0 * tide * (1.0 + t / 1200.0);
    assert_int_equal(tx_fluxes_add(&f, t, (const double(*)[2])psi4), TX_OK);
  }
  memcpy(total, tx_fluxes_total(&f, 0), TX_FLUX_COUNT * sizeof *total);
  tx_fluxes_destroy(&f);
}

/* The integrals of tides outgrow the news. */
static void what_hardly_changes_does_not_radiate(void **state) {
  double alone[TX_FLUX_COUNT], total[TX_FLUX_COUNT];
  chirp_beside_tides(0.0, 0.0, alone);
  chirp_beside_tides(2e-6, 0.0, total);
  assert_true(total[TX_FLUX_E] > 2.0 * alone[TX_FLUX_E]);
  chirp_beside_tides(2e-6, 0.0125, total);
  assert_true(fabs(total[TX_FLUX_E] / alone[TX_FLUX_E] - 1.0) < 0.001);
  assert_true(fabs(total[TX_FLUX_JZ] / alone[TX_FLUX_JZ] - 1.0) < 0.004);
}

/* psi4_lm = (-1)^l conj(psi4_l-m): a binary that orbits in the plane z = 0. */
static void what_a_mirror_kills_is_zero(void **state) {
  tx_fluxes f;
  assert_int_equal(tx_fluxes_create(1, &radius, L_MAX, &f), TX_OK);
  for (int step = 0; step < 20; step++) {
    double psi4[MODES][2];
    for (int l = 2; l <= L_MAX; l++)
      for (int m = 0; m <= l; m++) {
        double complex s[3];
        double *v = psi4[tx_gw_index(l, m)], *image = psi4[tx_gw_index(l, -m)];
        burst(amplitude_of(tx_gw_index(l, m)), omega_of(tx_gw_index(l, m)), 30.0 + step, s);
        v[0] = m == 0 && l % 2 ? 0.0 : creal(s[2]);
        v[1] = m == 0 && l % 2 == 0 ? 0.0 : cimag(s[2]);
        image[0] = l % 2 ? -v[0] : v[0];
        image[1] = l % 2 ? v[1] : -v[1];
      }
    assert_int_equal(tx_fluxes_add(&f, step, (const double(*)[2])psi4), TX_OK);
  }
  static const int dead[] = {TX_FLUX_JX, TX_FLUX_JY, TX_FLUX_PZ};
  for (int i = 0; i < 3; i++)
    assert_true(tx_fluxes_rate(&f, 0)[dead[i]] == 0.0 && tx_fluxes_total(&f, 0)[dead[i]] == 0.0);
  assert_true(tx_fluxes_total(&f, 0)[TX_FLUX_JZ] != 0.0 &&
              tx_fluxes_total(&f, 0)[TX_FLUX_PX] != 0.0);
  tx_fluxes_destroy(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momentum_surface),
      cmocka_unit_test(test_rotation),
      cmocka_unit_test(test_rotating_mode),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_series),
      cmocka_unit_test(what_hardly_changes_does_not_radiate),
      cmocka_unit_test(what_a_mirror_kills_is_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
