/* Multigrid: residual and relaxation of a Helmholtz equation, dissipation, full weighting, octants added. A block has one octant. */
#include "cuda/kernels/patch.cuh"
#include "physics/laplace_point.h"

enum { THREADS = 256, HALF = TX_N / 2 };
static_assert(TX_N3 % THREADS == 0, "blocks of threads must divide an octant");

/* What a step takes, by value. */
struct operands {
  tx_laplace_weights l;
  double alpha, beta;
  const double *q, *f;
  double *p, *out; /* p NULL: the residual alone */
};

/* The Laplacian times h^2 at a point of a patch. Mirror images give the same bits. */
static __device__ __forceinline__ double laplace(const tx_laplace_weights &l, const double *p) {
  constexpr int y = TX_P, z = TX_P * TX_P;
  double sum = 3.0 * l.w[0] * p[0];
#pragma unroll
  for (int m = 1; m <= TX_LAPLACE_REACH; m++)
    sum = fma(l.w[m], (p[m] + p[-m]) + (p[m * y] + p[-m * y]) + (p[m * z] + p[-m * z]), sum);
  return sum;
}

/* All of the patch of octant b, of which the star reads what lies behind faces. */
template <class Values>
static __global__ void __launch_bounds__(THREADS)
    relax(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values u,
          const __grid_constant__ operands o) {
  TX_SHARED(double, patch);
  const tx_lidx b = octants[blockIdx.x];
  const double h = m.place[b].h, per_h2 = 1.0 / (h * h);
  tx_cuda_patch_load_all(m, u, b, 0, patch);
#pragma unroll
  for (int n = (int)threadIdx.x; n < TX_N3; n += THREADS) {
    const size_t at = (size_t)b * TX_N3 + (size_t)n;
    const double *here = patch + TX_PATCH_AT(n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N));
    const double q = o.q[at];
    const double r = o.f[at] - fma(q, *here, per_h2 * laplace(o.l, here));
    if (!o.p) {
      o.out[at] = r;
      continue;
    }
    double p = o.beta * (r / (3.0 * o.l.w[0] * per_h2 + q));
    if (o.alpha != 0.0) p = fma(o.alpha, o.p[at], p);
    o.p[at] = p;
    o.out[at] = *here + p;
  }
}

/* A kernel with a patch in shared memory, on each octant of the set. */
#define RUN_ON_PATCHES(kernel, set, work, ...)                                                     \
  do {                                                                                             \
    const int shared = TX_P3 * (int)sizeof(double);                                                \
    TX_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));    \
    TX_CUDA_RUN_WORK(work, kernel, (size_t)(set)->n, THREADS, shared, tx_cuda_stream.compute,      \
                     __VA_ARGS__);                                                                 \
  } while (0)

template <class Values>
static tx_status relax_run(const tx_exec *x, const tx_set *set, const Values &u,
                           const operands &o) {
  const double points = (double)set->n * TX_N3;
  const double fields = o.p ? o.alpha != 0.0 ? 6.0 : 5.0 : 4.0;
  RUN_ON_PATCHES(relax<Values>, set,
                 tx_cuda_work_of(28.0 * points, fields * sizeof(double) * points),
                 tx_cuda_of(x)->mesh, tx_cuda_set_of(set)->octant, u, o);
  return TX_OK;
}

tx_status tx_cuda_relax(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                        const tx_relaxation *step) {
  operands o = {};
  tx_cuda_patched u;
  tx_cuda_values q, f;
  TX_TRY(tx_cuda_patched_of(step->u, &u));
  TX_TRY(tx_cuda_values_of(equation->q, &q));
  TX_TRY(tx_cuda_values_of(equation->f, &f));
  o.l = tx_laplace_weights_make(equation->order);
  o.alpha = step->alpha;
  o.beta = step->beta;
  o.q = q.data;
  o.f = f.data;
  if (step->p && step->alpha != 0.0) {
    tx_cuda_values p; /* what the host wrote to it */
    TX_TRY(tx_cuda_values_of(step->p, &p));
  }
  if (step->p) TX_TRY(tx_cuda_target(step->p, &o.p));
  TX_TRY(tx_cuda_target(step->out, &o.out));
  return u.robin ? relax_run(x, set, u, o) : relax_run<tx_cuda_values>(x, set, u, o);
}

template <class Values>
static __global__ void __launch_bounds__(THREADS)
    dissipate(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values u,
              double sigma, double *out) {
  TX_SHARED(double, patch);
  const tx_lidx b = octants[blockIdx.x];
  const double scale = sigma / (64.0 * m.place[b].h);
  tx_cuda_patch_load_all(m, u, b, 0, patch);
  for (int n = (int)threadIdx.x; n < TX_N3; n += THREADS) {
    double *to = out + (size_t)b * TX_N3 + (size_t)n;
    const double *at = patch + TX_PATCH_AT(n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N));
    *to = fma(scale, laplace(tx_dissipation_weights_make(), at), *to);
  }
}

