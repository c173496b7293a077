/* Copies that load a variable into a tile.
 *
 * Addresses are computed once a block: a thread has up to three copies to do for a variable,
 * five with four ghosts, each described by one 64-bit word, which holds for all variables. */
#pragma once

#include "cuda/kernels/async_copy.cuh"
#include "cuda/kernels/tile.cuh"

/* First points (i, j, k) of all copies of a tile, as i + TX_K | (j + TX_K) << 8 | (k + TX_K) <<
 * 16, and whether it is a triple, << 24. Rows that follow each other lie in different banks
 * where they can. */
typedef struct tx_tile_points {
  uint32_t at[TX_TILE_COPIES];
} tx_tile_points;

static constexpr uint32_t tx_tile_copy_word(int i, int j, int k, bool beyond) {
  return (uint32_t)(i + TX_K) | (uint32_t)(j + TX_K) << 8 | (uint32_t)(k + TX_K) << 16 |
         (beyond && TX_TILE_TRIPLES ? 1u << 24 : 0u);
}

static constexpr uint32_t tx_tile_copy_point(int n) {
  constexpr int Y = TX_TILE_Y, Z = TX_TILE_Z, G = TX_TILE_GHOSTS;
  const bool beyond = n >= TX_TILE_BEYOND_Z && n < TX_TILE_BEYOND_XZ;
  if (beyond)
    n -= TX_TILE_BEYOND_Z;
  else if (n >= TX_TILE_BEYOND_XZ)
    n -= TX_TILE_BEYOND_XZ - TX_TILE_BEYOND_Z;
  const int side = n % TX_TILE_SIDES, upper = side >= TX_TILE_SIDES / 2;
  const int past = (upper ? TX_TILE_X : -TX_K) + side % (TX_TILE_SIDES / 2) * 2;
  const int i = beyond ? past : n % TX_TILE_PAIRS * 2;
  int row = n / (beyond ? (int)TX_TILE_SIDES : (int)TX_TILE_PAIRS);
  /* Part 0: own y and z; 1: ghosts along y; 2: along z; 3: along both. */
  const int end[] = {Y * Z, (Y + G) * Z, (Y + G) * Z + Y * G};
  const int part = (row >= end[0]) + (row >= end[1]) + (row >= end[2]);
  if (part > 0) row -= end[part - 1];
  if (!TX_TILE_REGULAR) {
    const int height = part & 1 ? G : Y;
    int j = row % height, k = row / height;
    if (part & 1) j += j < TX_K ? -TX_K : Y - TX_K;
    if (part & 2) k += k < TX_K ? -TX_K : Z - TX_K;
    return tx_tile_copy_word(i, j, k, beyond);
  }
  const int pair = row / 2 % TX_K;
  const int odd_y = TX_K % 2 ? (pair == 2 ? TX_K : pair + TX_K + 1) : pair + TX_K;
  const int y = row & 1 ? odd_y : pair;
  int j = part == 1 ? row / 2 % G : part == 3 ? y : (row & 1) * 4 + row / 2 % 4;
  int k = part == 1 ? (row & 1) * 2 + row / (2 * G) : row / (part == 3 ? G : Y);
  if (part & 1) j += j < TX_K ? -TX_K : Y - TX_K;
  if (part & 2) k += k < TX_K ? -TX_K : Z - TX_K;
  return tx_tile_copy_word(i, j, k, beyond);
}

static constexpr tx_tile_points tx_tile_points_make(void) {
  tx_tile_points p = {};
  for (int n = 0; n < TX_TILE_COPIES; n++) p.at[n] = tx_tile_copy_point(n);
  return p;
}

static __device__ const tx_tile_points tx_tile_points_all = tx_tile_points_make();

/* Return whether copy number `round` of the thread is a triple. */
static __device__ __forceinline__ bool tx_tile_has_triple(int round) {
  const int first = round * TX_TILE_THREADS, n = first + (int)threadIdx.x;
  if (!TX_TILE_TRIPLES || first + TX_TILE_THREADS <= TX_TILE_BEYOND_Z || first >= TX_TILE_BEYOND_XZ)
    return false;
  return (first >= TX_TILE_BEYOND_Z || n >= TX_TILE_BEYOND_Z) &&
         (first + TX_TILE_THREADS <= TX_TILE_BEYOND_XZ || n < TX_TILE_BEYOND_XZ);
}

