/* Points and weights on the unit sphere, and real spherical harmonics there.
 *
 * Y_lm = sqrt(2) P_lm(theta) cos(m phi) for m > 0, sqrt(2) P_l|m| sin(|m| phi) for m < 0, P_l0
 * for m = 0, P_lm the associated Legendre functions without the sign (-1)^m, normalised so that
 * the Y_lm are orthonormal. */
#pragma once

#include "base/status.h"

/** Gauss-Legendre in cos theta times a uniform rule in phi. No point lies on a plane x, y or z =
 *  0, and the rule is its own image in each of them. Point p = row n_phi + column, rows from the
 *  north pole. */
typedef struct tx_sphere {
  int l_max, n_theta, n_phi, n;
  double *cos_theta, *sin_theta, *weight; /**< [n_theta]; weight: of each point of a row */
  double *legendre;   /**< [n_theta][(l_max+1)(l_max+2)/2][3] P, P', P'' in theta; views below */
  double (*phase)[2]; /**< [n_phi][l_max + 1] cos m phi, sin m phi */
  double *block;      /**< owned: all of the above */
} tx_sphere;

/** Local. Create a rule that integrates products of two harmonics up to l_max and more exactly, and
 *  the harmonics at its points. Errors: TX_ERR_MEMORY. */
tx_status tx_sphere_create(int l_max, tx_sphere *out);
void tx_sphere_destroy(tx_sphere *s);

/** Find the unit vectors at point p: [out] n outwards, e[0] along theta, e[1] along phi. Local. */
void tx_sphere_frame(const tx_sphere *s, int p, double n[3], double e[2][3]);

/** Compute harmonics number mode[i] = l^2 + l + m at point p and their derivatives in the frame of
 *  tx_sphere_frame: [out] y[n][6] value, first derivatives 1, 2, covariant second ones 11, 12,
 *  22. Local. */
void tx_sphere_harmonics(const tx_sphere *s, int p, int n, const int *mode, double (*y)[6]);

/** Compute all harmonics up to l_max in the direction of x (any length but 0): [out] y[(l_max + 1)^2].
 *  Local. */
void tx_sphere_harmonics_at(int l_max, const double x[3], double *y);

/** Find l and m of harmonic number l^2 + l + m. Local. */
void tx_sphere_mode(int mode, int *l, int *m);
