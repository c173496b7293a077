/* The star of the flat Laplacian at all points of an octant. A block of TX_CUDA_STAR_THREADS has one octant, a thread the lower or
 * the upper half of a column of points along z: their neighbours along z are in its registers, those along x and y in a tile
 * of shared memory. */
#pragma once

#include "cuda/kernels/async_copy.cuh"
#include "cuda/kernels/fused.cuh"
#include "cuda/kernels/robin.cuh"
#include "physics/laplace_point.h"

/** Threads; points of a thread; the tile, which has the octant's planes with the ghosts behind
 *  its faces across x and y, in numbers: rows, planes, all. */
enum {
  TX_CUDA_STAR_COLUMNS = TX_N * TX_N,
  TX_CUDA_STAR_THREADS = 2 * TX_CUDA_STAR_COLUMNS,
  TX_CUDA_STAR_POINTS = TX_N / 2,
  /* Half a warp reads 16 values at once, a warp 32 in single precision: rows of 8 must not share banks. */
  TX_CUDA_STAR_ROW = TX_N == 8 ? 24 : TX_N + 2 * TX_LAPLACE_REACH,
  TX_CUDA_STAR_PLANE = (TX_N + 2 * TX_LAPLACE_REACH) * TX_CUDA_STAR_ROW,
  TX_CUDA_STAR_TILE = TX_N * TX_CUDA_STAR_PLANE
};
static_assert(TX_LAPLACE_REACH <= TX_K && TX_LAPLACE_REACH <= TX_CUDA_STAR_POINTS,
              "a star reaches the ghosts, and no farther than the other half of a column");
static_assert(TX_CUDA_STAR_ROW >= TX_N + 2 * TX_LAPLACE_REACH, "a row has ghosts at both ends");

/** Return the offset of patch point (i, j, k) in the tile. */
static __device__ __forceinline__ int tx_cuda_tile_at(int i, int j, int k) {
  return k * TX_CUDA_STAR_PLANE + (j + TX_LAPLACE_REACH) * TX_CUDA_STAR_ROW + i + TX_LAPLACE_REACH;
}

/** A thread's points, and their stars as far as they are in registers. */
template <class T> struct tx_cuda_star {
  int i, j, upper;                                 /**< the column; 1: its upper half */
  const T *tile;                                   /**< at the lowest of the points */
  T z[TX_CUDA_STAR_POINTS + 2 * TX_LAPLACE_REACH]; /**< from TX_LAPLACE_REACH below it on */
};

template <class T> static __device__ __forceinline__ tx_cuda_star<T> tx_cuda_star_make(T *tile) {
  tx_cuda_star<T> s;
  s.i = (int)(threadIdx.x % TX_N);
  s.j = (int)(threadIdx.x / TX_N % TX_N);
  s.upper = (int)(threadIdx.x / TX_CUDA_STAR_COLUMNS);
  s.tile = tile + tx_cuda_tile_at(s.i, s.j, s.upper * TX_CUDA_STAR_POINTS);
  return s;
}

/** Return the lowest of the thread's points in octant b of a field of one variable; the others
 *  are TX_CUDA_STAR_COLUMNS apart. */
template <class T>
static __device__ __forceinline__ size_t tx_cuda_star_first(const tx_cuda_star<T> &s, tx_lidx b) {
  return (size_t)b * TX_N3 + (size_t)TX_AT(s.i, s.j, s.upper * TX_CUDA_STAR_POINTS);
}

/** Return the thread's value number n. */
template <class T>
static __device__ __forceinline__ T tx_cuda_star_here(const tx_cuda_star<T> &s, int n) {
  return s.z[TX_LAPLACE_REACH + n];
}

/** Weights of a Laplacian for kernels. */
template <class T> struct tx_cuda_weights { T w[TX_LAPLACE_REACH + 1]; };

/** Apply a stencil of these weights, as the Laplacian times h^2, at the thread's point number n.
 *  Mirror images give the same bits. */
template <class Weights, class T>
static __device__ __forceinline__ T tx_cuda_laplace(const Weights &l, const tx_cuda_star<T> &s,
                                                    int n) {
  constexpr int y = TX_CUDA_STAR_ROW;
  const T *p = s.tile + n * TX_CUDA_STAR_PLANE, *z = s.z + TX_LAPLACE_REACH + n;
  T sum = T(3.0) * l.w[0] * z[0];
#pragma unroll
  for (int m = 1; m <= TX_LAPLACE_REACH; m++)
    sum = tx_cuda_fma(l.w[m], (p[m] + p[-m]) + (p[m * y] + p[-m * y]) + (z[m] + z[-m]), sum);
  return sum;
}

