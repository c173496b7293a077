/* Multigrid: residual and relaxation of a Helmholtz equation, dissipation, full weighting, octants added. A block has one octant. */
#include "cuda/kernels/patch.cuh"
#include "cuda/kernels/star.cuh"

enum { THREADS = 256, HALF = TX_N / 2 };

/* Arguments of a step, by value. */
template <class T> struct operands {
  tx_cuda_weights<T> l;
  T alpha, beta;
  const T *q, *f, *covered; /* the last one: of a residual, or NULL */
  T *out;
};

/* Return whether a thread's point number n is on a plane. */
template <class T>
static __device__ __forceinline__ bool on_plane(uint32_t planes, const tx_cuda_star<T> &s, int n) {
  return planes >> ((s.i == 0) | (s.j == 0) << 1 | (n == 0 && !s.upper) << 2) & 1u;
}

/* Compute a residual or a relaxation of octant b. Values that do not depend on neighbours are
 * loaded first. */
template <bool Relax, class Values, class T>
static __device__ __forceinline__ void step(const tx_cuda_mesh &m, tx_lidx b, const Values &u,
                                            const operands<T> &o, T *tile) {
  constexpr int OWN = TX_CUDA_STAR_POINTS, PLANE = TX_CUDA_STAR_COLUMNS;
  const uint32_t planes = m.place[b].planes;
  const T h = (T)m.place[b].h, per_h2 = T(1.0) / (h * h);
  const T diagonal = tx_cuda_product(T(3.0) * o.l.w[0], per_h2);
  tx_cuda_star<T> s = tx_cuda_star_make(tile);
  const size_t first = tx_cuda_star_first(s, b);
  T q[OWN], f[OWN], before[OWN]; /* before: or what covers it */
#pragma unroll
  for (int n = 0; n < OWN; n++) {
    const size_t at = first + (size_t)(n * PLANE);
    q[n] = o.q[at];
    f[n] = o.f[at];
    if (Relax)
      before[n] = o.alpha != T(0.0) ? o.out[at] : T(0.0);
    else
      before[n] = o.covered ? o.covered[at] : T(0.0);
  }
  tx_cuda_star_load(m, u, b, tile, &s);
#pragma unroll
  for (int n = 0; n < OWN; n++) {
    const T here = tx_cuda_star_here(s, n);
    T value = f[n] - tx_cuda_fma(q[n], here, per_h2 * tx_cuda_laplace(o.l, s, n));
    if (Relax) {
      T change = tx_cuda_product(o.beta, value / (diagonal + q[n]));
      if (o.alpha != T(0.0)) change = tx_cuda_fma(o.alpha, here - before[n], change);
      value = on_plane(planes, s, n) ? here : here + change;
    } else if (o.covered && (before[n] != T(0.0) || on_plane(planes, s, n))) {
      value = T(0.0);
    }
    o.out[first + (size_t)(n * PLANE)] = value;
  }
}

/* Blocks that a multiprocessor should hold: enough registers for the points of a thread and its
 * loads under way. */
enum { BLOCKS = TX_N <= 8 ? 6 : 1 };

template <class Values>
static __global__ void __launch_bounds__(TX_CUDA_STAR_THREADS, BLOCKS)
    residual(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values u,
             const __grid_constant__ operands<typename Values::number> o) {
  TX_SHARED(typename Values::number, tile);
  step<false>(m, octants[blockIdx.x], u, o, tile);
}

template <class Values>
static __global__ void __launch_bounds__(TX_CUDA_STAR_THREADS, BLOCKS)
    relax(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values u,
          const __grid_constant__ operands<typename Values::number> o) {
  TX_SHARED(typename Values::number, tile);
  step<true>(m, octants[blockIdx.x], u, o, tile);
}

/* Run a kernel with so many bytes of shared memory. */
#define RUN_SHARED(kernel, bytes, threads, blocks, work, ...)                                      \
  do {                                                                                             \
    const int shared = (int)(bytes);                                                               \
    static bool ready = false; /* of this kernel */                                                \
    if (!ready)                                                                                    \
      TX_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));  \
    ready = true;                                                                                  \
    TX_CUDA_RUN_WORK(work, kernel, blocks, threads, shared, tx_cuda_stream.compute, __VA_ARGS__);  \
  } while (0)
