/* Algebra of fields: combinations, functions at a point, and sums over each octant. */
#include "cuda/backend.cuh"
#include "cuda/kernels/fused.cuh"
#include "exec/norm_point.h"
#include "physics/pointwise_point.h"

/* Threads of a block, and pairs of values that each of them combines. */
enum { THREADS = 256, WARPS = THREADS / 32, PAIRS = 4 };

/* Blocks that have a point a thread of an octant; points of a thread of a block that has all, a power of two. */
enum {
  PARTS = TX_CUDA_PARTS(THREADS),
  EACH = PARTS <= 2   ? 2
         : PARTS <= 4 ? 4
         : PARTS <= 8 ? 8
                      : 16,
};
static_assert(PARTS <= EACH, "threads have all points of an octant");

/* Pairs of numbers. */
template <class T> struct pair_of;
template <> struct pair_of<double> { typedef double2 type; };
template <> struct pair_of<float> { typedef float2 type; };

/* N fields to be combined, by value. */
template <int N, class T> struct operands {
  static constexpr int n = N;
  typedef T number;
  typedef typename pair_of<T>::type pair;
  const T *f[TX_COMBINATION_FIELDS];
  T a[TX_COMBINATION_FIELDS];
};

/* Return the blocks of an octant, each for THREADS * PAIRS pairs. */
static int parts_of(const tx_field *f) {
  return (f->n_vars * (TX_N3 / 2) + THREADS * PAIRS - 1) / (THREADS * PAIRS);
}

/* Combine fields: out = \sum a_i f_i; of no field: out = a_0. */
template <class Operands>
static __global__ void __launch_bounds__(THREADS)
    combine(const tx_lidx *octants, int parts, int n_vars, const __grid_constant__ Operands o,
            typename Operands::number *out) {
  typedef typename Operands::pair two;
  const tx_lidx b = octants[blockIdx.x / (unsigned)parts];
  const int part = (int)(blockIdx.x % (unsigned)parts), pairs = n_vars * (TX_N3 / 2);
  const size_t start = (size_t)b * (size_t)pairs;
#pragma unroll
  for (int n = 0; n < PAIRS; n++) {
    const int pair = (part * PAIRS + n) * THREADS + (int)threadIdx.x;
    if (pair >= pairs) break;
    const size_t at = start + (size_t)pair;
    two sum = {o.a[0], o.a[0]};
#pragma unroll
    for (int m = 0; m < Operands::n; m++) {
      const two f = reinterpret_cast<const two *>(o.f[m])[at];
      if (m == 0) {
        sum.x *= f.x;
        sum.y *= f.y;
      } else {
        sum.x = tx_cuda_fma(o.a[m], f.x, sum.x);
        sum.y = tx_cuda_fma(o.a[m], f.y, sum.y);
      }
    }
    reinterpret_cast<two *>(out)[at] = sum;
  }
}

template <int N, class T>
static tx_status combine_run(const tx_set *set, const tx_combination *c, tx_field *out) {
  typedef operands<N, T> O;
  const int parts = parts_of(out);
  const double values = (double)set->n * TX_N3 * out->n_vars;
  O o = {};
  T *to;
  o.a[0] = (T)c->a[0];
  for (int i = 0; i < N; i++) {
    tx_cuda_numbers<T> f;
    TX_TRY(tx_cuda_values_of(c->f[i], &f));
    o.f[i] = f.data;
    o.a[i] = (T)c->a[i];
  }
  TX_TRY(tx_cuda_target(out, &to));
  TX_CUDA_RUN_WORK(tx_cuda_work_of(2.0 * N * values, (N + 1.0) * sizeof(T) * values), combine<O>,
                   (size_t)set->n * (size_t)parts, THREADS, 0, tx_cuda_stream.compute,
                   tx_cuda_set_of(set)->octant, parts, out->n_vars, o, to);
  return TX_OK;
}

