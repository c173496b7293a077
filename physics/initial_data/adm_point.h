/* From a metric and an extrinsic curvature to the evolved variables, at one point. */
#pragma once

#include <math.h>
#include "base/types.h"
#include "params/words.h"
#include "physics/bssn.h"

/** 3+1 data at a point, with zero shift. */
typedef struct tx_adm_point {
  double alpha;               /**< lapse */
  double gamma_dd[3][3];      /**< metric */
  double dgamma_ddd[3][3][3]; /**< its derivatives, derivative index first */
  double K_dd[3][3];          /**< extrinsic curvature */
} tx_adm_point;

/** Return the offset of component (i, j) of a symmetric tensor behind its xx component. */
TX_HD static inline int tx_symmetric_at(int i, int j) {
  int a = i < j ? i : j, b = i < j ? j : i;
  return a * (5 - a) / 2 + b;
}

/** Fill flat space in Cartesian coordinates: [out] u of TX_VARS. */
TX_HD static inline void tx_minkowski_point(double *u) {
  for (int v = 0; v < TX_VARS; v++) u[v] = 0.0;
  u[TX_VAR_ALPHA] = u[TX_VAR_CHI] = 1.0;
  u[TX_VAR_GT00] = u[TX_VAR_GT11] = u[TX_VAR_GT22] = 1.0;
}

/** Return the lapse of puncture data (`lapse`: a tx_lapse) where \sum_a m_a/(2 r_a) is `sum`. The averaged one is the mean
 *  of 1 and (1 - sum)/(1 + sum). w: \alpha \psi of the maximal one, 1 where nothing moves. */
TX_HD static inline double tx_puncture_lapse(int lapse, double psi_minus_2, double sum, double w) {
  if (lapse == TX_LAPSE_ONE) return 1.0;
  if (lapse == TX_LAPSE_MAXIMAL) return w * sqrt(psi_minus_2);
  return lapse == TX_LAPSE_AVERAGED ? 1.0 / (1.0 + sum) : psi_minus_2;
}

/** Fill flat space, unit lapse, no curvature: the start of a wave. */
TX_HD static inline void tx_adm_flat_point(tx_adm_point *p) {
  p->alpha = 1.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      p->gamma_dd[i][j] = i == j ? 1.0 : 0.0;
      p->K_dd[i][j] = 0.0;
      for (int k = 0; k < 3; k++) p->dgamma_ddd[k][i][j] = 0.0;
    }
}

/** Compute the inverse [out] of a symmetric matrix; returns the determinant. */
TX_HD static inline double tx_symmetric_inverse(const double g_dd[3][3], double g_uu[3][3]) {
  double xx = g_dd[1][1] * g_dd[2][2] - g_dd[1][2] * g_dd[1][2];
  double xy = g_dd[0][2] * g_dd[1][2] - g_dd[0][1] * g_dd[2][2];
  double xz = g_dd[0][1] * g_dd[1][2] - g_dd[0][2] * g_dd[1][1];
  double det = g_dd[0][0] * xx + g_dd[0][1] * xy + g_dd[0][2] * xz;
  g_uu[0][0] = xx / det;
  g_uu[0][1] = g_uu[1][0] = xy / det;
  g_uu[0][2] = g_uu[2][0] = xz / det;
  g_uu[1][1] = (g_dd[0][0] * g_dd[2][2] - g_dd[0][2] * g_dd[0][2]) / det;
  g_uu[1][2] = g_uu[2][1] = (g_dd[0][1] * g_dd[0][2] - g_dd[0][0] * g_dd[1][2]) / det;
  g_uu[2][2] = (g_dd[0][0] * g_dd[1][1] - g_dd[0][1] * g_dd[0][1]) / det;
  return det;
}

/** Compute all TX_VARS variables [out] u of 3+1 data; beta = B = 0.
 *  \tilde\Gamma^i = -\partial_j(\gamma^{ij}/\chi)
 *                 = \gamma^{ia}(\gamma^{jb}\partial_j\gamma_{ab} - 1/3
 * \gamma^{bc}\partial_a\gamma_{bc})/\chi. */
TX_HD static inline void tx_adm_to_bssn_point(const tx_adm_point *p, double *u) {
  double g_uu[3][3];
  double chi = 1.0 / cbrt(tx_symmetric_inverse(p->gamma_dd, g_uu));
  double K = 0.0, dlndet_d[3] = {0.0, 0.0, 0.0};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      K += g_uu[a][b] * p->K_dd[a][b];
      for (int j = 0; j < 3; j++) dlndet_d[j] += g_uu[a][b] * p->dgamma_ddd[j][a][b];
    }
  double dgamma_d[3] = {0.0, 0.0, 0.0}; /* \gamma^{jb} \partial_j \gamma_{ab} */
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int j = 0; j < 3; j++) dgamma_d[a] += g_uu[j][b] * p->dgamma_ddd[j][a][b];

  tx_minkowski_point(u);
  u[TX_VAR_ALPHA] = p->alpha;
  u[TX_VAR_CHI] = chi;
  u[TX_VAR_K] = K;
  for (int i = 0; i < 3; i++) {
    double Gt = 0.0;
    for (int a = 0; a < 3; a++) Gt += g_uu[i][a] * (dgamma_d[a] - dlndet_d[a] / 3.0);
    u[TX_VAR_GAMT0 + i] = Gt / chi;
    for (int j = i; j < 3; j++) {
      int ij = tx_symmetric_at(i, j);
      u[TX_VAR_GT00 + ij] = chi * p->gamma_dd[i][j];
      u[TX_VAR_AT00 + ij] = chi * (p->K_dd[i][j] - p->gamma_dd[i][j] * K / 3.0);
    }
  }
}
