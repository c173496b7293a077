#include "physics/bssn.h"
#include "exact_vacuum.h"

#include <math.h>
#include <string.h>

#define FOR(i) for (int i = 0; i < 3; i++)

typedef long double real;

/* Centred differences of order 8. */
enum { REACH = 4 };
static const real w1[REACH + 1] = {0, 672 / 840.0L, -168 / 840.0L, 32 / 840.0L, -3 / 840.0L};
static const real w2[REACH + 1] = {-14350 / 5040.0L, 8064 / 5040.0L, -1008 / 5040.0L, 128 / 5040.0L,
                                   -9 / 5040.0L};

/* Steps of the derivatives inside the variables and of the jets. */
static const real inner = 0.02L, outer = 0.04L;

/* X^m = x^m + a_m sin(k_m x + m). */
static const real amplitude[4] = {0.3L, 0.2L, 0.25L, 0.15L};
static const real wave[4][4] = {{0.3L, 0.4L, -0.3L, 0.2L},
                                {-0.5L, 0.2L, 0.3L, 0.4L},
                                {0.4L, 0.3L, -0.2L, 0.3L},
                                {0.3L, -0.4L, 0.3L, 0.2L}};

static void kerr_coordinates(const real x[4], real X[4], real J[4][4]) {
  for (int m = 0; m < 4; m++) {
    real phase = m;
    for (int n = 0; n < 4; n++) phase += wave[m][n] * x[n];
    X[m] = x[m] + amplitude[m] * sinl(phase);
    for (int n = 0; n < 4; n++) J[m][n] = (m == n) + amplitude[m] * wave[m][n] * cosl(phase);
  }
}

static real spheroidal_radius(const real X[4]) {
  const real a = (real)EXACT_SPIN, b = X[1] * X[1] + X[2] * X[2] + X[3] * X[3] - a * a;
  return sqrtl((b + sqrtl(b * b + 4 * a * a * X[3] * X[3])) / 2);
}

/* Kerr-Schild form, g = eta + 2 H l l, pulled back to x. */
static void metric(const real x[4], real g[4][4]) {
  real X[4], J[4][4], k[4][4];
  kerr_coordinates(x, X, J);
  const real a = (real)EXACT_SPIN, r = spheroidal_radius(X), q = r * r + a * a;
  const real H = r * r * r / (r * r * r * r + a * a * X[3] * X[3]);
  const real l[4] = {1, (r * X[1] + a * X[2]) / q, (r * X[2] - a * X[1]) / q, X[3] / r};
  for (int m = 0; m < 4; m++)
    for (int n = 0; n < 4; n++) k[m][n] = 2 * H * l[m] * l[n] + (m == n ? (m ? 1 : -1) : 0);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      g[i][j] = 0;
      for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++) g[i][j] += J[m][i] * J[n][j] * k[m][n];
    }
}

/* Lapse, shift, 3-metric, chi, and the inverse of gt. */
typedef struct adm {
  real alpha, chi, beta[3], g[3][3], gtu[3][3];
} adm;

static void adm_at(const real x[4], adm *s) {
  real g4[4][4], gu[3][3], det = 0, beta2 = 0;
  metric(x, g4);
  FOR(i) FOR(j) s->g[i][j] = g4[i + 1][j + 1];
  FOR(i) FOR(j) {
    const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
    gu[i][j] = s->g[a][c] * s->g[b][d] - s->g[a][d] * s->g[b][c];
  }
  FOR(j) det += gu[0][j] * s->g[0][j];
  FOR(i) FOR(j) gu[i][j] /= det;
  s->chi = 1 / cbrtl(det);
  FOR(i) {
    s->beta[i] = 0;
    FOR(j) {
      s->beta[i] += gu[i][j] * g4[0][j + 1];
      s->gtu[i][j] = gu[i][j] / s->chi;
    }
    beta2 += s->beta[i] * g4[0][i + 1];
  }
  s->alpha = sqrtl(beta2 - g4[0][0]);
}

