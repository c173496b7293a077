/* Ghosts beyond outer faces, in a patch in shared or global memory. */
#pragma once

#include "cuda/device.cuh"
#include "physics/extrapolate_point.h"

/** Extrapolate the TX_K ghosts of one line beyond a face, ghosts[g] being g + 1 steps beyond it,
 *  from the values at the outermost point inside (0) and the next ones inwards. */
static __device__ __forceinline__ void tx_cuda_outer_ghosts(const double inside[TX_OUTER_POINTS],
                                                            double ghosts[TX_K]) {
  constexpr tx_outer_weights e = tx_outer_weights_make();
#pragma unroll
  for (int g = 0; g < TX_K; g++) {
    ghosts[g] = e.w[g][0] * inside[0];
#pragma unroll
    for (int j = 1; j < TX_OUTER_POINTS; j++) ghosts[g] = fma(e.w[g][j], inside[j], ghosts[g]);
  }
}

/** Extrapolate a line in memory: `edge` is the outermost point inside, `in` the step to the next
 *  one inwards. */
static __device__ __forceinline__ void tx_cuda_outer_line(double *edge, int in) {
  double inside[TX_OUTER_POINTS], ghosts[TX_K];
#pragma unroll
  for (int j = 0; j < TX_OUTER_POINTS; j++) inside[j] = edge[j * in];
  tx_cuda_outer_ghosts(inside, ghosts);
#pragma unroll
  for (int g = 0; g < TX_K; g++) edge[-(g + 1) * in] = ghosts[g];
}

/** A box of points in memory with TX_K ghosts on every side: points in all along x, y, z, and how far apart. */
typedef struct tx_cuda_box {
  int n[3], stride[3];
} tx_cuda_box;

/** Extrapolate the lines of dimension d beyond one face of a box, of which low .. high - 1 is
 *  filled. */
static __device__ __forceinline__ void tx_cuda_outer_face(const tx_cuda_box &box, int d, int side,
                                                          const int low[3], const int high[3],
                                                          double *values) {
  const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
  const int n_a = high[a] - low[a], n_b = high[b] - low[b];
  double *first = values + (side ? box.n[d] - TX_K - 1 : TX_K) * box.stride[d];
  for (int n = (int)threadIdx.x; n < n_a * n_b; n += (int)blockDim.x)
    tx_cuda_outer_line(first + (low[a] + n % n_a) * box.stride[a] +
                           (low[b] + n / n_a) * box.stride[b],
                       side ? -box.stride[d] : box.stride[d]);
}

/** Fill the ghosts of one variable's box beyond its faces `outer` (TX_FACE_BIT), all others being there,
 *  dimension after dimension; at least TX_OUTER_POINTS points lie inside of each of these faces. The whole
 *  block calls it, after a barrier; ends with one if there are such faces. */
static __device__ __forceinline__ void
tx_cuda_extrapolate_box(uint32_t outer, const tx_cuda_box &box, double *values) {
  int low[3], high[3]; /* filled so far */
#pragma unroll
  for (int d = 0; d < 3; d++) {
    low[d] = outer & TX_FACE_BIT(d, 0) ? TX_K : 0;
    high[d] = outer & TX_FACE_BIT(d, 1) ? box.n[d] - TX_K : box.n[d];
  }
#pragma unroll
  for (int d = 0; d < 3; d++) {
#pragma unroll
    for (int side = 0; side < 2; side++)
      if (outer & TX_FACE_BIT(d, side)) tx_cuda_outer_face(box, d, side, low, high, values);
    low[d] = 0;
    high[d] = box.n[d];
    if (outer & (TX_FACE_BIT(d, 0) | TX_FACE_BIT(d, 1))) __syncthreads();
  }
}

/** Fill the ghosts of a patch [TX_P3] beyond its outer faces, as tx_cuda_extrapolate_box. */
static __device__ inline void tx_cuda_extrapolate(uint32_t outer, double *patch) {
  const tx_cuda_box box = {{TX_P, TX_P, TX_P}, {1, TX_P, TX_P * TX_P}};
  tx_cuda_extrapolate_box(outer, box, patch);
}
