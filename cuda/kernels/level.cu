/* Operations between levels: combine stored stages, put points of children into their parents,
 * scatter octants. */
#include "cuda/backend.cuh"

enum { THREADS = 256, HALF = TX_N / 2 };
static_assert(TX_CUDA_CHILD == HALF * HALF * HALF, "every second point of a child");

/* Stored stages of a combination and their coefficients, those that are not 0. */
struct terms {
  tx_cuda_stored_stage state[TX_STORED_STAGES];
  double c[TX_STORED_STAGES];
};

/* Return number i of the combination, of received or interpolated points; terms are added in
 * their order. */
template <int N>
static __device__ __forceinline__ double combined(const terms &t, bool here, int64_t i) {
  double value[N];
#pragma unroll
  for (int k = 0; k < N; k++) value[k] = __ldg((here ? t.state[k].here : t.state[k].received) + i);
  double sum = t.c[0] * value[0];
#pragma unroll
  for (int k = 1; k < N; k++) sum = fma(t.c[k], value[k], sum);
  return sum;
}

/* Write box c of the combination to its place; the first e.received points were received. */
template <int N>
static __device__ __forceinline__ void combine_box(const terms &t, const tx_cuda_copy &c,
                                                   const tx_cuda_level_boundary_parts &e) {
  const int n_vars = e.n_vars;
  const int64_t received = e.received;
  const int n0 = c.n[0], n1 = c.n[1], points = n0 * n1 * c.n[2];
  const bool here = c.from >= received;
  const int64_t from = n_vars * (c.from - (here ? received : 0)) + c.from_offset;
  const int64_t to = n_vars * c.to + c.to_offset;
  for (int q = (int)threadIdx.x; q < n_vars * points; q += THREADS) {
    const int v = q / points, p = q % points;
    const int i = p % n0, j = p / n0 % n1, k = p / (n0 * n1);
    const int64_t at = to + (v * c.to_var + k * c.to_z + j * c.to_y + i);
    const double value =
        combined<N>(t, here, from + (v * c.from_var + k * c.from_z + j * c.from_y + i * c.from_x));
    if (e.data)
      e.data[at] = value;
    else
      e.single[at] = (float)value;
  }
}

/* Combine states: the first blocks write numbers [0, n) to `ghosts`, one a thread; then a block
 * a plane. */
template <int N>
static __global__ void __launch_bounds__(THREADS)
    combine(const __grid_constant__ terms t, int64_t n,
            const __grid_constant__ tx_cuda_level_boundary_parts e) {
  const int64_t first = (n + THREADS - 1) / THREADS, block = (int64_t)blockIdx.x;
  if (block >= first) {
    combine_box<N>(t, e.planes[block - first], e);
    return;
  }
  const int64_t i = block * THREADS + threadIdx.x, received = e.n_vars * e.received;
  const bool here = i >= received;
  if (i < n) e.ghosts[i] = combined<N>(t, here, here ? i - received : i);
}

template <int N>
static tx_status run_combination(const terms &t, const tx_cuda_level_boundary_parts *e,
                                 cudaStream_t stream) {
  const int64_t n = e->n_vars * e->points;
  TX_CUDA_RUN_WORK(tx_cuda_work_of(2.0 * N * n, (N + 1.0) * sizeof(double) * n), combine<N>,
                   (size_t)((n + THREADS - 1) / THREADS + e->n_planes), THREADS, 0, stream, t, n,
                   *e);
  return TX_OK;
}

