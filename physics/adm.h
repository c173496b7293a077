/* Input of diagnostics, for any system of equations: the metric of a slice and its extrinsic curvature. */
#pragma once

/** Metric and extrinsic curvature at a point, and how they change along the radial direction n. */
typedef struct tx_adm_jet {
  double gamma_dd[3][3];
  double dgamma_ddd[3][3][3]; /**< derivative index first */
  double K_dd[3][3];
  double dn_dgamma_ddd[3][3][3]; /**< n^l d_l of dgamma_ddd */
  double dn_K_dd[3][3];          /**< n^l d_l of K_dd */
} tx_adm_jet;

/** Metric gamma_xx, xy, xz, yy, yz, zz, shift beta^x, y, z and lapse at a point, in this order, and how they change. */
enum { TX_METRIC_SHIFT = 6, TX_METRIC_LAPSE = 9, TX_METRIC_PARTS };
typedef struct tx_metric_jet {
  double value[TX_METRIC_PARTS];
  double dn[TX_METRIC_PARTS]; /**< along a unit vector n: n^l d_l, 1/M */
  double dt[TX_METRIC_PARTS]; /**< in time at fixed coordinates, 1/M */
} tx_metric_jet;
