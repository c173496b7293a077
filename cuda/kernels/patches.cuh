/* The pipeline `patch`: its array of patches. */
#pragma once

#include "cuda/backend.cuh"

/** The array of a plan, [n_local][n_vars][TX_P3] in device memory, for up to max_vars. Local. */
tx_status tx_cuda_patches_create(tx_exec *x);
void tx_cuda_patches_destroy(tx_exec *x);

/** NaN into all of it. Local. */
tx_status tx_cuda_patches_poison(tx_exec *x);

/** Octant to patch, scattered by source octants: at least the patches of the set. Local. Errors: TX_ERR_USAGE for
 *  more variables than the plan was made for. */
tx_status tx_cuda_patches_fill(tx_exec *x, const tx_set *set, const tx_field *f);

/** See tx_backend.patch. Patches are filled only where those of the field's contents are not all at hand. */
tx_status tx_cuda_patches_patch(tx_exec *x, const tx_field *f, tx_lidx b, double *patch);

/** The patches at hand are of no field any more: to be called when ghosts are filled anew. Local. */
void tx_cuda_patches_forget(const tx_exec *x);

/** The array's first double; the caller may write there. Device. Local. */
double *tx_cuda_patches_array(const tx_exec *x);