#define RUN_ON_STARS(kernel, T, ...)                                                               \
  RUN_SHARED(kernel, TX_CUDA_STAR_TILE * sizeof(T), TX_CUDA_STAR_THREADS, __VA_ARGS__)
#define RUN_ON_PATCHES(kernel, ...) RUN_SHARED(kernel, TX_P3 * sizeof(double), THREADS, __VA_ARGS__)

/* Return the work of a step that reads or writes so many fields, and u. */
static tx_cuda_work step_work(const tx_set *set, double fields, size_t bytes) {
  const double points = (double)set->n * TX_N3;
  return tx_cuda_work_of(28.0 * points, (fields + 1.0) * (double)bytes * points);
}

template <class T> static tx_status operands_of(const tx_helmholtz *equation, operands<T> *o) {
  const tx_laplace_weights l = tx_laplace_weights_make(equation->order);
  tx_cuda_numbers<T> q, f;
  TX_TRY(tx_cuda_values_of(equation->q, &q));
  TX_TRY(tx_cuda_values_of(equation->f, &f));
  for (int m = 0; m <= TX_LAPLACE_REACH; m++) o->l.w[m] = (T)l.w[m];
  o->q = q.data;
  o->f = f.data;
  return TX_OK;
}

template <class Values>
static tx_status residual_run(const tx_exec *x, const tx_set *set, const Values &u,
                              const operands<typename Values::number> &o) {
  typedef typename Values::number T;
  RUN_ON_STARS(residual<Values>, T, (size_t)set->n, step_work(set, 3.0, sizeof(T)),
               tx_cuda_of(x)->mesh, tx_cuda_set_of(set)->octant, u, o);
  return TX_OK;
}

template <class T>
static tx_status residual_of(const tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                             const tx_field *u, const tx_field *covered, tx_field *r) {
  operands<T> o = {};
  tx_cuda_patched_numbers<T> values;
  TX_TRY(tx_cuda_patched_of(u, &values));
  TX_TRY(operands_of(equation, &o));
  if (covered) {
    tx_cuda_numbers<T> c;
    TX_TRY(tx_cuda_values_of(covered, &c));
    o.covered = c.data;
  }
  TX_TRY(tx_cuda_target(r, &o.out));
  return values.robin ? residual_run(x, set, values, o)
                      : residual_run<tx_cuda_numbers<T>>(x, set, values, o);
}

tx_status tx_cuda_residual(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                           const tx_field *u, const tx_field *covered, tx_field *r) {
  return u->single ? residual_of<float>(x, set, equation, u, covered, r)
                   : residual_of<double>(x, set, equation, u, covered, r);
}

template <class Values>
static tx_status relax_run(const tx_exec *x, const tx_set *set, const Values &u,
                           const operands<typename Values::number> &o) {
  typedef typename Values::number T;
  RUN_ON_STARS(relax<Values>, T, (size_t)set->n,
               step_work(set, o.alpha != T(0.0) ? 4.0 : 3.0, sizeof(T)), tx_cuda_of(x)->mesh,
               tx_cuda_set_of(set)->octant, u, o);
  return TX_OK;
}

template <class T>
static tx_status relax_of(const tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                          const tx_relaxation *step) {
  operands<T> o = {};
  tx_cuda_patched_numbers<T> values;
  TX_TRY(tx_cuda_patched_of(step->u, &values));
  TX_TRY(operands_of(equation, &o));
  o.alpha = (T)step->alpha;
  o.beta = (T)step->beta;
  TX_TRY(tx_cuda_target(step->out, &o.out));
  return values.robin ? relax_run(x, set, values, o)
                      : relax_run<tx_cuda_numbers<T>>(x, set, values, o);
}

tx_status tx_cuda_relax(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                        const tx_relaxation *step) {
  return step->u->single ? relax_of<float>(x, set, equation, step)
                         : relax_of<double>(x, set, equation, step);
}

