#include "gw_extraction/fluxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/complex.h"
#include "base/memory.h"
#include "gw_extraction/gw.h"

const char *const tx_flux_names[TX_FLUX_COUNT] = {"E", "Jx", "Jy", "Jz", "Px", "Py", "Pz"};

/* News and strain of a mode are the derivatives y_3 and y_2 of the y with
 * y_4 + b[3] y_3 + b[2] y_2 + b[1] y_1 + b[0] y = psi4, the Butterworth polynomial of order 4 for its w0. With w0 = 0 they are the
 * first two integrals of psi4. Else an offset of psi4, and what grows with time, end up in y and y_1. */
enum { ORDER = 4 };

/* State of a sphere: y_4 (psi4 where w0 = 0), y_3 (news), y_2 (strain), y_1 and y, [n_modes] complex each; rate and total. Behind
 * all spheres: the frequency below which is left out. */
static size_t state_stride(const tx_fluxes *f) {
  return 2 * (ORDER + 1) * (size_t)f->n_modes + 2 * TX_FLUX_COUNT;
}

static double *series_of(const tx_fluxes *f, int radius, int which) {
  return f->state + (size_t)radius * state_stride(f) + 2 * (size_t)which * (size_t)f->n_modes;
}

const double *tx_fluxes_rate(const tx_fluxes *f, int radius) {
  return series_of(f, radius, ORDER + 1);
}

const double *tx_fluxes_total(const tx_fluxes *f, int radius) {
  return tx_fluxes_rate(f, radius) + TX_FLUX_COUNT;
}

const double (*tx_fluxes_news(const tx_fluxes *f, int radius))[2] {
  return (const double(*)[2])series_of(f, radius, 1);
}

tx_status tx_fluxes_create(int n_radii, const double *radii, int l_max, tx_fluxes *out) {
  *out = (tx_fluxes){.n_radii = n_radii, .l_max = l_max, .n_modes = (l_max + 1) * (l_max + 1) - 4};
  out->n_state = (size_t)n_radii * state_stride(out) + 1;
  tx_status status = tx_alloc(out->n_state, sizeof *out->state, "wave fluxes", &out->state);
  TX_KEEP(status, tx_alloc((size_t)n_radii, sizeof *out->radii, "wave fluxes", &out->radii));
  if (status != TX_OK) {
    tx_fluxes_destroy(out);
    return status;
  }
  for (int r = 0; r < n_radii; r++) out->radii[r] = radii[r];
  return TX_OK;
}

void tx_fluxes_leave_out(tx_fluxes *f, double omega) {
  f->state[f->n_state - 1] = omega;
}

void tx_fluxes_destroy(tx_fluxes *f) {
  tx_free(f->state);
  tx_free(f->radii);
  *f = (tx_fluxes){0};
}

/* The mode (l, m) of a series, 0 where there is none. */
static double complex mode(const double *series, int l_max, int l, int m) {
  if (l < 2 || l > l_max || m < -l || m > l) return 0.0;
  const double *v = series + 2 * tx_gw_index(l, m);
  return CMPLX(v[0], v[1]);
}

/* arXiv:0707.4654 eq. 3.16 to 3.19 and 3.25. */
static double coefficient_a(int l, int m) {
  return sqrt((l - m) * (l + m + 1)) / (l * (l + 1));
}

static double coefficient_b(int l, int m) {
  return sqrt((double)((l - 2) * (l + 2)) * ((l + m) * (l + m - 1)) / ((2 * l - 1) * (2 * l + 1))) /
         (2 * l);
}

static double coefficient_c(int l, int m) {
  return 2.0 * m / (l * (l + 1));
}

static double coefficient_d(int l, int m) {
  return sqrt((double)((l - 2) * (l + 2)) * ((l - m) * (l + m)) / ((2 * l - 1) * (2 * l + 1))) / l;
}

static double coefficient_f(int l, int m) {
  return sqrt(l * (l + 1) - m * (m + 1));
}

/* Add the rates of one mode, per r^2/(16 pi): news N and its integral S of all modes are given.
 * Energy 3.8, linear momentum 3.14 and 3.15 with P_+ = P_x + i P_y, angular momentum 3.22 to 3.24.
 */
static void add_mode(const double *news, const double *integral, int l_max, int l, int m,
                     double rate[TX_FLUX_COUNT]) {
  double complex n = mode(news, l_max, l, m), s = mode(integral, l_max, l, m);
  rate[TX_FLUX_E] += creal(n) * creal(n) + cimag(n) * cimag(n);

  double complex plus = 2.0 * n *
                        conj(coefficient_a(l, m) * mode(news, l_max, l, m + 1) +
                             coefficient_b(l, -m) * mode(news, l_max, l - 1, m + 1) -
                             coefficient_b(l + 1, m + 1) * mode(news, l_max, l + 1, m + 1));
  rate[TX_FLUX_PX] += creal(plus);
  rate[TX_FLUX_PY] += cimag(plus);
  rate[TX_FLUX_PZ] += creal(n * conj(coefficient_c(l, m) * mode(news, l_max, l, m) +
                                     coefficient_d(l, m) * mode(news, l_max, l - 1, m) +
                                     coefficient_d(l + 1, m) * mode(news, l_max, l + 1, m)));

  double complex up = coefficient_f(l, m) * conj(mode(news, l_max, l, m + 1));
  double complex down = coefficient_f(l, -m) * conj(mode(news, l_max, l, m - 1));
  rate[TX_FLUX_JX] += 0.5 * cimag(s * (up + down));
  rate[TX_FLUX_JY] -= 0.5 * creal(s * (up - down));
  rate[TX_FLUX_JZ] += m * cimag(s * conj(n));
}

