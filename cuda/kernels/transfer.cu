/* Remap to a new mesh: octants are copied, prolonged or restricted. */
#include "cuda/kernels/interpolate.cuh"
#include "cuda/kernels/patch.cuh"

enum {
  THREADS = 256,
  VARS_AT_ONCE = 4, /* of an octant, by one block */
  HALF = TX_N / 2,
  REACH = TX_MIDPOINT_REACH,
  NEED = HALF + TX_INTERP_POINTS - 1 /* coarse points a row of a child needs */
};

/* Return the fine point `odd` steps above coarse point 0 of a line: the point itself, or the
 * midpoint after it. */
static __device__ __forceinline__ double between(const double *line, int stride, int odd) {
  if (!odd) return line[0];
  double w[TX_INTERP_POINTS];
#pragma unroll
  for (int t = 0; t < TX_INTERP_POINTS; t++) w[t] = line[(t - REACH) * stride];
  return tx_cuda_midpoint(w);
}

/* Prolong one variable to child `c` (x + 2y + 4z) of the octant that `patch` belongs to,
 * dimension after dimension: z from the patch to `planes` [TX_N][NEED][NEED], y from there to
 * `rows` [TX_N][TX_N][NEED], x to `out`. */
static __device__ void prolong(unsigned c, const double *patch, double *planes, double *rows,
                               double *out) {
  const double *corner =
      patch + TX_PATCH_AT((int)(c & 1u) * HALF - REACH, (int)(c >> 1 & 1u) * HALF - REACH,
                          (int)(c >> 2 & 1u) * HALF);
  for (int n = (int)threadIdx.x; n < TX_N * NEED * NEED; n += THREADS) {
    const int i = n % NEED, j = n / NEED % NEED, k = n / (NEED * NEED);
    planes[n] = between(corner + (k / 2 * TX_P + j) * TX_P + i, TX_P * TX_P, k % 2);
  }
  __syncthreads();
  for (int n = (int)threadIdx.x; n < TX_N * TX_N * NEED; n += THREADS) {
    const int i = n % NEED, j = n / NEED % TX_N, k = n / (NEED * TX_N);
    rows[n] = between(planes + (k * NEED + j / 2 + REACH) * NEED + i, NEED, j % 2);
  }
  __syncthreads();
  for (int n = (int)threadIdx.x; n < TX_N3; n += THREADS)
    out[n] = between(rows + n / TX_N * NEED + n % TX_N / 2 + REACH, 1, n % 2);
  __syncthreads();
}

/* Restrict one variable of eight octants that follow each other to their parent by injection,
 * `first` being of the first one and the next ones `block` numbers further. */
template <class T>
static __device__ void restrict_family(const T *first, int64_t block, double *out) {
  for (int n = (int)threadIdx.x; n < TX_N3; n += THREADS) {
    const int i = n % TX_N, j = n / TX_N % TX_N, k = n / (TX_N * TX_N);
    const int c = i / HALF + 2 * (j / HALF) + 4 * (k / HALF);
    out[n] = first[c * block + TX_AT(2 * (i % HALF), 2 * (j % HALF), 2 * (k % HALF))];
  }
}

static __device__ void copy_octant(const double *from, double *out) {
  const double2 *a = reinterpret_cast<const double2 *>(from);
  double2 *b = reinterpret_cast<double2 *>(out);
  for (int n = (int)threadIdx.x; n < TX_N3 / 2; n += THREADS) b[n] = a[n];
}

static __device__ void copy_octant(const float *from, double *out) {
  for (int n = (int)threadIdx.x; n < TX_N3; n += THREADS) out[n] = from[n];
}

/* Find the patch's box that child `c` needs; all of it where ghosts must be extrapolated. */
static __device__ void box_of(unsigned c, bool all, int low[3], int high[3]) {
  for (int d = 0; d < 3; d++) {
    low[d] = all ? -TX_K : (int)(c >> d & 1u) * HALF - REACH;
    high[d] = all ? TX_N + TX_K - 1 : low[d] + NEED - 1;
  }
}

/* Make a few variables of one octant of `remap` a block, into [n][n_vars][TX_N3]. */
template <class Values>
static __global__ void __launch_bounds__(THREADS)
    remap_octants(const tx_cuda_mesh m, const __grid_constant__ Values f,
                  const tx_octant_remap *remap, double *out) {
  TX_SHARED(double, patch);
  const unsigned groups = (unsigned)(f.n_vars + VARS_AT_ONCE - 1) / VARS_AT_ONCE;
  const size_t n = blockIdx.x / groups;
  const int first = (int)(blockIdx.x % groups) * VARS_AT_ONCE;
  const int last = first + VARS_AT_ONCE < f.n_vars ? first + VARS_AT_ONCE : f.n_vars;
  const tx_octant_remap origin = remap[n];
  const int64_t block = (int64_t)f.n_vars * TX_N3;
  const typename Values::number *from = f.data + origin.old * block;
  int low[3], high[3];
  for (int v = first; v < last; v++) {
    double *to = out + (int64_t)n * block + v * TX_N3;
    if (origin.change == TX_COARSEN_OCTANT) {
      restrict_family(from + v * TX_N3, block, to);
    } else if (origin.change == TX_REFINE_OCTANT) {
      box_of(origin.child, m.place[origin.old].outer != 0, low, high);
      tx_cuda_patch_load(m, f, origin.old, v, low, high, patch);
      prolong(origin.child, patch, patch + TX_P3, patch, to);
    } else {
      copy_octant(from + v * TX_N3, to);
    }
  }
}
static_assert(TX_N * TX_N * NEED <= TX_P3, "rows take the place of the patch");

