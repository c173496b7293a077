/* Stages and right-hand sides: launches of the stage kernel. */
#include "cuda/stage.cuh"

/* Variables in shared memory at a time. */
#define BUFFERS 2

/* Launch over the octants of a list: arguments that are not yet set are. */
static tx_status launch(tx_exec *x, tx_lidx n, const tx_lidx *octants, const tx_bssn_params *p,
                        const tx_field *y, bool patches, stage_arguments *a, cudaStream_t stream) {
  void (*const kernel)(stage_arguments) = tx_stage_kernel<BUFFERS>;
  static bool prepared = false;
  const int shared = (int)sizeof(stage_memory<BUFFERS>);
  if (!prepared)
    TX_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  prepared = true;
  const tx_cuda *c = tx_cuda_of(x);
  TX_TRY(tx_cuda_values_of(y, &a->y));
  a->mesh = c->mesh;
  a->octants = tx_cuda_list(x, n, octants);
  a->patches = patches ? tx_cuda_patch_array(x) : NULL;
  a->p = *p;
  if (p->shift == TX_SHIFT_ZERO) a->p.eta_form = TX_ETA_CONSTANT;
  a->floors = tx_cuda_floors_of(p);
  a->algebraic = c->algebraic;
  TX_CUDA_RUN(kernel, (size_t)n * TX_TILES, TX_TILE_THREADS, (size_t)shared, stream, *a);
  return TX_OK;
}

/* Right-hand sides of all but Sommerfeld's points into rhs, by the pipeline of the plan. */
static tx_status rates(tx_exec *x, tx_lidx n, const tx_lidx *octants, const tx_bssn_params *p,
                       const tx_field *y, double *rhs) {
  const bool patches = tx_cuda_of(x)->patches != NULL;
  if (patches) TX_TRY(tx_cuda_patches(x, y, n, octants));
  stage_arguments a = {};
  a.rhs = rhs;
  return launch(x, n, octants, p, y, patches, &a, tx_cuda_stream.compute);
}

/* Octant to patch, right-hand side, update, enforcement, one after the other. */
static tx_status stage_patches(tx_exec *x, tx_lidx n, const tx_lidx *octants,
                               const tx_bssn_params *p, const tx_stage *stage) {
  double *k = tx_cuda_of(x)->rates, *result;
  TX_TRY(rates(x, n, octants, p, stage->y, k));
  TX_TRY(tx_cuda_boundary(x, n, octants, p, NULL, stage->y, k, tx_cuda_stream.compute));
  TX_TRY(tx_cuda_update_values(x, n, octants, k, stage));
  TX_TRY(tx_cuda_target(stage->next ? stage->next : stage->sum, &result));
  return tx_cuda_enforce_list(x, n, octants, p, result);
}

tx_status tx_cuda_stage(tx_exec *x, tx_lidx n, const tx_lidx *octants, const tx_bssn_params *p,
                        const tx_stage *stage) {
  if (tx_cuda_of(x)->patches) return stage_patches(x, n, octants, p, stage);
  stage_arguments a = {};
  tx_cuda_fork fork;
  if (n == 0) return TX_OK;
  TX_TRY(tx_cuda_rk_of(stage, &a.rk));
  TX_TRY(tx_cuda_stage_fork(x, octants, stage, &fork));
  TX_TRY(launch(x, n, octants, p, stage->y, false, &a, fork.stage));
  TX_TRY(tx_cuda_boundary(x, n, octants, p, stage, stage->y, NULL, fork.boundary));
  return tx_cuda_stage_join(x, &fork);
}

tx_status tx_cuda_rhs(tx_exec *x, tx_lidx n, const tx_lidx *octants, const tx_bssn_params *p,
                      const tx_field *u, tx_field *out) {
  double *rhs;
  TX_TRY(tx_cuda_target(out, &rhs));
  TX_TRY(rates(x, n, octants, p, u, rhs));
  return tx_cuda_boundary(x, n, octants, p, NULL, u, rhs, tx_cuda_stream.compute);
}
