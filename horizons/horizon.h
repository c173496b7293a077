/* Apparent horizons: closed surfaces of vanishing outgoing expansion, and the mass and spin of the black hole
 * inside.
 *
 *   Theta = D_i s^i + K_ij s^i s^j - K = 0,   s^i the unit normal outwards,
 *
 * on surfaces r(theta, phi) = sum a_lm Y_lm(theta, phi) about a centre, Y_lm real and
 * orthonormal. */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "exec/exec.h"
#include "octree/octree.h"

#define TX_HORIZON_L_MAX        24
#define TX_HORIZON_COEFFICIENTS ((TX_HORIZON_L_MAX + 1) * (TX_HORIZON_L_MAX + 1))

/** A star-shaped surface. Plain data. a[l^2 + l + m], of which (l_max + 1)^2 are used; m < 0:
 *  sin. */
typedef struct tx_surface {
  int l_max;
  double centre[3];
  double a[TX_HORIZON_COEFFICIENTS];
} tx_surface;

/** A horizon, or a search that found none. Plain data; a checkpoint needs `found` and `surface`, the guess for the
 *  next search. */
typedef struct tx_horizon {
  bool found;
  tx_surface surface;
  int iterations;
  double residual;         /**< largest |Theta| on the surface, 1/M */
  double area;             /**< M^2 */
  double mass_irreducible; /**< sqrt(A/16 pi), M */
  double mass;             /**< Christodoulou's, M: M^2 = M_irr^2 + J^2/(4 M_irr^2) */
  /** J = 1/(8 pi) integral K_jk xi^j s^k dA (gr-qc/0206008), M^2, by approximate Killing vectors xi of the
   *  surface (arXiv:0706.0199, arXiv:0805.4192), its direction that of the coordinates' moments of the curl of
   *  K_jk s^k (arXiv:1708.07325): horizons/killing.c. Where the surface has a symmetry, in whatever coordinates,
   *  this is the isolated horizon's. */
  double spin[3];
  /** Spin by the coordinate rotations about the three axes through the centroid, less their part along s:
   *  it depends on the coordinates. */
  double spin_coordinate[3];
  /** Deviation from a symmetry, of the approximate Killing vectors and of the next one: lambda of integral sigma_AB
   *  sigma^AB dA = lambda integral xi_A xi^A dA, sigma_AB their shear, times A/4 pi; 0 and 2 on a round sphere. NaN
   *  where mirrors leave no spin, or without a solution. */
  double shear[2];
  bool
      by_rotation; /**< the vectors are not separated from the next one, and spin is spin_coordinate */
  double chi;      /**< |spin| / mass^2 */
  double centroid[3]; /**< mean of the coordinates over the area, M */
  double radius_min, radius_max,
      radius_mean;     /**< coordinate distance from the centroid, M; the mean
                                                   over the area */
  double radius_areal; /**< sqrt(A/4 pi) */
} tx_horizon;

typedef struct tx_horizon_finder tx_horizon_finder;

/** Local, the same on all ranks. Create a finder for surfaces up to l_max in `domain` (copied). Errors:
 *  TX_ERR_PARAM, TX_ERR_MEMORY. */
tx_status tx_horizon_finder_create(const tx_domain *domain, int l_max, tx_horizon_finder **out);
void tx_horizon_finder_destroy(tx_horizon_finder *f);

/** Make a sphere of coordinate radius r about `centre`. Local. */
void tx_surface_sphere(int l_max, const double centre[3], double r, tx_surface *out);

/** Return the radius of a surface from its centre in the direction of n (any length but 0). Local. */
double tx_surface_radius(const tx_surface *s, const double n[3]);

/** Points that a surface must have inside, such as punctures. */
typedef struct tx_horizon_points {
  int n;
  const double (*x)[3]; /**< [n] */
} tx_horizon_points;

/** Collective. Look for a horizon from `guess` around the points `inside`; the ghosts of `u` are filled in `x`. No horizon is not an error:
 *  out->found tells. All ranks get the same, bit for bit on any number of ranks and threads. Where the centre lies
 *  on a mirror of the domain, quantities that vanish by symmetry are exactly 0. Errors: those of tx_exec_sample.
 *
 *  A surface counts as found if the next step of Newton's method is below 1e-7 of the radius (1e-4 where noise of
 *  the grid prevents more), so that Theta projected on the harmonics is 0; if the rest of Theta, in harmonics above
 *  l_max, is below 0.1 over the areal radius (root mean square); and if the surface is stable, as outermost ones
 *  are. A search fails if the surface leaves the domain, has fewer than four points across or a largest radius ten
 *  times the smallest, leaves a point of `inside` outside, or makes no progress in ten iterations, and after sixty
 *  iterations. */
tx_status tx_horizon_find(tx_horizon_finder *f, tx_exec *x, const tx_field *u,
                          const tx_surface *guess, const tx_horizon_points *inside,
                          tx_horizon *out);
