/* Samples of fields and Psi4 at points, on the side stream: the host waits for it while stages
 * go on. Points go to the GPU and results come back through page-locked memory that kernels read
 * and write. */
#include "cuda/kernels/extrapolate.cuh"
#include "cuda/kernels/patch.cuh"
#include "cuda/kernels/update.cuh"
#include "physics/lagrange_point.h"

enum { NODES = TX_JET_POINTS };

/* Room for the jets of a batch of points. */
#define BATCH_BYTES ((size_t)8 << 20)

/* Arguments of sampling: jets of the variables first .. first + n_vars - 1 of each point into
 * [point][out_vars][derivatives], variable `first` coming `out_first` places behind the start. */
typedef struct job {
  tx_cuda_mesh mesh;
  tx_cuda_values f;
  const tx_cuda_point *points;
  double *jets;
  int first, n_vars, out_first, out_vars;
} job;

/* Arguments of sampling a field with variables of TX_OUTER_ROBIN. Their ghosts beyond outer
 * faces are no sums with the same weights on each line: they are made one by one. */
struct robin_job : job {
  tx_cuda_patched patched;
};

/* Fold the weights of ghosts beyond outer faces, which are sums over points inside, into weights
 * of these points. Stencils stay NODES wide, but may begin elsewhere. low, high: whether the
 * octant's face there is outer. */
static __device__ int fold_outer(bool low, bool high, int first, double w[3][NODES]) {
  constexpr tx_outer_weights e = tx_outer_weights_make();
  static_assert(TX_N >= NODES, "a stencil must fit into an octant");
  low = low && first < 0;
  high = high && first + NODES > TX_N;
  if (!low && !high) return first;
  const int start = low ? 0 : TX_N - NODES;
  for (int a = 0; a < 3; a++) {
    double folded[NODES] = {0.0};
    for (int n = 0; n < NODES; n++) {
      const int p = first + n, ghost = low ? -p - 1 : p - TX_N;
      if (ghost < 0)
        folded[p - start] += w[a][n];
      else
        for (int j = 0; j < TX_OUTER_POINTS; j++)
          folded[low ? j : NODES - 1 - j] += w[a][n] * e.w[ghost][j];
    }
    for (int n = 0; n < NODES; n++) w[a][n] = folded[n];
  }
  return start;
}

/* Make dimension d of a point's stencil: weights and first point. Not inlined: the same bits for
 * all jets. */
static __device__ __noinline__ int line_make(const tx_cuda_place &place, const tx_cuda_point &p,
                                             int d, bool fold, double w[3][NODES]) {
  const int first = tx_lagrange_line((p.x[d] - place.x0[d]) / place.h, place.h, w);
  if (!fold) return first;
  return fold_outer(place.outer & TX_FACE_BIT(d, 0), place.outer & TX_FACE_BIT(d, 1), first, w);
}

static __constant__ int ORDER[10][3] = TX_JET_ORDERS;
static __constant__ int PAIR[3][3] = TX_JET_PAIRS;
static __constant__ int PAIR_ORDER[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {2, 0}};

/* Variables that a block works on at a time, with a thread for each node along x and z. */
enum { PLANE = NODES * NODES, VARS_AT_ONCE = 4, THREADS = PLANE * VARS_AT_ONCE };

/* Return the value of variable v at patch point (i, j, k) of an octant. */
static __device__ __forceinline__ double value_at(const job &s, tx_lidx b, int v, int i, int j,
                                                  int k) {
  return tx_cuda_read(s.mesh, s.f, s.mesh.region + (size_t)b * 27, v, i, j, k);
}
static __device__ __forceinline__ double value_at(const robin_job &s, tx_lidx b, int v, int i,
                                                  int j, int k) {
  const int at[3] = {i, j, k};
  return tx_cuda_read_beyond<3>(s.mesh, s.patched, b, v, at);
}

