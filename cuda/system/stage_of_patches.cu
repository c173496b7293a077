/* The same of the pipeline `patch`. */
#include "cuda/kernels/patches.cuh"
#include "cuda/system/stage_launch.cuh"

/* A source of the stage kernel: the octant's patch, which has all its ghosts. */
struct tx_stage_from_patches {
  const double *patches; /* [n_local][TX_VARS][TX_P3] */

  template <int BUFFERS>
  __device__ __forceinline__ void locate(tx_tile *t, const tx_cuda_mesh &, const tx_cuda_values &,
                                         tx_lidx b, int number) const {
    const double *patch = patches + (size_t)b * TX_VARS * TX_P3;
    int first[3];
    tx_tile_first(number, first);
    t->edge1_flags &= TX_TILE_NO_KO | TX_TILE_OUTERMOST | 0xffffu;
#pragma unroll 1
    for (int round = 0; round < TX_TILE_ROUNDS; round++) {
      const uint32_t point = tx_tile_points_all.at[round * TX_TILE_THREADS + (int)threadIdx.x];
      const double *from = patch + TX_PATCH_AT(first[0] - TX_K + (int)(point & 0xffu),
                                               first[1] - TX_K + (int)(point >> 8 & 0xffu),
                                               first[2] - TX_K + (int)(point >> 16 & 0xffu));
      tx_tile_copy_set<BUFFERS>(t, round, point, from, TX_P3, 1, false);
    }
  }
};

tx_status TX_BY_SCHEME(cuda_stage_of_patches)(tx_exec *x, const tx_set *set,
                                              const tx_system_params *p,
                                              const tx_cuda_stage_work *work, cudaStream_t stream) {
  const tx_stage_from_patches source = {tx_cuda_patches_array(x)};
  return tx_stage_launch(x, set, p, source, work, stream);
}
