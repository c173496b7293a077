/* Update of a stage on its own, and the violations found before algebraic constraints were
 * enforced. */
#include "cuda/kernels/update.cuh"

/* Threads of a block, and pairs of values that each of them updates. */
#define THREADS 256
#define PAIRS   4

/* Return the blocks of threads an octant, each updating THREADS * PAIRS pairs. */
static int update_parts(int n_vars) {
  return (n_vars * (TX_N3 / 2) + THREADS * PAIRS - 1) / (THREADS * PAIRS);
}

static __device__ __forceinline__ double2 step2(double2 a, double dt, double2 k) {
  return make_double2(tx_cuda_step(a.x, dt, k.x), tx_cuda_step(a.y, dt, k.y));
}

static __device__ __forceinline__ double2 load2(const double *p, size_t pair) {
  return reinterpret_cast<const double2 *>(p)[pair];
}

static __device__ __forceinline__ void store2(double *p, size_t pair, double2 value) {
  reinterpret_cast<double2 *>(p)[pair] = value;
}

static __global__ void __launch_bounds__(THREADS)
    update(const tx_lidx *octants, int parts, int n_vars, const double *k, tx_cuda_rk rk) {
  const tx_lidx b = octants[blockIdx.x / (unsigned)parts];
  const int part = (int)(blockIdx.x % (unsigned)parts), pairs = n_vars * (TX_N3 / 2);
  const size_t start = (size_t)b * (size_t)pairs;
#pragma unroll
  for (int n = 0; n < PAIRS; n++) {
    const int pair = (part * PAIRS + n) * THREADS + (int)threadIdx.x;
    if (pair >= pairs) break;
    const size_t at = start + (size_t)pair;
    const double2 rate = load2(k, at), base = load2(rk.base_sum, at);
    if (rk.next) store2(rk.next, at, step2(load2(rk.u, at), rk.dt_next, rate));
    store2(rk.sum, at, step2(base, rk.dt_sum, rate));
  }
}

tx_status tx_cuda_rk_of(const tx_stage *stage, tx_cuda_rk *out) {
  tx_cuda_values u, base;
  memset(out, 0, sizeof *out);
  TX_TRY(tx_cuda_values_of(stage->u, &u));
  TX_TRY(tx_cuda_values_of(stage->base_sum, &base));
  out->u = u.data;
  out->base_sum = base.data;
  TX_TRY(tx_cuda_target(stage->sum, &out->sum));
  if (stage->next) TX_TRY(tx_cuda_target(stage->next, &out->next));
  out->dt_sum = stage->dt_sum;
  out->dt_next = stage->dt_next;
  return TX_OK;
}

tx_status tx_cuda_update(tx_exec *, const tx_set *set, const tx_field *k, const tx_stage *stage) {
  const int n_vars = stage->u->n_vars, parts = update_parts(n_vars);
  const double values = (double)set->n * TX_N3 * n_vars;
  tx_cuda_stage_work work = {};
  TX_TRY(tx_cuda_values_of(k, &work.y));
  TX_TRY(tx_cuda_rk_of(stage, &work.rk));
  TX_CUDA_RUN_WORK(tx_cuda_work_of(4.0 * values, tx_cuda_stage_bytes(&work, values)), update,
                   (size_t)set->n * (size_t)parts, THREADS, 0, tx_cuda_stream.compute,
                   tx_cuda_set_of(set)->octant, parts, n_vars, work.y.data, work.rk);
  return TX_OK;
}

tx_status tx_cuda_algebraic(tx_exec *x, double out[2]) {
  const tx_cuda *c = tx_cuda_of(x);
  const size_t bytes = 2 * sizeof(double);
  TX_TRY(tx_cuda_scratch(x, bytes));
  TX_CUDA(cudaMemcpyAsync(c->numbers, c->algebraic, bytes, cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaMemsetAsync(c->algebraic, 0, bytes, tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  memcpy(out, c->numbers, bytes);
  return TX_OK;
}
