/* Patches for the host, gathered from where their values lie. */
#include "cuda/kernels/patch.cuh"

enum { THREADS = 256 };

/* Gather one of the variables in `mask` of the patch of one octant of a list; a block. */
static __global__ void gather_patches(tx_cuda_mesh m, const __grid_constant__ tx_cuda_patched f,
                                      uint32_t mask, int vars, const tx_lidx *octants,
                                      double *patches) {
  int v = -1;
  for (int left = (int)(blockIdx.x % vars); left >= 0;) left -= mask >> ++v & 1;
  tx_cuda_patch_load_all(m, f, octants[blockIdx.x / vars], v, patches + (size_t)blockIdx.x * TX_P3);
}

tx_status tx_cuda_fetch(tx_exec *x, const tx_set *set, const tx_field *f, uint32_t mask,
                        double *patches) {
  const tx_cuda *c = tx_cuda_of(x);
  const int vars = __builtin_popcount(mask);
  const size_t doubles = (size_t)set->n * (size_t)vars * TX_P3;
  tx_cuda_patched values;
  if (doubles == 0) return TX_OK;
  TX_TRY(tx_cuda_patched_of(f, &values));
  TX_TRY(tx_cuda_scratch(x, doubles * sizeof(double)));
  double *gathered = static_cast<double *>(c->scratch), *here = static_cast<double *>(c->numbers);
  TX_CUDA_RUN(gather_patches, (size_t)set->n * (size_t)vars, THREADS, 0, tx_cuda_stream.compute,
              c->mesh, values, mask, vars, tx_cuda_set_of(set)->octant, gathered);
  TX_CUDA(cudaMemcpyAsync(here, gathered, doubles * sizeof *here, cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  memcpy(patches, here, doubles * sizeof *patches);
  return TX_OK;
}
