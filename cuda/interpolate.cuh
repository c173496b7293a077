/* Interpolation from coarse to fine: sources, boxes of fine points, slabs; one dimension of it. */
#pragma once

#include "cuda/patch.cuh"

/** A coarse octant that others take interpolated ghosts from. The points of the fine lattice that its slabs
 *  ask for overlap a lot (a face of fine octants and their edges and corners beside it), so they are grouped
 *  by the side of the octant on which they lie and each group's box is interpolated once. */
typedef struct tx_cuda_feed {
  tx_lidx octant;
  int32_t box, n_boxes;
  int8_t low[3],
      high[3]; /**< part of the octant's patch that is needed; all of it at outer faces */
  uint8_t pad[2];
} tx_cuda_feed;

/** A box of the fine lattice of an octant: points lo .. lo + n - 1 in half spacings, and the slabs cut from
 *  it. */
typedef struct tx_cuda_fine_box {
  int8_t lo[3];
  uint8_t n[3];
  uint8_t pad[2];
  int32_t slab, n_slabs;
} tx_cuda_fine_box;

/** A slab of INTERP: point (i, j, k) is value first + k * z + j * y + i * x of its box in shared memory, and
 *  goes to point `at` + (k * n[1] + j) * n[0] + i of the slots or of a message. */
typedef struct tx_cuda_cut {
  int64_t at;
  int16_t first, x, y, z;
  int16_t message; /**< -1: into the slots */
  uint8_t mirror;
  uint8_t n[3];
  uint8_t pad[2];
} tx_cuda_cut;

/** Most points of a fine box in its dimensions: across a face; along x or y, and z, where boxes end at the
 *  middle of the octant. */
#define TX_CUDA_FINE_SLIM TX_K
#define TX_CUDA_FINE_WIDE (2 * TX_N)
#define TX_CUDA_FINE_TALL TX_N

/** Coarse points that n fine points from lo on may need, from tx_cuda_coarse_low on. */
#define TX_CUDA_COARSE(lo, n) (((lo) + (n)-1) / 2 - (lo) / 2 + TX_INTERP_POINTS)
/** First coarse point needed for fine point lo >= 0. */
#define TX_CUDA_COARSE_LOW(lo) ((lo) / 2 - (TX_INTERP_POINTS / 2 - 1))

/** Odd pitch of rows of n values in shared memory: threads with a row each meet no bank twice. */
#define TX_CUDA_PITCH(n) ((n) | 1)

#define TX_CUDA_COARSE_SLIM    (TX_CUDA_FINE_SLIM / 2 + TX_INTERP_POINTS)
#define TX_CUDA_COARSE_WIDE    (TX_CUDA_FINE_WIDE / 2 - 1 + TX_INTERP_POINTS)
#define TX_CUDA_MAX3_(a, b, c) ((a) > (b) ? ((a) > (c) ? (a) : (c)) : ((b) > (c) ? (b) : (c)))

/** Room for the passes along z and x (A) and along y (B) of one variable: boxes across x, y or z. */
#define TX_CUDA_ROOM_Z                                                                             \
  TX_CUDA_MAX3_(TX_CUDA_FINE_TALL *TX_CUDA_COARSE_WIDE *TX_CUDA_PITCH(TX_CUDA_COARSE_SLIM),        \
                TX_CUDA_FINE_TALL *TX_CUDA_COARSE_SLIM *TX_CUDA_PITCH(TX_CUDA_COARSE_WIDE),        \
                TX_CUDA_FINE_SLIM *TX_CUDA_COARSE_WIDE *TX_CUDA_PITCH(TX_CUDA_COARSE_WIDE))
#define TX_CUDA_ROOM_X                                                                             \
  TX_CUDA_MAX3_(TX_CUDA_FINE_TALL *TX_CUDA_FINE_WIDE *TX_CUDA_PITCH(TX_CUDA_FINE_SLIM),            \
                TX_CUDA_FINE_TALL *TX_CUDA_FINE_SLIM *TX_CUDA_PITCH(TX_CUDA_FINE_WIDE),            \
                TX_CUDA_FINE_SLIM *TX_CUDA_FINE_WIDE *TX_CUDA_PITCH(TX_CUDA_FINE_WIDE))
#define TX_CUDA_ROOM_A (TX_CUDA_ROOM_Z > TX_CUDA_ROOM_X ? TX_CUDA_ROOM_Z : TX_CUDA_ROOM_X)
#define TX_CUDA_ROOM_B                                                                             \
  TX_CUDA_MAX3_(TX_CUDA_FINE_TALL *TX_CUDA_FINE_WIDE *TX_CUDA_PITCH(TX_CUDA_COARSE_SLIM),          \
                TX_CUDA_FINE_TALL *TX_CUDA_FINE_SLIM *TX_CUDA_PITCH(TX_CUDA_COARSE_WIDE),          \
                TX_CUDA_FINE_SLIM *TX_CUDA_FINE_WIDE *TX_CUDA_PITCH(TX_CUDA_COARSE_WIDE))

/** Midpoint of six equally spaced values: weights 3 -25 150 150 -25 3 over 256, the same from both sides. */
static __device__ __forceinline__ double tx_cuda_midpoint(const double w[TX_INTERP_POINTS]) {
  static_assert(TX_INTERP_POINTS == 6, "the weights are those of six points");
  return fma(3.0 / 256, w[0] + w[5], fma(-25.0 / 256, w[1] + w[4], 150.0 / 256 * (w[2] + w[3])));
}

/** Fine points lo .. lo + n - 1 of a line: coarse points are taken as they are, midpoints interpolated.
 *  `from` is coarse point TX_CUDA_COARSE_LOW(lo), `to` fine point lo. */
static __device__ __forceinline__ void tx_cuda_line(const double *from, int step, int odd, int n,
                                                    double *to, int to_step) {
  double w[TX_INTERP_POINTS];
#pragma unroll
  for (int t = 0; t < TX_INTERP_POINTS - 1; t++, from += step) w[t] = *from;
#pragma unroll
  for (int i = -odd; i < n; i += 2, from += step) {
    w[TX_INTERP_POINTS - 1] = *from;
    if (i >= 0) to[i * to_step] = w[TX_INTERP_POINTS / 2 - 1];
    if (i + 1 < n) to[(i + 1) * to_step] = tx_cuda_midpoint(w);
#pragma unroll
    for (int t = 0; t < TX_INTERP_POINTS - 1; t++) w[t] = w[t + 1];
  }
}
