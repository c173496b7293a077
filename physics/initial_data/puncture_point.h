/* Black holes at a moment of time symmetry, at one point: Brill & Lindquist, Phys. Rev. 131, 471.
 */
#pragma once

#include "physics/initial_data/adm_point.h"

/** Punctures at rest. */
typedef struct tx_punctures {
  int n;                                /**< how many */
  int lapse;                            /**< a tx_lapse */
  double mass[TX_PUNCTURES_MAX];        /**< bare masses, positive */
  double position[TX_PUNCTURES_MAX][3]; /**< different positions */
} tx_punctures;

/** Return \sum_a m_a/(2 r_a) = \psi - 1; finite exactly at a puncture, and (1 + sum)^-4 is 0. The sum of two is the same to the
 *  last bit when equal punctures change places. */
TX_HD static inline double tx_punctures_sum(const tx_punctures *b, const double *x) {
  double sum = 0.0;
  for (int a = 0; a < b->n; a++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = x[i] - b->position[a][i];
    double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    sum += 0.5 * b->mass[a] / fmax(r, 1e-150);
  }
  return sum;
}

/** Compute all TX_VARS variables [out] u at x; chi is 0, not NaN, exactly at a puncture. */
TX_HD static inline void tx_punctures_point(const tx_punctures *b, const double *x, double *u) {
  tx_minkowski_point(u);
  double sum = tx_punctures_sum(b, x), psi = 1.0 + sum, psi_m2 = 1.0 / (psi * psi);
  u[TX_VAR_CHI] = psi_m2 * psi_m2;
  u[TX_VAR_ALPHA] = tx_puncture_lapse(b->lapse, psi_m2, sum, 1.0);
}
