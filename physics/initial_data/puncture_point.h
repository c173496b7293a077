/* Black holes at a moment of time symmetry, at one point: Brill & Lindquist, Phys. Rev. 131, 471.
 */
#pragma once

#include "physics/initial_data/adm_point.h"

/** Punctures at rest. */
typedef struct tx_punctures {
  int n;                 /**< how many, 1 or 2 */
  int lapse_one;         /**< alpha = 1 instead of psi^-2 */
  double mass[2];        /**< bare masses, positive */
  double position[2][3]; /**< different positions */
} tx_punctures;

/** psi^-2 with \psi = 1 + \sum_a m_a/(2 r_a); finite, and its square 0, exactly at a puncture. The sum
 *  is the same to the last bit when equal punctures change places. */
TX_HD static inline double tx_punctures_psi_minus_2(const tx_punctures *b, const double *x) {
  double sum = 0.0;
  for (int a = 0; a < b->n; a++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = x[i] - b->position[a][i];
    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    sum += 0.5 * b->mass[a] / fmax(r, 1e-150);
  }
  double psi = 1.0 + sum;
  return 1.0 / (psi * psi);
}

/** All TX_VARS variables [out] u at x; chi is 0, not NaN, exactly at a puncture. */
TX_HD static inline void tx_punctures_point(const tx_punctures *b, const double *x, double *u) {
  tx_minkowski_point(u);
  double psi_m2 = tx_punctures_psi_minus_2(b, x);
  u[TX_VAR_CHI] = psi_m2 * psi_m2;
  if (!b->lapse_one) u[TX_VAR_ALPHA] = psi_m2;
}