template <class T>
static tx_status combine_of(const tx_set *set, const tx_combination *c, tx_field *out) {
  static tx_status (*const run[])(const tx_set *, const tx_combination *, tx_field *) = {
      combine_run<0, T>, combine_run<1, T>, combine_run<2, T>, combine_run<3, T>, combine_run<4, T>,
      combine_run<5, T>, combine_run<6, T>, combine_run<7, T>, combine_run<8, T>};
  static_assert(sizeof run / sizeof run[0] == TX_COMBINATION_FIELDS + 1, "one for each number");
  return run[c->n](set, c, out);
}

tx_status tx_cuda_combine(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out) {
  (void)x;
  return out->single ? combine_of<float>(set, c, out) : combine_of<double>(set, c, out);
}

tx_status tx_cuda_fill(tx_exec *x, const tx_set *set, double value, tx_field *out) {
  tx_combination none = {};
  none.a[0] = value;
  return tx_cuda_combine(x, set, &none, out);
}

/* Pairs of an octant of one variable. */
enum { OCTANT_PAIRS = TX_N3 / 2 };

/* Round a field to single precision; a block has an octant. */
static __global__ void __launch_bounds__(THREADS)
    narrow(const tx_lidx *octants, double a, const double *f, float *out) {
  const size_t start = (size_t)octants[blockIdx.x] * OCTANT_PAIRS;
  for (unsigned n = threadIdx.x; n < OCTANT_PAIRS; n += THREADS) {
    const double2 value = reinterpret_cast<const double2 *>(f)[start + n];
    const float2 rounded = {(float)(a * value.x), (float)(a * value.y)};
    reinterpret_cast<float2 *>(out)[start + n] = rounded;
  }
}

/* Add a field in single precision to one in double precision. */
static __global__ void __launch_bounds__(THREADS)
    widen(const tx_lidx *octants, double a, const float *f, double *out) {
  const size_t start = (size_t)octants[blockIdx.x] * OCTANT_PAIRS;
  for (unsigned n = threadIdx.x; n < OCTANT_PAIRS; n += THREADS) {
    const float2 value = reinterpret_cast<const float2 *>(f)[start + n];
    double2 sum = reinterpret_cast<double2 *>(out)[start + n];
    sum.x = tx_cuda_fma(a, (double)value.x, sum.x);
    sum.y = tx_cuda_fma(a, (double)value.y, sum.y);
    reinterpret_cast<double2 *>(out)[start + n] = sum;
  }
}

/* Return the work of an operation at each point that moves so many bytes. */
static tx_cuda_work octants_work(const tx_set *set, size_t bytes) {
  const double values = (double)set->n * TX_N3;
  return tx_cuda_work_of(2.0 * values, (double)bytes * values);
}

tx_status tx_cuda_narrow(tx_exec *x, const tx_set *set, double a, const tx_field *f,
                         tx_field *out) {
  (void)x;
  tx_cuda_values values;
  float *to;
  TX_TRY(tx_cuda_values_of(f, &values));
  TX_TRY(tx_cuda_target(out, &to));
  TX_CUDA_RUN_WORK(octants_work(set, sizeof(double) + sizeof(float)), narrow, (size_t)set->n,
                   THREADS, 0, tx_cuda_stream.compute, tx_cuda_set_of(set)->octant, a, values.data,
                   to);
  return TX_OK;
}

tx_status tx_cuda_widen(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out) {
  (void)x;
  tx_cuda_singles values;
  tx_cuda_values before; /* asked for to upload the host's values */
  double *to;
  TX_TRY(tx_cuda_values_of(f, &values));
  TX_TRY(tx_cuda_values_of(out, &before));
  TX_TRY(tx_cuda_target(out, &to));
  TX_CUDA_RUN_WORK(octants_work(set, 2 * sizeof(double) + sizeof(float)), widen, (size_t)set->n,
                   THREADS, 0, tx_cuda_stream.compute, tx_cuda_set_of(set)->octant, a, values.data,
                   to);
  return TX_OK;
}

/* Arguments of a function, by value. */
template <class T> struct call {
  const T *in[TX_POINTWISE_FIELDS];
  T *out;
  int times; /* applications at a point */
  double p[TX_POINTWISE_PARAMETERS];
};