/* Sample a point; a block. Contract along y, then z, on rows along x, then x. */
template <int DERIVS, class Job>
static __global__ void __launch_bounds__(THREADS) sample_points(const Job s) {
  constexpr int orders = DERIVS == 1 ? 1 : DERIVS == 4 ? 2 : 3, pairs = DERIVS == 10 ? 6 : 3;
  __shared__ tx_cuda_point p;
  __shared__ double w[3][3][NODES], ys[VARS_AT_ONCE][orders][NODES][NODES],
      rows[VARS_AT_ONCE][6][NODES];
  __shared__ int first[3];
  const int t = (int)threadIdx.x, group = t / PLANE, k = t % PLANE / NODES, i = t % NODES;
  if (t < (int)(sizeof p / sizeof(double)))
    reinterpret_cast<double *>(&p)[t] = reinterpret_cast<const double *>(&s.points[blockIdx.x])[t];
  __syncthreads();
  if (t < 3)
    first[t] = line_make(s.mesh.place[p.octant], p, t, std::is_same<Job, job>::value, w[t]);
  __syncthreads();
  double *jets = s.jets + ((size_t)blockIdx.x * (size_t)s.out_vars + (size_t)s.out_first) * DERIVS;
  for (int v0 = 0; v0 < s.n_vars; v0 += VARS_AT_ONCE) {
    const int v = v0 + group, at = t % PLANE;
    if (v < s.n_vars) {
      double y[orders] = {0.0};
      for (int j = 0; j < NODES; j++) {
        const double value =
            value_at(s, p.octant, s.first + v, first[0] + i, first[1] + j, first[2] + k);
        for (int a = 0; a < orders; a++) y[a] = fma(w[1][a][j], value, y[a]);
      }
      for (int a = 0; a < orders; a++) ys[group][a][k][i] = y[a];
    }
    __syncthreads();
    if (v < s.n_vars && at < 6 * NODES &&
        (pairs == 6 || PAIR_ORDER[k][0] + PAIR_ORDER[k][1] < orders)) {
      double sum = 0.0;
      for (int n = 0; n < NODES; n++)
        sum = fma(w[2][PAIR_ORDER[k][1]][n], ys[group][PAIR_ORDER[k][0]][n][i], sum);
      rows[group][k][i] = sum;
    }
    __syncthreads();
    if (v < s.n_vars && at < DERIVS) {
      const double *row = rows[group][PAIR[ORDER[at][1]][ORDER[at][2]]];
      double jet = 0.0;
      for (int n = 0; n < NODES; n++) jet = fma(w[0][ORDER[at][0]][n], row[n], jet);
      int flips = __popc((unsigned)p.mirror & s.f.odd[s.first + v]);
      for (int d = 0; d < 3; d++) flips += (p.mirror >> d & 1) * ORDER[at][d];
      jets[v * DERIVS + at] = flips & 1 ? -jet : jet;
    }
  }
}

template <class Job> static tx_status sample_run(const Job *s, int n_derivs, size_t n) {
  const cudaStream_t stream = tx_cuda_stream.side;
  if (n_derivs == 1)
    TX_CUDA_RUN((sample_points<1, Job>), n, THREADS, 0, stream, *s);
  else if (n_derivs == 4)
    TX_CUDA_RUN((sample_points<4, Job>), n, THREADS, 0, stream, *s);
  else
    TX_CUDA_RUN((sample_points<10, Job>), n, THREADS, 0, stream, *s);
  return TX_OK;
}

/* Write points [first, +n) of a sample to where kernels read them. */
static void points_put(const tx_sample *s, size_t first, size_t n, tx_cuda_point *to) {
  for (size_t i = 0; i < n; i++) {
    const tx_sample_point *from = &s->mine[first + i];
    to[i].octant = from->octant;
    to[i].mirror = from->mirror;
    for (int d = 0; d < 3; d++) {
      to[i].x[d] = from->x[d];
      to[i].at[d] = s->at ? s->at[from->index][d] : 0.0;
    }
  }
}

/* Addresses of a batch of points and its jets, in page-locked memory: jets behind `most` points. */
struct batch {
  size_t most, numbers; /* points; numbers of a point */
  tx_cuda_point *points;
  double *jets;
};

static batch batch_of(const tx_cuda *c, const tx_sample *s) {
  batch b;
  b.numbers = (size_t)s->vars.n * (size_t)s->n_derivs;
  const size_t room = BATCH_BYTES / (b.numbers * sizeof(double)) + 1;
  b.most = s->n_mine < room ? s->n_mine : room;
  b.points = static_cast<tx_cuda_point *>(c->numbers);
  b.jets = reinterpret_cast<double *>(b.points + b.most);
  return b;
}

static size_t batch_bytes(const batch *b) {
  return b->most * (sizeof(tx_cuda_point) + b->numbers * sizeof(double));
}

/* Let all later work of the compute stream, and what waits for that, wait for the samples. */
static tx_status record_sampled(const tx_cuda *c) {
  const cudaEvent_t done = c->ready[TX_CUDA_SAMPLED];
  TX_CUDA(cudaEventRecord(done, tx_cuda_stream.side));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.compute, done, 0));
  return TX_OK;
}