template <class Values>
static __global__ void __launch_bounds__(TX_CUDA_STAR_THREADS)
    dissipate(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values u,
              double sigma, double *out) {
  TX_SHARED(double, tile);
  const tx_lidx b = octants[blockIdx.x];
  const double scale = sigma / (64.0 * m.place[b].h);
  tx_cuda_star<double> s = tx_cuda_star_make(tile);
  tx_cuda_star_load(m, u, b, tile, &s);
  double *to = out + tx_cuda_star_first(s, b);
#pragma unroll
  for (int n = 0; n < TX_CUDA_STAR_POINTS; n++, to += TX_CUDA_STAR_COLUMNS)
    *to = tx_cuda_fma(scale, tx_cuda_laplace(tx_dissipation_weights_make(), s, n), *to);
}

template <class Values>
static tx_status dissipate_run(const tx_exec *x, const tx_set *set, const Values &u, double sigma,
                               double *out) {
  const double points = (double)set->n * TX_N3;
  RUN_ON_STARS(dissipate<Values>, double, (size_t)set->n,
               tx_cuda_work_of(22.0 * points, 3.0 * sizeof(double) * points), tx_cuda_of(x)->mesh,
               tx_cuda_set_of(set)->octant, u, sigma, out);
  return TX_OK;
}

tx_status tx_cuda_dissipate(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                            tx_field *out) {
  tx_cuda_patched values;
  tx_cuda_values before; /* asked for to upload the host's values */
  double *to;
  TX_TRY(tx_cuda_patched_of(u, &values));
  TX_TRY(tx_cuda_values_of(out, &before));
  TX_TRY(tx_cuda_target(out, &to));
  return values.robin ? dissipate_run(x, set, values, sigma, to)
                      : dissipate_run<tx_cuda_values>(x, set, values, sigma, to);
}

/* Return the weighted mean of three numbers `stride` apart, the second one being `p`. */
static __device__ __forceinline__ double weighted(const double *p, int stride) {
  return fma(0.25, p[-stride] + p[stride], 0.5 * p[0]);
}

/* Return the weighted mean along y of those along x at a point of the patch. */
static __device__ __forceinline__ double weighted2(const double *p) {
  const double below = weighted(p - TX_P, 1), here = weighted(p, 1), above = weighted(p + TX_P, 1);
  return fma(0.25, below + above, 0.5 * here);
}

/* Places of the means of an octant: that around point (2 i, 2 j, 2 k) goes to at[i * x + j * y +
 * k * z]. */
template <class T> struct means {
  T *at;
  int x, y, z;
};

template <class Values>
static __device__ __forceinline__ void
weight_octant(const tx_cuda_mesh &m, const Values &r, tx_lidx b,
              const means<typename Values::number> &to, double *patch) {
  const bool outer = m.place[b].outer != 0;
  const int low[3] = {outer ? -TX_K : -1, outer ? -TX_K : -1, outer ? -TX_K : -1};
  const int end = outer ? TX_N + TX_K - 1 : TX_N - 1, high[3] = {end, end, end};
  tx_cuda_patch_load(m, r, b, 0, low, high, patch);
  for (int n = (int)threadIdx.x; n < HALF * HALF * HALF; n += THREADS) {
    const int i = n % HALF, j = n / HALF % HALF, k = n / (HALF * HALF);
    const double *p = patch + TX_PATCH_AT(2 * i, 2 * j, 2 * k);
    const double below = weighted2(p - TX_P * TX_P), above = weighted2(p + TX_P * TX_P);
    to.at[i * to.x + j * to.y + k * to.z] =
        (typename Values::number)fma(0.25, below + above, 0.5 * weighted2(p));
  }
}

template <class Values>
static __global__ void __launch_bounds__(THREADS)
    full_weight(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values r,
                typename Values::number *out) {
  TX_SHARED(double, patch);
  const tx_lidx b = octants[blockIdx.x];
  weight_octant(m, r, b, {out + (size_t)b * TX_N3, 2, 2 * TX_N, 2 * TX_N * TX_N}, patch);
}

template <class Values>
static __global__ void __launch_bounds__(THREADS)
    weight_children(const tx_cuda_mesh m, const tx_cuda_child *list,
                    const __grid_constant__ Values r, typename Values::number *coarse) {
  TX_SHARED(double, patch);
  const tx_cuda_child c = list[blockIdx.x];
  const int corner =
      TX_AT((c.number & 1) * HALF, (c.number >> 1 & 1) * HALF, (c.number >> 2) * HALF);
  weight_octant(m, r, c.child, {coarse + (size_t)c.parent * TX_N3 + corner, 1, TX_N, TX_N * TX_N},
                patch);
}

