/* Tiles of octants in shared memory, variable after variable, and derivatives of them.
 *
 * A block of 256 threads, one a point, works on 8 x 8 x 4 points of an octant. The variables come with their
 * ghosts, straight from wherever they lie, by asynchronous copies that are ahead of the arithmetic. Of a
 * variable that needs first derivatives only, the arms of the stencils are copied; for mixed second derivatives all
 * but what lies off the tile in all three dimensions.
 *
 * Addresses are worked out once a block: a thread has up to three copies to do for a variable, each described
 * by one 64-bit word, which holds for all variables.
 *
 * What is done for every variable is one function each, not inlined: a kernel that goes through 24 variables would
 * otherwise outgrow the instruction cache. The compiler knows both sides and passes all in registers. */
#pragma once

#include "cuda/kernels/async_copy.cuh"
#include "cuda/backend.cuh"
#include "cuda/kernels/extrapolate.cuh"
#include "physics/stencils_point.h"

/** Points of a tile, tiles of an octant. */
#define TX_TILE_X       8
#define TX_TILE_Y       8
#define TX_TILE_Z       4
#define TX_TILE_THREADS (TX_TILE_X * TX_TILE_Y * TX_TILE_Z)
#define TX_TILES_X      (TX_N / TX_TILE_X)
#define TX_TILES_Y      (TX_N / TX_TILE_Y)
#define TX_TILES        (TX_TILES_X * TX_TILES_Y * (TX_N / TX_TILE_Z))

/** A tile with its ghosts: pitch of rows and of planes, place of point (i, j, k). Rows that are 4 apart, and
 *  planes that are 2 apart, lie in different banks. Even i are 16-byte aligned. */
#define TX_TILE_ROW     (TX_TILE_X + 2 * TX_K)
#define TX_TILE_PLANE   (TX_TILE_ROW * (TX_TILE_Y + 2 * TX_K))
#define TX_TILE_START   (TX_K % 2)
#define TX_TILE_DOUBLES (TX_TILE_START + TX_TILE_PLANE * (TX_TILE_Z + 2 * TX_K) + 1)
#define TX_TILE_AT(i, j, k)                                                                        \
  (TX_TILE_START + ((k) + TX_K) * TX_TILE_PLANE + ((j) + TX_K) * TX_TILE_ROW + (i) + TX_K)

static_assert(TX_K == 3, "copies of ghosts along x are written for three");
static_assert(TX_N % TX_TILE_X == 0 && TX_N % TX_TILE_Y == 0, "tiles must divide an octant");
static_assert(TX_TILE_DOUBLES * sizeof(double) < 1u << 16, "places are kept in 16 bits");
static_assert(TX_TILE_DOUBLES % 2 == 0 && TX_TILE_PLANE % 2 == 0, "copies of two must be aligned");

/** Undivided d_y on rows that extend into the ghosts along x; d_z also on the rows beyond along y: where they
 *  lie from where the value lies in the first buffer. Both have the pitches of the tile. */
#define TX_TILE_DY_DOUBLES (TX_TILE_PLANE * (TX_TILE_Z - 1) + TX_TILE_ROW * TX_TILE_Y)
#define TX_TILE_DZ_DOUBLES (TX_TILE_PLANE * TX_TILE_Z)

/** The copies of a tile: pairs of points, and triples of ghosts along x; those that first derivatives need come
 *  first. */
