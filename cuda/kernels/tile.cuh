/* Tiles of octants in shared memory: their shape, and the data of a block and of its threads.
 *
 * A block of 256 threads, one a point, works on 8 x 8 x 4 points of an octant, variable after
 * variable. The variables come with their ghosts, read in place, by asynchronous copies that are
 * ahead of the arithmetic (tile_copies.cuh). Of a variable that needs first derivatives only,
 * the arms of the stencils are copied; for mixed second derivatives all but the points that lie
 * off the tile in all three dimensions (tile_derivatives.cuh).
 *
 * Octants whose side 8 does not divide have tiles of their own (TX_TILE_REGULAR is 0). Threads are
 * filled up to whole warps there: those without a point compute the last point and write nothing. */
#pragma once

#include "cuda/backend.cuh"
#include "physics/stencils_point.h"

/** Points of a tile. */
#define TX_TILE_REGULAR (TX_N % 8 == 0)
#if TX_TILE_REGULAR
#define TX_TILE_X 8
#define TX_TILE_Y 8
#define TX_TILE_Z 4
#elif TX_N % 4 == 0
#define TX_TILE_X TX_N
#define TX_TILE_Y 4
#define TX_TILE_Z 4
#else
#define TX_TILE_X TX_N
#define TX_TILE_Y (TX_N / 2)
#define TX_TILE_Z (TX_N / 2)
#endif

/** Points and threads of a tile, tiles of an octant. */
#define TX_TILE_POINTS  (TX_TILE_X * TX_TILE_Y * TX_TILE_Z)
#define TX_TILE_THREADS ((TX_TILE_POINTS + 31) / 32 * 32)
#define TX_TILES_X      (TX_N / TX_TILE_X)
#define TX_TILES_Y      (TX_N / TX_TILE_Y)
#define TX_TILES        (TX_TILES_X * TX_TILES_Y * (TX_N / TX_TILE_Z))

/** A tile with its ghosts: pitch of rows and of planes, place of point (i, j, k). Even i are 16-byte aligned. The points of
 * half a warp lie in different banks. Regular tiles: rows that are 4 apart, and planes that are 2 apart, do. Others: planes
 * are as far apart as the points of a row, to whole turns of the banks; with TX_N = 10 half a warp that ends a plane y
 * has some banks twice. */
#if TX_TILE_REGULAR
#define TX_TILE_ROW   (TX_TILE_X + 2 * TX_K + (TX_K % 2 ? 0 : 2))
#define TX_TILE_PLANE (TX_TILE_ROW * (TX_TILE_Y + 2 * TX_K) + (TX_K % 2 ? 0 : 4))
#else
#define TX_TILE_ROW (TX_TILE_X + 2 * TX_K)
#define TX_TILE_PLANE                                                                              \
  ((TX_TILE_ROW * (TX_TILE_Y + 2 * TX_K) - TX_TILE_X + 15) / 16 * 16 + TX_TILE_X)
#endif
#define TX_TILE_START   (TX_K % 2)
#define TX_TILE_DOUBLES (TX_TILE_PLANE * (TX_TILE_Z + 2 * TX_K) + 2 * TX_TILE_START)
#define TX_TILE_AT(i, j, k)                                                                        \
  (TX_TILE_START + ((k) + TX_K) * TX_TILE_PLANE + ((j) + TX_K) * TX_TILE_ROW + (i) + TX_K)

static_assert(TX_K == 3 || TX_K == 4,
              "copies and derivatives are written for three ghosts or four");
static_assert(!TX_TILE_REGULAR || (4 * TX_TILE_ROW % 16 == 8 && 2 * TX_TILE_PLANE % 16 == 8),
              "banks would be used twice");
static_assert(TX_N % TX_TILE_X == 0 && TX_N % TX_TILE_Y == 0 && TX_N % TX_TILE_Z == 0,
              "tiles must divide an octant");
static_assert(TX_TILE_DOUBLES * sizeof(double) < 1u << 16, "places are kept in 16 bits");
static_assert(TX_TILE_DOUBLES % 2 == 0 && TX_TILE_PLANE % 2 == 0 && TX_TILE_ROW % 2 == 0,
              "copies of two must be aligned");

/** Rows of undivided d_y that extend into the ghosts along x; of d_z also beyond along y: their
 *  offsets from that of the value in the first buffer. Both have the pitches of the tile. */
