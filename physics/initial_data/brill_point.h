/* Axisymmetric gravitational waves at a moment of time symmetry, at one point (Brill, Ann. Phys. 7, 466, 1959):
 *     \gamma = \psi^4 (e^{2q} (d\rho^2 + dz^2) + \rho^2 d\phi^2),  q = A (\rho/\sigma)^2 e^{-(r/\sigma)^2},
 * the form of D. Holz et al. (1993). The Hamiltonian constraint is linear, with the Laplacian of flat space:
 *     \Delta\psi + V \psi = 0,  V = (\partial_\rho^2 q + \partial_z^2 q)/4. */
#pragma once

#include "physics/initial_data/adm_point.h"

typedef struct tx_brill {
  double amplitude, width; /**< A; sigma, M */
} tx_brill;

/** Return s of q = \rho^2 s. */
TX_HD static inline double tx_brill_seed(const tx_brill *b, const double *x) {
  const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], s2 = b->width * b->width;
  return b->amplitude / s2 * exp(-r2 / s2);
}

/** Return V. */
TX_HD static inline double tx_brill_potential(const tx_brill *b, const double *x) {
  const double s2 = b->width * b->width;
  const double rho2 = (x[0] * x[0] + x[1] * x[1]) / s2, r2 = rho2 + x[2] * x[2] / s2;
  return tx_brill_seed(b, x) * (0.5 - 3.0 * rho2 + rho2 * r2);
}

/** Compute all TX_VARS variables [out] u at x, the conformal factor being 1 + regular; unit lapse. With m = (-y, x, 0) and
 *  G = (1 - e^{-2q})/\rho^2,
 *      \tilde\gamma_ij = e^{2q/3} \delta_ij - e^{2q/3} G m_i m_j,  \tilde\gamma^ij = e^{-2q/3} \delta_ij + e^{4q/3} G m_i m_j,
 *      \tilde\Gamma^i = 2/3 e^{-2q/3} \partial_i q + e^{4q/3} G (x, y, 0). */
TX_HD static inline void tx_brill_point(const tx_brill *b, const double *x, double regular,
                                        double *u) {
  const double s = tx_brill_seed(b, x), rho2 = x[0] * x[0] + x[1] * x[1], q = rho2 * s;
  const double G = rho2 > 0.0 ? -expm1(-2.0 * q) / rho2 : 2.0 * s;
  const double third = exp(2.0 * q / 3.0), psi = 1.0 + regular;
  const double m[3] = {-x[1], x[0], 0.0}, across[3] = {x[0], x[1], 0.0};
  tx_minkowski_point(u);
  u[TX_VAR_CHI] = 1.0 / (psi * psi * psi * psi * third * third);
  for (int i = 0; i < 3; i++) {
    const double dq = 2.0 * s * across[i] - 2.0 * q * x[i] / (b->width * b->width);
    u[TX_VAR_GAMT0 + i] = 2.0 / 3.0 * dq / third + third * third * G * across[i];
    for (int j = i; j < 3; j++)
      u[TX_VAR_GT00 + tx_symmetric_at(i, j)] = third * ((i == j ? 1.0 : 0.0) - G * m[i] * m[j]);
  }
}