enum {
  TX_TILE_PAIRS = TX_TILE_X / 2,
  TX_TILE_GHOSTS = 2 * TX_K, /* of a line */
  TX_TILE_OWN = TX_TILE_PAIRS * TX_TILE_Y * TX_TILE_Z,
  TX_TILE_BEYOND_Y = TX_TILE_OWN + TX_TILE_PAIRS * TX_TILE_GHOSTS * TX_TILE_Z,
  TX_TILE_BEYOND_Z = TX_TILE_BEYOND_Y + TX_TILE_PAIRS * TX_TILE_Y * TX_TILE_GHOSTS,
  TX_TILE_BEYOND_X = TX_TILE_BEYOND_Z + 2 * TX_TILE_Y * TX_TILE_Z, /* triples from here */
  TX_TILE_FIRST = TX_TILE_BEYOND_X,
  TX_TILE_BEYOND_XY = TX_TILE_BEYOND_X + 2 * TX_TILE_GHOSTS * TX_TILE_Z,
  TX_TILE_BEYOND_XZ = TX_TILE_BEYOND_XY + 2 * TX_TILE_Y * TX_TILE_GHOSTS, /* to here */
  TX_TILE_COPIES = TX_TILE_BEYOND_XZ + TX_TILE_PAIRS * TX_TILE_GHOSTS * TX_TILE_GHOSTS,
  TX_TILE_ROUNDS = TX_TILE_COPIES / TX_TILE_THREADS,
};
static_assert(TX_TILE_COPIES == 3 * TX_TILE_THREADS, "copies are written as three rounds");

/** What is unusual about a copy: the low bits of its word; then come the address of its first point of variable 0
 *  and, in the highest 16 bits, the doubles from variable to variable. */
#define TX_TILE_NOTHING 1u /**< beyond an outer face */
#define TX_TILE_DOWN    2u /**< points lie downwards from the first one */
#define TX_TILE_SPLIT   4u /**< a pair that is not 16-byte aligned */

/** A variable to be taken, as one word: its number, whether second derivatives are needed, its parities (bit d:
 *  odd in dimension d), the buffer that it goes to, and which factor its advection has. */
#define TX_TILE_LOAD(v, order, odd, buffer, advect)                                                \
  ((unsigned)(v) | ((order) == 2 ? 1u << 5 : 0u) | (unsigned)(odd) << 6 |                          \
   (unsigned)(advect) << 9 | (unsigned)((buffer)*TX_TILE_DOUBLES * sizeof(double)) << 16)
#define TX_TILE_NO_LOAD         0xffffffffu
#define TX_TILE_VARIABLE(load)  ((load)&31u)
#define TX_TILE_SECOND(load)    ((load) >> 5 & 1u)
#define TX_TILE_ODD(load)       ((load) >> 6 & 7u)
#define TX_TILE_ADVECTION(load) ((load) >> 9 & 3u)
#define TX_TILE_BUFFER(load)    ((load) >> 16) /* bytes */

/** The first part of the dynamic shared memory of a block. */
template <int BUFFERS> struct tx_tile_memory {
  double buffer[BUFFERS][TX_TILE_DOUBLES];
  unsigned long long copy[TX_TILE_COPIES];
  double dy[TX_TILE_DY_DOUBLES], dz[TX_TILE_DZ_DOUBLES];
  double over_h;              /**< 1/(TX_D1_DIVISOR h) */
  double ko[TX_TILE_THREADS]; /**< sigma at each point, times TX_D1_DIVISOR / 2^(2 TX_K) */
  double advect[4];           /**< factors of beta^k d_k */
  uint8_t mirror[32];         /**< of the regions that are read from fields */
};

/** Derivatives of a variable at a thread's point: advection and dissipation; first; second in the order xx, xy,
 *  xz, yy, yz, zz. */
typedef struct tx_tile_jet1 {
  double adv, d[3];
} tx_tile_jet1;
typedef struct tx_tile_jet2 {
  double adv, d[3], dd[6];
} tx_tile_jet2;

/** What a thread keeps of its tile in registers, by 16 bits each. Places, in bytes from the first buffer: own,
 *  the thread's point; edge, two points beyond the tile of which it forms d_y or d_z; to, where its copies go. */
typedef struct tx_tile {
  uint32_t own_edge0, edge1_flags, to01, to2;
  double beta[3]; /**< the shift */
} tx_tile;

/** Flags, in the high half of edge1_flags, from the lowest: dimensions without dissipation at the thread's
 *  point; whether it is an outermost point; whether it has unusual copies; outer faces of the octant that the
 *  tile touches; dimensions in which something is mirrored. */
#define TX_TILE_NO_KO_AT  16
#define TX_TILE_NO_KO     (7u << TX_TILE_NO_KO_AT)
#define TX_TILE_OUTERMOST (1u << 19)
#define TX_TILE_UNUSUAL   (1u << 20)
#define TX_TILE_OUTER_AT  21
#define TX_TILE_MIRROR_AT 27