template <class Values>
static tx_status dissipate_run(const tx_exec *x, const tx_set *set, const Values &u, double sigma,
                               double *out) {
  const double points = (double)set->n * TX_N3;
  RUN_ON_PATCHES(dissipate<Values>, set,
                 tx_cuda_work_of(22.0 * points, 3.0 * sizeof(double) * points), tx_cuda_of(x)->mesh,
                 tx_cuda_set_of(set)->octant, u, sigma, out);
  return TX_OK;
}

tx_status tx_cuda_dissipate(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                            tx_field *out) {
  tx_cuda_patched values;
  tx_cuda_values before; /* what the host wrote to it */
  double *to;
  TX_TRY(tx_cuda_patched_of(u, &values));
  TX_TRY(tx_cuda_values_of(out, &before));
  TX_TRY(tx_cuda_target(out, &to));
  return values.robin ? dissipate_run(x, set, values, sigma, to)
                      : dissipate_run<tx_cuda_values>(x, set, values, sigma, to);
}

/* The mean of three numbers that are `stride` apart, the second one being `p`. */
static __device__ __forceinline__ double weighted(const double *p, int stride) {
  return fma(0.25, p[-stride] + p[stride], 0.5 * p[0]);
}

/* Along x at a point of the patch, and along y of these. */
static __device__ __forceinline__ double weighted2(const double *p) {
  const double below = weighted(p - TX_P, 1), here = weighted(p, 1), above = weighted(p + TX_P, 1);
  return fma(0.25, below + above, 0.5 * here);
}

template <class Values>
static __global__ void __launch_bounds__(THREADS)
    full_weight(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values r,
                double *out) {
  TX_SHARED(double, patch);
  const tx_lidx b = octants[blockIdx.x];
  tx_cuda_patch_load_all(m, r, b, 0, patch);
  for (int n = (int)threadIdx.x; n < HALF * HALF * HALF; n += THREADS) {
    const int i = n % HALF * 2, j = n / HALF % HALF * 2, k = n / (HALF * HALF) * 2;
    const double *p = patch + TX_PATCH_AT(i, j, k);
    const double below = weighted2(p - TX_P * TX_P), above = weighted2(p + TX_P * TX_P);
    out[(size_t)b * TX_N3 + TX_AT(i, j, k)] = fma(0.25, below + above, 0.5 * weighted2(p));
  }
}

template <class Values>
static tx_status full_weight_run(const tx_exec *x, const tx_set *set, const Values &r,
                                 double *out) {
  const double points = (double)set->n * TX_N3;
  RUN_ON_PATCHES(full_weight<Values>, set,
                 tx_cuda_work_of(6.0 * points, 1.125 * sizeof(double) * points),
                 tx_cuda_of(x)->mesh, tx_cuda_set_of(set)->octant, r, out);
  return TX_OK;
}

tx_status tx_cuda_full_weight(tx_exec *x, const tx_set *set, const tx_field *r, tx_field *out) {
  tx_cuda_patched values;
  double *to;
  TX_TRY(tx_cuda_patched_of(r, &values));
  TX_TRY(tx_cuda_target(out, &to));
  return values.robin ? full_weight_run(x, set, values, to)
                      : full_weight_run<tx_cuda_values>(x, set, values, to);
}

static __global__ void __launch_bounds__(THREADS)
    add(const tx_lidx *octants, const double *values, unsigned pairs, double *to) {
  const double2 *from = reinterpret_cast<const double2 *>(values) + (size_t)blockIdx.x * pairs;
  double2 *at = reinterpret_cast<double2 *>(to) + (size_t)octants[blockIdx.x] * pairs;
  for (unsigned n = threadIdx.x; n < pairs; n += THREADS) {
    const double2 u = at[n], v = from[n];
    at[n] = make_double2(u.x + v.x, u.y + v.y);
  }
}

tx_status tx_cuda_add_octants(tx_exec *x, const tx_set *set, const double *octants, tx_field *f) {
  (void)x;
  const double values = (double)set->n * f->n_vars * TX_N3;
  tx_cuda_values before; /* what the host wrote to it */
  double *to;
  TX_TRY(tx_cuda_values_of(f, &before));
  TX_TRY(tx_cuda_target(f, &to));
  TX_CUDA_RUN_WORK(tx_cuda_work_of(values, 3.0 * sizeof(double) * values), add, (size_t)set->n,
                   THREADS, 0, tx_cuda_stream.compute, tx_cuda_set_of(set)->octant, octants,
                   (unsigned)(f->n_vars * TX_N3 / 2), to);
  return TX_OK;
}