#define TX_TILE_DY_DOUBLES (TX_TILE_PLANE * (TX_TILE_Z - 1) + TX_TILE_ROW * TX_TILE_Y)
#define TX_TILE_DZ_DOUBLES (TX_TILE_PLANE * TX_TILE_Z)

/** The copies of a tile: pairs of points, but triples of ghosts along x if there are three; those that first derivatives
 *  need come first. */
enum {
  TX_TILE_PAIRS = TX_TILE_X / 2,
  TX_TILE_TRIPLES = TX_K % 2,
  TX_TILE_SIDES = TX_TILE_TRIPLES ? 2 : TX_K, /* copies of the ghosts of a line along x */
  TX_TILE_GHOSTS = 2 * TX_K,                  /* of a line */
  TX_TILE_OWN = TX_TILE_PAIRS * TX_TILE_Y * TX_TILE_Z,
  TX_TILE_BEYOND_Y = TX_TILE_OWN + TX_TILE_PAIRS * TX_TILE_GHOSTS * TX_TILE_Z,
  TX_TILE_BEYOND_Z = TX_TILE_BEYOND_Y + TX_TILE_PAIRS * TX_TILE_Y * TX_TILE_GHOSTS,
  TX_TILE_BEYOND_X =
      TX_TILE_BEYOND_Z + TX_TILE_SIDES * TX_TILE_Y * TX_TILE_Z, /* triples from here */
  TX_TILE_FIRST = TX_TILE_BEYOND_X,
  TX_TILE_BEYOND_XY = TX_TILE_BEYOND_X + TX_TILE_SIDES * TX_TILE_GHOSTS * TX_TILE_Z,
  TX_TILE_BEYOND_XZ = TX_TILE_BEYOND_XY + TX_TILE_SIDES * TX_TILE_Y * TX_TILE_GHOSTS, /* to here */
  TX_TILE_COPIES = TX_TILE_BEYOND_XZ + TX_TILE_PAIRS * TX_TILE_GHOSTS * TX_TILE_GHOSTS,
  TX_TILE_ROUNDS = (TX_TILE_COPIES + TX_TILE_THREADS - 1) / TX_TILE_THREADS,
  /* Points beyond the tile along x, along y. */
  TX_TILE_EDGE_X = TX_TILE_GHOSTS * TX_TILE_Y * TX_TILE_Z,
  TX_TILE_EDGE_Y = TX_TILE_X * TX_TILE_GHOSTS * TX_TILE_Z,
  TX_TILE_EDGES = TX_TILE_EDGE_X + TX_TILE_EDGE_Y,
};
static_assert(!TX_TILE_REGULAR || TX_TILE_COPIES % TX_TILE_THREADS == 0,
              "a thread does as many copies as any other");
static_assert(TX_TILE_EDGES >= TX_TILE_THREADS && TX_TILE_EDGES <= 2 * TX_TILE_THREADS &&
                  TX_TILE_EDGE_X <= TX_TILE_THREADS,
              "a thread has one point beyond the tile, or two, the second beyond along y");

/** Places to which the third copy of a thread goes and those after it, by 16 bits each. */
#if TX_K == 3
typedef uint32_t tx_tile_places;
#else
typedef uint64_t tx_tile_places;
#endif
static_assert(TX_TILE_ROUNDS - 2 <= (int)sizeof(tx_tile_places) / 2, "places have 16 bits each");

/** Flags of an unusual copy: the low bits of its word; then come the address of its first point
 *  of variable 0 and, in the highest 16 bits, the doubles from variable to variable. */
#define TX_TILE_NOTHING 1u /**< beyond an outer face */
#define TX_TILE_DOWN    2u /**< points lie downwards from the first one */
#define TX_TILE_SPLIT   4u /**< a pair that is not 16-byte aligned */

/** Load of a variable, as one word: its number, whether second derivatives are needed, its
 *  parities (bit d: odd in dimension d), its buffer, and the factor of its advection. */
#define TX_TILE_LOAD(v, order, odd, buffer, advect)                                                \
  ((unsigned)(v) | ((order) == 2 ? 1u << 5 : 0u) | (unsigned)(odd) << 6 |                          \
   (unsigned)(advect) << 9 | (unsigned)((buffer)*TX_TILE_DOUBLES * sizeof(double)) << 16)