/* The double `bytes` after the first one. */
static __device__ __forceinline__ double *tx_tile_byte(double *first, unsigned bytes) {
  return reinterpret_cast<double *>(reinterpret_cast<char *>(first) + bytes);
}

/* Place of the thread's point in its tile: half a warp has two rows, 4 apart; a warp two pairs of neighbours. */
static __device__ __forceinline__ int tx_tile_x(void) {
  return (int)(threadIdx.x & 7u);
}
static __device__ __forceinline__ int tx_tile_y(void) {
  return (int)((threadIdx.x >> 1 & 4u) | (threadIdx.x >> 4 & 1u) | (threadIdx.x >> 4 & 2u));
}
static __device__ __forceinline__ int tx_tile_z(void) {
  return (int)(threadIdx.x >> 6);
}

/* Ghost g = 0 .. 2 TX_K - 1 of a line of n points. */
static __device__ __forceinline__ int tx_tile_ghost(int g, int n) {
  return g < TX_K ? g - TX_K : g - TX_K + n;
}

/** First point of tile `number` in its octant. */
static __device__ __forceinline__ void tx_tile_first(int number, int first[3]) {
  first[0] = number % TX_TILES_X * TX_TILE_X;
  first[1] = number / TX_TILES_X % TX_TILES_Y * TX_TILE_Y;
  first[2] = number / (TX_TILES_X * TX_TILES_Y) * TX_TILE_Z;
}

/* The first points (i, j, k) of all copies of a tile, as i + TX_K | (j + TX_K) << 8 | (k + TX_K) << 16, and whether
 * it is a triple, << 24. Rows that follow each other lie in different banks where they can. */
typedef struct tx_tile_points {
  uint32_t at[TX_TILE_COPIES];
} tx_tile_points;

static constexpr uint32_t tx_tile_copy_point(int n) {
  constexpr int Y = TX_TILE_Y, Z = TX_TILE_Z, G = TX_TILE_GHOSTS;
  const bool triple = n >= TX_TILE_BEYOND_Z && n < TX_TILE_BEYOND_XZ;
  if (triple)
    n -= TX_TILE_BEYOND_Z;
  else if (n >= TX_TILE_BEYOND_XZ)
    n -= TX_TILE_BEYOND_XZ - TX_TILE_BEYOND_Z;
  const int i = triple ? (n & 1 ? TX_TILE_X : -TX_K) : n % TX_TILE_PAIRS * 2;
  int row = n / (triple ? 2 : TX_TILE_PAIRS);
  /* Part 0: own y and z; 1: ghosts along y; 2: along z; 3: along both. */
  const int end[] = {Y * Z, (Y + G) * Z, (Y + G) * Z + Y * G};
  const int part = (row >= end[0]) + (row >= end[1]) + (row >= end[2]);
  if (part > 0) row -= end[part - 1];
  const int pair = row / 2 % TX_K;
  const int y = !(row & 1) ? pair : pair == 2 ? TX_K : pair + TX_K + 1;
  int j = part == 1 ? row / 2 % G : part == 3 ? y : (row & 1) * 4 + row / 2 % 4;
  int k = part == 1 ? (row & 1) * 2 + row / (2 * G) : row / (part == 3 ? G : Y);
  if (part & 1) j += j < TX_K ? -TX_K : Y - TX_K;
  if (part & 2) k += k < TX_K ? -TX_K : Z - TX_K;
  return (uint32_t)(i + TX_K) | (uint32_t)(j + TX_K) << 8 | (uint32_t)(k + TX_K) << 16 |
         (triple ? 1u << 24 : 0u);
}

static constexpr tx_tile_points tx_tile_points_make(void) {
  tx_tile_points p = {};
  for (int n = 0; n < TX_TILE_COPIES; n++) p.at[n] = tx_tile_copy_point(n);
  return p;
}

static __device__ const tx_tile_points tx_tile_points_all = tx_tile_points_make();

