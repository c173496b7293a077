/* Identity and speed of this rank's GPU: memory by a triad, arithmetic by chains of fused
 * multiply-adds. */
#include "cuda/backend.cuh"

#include <float.h>

enum { BLOCK = 256, GOES = 8, CHAINS = 8, BLOCKS_PER_SM = 8, STEPS_PER_SM = 64 };

tx_status tx_cuda_identity(int index, char text[TX_CUDA_IDENTITY]) {
  cudaDeviceProp p;
  TX_CUDA(cudaGetDeviceProperties(&p, index));
  for (int i = 0; i < 16; i++)
    snprintf(text + 2 * i, 3, "%02x", (unsigned)(unsigned char)p.uuid.bytes[i]);
  return TX_OK;
}

/* Two numbers that a thread moves at once. */
struct alignas(16) pair {
  double x, y;
};

/* Compute the triad a = b + s c. */
static __global__ void triad(pair *a, const pair *b, const pair *c, double s, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const pair y = b[i], z = c[i];
  a[i] = pair{y.x + s * z.x, y.y + s * z.y};
}

static __global__ void fill(pair *a, double value, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = pair{value, value};
}

/* Compute independent chains of fused multiply-adds, so that only their rate counts. Store the
 * sum, or the compiler would leave them out. */
static __global__ void multiply_add(double *out, double factor, double term, int steps) {
  double x[CHAINS];
  for (int c = 0; c < CHAINS; c++) x[c] = threadIdx.x + c;
  for (int n = 0; n < steps; n++) {
#pragma unroll
    for (int c = 0; c < CHAINS; c++) x[c] = fma(x[c], factor, term);
  }
  double sum = 0.0;
  for (int c = 0; c < CHAINS; c++) sum += x[c];
  out[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Events at the begin and the end of a measurement. */
typedef struct clock_pair {
  cudaEvent_t begin, end;
} clock_pair;

static tx_status seconds_between(const clock_pair *t, double *fastest) {
  float ms = 0.0f;
  TX_CUDA(cudaEventSynchronize(t->end));
  TX_CUDA(cudaEventElapsedTime(&ms, t->begin, t->end));
  if (1e-3 * ms < *fastest) *fastest = 1e-3 * ms;
  return TX_OK;
}

static tx_status measure_triad(const clock_pair *t, pair *const a[3], size_t n,
                               double *bytes_per_s) {
  const cudaStream_t stream = tx_cuda_stream.compute;
  const size_t grid = (n + BLOCK - 1) / BLOCK;
  double fastest = DBL_MAX;
  for (int i = 0; i < 3; i++) TX_CUDA_RUN(fill, grid, BLOCK, 0, stream, a[i], 1.0 + i, n);
  for (int go = 0; go < GOES; go++) {
    TX_CUDA(cudaEventRecord(t->begin, stream));
    TX_CUDA_RUN(triad, grid, BLOCK, 0, stream, a[go % 2], a[1 - go % 2], a[2], 1e-3 * go, n);
    TX_CUDA(cudaEventRecord(t->end, stream));
    TX_TRY(seconds_between(t, &fastest));
  }
  *bytes_per_s = 3.0 * (double)(n * sizeof(pair)) / fastest;
  return TX_OK;
}

static tx_status measure_arithmetic(const clock_pair *t, double *out, int sms, double *flop_per_s) {
  const cudaStream_t stream = tx_cuda_stream.compute;
  const int blocks = BLOCKS_PER_SM * sms, steps = STEPS_PER_SM * sms;
  double fastest = DBL_MAX;
  for (int go = 0; go < GOES; go++) {
    TX_CUDA(cudaEventRecord(t->begin, stream));
    TX_CUDA_RUN(multiply_add, blocks, BLOCK, 0, stream, out, 1.0 - 1e-9, 1e-9 * go, steps);
    TX_CUDA(cudaEventRecord(t->end, stream));
    TX_TRY(seconds_between(t, &fastest));
  }
  *flop_per_s = 2.0 * CHAINS * steps * (double)blocks * BLOCK / fastest;
  return TX_OK;
}

static tx_status measure_peaks(const clock_pair *t, double *triad_bytes_per_s,
                               double *fma_flop_per_s) {
  cudaDeviceProp p;
  tx_cuda_device device;
  tx_cuda_describe(&device);
  TX_CUDA(cudaGetDeviceProperties(&p, device.index));
  /* Arrays that caches do not hold: each eight times the last one, also as long as the other needs. */
  size_t n = (size_t)p.l2CacheSize * 8 / sizeof(pair);
  const size_t least = (size_t)BLOCKS_PER_SM * (size_t)device.sms * BLOCK;
  pair *a[3] = {NULL, NULL, NULL};
  if (n < least) n = least;
  tx_status status = TX_OK;
  for (int i = 0; i < 3; i++) TX_KEEP(status, tx_cuda_alloc(n * sizeof **a, "triad", &a[i]));
  TX_THEN(status, measure_triad(t, a, n, triad_bytes_per_s));
  TX_THEN(status,
          measure_arithmetic(t, reinterpret_cast<double *>(a[0]), device.sms, fma_flop_per_s));
  for (int i = 0; i < 3; i++) tx_cuda_free(a[i]);
  return status;
}

tx_status tx_cuda_measure(double *triad_bytes_per_s, double *fma_flop_per_s) {
  clock_pair t;
  TX_TRY(tx_cuda_wait());
  TX_CUDA(cudaEventCreate(&t.begin));
  TX_CUDA(cudaEventCreate(&t.end));
  tx_status status = measure_peaks(&t, triad_bytes_per_s, fma_flop_per_s);
  TX_CUDA(cudaEventDestroy(t.begin));
  TX_CUDA(cudaEventDestroy(t.end));
  return status;
}
