/* The algebraic constraints of BSSN at one point; components in the order xx, xy, xz, yy, yz, zz.
 * The includer may define TX_REAL, a double unless it says otherwise, as a vector of doubles. */
#pragma once

#include <math.h>
#include "base/types.h"

#ifndef TX_REAL
#define TX_REAL double
#endif

/** Return the determinant, and the cofactors, of a symmetric matrix. */
TX_HD static inline TX_REAL tx_sym_cofactors(const TX_REAL g[6], TX_REAL cof[6]) {
  cof[0] = g[3] * g[5] - g[4] * g[4];
  cof[1] = g[2] * g[4] - g[1] * g[5];
  cof[2] = g[1] * g[4] - g[2] * g[3];
  cof[3] = g[0] * g[5] - g[2] * g[2];
  cof[4] = g[1] * g[2] - g[0] * g[4];
  cof[5] = g[0] * g[3] - g[1] * g[1];
  return g[0] * cof[0] + g[1] * cof[1] + g[2] * cof[2];
}

/** Return u^ij v_ij of two symmetric matrices. */
TX_HD static inline TX_REAL tx_sym_contract(const TX_REAL u[6], const TX_REAL v[6]) {
  return u[0] * v[0] + u[3] * v[3] + u[5] * v[5] + 2.0 * (u[1] * v[1] + u[2] * v[2] + u[4] * v[4]);
}

/** Whether tx_over_cbrt_near holds for det: where evolved metrics stay. */
#define TX_CBRT_NEAR(det) (((det) > 0.8) & ((det) < 1.25))

/** Return det^(-1/3) near 1: Newton's iteration from 1, at round-off after 5 steps. Exactly 1 for 1. */
TX_HD static inline TX_REAL tx_over_cbrt_near(TX_REAL det) {
  TX_REAL y = 1.0 - (det - 1.0) * (1.0 / 3.0);
  for (int n = 0; n < 4; n++) y += y * ((1.0 - det * y * y * y) * (1.0 / 3.0));
  return y;
}

/** Return det^(-1/3) elsewhere. */
TX_HD static inline double tx_over_cbrt_far(double det) {
  return 1.0 / cbrt(det);
}

/** Return chi or alpha, not below its floor; NaN stays. */
TX_HD static inline double tx_floor_point(double value, double least) {
  return value < least ? least : value;
}

/** Make det gt = 1, given over_cbrt = det(gt)^(-1/3) and the cofactors of gt, and then At
 *  tracefree. */
TX_HD static inline void tx_enforce_point(TX_REAL over_cbrt, const TX_REAL cof[6], TX_REAL gt[6],
                                          TX_REAL At[6]) {
  const TX_REAL third_trace = (1.0 / 3.0) * over_cbrt * over_cbrt * tx_sym_contract(cof, At);
  for (int c = 0; c < 6; c++) {
    gt[c] = over_cbrt * gt[c];
    At[c] = At[c] - third_trace * gt[c];
  }
}