/* Sum the rates of all modes. Modes are added pair by pair, so that contributions of mirror images in z = 0 to J_x, J_y and
 * P_z cancel to the last bit. */
static void rate_of(const tx_fluxes *f, int radius, double rate[TX_FLUX_COUNT]) {
  const double *news = series_of(f, radius, 1), *integral = series_of(f, radius, 2);
  memset(rate, 0, TX_FLUX_COUNT * sizeof *rate);
  for (int l = 2; l <= f->l_max; l++)
    for (int m = 0; m <= l; m++) {
      double pair[TX_FLUX_COUNT] = {0.0};
      add_mode(news, integral, f->l_max, l, m, pair);
      if (m > 0) add_mode(news, integral, f->l_max, l, -m, pair);
      for (int q = 0; q < TX_FLUX_COUNT; q++) rate[q] += pair[q];
    }
  double scale = f->radii[radius] * f->radii[radius] / (16.0 * M_PI);
  for (int q = 0; q < TX_FLUX_COUNT; q++) rate[q] *= scale;
}

/* One real series y[n][which], the derivative ORDER - n, over a step of 2 half_dt, psi4 at its end: each derivative grows by the
 * trapezoidal rule of the next higher one, and the highest is the one that solves the equation then. */
static void step_series(double *y[ORDER + 1], int which, const double b[ORDER], double half_dt,
                        double psi4) {
  double known[ORDER], share[ORDER]; /* a derivative at the end is known + share y_4 */
  double rest = psi4, weight = 1.0;
  for (int n = 1; n <= ORDER; n++) {
    const int k = ORDER - n;
    known[k] = y[n][which] + half_dt * y[n - 1][which];
    if (n > 1) known[k] += half_dt * known[k + 1];
    share[k] = n > 1 ? half_dt * share[k + 1] : half_dt;
    rest -= b[k] * known[k];
    weight += b[k] * share[k];
  }
  y[0][which] = rest / weight;
  for (int n = 1; n <= ORDER; n++) y[n][which] = known[ORDER - n] + share[ORDER - n] * y[0][which];
}

/* (s^2 + 2 sin(pi/8) w0 s + w0^2)(s^2 + 2 cos(pi/8) w0 s + w0^2). */
static void polynomial(double w0, double b[ORDER]) {
  b[3] = 2.0 * (sin(M_PI / 8) + cos(M_PI / 8)) * w0;
  b[2] = 0.5 * b[3] * b[3];
  b[1] = b[3] * w0 * w0;
  b[0] = w0 * w0 * w0 * w0;
}

/* The data begin with tides: as if those had always been there. */
static void step_modes(tx_fluxes *f, int radius, double half_dt, const double (*psi4)[2]) {
  double *y[ORDER + 1], b[ORDER];
  for (int n = 0; n <= ORDER; n++) y[n] = series_of(f, radius, n);
  for (int i = 0; i < f->n_modes; i++) {
    int l, m;
    tx_gw_mode(i, &l, &m);
    polynomial((m == 0 ? 1 : abs(m)) * f->state[f->n_state - 1], b);
    for (int part = 0; part < 2; part++) {
      if (f->samples == 0 && b[0] > 0.0) y[ORDER][2 * i + part] = psi4[i][part] / b[0];
      step_series(y, 2 * i + part, b, half_dt, psi4[i][part]);
    }
  }
}

tx_status tx_fluxes_add(tx_fluxes *f, double time, const double (*psi4)[2]) {
  TX_REQUIRE(f->samples == 0 || time > f->time, TX_ERR_USAGE,
             "modes of Psi4 at t = %.17g come after those of t = %.17g: times must grow", time,
             f->time);
  double half_dt = f->samples == 0 ? 0.0 : 0.5 * (time - f->time);
  for (int r = 0; r < f->n_radii; r++) {
    step_modes(f, r, half_dt, psi4 + (size_t)r * (size_t)f->n_modes);
    double *rate = series_of(f, r, ORDER + 1), *total = rate + TX_FLUX_COUNT,
           rate_next[TX_FLUX_COUNT];
    rate_of(f, r, rate_next);
    for (int q = 0; q < TX_FLUX_COUNT; q++) {
      total[q] += half_dt * (rate[q] + rate_next[q]);
      rate[q] = rate_next[q];
    }
  }
  f->time = time;
  f->samples++;
  return TX_OK;
}