/* Signs of mirror images in a tile; mirror: of the regions of its octant; odd: parities of the variable. */
static __device__ __noinline__ void tx_tile_flip(double *u, const uint8_t *mirror, uint32_t odd,
                                                 int number) {
  int first[3];
  tx_tile_first(number, first);
  for (int n = (int)threadIdx.x; n < TX_TILE_PLANE * (TX_TILE_Z + 2 * TX_K); n += TX_TILE_THREADS) {
    const int i = first[0] + n % TX_TILE_ROW - TX_K;
    const int j = first[1] + n / TX_TILE_ROW % (TX_TILE_Y + 2 * TX_K) - TX_K;
    const int k = first[2] + n / TX_TILE_PLANE - TX_K;
    const int r = TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0));
    if (__popc(mirror[r] & odd) & 1) u[TX_TILE_START + n] = -u[TX_TILE_START + n];
  }
  __syncthreads();
}

/* Ghosts of a tile beyond outer faces. */
static __device__ __noinline__ void tx_tile_extrapolate(double *u, uint32_t outer) {
  const tx_cuda_box box = {{TX_TILE_ROW, TX_TILE_Y + 2 * TX_K, TX_TILE_Z + 2 * TX_K},
                           {1, TX_TILE_ROW, TX_TILE_PLANE}};
  tx_cuda_extrapolate_box(outer, box, u + TX_TILE_START);
}

/* d[m-1] = u(+m) - u(-m) and s[m-1] = u(+m) + u(-m). */
static __device__ __forceinline__ void tx_tile_pairs(const double *u, int stride, double d[TX_K],
                                                     double s[TX_K]) {
#pragma unroll
  for (int m = 1; m <= TX_K; m++) {
    const double p = u[m * stride], q = u[-m * stride];
    d[m - 1] = p - q;
    s[m - 1] = p + q;
  }
}

/* Undivided first derivative. */
static __device__ __forceinline__ double tx_tile_difference(const double *u, int stride) {
  double d[TX_K];
#pragma unroll
  for (int m = 1; m <= TX_K; m++) d[m - 1] = u[m * stride] - u[-m * stride];
  return TX_D1_SUM(d);
}

/* Whether copy number `round` of the thread is a triple. */
static __device__ __forceinline__ bool tx_tile_has_triple(int round) {
  if (round == 1) return threadIdx.x >= TX_TILE_BEYOND_Z - TX_TILE_THREADS;
  if (round == 2) return threadIdx.x < TX_TILE_BEYOND_XZ - 2 * TX_TILE_THREADS;
  return false;
}
static_assert(TX_TILE_BEYOND_Z > TX_TILE_THREADS && TX_TILE_BEYOND_Z < 2 * TX_TILE_THREADS &&
                  TX_TILE_BEYOND_XZ > 2 * TX_TILE_THREADS,
              "triples come in rounds 1 and 2");

/* Where copy `word`, nothing being unusual about it, of variable v comes from. */
static __device__ __forceinline__ const double *tx_tile_from(unsigned long long word, unsigned v) {
  return reinterpret_cast<const double *>(
      (uintptr_t)((word & 0xffffffffffffull) +
                  (unsigned long long)(unsigned)(word >> 48) * (v * (unsigned)sizeof(double))));
}

/* Copy number `round` of the thread, of variable v, as usual. */
static __device__ __forceinline__ void tx_tile_copy_one(int round, unsigned v, double *to,
                                                        unsigned long long word) {
  const double *from = tx_tile_from(word, v);
  if (!tx_tile_has_triple(round)) {
    tx_async_copy2(to, from);
  } else {
    tx_async_copy(to, from);
    tx_async_copy(to + 1, from + 1);
    tx_async_copy(to + 2, from + 2);
  }
}

/* The same, whatever is unusual about it. */
static __device__ __forceinline__ void tx_tile_copy_any(int round, unsigned v, double *to,
                                                        unsigned long long word) {
  if (word & TX_TILE_NOTHING) return;
  const double *from = tx_tile_from(word & ~7ull, v);
  const int step = word & TX_TILE_DOWN ? -1 : 1;
  tx_async_copy(to, from);
  tx_async_copy(to + 1, from + step);
  if (tx_tile_has_triple(round)) tx_async_copy(to + 2, from + 2 * step);
}

