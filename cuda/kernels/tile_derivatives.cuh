/* Derivatives of the variables of a tile, one after the other.
 *
 * The steps that all variables share are functions that are not inlined: a kernel that goes
 * through 24 variables would otherwise outgrow the instruction cache (inlined, the stage kernel
 * has 11,000 instructions in place of 5,000, and fetching them is 44% of all stalls). The
 * compiler knows both sides and passes all in registers. */
#pragma once

#include "cuda/kernels/extrapolate.cuh"
#include "cuda/kernels/tile_copies.cuh"

/* Apply the signs of mirror images in a tile; mirror: of the regions of its octant; odd:
 * parities of the variable. */
static __device__ __noinline__ void tx_tile_flip(double *u, const uint8_t *mirror, uint32_t odd,
                                                 int number) {
  int first[3];
  tx_tile_first(number, first);
  for (int n = (int)threadIdx.x; n < TX_TILE_PLANE * (TX_TILE_Z + 2 * TX_K); n += TX_TILE_THREADS) {
    const int i = first[0] + n % TX_TILE_PLANE % TX_TILE_ROW - TX_K;
    const int j = first[1] + n % TX_TILE_PLANE / TX_TILE_ROW - TX_K;
    const int k = first[2] + n / TX_TILE_PLANE - TX_K;
    const int r = TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0));
    if (__popc(mirror[r] & odd) & 1) u[TX_TILE_START + n] = -u[TX_TILE_START + n];
  }
  __syncthreads();
}

/* Extrapolate the ghosts of a tile beyond outer faces. */
static __device__ __noinline__ void tx_tile_extrapolate(double *u, uint32_t outer) {
  const tx_cuda_box box = {{TX_TILE_X + 2 * TX_K, TX_TILE_Y + 2 * TX_K, TX_TILE_Z + 2 * TX_K},
                           {1, TX_TILE_ROW, TX_TILE_PLANE}};
  tx_cuda_extrapolate_box(outer, box, u + TX_TILE_START);
}

/* Form d[m-1] = u(+m) - u(-m) and s[m-1] = u(+m) + u(-m). */
static __device__ __forceinline__ void tx_tile_pairs(const double *u, int stride, double d[TX_K],
                                                     double s[TX_K]) {
#pragma unroll
  for (int m = 1; m <= TX_K; m++) {
    const double p = u[m * stride], q = u[-m * stride];
    d[m - 1] = p - q;
    s[m - 1] = p + q;
  }
}

/* Return the undivided first derivative. */
static __device__ __forceinline__ double tx_tile_difference(const double *u, int stride) {
  double d[TX_K];
#pragma unroll
  for (int m = 1; m <= TX_K; m++) d[m - 1] = u[m * stride] - u[-m * stride];
  return TX_D1_SUM(d);
}

/* Wait for a variable, and begin to copy a later one. */
template <int BUFFERS>
static __device__ __forceinline__ void tx_tile_arrive(unsigned load, unsigned next, uint32_t flags,
                                                      uint32_t to01, tx_tile_places to2) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  tx_async_wait<BUFFERS - 2>();
  __syncthreads();
  tx_tile_copy_begin<BUFFERS>(next, flags, to01, to2);
  if (flags >> TX_TILE_OUTER_AT) { /* rarely */
    double *u = tx_tile_byte(s->buffer[0], TX_TILE_BUFFER(load));
    const uint32_t odd = TX_TILE_ODD(load), outer = flags >> TX_TILE_OUTER_AT & 63u;
    if (flags >> TX_TILE_MIRROR_AT & odd)
      tx_tile_flip(u, s->mirror, odd, (int)(blockIdx.x % TX_TILES));
    if (outer) tx_tile_extrapolate(u, outer);
  }
}

/* Return advection and dissipation from TX_ADV_SUM and the undivided dissipation of each
 * dimension. */
template <int BUFFERS>
static __device__ __forceinline__ double tx_tile_adv(unsigned load, uint32_t flags, double over_h,
                                                     double b0, double b1, double b2,
                                                     const double a[3], const double k[3]) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  double ko[3] = {k[0], k[1], k[2]};
  if (flags & TX_TILE_NO_KO) {
#pragma unroll
    for (int dim = 0; dim < 3; dim++)
      if (flags >> (TX_TILE_NO_KO_AT + dim) & 1u) ko[dim] = 0.0;
  }
#if TX_UPWINDED
#define EVEN +TX_ADV_EVEN *(fabs(b0) * k[0] + fabs(b1) * k[1] + fabs(b2) * k[2])
#else
#define EVEN
#endif
  return over_h * (s->advect[TX_TILE_ADVECTION(load)] * (b0 * a[0] + b1 * a[1] + b2 * a[2] EVEN) +
                   s->ko[threadIdx.x] * (ko[0] + ko[1] + ko[2]));
}

/* Derive once, for tx_tile_derive1. */
template <int BUFFERS>
static __device__ __noinline__ tx_tile_jet1
tx_tile_first_derivatives(unsigned load, unsigned next, uint32_t own_edge0, uint32_t edge1_flags,
                          uint32_t to01, tx_tile_places to2, double b0, double b1, double b2) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  tx_tile_arrive<BUFFERS>(load, next, edge1_flags, to01, to2);
  const double *u = tx_tile_byte(s->buffer[0], TX_TILE_BUFFER(load) + (own_edge0 & 0xffffu));
  const double value = u[0], over_h = s->over_h;
  double d[3], a[3], k[3];
  constexpr int stride[3] = {1, TX_TILE_ROW, TX_TILE_PLANE};
