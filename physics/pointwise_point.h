/* Functions of fields at a point, for gcc and nvcc. pointwise.def names them and says what they take: u, the values of
 * the input fields' variables one field after the other; p, the parameters; out, the output field's variables. They read all of u
 * before they write to out. */
#pragma once

#include <math.h>

#include "base/types.h"

/** Return u^n for n >= 0. */
TX_HD static inline double tx_pointwise_whole_power(double u, int n) {
  double power = n & 1 ? u : 1.0;
  while (n >>= 1) {
    u *= u;
    if (n & 1) power *= u;
  }
  return power;
}

/** Divide; the divisor keeps its sign where it is raised; 0 counts as positive, -0 as negative. */
TX_HD static inline void tx_pointwise_quotient(const double *u, const double *p, double *out) {
  const double divisor = fabs(u[1]) < p[0] ? copysign(p[0], u[1]) : u[1];
  out[0] = u[0] / divisor;
}

/** Evaluate the source of the Hamiltonian constraint of Bowen-York data (gr-qc/9703066, whose beta and alpha are a and b): with
 *  the conformal factor psi_s + u, psi_s that of the punctures, b = 1 / psi_s and a = A_ij A^ij psi_s^-7 / 8,
 *  \Delta u + a (1 + b u)^{-7} = 0. */
TX_HD static inline void tx_pointwise_hamiltonian_source(const double *u, const double *p,
                                                         double *out) {
  (void)p;
  out[0] = u[0] / tx_pointwise_whole_power(1.0 + u[1] * u[2], 7);
}

/** Evaluate its derivative by u. */
TX_HD static inline void tx_pointwise_hamiltonian_slope(const double *u, const double *p,
                                                        double *out) {
  (void)p;
  out[0] = -7.0 * u[0] * u[1] / tx_pointwise_whole_power(1.0 + u[1] * u[2], 8);
}

/** Evaluate the source of \Delta w + a w = 0 as an equation for u = w - 1, which falls off. */
TX_HD static inline void tx_pointwise_linear_source(const double *u, const double *p, double *out) {
  (void)p;
  out[0] = u[0] * (1.0 + u[1]);
}

/** Evaluate its derivative by u. */
TX_HD static inline void tx_pointwise_linear_slope(const double *u, const double *p, double *out) {
  (void)p;
  out[0] = u[0];
}

/** Evaluate the linearised right-hand side: with S linearised about u, \Delta u + S = f becomes \Delta u + q u = f - S + q
 *  u, q = dS/du. */
TX_HD static inline void tx_pointwise_linearised(const double *u, const double *p, double *out) {
  (void)p;
  out[0] = u[0] - u[1] + u[2] * u[3];
}

/** Return the right-hand side on a coarser grid. g is not 0 where finer points cover a coarser one. With r the residual
 *  there, f - r is what the operator gives, and g s the finer points' residual. */
TX_HD static inline void tx_pointwise_coarsened(const double *u, const double *p, double *out) {
  (void)p;
  out[0] = u[3] != 0.0 ? u[0] - u[1] + u[3] * u[2] : u[0];
}

TX_HD static inline void tx_pointwise_replaced(const double *u, const double *p, double *out) {
  (void)p;
  out[0] = u[2] != 0.0 ? u[2] * u[1] : u[0];
}

TX_HD static inline void tx_pointwise_covered(const double *u, const double *p, double *out) {
  (void)p;
  out[0] = u[2] != 0.0 ? u[1] : u[0];
}

TX_HD static inline void tx_pointwise_uncovered(const double *u, const double *p, double *out) {
  (void)p;
  out[0] = u[1] != 0.0 ? 0.0 : u[0];
}