/* Begin to copy a variable; ends a group even if there is none. */
template <int BUFFERS>
static __device__ __forceinline__ void tx_tile_copy_begin(unsigned load, uint32_t flags,
                                                          uint32_t to01, uint32_t to2) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  if (load != TX_TILE_NO_LOAD) {
    const unsigned v = TX_TILE_VARIABLE(load), buffer = TX_TILE_BUFFER(load);
    const bool second = TX_TILE_SECOND(load);
    const bool one = second || threadIdx.x < TX_TILE_FIRST - TX_TILE_THREADS;
    const unsigned long long *copy = s->copy + threadIdx.x;
    double *to0 = tx_tile_byte(s->buffer[0], buffer + (to01 & 0xffffu));
    double *to1 = tx_tile_byte(s->buffer[0], buffer + (to01 >> 16));
    double *to2nd = tx_tile_byte(s->buffer[0], buffer + to2);
    const unsigned long long c0 = copy[0], c1 = copy[TX_TILE_THREADS];
    if (!(flags & TX_TILE_UNUSUAL)) {
      tx_tile_copy_one(0, v, to0, c0);
      if (one) tx_tile_copy_one(1, v, to1, c1);
      if (second) tx_tile_copy_one(2, v, to2nd, copy[2 * TX_TILE_THREADS]);
    } else {
      tx_tile_copy_any(0, v, to0, c0);
      if (one) tx_tile_copy_any(1, v, to1, c1);
      if (second) tx_tile_copy_any(2, v, to2nd, copy[2 * TX_TILE_THREADS]);
    }
  }
  tx_async_commit();
}

/** Tile `number` of an octant at `place`; ko, of the thread's point, and advect: see tx_tile_memory. The shift is
 *  yet to be set. */
template <int BUFFERS>
static __device__ __forceinline__ tx_tile tx_tile_begin(const tx_cuda_place &place, int number,
                                                        double ko, const double advect[4]) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  const int here[3] = {tx_tile_x(), tx_tile_y(), tx_tile_z()};
  const int size[3] = {TX_TILE_X, TX_TILE_Y, TX_TILE_Z};
  int first[3];
  tx_tile_first(number, first);
  uint32_t flags = 0;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    const int p = first[d] + here[d];
    if (place.outer & TX_FACE_BIT(d, 0)) {
      if (p < TX_K) flags |= 1u << (TX_TILE_NO_KO_AT + d);
      if (p == 0) flags |= TX_TILE_OUTERMOST;
      if (first[d] == 0) flags |= TX_FACE_BIT(d, 0) << TX_TILE_OUTER_AT;
    }
    if (place.outer & TX_FACE_BIT(d, 1)) {
      if (p >= TX_N - TX_K) flags |= 1u << (TX_TILE_NO_KO_AT + d);
      if (p == TX_N - 1) flags |= TX_TILE_OUTERMOST;
      if (first[d] + size[d] == TX_N) flags |= TX_FACE_BIT(d, 1) << TX_TILE_OUTER_AT;
    }
  }
  s->ko[threadIdx.x] = ko;
  if (threadIdx.x == 0) {
    s->over_h = 1.0 / (TX_D1_DIVISOR * place.h);
    for (int n = 0; n < 4; n++) s->advect[n] = advect[n];
  }
  /* The 6 x 8 x 4 points beyond along x are the first ones of six warps, half a warp having two neighbours in
   * 8 rows; the 8 x 6 x 4 points beyond along y the first ones of the others and the second ones of four. */
  const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31u);
  const int half = warp * 2 + (lane >> 4);
  const int i = tx_tile_ghost((half >> 2) * 2 + (lane & 1), TX_TILE_X);
  const int row = warp & 1, z = (lane >> 2 & 2) | (lane >> 4);
  const int beyond_y = TX_TILE_AT(lane & 7, 0, z);
  const int edge0 = warp < 6 ? TX_TILE_AT(i, lane >> 1 & 7, half & 3)
                             : beyond_y + tx_tile_ghost(row, TX_TILE_Y) * TX_TILE_ROW;
  const int edge1 = beyond_y + tx_tile_ghost(warp < 2 ? 2 + row : 4 + row, TX_TILE_Y) * TX_TILE_ROW;
  constexpr int bytes = (int)sizeof(double);
  tx_tile t = {};
  t.own_edge0 = (uint32_t)(TX_TILE_AT(here[0], here[1], here[2]) * bytes | edge0 * bytes << 16);
  t.edge1_flags = (uint32_t)(edge1 * bytes) | flags;
  return t;
}

