/* Psi4 at one point from the electric and magnetic parts of the Weyl tensor; symmetric tensors in
 * the order xx, xy, xz, yy, yz, zz. */
#pragma once

#include <math.h>
#include "base/types.h"

/** g_ij a^i b^j of a symmetric tensor. */
TX_HD static inline double tx_sym_apply(const double g[6], const double a[3], const double b[3]) {
  return a[0] * (g[0] * b[0] + g[1] * b[1] + g[2] * b[2]) +
         a[1] * (g[1] * b[0] + g[3] * b[1] + g[4] * b[2]) +
         a[2] * (g[2] * b[0] + g[4] * b[1] + g[5] * b[2]);
}

/** The orthonormal triad phi, r, theta: the coordinate vectors at x, made orthonormal in this order
 *  with the metric g. Where e_phi or e_theta vanish (the axis), their limits for phi -> 0 are
 *  taken, and at x = 0 those of the positive z axis. Source: arXiv:gr-qc/0104063, 0610128. */
TX_HD static inline void tx_triad(const double g[6], const double x[3], double phi[3], double r[3],
                                  double theta[3]) {
  const int on_axis = x[0] == 0.0 && x[1] == 0.0;
  const double rho2 = x[0] * x[0] + x[1] * x[1];
  const double start[3][3] = {
      {on_axis ? 0.0 : -x[1], on_axis ? 1.0 : x[0], 0.0},
      {x[0], x[1], on_axis && x[2] == 0.0 ? 1.0 : x[2]},
      {on_axis ? (x[2] < 0.0 ? -1.0 : 1.0) : x[0] * x[2], on_axis ? 0.0 : x[1] * x[2],
       on_axis ? 0.0 : -rho2},
  };
  double *const triad[3] = {phi, r, theta};
  for (int n = 0; n < 3; n++) {
    double *e = triad[n];
    for (int i = 0; i < 3; i++) e[i] = start[n][i];
    for (int m = 0; m < n; m++) {
      const double along = tx_sym_apply(g, triad[m], start[n]);
      for (int i = 0; i < 3; i++) e[i] -= along * triad[m][i];
    }
    const double length = sqrt(tx_sym_apply(g, e, e));
    for (int i = 0; i < 3; i++) e[i] /= length;
  }
}

/** Psi4 = (E_ij - i B_ij) mbar^i mbar^j, m = (theta + i phi)/sqrt(2), g the physical metric. */
TX_HD static inline void tx_psi4_project(const double g[6], const double E[6], const double B[6],
                                         const double x[3], double psi4[2]) {
  double phi[3], r[3], theta[3];
  tx_triad(g, x, phi, r, theta);
  const double E_plus = 0.5 * (tx_sym_apply(E, theta, theta) - tx_sym_apply(E, phi, phi));
  const double B_plus = 0.5 * (tx_sym_apply(B, theta, theta) - tx_sym_apply(B, phi, phi));
  psi4[0] = E_plus - tx_sym_apply(B, theta, phi);
  psi4[1] = -B_plus - tx_sym_apply(E, theta, phi);
}
