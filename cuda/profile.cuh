/* Hooks of the profile around each launch; see tx_cuda_profile_start. While profiling, each
 * kernel waits for the one before, whatever their streams; without a profile a launch costs a
 * test of a flag. */
#pragma once

/** Whether kernels are being profiled. Costly questions are asked only then. */
extern bool tx_cuda_profiling;

/** Operations of a launch, and bytes that it must read and write at least; 0: not known. */
typedef struct tx_cuda_work {
  double flop, bytes;
} tx_cuda_work;
static inline tx_cuda_work tx_cuda_work_of(double flop, double bytes) {
  return tx_cuda_work{flop, bytes};
}
/** Return the work of a kernel that copies `values` doubles. */
static inline tx_cuda_work tx_cuda_copies(double values) {
  return tx_cuda_work{0.0, 2.0 * sizeof(double) * values};
}

/** Parameters of a launch. */
typedef struct tx_cuda_launch {
  const void *kernel;
  const char *name, *file;
  int threads;
  size_t shared; /**< dynamic */
  cudaStream_t stream;
} tx_cuda_launch;

/** Begin and end the timing of a launch; errors show in tx_cuda_profile_stop. Local. */
void tx_cuda_profile_begin(const tx_cuda_launch *launch, tx_cuda_work work);
void tx_cuda_profile_end(cudaStream_t stream);

template <class... P> static inline const void *tx_cuda_address(void (*kernel)(P...)) {
  return reinterpret_cast<const void *>(kernel);
}
