/* Gravitational waves: Psi4 on spheres, and its modes.
 *
 *   psi4_lm(r) = integral Psi4 conj(_{-2}Y_lm) dOmega,    l = 2 .. l_max, m = -l .. l,
 *
 * by Lebedev quadrature on coordinate spheres round the origin. Sign and tetrad of Psi4 are those
 * of tx_system.psi4_at (physics/system.h), harmonics those of gw_extraction/harmonics.h. In a domain with
 * reflections only one of each set of mirror images is sampled: Psi4 at a mirror image is the
 * complex conjugate, once for each reflected dimension. */
#pragma once

#include <stddef.h>
#include "base/status.h"
#include "exec/exec.h"
#include "octree/octree.h"

typedef struct tx_gw tx_gw;

/** Parameters of the extraction. */
typedef struct tx_gw_info {
  int n_radii;
  const double *radii; /**< [n_radii] coordinate radii, M; view */
  int l_max;
  int n_modes;  /**< at each radius, (l_max + 1)^2 - 4 */
  int degree;   /**< of the Lebedev rule */
  int n_points; /**< of the rule, on a whole sphere */
  int n_used;   /**< of them sampled: one of each set of mirror images */
} tx_gw_info;

/** Local, the same on all ranks. Create an extraction on spheres of the given radii (M, copied) in `domain`. degree: degree
 *  to which the quadrature shall be exact (the next rule is taken), at least 2 l_max, so that modes do not mix; 0: 2 l_max
 *  + 8, so that modes up to l_max + 8 do not alias, or the highest available. Errors: TX_ERR_PARAM for a radius that is not
 *  inside the domain, a degree too low, l_max < 2 or too high; TX_ERR_MEMORY. */
tx_status tx_gw_create(const tx_domain *domain, int n_radii, const double *radii, int l_max,
                       int degree, tx_gw **out);
void tx_gw_destroy(tx_gw *gw);

/** Return a view of what `gw` extracts. Local. */
const tx_gw_info *tx_gw_describe(const tx_gw *gw);

/** Return the index of mode (l, m) among n_modes: l = 2 m = -2, -1, ... first. Local. */
static inline int tx_gw_index(int l, int m) {
  return l * l - 4 + l + m;
}

/** Find l and m of mode `index`. Local. */
void tx_gw_mode(int index, int *l, int *m);

/** A sphere in the physical metric, A its area. Its expansions tell how fast the observers of psi4, who are at rest in the
 *  slice, fall in: v = -expansion_n / expansion_s of those at rest about a hole. Its points turn about the origin with the
 *  shift, and, as observers at rest do, with the frame dragging of what is inside. */
typedef struct tx_gw_sphere {
  double areal_radius; /**< sqrt(A / 4 pi), M */
  double expansion_n;  /**< mean over A, along the slice's normal (tx_system.expansion_at), 1/M */
  double expansion_s;  /**< the same along its own normal in the slice, outwards, 1/M */
  double turn[3];      /**< angular velocity with the shift alone (physics/turn_point.h), 1/M */
  double lapse;        /**< mean over A */
} tx_gw_sphere;

/** Extract the modes of the evolved variables `u` on all spheres. u: [in] with its ghosts filled in `x`.
 *  psi4: [out] [n_radii][n_modes] real and imaginary parts, 1/M^2, not multiplied by r.
 *  spheres: [out] [n_radii].
 *  Collective; every rank gets the same, bit for bit on any number of ranks and threads.
 *  Errors: those of tx_exec_sample; TX_ERR_LIBRARY. */
tx_status tx_gw_extract(tx_gw *gw, tx_exec *x, const tx_field *u, double (*psi4)[2],
                        tx_gw_sphere *spheres);

/** Return the points of the quadrature, [n_points][3] on the unit sphere. A view. Local. */
const double (*tx_gw_points(const tx_gw *gw))[3];

/** Project onto modes [out] [n][n_modes] of n functions on the sphere, given by their values [n][n_points] at
 *  tx_gw_points, real and imaginary parts. Local. Modes do not depend on the number of threads. If
 *  the values at mirror images are complex conjugates to the last bit, then the modes are related
 *  to the last bit too: psi4_{l,-m} = (-1)^l conj(psi4_lm) for the reflection of z, and so on. */
void tx_gw_project(const tx_gw *gw, int n, const double (*value)[2], double (*modes)[2]);
