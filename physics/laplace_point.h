/* The flat Laplacian by centred differences of order 2, 4 or 6, for gcc and nvcc: a star, so that it needs no ghosts
 * beyond edges and corners. */
#pragma once

#include "base/types.h"

/** Farthest points of the star. */
#define TX_LAPLACE_REACH 3

/** Weights, times h^2, of the point itself and of its neighbours at 1, 2, 3 spacings along one dimension; 0 beyond the
 *  star of lower orders. */
typedef struct tx_laplace_weights {
  double w[TX_LAPLACE_REACH + 1];
} tx_laplace_weights;

/** Return the weights of the sixth difference instead: no derivative of u, but what Kreiss-Oliger dissipation of order 5
 *  takes. */
TX_HD static inline TX_CONSTEXPR tx_laplace_weights tx_dissipation_weights_make(void) {
  tx_laplace_weights w = {{-20.0, 15.0, -6.0, 1.0}};
  return w;
}

/** Return the weights of an order: 2, 4 or 6. */
TX_HD static inline TX_CONSTEXPR tx_laplace_weights tx_laplace_weights_make(int order) {
  tx_laplace_weights two = {{-2.0, 1.0, 0.0, 0.0}};
  tx_laplace_weights four = {{-5.0 / 2, 4.0 / 3, -1.0 / 12, 0.0}};
  tx_laplace_weights six = {{-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90}};
  return order == 2 ? two : order == 4 ? four : six;
}