/* Pointwise functions as types: numbers of variables taken and given, and the function. */
#define P(enumerator, name, a, b, c, d, n_gives, parameters, text)                                 \
  struct function_##name {                                                                         \
    typedef double number;                                                                         \
    static constexpr int takes[TX_POINTWISE_FIELDS] = {a, b, c, d}, all = a + b + c + d,           \
                         gives = n_gives;                                                          \
    static __device__ __forceinline__ void apply(const double *u, const double *p, double *out) {  \
      tx_pointwise_##name(u, p, out);                                                              \
    }                                                                                              \
  };                                                                                               \
  struct single_##name : function_##name {                                                         \
    typedef float number;                                                                          \
  };
#include "physics/pointwise.def"
#undef P

/* Gather the variables that application number `time` takes at point n of octant b. */
template <class F>
static __device__ __forceinline__ void gather(const call<typename F::number> &c, tx_lidx b,
                                              int time, int n, double u[F::all]) {
  int m = 0;
#pragma unroll
  for (int i = 0; i < TX_POINTWISE_FIELDS; i++) {
    constexpr int takes[] = {F::takes[0], F::takes[1], F::takes[2], F::takes[3]};
    const size_t first = ((size_t)b * (size_t)c.times + (size_t)time) * (size_t)takes[i];
#pragma unroll
    for (int v = 0; v < takes[i]; v++) u[m++] = c.in[i][(first + (size_t)v) * TX_N3 + (size_t)n];
  }
}

/* Apply a function once at one point; a thread. */
template <class F>
static __global__ void __launch_bounds__(THREADS)
    pointwise(const tx_lidx *octants, const __grid_constant__ call<typename F::number> c) {
  const unsigned times = (unsigned)c.times;
  const tx_lidx b = octants[blockIdx.x / (PARTS * times)];
  const int time = (int)(blockIdx.x / PARTS % times);
  const int n = (int)(blockIdx.x % PARTS * THREADS + threadIdx.x);
  if (!tx_cuda_in_octant(THREADS, n)) return;
  double u[F::all], out[F::gives];
  gather<F>(c, b, time, n, u);
  F::apply(u, c.p, out);
  const size_t first = ((size_t)b * times + (size_t)time) * F::gives;
#pragma unroll
  for (int v = 0; v < F::gives; v++)
    c.out[(first + (size_t)v) * TX_N3 + (size_t)n] = (typename F::number)out[v];
}

/* Run a function, with this prefix, over the octants of a set. */
#define RUN_POINTWISE(prefix, name)                                                                \
  TX_CUDA_RUN(pointwise<prefix##name>, blocks, THREADS, 0, tx_cuda_stream.compute,                 \
              tx_cuda_set_of(set)->octant, c)

static tx_status pointwise_run(const tx_set *set, tx_pointwise function, const call<double> &c,
                               size_t blocks) {
  switch (function) {
#define P(enumerator, name, ...)                                                                   \
  case TX_POINTWISE_##enumerator:                                                                  \
    RUN_POINTWISE(function_, name);                                                                \
    break;
#include "physics/pointwise.def"
#undef P
  case TX_POINTWISES:
    break;
  }
  return TX_OK;
}

static tx_status pointwise_run(const tx_set *set, tx_pointwise function, const call<float> &c,
                               size_t blocks) {
  switch (function) {
#define P(enumerator, name, ...)                                                                   \
  case TX_POINTWISE_##enumerator:                                                                  \
    RUN_POINTWISE(single_, name);                                                                  \
    break;
#include "physics/pointwise.def"
#undef P
  case TX_POINTWISES:
    break;
  }
  return TX_OK;
}

template <class T>
static tx_status pointwise_of(const tx_set *set, const tx_pointwise_call *asked, tx_field *out) {
  call<T> c = {};
  for (int i = 0; i < TX_POINTWISE_FIELDS && asked->in[i]; i++) {
    tx_cuda_numbers<T> values;
    TX_TRY(tx_cuda_values_of(asked->in[i], &values));
    c.in[i] = values.data;
  }
  memcpy(c.p, asked->p, sizeof c.p);
  c.times = out->n_vars / tx_pointwises[asked->function].gives;
  TX_TRY(tx_cuda_target(out, &c.out));
  return pointwise_run(set, asked->function, c, (size_t)set->n * (size_t)c.times * PARTS);
}