#define TX_TILE_NO_LOAD         0xffffffffu
#define TX_TILE_VARIABLE(load)  ((load)&31u)
#define TX_TILE_SECOND(load)    ((load) >> 5 & 1u)
#define TX_TILE_ODD(load)       ((load) >> 6 & 7u)
#define TX_TILE_ADVECTION(load) ((load) >> 9 & 3u)
#define TX_TILE_BUFFER(load)    ((load) >> 16) /* bytes */

/** Factors of advections, at most. */
#define TX_TILE_FACTORS 4

/** The first part of the dynamic shared memory of a block. */
template <int BUFFERS> struct tx_tile_memory {
  double buffer[BUFFERS][TX_TILE_DOUBLES];
  unsigned long long copy[TX_TILE_COPIES];
  double dy[TX_TILE_DY_DOUBLES], dz[TX_TILE_DZ_DOUBLES];
  double over_h;                  /**< 1/(TX_D1_DIVISOR h) */
  double ko[TX_TILE_THREADS];     /**< sigma at each point, times TX_D1_DIVISOR / 2^(2 TX_KO) */
  double advect[TX_TILE_FACTORS]; /**< factors of beta^k d_k */
  uint8_t mirror[32];             /**< of the regions that are read from fields */
};

/** Derivatives of a variable at a thread's point: advection and dissipation; first; second in the order xx, xy,
 *  xz, yy, yz, zz. */
typedef struct tx_tile_jet1 {
  double adv, d[3];
} tx_tile_jet1;
typedef struct tx_tile_jet2 {
  double adv, d[3], dd[6];
} tx_tile_jet2;

/** A thread's data of its tile in registers, by 16 bits each. Places, in bytes from the first
 *  buffer: own, the thread's point; edge, two points beyond the tile of which it forms d_y or
 *  d_z; to, the targets of its copies. */
