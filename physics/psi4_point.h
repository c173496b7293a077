/* Psi4 at one point from the electric and magnetic parts of the Weyl tensor; symmetric tensors in
 * the order xx, xy, xz, yy, yz, zz. */
#pragma once

#include <math.h>
#include "base/types.h"

/** Return g_ij a^i b^j of a symmetric tensor. */
TX_HD static inline double tx_sym_apply(const double g[6], const double a[3], const double b[3]) {
  return a[0] * (g[0] * b[0] + g[1] * b[1] + g[2] * b[2]) +
         a[1] * (g[1] * b[0] + g[3] * b[1] + g[4] * b[2]) +
         a[2] * (g[2] * b[0] + g[4] * b[1] + g[5] * b[2]);
}

/** Compute the orthonormal triad theta, phi, r at x in the metric g: r = g^ij n_j / sqrt(g^jk n_j n_k), n_i = x_i/|x|, the
 *  normal of the coordinate sphere through x; theta and phi from the flat unit vectors of that name, which are tangent to the
 *  sphere, by symmetric orthonormalisation, G^(-1/2) of their matrix G of scalar products. Of all orthonormal vectors those are
 *  nearest to the ones given (Phys. Rev. 105, 102; J. Chem. Phys. 18, 365), so that no direction is preferred: turned with the
 *  rest, they turn with it, and Psi4 is smooth at the axis. With r along x^i instead, Psi4 takes in Psi3 at first order of the
 *  angle between both, which frame dragging makes grow as the points of inner spheres turn faster than those of outer ones. On
 *  the axis theta and phi are their limits for phi -> 0, and at x = 0 those of the positive z axis. */
TX_HD static inline void tx_triad(const double g[6], const double x[3], double theta[3],
                                  double phi[3], double r[3]) {
  const double rho = sqrt(x[0] * x[0] + x[1] * x[1]);
  const double c = rho > 0.0 ? x[0] / rho : 1.0, s = rho > 0.0 ? x[1] / rho : 0.0;
  const double away = sqrt(rho * rho + x[2] * x[2]);
  const double z = away > 0.0 ? x[2] / away : 1.0, side = away > 0.0 ? rho / away : 0.0;
  const double n[3] = {side * c, side * s, z};
  const double e[2][3] = {{z * c, z * s, -side}, {-s, c, 0.0}};
  const double cofactor[6] = {g[3] * g[5] - g[4] * g[4], g[2] * g[4] - g[1] * g[5],
                              g[1] * g[4] - g[2] * g[3], g[0] * g[5] - g[2] * g[2],
                              g[1] * g[2] - g[0] * g[4], g[0] * g[3] - g[1] * g[1]};
  const double normal[3] = {cofactor[0] * n[0] + cofactor[1] * n[1] + cofactor[2] * n[2],
                            cofactor[1] * n[0] + cofactor[3] * n[1] + cofactor[4] * n[2],
                            cofactor[2] * n[0] + cofactor[4] * n[1] + cofactor[5] * n[2]};
  const double length = sqrt(tx_sym_apply(g, normal, normal));
  for (int i = 0; i < 3; i++) r[i] = normal[i] / length;
  const double tt = tx_sym_apply(g, e[0], e[0]);
  const double tp = tx_sym_apply(g, e[0], e[1]);
  const double pp = tx_sym_apply(g, e[1], e[1]);
  /* G^(-1/2) = (adj G + sqrt(det G)) / (sqrt(det G) sqrt(tr G + 2 sqrt(det G))). */
  const double root = sqrt(tt * pp - tp * tp);
  const double scale = 1.0 / (root * sqrt(tt + pp + 2.0 * root));
  for (int i = 0; i < 3; i++) {
    theta[i] = scale * ((pp + root) * e[0][i] - tp * e[1][i]);
    phi[i] = scale * ((tt + root) * e[1][i] - tp * e[0][i]);
  }
}

/** Compute Psi4 = (E_ij - i B_ij) mbar^i mbar^j, m = (theta + i phi)/sqrt(2), g the physical metric. */
TX_HD static inline void tx_psi4_project(const double g[6], const double E[6], const double B[6],
                                         const double x[3], double psi4[2]) {
  double theta[3], phi[3], r[3];
  tx_triad(g, x, theta, phi, r);
  const double E_plus = 0.5 * (tx_sym_apply(E, theta, theta) - tx_sym_apply(E, phi, phi));
  const double B_plus = 0.5 * (tx_sym_apply(B, theta, theta) - tx_sym_apply(B, phi, phi));
  psi4[0] = E_plus - tx_sym_apply(B, theta, phi);
  psi4[1] = -B_plus - tx_sym_apply(E, theta, phi);
}
