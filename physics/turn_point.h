/* How the shift turns a sphere about the origin, at one of its points. */
#pragma once

#include "base/types.h"

/** Compute 3/2 x × beta/r^2, 1/M, whose mean over directions is Omega of beta = Omega × x, and 0 of any gradient and of
 *  what turns with l > 1. beta: the first number of each component. 0 at the centre. */
TX_HD static inline void tx_turn_point(const double (*beta)[10], const double x[3],
                                       double turn[3]) {
  const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  const double scale = square > 0.0 ? 1.5 / square : 0.0;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    turn[i] = scale * (x[j] * beta[k][0] - x[k] * beta[j][0]);
  }
}
