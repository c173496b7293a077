/* The algebraic constraints of BSSN at one point; components in the order xx, xy, xz, yy, yz, zz.
 * The includer may define TX_REAL, a double unless it says otherwise, as a vector of doubles. */
#pragma once

#include "base/types.h"

#ifndef TX_REAL
#define TX_REAL double
#endif

/** Determinant, and the cofactors, of a symmetric matrix. */
TX_HD static inline TX_REAL tx_sym_cofactors(const TX_REAL g[6], TX_REAL cof[6]) {
  cof[0] = g[3] * g[5] - g[4] * g[4];
  cof[1] = g[2] * g[4] - g[1] * g[5];
  cof[2] = g[1] * g[4] - g[2] * g[3];
  cof[3] = g[0] * g[5] - g[2] * g[2];
  cof[4] = g[1] * g[2] - g[0] * g[4];
  cof[5] = g[0] * g[3] - g[1] * g[1];
  return g[0] * cof[0] + g[1] * cof[1] + g[2] * cof[2];
}

/** u^ij v_ij of two symmetric matrices. */
TX_HD static inline TX_REAL tx_sym_contract(const TX_REAL u[6], const TX_REAL v[6]) {
  return u[0] * v[0] + u[3] * v[3] + u[5] * v[5] + 2.0 * (u[1] * v[1] + u[2] * v[2] + u[4] * v[4]);
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