static tx_status answered(const tx_cuda *c) {
  tx_phase_begin(TX_PHASE_DEVICE);
  const cudaError_t code = cudaEventSynchronize(c->ready[TX_CUDA_SAMPLED]);
  tx_phase_end(TX_PHASE_DEVICE);
  return code == cudaSuccess ? TX_OK
                             : tx_cuda_error(code, "cudaEventSynchronize", __FILE__, __LINE__);
}

/* Take the results of the batch that begins with point `first`. */
static tx_status take_results(const tx_cuda *c, const tx_sample *s, size_t first) {
  const batch b = batch_of(c, s);
  TX_TRY(answered(c));
  for (size_t i = 0; i < b.most && first + i < s->n_mine; i++)
    memcpy(s->jets + s->mine[first + i].index * b.numbers, b.jets + i * b.numbers,
           b.numbers * sizeof(double));
  return TX_OK;
}

tx_status tx_cuda_sample(tx_exec *x, const tx_field *f, const tx_sample *s) {
  const tx_cuda *c = tx_cuda_of(x);
  batch b = batch_of(c, s);
  if (s->n_mine == 0) return TX_OK;
  TX_TRY(tx_cuda_scratch(x, batch_bytes(&b)));
  b = batch_of(c, s); /* the memory may be other */
  job work = {c->mesh, {}, b.points, b.jets, s->vars.first, s->vars.n, 0, s->vars.n};
  robin_job robin;
  TX_TRY(tx_cuda_values_of(f, &work.f));
  static_cast<job &>(robin) = work;
  TX_TRY(tx_cuda_patched_of(f, &robin.patched));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.side, c->ready[TX_CUDA_GHOSTS_READY], 0));
  for (size_t first = 0; first < s->n_mine; first += b.most) {
    const size_t n = s->n_mine - first < b.most ? s->n_mine - first : b.most;
    if (first > 0) TX_TRY(take_results(c, s, first - b.most));
    points_put(s, first, n, b.points);
    TX_TRY(f->robin ? sample_run(&robin, s->n_derivs, n) : sample_run(&work, s->n_derivs, n));
    TX_TRY(record_sampled(c));
  }
  return TX_OK;
}

tx_status tx_cuda_sampled(tx_exec *x, const tx_sample *s) {
  if (s->n_mine == 0) return TX_OK;
  const tx_cuda *c = tx_cuda_of(x);
  return take_results(c, s, (s->n_mine - 1) / batch_of(c, s).most * batch_of(c, s).most);
}

tx_status tx_cuda_psi4(tx_exec *x, const tx_field *u, const tx_sample *s) {
  const tx_cuda *c = tx_cuda_of(x);
  const size_t bytes = (size_t)u->n_vars * sizeof(double[10]);
  const size_t most = BATCH_BYTES / bytes, batch = s->n_mine < most ? s->n_mine : most;
  const size_t row = sizeof(tx_cuda_point) + sizeof(double[TX_PSI4_COLUMNS]);
  const tx_cuda_system *system;
  if (s->n_mine == 0) return TX_OK;
  TX_TRY(tx_cuda_system_of(u, &system));
  /* Points and results lie beside the jets. */
  TX_TRY(tx_cuda_scratch(x, batch * (bytes > row ? bytes : row)));
  tx_cuda_point *points = static_cast<tx_cuda_point *>(c->numbers);
  double(*rows)[TX_PSI4_COLUMNS] = reinterpret_cast<double(*)[TX_PSI4_COLUMNS]>(points + batch);
  double *jets = static_cast<double *>(c->scratch);
  job work = {c->mesh, {}, points, jets, s->vars.first, s->vars.n, s->vars.first, u->n_vars};
  TX_TRY(tx_cuda_values_of(u, &work.f));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.side, c->ready[TX_CUDA_GHOSTS_READY], 0));
  for (size_t first = 0; first < s->n_mine; first += batch) {
    const size_t n = s->n_mine - first < batch ? s->n_mine - first : batch;
    points_put(s, first, n, points);
    TX_TRY(sample_run(&work, 10, n));
    TX_TRY(system->psi4(n, points, jets, rows, tx_cuda_stream.side));
    TX_TRY(record_sampled(c));
    TX_TRY(answered(c));
    for (size_t i = 0; i < n; i++)
      memcpy(s->psi4[s->mine[first + i].index], rows[i], sizeof rows[i]);
  }
  return TX_OK;
}