/** Values behind a face, by patch points: that of (i, j, k) is at[i * x + j * y + k * z], times
 *  -1 if `odd`; where that is NULL, of a field in single precision, `kept` in its place. */
template <class T> struct __align__(16) tx_cuda_behind {
  int x, y, z, odd;
  const T *at;
  const double *kept;
};

/** Find the values behind a face, 2 d + side, of octant b; behind an outer face any value of the
 *  field, with all strides 0. */
template <class T>
static __device__ __forceinline__ tx_cuda_behind<T>
tx_cuda_behind_of(const tx_cuda_mesh &m, const tx_cuda_numbers<T> &f, tx_lidx b, int face) {
  const int away = face % 2 ? 1 : -1, d = face / 2;
  const int number = TX_REGION(d == 0 ? away : 0, d == 1 ? away : 0, d == 2 ? away : 0);
  const tx_cuda_region r = m.region[(size_t)b * 27 + (size_t)number];
  const int odd = __popc(r.mirror & f.odd[0]) & 1;
  const int64_t first = r.origin + r.offset;
  if constexpr (sizeof(T) == sizeof(double)) {
    const double *base = r.source == TX_CUDA_OUTER ? f.data : tx_cuda_base(m, f.data, r.source);
    return {r.x, r.y, r.z, odd, base + first, NULL};
  } else {
    const bool own = r.source == TX_CUDA_OUTER || tx_cuda_is_single<T>(r);
    return {r.x,
            r.y,
            r.z,
            odd,
            own ? f.data + first : NULL,
            own ? NULL : tx_cuda_base(m, f.data, r.source) + first};
  }
}

/** Read one of these values, and write it to the tile as soon as it is there. */
template <class T>
static __device__ __forceinline__ T tx_cuda_behind_read(const tx_cuda_behind<T> &f, int i, int j,
                                                        int k) {
  const int at = k * f.z + j * f.y + i * f.x;
  if constexpr (sizeof(T) < sizeof(double))
    if (!f.at) return (T)__ldg(f.kept + at);
  return __ldg(f.at + at);
}
template <class T>
static __device__ __forceinline__ void tx_cuda_behind_copy(const tx_cuda_behind<T> &f, int i, int j,
                                                           int k, T *to) {
  const int at = k * f.z + j * f.y + i * f.x;
  if constexpr (sizeof(T) < sizeof(double))
    if (!f.at) {
      *to = (T)__ldg(f.kept + at);
      return;
    }
  tx_async_copy(to, f.at + at);
}

/** Return ghost number n beyond face number `side` of a dimension. */
static __device__ __forceinline__ int tx_cuda_ghost_at(int side, int n) {
  return side ? TX_N + n : n - TX_LAPLACE_REACH;
}

/** Ghosts that a thread brings into the tile: TX_LAPLACE_REACH across y, then TX_CUDA_STAR_ROWS across x, of a row each, but
 *  for every fourth thread. */
enum { TX_CUDA_STAR_LANES = 4, TX_CUDA_STAR_ROWS = 4 };
static_assert(TX_LAPLACE_REACH == TX_CUDA_STAR_LANES - 1, "a thread for each ghost of a row");

/** Return the place of the thread's ghost number n across x, and the face it lies beyond. */
static __device__ __forceinline__ int tx_cuda_ghost_x(int n, int at[3]) {
  const int row = (int)(threadIdx.x / TX_CUDA_STAR_LANES);
  at[0] = tx_cuda_ghost_at(n / 2, (int)(threadIdx.x % TX_CUDA_STAR_LANES));
  at[1] = row % TX_N;
  at[2] = row / TX_N + n % 2 * (TX_N / 2);
  return n / 2;
}

/** Return the place of the thread's ghost number n across y, and the face it lies beyond. */
template <class T>
static __device__ __forceinline__ int tx_cuda_ghost_y(const tx_cuda_star<T> &s, int n, int at[3]) {
  at[0] = s.i;
  at[1] = tx_cuda_ghost_at(s.upper, n);
  at[2] = s.j;
  return 2 + s.upper;
}

/** Call call(face, place) for each of the thread's ghosts across x and y. */
template <class T, class Call>
static __device__ __forceinline__ void tx_cuda_star_ghosts(const tx_cuda_star<T> &s, Call call) {
  int at[3];
#pragma unroll
  for (int n = 0; n < TX_LAPLACE_REACH; n++) {
    const int face = tx_cuda_ghost_y(s, n, at);
    call(face, at);
  }
  if (threadIdx.x % TX_CUDA_STAR_LANES == TX_LAPLACE_REACH) return;
#pragma unroll
  for (int n = 0; n < TX_CUDA_STAR_ROWS; n++) {
    const int face = tx_cuda_ghost_x(n, at);
    call(face, at);
  }
}

