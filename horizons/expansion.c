/* With F = r - h(theta, phi), N = |grad F|, s_i = F_i / N and q^ij = gamma^ij - s^i s^j,
 *
 *   \Theta = q^ij (F_ij / N - \Gamma_kij s^k - K_ij),
 *
 * as D_i s^i = q^ij D_i D_j F / N and K = gamma^ij K_ij. Newton's method needs its derivatives
 * by the height h of the surface at the point, which moves the point through the metric, and by
 * the first and second derivatives of h. */
#include "horizons/expansion.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* F_i, F_ij and what follows from them and the metric. */
typedef struct geometry {
  double F_d[3], F_dd[3][3];
  double gamma_uu[3][3], det;
  double Gamma_ddd[3][3][3]; /* first index lowered */
  double N, s_d[3], s_u[3], q_uu[3][3];
  double A_dd[3][3]; /* what q^ij contracts */
} geometry;

/* A change of everything Theta depends on. */
typedef struct change {
  double gamma_dd[3][3], Gamma_ddd[3][3][3], K_dd[3][3], F_d[3], F_dd[3][3];
} change;

static void invert(const double g[3][3], double inverse[3][3], double *det) {
  double c[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
      c[i][j] = g[a][p] * g[b][q] - g[a][q] * g[b][p];
    }
  *det = g[0][0] * c[0][0] + g[0][1] * c[0][1] + g[0][2] * c[0][2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[i][j] = c[i][j] / *det;
}

/* \Gamma_kij = (d_i gamma_kj + d_j gamma_ki - d_k gamma_ij) / 2 */
static void christoffel(const double d_ddd[3][3][3], double Gamma_ddd[3][3][3]) {
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        Gamma_ddd[k][i][j] = 0.5 * (d_ddd[i][k][j] + d_ddd[j][k][i] - d_ddd[k][i][j]);
}

static void raise(const double g_uu[3][3], const double v_d[3], double v_u[3]) {
  for (int i = 0; i < 3; i++)
    v_u[i] = g_uu[i][0] * v_d[0] + g_uu[i][1] * v_d[1] + g_uu[i][2] * v_d[2];
}

/* a^ij b_ij */
static double contract(const double a[3][3], const double b[3][3]) {
  double sum = 0.0;
  for (int i = 0; i < 3; i++) sum += tx_vec3_dot(a[i], b[i]);
  return sum;
}

/* F_i = n_i - e_i / h and F_ij = (delta_ij - n_i n_j) / h - (H_ij - n_i e_j - e_i n_j) / h^2
 * with the gradient e and the Hessian H of h on the unit sphere. */
static void level_function(const tx_surface_jet *s, double F_d[3], double F_dd[3][3]) {
  double e[3];
  for (int i = 0; i < 3; i++) e[i] = s->d[0] * s->e[0][i] + s->d[1] * s->e[1][i];
  for (int i = 0; i < 3; i++) {
    F_d[i] = s->n[i] - e[i] / s->h;
    for (int j = 0; j < 3; j++) {
      const double *u = s->e[0], *v = s->e[1], *n = s->n;
      double H =
          s->dd[0] * u[i] * u[j] + s->dd[1] * (u[i] * v[j] + v[i] * u[j]) + s->dd[2] * v[i] * v[j];
      F_dd[i][j] =
          ((i == j) - n[i] * n[j]) / s->h - (H - n[i] * e[j] - e[i] * n[j]) / (s->h * s->h);
    }
  }
}

static void geometry_make(const tx_adm_jet *g, const tx_surface_jet *s, geometry *w) {
  level_function(s, w->F_d, w->F_dd);
  invert(g->gamma_dd, w->gamma_uu, &w->det);
  christoffel(g->dgamma_ddd, w->Gamma_ddd);
  double F_u[3];
  raise(w->gamma_uu, w->F_d, F_u);
  w->N = sqrt(tx_vec3_dot(w->F_d, F_u));
  for (int i = 0; i < 3; i++) {
    w->s_d[i] = w->F_d[i] / w->N;
    w->s_u[i] = F_u[i] / w->N;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double Gamma_s = 0.0;
      for (int k = 0; k < 3; k++) Gamma_s += w->Gamma_ddd[k][i][j] * w->s_u[k];
      w->q_uu[i][j] = w->gamma_uu[i][j] - w->s_u[i] * w->s_u[j];
      w->A_dd[i][j] = w->F_dd[i][j] / w->N - Gamma_s - g->K_dd[i][j];
    }
}

/* Change of Theta to first order. */
static double vary(const geometry *w, const change *c) {
  double g_s_d[3], dF_u[3], g_s_u[3]; /* delta gamma_ij s^j; indices raised */
  for (int i = 0; i < 3; i++) g_s_d[i] = tx_vec3_dot(c->gamma_dd[i], w->s_u);
  raise(w->gamma_uu, c->F_d, dF_u);
  raise(w->gamma_uu, g_s_d, g_s_u);
  double dN = tx_vec3_dot(w->s_u, c->F_d) - 0.5 * w->N * tx_vec3_dot(w->s_u, g_s_d);
  double ds_u[3], half[3][3], sum = 0.0;
  for (int i = 0; i < 3; i++) ds_u[i] = (dF_u[i] - w->s_u[i] * dN) / w->N - g_s_u[i];
  for (int i = 0; i < 3; i++) /* delta gamma_ij with one index raised */
    for (int j = 0; j < 3; j++)
      half[i][j] = w->gamma_uu[i][0] * c->gamma_dd[0][j] + w->gamma_uu[i][1] * c->gamma_dd[1][j] +
                   w->gamma_uu[i][2] * c->gamma_dd[2][j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double dq = -tx_vec3_dot(half[i], w->gamma_uu[j]) - ds_u[i] * w->s_u[j] - w->s_u[i] * ds_u[j];
      double dA = (c->F_dd[i][j] - w->F_dd[i][j] * dN / w->N) / w->N - c->K_dd[i][j];
      for (int k = 0; k < 3; k++)
        dA -= c->Gamma_ddd[k][i][j] * w->s_u[k] + w->Gamma_ddd[k][i][j] * ds_u[k];
      sum += dq * w->A_dd[i][j] + w->q_uu[i][j] * dA;
    }
  return sum;
}

/* The point moves outwards by 1, the derivatives of h staying what they are. */
static double by_height(const geometry *w, const tx_adm_jet *g, const tx_surface_jet *s) {
  change c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.gamma_dd[i][j] = s->n[0] * g->dgamma_ddd[0][i][j] + s->n[1] * g->dgamma_ddd[1][i][j] +
                         s->n[2] * g->dgamma_ddd[2][i][j];
  christoffel(g->dn_dgamma_ddd, c.Gamma_ddd);
  memcpy(c.K_dd, g->dn_K_dd, sizeof c.K_dd);
  for (int i = 0; i < 3; i++) {
    c.F_d[i] = (s->n[i] - w->F_d[i]) / s->h;
    for (int j = 0; j < 3; j++) {
      double round = ((i == j) - s->n[i] * s->n[j]) / s->h; /* F_ij = round - rest / h^2 */
      c.F_dd[i][j] = (round - 2.0 * w->F_dd[i][j]) / s->h;
    }
  }
  return vary(w, &c);
}

/* The gradient of h gets the unit vector e[a] more. */
static double by_gradient(const geometry *w, const tx_surface_jet *s, int a) {
  change c;
  memset(&c, 0, sizeof c);
  for (int i = 0; i < 3; i++) {
    c.F_d[i] = -s->e[a][i] / s->h;
    for (int j = 0; j < 3; j++)
      c.F_dd[i][j] = (s->n[i] * s->e[a][j] + s->e[a][i] * s->n[j]) / (s->h * s->h);
  }
  return vary(w, &c);
}

/* K_jk s^k without its part along the normal. */
static void spin_density(const geometry *w, const tx_adm_jet *g, double spin[3]) {
  double K_s[3];
  for (int i = 0; i < 3; i++) K_s[i] = tx_vec3_dot(g->K_dd[i], w->s_u);
  double along = tx_vec3_dot(K_s, w->s_u);
  for (int i = 0; i < 3; i++) spin[i] = K_s[i] - along * w->s_d[i];
}

void tx_horizon_expansion(const tx_adm_jet *g, const tx_surface_jet *s,
                          double column[TX_HORIZON_COLUMNS]) {
  geometry w;
  geometry_make(g, s, &w);
  column[TX_HORIZON_THETA] = contract(w.q_uu, w.A_dd);
  column[TX_HORIZON_BY_H] = by_height(&w, g, s);
  double q_e[2][3], scale = -1.0 / (w.N * s->h * s->h);
  for (int a = 0; a < 2; a++) {
    column[TX_HORIZON_BY_D + a] = by_gradient(&w, s, a);
    raise(w.q_uu, s->e[a], q_e[a]);
  }
  double *by_dd = column + TX_HORIZON_BY_DD;
  by_dd[0] = scale * tx_vec3_dot(q_e[0], s->e[0]);
  by_dd[1] = 2.0 * scale * tx_vec3_dot(q_e[0], s->e[1]);
  by_dd[2] = scale * tx_vec3_dot(q_e[1], s->e[1]);
  column[TX_HORIZON_RATE] = -2.0 / (by_dd[0] + by_dd[2]);
  column[TX_HORIZON_AREA] = sqrt(w.det) * w.N * s->h * s->h;
  spin_density(&w, g, column + TX_HORIZON_SPIN);
}