/* Return whether the thread has copy number `round`. */
static __device__ __forceinline__ bool tx_tile_has_copy(int round) {
  return (round + 1) * TX_TILE_THREADS <= TX_TILE_COPIES ||
         (int)threadIdx.x < TX_TILE_COPIES - round * TX_TILE_THREADS;
}

/* Return the source of copy `word`, a usual one, of variable v. */
static __device__ __forceinline__ const double *tx_tile_from(unsigned long long word, unsigned v) {
  return reinterpret_cast<const double *>(
      (uintptr_t)((word & 0xffffffffffffull) +
                  (unsigned long long)(unsigned)(word >> 48) * (v * (unsigned)sizeof(double))));
}

/* Begin copy number `round` of the thread, of variable v, a usual one. */
static __device__ __forceinline__ void tx_tile_copy_one(int round, unsigned v, double *to,
                                                        unsigned long long word) {
  const double *from = tx_tile_from(word, v);
  if (!tx_tile_has_triple(round)) {
    tx_async_copy2(to, from);
  } else if (!(((uintptr_t)to ^ (uintptr_t)from) & sizeof(double))) {
    /* The last two or the first two are 16-byte aligned on both sides. */
    const int last = (uintptr_t)to & sizeof(double) ? 1 : 0;
    tx_async_copy2(to + last, from + last);
    tx_async_copy(to + 2 - 2 * last, from + 2 - 2 * last);
  } else {
    tx_async_copy(to, from);
    tx_async_copy(to + 1, from + 1);
    tx_async_copy(to + 2, from + 2);
  }
}

/* Begin copy number `round` of the thread, of variable v, usual or not. */
static __device__ __forceinline__ void tx_tile_copy_any(int round, unsigned v, double *to,
                                                        unsigned long long word) {
  if (word & TX_TILE_NOTHING) return;
  const double *from = tx_tile_from(word & ~7ull, v);
  const int step = word & TX_TILE_DOWN ? -1 : 1;
  tx_async_copy(to, from);
  tx_async_copy(to + 1, from + step);
  if (tx_tile_has_triple(round)) tx_async_copy(to + 2, from + 2 * step);
}

/* Begin the copies of the thread for a variable; c0, c1: words of the first two. */
template <int BUFFERS, bool USUAL>
static __device__ __forceinline__ void tx_tile_copy_all(unsigned load, uint32_t to01,
                                                        tx_tile_places to2, unsigned long long c0,
                                                        unsigned long long c1) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  const unsigned v = TX_TILE_VARIABLE(load), buffer = TX_TILE_BUFFER(load);
#pragma unroll
  for (int round = 0; round < TX_TILE_ROUNDS; round++) {
    /* So many threads have a copy in this round where first derivatives are enough. */
    const int some = TX_TILE_FIRST - round * TX_TILE_THREADS;
    if (some < TX_TILE_THREADS && !TX_TILE_SECOND(load) && (int)threadIdx.x >= some) continue;
    if (!tx_tile_has_copy(round)) continue;
    const unsigned at =
        round < 2 ? to01 >> 16 * round & 0xffffu : (unsigned)(to2 >> 16 * (round - 2)) & 0xffffu;
    double *to = tx_tile_byte(s->buffer[0], buffer + at);
    const unsigned long long later = round < 2 ? 0 : s->copy[threadIdx.x + round * TX_TILE_THREADS];
    const unsigned long long word = round == 0 ? c0 : round == 1 ? c1 : later;
    if (USUAL)
      tx_tile_copy_one(round, v, to, word);
    else
      tx_tile_copy_any(round, v, to, word);
  }
}

