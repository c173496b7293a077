/* The coarsest level where it is one octant: all steps of a semi-iteration by one block, in shared memory. */
#include "cuda/kernels/star.cuh"

/* Points, ghosts behind faces and lines across outer faces of a thread. */
enum {
  THREADS = TX_N <= 8 ? TX_N3 : 1024,
  POINTS = TX_N3 / THREADS,
  SIDE = TX_N * TX_N,
  GHOSTS = (6 * TX_K * SIDE + THREADS - 1) / THREADS,
  LINES = (6 * SIDE + THREADS - 1) / THREADS
};
static_assert(TX_N3 % THREADS == 0, "every thread has as many points");

/* What does not change, by value. */
struct operands {
  tx_laplace_weights l;
  tx_semi_iteration chebyshev;
  tx_robin law;
  bool robin; /* else polynomials */
  const double *q, *f;
  double *u;
};

/* A ghost behind a face that is no outer one: the octant's own point `from`, places in the patch; to < 0: none. */
struct ghost {
  int16_t from, to;
};

/* Ghost n of all, which are those of face 0, of face 1 and so on. */
static __device__ __forceinline__ ghost ghost_of(const tx_cuda_region *regions, int n) {
  const int face = n / (TX_K * SIDE), d = face / 2, out = n / SIDE % TX_K, at = n % SIDE;
  int p[3];
  p[d] = face % 2 ? TX_N + out : -1 - out;
  p[d == 0 ? 1 : 0] = at % TX_N;
  p[d == 2 ? 1 : 2] = at / TX_N;
  if (face > 5) return {0, -1};
  const tx_cuda_region &r = regions[tx_cuda_region_of(p[0], p[1], p[2])];
  if (r.source == TX_CUDA_OUTER) return {0, -1};
  const int own = p[2] * r.z + p[1] * r.y + p[0] * r.x + r.offset;
  return {(int16_t)TX_PATCH_AT(own % TX_N, own / TX_N % TX_N, own / (TX_N * TX_N)),
          (int16_t)TX_PATCH_AT(p[0], p[1], p[2])};
}

/* A line across an outer face: its outermost point inside and the way to the next one; in < 0 at upper faces; in = 0: none. The
 * ghosts are sums of the points inside: at lower faces of Robin's law, and all but the first one at upper ones, of one. */
struct line {
  int edge, in, first; /* first: the point that ghost 2 is made of */
  double weight[TX_OUTER_POINTS], ratio[TX_K];
};
static_assert(TX_N >= TX_OUTER_POINTS, "the points inside are the octant's own");

static __device__ inline line line_of(const tx_cuda_place &place, const tx_robin &law, int n) {
  const int face = n / SIDE, d = face / 2, side = face % 2, at = n % SIDE;
  const int stride = d == 0 ? 1 : d == 1 ? TX_P : TX_P * TX_P;
  int p[3];
  line l;
  p[d] = side ? TX_N - 1 : 0;
  p[d == 0 ? 1 : 0] = at % TX_N;
  p[d == 2 ? 1 : 2] = at / TX_N;
  l.edge = TX_PATCH_AT(p[0], p[1], p[2]);
  l.in = face > 5 || !(place.outer & TX_FACE_BIT(d, side)) ? 0 : side ? -stride : stride;
  if (l.in == 0) return l;
  const tx_robin_line across = tx_cuda_robin_line(place, d, side, p);
  l.first = tx_robin_source(&across, 1);
#pragma unroll
  for (int j = 0; j < TX_OUTER_POINTS; j++)
    l.weight[j] = tx_robin_weight(j) * tx_robin_ratio(&law, &across, j, -1) / 147.0;
#pragma unroll
  for (int g = 0; g < TX_K; g++) {
    const int source = tx_robin_source(&across, g);
    l.ratio[g] = source < 0 ? 0.0 : tx_robin_ratio(&law, &across, source, -(g + 1));
  }
  return l;
}

