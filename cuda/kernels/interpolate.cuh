/* Interpolation from coarse to fine: sources, boxes of fine points, slabs; one dimension of it. */
#pragma once

#include "cuda/kernels/patch.cuh"
#include "physics/midpoint_point.h"

/** A coarse octant from which ghosts are interpolated. The points of the fine lattice that its
 *  slabs ask for overlap a lot (a face of fine octants and their edges and corners beside it),
 *  so they are grouped by the side of the octant on which they lie, and each group's box is
 *  interpolated once. */
typedef struct tx_cuda_feed {
  tx_lidx octant;
  uint32_t outer; /**< TX_FACE_BIT */
  int32_t box, n_boxes;
} tx_cuda_feed;

/** Lines of a pass, `outer` times `inner` of them a variable, and what q is multiplied by to be divided by inner,
 *  and by all: q / m is q * (2^20 / m + 1) / 2^20 for all q m < 2^20. */
typedef struct tx_cuda_lines {
  uint16_t outer, inner;
  uint32_t per_inner, per_all;
} tx_cuda_lines;

/** A box of the fine lattice of an octant: points lo .. lo + n - 1 in half spacings, and the slabs cut from
 *  it for other ranks. n is TX_K, from an even point on, or an odd one if TX_K is odd, or, from an even one on, 2 TX_N (x, y) or
 *  TX_N (z), or, for planes of levels, 1. */
typedef struct tx_cuda_fine_box {
  /** Dense in the own points, or, for a finer level, from `boxes` on, where patches are read out of it; or -1. */
  int64_t at;
  int8_t lo[3];
  uint8_t n[3];
  uint8_t own; /**< only planes are read out of it: points of the finer octants' own */
  uint8_t pad;
  int32_t slab, n_slabs;
  tx_cuda_lines lines[3]; /**< of the passes along z, y and x */
} tx_cuda_fine_box;

/** A slab of INTERP for another rank: point (i, j, k) is value first + k * z + j * y + i * x of its box in
 *  shared memory, and goes to point `at` + (k * n[1] + j) * n[0] + i of send buffer 2. */
typedef struct tx_cuda_cut {
  int64_t at;
  int16_t first, x, y, z;
  int16_t message;
  uint8_t mirror;
  uint8_t n[3];
  uint8_t pad[2];
} tx_cuda_cut;

/** Variables that a block works on at the same time. */
#define TX_CUDA_FINE_VARS (TX_N <= 8 ? 4 : 2)

/** Most slabs of a box: their descriptions are kept in shared memory. */
enum { TX_CUDA_CUTS = 64 };

/** Sides of a source on which slabs lie, and halves for slabs that are not at its top or bottom:
 *  slabs of equal numbers share a box. */
enum { TX_CUDA_SIDES = 2 * 27 };

/** Tables of interpolation. */
struct tx_cuda_interpolation {
  void *tables; /**< device memory of feed, cut and box */
  const tx_cuda_feed *feed;
  const tx_cuda_cut *cut;
  const tx_cuda_fine_box *box;
  /** Host: for each octant its number among the sources, or -1; the box of each side of each source; boxes. */
  tx_lidx *source;
  int32_t (*box_of_side)[TX_CUDA_SIDES];
  tx_cuda_fine_box *boxes;
  /** Points of all boxes stored for a finer level, and of the first ones, which ghosts are read from. */
  int64_t points, ghost_points;
};

/** First coarse point needed for fine points lo .. lo + n - 1, lo >= 0, and their number; lo is even if n is. */
#define TX_CUDA_COARSE_LOW(lo) ((lo) / 2 - TX_MIDPOINT_REACH)
#define TX_CUDA_COARSE(n)      (((n)-1) / 2 + TX_INTERP_POINTS)

/** Odd pitch of rows of n values in shared memory: threads with a row each meet no bank twice. */
#define TX_CUDA_PITCH(n) ((n) | 1)

/** Doubles that a box needs for the passes along z, y and x of one variable. */
#define TX_CUDA_BOX_Z(nx, ny, nz) ((nz)*TX_CUDA_COARSE(ny) * TX_CUDA_PITCH(TX_CUDA_COARSE(nx)))
#define TX_CUDA_BOX_Y(nx, ny, nz) ((nz) * (ny)*TX_CUDA_PITCH(TX_CUDA_COARSE(nx)))
#define TX_CUDA_BOX_X(nx, ny, nz) ((nz) * (ny)*TX_CUDA_PITCH(nx))

/** Most doubles that a box needs: boxes across x, y or z. Passes along z and x share room A. */
#define TX_CUDA_LARGER_(a, b) ((a) > (b) ? (a) : (b))
#define TX_CUDA_MOST_(pass)                                                                        \
  TX_CUDA_LARGER_(pass(TX_K, 2 * TX_N, TX_N),                                                      \
                  TX_CUDA_LARGER_(pass(2 * TX_N, TX_K, TX_N), pass(2 * TX_N, 2 * TX_N, TX_K)))
