#include "support/horizon_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

static void conformally_flat(double psi, double gamma_dd[3][3], double K_dd[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      gamma_dd[i][j] = i == j ? psi * psi * psi * psi : 0.0;
      if (K_dd) K_dd[i][j] = 0.0;
    }
}

void metric_of_punctures(const void *data, const double x[3], double gamma_dd[3][3],
                         double K_dd[3][3]) {
  const metric_punctures *p = data;
  double psi = 1.0;
  for (int a = 0; a < p->n; a++) {
    double r2 = 0.0;
    for (int d = 0; d < 3; d++) r2 += (x[d] - p->position[a][d]) * (x[d] - p->position[a][d]);
    psi += 0.5 * p->mass[a] / sqrt(r2);
  }
  conformally_flat(psi, gamma_dd, K_dd);
}

void metric_flat(const void *data, const double x[3], double gamma_dd[3][3], double K_dd[3][3]) {
  conformally_flat(1.0, gamma_dd, K_dd);
}

void metric_nan(const void *data, const double x[3], double gamma_dd[3][3], double K_dd[3][3]) {
  conformally_flat((double)NAN, gamma_dd, K_dd);
}

/* Along the velocity a length is longer by gamma in the frame of the hole, where the slice is at time
 * -gamma v x: the metric does not depend on it. */
static double boosted(const double velocity[3], const double x[3], double out[3]) {
  const double v2 = tx_vec3_dot(velocity, velocity), gamma = 1.0 / sqrt(1.0 - v2);
  const double along = v2 > 0.0 ? (gamma - 1.0) * tx_vec3_dot(velocity, x) / v2 : 0.0;
  for (int d = 0; d < 3; d++) out[d] = x[d] + along * velocity[d];
  return gamma;
}

/* gamma_ij = delta_ij + f l_i l_j and beta_i = f l_0 l_i. At rest l_0 = 1 and, with
 * r^4 - (x^2 - a^2) r^2 - (a x)^2 = 0,
 * l = (r x - a cross x + (a x) a / r) / (r^2 + a^2), f = 2 r^3 / (r^4 + (a x)^2) (mass 1). Returns f l_0^2. */
static double kerr_schild(const metric_kerr *kerr, const double x[3], double gamma_dd[3][3],
                          double beta_d[3]) {
  double moved[3], y[3], turn[3], rest[3], l[3];
  for (int d = 0; d < 3; d++) moved[d] = x[d] - kerr->position[d];
  const double gamma = boosted(kerr->velocity, moved, y);
  double a2 = tx_vec3_dot(kerr->a, kerr->a), ay = tx_vec3_dot(kerr->a, y),
         b = tx_vec3_dot(y, y) - a2;
  double r2 = 0.5 * (b + sqrt(b * b + 4.0 * ay * ay)), r = sqrt(r2);
  double f = 2.0 * r2 * r / (r2 * r2 + ay * ay);
  tx_vec3_cross(kerr->a, y, turn);
  for (int d = 0; d < 3; d++) rest[d] = (r * y[d] - turn[d] + ay * kerr->a[d] / r) / (r2 + a2);
  const double l_0 = gamma * (1.0 - tx_vec3_dot(kerr->velocity, rest));
  boosted(kerr->velocity, rest, l);
  for (int d = 0; d < 3; d++) l[d] -= gamma * kerr->velocity[d];
  for (int i = 0; i < 3; i++) {
    beta_d[i] = f * l_0 * l[i];
    for (int j = 0; j < 3; j++) gamma_dd[i][j] = (i == j) + f * l[i] * l[j];
  }
  return f * l_0 * l_0;
}

