/* Stages and right-hand sides that read ghosts in place. */
#include "cuda/system/stage_launch.cuh"

size_t TX_BY_SCHEME(cuda_stage_shared)(void) {
  return TX_STAGE_SHARED;
}

tx_status TX_BY_SCHEME(cuda_stage)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                   const tx_cuda_stage_work *work, cudaStream_t stream) {
  return tx_stage_launch(x, set, p, work, stream);
}
