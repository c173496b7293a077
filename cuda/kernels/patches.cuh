/* The pipeline `patch`: its array of patches, and how the stage kernel reads from it. */
#pragma once

#include "cuda/kernels/stage.cuh"

/** The array of a plan, [n_local][TX_VARS][TX_P3] in device memory. Local. */
tx_status tx_cuda_patches_create(tx_exec *x);
void tx_cuda_patches_destroy(tx_exec *x);

/** NaN into all of it. Local. */
tx_status tx_cuda_patches_poison(tx_exec *x);

/** Octant to patch, scattered by source octants: at least the patches of the set. Local. Errors: TX_ERR_USAGE for
 *  more than TX_VARS variables. */
tx_status tx_cuda_patches_fill(tx_exec *x, const tx_set *set, const tx_field *f);

/** See tx_backend.patch. Patches are filled only where those of the field's contents are not all at hand. */
tx_status tx_cuda_patches_patch(tx_exec *x, const tx_field *f, tx_lidx b, double *patch);

/** The patches at hand are of no field any more: to be called when ghosts are filled anew. Local. */
void tx_cuda_patches_forget(const tx_exec *x);

/** The array's first double; the caller may write there. Device. Local. */
double *tx_cuda_patches_array(const tx_exec *x);

/** A source of the stage kernel: the octant's patch, which has all its ghosts. */
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