#define TX_CUDA_ROOM_A TX_CUDA_LARGER_(TX_CUDA_MOST_(TX_CUDA_BOX_Z), TX_CUDA_MOST_(TX_CUDA_BOX_X))
#define TX_CUDA_ROOM_B TX_CUDA_MOST_(TX_CUDA_BOX_Y)

/** Extrapolate the coarse points of a line beyond an outer face: of TX_N or 2 TX_N fine points
 *  from 0 on (low) or up to 2 TX_N - 1 (high). Extrapolation along one dimension and
 *  interpolation along others commute, so that each pass extrapolates along its own. */
template <int N>
static __device__ __forceinline__ void tx_cuda_line_extrapolate(bool low, bool high,
                                                                double coarse[TX_CUDA_COARSE(N)]) {
  constexpr int below = TX_MIDPOINT_REACH, above = TX_INTERP_POINTS / 2;
  constexpr int end = TX_CUDA_COARSE(N) - above; /* first point beyond the high face */
  static_assert(TX_OUTER_POINTS <= end && below <= TX_K && above <= TX_K,
                "what is extrapolated must come from the line itself");
  double inside[TX_OUTER_POINTS], ghosts[TX_K];
  if (low) {
#pragma unroll
    for (int j = 0; j < TX_OUTER_POINTS; j++) inside[j] = coarse[below + j];
    tx_cuda_outer_ghosts(inside, ghosts);
#pragma unroll
    for (int g = 0; g < below; g++) coarse[below - 1 - g] = ghosts[g];
  }
  if (high) {
#pragma unroll
    for (int j = 0; j < TX_OUTER_POINTS; j++) inside[j] = coarse[end - 1 - j];
    tx_cuda_outer_ghosts(inside, ghosts);
#pragma unroll
    for (int g = 0; g < above; g++) coarse[end + g] = ghosts[g];
  }
}

/** Return the midpoint of six equally spaced values, the same from both sides. */
static __device__ __forceinline__ double tx_cuda_midpoint(const double *w) {
  static_assert(TX_INTERP_POINTS == 6, "three pairs of points");
  constexpr tx_midpoint_weights m = tx_midpoint_weights_make(TX_INTERP_POINTS);
  return fma(m.w[0], w[0] + w[5], fma(m.w[1], w[1] + w[4], m.w[2] * (w[2] + w[3])));
}

/** Return the midpoint of seven equally spaced values from v[0] on, `step` apart, between the
 *  third and the fourth. */
static __device__ __forceinline__ double tx_cuda_midpoint_ghost(const double *v, int step) {
  constexpr tx_midpoint_weights m = tx_midpoint_weights_make(TX_INTERP_GHOST);
  double sum = m.w[0] * v[0];
#pragma unroll
  for (int n = 1; n < TX_INTERP_GHOST; n++) sum = fma(m.w[n], v[n * step], sum);
  return sum;
}

/** Return which ends of a line of n fine points from lo on are those of the octant: bit 0: the
 *  lower; 1: the upper. */
static __device__ __forceinline__ unsigned tx_cuda_ends(int lo, int n) {
  return (lo == 0 ? 1u : 0u) | (lo + n == 2 * TX_N ? 2u : 0u);
}

/** Interpolate N fine points of a line from the coarse points that they need: coinciding points
 *  are copied, midpoints interpolated, next to the octant's faces as base/grid.h says. odd: the
 *  first fine point is a midpoint. ends: tx_cuda_ends. */
template <int N>
static __device__ __forceinline__ void tx_cuda_line(const double coarse[TX_CUDA_COARSE(N)], int odd,
                                                    unsigned ends, double *to, int step) {
  constexpr int top = (N + 1) / 2 - 1, last = TX_CUDA_COARSE(N) - 1;
#pragma unroll
  for (int t = 0; t <= top; t++) {
    const int i = 2 * t - odd;
    if (t > 0 || !odd) to[i * step] = coarse[t + TX_MIDPOINT_REACH];
    if (2 * t + 1 < N || odd) {
      double m = tx_cuda_midpoint(coarse + t);
      if (t == 0 && ends & 1) m = tx_cuda_midpoint_ghost(coarse, 1);
      if (t > 0 && 2 * t + 1 < TX_K && ends & 1)
        m = tx_cuda_midpoint_ghost(coarse + TX_INTERP_GHOST - 1, -1);
      if (t == top - 1 && ends & 2) m = tx_cuda_midpoint_ghost(coarse + last - TX_INTERP_POINTS, 1);
      if (t == top && ends & 2) m = tx_cuda_midpoint_ghost(coarse + last, -1);
      to[(i + 1) * step] = m;
    }
  }
}
