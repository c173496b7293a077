#include "horizons/sphere.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "horizons/horizon.h"
#include "physics/gauss_legendre.h"

/* Points that the rule has beyond what products of two harmonics need: Theta is not a
 * polynomial. */
enum { ROWS_MARGIN = 5 };

static size_t legendre_count(int l_max) {
  return (size_t)(l_max + 1) * (size_t)(l_max + 2) / 2;
}

static int legendre_at(int l, int m) {
  return l * (l + 1) / 2 + m;
}

void tx_sphere_mode(int mode, int *l, int *m) {
  *l = 0;
  while ((*l + 1) * (*l + 1) <= mode) ++*l;
  *m = mode - *l * *l - *l;
}

/* P_lm(theta), orthonormal with e^{i m phi}: recurrence in l from P_mm. */
static void legendre_values(int l_max, double c, double s, double *P, int stride) {
  double P_mm = sqrt(0.25 / M_PI);
  for (int m = 0; m <= l_max; m++) {
    if (m > 0) P_mm *= s * sqrt((2.0 * m + 1.0) / (2.0 * m));
    P[stride * legendre_at(m, m)] = P_mm;
    double below = 0.0, here = P_mm, b = 0.0;
    for (int l = m + 1; l <= l_max; l++) {
      double a = sqrt((4.0 * l * l - 1.0) / ((double)l * l - (double)m * m));
      double above = a * (c * here - b * below);
      b = 1.0 / a;
      below = here;
      here = above;
      P[stride * legendre_at(l, m)] = above;
    }
  }
}

/* \sin\theta P' = l cos P_l - sqrt((2 l + 1)/(2 l - 1) (l^2 - m^2)) P_{l-1}, and Legendre's
 * equation. */
static void legendre_derivatives(int l_max, double c, double s, double (*P)[3]) {
  for (int l = 0; l <= l_max; l++)
    for (int m = 0; m <= l; m++) {
      double *at = P[legendre_at(l, m)], below = 0.0;
      if (m < l)
        below =
            sqrt((2.0 * l + 1.0) / (2.0 * l - 1.0) * (l * l - m * m)) * P[legendre_at(l - 1, m)][0];
      at[1] = (l * c * at[0] - below) / s;
      at[2] = -c / s * at[1] - (l * (l + 1.0) - m * m / (s * s)) * at[0];
    }
}

/* cos and sin of phi of column i of n (a multiple of 4), at i + 1/2: from the first quarter. */
static void column_angle(int n, int i, double *c, double *s) {
  int quarter = n / 4, q = i / quarter, k = i % quarter;
  if (q % 2) k = quarter - 1 - k;
  double phi = 2.0 * M_PI * (k + 0.5) / n;
  *c = q == 1 || q == 2 ? -cos(phi) : cos(phi);
  *s = q >= 2 ? -sin(phi) : sin(phi);
}

static void fill(tx_sphere *s) {
  tx_gauss_legendre(s->n_theta, s->cos_theta, s->weight);
  size_t n = legendre_count(s->l_max);
  for (int row = 0; row < s->n_theta; row++) {
    double c = s->cos_theta[row], sine = sqrt((1.0 - c) * (1.0 + c));
    double *P = s->legendre + 3 * n * (size_t)row;
    s->sin_theta[row] = sine;
    s->weight[row] *= 2.0 * M_PI / s->n_phi;
    legendre_values(s->l_max, c, sine, P, 3);
    legendre_derivatives(s->l_max, c, sine, (double(*)[3])P);
  }
  for (int column = 0; column < s->n_phi; column++) {
    double(*phase)[2] = s->phase + (size_t)column * (size_t)(s->l_max + 1), c, sine;
    column_angle(s->n_phi, column, &c, &sine);
    phase[0][0] = 1.0;
    phase[0][1] = 0.0;
    for (int m = 1; m <= s->l_max; m++) {
      phase[m][0] = phase[m - 1][0] * c - phase[m - 1][1] * sine;
      phase[m][1] = phase[m - 1][1] * c + phase[m - 1][0] * sine;
    }
  }
}