/* Begin to copy a variable; ends a group even if there is none. */
template <int BUFFERS>
static __device__ __forceinline__ void tx_tile_copy_begin(unsigned load, uint32_t flags,
                                                          uint32_t to01, tx_tile_places to2) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  if (load != TX_TILE_NO_LOAD) {
    const unsigned long long *copy = s->copy + threadIdx.x;
    const unsigned long long c0 = copy[0], c1 = copy[TX_TILE_THREADS];
    if (!(flags & TX_TILE_UNUSUAL))
      tx_tile_copy_all<BUFFERS, true>(load, to01, to2, c0, c1);
    else
      tx_tile_copy_all<BUFFERS, false>(load, to01, to2, c0, c1);
  }
  tx_async_commit();
}

/* Keep copy number `round` of the thread, which begins at `point` (tx_tile_points). */
template <int BUFFERS>
static __device__ __forceinline__ void tx_tile_copy_set(tx_tile *t, int round, uint32_t point,
                                                        const double *from, int var, int x,
                                                        bool outer) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  const unsigned at = (unsigned)((uintptr_t)from / sizeof(double)) | (unsigned)var;
  const unsigned way = (outer ? TX_TILE_NOTHING : 0u) | (x < 0 ? TX_TILE_DOWN : 0u) |
                       (!(point >> 24) && at & 1u ? TX_TILE_SPLIT : 0u);
  const unsigned to = (TX_TILE_START + (point >> 16 & 0xffu) * TX_TILE_PLANE +
                       (point >> 8 & 0xffu) * TX_TILE_ROW + (point & 0xffu)) *
                      (unsigned)sizeof(double);
  s->copy[round * TX_TILE_THREADS + (int)threadIdx.x] =
      (unsigned long long)(uintptr_t)from | way | (unsigned long long)(unsigned)var << 48;
  if (round == 0) t->to01 |= to;
  if (round == 1) t->to01 |= to << 16;
  if (round >= 2) t->to2 |= (tx_tile_places)to << 16 * (round - 2);
  if (way != 0) t->edge1_flags |= TX_TILE_UNUSUAL;
}

/** Find the addresses of octant b's tile in the table of regions. */
template <int BUFFERS>
static __device__ __forceinline__ void
tx_tile_locate(tx_tile *t, const tx_cuda_mesh &m, const tx_cuda_values &f, tx_lidx b, int number) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  typedef unsigned long long word;
  constexpr int words = 27 * sizeof(tx_cuda_region) / sizeof(word);
  static_assert(27 * sizeof(tx_cuda_region) % sizeof(word) == 0 && words <= TX_TILE_THREADS &&
                    27 * sizeof(tx_cuda_region) <= sizeof s->dz,
                "the regions lie where d_z will, copied by a word a thread");
  tx_cuda_region *region = reinterpret_cast<tx_cuda_region *>(s->dz);
  if (threadIdx.x < words)
    reinterpret_cast<word *>(region)[threadIdx.x] =
        reinterpret_cast<const word *>(m.region + (size_t)b * 27)[threadIdx.x];
  t->edge1_flags |= m.place[b].mirrors << TX_TILE_MIRROR_AT;
  int first[3];
  tx_tile_first(number, first);
  __syncthreads();
  if (threadIdx.x < 27) s->mirror[threadIdx.x] = region[threadIdx.x].mirror;
#pragma unroll 1
  for (int round = 0; round < TX_TILE_ROUNDS; round++) {
    if (!tx_tile_has_copy(round)) break;
    const uint32_t point = tx_tile_points_all.at[round * TX_TILE_THREADS + (int)threadIdx.x];
    const int i = first[0] - TX_K + (int)(point & 0xffu);
    const int j = first[1] - TX_K + (int)(point >> 8 & 0xffu);
    const int k = first[2] - TX_K + (int)(point >> 16 & 0xffu);
    const tx_cuda_region &r =
        region[TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0))];
    const double *from = tx_cuda_base(m, f.data, r.source) +
                         ((int64_t)f.n_vars * r.origin + k * r.z + j * r.y + i * r.x + r.offset);
    tx_tile_copy_set<BUFFERS>(t, round, point, from, r.var, r.x, r.source == TX_CUDA_OUTER);
  }
}
