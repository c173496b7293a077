/* The flat Laplacian in the coordinates (A, B, phi) of two punctures: collocation, and its inverse.
 *
 * With A = tanh(\xi/2), B = tan(\pi/4 - \eta/2) these are prolate spheroidal coordinates, in which the
 * Laplacian separates: for every Fourier mode m
 *     r_1 r_2 \nabla^2 = L_A + L_B,
 *     L_A = ((1-A^2)/2)^2 (\partial_A^2 + A^{-1} \partial_A - m^2 A^{-2}),
 *     L_B = ((1+B^2)/2)^2 (\partial_B^2 - 2B/(1-B^2) \partial_B - 4 m^2 (1-B^2)^{-2}).
 * Both matrices have real eigenvalues and well conditioned eigenvectors, so that the discrete operator is
 * inverted exactly by four products of n x n matrices a mode. */
#pragma once

#include <stddef.h>
#include "base/status.h"

/** Collocation at the zeros of Chebyshev polynomials in A and B, n points each, and n/2 equidistant
 *  points in phi. A function is [n/2][n][n] doubles, index in B fastest, first index the point in phi
 *  ("points") or the Fourier function 1, cos phi, sin phi, cos 2 phi, ... ("modes"). The functions
 *  vanish at A = 1. */
typedef struct tx_collocation {
  int n, n_phi;
  int mirror;                   /**< functions are even in phi: the modes of the sines are 0 */
  size_t plane, size;           /**< n^2; n^2 n_phi */
  double *angle;                /**< [n]: B = cos(angle), A = cos^2(angle/2) */
  double *to_modes, *to_points; /**< [n_phi][n_phi] */
  double *chebyshev;            /**< [n][n]: from values to coefficients */
  double *L_A, *L_B_T;          /**< [modes][n][n], L_B transposed */
  double *V_A, *W_A;            /**< eigenvectors of L_A and the inverse of that matrix */
  double *V_B_T, *W_B_T;        /**< the same of L_B, transposed */
  double *lambda_A, *lambda_B;  /**< [modes][n] */
  double *block;                /**< all of the above, owned */
} tx_collocation;

/** Set up `c` for n points. `mirror` as in the struct. Errors:
 *  TX_ERR_MEMORY, TX_ERR_LIBRARY. Local. */
tx_status tx_collocation_create(int n, int mirror, tx_collocation *c);
void tx_collocation_destroy(tx_collocation *c);

/** Transform from points to modes, and back. [in] in, [out] out, not the same. Local. */
void tx_collocation_to_modes(const tx_collocation *c, const double *in, double *out);
void tx_collocation_to_points(const tx_collocation *c, const double *in, double *out);

/** Apply r_1 r_2 times the Laplacian of the modes `in` [in], and its inverse. [out] out. Local. Errors:
 *  TX_ERR_MEMORY. */
tx_status tx_collocation_laplacian(const tx_collocation *c, const double *in, double *out);
tx_status tx_collocation_invert(const tx_collocation *c, const double *in, double *out);

/** Compute the coefficients [out], [n_phi][k in A][l in B], of modes / (A - 1). Local. Errors: TX_ERR_MEMORY. */
tx_status tx_collocation_series(const tx_collocation *c, const double *modes, double *series);

/** Compute the modes [out] on `c` of a series of n_series points. Local. Errors: TX_ERR_MEMORY. */
tx_status tx_collocation_prolong(const tx_collocation *c, int n_series, const double *series,
                                 double *modes);

/** Find the largest |value| of modes over the points. Local. Errors: TX_ERR_MEMORY. */
tx_status tx_collocation_largest(const tx_collocation *c, const double *modes, double *largest);
