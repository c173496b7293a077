/* Interpolation from coarse to fine points: stencils of a midpoint, which base/grid.h tells of. */
#pragma once

#include "physics/lagrange_point.h"

/** Coarse points of a stencil below the lower neighbour of its midpoint. */
#define TX_MIDPOINT_REACH (TX_INTERP_POINTS / 2 - 1)

/** Weights of the coarse points -TX_MIDPOINT_REACH, ... relative to the lower neighbour. */
typedef struct tx_midpoint_weights {
  double w[TX_INTERP_GHOST];
} tx_midpoint_weights;

/** Return the weights of a number of points: TX_INTERP_POINTS, centred, 3 -25 150 150 -25 3 over 256; or TX_INTERP_GHOST,
 *  with one point more above, 7 -70 525 700 -175 42 -5 over 1024. Exact. */
TX_HD static inline TX_CONSTEXPR tx_midpoint_weights tx_midpoint_weights_make(int points) {
  tx_midpoint_weights m = {{0.0}};
  for (int t = 0; t < points; t++)
    m.w[t] = tx_lagrange_weight(points, t, 2 * TX_MIDPOINT_REACH + 1);
  return m;
}
