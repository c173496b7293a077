/* Sizes and orders that are fixed when Tendex is compiled. Nowhere else are they written as
 * numbers. */
#pragma once

#include <assert.h>

/** Points a side of an octant: 8, 10, 12 or 16; `cmake -DTENDEX_N=16` changes it. */
#ifndef TX_N
#define TX_N 8
#endif

/** Ghost points a side of a patch: half of the widest stencil, also the most that the dissipation reaches;
 *  `cmake -DTENDEX_GHOSTS=4` changes it. */
#ifndef TX_K
#define TX_K 3
#endif

/** Order of the finite differences; those of the evolution may have another (base/schemes.h). */
#ifndef TX_FD_ORDER
#define TX_FD_ORDER (2 * TX_K)
#endif

/** Half width of the Kreiss-Oliger dissipation of the evolution, which is of order 2 TX_KO - 1. */
#ifndef TX_KO
#define TX_KO TX_K
#endif

/** Points of the Lagrange stencils from coarse to fine: centred ones, and those of ghosts. */
#define TX_INTERP_POINTS 6
#define TX_INTERP_GHOST  (TX_INTERP_POINTS + 1)

/** Points from which values beyond an outer face are extrapolated: one more than the degree. */
#define TX_OUTER_POINTS 6

/** Midpoints, at half spacings p (odd) of a coarse octant, that are ghosts of finer octants beyond its lower and
 *  its upper face. They have stencils of TX_INTERP_GHOST points, from -2 or TX_N - 4 on. A finer region ends half a
 *  spacing earlier at its upper faces than at its lower ones, so that spurious reflections there are not mirror
 *  images of each other. With these stencils the difference is a third to a sixth of that with centred ones. */
#define TX_INTERP_LOW(p)  ((p) < TX_K)
#define TX_INTERP_HIGH(p) ((p) >= 2 * TX_N - TX_K)

/** Points a side of a patch: an octant and its ghosts. */
#define TX_P (TX_N + 2 * TX_K)

/** Points of an octant and of a patch. */
#define TX_N3 (TX_N * TX_N * TX_N)
#define TX_P3 (TX_P * TX_P * TX_P)

/** Offset of an octant's point (i, j, k) in its block; i along x runs fastest. */
#define TX_AT(i, j, k) (((k)*TX_N + (j)) * TX_N + (i))

/** Offset of point (i, j, k), each -TX_K .. TX_N + TX_K - 1, in a patch. */
#define TX_PATCH_AT(i, j, k) ((((k) + TX_K) * TX_P + (j) + TX_K) * TX_P + (i) + TX_K)

/** Most refinement levels, the coarsest being 0, if there is one tree along the extent of the domain. */
#define TX_LEVELS 19

/** Most punctures. */
#define TX_PUNCTURES_MAX 8

/** Most trees along the extent of the domain. */
#define TX_TREES 16

static_assert(TX_FD_ORDER <= 2 * TX_K && TX_KO <= TX_K, "a stencil must lie within the ghosts");
static_assert(TX_N % 2 == 0 && TX_N >= 2 * TX_K, "a ghost zone must lie within one child octant");
static_assert(TX_INTERP_POINTS / 2 <= TX_K, "interpolation must stay within the patch");
/* Odd ghosts need interpolation: TX_N + TX_K / 2 * 2 - 1 is the highest, -((TX_K - 1) / 2 * 2 + 1)
 * the lowest. Their stencils reach TX_INTERP_POINTS - 1 half spacings further and must stay within
 * one octant size of the fine octant, where 2:1 balance holds and phase 1 fills the coarse patch.
 */
static_assert(TX_N + TX_K / 2 * 2 - 1 + TX_INTERP_POINTS - 1 < 2 * TX_N &&
                  (TX_K - 1) / 2 * 2 + 1 + TX_INTERP_POINTS - 1 <= TX_N,
              "ghosts of a fine patch would need coarse points that phase 1 does not fill");