static const double WEIGHT[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

/* K_ij = (D_i beta_j + D_j beta_i - d_t gamma_ij) / (2 alpha), alpha = 1 / sqrt(1 + F) and beta^i =
 * beta_i / (1 + F) with F = f l_0^2; d_t = -v^k d_k. */
void metric_of_kerr(const void *data, const double x[3], double gamma_dd[3][3], double K_dd[3][3]) {
  const double h = 0.02, *v = ((const metric_kerr *)data)->velocity;
  double dgamma[3][3][3] = {{{0.0}}}, dbeta[3][3] = {{0.0}}, beta_d[3];
  const double F = kerr_schild(data, x, gamma_dd, beta_d);
  if (!K_dd) return;
  for (int k = 0; k < 3; k++)
    for (int s = 1; s <= 4; s++)
      for (int side = -1; side <= 1; side += 2) {
        double at[3] = {x[0], x[1], x[2]}, g[3][3], b[3], w = side * WEIGHT[s - 1] / h;
        at[k] += side * s * h;
        kerr_schild(data, at, g, b);
        for (int i = 0; i < 3; i++) {
          dbeta[k][i] += w * b[i];
          for (int j = 0; j < 3; j++) dgamma[k][i][j] += w * g[i][j];
        }
      }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = dbeta[i][j] + dbeta[j][i];
      for (int k = 0; k < 3; k++)
        sum += v[k] * dgamma[k][i][j] -
               (dgamma[i][k][j] + dgamma[j][k][i] - dgamma[k][i][j]) * beta_d[k] / (1.0 + F);
      K_dd[i][j] = 0.5 * sqrt(1.0 + F) * sum;
    }
}

void metric_of_mapped(const void *data, const double x[3], double gamma_dd[3][3],
                      double K_dd[3][3]) {
  const metric_mapped *m = data;
  double X[3], slope[3][3], g[2][3][3]; /* slope: d X_i / d x_j */
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3;
    memcpy(slope[i], m->map[i], sizeof slope[i]);
    slope[i][next] += m->wave[i] * cos(x[next]);
    X[i] = tx_vec3_dot(m->map[i], x) + m->wave[i] * sin(x[next]);
  }
  m->metric(m->data, X, g[0], K_dd ? g[1] : NULL);
  for (int q = 0; q < (K_dd ? 2 : 1); q++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++) sum += g[q][k][l] * slope[k][i] * slope[l][j];
        (q ? K_dd : gamma_dd)[i][j] = sum;
      }
}

/* First and second derivative along a vector, of gamma and, n = 2, of K: [out] d[derivative -
 * 1][n][3][3]. */
static void slopes(const metric_jets *jets, const double x[3], const double along[3], int n,
                   double d[2][2][3][3]) {
  static const double second[5] = {-205.0 / 72.0, 8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  memset(d, 0, 2 * sizeof *d);
  for (int s = -4; s <= 4; s++) {
    double at[3], g[2][3][3], w[2] = {0.0, second[abs(s)] / (jets->h * jets->h)};
    if (s != 0) w[0] = (s > 0 ? 1.0 : -1.0) * WEIGHT[abs(s) - 1] / jets->h;
    for (int i = 0; i < 3; i++) at[i] = x[i] + s * jets->h * along[i];
    jets->metric(jets->data, at, g[0], n == 2 ? g[1] : NULL);
    for (int order = 0; order < 2; order++)
      for (int q = 0; q < n; q++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) d[order][q][i][j] += w[order] * g[q][i][j];
  }
}

/* n^l d_l d_k gamma = ((n + e_k)^2 - (n - e_k)^2) / 4 of second derivatives. */
void metric_jet(const metric_jets *jets, const double x[3], const double normal[3],
                tx_adm_jet *out) {
  double d[2][2][3][3];
  memset(out, 0, sizeof *out);
  jets->metric(jets->data, x, out->gamma_dd, out->K_dd);
  slopes(jets, x, normal, 2, d);
  memcpy(out->dn_K_dd, d[0][1], sizeof d[0][1]);
  for (int k = 0; k < 3; k++) {
    double along[3] = {0.0};
    along[k] = 1.0;
    slopes(jets, x, along, 1, d);
    memcpy(out->dgamma_ddd[k], d[0][0], sizeof d[0][0]);
    for (int side = -1; side <= 1; side += 2) {
      for (int i = 0; i < 3; i++) along[i] = normal[i] + (i == k ? side : 0);
      slopes(jets, x, along, 1, d);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out->dn_dgamma_ddd[k][i][j] += 0.25 * side * d[1][0][i][j];
    }
  }
}

static tx_status sample(void *context, size_t n, const double (*x)[3], const double (*normal)[3],
                        tx_adm_jet *out, bool *mine) {
  metric_jets *jets = context;
  jets->calls++;
  for (size_t i = 0; i < n; i++) {
    metric_jet(jets, x[i], normal[i], &out[i]);
    mine[i] = true;
  }
  return TX_OK;
}

tx_metric_source metric_source(metric_jets *jets) {
  return (tx_metric_source){
      .comm = MPI_COMM_SELF, .spacing = 0.01, .sample = sample, .context = jets};
}