/** Offset of the thread's point in its octant. */
static __device__ __forceinline__ int tx_tile_point(int number) {
  int first[3];
  tx_tile_first(number, first);
  return TX_AT(first[0] + tx_tile_x(), first[1] + tx_tile_y(), first[2] + tx_tile_z());
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
  if (round == 2) t->to2 = to;
  if (way != 0) t->edge1_flags |= TX_TILE_UNUSUAL;
}

/** Addresses of octant b's tile from the table of regions. */
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
    const uint32_t point = tx_tile_points_all.at[round * TX_TILE_THREADS + (int)threadIdx.x];
    const int i = first[0] - TX_K + (int)(point & 0xffu);
    const int j = first[1] - TX_K + (int)(point >> 8 & 0xffu);
    const int k = first[2] - TX_K + (int)(point >> 16 & 0xffu);
    const tx_cuda_region &r =
        region[TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0))];
    const double *from = (r.source == TX_CUDA_FIELD ? f.data : m.slots) +
                         ((int64_t)f.n_vars * r.origin + k * r.z + j * r.y + i * r.x + r.offset);
    tx_tile_copy_set<BUFFERS>(t, round, point, from, r.var, r.x, r.source == TX_CUDA_OUTER);
  }
}

/* Wait for a variable, begin to copy a later one. */
template <int BUFFERS>
static __device__ __forceinline__ void tx_tile_arrive(unsigned load, unsigned next, uint32_t flags,
                                                      uint32_t to01, uint32_t to2) {
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

/* Advection and dissipation from undivided first derivatives and dissipation. */
template <int BUFFERS>
static __device__ __forceinline__ double tx_tile_adv(unsigned load, uint32_t flags, double over_h,
                                                     double b0, double b1, double b2,
                                                     const double d[3], const double k[3]) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  double ko[3] = {k[0], k[1], k[2]};
  if (flags & TX_TILE_NO_KO) {
#pragma unroll
    for (int dim = 0; dim < 3; dim++)
      if (flags >> (TX_TILE_NO_KO_AT + dim) & 1u) ko[dim] = 0.0;
  }
  return over_h * (s->advect[TX_TILE_ADVECTION(load)] * (b0 * d[0] + b1 * d[1] + b2 * d[2]) +
                   s->ko[threadIdx.x] * (ko[0] + ko[1] + ko[2]));
}

/* See tx_tile_take1. */
template <int BUFFERS>
static __device__ __noinline__ tx_tile_jet1
tx_tile_first_derivatives(unsigned load, unsigned next, uint32_t own_edge0, uint32_t edge1_flags,
                          uint32_t to01, uint32_t to2, double b0, double b1, double b2) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  tx_tile_arrive<BUFFERS>(load, next, edge1_flags, to01, to2);
  const double *u = tx_tile_byte(s->buffer[0], TX_TILE_BUFFER(load) + (own_edge0 & 0xffffu));
  const double value = u[0], over_h = s->over_h;
  double d[3], k[3];
  constexpr int stride[3] = {1, TX_TILE_ROW, TX_TILE_PLANE};
#pragma unroll
  for (int dim = 0; dim < 3; dim++) {
    double difference[TX_K], sum[TX_K];
    tx_tile_pairs(u, stride[dim], difference, sum);
    d[dim] = TX_D1_SUM(difference);
    k[dim] = TX_KO_SUM(value, sum);
  }
  tx_tile_jet1 jet;
  jet.adv = tx_tile_adv<BUFFERS>(load, edge1_flags, over_h, b0, b1, b2, d, k);
