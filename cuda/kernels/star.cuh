/* The star of the flat Laplacian: its sum, and the part of a patch that it reads. */
#pragma once

#include "cuda/kernels/patch.cuh"
#include "physics/laplace_point.h"

/** The Laplacian times h^2, or what else has such weights, at a point of a patch. Mirror images give the same bits. */
static __device__ __forceinline__ double tx_cuda_laplace(const tx_laplace_weights &l,
                                                         const double *p) {
  constexpr int y = TX_P, z = TX_P * TX_P;
  double sum = 3.0 * l.w[0] * p[0];
#pragma unroll
  for (int m = 1; m <= TX_LAPLACE_REACH; m++)
    sum = fma(l.w[m], (p[m] + p[-m]) + (p[m * y] + p[-m * y]) + (p[m * z] + p[-m * z]), sum);
  return sum;
}

/** Number n of the rows of up to TX_N values that the star takes beside each other: the octant's own, the ghosts at both ends
 *  of these, then rows along x of the ghosts across y and across z. */
enum {
  TX_CUDA_STAR_OWN = TX_N * TX_N,
  TX_CUDA_STAR_ACROSS = 2 * TX_K * TX_N,
  TX_CUDA_STAR_ROWS = 2 * (TX_CUDA_STAR_OWN + TX_CUDA_STAR_ACROSS)
};
static_assert(2 * TX_K <= TX_N, "the ghosts at both ends of a row must fit one");

/** The patch point of value `lane` of such a row; false: there is none. */
static __device__ __forceinline__ bool tx_cuda_star_point(int row, int lane, int at[3]) {
  const int end = lane < TX_K ? lane - TX_K : TX_N + lane - TX_K;
  at[0] = row < TX_CUDA_STAR_OWN ? lane : end;
  at[1] = row % TX_N;
  at[2] = row / TX_N % TX_N;
  if (row < 2 * TX_CUDA_STAR_OWN) return row < TX_CUDA_STAR_OWN || lane < 2 * TX_K;
  const int n = row - 2 * TX_CUDA_STAR_OWN, side = n / TX_N % (2 * TX_K), along = n % TX_N;
  const int across = side < TX_K ? side - TX_K : TX_N + side - TX_K;
  at[0] = lane;
  at[1] = n < TX_CUDA_STAR_ACROSS ? across : along;
  at[2] = n < TX_CUDA_STAR_ACROSS ? along : across;
  return true;
}

/** What stars round the octant's own points read of a patch: these and the ghosts behind faces. A block of THREADS, as
 *  tx_cuda_patch_load. */
template <int THREADS, class Values>
static __device__ __forceinline__ void tx_cuda_star_load(const tx_cuda_mesh &m, const Values &f,
                                                         tx_lidx b, double *patch) {
  constexpr int STEP = THREADS / TX_N, PASSES = (TX_CUDA_STAR_ROWS + STEP - 1) / STEP;
  constexpr int LOADS = PASSES < 8 ? PASSES : 8;
  const tx_cuda_region *regions = m.region + (size_t)b * 27;
  const int lane = (int)threadIdx.x % TX_N;
  for (int first = (int)threadIdx.x / TX_N; first < TX_CUDA_STAR_ROWS; first += LOADS * STEP) {
    double value[LOADS];
    int at[3];
#pragma unroll
    for (int n = 0; n < LOADS; n++) {
      const int row = first + n * STEP;
      if (row < TX_CUDA_STAR_ROWS && tx_cuda_star_point(row, lane, at))
        value[n] = row < TX_CUDA_STAR_OWN ? f.data[(size_t)b * TX_N3 + (size_t)(row * TX_N + lane)]
                                          : tx_cuda_read(m, f, regions, 0, at[0], at[1], at[2]);
    }
#pragma unroll
    for (int n = 0; n < LOADS; n++) {
      const int row = first + n * STEP;
      if (row < TX_CUDA_STAR_ROWS && tx_cuda_star_point(row, lane, at))
        patch[TX_PATCH_AT(at[0], at[1], at[2])] = value[n];
    }
  }
  __syncthreads();
  if (m.place[b].outer) tx_cuda_go_on_faces(m.place[b], f, patch);
}
