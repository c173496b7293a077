/* Failed CUDA calls. */
#include "cuda/device.cuh"

#include "cuda/backend.cuh"

unsigned tx_cuda_calls;
int tx_cuda_index;

tx_status tx_cuda_error(cudaError_t code, const char *call, const char *file, int line) {
  const bool memory = code == cudaErrorMemoryAllocation;
  const tx_status status = tx_error_record(
      memory ? TX_ERR_MEMORY : TX_ERR_LIBRARY, file, line, "CUDA: %s (%s) from %s on GPU %d%s",
      cudaGetErrorString(code), cudaGetErrorName(code), call, tx_cuda_index,
      memory ? "; use more GPUs or a smaller grid" : "");
  /* Without memory a rank goes on to agree with the others; with any other error its GPU sends no more. */
  return memory ? status : tx_cuda_watch_failed(status);
}
