/* The physical metric and extrinsic curvature: gamma_ij = gt_ij / chi, K_ij = At_ij / chi + gamma_ij K / 3. */
#include "physics/octant/octant.h"

#ifdef TX_SYSTEM_METRIC

static const int PAIR[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};   /* of a symmetric tensor */
static const int SECOND[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}}; /* in a jet of 10 */

/* Component v / chi and its first derivatives: [out] q[4]; second ones along n of the first:
 * [out] dn_dq. */
static void over_chi(const double v[10], const double chi[10], const double n[3], double q[4],
                     double dn_dq[3]) {
  q[0] = v[0] / chi[0];
  for (int k = 0; k < 3; k++) q[1 + k] = (v[1 + k] - q[0] * chi[1 + k]) / chi[0];
  for (int k = 0; k < 3; k++) {
    dn_dq[k] = 0.0;
    for (int l = 0; l < 3; l++)
      dn_dq[k] += n[l] * (v[SECOND[k][l]] - q[0] * chi[SECOND[k][l]] - q[1 + k] * chi[1 + l] -
                          q[1 + l] * chi[1 + k]);
    dn_dq[k] /= chi[0];
  }
}

static double along(const double n[3], const double d[3]) {
  return n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
}

void TX_OF(adm_at)(const double (*u)[10], const double n[3], tx_adm_jet *out) {
  const double *chi = u[TX_SYSTEM_FACTOR - TX_ADM_FIRST];
  double K[4]; /* and its first derivatives */
#define JET(variable) u[TX_NUMBER(variable) - TX_ADM_FIRST][m]
  for (int m = 0; m < 4; m++) K[m] = TX_SYSTEM_TRACE(JET);
#undef JET
  const double(*gt_dd)[10] = &u[TX_SYSTEM_METRIC - TX_ADM_FIRST];
  const double(*At_dd)[10] = &u[TX_SYSTEM_CURVATURE - TX_ADM_FIRST];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double g[4], dn_dg[3], A[4], dn_dA[3];
      over_chi(gt_dd[PAIR[i][j]], chi, n, g, dn_dg);
      over_chi(At_dd[PAIR[i][j]], chi, n, A, dn_dA);
      out->gamma_dd[i][j] = out->gamma_dd[j][i] = g[0];
      for (int k = 0; k < 3; k++) {
        out->dgamma_ddd[k][i][j] = out->dgamma_ddd[k][j][i] = g[1 + k];
        out->dn_dgamma_ddd[k][i][j] = out->dn_dgamma_ddd[k][j][i] = dn_dg[k];
      }
      out->K_dd[i][j] = out->K_dd[j][i] = A[0] + g[0] * K[0] / 3.0;
      out->dn_K_dd[i][j] = out->dn_K_dd[j][i] =
          along(n, A + 1) + (along(n, g + 1) * K[0] + g[0] * along(n, K + 1)) / 3.0;
    }
}
#endif
