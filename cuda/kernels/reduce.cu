/* Reductions of fields to a few numbers. */
#include "base/hash.h"
#include "cuda/kernels/patch.cuh"
#include "exec/norm_point.h"
#include "physics/predictor_point.h"

enum { THREADS = 256, BLOCKS_PER_SM = 8 };
static_assert(TX_N3 % 2 == 0, "octants are read two values at a time");

/* Return the blocks that go through `rows` variables of octants [TX_N3] in turn. */
static unsigned blocks_for(int64_t rows) {
  tx_cuda_device device;
  tx_cuda_describe(&device);
  const int64_t most = (int64_t)(device.sms > 0 ? device.sms : 1) * BLOCKS_PER_SM;
  return (unsigned)(rows < most ? rows : most);
}

static __device__ __forceinline__ bool good(double value, bool positive) {
  return fabs(value) <= 1.7976931348623157e308 && (!positive || value > 0.0);
}

/* Find the lowest index of a bad value in the octants of a list, [n][f.n_vars][TX_N3] =
 * [rows][TX_N3]. */
static __global__ void __launch_bounds__(THREADS)
    find_bad(const tx_lidx *octants, const __grid_constant__ tx_cuda_values f, int64_t rows,
             uint32_t positive, unsigned long long *first) {
  unsigned long long bad = ~0ull;
  for (int64_t r = (int64_t)blockIdx.x; r < rows; r += (int64_t)gridDim.x) {
    const uint64_t i = (uint64_t)r / (uint32_t)f.n_vars;
    const uint32_t v = (uint32_t)((uint64_t)r - i * (uint32_t)f.n_vars);
    const bool sign = positive >> v & 1u;
    const double2 *row = reinterpret_cast<const double2 *>(
        f.data + ((int64_t)octants[i] * f.n_vars + (int64_t)v) * TX_N3);
    for (int p = (int)threadIdx.x; p < TX_N3 / 2; p += THREADS) {
      const double2 pair = row[p];
      const unsigned long long at = (unsigned long long)(r * TX_N3) + 2u * (unsigned)p;
      if (!good(pair.y, sign) && at + 1 < bad) bad = at + 1;
      if (!good(pair.x, sign) && at < bad) bad = at;
    }
  }
  if (bad != ~0ull) atomicMin(first, bad);
}

tx_status tx_cuda_check(tx_exec *x, const tx_set *set, const tx_field *u, tx_lidx *octant, int *var,
                        int *point) {
  const tx_cuda *c = tx_cuda_of(x);
  const cudaStream_t stream = tx_cuda_stream.compute;
  const int64_t rows = (int64_t)set->n * u->n_vars;
  tx_cuda_values values;
  TX_TRY(tx_cuda_values_of(u, &values));
  TX_TRY(tx_cuda_scratch(x, sizeof(unsigned long long)));
  unsigned long long *found = static_cast<unsigned long long *>(c->scratch);
  TX_CUDA(cudaMemsetAsync(found, 0xff, sizeof *found, stream));
  TX_CUDA_RUN(find_bad, blocks_for(rows), THREADS, 0, stream, tx_cuda_set_of(set)->octant, values,
              rows, u->positive, found);
  TX_CUDA(cudaMemcpyAsync(c->numbers, found, sizeof *found, cudaMemcpyDeviceToHost, stream));
  TX_CUDA(cudaStreamSynchronize(stream));
  const unsigned long long first = *static_cast<const unsigned long long *>(c->numbers);
  *octant = -1;
  if (first == ~0ull) return TX_OK;
  *octant = set->octant[first / TX_N3 / (unsigned)values.n_vars];
  *var = (int)(first / TX_N3 % (unsigned)values.n_vars);
  *point = (int)(first % TX_N3);
  return TX_OK;
}

/* Find the largest deviation of the odd points of octant number blockIdx.x of a list, over the
 * variables in `mask`. */
template <class Values>
static __global__ void __launch_bounds__(THREADS)
    deviations(const tx_cuda_mesh m, const tx_lidx *octants, const __grid_constant__ Values f,
               const tx_predictor p, uint32_t mask, double *error) {
  TX_SHARED(double, patch);
  __shared__ double part[THREADS];
  const tx_lidx b = octants[blockIdx.x];
  double most = 0.0;
  for (int v = 0; v < f.n_vars; v++) {
    if (!(mask >> v & 1u)) continue;
    tx_cuda_patch_load_all(m, f, b, v, patch);
    for (int n = (int)threadIdx.x; n < 3 * TX_N3 / 2; n += THREADS) {
      const int d = n / (TX_N3 / 2), i = n % (TX_N / 2) * 2 + 1;
      const int j = n / (TX_N / 2) % TX_N, k = n / (TX_N / 2 * TX_N) % TX_N;
      const double *row = patch + (d == 0   ? TX_PATCH_AT(0, j, k)
                                   : d == 1 ? TX_PATCH_AT(j, 0, k)
                                            : TX_PATCH_AT(j, k, 0));
      const int stride = d == 0 ? 1 : d == 1 ? TX_P : TX_P * TX_P;
      most = tx_larger(most, fabs(tx_predictor_deviation(&p, row, stride, i)));
    }
    __syncthreads();
  }
  part[threadIdx.x] = most;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half)
      part[threadIdx.x] = tx_larger(part[threadIdx.x], part[(int)threadIdx.x + half]);
  }
  if (threadIdx.x == 0) error[blockIdx.x] = part[0];
}

