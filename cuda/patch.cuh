/* Values of patches as kernels read them, wherever they lie. */
#pragma once

#include "cuda/backend.cuh"
#include "cuda/extrapolate.cuh"

/** Number of the region of patch point (i, j, k). */
static __device__ __forceinline__ int tx_cuda_region_of(int i, int j, int k) {
  return TX_REGION(i < 0 ? -1 : i >= TX_N, j < 0 ? -1 : j >= TX_N, k < 0 ? -1 : k >= TX_N);
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
  const bool flip = r.source == TX_CUDA_FIELD && (__popc(r.mirror & f.odd[v]) & 1);
  return flip ? -value : value;
}

/** Fill box low .. high (inclusive, patch points) of the patch of octant b, variable v, in shared or global
 *  memory: `patch` is [TX_P3] and has point (i, j, k) at TX_PATCH_AT. The whole block calls it; ends with a
 *  barrier. At octants with outer faces the box must be the whole patch: what lies beyond them is
 *  extrapolated. */
static __device__ inline void tx_cuda_patch_load(const tx_cuda_mesh &m, const tx_cuda_values &f,
                                                 tx_lidx b, int v, const int low[3],
                                                 const int high[3], double *patch) {
  const tx_cuda_region *regions = m.region + (size_t)b * 27;
  const int nx = high[0] - low[0] + 1, ny = high[1] - low[1] + 1, nz = high[2] - low[2] + 1;
  for (int n = (int)threadIdx.x; n < nx * ny * nz; n += (int)blockDim.x) {
    const int i = low[0] + n % nx, j = low[1] + n / nx % ny, k = low[2] + n / (nx * ny);
    patch[TX_PATCH_AT(i, j, k)] = tx_cuda_read(m, f, regions, v, i, j, k);
  }
  __syncthreads();
  const uint32_t outer = m.place[b].outer;
  if (outer) tx_cuda_extrapolate(outer, patch);
}
