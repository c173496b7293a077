/* Stages for GPUs with less shared memory: values of the state that are needed again are read
 * again, not kept. Same bits. */
#define TX_SMALL
#include "cuda/system/stage_launch.cuh"

size_t TX_BY_SCHEME(cuda_stage_small_shared)(void) {
  return TX_STAGE_SHARED;
}

tx_status TX_BY_SCHEME(cuda_stage_small)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                         const tx_cuda_stage_work *work, cudaStream_t stream) {
  return tx_stage_launch(x, set, p, work, stream);
}