/** Extrapolate the ghosts beyond outer faces: those across x and y into the tile, those across z
 *  into `ends`. */
template <class Values, class T>
static __device__ inline void tx_cuda_star_go_on(const tx_cuda_place &place, const Values &f,
                                                 const tx_cuda_star<T> &s, T *tile,
                                                 T ends[TX_LAPLACE_REACH]) {
  const int end = s.upper * (TX_N - 1), out = s.upper ? 1 : -1;
#pragma unroll 1
  for (int d = 0; d < 3; d++) {
    if (!(place.outer & TX_FACE_BIT(d, s.upper))) continue;
    const int at[3] = {d == 0 ? end : s.i, d == 0 ? s.i : d == 1 ? end : s.j, d == 2 ? end : s.j};
    const int step = out * (d == 0 ? 1 : d == 1 ? TX_CUDA_STAR_ROW : TX_CUDA_STAR_PLANE);
    T *edge = tile + tx_cuda_tile_at(at[0], at[1], at[2]);
    double inside[TX_OUTER_POINTS], ghosts[TX_K];
#pragma unroll
    for (int n = 0; n < TX_OUTER_POINTS; n++) inside[n] = edge[-n * step];
    tx_cuda_line_ghosts(place, f, 2 * d + s.upper, at, inside, ghosts);
#pragma unroll
    for (int n = 0; n < TX_LAPLACE_REACH; n++) {
      if (d < 2)
        edge[(n + 1) * step] = (T)ghosts[n];
      else
        ends[n] = (T)(s.upper ? ghosts[n] : ghosts[TX_LAPLACE_REACH - 1 - n]);
    }
  }
  __syncthreads();
}

/** Load the thread's points and the tile of octant b, of a field of one variable. The whole
 *  block calls it, no thread of which still reads the tile; ends with a barrier. */
template <class Values, class T>
static __device__ __forceinline__ void tx_cuda_star_load(const tx_cuda_mesh &m, const Values &f,
                                                         tx_lidx b, T *tile, tx_cuda_star<T> *s) {
  __shared__ tx_cuda_behind<T> behind[6];
  constexpr int REACH = TX_LAPLACE_REACH, OWN = TX_CUDA_STAR_POINTS;
  const bool outer = m.place[b].outer != 0;
  const T *own = f.data + tx_cuda_star_first(*s, b);
  T end[REACH]; /* the ghosts at the column's end */
  if (threadIdx.x < 6) behind[threadIdx.x] = tx_cuda_behind_of(m, f, b, (int)threadIdx.x);
#pragma unroll
  for (int n = 0; n < OWN; n++) s->z[REACH + n] = own[n * TX_CUDA_STAR_COLUMNS];
  __syncthreads();
  tx_cuda_star_ghosts(*s, [&](int face, const int at[3]) {
    tx_cuda_behind_copy(behind[face], at[0], at[1], at[2],
                        tile + tx_cuda_tile_at(at[0], at[1], at[2]));
  });
  tx_async_commit();
  const tx_cuda_behind<T> &along = behind[4 + s->upper];
#pragma unroll
  for (int n = 0; n < REACH; n++)
    end[n] = tx_cuda_behind_read(along, s->i, s->j, tx_cuda_ghost_at(s->upper, n));
#pragma unroll
  for (int n = 0; n < OWN; n++)
    tile[tx_cuda_tile_at(s->i, s->j, s->upper * OWN + n)] = s->z[REACH + n];
  tx_async_wait<0>();
  if (behind[0].odd | behind[1].odd | behind[2].odd | behind[3].odd)
    tx_cuda_star_ghosts(*s, [&](int face, const int at[3]) {
      T *value = tile + tx_cuda_tile_at(at[0], at[1], at[2]);
      *value = behind[face].odd ? -*value : *value;
    });
  __syncthreads();
#pragma unroll
  for (int n = 0; n < REACH; n++) end[n] = along.odd ? -end[n] : end[n];
  if (outer) tx_cuda_star_go_on(m.place[b], f, *s, tile, end);
#pragma unroll
  for (int n = 0; n < REACH; n++) { /* beyond the middle, and beyond the end */
    const T middle = s->tile[(s->upper ? n - REACH : OWN + n) * TX_CUDA_STAR_PLANE];
    s->z[n] = s->upper ? middle : end[n];
    s->z[REACH + OWN + n] = s->upper ? end[n] : middle;
  }
}
