/* Values of patches as kernels read them, wherever they lie. */
#pragma once

#include "cuda/backend.cuh"
#include "cuda/kernels/extrapolate.cuh"

/** p / n for n one of the lengths of slabs and p >= 0, p n < 2^16. */
static __device__ __forceinline__ int tx_cuda_over(int p, int n) {
  static_assert(TX_N * TX_N * TX_N * TX_N <= 1 << 16, "exact only for so many points");
  const unsigned per = n == TX_K   ? 65536u / TX_K + 1
                       : n == TX_N ? 65536u / TX_N + 1
                                   : 65536u / (TX_N / 2) + 1;
  return (int)((unsigned)p * per >> 16);
}

/** Number of the region of patch point (i, j, k). */
static __device__ __forceinline__ int tx_cuda_region_of(int i, int j, int k) {
  return TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0));
}

/** Value of variable v of octant b at patch point (i, j, k), `regions` being those of the octant [27]; 0 in
 *  OUTER regions. */
static __device__ __forceinline__ double tx_cuda_read(const tx_cuda_mesh &m,
                                                      const tx_cuda_values &f,
                                                      const tx_cuda_region *regions, int v, int i,
                                                      int j, int k) {
  const tx_cuda_region &r = regions[tx_cuda_region_of(i, j, k)];
  if (r.source == TX_CUDA_OUTER) return 0.0;
  const double *base = r.source == TX_CUDA_FIELD ? f.data : m.slots;
  const double value = base[(int64_t)f.n_vars * r.origin + (int64_t)v * r.var + k * r.z + j * r.y +
                            i * r.x + r.offset];
  return __popc(r.mirror & f.odd[v]) & 1 ? -value : value;
}

/** Threads side by side along a row of a patch: the power of two that is enough. */
#define TX_CUDA_ROW (TX_P <= 16 ? 16 : 32)
static_assert(TX_P <= 32, "a row of a patch must fit a warp");

/** Fill box low .. high (inclusive, patch points) of the patch of octant b, variable v, in shared or global memory:
 *  `patch` is [TX_P3] and has point (i, j, k) at TX_PATCH_AT. At octants with outer faces the box must be the whole
 *  patch: what lies beyond them is extrapolated. The whole block calls it, of a multiple of 32 threads, none of
 *  which still reads what `patch` held; ends with a barrier. */
static __device__ inline void tx_cuda_patch_load(const tx_cuda_mesh &m, const tx_cuda_values &f,
                                                 tx_lidx b, int v, const int low[3],
                                                 const int high[3], double *patch) {
  const tx_cuda_region *regions = m.region + (size_t)b * 27;
  const int i = low[0] + (int)threadIdx.x % TX_CUDA_ROW, ny = high[1] - low[1] + 1;
  const int rows = i > high[0] ? 0 : ny * (high[2] - low[2] + 1);
  for (int row = (int)threadIdx.x / TX_CUDA_ROW; row < rows; row += (int)blockDim.x / TX_CUDA_ROW) {
    const int above = row / ny, j = low[1] + row - above * ny, k = low[2] + above;
    patch[TX_PATCH_AT(i, j, k)] = tx_cuda_read(m, f, regions, v, i, j, k);
  }
  __syncthreads();
  const uint32_t outer = m.place[b].outer;
  if (outer) tx_cuda_extrapolate(outer, patch);
}

/** The same for the whole patch. */
static __device__ inline void tx_cuda_patch_load_all(const tx_cuda_mesh &m, const tx_cuda_values &f,
                                                     tx_lidx b, int v, double *patch) {
  const int low[3] = {-TX_K, -TX_K, -TX_K};
  const int high[3] = {TX_N + TX_K - 1, TX_N + TX_K - 1, TX_N + TX_K - 1};
  tx_cuda_patch_load(m, f, b, v, low, high, patch);
}