/* Room behind a patch for planes, or for a child. */
enum { BEHIND = TX_N * NEED * NEED > TX_N3 ? TX_N *NEED *NEED : TX_N3 };

/* Make n octants of `remap`; `list` is on the device. */
template <class Values>
static tx_status make_run(const tx_exec *x, const Values &f, const tx_octant_remap *list, tx_lidx n,
                          double *out) {
  const size_t blocks = (size_t)n * (size_t)((f.n_vars + VARS_AT_ONCE - 1) / VARS_AT_ONCE);
  const int shared = (TX_P3 + TX_N * NEED * NEED) * (int)sizeof(double);
  TX_CUDA(cudaFuncSetAttribute(remap_octants<Values>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared));
  TX_CUDA_RUN(remap_octants<Values>, blocks, THREADS, shared, tx_cuda_stream.compute,
              tx_cuda_of(x)->mesh, f, list, out);
  return TX_OK;
}

/* Add to the octants of one child each: u += P v. */
template <class Values>
static __global__ void __launch_bounds__(THREADS)
    prolong_children(const tx_cuda_mesh m, const __grid_constant__ Values v,
                     const tx_cuda_child *list, typename Values::number *u) {
  typedef typename Values::number T;
  TX_SHARED(double, patch);
  const tx_cuda_child c = list[blockIdx.x];
  T *to = u + (size_t)c.child * TX_N3, before[TX_CUDA_PARTS(THREADS)];
  int low[3], high[3];
#pragma unroll
  for (int n = 0; n < TX_CUDA_PARTS(THREADS); n++) {
    const int p = (int)threadIdx.x + n * THREADS;
    before[n] = tx_cuda_in_octant(THREADS, p) ? to[p] : (T)0;
  }
  box_of(c.number, m.place[c.parent].outer != 0, low, high);
  tx_cuda_patch_load(m, v, c.parent, 0, low, high, patch);
  prolong(c.number, patch, patch + TX_P3, patch, patch + TX_P3);
#pragma unroll
  for (int n = 0; n < TX_CUDA_PARTS(THREADS); n++) {
    const int p = (int)threadIdx.x + n * THREADS;
    if (tx_cuda_in_octant(THREADS, p)) to[p] = (T)(before[n] + patch[TX_P3 + p]);
  }
}

template <class Values>
static tx_status prolong_run(const tx_exec *coarse, const Values &v, const tx_cuda_child *list,
                             tx_lidx n, typename Values::number *u) {
  const int shared = (TX_P3 + BEHIND) * (int)sizeof(double);
  const double values = (double)n * TX_N3;
  TX_CUDA(cudaFuncSetAttribute(prolong_children<Values>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  TX_CUDA_RUN_WORK(tx_cuda_work_of(0.0, 2.125 * sizeof *u * values), prolong_children<Values>,
                   (size_t)n, THREADS, shared, tx_cuda_stream.compute, tx_cuda_of(coarse)->mesh, v,
                   list, u);
  return TX_OK;
}

template <class T>
static tx_status prolong_of(const tx_cuda_child *list, tx_lidx n, const tx_field *v, tx_field *u) {
  tx_cuda_patched_numbers<T> values;
  T *to;
  TX_TRY(tx_cuda_patched_of(v, &values));
  TX_TRY(tx_cuda_target(u, &to));
  return values.robin ? prolong_run(v->x, values, list, n, to)
                      : prolong_run<tx_cuda_numbers<T>>(v->x, values, list, n, to);
}

tx_status tx_cuda_children_prolong(const tx_cuda_child *list, tx_lidx n, const tx_field *v,
                                   tx_field *u) {
  return v->single ? prolong_of<float>(list, n, v, u) : prolong_of<double>(list, n, v, u);
}

template <class T>
static tx_status remap_of(tx_exec *x, const tx_field *f, const tx_octant_remap *remap, tx_lidx n,
                          double *out) {
  tx_cuda_patched_numbers<T> values;
  tx_octant_remap *list = NULL;
  if (n == 0) return TX_OK;
  TX_TRY(tx_cuda_patched_of(f, &values));
  TX_TRY(tx_cuda_upload(remap, (size_t)n * sizeof *remap, "redistributed octants", &list));
  TX_TRY(values.robin ? make_run(x, values, list, n, out)
                      : make_run<tx_cuda_numbers<T>>(x, values, list, n, out));
  tx_cuda_free(list);
  return TX_OK;
}

tx_status tx_cuda_remap(tx_exec *x, const tx_field *f, const tx_octant_remap *remap, tx_lidx n,
                        double *out) {
  return f->single ? remap_of<float>(x, f, remap, n, out) : remap_of<double>(x, f, remap, n, out);
}
