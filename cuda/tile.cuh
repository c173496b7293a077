/* Tiles of octants in shared memory, variable after variable, and derivatives of them.
 *
 * A block of 256 threads, one a point, works on 8 x 8 x 4 points of an octant. The variables come with their
 * ghosts, straight from wherever they lie, by asynchronous copies some variables ahead of the arithmetic. Of
 * a variable that needs first derivatives only, the arms of the stencils are copied; for mixed second derivatives
 * all but what lies off the tile in all three dimensions.
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
#define TX_TILES_Z      (TX_N / TX_TILE_Z)
#define TX_TILES        (TX_TILES_X * TX_TILES_Y * TX_TILES_Z)

/** A tile with its ghosts: pitch of rows and of planes, place of point (i, j, k). Rows that are 4 apart, and
 *  planes that are 2 apart, lie in different banks. Even x are 16-byte aligned. */
#define TX_TILE_ROW     (TX_TILE_X + 2 * TX_K)
#define TX_TILE_PLANE   (TX_TILE_ROW * (TX_TILE_Y + 2 * TX_K))
#define TX_TILE_START   (TX_K % 2)
#define TX_TILE_DOUBLES (TX_TILE_START + TX_TILE_PLANE * (TX_TILE_Z + 2 * TX_K) + 1)
#define TX_TILE_AT(i, j, k)                                                                        \
  (TX_TILE_START + ((k) + TX_K) * TX_TILE_PLANE + ((j) + TX_K) * TX_TILE_ROW + (i) + TX_K)

static_assert(TX_K == 3, "copies of ghosts along x are written for three");
static_assert(TX_N % TX_TILE_X == 0 && TX_N % TX_TILE_Y == 0, "tiles must divide an octant");
static_assert(TX_TILE_DOUBLES % 2 == 0 && TX_TILE_PLANE % 2 == 0, "copies of two must be aligned");

/** d_y of a tile on rows that extend into the ghosts along x; d_z also on the rows beyond along y. */
#define TX_TILE_DY_PLANE       (TX_TILE_ROW * TX_TILE_Y)
#define TX_TILE_DY_DOUBLES     (TX_TILE_DY_PLANE * TX_TILE_Z)
#define TX_TILE_DZ_DOUBLES     (TX_TILE_PLANE * TX_TILE_Z)
#define TX_TILE_DY_AT(i, j, k) ((k)*TX_TILE_DY_PLANE + (j)*TX_TILE_ROW + (i) + TX_K)
#define TX_TILE_DZ_AT(i, j, k) ((k)*TX_TILE_PLANE + ((j) + TX_K) * TX_TILE_ROW + (i) + TX_K)

/** The copies of a tile: pairs of points of rows, and triples of ghosts along x; those that first derivatives
 *  need come first. */
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
  TX_TILE_BEYOND_YZ = TX_TILE_BEYOND_XZ + TX_TILE_PAIRS * TX_TILE_GHOSTS * TX_TILE_GHOSTS,
  TX_TILE_COPIES = TX_TILE_BEYOND_YZ,
  TX_TILE_ROUNDS = TX_TILE_COPIES / TX_TILE_THREADS,
};
static_assert(TX_TILE_COPIES % TX_TILE_THREADS == 0 && TX_TILE_ROUNDS == 3,
              "copies must divide into rounds of the threads");

