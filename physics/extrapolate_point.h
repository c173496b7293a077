/* Ghosts beyond the outer boundary: polynomials through the nearest TX_OUTER_POINTS points of a line. */
#pragma once

#include "physics/lagrange_point.h"

/** Weights of ghost g + 1 beyond a face from the points 0, 1, ... inside: whole numbers. */
typedef struct tx_outer_weights {
  double w[TX_K][TX_OUTER_POINTS];
} tx_outer_weights;

TX_HD static inline TX_CONSTEXPR tx_outer_weights tx_outer_weights_make(void) {
  tx_outer_weights e = {{{0.0}}};
  for (int g = 0; g < TX_K; g++)
    for (int j = 0; j < TX_OUTER_POINTS; j++)
      e.w[g][j] = tx_lagrange_weight(TX_OUTER_POINTS, j, -2 * (g + 1));
  return e;
}
