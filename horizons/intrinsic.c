/* With x^j = h n^j as functions on the unit sphere, \hat\nabla its connection and X_A = \hat\nabla_A x,
 *
 *   q_AB = \gamma_ij X_A^i X_B^j,
 *   q_DC C^C_AB = X_D^i (\gamma_ij \hat\nabla_A \hat\nabla_B x^j + \Gamma_ijk X_A^j X_B^k),
 *
 * so that \nabla_A \nabla_B z = \hat\nabla_A \hat\nabla_B z - C^C_AB \hat\nabla_C z on the surface: Gauss's
 * equation of a surface in a curved space. On the sphere \hat\nabla_A \hat\nabla_B n^j = -\delta_AB n^j. */
#include "horizons/intrinsic.h"

#include "base/vec3.h"

void tx_surface_tangents(const tx_surface_jet *s, double X[2][3]) {
  for (int A = 0; A < 2; A++)
    for (int i = 0; i < 3; i++) X[A][i] = s->d[A] * s->n[i] + s->h * s->e[A][i];
}

/* \hat\nabla_A \hat\nabla_B x^j, pair of indices p: 11, 12, 22. */
static double second(const tx_surface_jet *s, int p, int j) {
  const int A = p == 2, B = p > 0;
  const double along = s->dd[p] - (A == B ? s->h : 0.0);
  return along * s->n[j] + s->d[A] * s->e[B][j] + s->d[B] * s->e[A][j];
}

/* The vector that X_D is contracted with: first index lowered. */
static void bend(const tx_adm_jet *g, const tx_surface_jet *s, const double X[2][3], int p,
                 double out[3]) {
  const double *u = X[p == 2], *v = X[p > 0];
  for (int i = 0; i < 3; i++) {
    out[i] = 0.0;
    for (int j = 0; j < 3; j++) {
      out[i] += g->gamma_dd[i][j] * second(s, p, j);
      for (int k = 0; k < 3; k++)
        out[i] += 0.5 * u[j] * v[k] *
                  (g->dgamma_ddd[j][i][k] + g->dgamma_ddd[k][i][j] - g->dgamma_ddd[i][j][k]);
    }
  }
}

void tx_horizon_intrinsic(const tx_adm_jet *g, const tx_surface_jet *s,
                          double column[TX_INTRINSIC_COLUMNS]) {
  double X[2][3], X_d[2][3];
  double *q = column + TX_INTRINSIC_METRIC, *C = column + TX_INTRINSIC_CONNECTION;
  tx_surface_tangents(s, X);
  for (int A = 0; A < 2; A++)
    for (int i = 0; i < 3; i++) X_d[A][i] = tx_vec3_dot(g->gamma_dd[i], X[A]);
  q[0] = tx_vec3_dot(X_d[0], X[0]);
  q[1] = tx_vec3_dot(X_d[0], X[1]);
  q[2] = tx_vec3_dot(X_d[1], X[1]);
  const double det = q[0] * q[2] - q[1] * q[1];
  for (int p = 0; p < 3; p++) {
    double b[3];
    bend(g, s, (const double(*)[3])X, p, b);
    const double low[2] = {tx_vec3_dot(X[0], b), tx_vec3_dot(X[1], b)};
    C[p] = (q[2] * low[0] - q[1] * low[1]) / det;
    C[3 + p] = (q[0] * low[1] - q[1] * low[0]) / det;
  }
}
