/* Relaxations and residuals of multigrid once more, compiled without fused multiply-adds, for bench_elliptic: what those are
 * worth. */
#define TX_CUDA_UNFUSED
#include "cuda/backend.cuh"
#include "cuda/kernels/patch.cuh"
#include "cuda/kernels/star.cuh"

namespace unfused {
#include "cuda/kernels/multigrid.cu"
}

extern "C" const tx_backend *bench_backend_unfused(void);

const tx_backend *bench_backend_unfused(void) {
  static tx_backend all = tx_backend_cuda;
  all.residual = unfused::tx_cuda_residual;
  all.relax = unfused::tx_cuda_relax;
  return &all;
}
