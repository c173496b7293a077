/* Tiles of octants in shared memory, variable after variable, and derivatives of them.
 *
 * A block of 256 threads, one a point, works on 8 x 8 x 4 points of an octant. The variables come with their
 * ghosts, straight from wherever they lie, by asynchronous copies that are ahead of the arithmetic. Of a
 * variable that needs first derivatives only, the arms of the stencils are copied; for mixed second derivatives all
 * but what lies off the tile in all three dimensions.
 *
 * Addresses are worked out once a block: a thread has up to three copies to do for a variable, each described
 * by one 64-bit word, which holds for all variables. */
#pragma once

#include "cuda/async_copy.cuh"
#include "cuda/backend.cuh"
#include "cuda/extrapolate.cuh"
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

/** How a copy is done: the low bits of its word. */
enum {
  TX_TILE_ALIGNED, /* two at a time; of a triple one is left over, on the far side */
  TX_TILE_UP,      /* one by one */
  TX_TILE_DOWN,    /* one by one, downwards from the address */
  TX_TILE_NOTHING  /* beyond an outer face */
};

/** A variable and the order of the derivatives that are needed of it. */
typedef struct tx_tile_load {
  int v, order;
} tx_tile_load;

/** Shared memory of a block, 16-byte aligned. */
template <int BUFFERS> struct tx_tile_memory {
  double buffer[BUFFERS][TX_TILE_DOUBLES];
  double dy[TX_TILE_DY_DOUBLES], dz[TX_TILE_DZ_DOUBLES];
  unsigned long long copy[TX_TILE_COPIES];
  uint8_t mirror[32]; /**< of the regions that are read from fields */
};

/** Derivatives of a variable at a thread's point; second ones in the order xx, xy, xz, yy, yz, zz; adv: advection
 *  and dissipation. */
typedef struct tx_tile_jet {
  double value, d[3], dd[6], adv;
} tx_tile_jet;

/** Bits of tx_tile.flags, from the lowest: dimensions without dissipation at the thread's point; whether it is an
 *  outermost point; outer faces of the octant that the tile touches; dimensions in which something is mirrored. */
#define TX_TILE_NO_KO     7u
#define TX_TILE_OUTERMOST 8u
#define TX_TILE_OUTER_AT  8
#define TX_TILE_MIRROR_AT 16

static_assert(TX_TILE_ALIGNED == 0, "the usual way is told from the others by one comparison");

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

/* Copy n of the tile: its first point, in the tile. Whether it is a triple. */
static __device__ __forceinline__ bool tx_tile_copy_point(int n, int p[3]) {
  constexpr int Y = TX_TILE_Y, Z = TX_TILE_Z, G = TX_TILE_GHOSTS;
  const bool triple = n >= TX_TILE_BEYOND_Z && n < TX_TILE_BEYOND_XZ;
  int row, part; /* part 0: own y and z; 1: ghosts along y; 2: along z; 3: along both */
  if (triple) {
    n -= TX_TILE_BEYOND_Z;
    p[0] = n & 1 ? TX_TILE_X : -TX_K;
    row = n >> 1;
  } else {
    if (n >= TX_TILE_BEYOND_XZ) n -= TX_TILE_BEYOND_XZ - TX_TILE_BEYOND_Z;
    p[0] = n % TX_TILE_PAIRS * 2;
    row = n / TX_TILE_PAIRS;
  }
  part = (row >= Y * Z) + (row >= (Y + G) * Z) + (row >= (Y + G) * Z + Y * G);
  row -= part == 0 ? 0 : part == 1 ? Y * Z : part == 2 ? (Y + G) * Z : (Y + G) * Z + Y * G;
  const int width = part & 1 ? G : Y, y = row % width, z = row / width;
  p[1] = part & 1 ? tx_tile_ghost(y, Y) : y;
  p[2] = part & 2 ? tx_tile_ghost(z, Z) : z;
  return triple;
}

/* The way to copy from address `from` on, in steps of x = 1 or -1, variables being var doubles apart. */
static __device__ __forceinline__ unsigned tx_tile_copy_way(const double *from, int var, int x,
                                                            bool triple, bool low) {
  if (x < 0) return TX_TILE_DOWN;
  const unsigned at = (unsigned)((uintptr_t)from / sizeof(double)) + (triple && low ? 1u : 0u);
  return (at | (unsigned)var) & 1u ? TX_TILE_UP : TX_TILE_ALIGNED;
}

/* The copies that are not done two at a time. */
static __device__ __forceinline__ void tx_tile_copy_singly(double *to, const double *from,
                                                        unsigned way, int n) {
  if (way == TX_TILE_NOTHING) return;
  const int step = way == TX_TILE_UP ? 1 : -1;
#pragma unroll 1
  for (int i = 0; i < n; i++) tx_async_copy(to + i, from + i * step);
}

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

