/* Coefficients of Chebyshev's semi-iteration (Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1), for gcc and nvcc:
 *      u' = u + alpha (u - what u was before) + beta D^-1 (f - A u). */
#pragma once

#include "base/types.h"

/** n steps for a spectrum of D^-1 A from low to high, of one sign. */
typedef struct tx_semi_iteration {
  int n;
  double low, high;
} tx_semi_iteration;

/** A step, and what the next one takes from it. */
typedef struct tx_semi_iteration_step {
  double alpha, beta, rho;
} tx_semi_iteration_step;

/** Return the first step; alpha = 0. */
TX_HD static inline tx_semi_iteration_step tx_semi_iteration_first(const tx_semi_iteration *c) {
  const double theta = (c->high + c->low) / 2.0, delta = (c->high - c->low) / 2.0;
  tx_semi_iteration_step s;
  s.alpha = 0.0;
  s.beta = 1.0 / theta;
  s.rho = delta / theta;
  return s;
}

/** Return the step after `before`. */
TX_HD static inline tx_semi_iteration_step
tx_semi_iteration_next(const tx_semi_iteration *c, const tx_semi_iteration_step *before) {
  const double theta = (c->high + c->low) / 2.0, delta = (c->high - c->low) / 2.0;
  tx_semi_iteration_step s;
  s.rho = 1.0 / (2.0 * theta / delta - before->rho);
  s.alpha = s.rho * before->rho;
  s.beta = 2.0 * s.rho / delta;
  return s;
}
