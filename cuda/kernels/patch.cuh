/* Values of patches, read in place. */
#pragma once

#include "cuda/backend.cuh"
#include "cuda/kernels/robin.cuh"

/** Return p / n for n one of the lengths of slabs and p >= 0, p n < 2^16. */
static __device__ __forceinline__ int tx_cuda_over(int p, int n) {
  static_assert(TX_N * TX_N * TX_N * TX_N <= 1 << 16, "exact only for so many points");
  const unsigned per = n == TX_K   ? 65536u / TX_K + 1
                       : n == TX_N ? 65536u / TX_N + 1
                       : n == 1    ? 65536u
                                   : 65536u / (TX_N / 2) + 1;
  return (int)((unsigned)p * per >> 16);
}

/** Return the number of the region of patch point (i, j, k). */
static __device__ __forceinline__ int tx_cuda_region_of(int i, int j, int k) {
  return TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0));
}

/** Return the value of variable v of octant b at patch point (i, j, k), `regions` being those of
 *  the octant [27]; 0 in OUTER regions. */
template <class T>
static __device__ __forceinline__ double
tx_cuda_read(const tx_cuda_mesh &m, const tx_cuda_numbers<T> &f, const tx_cuda_region *regions,
             int v, int i, int j, int k) {
  const tx_cuda_region &r = regions[tx_cuda_region_of(i, j, k)];
  if (r.source == TX_CUDA_OUTER) return 0.0;
  const int64_t at =
      (int64_t)f.n_vars * r.origin + (int64_t)v * r.var + k * r.z + j * r.y + i * r.x + r.offset;
  const double value =
      tx_cuda_is_single<T>(r) ? (double)f.data[at] : tx_cuda_base(m, f.data, r.source)[at];
  return __popc(r.mirror & f.odd[v]) & 1 ? -value : value;
}

/** Threads side by side along a row of a patch: the power of two that is enough. */
#define TX_CUDA_ROW (TX_P <= 16 ? 16 : 32)
static_assert(TX_P <= 32, "a row of a patch must fit a warp");

/** Values that a thread reads before it waits for the first one. */
#define TX_CUDA_LOADS 4

/** Fill box low .. high (inclusive, patch points) of the patch of octant b, variable v, in
 *  shared or global memory: `patch` is [TX_P3] and has point (i, j, k) at TX_PATCH_AT. At
 *  octants with outer faces the box must be the whole patch, from which the ghosts beyond them
 *  are extrapolated. The whole block calls it, of a multiple of 32 threads, none of which still
 *  reads the contents of `patch`; ends with a barrier. Values: tx_cuda_patched, or
 *  tx_cuda_values of a field without TX_OUTER_ROBIN. */
template <class Values>
static __device__ inline void tx_cuda_patch_load(const tx_cuda_mesh &m, const Values &f, tx_lidx b,
                                                 int v, const int low[3], const int high[3],
                                                 double *patch) {
  const tx_cuda_region *regions = m.region + (size_t)b * 27;
  const int i = low[0] + (int)threadIdx.x % TX_CUDA_ROW, ny = high[1] - low[1] + 1;
  const int rows = i > high[0] ? 0 : ny * (high[2] - low[2] + 1);
  const int step = (int)blockDim.x / TX_CUDA_ROW;
  for (int first = (int)threadIdx.x / TX_CUDA_ROW; first < rows; first += TX_CUDA_LOADS * step) {
    double value[TX_CUDA_LOADS];
#pragma unroll
    for (int n = 0; n < TX_CUDA_LOADS; n++) {
      const int row = first + n * step, above = row / ny;
      if (row < rows)
        value[n] = tx_cuda_read(m, f, regions, v, i, low[1] + row - above * ny, low[2] + above);
    }
#pragma unroll
    for (int n = 0; n < TX_CUDA_LOADS; n++) {
      const int row = first + n * step, above = row / ny;
      if (row < rows) patch[TX_PATCH_AT(i, low[1] + row - above * ny, low[2] + above)] = value[n];
    }
  }
  __syncthreads();
  if (m.place[b].outer) tx_cuda_go_on(m.place[b], f, v, patch);
}

/** Fill the whole patch, as tx_cuda_patch_load. */
template <class Values>
static __device__ inline void tx_cuda_patch_load_all(const tx_cuda_mesh &m, const Values &f,
                                                     tx_lidx b, int v, double *patch) {
  const int low[3] = {-TX_K, -TX_K, -TX_K};
  const int high[3] = {TX_N + TX_K - 1, TX_N + TX_K - 1, TX_N + TX_K - 1};
  tx_cuda_patch_load(m, f, b, v, low, high, patch);
}

/** Return the value of variable v of octant b at patch point p, also beyond outer faces;
 *  dimensions below D are those in which it may lie beyond; from D = 3: any. Slow. */
template <int D>
static __device__ double tx_cuda_read_beyond(const tx_cuda_mesh &m, const tx_cuda_patched &f,
                                             tx_lidx b, int v, const int p[3]) {
  if constexpr (D == 0) {
    return tx_cuda_read(m, f, m.region + (size_t)b * 27, v, p[0], p[1], p[2]);
  } else {
    constexpr tx_outer_weights e = tx_outer_weights_make();
    constexpr int d = D - 1;
    const tx_cuda_place &place = m.place[b];
    const bool low = place.outer & TX_FACE_BIT(d, 0) && p[d] < 0;
    const bool high = place.outer & TX_FACE_BIT(d, 1) && p[d] >= TX_N;
    if (!low && !high) return tx_cuda_read_beyond<d>(m, f, b, v, p);
    const int g = low ? -p[d] - 1 : p[d] - TX_N, edge = low ? 0 : TX_N - 1;
    int at[3] = {p[0], p[1], p[2]};
    at[d] = edge;
    const bool robin = f.robin >> v & 1u;
    const tx_robin_line line = tx_cuda_robin_line(place, d, !low, at);
    const int source = robin ? tx_robin_source(&line, g) : -1; /* the only point, or -1: all */
    double inside[TX_OUTER_POINTS], sum = 0.0;
    for (int j = 0; j < TX_OUTER_POINTS; j++) {
      at[d] = low ? edge + j : edge - j;
      inside[j] = source < 0 || j == source ? tx_cuda_read_beyond<d>(m, f, b, v, at) : 0.0;
      sum = fma(e.w[g][j], inside[j], sum);
    }
    return robin ? tx_robin_ghost(&f.law[v], &line, g, inside) : sum;
  }
}
