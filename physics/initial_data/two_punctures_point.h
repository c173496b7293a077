/* Bowen-York data of one or two punctures at a point, for gcc and nvcc. */
#pragma once

#include "physics/initial_data/adm_point.h"

/** u as a spectral series in (A, B, phi) about the two foci. */
typedef struct tx_spectral {
  int n_A, n_B, n_phi;
  double half_distance;       /**< of the foci, M */
  double centre[3];           /**< middle of the foci */
  double axis[3][3];          /**< unit vectors: from focus 2 to focus 1, and two across */
  const double *coefficients; /**< host or device, wherever the point is evaluated; borrowed */
} tx_spectral;

/** Everything that a point of the data needs; `u.coefficients` is its only pointer. */
typedef struct tx_bowen_york {
  int n;          /**< punctures, 1 or 2 */
  int lapse_one;  /**< alpha = 1 instead of psi^-2 */
  double mass[2]; /**< bare */
  double position[2][3], momentum[2][3], spin[2][3];
  tx_spectral u;
} tx_bowen_york;

/** u at x. Its cost is that of the whole series: n_A n_B n_phi multiplications. */
TX_HD static inline double tx_spectral_point(const tx_spectral *s, const double *x);

/** All TX_VARS variables [out] u at x; chi is 0, not NaN, exactly at a puncture. */
TX_HD static inline void tx_bowen_york_point(const tx_bowen_york *b, const double *x, double *u);
