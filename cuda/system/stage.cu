/* Stages and right-hand sides that read ghosts in place. */
#include "cuda/system/stage_launch.cuh"

/* Whether two blocks share a multiprocessor; if not, the other plan is better, whose threads have more registers. */
static bool two_fit(void) {
  tx_cuda_device device;
  tx_cuda_describe(&device);
  return device.shared_sm >= RESIDENT * (TX_STAGE_SHARED + 1024);
}

tx_status TX_BY_SCHEME(cuda_stage)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                   const tx_cuda_stage_work *work, cudaStream_t stream) {
  if (!two_fit()) return TX_BY_SCHEME(cuda_stage_small)(x, set, p, work, stream);
  return tx_stage_launch(x, set, p, tx_stage_in_place{}, work, stream);
}