tx_status tx_cuda_pointwise(tx_exec *x, const tx_set *set, const tx_pointwise_call *asked,
                            tx_field *out) {
  (void)x;
  return out->single ? pointwise_of<float>(set, asked, out) : pointwise_of<double>(set, asked, out);
}

/* Domain of sums, by value: a block has one variable of one octant. */
struct domain {
  const tx_cuda_place *places;
  const tx_lidx *octants;
  unsigned n_vars;
  uint32_t reflected; /* dimensions */

  __device__ __forceinline__ tx_lidx octant() const { return octants[blockIdx.x / n_vars]; }
  /* First value of the block's variable. */
  __device__ __forceinline__ size_t start() const {
    return ((size_t)octant() * n_vars + blockIdx.x % n_vars) * TX_N3;
  }
};

/* Count the mirror images of point n of the block's octant, itself included. */
static __device__ __forceinline__ double mirror_images(const domain &all, int n) {
  const tx_cuda_place &place = all.places[all.octant()];
  const int at[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
  double product = 1.0;
#pragma unroll
  for (int d = 0; d < 3; d++)
    product *= tx_norm_images(all.reflected >> d & 1, place.x0[d] == 0.0, 0, d, at[d]);
  return product;
}

struct add {
  static __device__ __forceinline__ double of(double a, double b) { return a + b; }
};
struct larger {
  static __device__ __forceinline__ double of(double a, double b) { return tx_larger(a, b); }
};

/* Reduce numbers of all points of an octant, EACH a thread, in a fixed order, halving after
 * halving, which keeps rounding small. The result is thread 0's. The whole block calls it. */
template <class Two> static __device__ __forceinline__ double reduce(double t[EACH]) {
  __shared__ double of_warp[WARPS];
#pragma unroll
  for (int half = EACH / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; i++) t[i] = Two::of(t[i], t[half + i]);
  double number = t[0];
#pragma unroll
  for (int lanes = 16; lanes; lanes >>= 1)
    number = Two::of(number, __shfl_xor_sync(0xffffffffu, number, lanes));
  __syncthreads(); /* of_warp may still be read by thread 0 of a call before */
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = number;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < WARPS; w++) number = Two::of(number, of_warp[w]);
  return number;
}

static __global__ void __launch_bounds__(THREADS)
    dot(domain all, const double *f, const double *g, double *parts) {
  const size_t start = all.start();
  double terms[EACH];
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int n = i * THREADS + (int)threadIdx.x;
    terms[i] = 0.0;
    if (tx_cuda_in_octant(THREADS, n))
      terms[i] = mirror_images(all, n) * (f[start + (size_t)n] * g[start + (size_t)n]);
  }
  const double sum = reduce<add>(terms);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(THREADS)
    norms(domain all, const double *f, tx_field_part *parts) {
  const size_t start = all.start();
  double squares[EACH], integral[EACH], sum[EACH], max[EACH];
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int n = i * THREADS + (int)threadIdx.x;
    const double value = tx_cuda_in_octant(THREADS, n) ? f[start + (size_t)n] : 0.0,
                 weight = mirror_images(all, n);
    squares[i] = weight * (value * value);
    integral[i] = weight * value;
    sum[i] = value;
    max[i] = fabs(value);
  }
  const tx_field_part part = {reduce<add>(squares), reduce<add>(integral), reduce<add>(sum),
                              reduce<larger>(max)};
  if (threadIdx.x == 0) parts[blockIdx.x] = part;
}

static domain domain_of(const tx_exec *x, const tx_set *set, const tx_field *f) {
  domain all = {tx_cuda_of(x)->mesh.place, tx_cuda_set_of(set)->octant, (unsigned)f->n_vars, 0};
  for (int d = 0; d < 3; d++)
    if (x->mesh->domain.low[d] == TX_FACE_REFLECT) all.reflected |= 1u << d;
  return all;
}

