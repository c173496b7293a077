/* What diagnostics see of a system of equations: the metric of a slice and its extrinsic curvature. */
#pragma once

/** Metric and extrinsic curvature at a point, and how they change along the radial direction n. */
typedef struct tx_adm_jet {
  double gamma_dd[3][3];
  double dgamma_ddd[3][3][3]; /**< derivative index first */
  double K_dd[3][3];
  double dn_dgamma_ddd[3][3][3]; /**< n^l d_l of dgamma_ddd */
  double dn_K_dd[3][3];          /**< n^l d_l of K_dd */
} tx_adm_jet;