/** What a thread knows of its tile. LOADS::at[] lists the variables in the order in which they are taken,
 *  LOADS::count of them; BUFFERS - 1 of them are on their way while one is in use.
 *
 *  All 256 threads of a block do alike: begin; locate or locate_patch, after which the first variables are on
 *  their way; take<0>, derive1<0> or derive2<0>; take<1>, ... */
template <class LOADS, int BUFFERS> struct tx_tile {
  tx_tile_memory<BUFFERS> *s;
  double d1, beta[3];         /**< 1/(TX_D1_DIVISOR h); shift, for derivatives with advection */
  double *own;                /**< the thread's point in the first buffer */
  double *edge[2];            /**< points beyond the tile of which it forms d_y or d_z, likewise */
  double *to[TX_TILE_ROUNDS]; /**< where its copies go, likewise */
  uint32_t flags;

  /** Tile `number` of an octant at `place`. */
  __device__ __forceinline__ void begin(tx_tile_memory<BUFFERS> *memory, const tx_cuda_place &place,
                                        int number) {
    const int here[3] = {tx_tile_x(), tx_tile_y(), tx_tile_z()};
    const int size[3] = {TX_TILE_X, TX_TILE_Y, TX_TILE_Z};
    int first[3];
    tx_tile_first(number, first);
    s = memory;
    d1 = 1.0 / (TX_D1_DIVISOR * place.h);
    own = s->buffer[0] + TX_TILE_AT(here[0], here[1], here[2]);
    flags = 0;
#pragma unroll
    for (int d = 0; d < 3; d++) {
      const int p = first[d] + here[d];
      if (place.outer & TX_FACE_BIT(d, 0)) {
        if (p < TX_K) flags |= 1u << d;
        if (p == 0) flags |= TX_TILE_OUTERMOST;
        if (first[d] == 0) flags |= TX_FACE_BIT(d, 0) << TX_TILE_OUTER_AT;
      }
      if (place.outer & TX_FACE_BIT(d, 1)) {
        if (p >= TX_N - TX_K) flags |= 1u << d;
        if (p == TX_N - 1) flags |= TX_TILE_OUTERMOST;
        if (first[d] + size[d] == TX_N) flags |= TX_FACE_BIT(d, 1) << TX_TILE_OUTER_AT;
      }
    }
    edges();
  }

  /** Offset of the thread's point in its octant. */
  static __device__ __forceinline__ int at(int number) {
    int first[3];
    tx_tile_first(number, first);
    return TX_AT(first[0] + tx_tile_x(), first[1] + tx_tile_y(), first[2] + tx_tile_z());
  }

  /* The 6 x 8 x 4 points beyond along x are those of edge[0] of six warps, half a warp having two neighbours in
   * 8 rows; the 8 x 6 x 4 points beyond along y those of edge[0] of the others and edge[1] of four. */
  __device__ __forceinline__ void edges() {
    const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31u);
    const int half = warp * 2 + (lane >> 4);
    const int i = tx_tile_ghost((half >> 2) * 2 + (lane & 1), TX_TILE_X);
    const int row = warp & 1, z = (lane >> 2 & 2) | (lane >> 4);
    double *beyond_y = s->buffer[0] + TX_TILE_AT(lane & 7, 0, z);
    edge[0] = warp < 6 ? s->buffer[0] + TX_TILE_AT(i, lane >> 1 & 7, half & 3)
                       : beyond_y + tx_tile_ghost(row, TX_TILE_Y) * TX_TILE_ROW;
    edge[1] = beyond_y + tx_tile_ghost(warp < 2 ? 2 + row : 4 + row, TX_TILE_Y) * TX_TILE_ROW;
  }

  __device__ __forceinline__ void copy_set(int round, const int p[3], const double *from, int var,
                                           unsigned way) {
    s->copy[round * TX_TILE_THREADS + (int)threadIdx.x] =
        (unsigned long long)(uintptr_t)from | way | (unsigned long long)(unsigned)var << 49;
    to[round] = s->buffer[0] + TX_TILE_AT(p[0], p[1], p[2]);
  }

  /** Addresses of octant b's tile from the table of regions, and begin to copy. */
  __device__ __forceinline__ void locate(const tx_cuda_mesh &m, const tx_cuda_values &f, tx_lidx b,
                                         int number) {
    typedef unsigned long long word;
    constexpr int words = 27 * sizeof(tx_cuda_region) / sizeof(word);
    static_assert(27 * sizeof(tx_cuda_region) % sizeof(word) == 0 && words <= TX_TILE_THREADS &&
                      27 * sizeof(tx_cuda_region) <= sizeof s->dz,
                  "the regions lie where d_z will, copied by a word a thread");
    tx_cuda_region *region = reinterpret_cast<tx_cuda_region *>(s->dz);
    if (threadIdx.x < words)
      reinterpret_cast<word *>(region)[threadIdx.x] =
          reinterpret_cast<const word *>(m.region + (size_t)b * 27)[threadIdx.x];
    flags |= m.place[b].mirrors << TX_TILE_MIRROR_AT;
    int first[3];
    tx_tile_first(number, first);
    __syncthreads();
    if (threadIdx.x < 27)
      s->mirror[threadIdx.x] =
          region[threadIdx.x].source == TX_CUDA_FIELD ? region[threadIdx.x].mirror : 0;
#pragma unroll
    for (int round = 0; round < TX_TILE_ROUNDS; round++) {
      int p[3];
      const bool triple = tx_tile_copy_point(round * TX_TILE_THREADS + (int)threadIdx.x, p);
      const int i = first[0] + p[0], j = first[1] + p[1], k = first[2] + p[2];
      const tx_cuda_region &r =
          region[TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0))];
      const double *from = (r.source == TX_CUDA_FIELD ? f.data : m.slots) +
                           (int64_t)f.n_vars * r.origin + k * r.z + j * r.y + i * r.x + r.offset;
      copy_set(round, p, from, r.var,
               r.source == TX_CUDA_OUTER ? (unsigned)TX_TILE_NOTHING
                                         : tx_tile_copy_way(from, r.var, r.x, triple, p[0] < 0));
    }
    copy_first<0>();
  }

  /** Addresses in the octant's patch [..][TX_P3], which has all its ghosts, and begin to copy. */
  __device__ __forceinline__ void locate_patch(const double *patch, int number) {
    int first[3];
    tx_tile_first(number, first);
    flags &= TX_TILE_NO_KO | TX_TILE_OUTERMOST;
#pragma unroll
    for (int round = 0; round < TX_TILE_ROUNDS; round++) {
      int p[3];
      const bool triple = tx_tile_copy_point(round * TX_TILE_THREADS + (int)threadIdx.x, p);
      const double *from = patch + TX_PATCH_AT(first[0] + p[0], first[1] + p[1], first[2] + p[2]);
      copy_set(round, p, from, TX_P3, tx_tile_copy_way(from, TX_P3, 1, triple, p[0] < 0));
    }
    copy_first<0>();
  }

  /* The first BUFFERS - 1 variables. */
  template <int N> __device__ __forceinline__ void copy_first() {
    if constexpr (N < BUFFERS - 1) {
      copy<N>();
      copy_first<N + 1>();
    }
  }

  /* Begin to copy variable number N of the list; ends a group even if there is none. */
  template <int N> __device__ __forceinline__ void copy() {
    if constexpr (N < LOADS::count) {
      constexpr int copies = LOADS::at[N].order == 2 ? TX_TILE_COPIES : TX_TILE_FIRST;
      copy_round<N, 0>();
      if (copies >= 2 * TX_TILE_THREADS || threadIdx.x < copies - TX_TILE_THREADS)
        copy_round<N, 1>();
      if constexpr (copies > 2 * TX_TILE_THREADS) copy_round<N, 2>();
    }
    tx_async_commit();
  }

  template <int N, int ROUND> __device__ __forceinline__ void copy_round() {
    const int n = ROUND * TX_TILE_THREADS + (int)threadIdx.x;
    const bool triple = ROUND > 0 && n >= TX_TILE_BEYOND_Z && n < TX_TILE_BEYOND_XZ;
    const unsigned long long word = s->copy[n];
    const double *from = reinterpret_cast<const double *>((uintptr_t)(word & 0x1fffffffffff8ull)) +
                         (unsigned long long)(unsigned)LOADS::at[N].v * (unsigned)(word >> 49);
    double *into = to[ROUND] + N % BUFFERS * TX_TILE_DOUBLES;
    const unsigned way = (unsigned)word & 7u;
    if (way != TX_TILE_ALIGNED) {
      tx_tile_copy_singly(into, from, way, triple ? 3 : 2);
    } else if (!triple) {
      tx_async_copy2(into, from);
    } else {
      const int far = threadIdx.x & 1; /* the side: beyond the last point of a row */
      tx_async_copy(into + 2 * far, from + 2 * far);
      tx_async_copy2(into + 1 - far, from + 1 - far);
    }
  }

  /** Wait for variable number N of the list, begin to copy a later one; odd: its parities (bit d). */
  template <int N> __device__ __forceinline__ void take(uint32_t odd, int number) {
    tx_async_wait<BUFFERS - 2>();
    __syncthreads();
    copy<N + BUFFERS - 1>();
    double *u = s->buffer[N % BUFFERS];
    if (flags >> TX_TILE_MIRROR_AT & odd) tx_tile_flip(u, s->mirror, odd, number);
    if (flags >> TX_TILE_OUTER_AT & 63u) tx_tile_extrapolate(u, flags >> TX_TILE_OUTER_AT & 63u);
  }

  /** The thread's point of variable number N. */
  template <int N> __device__ __forceinline__ const double *here() const {
    return own + N % BUFFERS * TX_TILE_DOUBLES;
  }
  /* Where d_y and d_z of a point lie, from its place in the first buffer. */
  __device__ __forceinline__ double *dy_of(double *first) const {
    return first + (s->dy - s->buffer[0]) - (TX_TILE_AT(0, 0, 0) - TX_K);
  }
  __device__ __forceinline__ double *dz_of(double *first) const {
    return first + (s->dz - s->buffer[0]) - (TX_TILE_AT(0, -TX_K, 0) - TX_K);
  }

  /* Advection and dissipation from undivided first derivatives and dissipation; ko: sigma 60/64. */
  __device__ __forceinline__ double advected(double advect, double ko, const double d[3], double kx,
                                             double ky, double kz) const {
    if (flags & TX_TILE_NO_KO) {
      if (flags & 1u) kx = 0.0;
      if (flags & 2u) ky = 0.0;
      if (flags & 4u) kz = 0.0;
    }
    return d1 * (advect * (beta[0] * d[0] + beta[1] * d[1] + beta[2] * d[2]) + ko * (kx + ky + kz));
  }

  /** Value, first derivatives and adv of variable number N. advect: factor of beta^k d_k; ko: sigma times
   *  TX_D1_DIVISOR / 2^(2 TX_K). */
  template <int N>
  __device__ __forceinline__ void derive1(double advect, double ko, tx_tile_jet *jet) const {
    const double *u = here<N>();
    const double value = u[0];
    double d[3], k[3];
    constexpr int stride[3] = {1, TX_TILE_ROW, TX_TILE_PLANE};
#pragma unroll
    for (int dim = 0; dim < 3; dim++) {
      double difference[TX_K], sum[TX_K];
      tx_tile_pairs(u, stride[dim], difference, sum);
      d[dim] = TX_D1_SUM(difference);
      k[dim] = TX_KO_SUM(value, sum);
    }
    jet->value = value;
    jet->adv = advected(advect, ko, d, k[0], k[1], k[2]);
#pragma unroll
    for (int dim = 0; dim < 3; dim++) jet->d[dim] = d1 * d[dim];
  }

  /** The same, and second derivatives; has a barrier inside. */
  template <int N>
  __device__ __forceinline__ void derive2(double advect, double ko, tx_tile_jet *jet) {
    const double *u = here<N>();
    const double value = u[0];
    double d[3], k[3], difference[TX_K], sum[TX_K];
    const double d11 = d1 * d1, d2 = d11 * (TX_D1_DIVISOR * TX_D1_DIVISOR / TX_D2_DIVISOR);
    tx_tile_pairs(u, TX_TILE_ROW, difference, sum);
    d[1] = TX_D1_SUM(difference);
    *dy_of(own) = d[1];
    jet->dd[3] = d2 * TX_D2_SUM(value, sum);
    k[1] = TX_KO_SUM(value, sum);
    tx_tile_pairs(u, TX_TILE_PLANE, difference, sum);
    d[2] = TX_D1_SUM(difference);
    *dz_of(own) = d[2];
    jet->dd[5] = d2 * TX_D2_SUM(value, sum);
    k[2] = TX_KO_SUM(value, sum);
    derive_edges<N>();
    tx_tile_pairs(u, 1, difference, sum);
    d[0] = TX_D1_SUM(difference);
    jet->dd[0] = d2 * TX_D2_SUM(value, sum);
    k[0] = TX_KO_SUM(value, sum);
    jet->value = value;
    jet->adv = advected(advect, ko, d, k[0], k[1], k[2]);
#pragma unroll
    for (int dim = 0; dim < 3; dim++) jet->d[dim] = d1 * d[dim];
    __syncthreads();
    jet->dd[1] = d11 * tx_tile_difference(dy_of(own), 1);
    jet->dd[2] = d11 * tx_tile_difference(dz_of(own), 1);
    jet->dd[4] = d11 * tx_tile_difference(dz_of(own), TX_TILE_ROW);
  }

  /* d_y and d_z beyond the tile along x, d_z beyond it along y. */
  template <int N> __device__ __forceinline__ void derive_edges() {
    constexpr int buffer = N % BUFFERS * TX_TILE_DOUBLES;
    const unsigned warp = threadIdx.x >> 5;
    *dz_of(edge[0]) = tx_tile_difference(edge[0] + buffer, TX_TILE_PLANE);
    if (warp < 6) *dy_of(edge[0]) = tx_tile_difference(edge[0] + buffer, TX_TILE_ROW);
    if (warp < 2 || warp >= 6)
      *dz_of(edge[1]) = tx_tile_difference(edge[1] + buffer, TX_TILE_PLANE);
  }
};