tx_status tx_sphere_create(int l_max, tx_sphere *out) {
  memset(out, 0, sizeof *out);
  out->l_max = l_max;
  out->n_theta = (l_max + ROWS_MARGIN + 1) / 2 * 2;
  out->n_phi = (2 * out->n_theta + 3) / 4 * 4;
  out->n = out->n_theta * out->n_phi;
  size_t rows = (size_t)out->n_theta, P = 3 * legendre_count(l_max) * rows;
  size_t phases = (size_t)out->n_phi * (size_t)(l_max + 1) * 2;
  TX_TRY(tx_alloc(3 * rows + P + phases, sizeof(double), "horizons", &out->block));
  out->cos_theta = out->block;
  out->sin_theta = out->cos_theta + rows;
  out->weight = out->sin_theta + rows;
  out->legendre = out->weight + rows;
  out->phase = (double(*)[2])(out->legendre + P);
  fill(out);
  return TX_OK;
}

void tx_sphere_destroy(tx_sphere *s) {
  tx_free(s->block);
  memset(s, 0, sizeof *s);
}

static const double *column_phase(const tx_sphere *s, int p, int m) {
  return s->phase[(size_t)(p % s->n_phi) * (size_t)(s->l_max + 1) + (size_t)m];
}

void tx_sphere_frame(const tx_sphere *s, int p, double n[3], double e[2][3]) {
  double ct = s->cos_theta[p / s->n_phi], st = s->sin_theta[p / s->n_phi], cp, sp;
  column_angle(s->n_phi, p % s->n_phi, &cp, &sp);
  double vectors[3][3] = {{st * cp, st * sp, ct}, {ct * cp, ct * sp, -st}, {-sp, cp, 0.0}};
  memcpy(n, vectors[0], sizeof vectors[0]);
  memcpy(e, vectors[1], 2 * sizeof vectors[1]);
}

void tx_sphere_harmonics(const tx_sphere *s, int p, int n, const int *mode, double (*y)[6]) {
  int row = p / s->n_phi;
  double st = s->sin_theta[row], cot = s->cos_theta[row] / st;
  const double(*P)[3] =
      (const double(*)[3])(s->legendre + 3 * legendre_count(s->l_max) * (size_t)row);
  for (int i = 0; i < n; i++) {
    int l, m;
    tx_sphere_mode(mode[i], &l, &m);
    const double *at = P[legendre_at(l, abs(m))], *phase = column_phase(s, p, abs(m));
    double factor = m ? M_SQRT2 : 1.0, f = factor * phase[m < 0];
    double df = m < 0 ? factor * -m * phase[0] : -factor * m * phase[1]; /* d f / d phi */
    y[i][0] = at[0] * f;
    y[i][1] = at[1] * f;
    y[i][2] = at[0] * df / st;
    y[i][3] = at[2] * f;
    y[i][4] = (at[1] - cot * at[0]) * df / st;
    y[i][5] = -m * m * at[0] * f / (st * st) + cot * at[1] * f;
  }
}

void tx_sphere_harmonics_at(int l_max, const double x[3], double *y) {
  double P[(TX_HORIZON_L_MAX + 1) * (TX_HORIZON_L_MAX + 2) / 2];
  double rho = hypot(x[0], x[1]), r = hypot(rho, x[2]);
  double c = rho > 0.0 ? x[0] / rho : 1.0, s = rho > 0.0 ? x[1] / rho : 0.0, re = 1.0, im = 0.0;
  legendre_values(l_max, x[2] / r, rho / r, P, 1);
  for (int m = 0; m <= l_max; m++) {
    for (int l = m; l <= l_max; l++) {
      double value = P[legendre_at(l, m)];
      y[l * l + l + m] = m ? M_SQRT2 * value * re : value;
      if (m) y[l * l + l - m] = M_SQRT2 * value * im;
    }
    double t = re * c - im * s;
    im = im * c + re * s;
    re = t;
  }
}