tx_status tx_cuda_combine_states(const double c[TX_STORED_STAGES],
                                 const tx_cuda_stored_stage state[TX_STORED_STAGES],
                                 const tx_cuda_level_boundary_parts *e, cudaStream_t stream) {
  terms t = {};
  int count = 0;
  for (int k = 0; k < TX_STORED_STAGES; k++) {
    if (c[k] == 0.0) continue;
    t.state[count] = state[k];
    t.c[count++] = c[k];
  }
  static_assert(TX_STORED_STAGES == 5, "a case for each number of states");
  switch (count) {
  case 1:
    return run_combination<1>(t, e, stream);
  case 2:
    return run_combination<2>(t, e, stream);
  case 3:
    return run_combination<3>(t, e, stream);
  case 4:
    return run_combination<4>(t, e, stream);
  default:
    return run_combination<5>(t, e, stream);
  }
}

/* Places of every second point of one octant, or of the points of one child in its parent: (i,
 * j, k) at at[k * z + j * y + i * x]. */
template <class T> struct points {
  T *at;
  int x, y, z, var;
};

template <class T>
static __device__ __forceinline__ points<T> child_points(T *data, int n_vars, tx_lidx b) {
  return {data + (size_t)b * (size_t)n_vars * TX_N3, 2, 2 * TX_N, 2 * TX_N * TX_N, TX_N3};
}

template <class T>
static __device__ __forceinline__ points<T> parent_points(T *data, int n_vars,
                                                          const tx_cuda_child &c) {
  const int corner =
      TX_AT((c.number & 1) * HALF, (c.number >> 1 & 1) * HALF, (c.number >> 2) * HALF);
  return {data + (size_t)c.parent * (size_t)n_vars * TX_N3 + corner, 1, TX_N, TX_N * TX_N, TX_N3};
}

static __device__ __forceinline__ points<double> dense_points(double *at) {
  return {at, 1, HALF, HALF * HALF, TX_CUDA_CHILD};
}

template <class From, class To>
static __device__ __forceinline__ void copy_points(const points<From> &from, const points<To> &to,
                                                   int n_vars) {
  for (int n = (int)threadIdx.x; n < n_vars * TX_CUDA_CHILD; n += THREADS) {
    const int v = n / TX_CUDA_CHILD, p = n % TX_CUDA_CHILD;
    const int i = p % HALF, j = p / HALF % HALF, k = p / (HALF * HALF);
    to.at[v * to.var + k * to.z + j * to.y + i * to.x] =
        (To)from.at[v * from.var + k * from.z + j * from.y + i * from.x];
  }
}

/* Copy the points of one child; a block. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
    inject(const tx_cuda_child *list, T *fine, int n_vars, T *coarse) {
  const tx_cuda_child c = list[blockIdx.x];
  copy_points(child_points(fine, n_vars, c.child), parent_points(coarse, n_vars, c), n_vars);
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    pack(const tx_cuda_child *list, T *fine, int n_vars, const tx_cuda_outputs sent) {
  const tx_cuda_child c = list[blockIdx.x];
  int64_t at = (int64_t)c.at * TX_CUDA_CHILD;
  double *base = sent.send;
  if (sent.outbox) {
    base = sent.outbox[c.message].base;
    at += sent.outbox[c.message].shift;
  }
  copy_points(child_points(fine, n_vars, c.child), dense_points(base + n_vars * at), n_vars);
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    unpack(const tx_cuda_child *list, double *received, int n_vars, T *coarse) {
  const tx_cuda_child c = list[blockIdx.x];
  double *at = received + (int64_t)n_vars * c.at * TX_CUDA_CHILD;
  copy_points(dense_points(at), parent_points(coarse, n_vars, c), n_vars);
}

/* Read-only values of a field, for the structure above. */
template <class T> static tx_status read_only(const tx_field *f, T **out) {
  tx_cuda_numbers<T> values;
  TX_TRY(tx_cuda_values_of(f, &values));
  *out = const_cast<T *>(values.data);
  return TX_OK;
}

static tx_cuda_work children_work(tx_lidx n, int n_vars) {
  return tx_cuda_copies((double)n * n_vars * TX_CUDA_CHILD);
}

