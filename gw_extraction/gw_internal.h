/* Shared by the files of the wave extraction. */
#pragma once

#include "gw_extraction/gw.h"
#include "gw_extraction/harmonics.h"
#include "gw_extraction/lebedev.h"

enum { TX_GW_SPIN = -2, TX_GW_L_LOWEST = 2 };

struct tx_gw {
  tx_gw_info info;
  double *radii;
  int reflect; /**< bit d: dimension d reflects */
  tx_lebedev rule;
  tx_harmonics *harmonics;
  int *used;                      /**< [n_used] index of a sampled point in the rule */
  int *image;                     /**< [n_points] which of `used` stands for the point */
  double *sign;                   /**< [n_points] factor of the imaginary part, -1: conjugate */
  double (*x)[3];                 /**< [n_radii][n_used] coordinates, M */
  double (*sum)[TX_PSI4_COLUMNS]; /**< [n_radii][n_used] */
  double (*value)[2];             /**< [n_radii][n_points] Psi4 */
};