#pragma unroll
  for (int dim = 0; dim < 3; dim++) {
    double difference[TX_K], sum[TX_K];
    tx_tile_pairs(u, stride[dim], difference, sum);
    d[dim] = TX_D1_SUM(difference);
    a[dim] = TX_ADV_SUM(difference);
    k[dim] = TX_KO_SUM(value, sum);
  }
  tx_tile_jet1 jet;
  jet.adv = tx_tile_adv<BUFFERS>(load, edge1_flags, over_h, b0, b1, b2, a, k);
#pragma unroll
  for (int dim = 0; dim < 3; dim++) jet.d[dim] = over_h * d[dim];
  return jet;
}

/* Derive twice, for tx_tile_derive2. */
template <int BUFFERS>
static __device__ __noinline__ tx_tile_jet2
tx_tile_second_derivatives(unsigned load, unsigned next, uint32_t own_edge0, uint32_t edge1_flags,
                           uint32_t to01, tx_tile_places to2, double b0, double b1, double b2) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  tx_tile_arrive<BUFFERS>(load, next, edge1_flags, to01, to2);
  /* Offsets from the place of a point to that of its d_y and d_z. */
  constexpr unsigned bytes = sizeof(double);
  constexpr unsigned to_dy = (unsigned)offsetof(tx_tile_memory<BUFFERS>, dy) -
                             (unsigned)(TX_TILE_AT(0, 0, 0) - TX_K) * bytes,
                     to_dz = (unsigned)offsetof(tx_tile_memory<BUFFERS>, dz) -
                             (unsigned)(TX_TILE_AT(0, -TX_K, 0) - TX_K) * bytes;
  double *first = s->buffer[0], *buffer = tx_tile_byte(first, TX_TILE_BUFFER(load));
  const unsigned own = own_edge0 & 0xffffu, edge0 = own_edge0 >> 16, edge1 = edge1_flags & 0xffffu;
  double *dy = tx_tile_byte(first, own + to_dy), *dz = tx_tile_byte(first, own + to_dz);
  const double *u = tx_tile_byte(buffer, own);
  const double value = u[0], over_h = s->over_h;
  double d[3], a[3], k[3], difference[TX_K], sum[TX_K];
  const double d11 = over_h * over_h, d2 = d11 * (TX_D1_DIVISOR * TX_D1_DIVISOR / TX_D2_DIVISOR);
  tx_tile_jet2 jet;
  tx_tile_pairs(u, TX_TILE_ROW, difference, sum);
  d[1] = TX_D1_SUM(difference);
  a[1] = TX_ADV_SUM(difference);
  *dy = d[1];
  jet.dd[3] = d2 * TX_D2_SUM(value, sum);
  k[1] = TX_KO_SUM(value, sum);
  tx_tile_pairs(u, TX_TILE_PLANE, difference, sum);
  d[2] = TX_D1_SUM(difference);
  a[2] = TX_ADV_SUM(difference);
  *dz = d[2];
  jet.dd[5] = d2 * TX_D2_SUM(value, sum);
  k[2] = TX_KO_SUM(value, sum);
  /* d_y and d_z beyond the tile along x, d_z beyond it along y. */
  *tx_tile_byte(first, edge0 + to_dz) =
      tx_tile_difference(tx_tile_byte(buffer, edge0), TX_TILE_PLANE);
  if (tx_tile_edge_x())
    *tx_tile_byte(first, edge0 + to_dy) =
        tx_tile_difference(tx_tile_byte(buffer, edge0), TX_TILE_ROW);
  if (tx_tile_edge_second())
    *tx_tile_byte(first, edge1 + to_dz) =
        tx_tile_difference(tx_tile_byte(buffer, edge1), TX_TILE_PLANE);
  tx_tile_pairs(u, 1, difference, sum);
  d[0] = TX_D1_SUM(difference);
  a[0] = TX_ADV_SUM(difference);
  jet.dd[0] = d2 * TX_D2_SUM(value, sum);
  k[0] = TX_KO_SUM(value, sum);
  jet.adv = tx_tile_adv<BUFFERS>(load, edge1_flags, over_h, b0, b1, b2, a, k);
#pragma unroll
  for (int dim = 0; dim < 3; dim++) jet.d[dim] = over_h * d[dim];
  __syncthreads();
  jet.dd[1] = d11 * tx_tile_difference(dy, 1);
  jet.dd[2] = d11 * tx_tile_difference(dz, 1);
  jet.dd[4] = d11 * tx_tile_difference(dz, TX_TILE_ROW);
  return jet;
}

/** Begin to copy a variable, one of the first BUFFERS - 1; later ones are begun by tx_tile_derive1 and 2. */
template <int BUFFERS>
static __device__ __forceinline__ void tx_tile_start(const tx_tile &t, unsigned load) {
  tx_tile_copy_begin<BUFFERS>(load, t.edge1_flags, t.to01, t.to2);
}

/** Wait for a variable, begin to copy `next`, the one BUFFERS - 1 later, and derive. */
template <int BUFFERS>
static __device__ __forceinline__ tx_tile_jet1 tx_tile_derive1(const tx_tile &t, unsigned load,
                                                               unsigned next) {
  return tx_tile_first_derivatives<BUFFERS>(load, next, t.own_edge0, t.edge1_flags, t.to01, t.to2,
                                            t.beta[0], t.beta[1], t.beta[2]);
}

/** Derive as tx_tile_derive1, with second derivatives. */
template <int BUFFERS>
static __device__ __forceinline__ tx_tile_jet2 tx_tile_derive2(const tx_tile &t, unsigned load,
                                                               unsigned next) {
  return tx_tile_second_derivatives<BUFFERS>(load, next, t.own_edge0, t.edge1_flags, t.to01, t.to2,
                                             t.beta[0], t.beta[1], t.beta[2]);
}