/* Fetch a kernel's results from the scratch to `parts` on the host. */
static tx_status fetch_parts(const tx_cuda *c, size_t bytes, void *parts) {
  if (bytes == 0) return TX_OK;
  TX_CUDA(cudaMemcpyAsync(c->numbers, c->scratch, bytes, cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  memcpy(parts, c->numbers, bytes);
  return TX_OK;
}

tx_status tx_cuda_dot(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                      double *parts) {
  const tx_cuda *c = tx_cuda_of(x);
  const size_t blocks = (size_t)set->n * (size_t)f->n_vars, bytes = blocks * sizeof *parts;
  tx_cuda_values a, b;
  TX_TRY(tx_cuda_values_of(f, &a));
  TX_TRY(tx_cuda_values_of(g, &b));
  TX_TRY(tx_cuda_scratch(x, bytes));
  TX_CUDA_RUN(dot, blocks, THREADS, 0, tx_cuda_stream.compute, domain_of(x, set, f), a.data, b.data,
              static_cast<double *>(c->scratch));
  return fetch_parts(c, bytes, parts);
}

tx_status tx_cuda_norms(tx_exec *x, const tx_set *set, const tx_field *f, tx_field_part *parts) {
  const tx_cuda *c = tx_cuda_of(x);
  const size_t blocks = (size_t)set->n * (size_t)f->n_vars, bytes = blocks * sizeof *parts;
  tx_cuda_values values;
  TX_TRY(tx_cuda_values_of(f, &values));
  TX_TRY(tx_cuda_scratch(x, bytes));
  TX_CUDA_RUN(norms, blocks, THREADS, 0, tx_cuda_stream.compute, domain_of(x, set, f), values.data,
              static_cast<tx_field_part *>(c->scratch));
  return fetch_parts(c, bytes, parts);
}

/* Add the squares of an octant to the sum of all, and raise the largest magnitude: numbers that
 * are not negative are ordered as their bits. */
static __global__ void __launch_bounds__(THREADS)
    squares(domain all, const double *f, tx_squares *out) {
  const size_t start = all.start();
  double terms[EACH], max[EACH];
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    const int n = i * THREADS + (int)threadIdx.x;
    const double value = tx_cuda_in_octant(THREADS, n) ? f[start + (size_t)n] : 0.0;
    terms[i] = mirror_images(all, n) * (value * value);
    max[i] = fabs(value);
  }
  const double sum = reduce<add>(terms), most = reduce<larger>(max);
  if (threadIdx.x > 0) return;
  const bool good = isfinite(sum) && isfinite(most);
  atomicMax(reinterpret_cast<unsigned long long *>(&out->max),
            (unsigned long long)__double_as_longlong(good ? most : (double)INFINITY));
  if (!good) return;
  int64_t part[3];
  const int first = tx_exact_sum_split(sum, part);
  for (int i = 0; i < 3; i++)
    if (part[i] != 0)
      atomicAdd(reinterpret_cast<unsigned long long *>(&out->sum.limb[first + i]),
                (unsigned long long)part[i]);
}

tx_status tx_cuda_squares(int n, tx_field *const f[], tx_squares out[]) {
  const size_t bytes = (size_t)n * sizeof *out;
  tx_exec *x = f[0]->x;
  TX_TRY(tx_cuda_scratch(x, bytes));
  tx_squares *there = static_cast<tx_squares *>(tx_cuda_of(x)->scratch);
  TX_CUDA(cudaMemsetAsync(there, 0, bytes, tx_cuda_stream.compute));
  for (int i = 0; i < n; i++) {
    const tx_set *all = f[i]->x->all;
    tx_cuda_values values;
    TX_TRY(tx_cuda_values_of(f[i], &values));
    TX_CUDA_RUN(squares, (size_t)all->n, THREADS, 0, tx_cuda_stream.compute,
                domain_of(f[i]->x, all, f[i]), values.data, there + i);
  }
  return fetch_parts(tx_cuda_of(x), bytes, out);
}