static tx_cuda_work weight_work(tx_lidx n, size_t bytes) {
  const double points = (double)n * TX_N3;
  return tx_cuda_work_of(6.0 * points, 1.125 * (double)bytes * points);
}

template <class Values>
static tx_status full_weight_run(const tx_exec *x, const tx_set *set, const Values &r,
                                 typename Values::number *out) {
  RUN_ON_PATCHES(full_weight<Values>, (size_t)set->n, weight_work(set->n, sizeof *out),
                 tx_cuda_of(x)->mesh, tx_cuda_set_of(set)->octant, r, out);
  return TX_OK;
}

template <class Values>
static tx_status weight_children_run(const tx_exec *x, const tx_cuda_child *list, tx_lidx n,
                                     const Values &r, typename Values::number *coarse) {
  RUN_ON_PATCHES(weight_children<Values>, (size_t)n, weight_work(n, sizeof *coarse),
                 tx_cuda_of(x)->mesh, list, r, coarse);
  return TX_OK;
}

template <class T>
static tx_status children_weight_of(const tx_cuda_child *list, tx_lidx n, const tx_field *r,
                                    tx_field *coarse) {
  tx_cuda_patched_numbers<T> values;
  T *to;
  TX_TRY(tx_cuda_patched_of(r, &values));
  TX_TRY(tx_cuda_target(coarse, &to));
  return values.robin ? weight_children_run(r->x, list, n, values, to)
                      : weight_children_run<tx_cuda_numbers<T>>(r->x, list, n, values, to);
}

tx_status tx_cuda_children_weight(const tx_cuda_child *list, tx_lidx n, const tx_field *r,
                                  tx_field *coarse) {
  return r->single ? children_weight_of<float>(list, n, r, coarse)
                   : children_weight_of<double>(list, n, r, coarse);
}

template <class T>
static tx_status full_weight_of(const tx_exec *x, const tx_set *set, const tx_field *r,
                                tx_field *out) {
  tx_cuda_patched_numbers<T> values;
  T *to;
  TX_TRY(tx_cuda_patched_of(r, &values));
  TX_TRY(tx_cuda_target(out, &to));
  return values.robin ? full_weight_run(x, set, values, to)
                      : full_weight_run<tx_cuda_numbers<T>>(x, set, values, to);
}

tx_status tx_cuda_full_weight(tx_exec *x, const tx_set *set, const tx_field *r, tx_field *out) {
  return r->single ? full_weight_of<float>(x, set, r, out) : full_weight_of<double>(x, set, r, out);
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    add(const tx_lidx *octants, const double *values, T *to) {
  const double2 *from =
      reinterpret_cast<const double2 *>(values) + (size_t)blockIdx.x * (TX_N3 / 2);
  T *at = to + (size_t)octants[blockIdx.x] * TX_N3;
  for (unsigned n = threadIdx.x; n < TX_N3 / 2; n += THREADS) {
    const double2 v = from[n];
    at[2 * n] = (T)(at[2 * n] + v.x);
    at[2 * n + 1] = (T)(at[2 * n + 1] + v.y);
  }
}

template <class T> static tx_status add_of(const tx_set *set, const double *octants, tx_field *f) {
  const double values = (double)set->n * TX_N3;
  tx_cuda_numbers<T> before; /* asked for to upload the host's values */
  T *to;
  TX_TRY(tx_cuda_values_of(f, &before));
  TX_TRY(tx_cuda_target(f, &to));
  TX_CUDA_RUN_WORK(tx_cuda_work_of(values, (sizeof(double) + 2.0 * sizeof(T)) * values), add<T>,
                   (size_t)set->n, THREADS, 0, tx_cuda_stream.compute, tx_cuda_set_of(set)->octant,
                   octants, to);
  return TX_OK;
}

tx_status tx_cuda_add_octants(tx_exec *x, const tx_set *set, const double *octants, tx_field *f) {
  (void)x;
  return f->single ? add_of<float>(set, octants, f) : add_of<double>(set, octants, f);
}
