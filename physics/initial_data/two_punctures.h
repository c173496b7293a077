/* Two punctures with linear momenta and spins: the Hamiltonian constraint solved by a spectral method.
 *
 * Conformally flat, maximal slice, Bowen-York extrinsic curvature; psi = 1 + sum m_a/(2 r_a) + u with
 * Laplacian u + (1/8) At_ij At^ij psi^-7 = 0 and u -> 0 at infinity, in the coordinates (A, B, phi) of
 * Ansorg, Bruegmann, Tichy, gr-qc/0404056, which map all of space to a box in which u is smooth. */
#pragma once

#include "base/status.h"
#include "physics/initial_data/two_punctures_point.h"

/** Input of the solver. */
typedef struct tx_two_punctures_spec {
  int n;          /**< punctures, 1 or 2 */
  int adm_masses; /**< mass[] are ADM masses of the punctures, reached by iterating bare masses */
  double mass[2]; /**< positive, M */
  double position[2][3], momentum[2][3], spin[2][3]; /**< M, M, M^2; about each puncture */
  int resolution;   /**< points in A and in B, half as many in phi, even, 8 .. 128; 0: raised
                       until `tolerance` is met */
  double tolerance; /**< error of u allowed, relative to its largest value */
} tx_two_punctures_spec;

/** The solution and its numbers. Owns the coefficients of u. */
typedef struct tx_two_punctures {
  tx_bowen_york data;   /**< what a point needs: bare masses, positions, momenta, spins, u */
  double *coefficients; /**< [n_coefficients], owned; data.u.coefficients is a view of them */
  size_t n_coefficients;
  double energy;              /**< ADM energy, M */
  double momentum[3];         /**< ADM momentum, sum of P */
  double angular_momentum[3]; /**< about the origin, sum of x cross P + S */
  double mass_adm[2];         /**< m_a (1 + u_a + m_b/(2 d)) */
  double
      residual; /**< largest residual at the collocation points of the constraint times r_1 r_2, over its
                        largest source; round-off lets it grow like n^4 */
  double error; /**< estimated error of u relative to its largest value */
  int resolution, newton_steps, mass_steps;
} tx_two_punctures;

/** Solve. Local; uses OpenMP; the same bits for any number of threads. u is exactly 0, and has no coefficients, for
 *  punctures at rest without spin; one puncture gets a second focus without mass 4 m away, along P or S. Errors,
 *  after which there is nothing to free: TX_ERR_PARAM for masses or positions that make no sense; TX_ERR_NUMERICS
 *  if the iteration does not converge or the tolerance is not reached at the highest resolution (the text gives the
 *  error reached); TX_ERR_MEMORY. */
tx_status tx_two_punctures_solve(const tx_two_punctures_spec *spec, tx_two_punctures *out);
void tx_two_punctures_free(tx_two_punctures *data);