typedef struct tx_tile {
  uint32_t own_edge0, edge1_flags, to01;
  tx_tile_places to2;
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

/* Return the double `bytes` after the first one. */
static __device__ __forceinline__ double *tx_tile_byte(double *first, unsigned bytes) {
  return reinterpret_cast<double *>(reinterpret_cast<char *>(first) + bytes);
}

/* Return the number of the thread's point where tiles are not regular. */
[[maybe_unused]] static __device__ __forceinline__ int tx_tile_own(void) {
  return TX_TILE_POINTS == TX_TILE_THREADS || threadIdx.x < TX_TILE_POINTS ? (int)threadIdx.x
                                                                           : TX_TILE_POINTS - 1;
}

/** Return whether the thread has a point that no other has. */
static __device__ __forceinline__ bool tx_tile_has_point(void) {
  return TX_TILE_POINTS == TX_TILE_THREADS || threadIdx.x < TX_TILE_POINTS;
}

/* Return the place of the thread's point in its tile. Regular tiles: half a warp has two rows, 4 apart; a warp
 * two pairs of neighbours. Others: rows of a plane y follow each other along z. */
static __device__ __forceinline__ int tx_tile_x(void) {
  return TX_TILE_REGULAR ? (int)(threadIdx.x & 7u) : tx_tile_own() % TX_TILE_X;
}
static __device__ __forceinline__ int tx_tile_y(void) {
  return TX_TILE_REGULAR
             ? (int)((threadIdx.x >> 1 & 4u) | (threadIdx.x >> 4 & 1u) | (threadIdx.x >> 4 & 2u))
             : tx_tile_own() / (TX_TILE_X * TX_TILE_Z);
}
static __device__ __forceinline__ int tx_tile_z(void) {
  return TX_TILE_REGULAR ? (int)(threadIdx.x >> 6) : tx_tile_own() / TX_TILE_X % TX_TILE_Z;
}

/* Return the point of ghost g = 0 .. 2 TX_K - 1 of a line of n points. */
static __device__ __forceinline__ int tx_tile_ghost(int g, int n) {
  return g < TX_K ? g - TX_K : g - TX_K + n;
}

/** Return the first point of tile `number` in its octant. */
static __device__ __forceinline__ void tx_tile_first(int number, int first[3]) {
  first[0] = number % TX_TILES_X * TX_TILE_X;
  first[1] = number / TX_TILES_X % TX_TILES_Y * TX_TILE_Y;
  first[2] = number / (TX_TILES_X * TX_TILES_Y) * TX_TILE_Z;
}

/* Return whether the first point beyond the tile that a thread has lies beyond along x, and whether it has a second one,
 * which lies beyond along y. */
static __device__ __forceinline__ bool tx_tile_edge_x(void) {
  return TX_TILE_REGULAR ? threadIdx.x >> 5 < TX_TILE_GHOSTS : threadIdx.x < TX_TILE_EDGE_X;
}
static __device__ __forceinline__ bool tx_tile_edge_second(void) {
  const unsigned warp = threadIdx.x >> 5;
  if (!TX_TILE_REGULAR) return threadIdx.x < TX_TILE_EDGES - TX_TILE_THREADS;
  return TX_K == 4 || warp < 2 || warp >= 6;
}

/* Return the place of point n beyond a tile that is not regular. */
[[maybe_unused]] static __device__ __forceinline__ int tx_tile_edge(int n) {
  constexpr int X = TX_TILE_X, Y = TX_TILE_Y, Z = TX_TILE_Z, G = TX_TILE_GHOSTS;
  if (n < TX_TILE_EDGE_X) return TX_TILE_AT(tx_tile_ghost(n % G, X), n / (G * Z), n / G % Z);
  n -= TX_TILE_EDGE_X;
  if (n >= TX_TILE_EDGE_Y) n = 0; /* none */
  return TX_TILE_AT(n % X, tx_tile_ghost(n / (X * Z), Y), n / X % Z);
}

/* Find the places of the thread's points beyond its tile. */
static __device__ __forceinline__ void tx_tile_edges(int edge[2]) {
  if (!TX_TILE_REGULAR) {
    edge[0] = tx_tile_edge((int)threadIdx.x);
    edge[1] = tx_tile_edge((int)threadIdx.x + TX_TILE_THREADS);
    return;
  }
  /* The 6 x 8 x 4 points beyond along x are the first ones of six warps, half a warp having two neighbours in
   * 8 rows; the 8 x 6 x 4 points beyond along y the first ones of the others and the second ones of four. With four ghosts
   * both are one of every thread. */
  const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & 31u);
  const int half = warp * 2 + (lane >> 4);
  const int i = tx_tile_ghost((half >> 2) * 2 + (lane & 1), TX_TILE_X);
  const int row = warp & 1, z = (lane >> 2 & 2) | (lane >> 4);
  const int beyond_y = TX_TILE_AT(lane & 7, 0, z);
  edge[0] = tx_tile_edge_x() ? TX_TILE_AT(i, lane >> 1 & 7, half & 3)
                             : beyond_y + tx_tile_ghost(row, TX_TILE_Y) * TX_TILE_ROW;
  const int second = TX_K == 4 ? warp : warp < 2 ? 2 + row : 4 + row;
  edge[1] = beyond_y + tx_tile_ghost(second, TX_TILE_Y) * TX_TILE_ROW;
}

/** Begin tile `number` of an octant at `place`; ko, of the thread's point, and advect: see
 *  tx_tile_memory. The shift is yet to be set. */
template <int BUFFERS>
static __device__ __forceinline__ tx_tile tx_tile_begin(const tx_cuda_place &place, int number,
                                                        double ko,
                                                        const double advect[TX_TILE_FACTORS]) {
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
      if (p <= TX_K) flags |= 1u << (TX_TILE_NO_KO_AT + d);
      if (p <= 1) flags |= TX_TILE_OUTERMOST;
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
    for (int n = 0; n < TX_TILE_FACTORS; n++) s->advect[n] = advect[n];
  }
  int edge[2];
  tx_tile_edges(edge);
  constexpr int bytes = (int)sizeof(double);
  tx_tile t = {};
  t.own_edge0 = (uint32_t)(TX_TILE_AT(here[0], here[1], here[2]) * bytes | edge[0] * bytes << 16);
  t.edge1_flags = (uint32_t)(edge[1] * bytes) | flags;
  return t;
}

/** Return the offset of the thread's point in its octant. */
static __device__ __forceinline__ int tx_tile_point(int number) {
  int first[3];
  tx_tile_first(number, first);
  return TX_AT(first[0] + tx_tile_x(), first[1] + tx_tile_y(), first[2] + tx_tile_z());
}
