#include "physics/initial_data/bare_masses.h"

#include <math.h>

/* The least part of a bare mass that a step leaves, squared. */
#define LEAST 0.09

static double apart(const tx_bowen_york *b, int a, int c) {
  double d2 = 0.0;
  for (int i = 0; i < 3; i++) {
    const double d = b->position[a][i] - b->position[c][i];
    d2 += d * d;
  }
  return sqrt(d2);
}

/** Slopes of punctures at rest, u = 0. */
static void begin(tx_bare_masses *s, const double *wanted, const tx_bowen_york *b) {
  for (int a = 0; a < b->n; a++) {
    double factor = 1.0;
    for (int c = 0; c < b->n; c++)
      if (c != a) factor += b->mass[c] / (2.0 * apart(b, a, c));
    for (int c = 0; c < b->n; c++)
      if (c != a) {
        const double ratio = wanted[c] / wanted[a];
        s->slope[a][c] =
            ratio * ratio * factor * b->mass[a] * b->mass[a] / (2.0 * apart(b, a, c) * b->mass[c]);
      }
    s->slope[a][a] = factor * factor;
  }
  s->begun = true;
}

/** Broyden's update: the slope maps the last step to the change that it made. */
static void learn(tx_bare_masses *s, int n, const double *bare2, const double *adm2) {
  double step[TX_PUNCTURES_MAX], norm = 0.0;
  for (int a = 0; a < n; a++) {
    step[a] = bare2[a] - s->bare2[a];
    norm += step[a] * step[a];
  }
  if (!(norm > 0.0)) return;
  for (int a = 0; a < n; a++) {
    double miss = adm2[a] - s->adm2[a];
    for (int c = 0; c < n; c++) miss -= s->slope[a][c] * step[c];
    for (int c = 0; c < n; c++) s->slope[a][c] += miss * step[c] / norm;
  }
}

/** The step that the slopes ask for: diagonals outweigh the rest. */
static void solve(const tx_bare_masses *s, int n, double *x) {
  double m[TX_PUNCTURES_MAX][TX_PUNCTURES_MAX];
  for (int a = 0; a < n; a++)
    for (int c = 0; c < n; c++) m[a][c] = s->slope[a][c];
  for (int k = 0; k < n; k++)
    for (int a = k + 1; a < n; a++) {
      const double f = m[a][k] / m[k][k];
      for (int c = k; c < n; c++) m[a][c] -= f * m[k][c];
      x[a] -= f * x[k];
    }
  for (int a = n - 1; a >= 0; a--) {
    for (int c = a + 1; c < n; c++) x[a] -= m[a][c] * x[c];
    x[a] /= m[a][a];
  }
}

void tx_bare_masses_next(tx_bare_masses *s, const double *wanted, const double *adm, bool learns,
                         tx_bowen_york *b) {
  double bare2[TX_PUNCTURES_MAX], adm2[TX_PUNCTURES_MAX], step[TX_PUNCTURES_MAX];
  for (int a = 0; a < b->n; a++) {
    const double m = b->mass[a] / wanted[a], M = adm[a] / wanted[a];
    bare2[a] = m * m;
    adm2[a] = M * M;
    step[a] = (1.0 - M) * (1.0 + M);
  }
  if (!s->begun)
    begin(s, wanted, b);
  else if (learns)
    learn(s, b->n, bare2, adm2);
  solve(s, b->n, step);
  for (int a = 0; a < b->n; a++) {
    s->bare2[a] = bare2[a];
    s->adm2[a] = adm2[a];
    b->mass[a] *= sqrt(fmax(1.0 + step[a] / bare2[a], LEAST));
  }
}