template <class Values>
static tx_status deviations_run(const tx_exec *x, const tx_set *set, const Values &f,
                                uint32_t mask) {
  const tx_cuda *c = tx_cuda_of(x);
  const int shared = TX_P3 * (int)sizeof(double);
  TX_CUDA(cudaFuncSetAttribute(deviations<Values>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared));
  TX_CUDA_RUN(deviations<Values>, set->n, THREADS, shared, tx_cuda_stream.compute, c->mesh,
              tx_cuda_set_of(set)->octant, f, tx_predictor_make(), mask,
              static_cast<double *>(c->scratch));
  return TX_OK;
}

tx_status tx_cuda_wavelet(tx_exec *x, const tx_set *set, const tx_field *u, uint32_t mask,
                          double *error) {
  const tx_cuda *c = tx_cuda_of(x);
  const cudaStream_t stream = tx_cuda_stream.compute;
  const size_t bytes = (size_t)set->n * sizeof *error;
  tx_cuda_patched values;
  TX_TRY(tx_cuda_patched_of(u, &values));
  TX_TRY(tx_cuda_scratch(x, bytes));
  TX_TRY(values.robin ? deviations_run(x, set, values, mask)
                      : deviations_run<tx_cuda_values>(x, set, values, mask));
  TX_CUDA(cudaMemcpyAsync(c->numbers, c->scratch, bytes, cudaMemcpyDeviceToHost, stream));
  TX_CUDA(cudaStreamSynchronize(stream));
  memcpy(error, c->numbers, bytes);
  return TX_OK;
}

/* Add up the hashes of the octants of a list, of `each` pairs of values; a value's place in the whole field counts. */
static __global__ void __launch_bounds__(THREADS)
    add_hashes(const tx_lidx *octants, const double2 *values, int64_t pairs, uint32_t each,
               const tx_cuda_place *places, unsigned long long *sum) {
  __shared__ unsigned long long part[THREADS];
  const uint64_t step = TX_HASH_STEP;
  unsigned long long mine = 0;
  for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < pairs;
       i += (int64_t)gridDim.x * THREADS) {
    const uint64_t o = (uint64_t)i / each;
    const uint64_t within = (uint64_t)i - o * each;
    const double2 pair = values[(uint64_t)octants[o] * each + within];
    const uint64_t at = 2 * ((uint64_t)places[octants[o]].index * each + within) * step;
    uint64_t bits[2];
    memcpy(&bits[0], &pair.x, sizeof bits[0]);
    memcpy(&bits[1], &pair.y, sizeof bits[1]);
    mine += tx_scramble(bits[0] + at) + tx_scramble(bits[1] + at + step);
  }
  part[threadIdx.x] = mine;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) part[threadIdx.x] += part[(int)threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

tx_status tx_cuda_hash(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out) {
  const tx_cuda *c = tx_cuda_of(x);
  const cudaStream_t stream = tx_cuda_stream.compute;
  const int64_t block = (int64_t)f->n_vars * TX_N3, pairs = set->n * block / 2;
  tx_cuda_values values;
  TX_TRY(tx_cuda_values_of(f, &values));
  TX_TRY(tx_cuda_scratch(x, sizeof(unsigned long long)));
  unsigned long long *sum = static_cast<unsigned long long *>(c->scratch);
  TX_CUDA(cudaMemsetAsync(sum, 0, sizeof *sum, stream));
  TX_CUDA_RUN(add_hashes, blocks_for((pairs + THREADS - 1) / THREADS), THREADS, 0, stream,
              tx_cuda_set_of(set)->octant, reinterpret_cast<const double2 *>(values.data), pairs,
              (uint32_t)(block / 2), c->mesh.place, sum);
  TX_CUDA(cudaMemcpyAsync(c->numbers, sum, sizeof *sum, cudaMemcpyDeviceToHost, stream));
  TX_CUDA(cudaStreamSynchronize(stream));
  *out = *static_cast<const unsigned long long *>(c->numbers);
  return TX_OK;
}