#pragma unroll
  for (int dim = 0; dim < 3; dim++) jet.d[dim] = over_h * d[dim];
  return jet;
}

/* See tx_tile_take2. */
template <int BUFFERS>
static __device__ __noinline__ tx_tile_jet2
tx_tile_second_derivatives(unsigned load, unsigned next, uint32_t own_edge0, uint32_t edge1_flags,
                           uint32_t to01, uint32_t to2, double b0, double b1, double b2) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  tx_tile_arrive<BUFFERS>(load, next, edge1_flags, to01, to2);
  /* What must be added to the place of a point for that of its d_y and d_z. */
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
  double d[3], k[3], difference[TX_K], sum[TX_K];
  const double d11 = over_h * over_h, d2 = d11 * (TX_D1_DIVISOR * TX_D1_DIVISOR / TX_D2_DIVISOR);
  tx_tile_jet2 jet;
  tx_tile_pairs(u, TX_TILE_ROW, difference, sum);
  d[1] = TX_D1_SUM(difference);
  *dy = d[1];
  jet.dd[3] = d2 * TX_D2_SUM(value, sum);
  k[1] = TX_KO_SUM(value, sum);
  tx_tile_pairs(u, TX_TILE_PLANE, difference, sum);
  d[2] = TX_D1_SUM(difference);
  *dz = d[2];
  jet.dd[5] = d2 * TX_D2_SUM(value, sum);
  k[2] = TX_KO_SUM(value, sum);
  /* d_y and d_z beyond the tile along x, d_z beyond it along y. */
  const unsigned warp = threadIdx.x >> 5;
  *tx_tile_byte(first, edge0 + to_dz) =
      tx_tile_difference(tx_tile_byte(buffer, edge0), TX_TILE_PLANE);
  if (warp < 6)
    *tx_tile_byte(first, edge0 + to_dy) =
        tx_tile_difference(tx_tile_byte(buffer, edge0), TX_TILE_ROW);
  if (warp < 2 || warp >= 6)
    *tx_tile_byte(first, edge1 + to_dz) =
        tx_tile_difference(tx_tile_byte(buffer, edge1), TX_TILE_PLANE);
  tx_tile_pairs(u, 1, difference, sum);
  d[0] = TX_D1_SUM(difference);
  jet.dd[0] = d2 * TX_D2_SUM(value, sum);
  k[0] = TX_KO_SUM(value, sum);
  jet.adv = tx_tile_adv<BUFFERS>(load, edge1_flags, over_h, b0, b1, b2, d, k);
#pragma unroll
  for (int dim = 0; dim < 3; dim++) jet.d[dim] = over_h * d[dim];
  __syncthreads();
  jet.dd[1] = d11 * tx_tile_difference(dy, 1);
  jet.dd[2] = d11 * tx_tile_difference(dz, 1);
  jet.dd[4] = d11 * tx_tile_difference(dz, TX_TILE_ROW);
  return jet;
}

/** Begin to copy a variable, one of the first BUFFERS - 1; later ones are begun by tx_tile_take1 and 2. */
template <int BUFFERS>
static __device__ __forceinline__ void tx_tile_start(const tx_tile &t, unsigned load) {
  tx_tile_copy_begin<BUFFERS>(load, t.edge1_flags, t.to01, t.to2);
}

/** Wait for a variable, begin to copy `next`, the one BUFFERS - 1 later, and derive. */
template <int BUFFERS>
static __device__ __forceinline__ tx_tile_jet1 tx_tile_take1(const tx_tile &t, unsigned load,
                                                             unsigned next) {
  return tx_tile_first_derivatives<BUFFERS>(load, next, t.own_edge0, t.edge1_flags, t.to01, t.to2,
                                            t.beta[0], t.beta[1], t.beta[2]);
}

/** The same with second derivatives. */
template <int BUFFERS>
static __device__ __forceinline__ tx_tile_jet2 tx_tile_take2(const tx_tile &t, unsigned load,
                                                             unsigned next) {
  return tx_tile_second_derivatives<BUFFERS>(load, next, t.own_edge0, t.edge1_flags, t.to01, t.to2,
                                             t.beta[0], t.beta[1], t.beta[2]);
}
