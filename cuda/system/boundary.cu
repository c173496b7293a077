/* Outermost points of octants with outer faces: Sommerfeld condition in place of the right-hand
 * side, and the update of a stage, which the stage kernel leaves out there. */
#include "cuda/kernels/patch.cuh"
#include "cuda/system/enforce.cuh"
#include "physics/sommerfeld_point.h"

/* Threads of a block, and points of a face that it updates at once: with all variables of a
 * point at hand their algebraic constraints can be enforced. */
#define THREADS 256
#define POINTS  64

/* Speed, falloff and value at infinity, of each variable. */
static __constant__ double far_away[TX_VARS][3] = {
#define V(enumerator, name, px, py, pz, infinity, falloff, speed, ...) {speed, falloff, infinity},
#include TX_SYSTEM_VARIABLES
#undef V
};

/* Work of a block of threads: one outer face of an octant. */
typedef struct face {
  tx_lidx b;
  int d, side;
  uint32_t outer;
  double x0[3], h;
} face;

/* A point of a face. */
typedef struct face_point {
  int at[3];
  bool mine; /* it is evolved, and of the lowest of the outer faces that it lies on */
} face_point;

static __device__ __forceinline__ face_point face_point_of(const face &f, int n) {
  face_point p;
  const int edge = f.side ? TX_N - 1 : 1, i = n % TX_N, j = n / TX_N;
  p.at[0] = f.d == 0 ? edge : i;
  p.at[1] = f.d == 1 ? edge : f.d == 0 ? i : j;
  p.at[2] = f.d == 2 ? edge : j;
  p.mine = n < TX_N * TX_N;
#pragma unroll
  for (int d = 0; d < 3; d++)
    if (p.at[d] < tx_outer_first(f.outer, d) || (d < f.d && tx_outermost(f.outer, d, p.at[d])))
      p.mine = false;
  return p;
}

/* Return d_t of variable v at point `at`. */
static __device__ inline double rate(const tx_cuda_mesh &m, const tx_cuda_values &y, const face &f,
                                     const int at[3], int v) {
  const tx_cuda_region *regions = m.region + (size_t)f.b * 27;
  const double here = tx_cuda_read(m, y, regions, v, at[0], at[1], at[2]);
  double outward = 0.0, r2 = 0.0;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    const double x = f.x0[d] + f.h * at[d];
    const int inward = tx_sommerfeld_inward(f.outer, d, at[d]);
    double line[5];
#pragma unroll
    for (int n = 0; n < 5; n++) {
      const int away = inward ? inward * n : n - TX_SOMMERFELD_REACH;
      line[n] = tx_cuda_read(m, y, regions, v, at[0] + (d == 0 ? away : 0),
                             at[1] + (d == 1 ? away : 0), at[2] + (d == 2 ? away : 0));
    }
    outward += x * (inward ? inward * tx_sommerfeld_d1(line, 1, 1)
                           : tx_sommerfeld_d1(line + TX_SOMMERFELD_REACH, 1, 0));
    r2 += x * x;
  }
  return tx_sommerfeld_rate(here, outward, 1.0 / (12.0 * f.h), 1.0 / sqrt(r2), far_away[v][0],
                            far_away[v][1], far_away[v][2]);
}

/* Store to a field of the update. A stage kernel that runs beside this one may read the sum
 * there, of a point whose update it leaves out, and makes no use of it. */
static __device__ __forceinline__ void store_beside(double *field, size_t at, double value) {
  field[at] = value;
}

/* Compute the rates of POINTS points from `first` on: into rhs, or, in a stage, through the
 * update: values to be enforced go to `result` [TX_VARS][POINTS]. */
static __device__ inline void face_rates(const tx_cuda_mesh &m, const tx_cuda_values &y,
                                         const tx_cuda_rk &rk, const face &f, int first,
                                         double *rhs, double *result) {
  for (int n = (int)threadIdx.x; n < POINTS * TX_VARS; n += THREADS) {
    const int v = n / POINTS;
    const face_point p = face_point_of(f, first + n % POINTS);
    if (!p.mine) continue;
    const size_t at =
        ((size_t)f.b * TX_VARS + (size_t)v) * TX_N3 + (size_t)TX_AT(p.at[0], p.at[1], p.at[2]);
    const double k = rate(m, y, f, p.at, v);
    if (rhs) {
      rhs[at] = k;
      continue;
    }
    const double sum = tx_cuda_step(rk.base_sum[at], rk.dt_sum, k);
    if (rk.next) store_beside(rk.sum, at, sum);
    result[n] = rk.next ? tx_cuda_step(rk.u[at], rk.dt_next, k) : sum;
  }
}

static __device__ inline void face_store(const tx_cuda_rk &rk, const face &f, int first,
                                         const double *result) {
  double *to = rk.next ? rk.next : rk.sum;
  for (int n = (int)threadIdx.x; n < POINTS * TX_VARS; n += THREADS) {
    const face_point p = face_point_of(f, first + n % POINTS);
    if (p.mine)
      store_beside(to,
                   ((size_t)f.b * TX_VARS + (size_t)(n / POINTS)) * TX_N3 +
                       (size_t)TX_AT(p.at[0], p.at[1], p.at[2]),
                   result[n]);
  }
}

static __global__ void __launch_bounds__(THREADS)
    boundary(tx_cuda_mesh m, const tx_lidx *octants, tx_cuda_values y, tx_cuda_rk rk,
             tx_cuda_floors floors, double *rhs, unsigned long long *algebraic) {
  __shared__ double result[TX_VARS * POINTS];
  const int number = (int)(blockIdx.x % 6u);
  face f;
  f.b = octants[blockIdx.x / 6u];
  f.d = number / 2;
  f.side = number % 2;
  const tx_cuda_place &place = m.place[f.b];
  f.outer = place.outer;
  if (!(f.outer & TX_FACE_BIT(f.d, f.side))) return;
  for (int d = 0; d < 3; d++) f.x0[d] = place.x0[d];
  f.h = place.h;
  tx_cuda_worst worst = {};
  for (int first = 0; first < TX_N * TX_N; first += POINTS) {
    face_rates(m, y, rk, f, first, rhs, result);
    if (rhs) continue;
    __syncthreads();
    if (threadIdx.x < POINTS && face_point_of(f, first + (int)threadIdx.x).mine) {
      tx_cuda_enforce_all(floors, result + threadIdx.x, POINTS, &worst);
    }
    __syncthreads();
    face_store(rk, f, first, result);
    __syncthreads();
  }
  if (!rhs) tx_cuda_worst_reduce(worst, algebraic);
}

tx_status TX_OF(cuda_boundary)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                               const tx_cuda_stage_work *work, cudaStream_t stream) {
  const tx_cuda_set *there = tx_cuda_set_of(set);
  TX_CUDA_RUN(boundary, (size_t)there->n_outer * 6, THREADS, 0, stream, tx_cuda_of(x)->mesh,
              there->boundary, work->y, work->rk, tx_cuda_floors_of(p, work->raw), work->rhs,
              tx_cuda_of(x)->algebraic);
  return TX_OK;
}