/* All variables: K_ij = -1/(2 alpha) (d_t - L_beta) gamma_ij and Gt^i = -d_j gt^ij. */
static void variables(const real x[4], real u[TX_VARS]) {
  adm s, d[4];
  adm_at(x, &s);
  memset(d, 0, sizeof d);
  for (int m = 0; m < 4; m++)
    for (int n = -REACH; n <= REACH; n++) {
      real y[4];
      adm t;
      if (n == 0) continue;
      memcpy(y, x, sizeof y);
      y[m] += n * inner;
      adm_at(y, &t);
      const real w = (n < 0 ? -1 : 1) * w1[n < 0 ? -n : n] / inner;
      FOR(i) {
        d[m].beta[i] += w * t.beta[i];
        FOR(j) d[m].g[i][j] += w * t.g[i][j];
        FOR(j) d[m].gtu[i][j] += w * t.gtu[i][j];
      }
    }
  real K[3][3], trace = 0;
  FOR(i) FOR(j) {
    K[i][j] = d[0].g[i][j];
    FOR(k)
    K[i][j] -=
        s.beta[k] * d[k + 1].g[i][j] + s.g[k][j] * d[i + 1].beta[k] + s.g[i][k] * d[j + 1].beta[k];
    K[i][j] /= -2 * s.alpha;
    trace += s.chi * s.gtu[i][j] * K[i][j];
  }
  memset(u, 0, TX_VARS * sizeof *u);
  u[TX_VAR_ALPHA] = s.alpha;
  u[TX_VAR_CHI] = s.chi;
  u[TX_VAR_K] = trace;
  int c = 0;
  FOR(i) {
    u[TX_VAR_BETA0 + i] = s.beta[i];
    FOR(j) u[TX_VAR_GAMT0 + i] -= d[j + 1].gtu[i][j];
    for (int j = i; j < 3; j++, c++) {
      u[TX_VAR_GT00 + c] = s.chi * s.g[i][j];
      u[TX_VAR_AT00 + c] = s.chi * (K[i][j] - s.g[i][j] * trace / 3);
    }
  }
}

/* Add weight * u(x + p e_m + q e_n) to sum. */
static void add(const real x[4], int m, int p, int n, int q, real weight, real sum[TX_VARS]) {
  real y[4], u[TX_VARS];
  memcpy(y, x, sizeof y);
  y[m] += p * outer;
  y[n] += q * outer;
  variables(y, u);
  for (int v = 0; v < TX_VARS; v++) sum[v] += weight * u[v];
}

/* d_m u, d_m d_m u, or d_m d_n u for m != n. */
static void first(const real x[4], int m, real d[TX_VARS]) {
  memset(d, 0, TX_VARS * sizeof *d);
  for (int p = 1; p <= REACH; p++) {
    add(x, m, p, m, 0, w1[p] / outer, d);
    add(x, m, -p, m, 0, -w1[p] / outer, d);
  }
}

static void second(const real x[4], int m, int n, real d[TX_VARS]) {
  memset(d, 0, TX_VARS * sizeof *d);
  if (m == n) {
    add(x, m, 0, m, 0, w2[0] / (outer * outer), d);
    for (int p = 1; p <= REACH; p++) {
      add(x, m, p, m, 0, w2[p] / (outer * outer), d);
      add(x, m, -p, m, 0, w2[p] / (outer * outer), d);
    }
    return;
  }
  for (int p = -REACH; p <= REACH; p++)
    for (int q = -REACH; q <= REACH; q++)
      if (p && q)
        add(x, m, p, n, q,
            (p < 0 ? -1 : 1) * (q < 0 ? -1 : 1) * w1[p < 0 ? -p : p] * w1[q < 0 ? -q : q] /
                (outer * outer),
            d);
}

void exact_jets(const double x[4], double jets[TX_VARS][10]) {
  const real y[4] = {x[0], x[1], x[2], x[3]};
  real d[10][TX_VARS];
  variables(y, d[0]);
  int c = 4;
  for (int i = 0; i < 3; i++) {
    first(y, i + 1, d[1 + i]);
    for (int j = i; j < 3; j++) second(y, i + 1, j + 1, d[c++]);
  }
  for (int v = 0; v < TX_VARS; v++)
    for (int n = 0; n < 10; n++) jets[v][n] = (double)d[n][v];
}

void exact_dot(const double x[4], double dot[TX_VARS]) {
  const real y[4] = {x[0], x[1], x[2], x[3]};
  real d[TX_VARS];
  first(y, 0, d);
  for (int v = 0; v < TX_VARS; v++) dot[v] = (double)d[v];
}

void exact_position(const double x[4], double *r, double *cos_theta) {
  const real y[4] = {x[0], x[1], x[2], x[3]};
  real X[4], J[4][4];
  kerr_coordinates(y, X, J);
  *r = (double)spheroidal_radius(X);
  *cos_theta = (double)X[3] / *r;
}
