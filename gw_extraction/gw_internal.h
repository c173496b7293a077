/* What the files of the wave extraction share. */
#pragma once

#include "gw_extraction/gw.h"
#include "gw_extraction/harmonics.h"
#include "gw_extraction/lebedev.h"

enum { TX_GW_SPIN = -2, TX_GW_L_LOWEST = 2 };

/* What ranks tell each other of a sampled point. */
typedef enum tx_gw_column {
  TX_GW_PSI4_RE,
  TX_GW_PSI4_IM,
  TX_GW_AREA,   /**< physical area over solid angle, M^2 */
  TX_GW_OWNERS, /**< ranks that sampled it: 1 */
  TX_GW_COLUMNS
} tx_gw_column;

struct tx_gw {
  tx_gw_info info;
  double *radii;
  int reflect; /**< bit d: dimension d reflects */
  tx_lebedev rule;
  tx_harmonics *harmonics;
  int *used;                    /**< [n_used] index of a sampled point in the rule */
  int *image;                   /**< [n_points] which of `used` stands for the point */
  double *sign;                 /**< [n_points] factor of the imaginary part, -1: conjugate */
  double (*x)[3];               /**< [n_radii][n_used] coordinates, M */
  int batch;                    /**< spheres that are sampled at a time */
  double (*jets)[TX_VARS][10];  /**< [batch][n_used] */
  bool *mine;                   /**< [batch][n_used] */
  double (*sum)[TX_GW_COLUMNS]; /**< [n_radii][n_used] */
  double (*value)[2];           /**< [n_radii][n_points] Psi4 */
};