/** How a copy is done: the low bits of its word. */
enum {
  TX_TILE_NOTHING,    /* beyond an outer face */
  TX_TILE_ALIGNED,    /* pairs by two; triples: one, then two */
  TX_TILE_ALIGNED_UP, /* triples: two, then one */
  TX_TILE_UP,         /* one by one */
  TX_TILE_DOWN,       /* one by one, downwards from the address */
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

/** What a thread knows of its tile. LOADS::at[] lists the variables in the order in which they are taken,
 *  LOADS::count of them; BUFFERS - 1 of them are on their way ahead of the one in use.
 *
 *  Use, by all 256 threads of a block alike:
 *    tile.begin(memory, mesh, field, b, number);  octant b, tile `number` (0 .. TX_TILES - 1)
 *    tile.locate() or locate_patch();             addresses; then copies of the first variables begin
 *    tile.weights(...);                           if advection and dissipation are wanted
 *    tile.take<0>();  ... derive<...>(...) ...;   tile.take<1>(); ...   every one of LOADS, in order */
template <class LOADS, int BUFFERS> struct tx_tile {
  tx_tile_memory<BUFFERS> *s;
  double d1, d2;         /**< scales of first and second derivatives */
  double ko[3], beta[3]; /**< factors of the dissipation, shift */
  uint32_t to[2];        /**< where the copies of this thread go, 16 bits each */
  uint32_t outer,
      mirrors; /**< outer faces of the tile; dimensions in which something is mirrored */
  tx_lidx b;
  int x0, y0, z0; /**< first point of the tile in its octant */

  /** The thread's point in the tile. Half a warp has two rows, 4 apart; a warp two pairs of neighbours. */
  static __device__ __forceinline__ int x() { return (int)(threadIdx.x & 7u); }
  static __device__ __forceinline__ int y() {
    return (int)((threadIdx.x >> 1 & 4u) | (threadIdx.x >> 4 & 1u) | (threadIdx.x >> 4 & 2u));
  }
  static __device__ __forceinline__ int z() { return (int)(threadIdx.x >> 6); }
  /** Offset of the thread's point in its octant. */
  __device__ __forceinline__ int at() const { return TX_AT(x0 + x(), y0 + y(), z0 + z()); }

  /** Whether it is an outermost point at one of the outer faces of the octant. */
  __device__ __forceinline__ bool outermost(uint32_t faces) const {
    const int p[3] = {x0 + x(), y0 + y(), z0 + z()};
    bool is = false;
#pragma unroll
    for (int d = 0; d < 3; d++)
      is |= (p[d] == 0 && faces & TX_FACE_BIT(d, 0)) ||
            (p[d] == TX_N - 1 && faces & TX_FACE_BIT(d, 1));
    return is;
  }

  __device__ __forceinline__ void begin(tx_tile_memory<BUFFERS> *memory, const tx_cuda_place &place,
                                        tx_lidx octant, int number) {
    s = memory;
    b = octant;
    x0 = number % TX_TILES_X * TX_TILE_X;
    y0 = number / TX_TILES_X % TX_TILES_Y * TX_TILE_Y;
    z0 = number / (TX_TILES_X * TX_TILES_Y) * TX_TILE_Z;
    d1 = TX_D1_SCALE(place.h);
    d2 = TX_D2_SCALE(place.h);
    outer = 0;
    mirrors = 0;
    to[0] = to[1] = 0;
  }

  /** Factors of the dissipation, 0 where a stencil crosses an outer face of the octant, and the shift. */
  __device__ __forceinline__ void weights(const tx_cuda_place &place, double sigma,
                                          const double *u) {
    const int p[3] = {x0 + x(), y0 + y(), z0 + z()};
#pragma unroll
    for (int d = 0; d < 3; d++) {
      const bool low = p[d] < TX_K && place.outer & TX_FACE_BIT(d, 0);
      const bool high = p[d] >= TX_N - TX_K && place.outer & TX_FACE_BIT(d, 1);
      ko[d] = low || high ? 0.0 : TX_KO_SCALE(sigma, place.h);
      beta[d] = u[(TX_VAR_BETA0 + d) * TX_N3];
    }
  }

  /** Copy n of the tile: its first point, in the tile. */
  static __device__ __forceinline__ bool copy_point(int n, int p[3]) {
    constexpr int Y = TX_TILE_Y, Z = TX_TILE_Z, G = TX_TILE_GHOSTS;
    const bool triple = n >= TX_TILE_BEYOND_Z && n < TX_TILE_BEYOND_XZ;
    int row;
    if (triple) {
      n -= TX_TILE_BEYOND_Z;
      p[0] = n & 1 ? TX_TILE_X : -TX_K;
      row = n >> 1;
      const bool own = row < Y * Z, yy = row < (Y + G) * Z;
      row -= own ? 0 : yy ? Y * Z : (Y + G) * Z;
      p[1] = own || !yy ? row % Y : ghost(row % G, Y);
      p[2] = own ? row / Y : yy ? row / G : ghost(row / Y, Z);
      return true;
    }
    if (n >= TX_TILE_BEYOND_XZ) n -= TX_TILE_BEYOND_XZ - TX_TILE_BEYOND_Z;
    p[0] = n % TX_TILE_PAIRS * 2;
    row = n / TX_TILE_PAIRS;
    const bool own = row < Y * Z, yy = row < (Y + G) * Z, zz = row < (Y + G) * Z + Y * G;
    row -= own ? 0 : yy ? Y * Z : zz ? (Y + G) * Z : (Y + G) * Z + Y * G;
    p[1] = own || (!yy && zz) ? row % Y : ghost(row % G, Y);
    p[2] = own ? row / Y : yy ? row / G : ghost(zz ? row / Y : row / G, Z);
    return false;
  }
  static __device__ __forceinline__ int ghost(int g, int n) {
    return g < TX_K ? g - TX_K : g - TX_K + n;
  }

  __device__ __forceinline__ void copy_set(int round, int to_at, const double *from, int var,
                                           unsigned mode) {
    s->copy[round * TX_TILE_THREADS + (int)threadIdx.x] =
        (unsigned long long)(uintptr_t)from | mode | (unsigned long long)(unsigned)var << 49;
    to[round >> 1] |= (uint32_t)to_at << (16 * (round & 1));
  }

  static __device__ __forceinline__ unsigned copy_mode(const double *from, int var, int x,
                                                       bool triple, bool low) {
    if (x < 0) return TX_TILE_DOWN;
    const unsigned at = (unsigned)((uintptr_t)from / sizeof(double) + (triple && low ? 1u : 0u));
    if ((at | (unsigned)var) & 1u) return TX_TILE_UP;
    return triple && !low ? TX_TILE_ALIGNED_UP : TX_TILE_ALIGNED;
  }

  /** Addresses from the table of regions, and begin. */
  __device__ __forceinline__ void locate(const tx_cuda_mesh &m, const tx_cuda_values &f) {
    static_assert(sizeof(s->dz) >= 27 * sizeof(tx_cuda_region), "regions lie where d_z will");
    tx_cuda_region *region = reinterpret_cast<tx_cuda_region *>(s->dz);
    constexpr int words = 27 * sizeof(tx_cuda_region) / 8;
    static_assert(words <= TX_TILE_THREADS && 27 * sizeof(tx_cuda_region) % 8 == 0,
                  "a word a thread");
    if (threadIdx.x < words)
      reinterpret_cast<unsigned long long *>(region)[threadIdx.x] =
          reinterpret_cast<const unsigned long long *>(m.region + (size_t)b * 27)[threadIdx.x];
    const tx_cuda_place *place = &m.place[b];
    mirrors = place->mirrors;
    outer = outer_of_tile(place->outer);
    __syncthreads();
    if (threadIdx.x < 27)
      s->mirror[threadIdx.x] =
          region[threadIdx.x].source == TX_CUDA_FIELD ? region[threadIdx.x].mirror : 0;
#pragma unroll
    for (int round = 0; round < TX_TILE_ROUNDS; round++) {
      int p[3];
      const bool triple = copy_point(round * TX_TILE_THREADS + (int)threadIdx.x, p);
      const int i = x0 + p[0], j = y0 + p[1], k = z0 + p[2];
      const tx_cuda_region &r =
          region[TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0))];
      const double *from = (r.source == TX_CUDA_FIELD ? f.data : m.slots) +
                           (int64_t)f.n_vars * r.origin + k * r.z + j * r.y + i * r.x + r.offset;
      const unsigned mode = r.source == TX_CUDA_OUTER
                                ? (unsigned)TX_TILE_NOTHING
                                : copy_mode(from, r.var, r.x, triple, p[0] < 0);
      copy_set(round, TX_TILE_AT(p[0], p[1], p[2]), from, r.var, mode);
    }
    fill<0>();
  }

  /** Addresses in the octant's patch [..][TX_P3], which has all its ghosts, and begin. */
  __device__ __forceinline__ void locate_patch(const double *patch) {
#pragma unroll
    for (int round = 0; round < TX_TILE_ROUNDS; round++) {
      int p[3];
      copy_point(round * TX_TILE_THREADS + (int)threadIdx.x, p);
      const double *from = patch + TX_PATCH_AT(x0 + p[0], y0 + p[1], z0 + p[2]);
      copy_set(round, TX_TILE_AT(p[0], p[1], p[2]), from, TX_P3, TX_TILE_UP);
    }
    fill<0>();
  }

  __device__ __forceinline__ uint32_t outer_of_tile(uint32_t faces) const {
    uint32_t touched = 0;
    if (x0 == 0) touched |= TX_FACE_BIT(0, 0);
    if (y0 == 0) touched |= TX_FACE_BIT(1, 0);
    if (z0 == 0) touched |= TX_FACE_BIT(2, 0);
    if (x0 + TX_TILE_X == TX_N) touched |= TX_FACE_BIT(0, 1);
    if (y0 + TX_TILE_Y == TX_N) touched |= TX_FACE_BIT(1, 1);
    if (z0 + TX_TILE_Z == TX_N) touched |= TX_FACE_BIT(2, 1);
    return faces & touched;
  }

  /* The first BUFFERS - 1 variables. */
  template <int N> __device__ __forceinline__ void fill() {
    if constexpr (N < BUFFERS - 1) {
      copy<N>();
      fill<N + 1>();
    }
  }

  /* Begin to copy variable number N of the list; a group even if there is none. */
  template <int N> __device__ __forceinline__ void copy() {
    if constexpr (N < LOADS::count) {
      constexpr int v = LOADS::at[N].v,
                    copies = LOADS::at[N].order == 2 ? TX_TILE_COPIES : TX_TILE_FIRST;
      double *buffer = s->buffer[N % BUFFERS];
      copy_round<0, copies>(v, buffer);
      copy_round<1, copies>(v, buffer);
      copy_round<2, copies>(v, buffer);
    }
    tx_async_commit();
  }

  template <int ROUND, int COPIES>
  __device__ __forceinline__ void copy_round(int v, double *buffer) {
    constexpr int first = ROUND * TX_TILE_THREADS, end = first + TX_TILE_THREADS;
    if constexpr (COPIES > first) {
      const int n = first + (int)threadIdx.x;
      if (COPIES < end && n >= COPIES) return;
      const unsigned long long word = s->copy[n];
      const double *from =
          reinterpret_cast<const double *>((uintptr_t)(word & 0x1fffffffffff8ull)) +
          (unsigned long long)(unsigned)v * (unsigned)(word >> 49);
      const unsigned mode = (unsigned)word & 7u;
      double *into = buffer + (to[ROUND >> 1] >> (16 * (ROUND & 1)) & 0xffffu);
      if (n >= TX_TILE_BEYOND_Z && n < TX_TILE_BEYOND_XZ)
        copy_triple(into, from, mode);
      else
        copy_pair(into, from, mode);
    }
  }

  static __device__ __forceinline__ void copy_pair(double *into, const double *from,
                                                   unsigned mode) {
    if (mode == TX_TILE_ALIGNED) {
      tx_async_copy2(into, from);
    } else if (mode != TX_TILE_NOTHING) {
      tx_async_copy(into, from);
      tx_async_copy(into + 1, mode == TX_TILE_UP ? from + 1 : from - 1);
    }
  }

  static __device__ __forceinline__ void copy_triple(double *into, const double *from,
                                                     unsigned mode) {
    if (mode == TX_TILE_ALIGNED) {
      tx_async_copy(into, from);
      tx_async_copy2(into + 1, from + 1);
    } else if (mode == TX_TILE_ALIGNED_UP) {
      tx_async_copy2(into, from);
      tx_async_copy(into + 2, from + 2);
    } else if (mode != TX_TILE_NOTHING) {
      const int step = mode == TX_TILE_UP ? 1 : -1;
      tx_async_copy(into, from);
      tx_async_copy(into + 1, from + step);
      tx_async_copy(into + 2, from + 2 * step);
    }
  }

  /** Wait for variable number N of the list, begin to copy a later one; odd: its parities (bit d). */
  template <int N> __device__ __forceinline__ void take(uint32_t odd) {
    tx_async_wait<BUFFERS - 2>();
    __syncthreads();
    copy<N + BUFFERS - 1>();
    if (mirrors & odd) flip(s->buffer[N % BUFFERS], odd);
    if (outer) extrapolate(s->buffer[N % BUFFERS]);
  }

  /* Signs of mirror images. */
  __device__ __forceinline__ void flip(double *u, uint32_t odd) {
    for (int n = (int)threadIdx.x; n < TX_TILE_DOUBLES - 2; n += TX_TILE_THREADS) {
      const int i = x0 + n % TX_TILE_ROW - TX_K;
      const int j = y0 + n / TX_TILE_ROW % (TX_TILE_Y + 2 * TX_K) - TX_K;
      const int k = z0 + n / TX_TILE_PLANE - TX_K;
      const int r = TX_REGION((i >= TX_N) - (i < 0), (j >= TX_N) - (j < 0), (k >= TX_N) - (k < 0));
      if (__popc(s->mirror[r] & odd) & 1) u[TX_TILE_START + n] = -u[TX_TILE_START + n];
    }
    __syncthreads();
  }

  /* Ghosts beyond outer faces. */
  __device__ __forceinline__ void extrapolate(double *u) {
    const tx_cuda_box box = {{TX_TILE_ROW, TX_TILE_Y + 2 * TX_K, TX_TILE_Z + 2 * TX_K},
                             {1, TX_TILE_ROW, TX_TILE_PLANE}};
    tx_cuda_extrapolate_box(outer, box, u + TX_TILE_START);
  }

  /** The thread's point in the buffer of variable number N. */
  template <int N> __device__ __forceinline__ const double *here() const {
    return s->buffer[N % BUFFERS] + TX_TILE_AT(x(), y(), z());
  }

  static __device__ __forceinline__ void pairs(const double *u, int stride, double d[TX_K],
                                               double sum[TX_K]) {
#pragma unroll
    for (int m = 1; m <= TX_K; m++) {
      const double p = u[m * stride], q = u[-m * stride];
      d[m - 1] = p - q;
      sum[m - 1] = p + q;
    }
  }
  static __device__ __forceinline__ double difference(const double *u, int stride) {
    double d[TX_K];
#pragma unroll
    for (int m = 1; m <= TX_K; m++) d[m - 1] = u[m * stride] - u[-m * stride];
    return TX_D1_SUM(d);
  }

  /** Value, first derivatives and adv of variable number N; advect: factor of beta^k d_k. */
  template <int N> __device__ __forceinline__ void derive1(double advect, tx_tile_jet *jet) const {
    const double *u = here<N>();
    const double value = u[0];
    double d[TX_K], sum[TX_K];
    pairs(u, 1, d, sum);
    const double dx = d1 * TX_D1_SUM(d);
    double adv = ko[0] * TX_KO_SUM(value, sum);
    pairs(u, TX_TILE_ROW, d, sum);
    const double dy = d1 * TX_D1_SUM(d);
    adv += ko[1] * TX_KO_SUM(value, sum);
    pairs(u, TX_TILE_PLANE, d, sum);
    const double dz = d1 * TX_D1_SUM(d);
    adv += ko[2] * TX_KO_SUM(value, sum);
    jet->value = value;
    jet->adv = advect * (beta[0] * dx + beta[1] * dy + beta[2] * dz) + adv;
    jet->d[0] = dx;
    jet->d[1] = dy;
    jet->d[2] = dz;
  }

  /** The same, and second derivatives; has a barrier inside. */
  template <int N> __device__ __forceinline__ void derive2(double advect, tx_tile_jet *jet) {
    const double *u = here<N>();
    double *dy_at = s->dy + TX_TILE_DY_AT(x(), y(), z());
    double *dz_at = s->dz + TX_TILE_DZ_AT(x(), y(), z());
    const double value = u[0];
    double d[TX_K], sum[TX_K];
    pairs(u, TX_TILE_ROW, d, sum);
    const double dy = TX_D1_SUM(d);
    *dy_at = dy;
    jet->dd[3] = d2 * TX_D2_SUM(value, sum);
    double adv = ko[1] * TX_KO_SUM(value, sum);
    pairs(u, TX_TILE_PLANE, d, sum);
    const double dz = TX_D1_SUM(d);
    *dz_at = dz;
    jet->dd[5] = d2 * TX_D2_SUM(value, sum);
    adv += ko[2] * TX_KO_SUM(value, sum);
    extend(s->buffer[N % BUFFERS]);
    pairs(u, 1, d, sum);
    jet->dd[0] = d2 * TX_D2_SUM(value, sum);
    adv += ko[0] * TX_KO_SUM(value, sum);
    jet->value = value;
    jet->d[0] = d1 * TX_D1_SUM(d);
    jet->d[1] = d1 * dy;
    jet->d[2] = d1 * dz;
    jet->adv = advect * (beta[0] * jet->d[0] + beta[1] * jet->d[1] + beta[2] * jet->d[2]) + adv;
    __syncthreads();
    const double d11 = d1 * d1;
    jet->dd[1] = d11 * difference(dy_at, 1);
    jet->dd[2] = d11 * difference(dz_at, 1);
    jet->dd[4] = d11 * difference(dz_at, TX_TILE_ROW);
  }

  /* d_y and d_z beyond the tile along x, d_z beyond it along y: six warps each, two or three of them a warp. */
  __device__ __forceinline__ void extend(const double *u) {
    const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31u);
    if (warp < 6) {
      int i, j, k;
      beyond_x(warp, lane, &i, &j, &k);
      s->dy[TX_TILE_DY_AT(i, j, k)] = difference(u + TX_TILE_AT(i, j, k), TX_TILE_ROW);
    }
    if (warp < 4 || warp >= 6) {
      int i, j, k;
      beyond_x(warp < 4 ? warp + 2 : warp - 6, lane, &i, &j, &k);
      s->dz[TX_TILE_DZ_AT(i, j, k)] = difference(u + TX_TILE_AT(i, j, k), TX_TILE_PLANE);
    }
    if (warp < 2 || warp >= 4) {
      const int i = lane & 7, j = ghost(warp < 2 ? warp + 4 : warp - 4, TX_TILE_Y);
      const int k = (lane >> 2 & 2) | (lane >> 4);
      s->dz[TX_TILE_DZ_AT(i, j, k)] = difference(u + TX_TILE_AT(i, j, k), TX_TILE_PLANE);
    }
  }

  /* Point `lane` of part 0 .. 5 of the ghosts along x: half a warp has two neighbours of 8 rows. */
  static __device__ __forceinline__ void beyond_x(int part, int lane, int *i, int *j, int *k) {
    const int half = part * 2 + (lane >> 4);
    *i = ghost((half >> 2) * 2 + (lane & 1), TX_TILE_X);
    *j = lane >> 1 & 7;
    *k = half & 3;
  }
};