template <class T>
static tx_status inject_of(const tx_cuda_child *list, tx_lidx n, const tx_field *f,
                           tx_field *coarse, cudaStream_t stream) {
  T *from, *to;
  TX_TRY(read_only(f, &from));
  TX_TRY(tx_cuda_target(coarse, &to));
  TX_CUDA_RUN_WORK(children_work(n, f->n_vars), inject<T>, (size_t)n, THREADS, 0, stream, list,
                   from, f->n_vars, to);
  return TX_OK;
}

tx_status tx_cuda_children_inject(const tx_cuda_child *list, tx_lidx n, const tx_field *f,
                                  tx_field *coarse, cudaStream_t stream) {
  return f->single ? inject_of<float>(list, n, f, coarse, stream)
                   : inject_of<double>(list, n, f, coarse, stream);
}

template <class T>
static tx_status pack_of(const tx_cuda_child *list, tx_lidx n, const tx_field *f,
                         tx_cuda_outputs sent, cudaStream_t stream) {
  T *from;
  TX_TRY(read_only(f, &from));
  TX_CUDA_RUN_WORK(children_work(n, f->n_vars), pack<T>, (size_t)n, THREADS, 0, stream, list, from,
                   f->n_vars, sent);
  return TX_OK;
}

tx_status tx_cuda_children_pack(const tx_cuda_child *list, tx_lidx n, const tx_field *f,
                                tx_cuda_outputs sent, cudaStream_t stream) {
  return f->single ? pack_of<float>(list, n, f, sent, stream)
                   : pack_of<double>(list, n, f, sent, stream);
}

template <class T>
static tx_status unpack_of(const tx_cuda_child *list, tx_lidx n, const double *received,
                           tx_field *coarse, cudaStream_t stream) {
  T *to;
  TX_TRY(tx_cuda_target(coarse, &to));
  TX_CUDA_RUN_WORK(children_work(n, coarse->n_vars), unpack<T>, (size_t)n, THREADS, 0, stream, list,
                   const_cast<double *>(received), coarse->n_vars, to);
  return TX_OK;
}

tx_status tx_cuda_children_unpack(const tx_cuda_child *list, tx_lidx n, const double *received,
                                  tx_field *coarse, cudaStream_t stream) {
  return coarse->single ? unpack_of<float>(list, n, received, coarse, stream)
                        : unpack_of<double>(list, n, received, coarse, stream);
}

/* Copy one octant; a block. */
static __global__ void __launch_bounds__(THREADS)
    scatter(const double *blocks, const tx_lidx *list, int n_vars, double *data) {
  const size_t block = (size_t)n_vars * TX_N3;
  const double2 *from = reinterpret_cast<const double2 *>(blocks + blockIdx.x * block);
  double2 *to = reinterpret_cast<double2 *>(data + (size_t)list[blockIdx.x] * block);
  for (size_t i = threadIdx.x; i < block / 2; i += THREADS) to[i] = from[i];
}

tx_status tx_cuda_prepare_store(tx_exec *level) {
  tx_cuda *c = tx_cuda_of(level);
  const tx_level_plan *plan = level->mesh->level;
  if (c->stored && c->stored_of == level->mesh->revision) return TX_OK;
  tx_cuda_free(c->stored);
  c->stored = NULL;
  c->stored_of = level->mesh->revision;
  return tx_cuda_upload(plan->leaf, (size_t)plan->n_stored * sizeof *plan->leaf, "octant lists",
                        &c->stored);
}

tx_status tx_cuda_scatter(tx_exec *level, const double *blocks, tx_lidx first, tx_lidx n,
                          tx_field *f) {
  double *data;
  if (n == 0) return TX_OK;
  TX_TRY(tx_cuda_target(f, &data));
  TX_CUDA_RUN_WORK(tx_cuda_copies((double)n * f->n_vars * TX_N3), scatter, (size_t)n, THREADS, 0,
                   tx_cuda_stream.compute, blocks, tx_cuda_of(level)->stored + first, f->n_vars,
                   data);
  return TX_OK;
}