static __device__ __forceinline__ void go_on(const line &l, const operands &o, double *patch) {
  if (l.in == 0) return;
  double *edge = patch + l.edge;
  if (!o.robin) {
    tx_cuda_outer_line(edge, l.in);
    return;
  }
  double sum = 0.0;
#pragma unroll
  for (int j = 0; j < TX_OUTER_POINTS; j++)
    sum = fma(l.weight[j], edge[j * l.in] - o.law.infinity, sum);
  if (l.first > 1) /* the outermost point lies on the face */
    sum = l.ratio[0] * (edge[l.in] - o.law.infinity);
  edge[-l.in] = o.law.infinity + sum;
#pragma unroll
  for (int g = 1; g < TX_K; g++)
    edge[-(g + 1) * l.in] =
        fma(l.ratio[g], edge[(l.first + g - 1) * l.in] - o.law.infinity, o.law.infinity);
}

static __global__ void __launch_bounds__(THREADS)
    relax_alone(const tx_cuda_mesh m, const __grid_constant__ operands o) {
  TX_SHARED(double, patch);
  const tx_cuda_place &place = m.place[0];
  const double per_h2 = 1.0 / (place.h * place.h);
  double q[POINTS], f[POINTS], per_d[POINTS], change[POINTS];
  ghost ghosts[GHOSTS];
  line lines[LINES];
  int at[POINTS];
#pragma unroll
  for (int n = 0; n < POINTS; n++) {
    const int p = (int)threadIdx.x + n * THREADS;
    at[n] = TX_PATCH_AT(p % TX_N, p / TX_N % TX_N, p / (TX_N * TX_N));
    q[n] = o.q[p];
    f[n] = o.f[p];
    per_d[n] = 1.0 / (3.0 * o.l.w[0] * per_h2 + q[n]);
    change[n] = 0.0;
    patch[at[n]] = o.u[p];
  }
#pragma unroll
  for (int n = 0; n < GHOSTS; n++) ghosts[n] = ghost_of(m.region, (int)threadIdx.x + n * THREADS);
#pragma unroll
  for (int n = 0; n < LINES; n++) lines[n] = line_of(place, o.law, (int)threadIdx.x + n * THREADS);
  tx_semi_iteration_step s = tx_semi_iteration_first(&o.chebyshev);
  for (int i = 0; i < o.chebyshev.n; i++) {
    __syncthreads();
#pragma unroll
    for (int n = 0; n < GHOSTS; n++)
      if (ghosts[n].to >= 0) patch[ghosts[n].to] = patch[ghosts[n].from];
#pragma unroll
    for (int n = 0; n < LINES; n++) go_on(lines[n], o, patch);
    __syncthreads();
#pragma unroll
    for (int n = 0; n < POINTS; n++) {
      const double *here = patch + at[n];
      const double r = f[n] - fma(q[n], *here, per_h2 * tx_cuda_laplace(o.l, here));
      change[n] = fma(s.alpha, change[n], s.beta * (r * per_d[n]));
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < POINTS; n++) patch[at[n]] += change[n];
    s = tx_semi_iteration_next(&o.chebyshev, &s);
  }
#pragma unroll
  for (int n = 0; n < POINTS; n++) o.u[(int)threadIdx.x + n * THREADS] = patch[at[n]];
}

tx_status tx_cuda_relax_alone(tx_exec *x, const tx_helmholtz *equation, const tx_semi_iteration *c,
                              tx_field *u) {
  const int shared = TX_P3 * (int)sizeof(double);
  operands o = {};
  tx_cuda_values q, f;
  TX_TRY(tx_cuda_values_of(equation->q, &q));
  TX_TRY(tx_cuda_values_of(equation->f, &f));
  TX_TRY(tx_cuda_target(u, &o.u));
  o.l = tx_laplace_weights_make(equation->order);
  o.chebyshev = *c;
  o.law = {u->var[0].infinity, u->var[0].falloff};
  o.robin = u->robin & 1u;
  o.q = q.data;
  o.f = f.data;
  const double steps = (double)c->n * TX_N3;
  TX_CUDA(cudaFuncSetAttribute(relax_alone, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  TX_CUDA_RUN_WORK(tx_cuda_work_of(30.0 * steps, 0.0), relax_alone, (size_t)x->mesh->n_local,
                   THREADS, shared, tx_cuda_stream.compute, tx_cuda_of(x)->mesh, o);
  return TX_OK;
}
