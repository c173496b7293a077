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

/** psi^-2 with \psi = 1 + \sum_a m_a/(2 r_a), as (r/(r + ...))^2, which is 0 at a puncture. */
TX_HD static inline double tx_punctures_psi_minus_2(const tx_punctures *b, const double *x) {
  double r[2] = {1.0, 1.0}, half_m[2] = {0.0, 0.0};
  for (int a = 0; a < b->n; a++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = x[i] - b->position[a][i];
    r[a] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    half_m[a] = 0.5 * b->mass[a];
  }
  double rr = r[0] * r[1];
  double q = rr / (rr + (half_m[0] * r[1] + half_m[1] * r[0]));
  return q * q;
}

/** All TX_VARS variables [out] u at x; chi is 0, not NaN, exactly at a puncture. */
TX_HD static inline void tx_punctures_point(const tx_punctures *b, const double *x, double *u) {
  tx_minkowski_point(u);
  double psi_m2 = tx_punctures_psi_minus_2(b, x);
  u[TX_VAR_CHI] = psi_m2 * psi_m2;
  if (!b->lapse_one) u[TX_VAR_ALPHA] = psi_m2;
}
