/* Launches of the stage kernel. */
#pragma once

#include "cuda/system/stage.cuh"

/* Variables in shared memory at a time. */
#define TX_STAGE_BUFFERS 2

/** Shared memory of a block, bytes. */
#define TX_STAGE_SHARED sizeof(stage_memory<TX_STAGE_BUFFERS>)

static inline tx_cuda_work stage_work(const tx_set *set, const tx_cuda_stage_work *work) {
  const double points = (double)set->n * TX_N3, update = work->rhs ? 0.0 : 4.0 * TX_VARS;
  return tx_cuda_work_of(points * (TX_THIS_SYSTEM.rhs_flops + update),
                         tx_cuda_stage_bytes(work, points * TX_VARS));
}

/* Launch over a set, as tx_stage_launch. */
template <bool MORE>
static tx_status launch_stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                              const tx_cuda_stage_work *work, cudaStream_t stream) {
  void (*const kernel)(stage_arguments) = tx_stage_kernel<TX_STAGE_BUFFERS, MORE>;
  static bool prepared = false;
  const int shared = (int)TX_STAGE_SHARED;
  if (!prepared)
    TX_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  prepared = true;
  const tx_cuda *c = tx_cuda_of(x);
  stage_arguments a = {};
  a.mesh = c->mesh;
  a.octants = tx_cuda_set_of(set)->octant;
  a.y = work->y;
  a.rhs = work->rhs;
  a.rk = work->rk;
  a.p = *p;
  if (p->shift == TX_SHIFT_ZERO) a.p.eta_form = TX_ETA_CONSTANT;
  a.floors = tx_cuda_floors_of(p, work->raw);
  a.algebraic = c->algebraic;
  TX_CUDA_RUN_WORK(stage_work(set, work), (tx_stage_kernel<TX_STAGE_BUFFERS, MORE>),
                   (size_t)set->n * TX_TILES, TX_TILE_THREADS, (size_t)shared, stream, a);
  return TX_OK;
}

/** Launch the stage kernel over a set, with the optional terms if any is not 0. Local. */
static inline tx_status tx_stage_launch(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                        const tx_cuda_stage_work *work, cudaStream_t stream) {
  bool more = p->by_W;
#define S(name) more = more || tx_scalar_##name(p, 1.0) != 0.0;
  TX_RHS_MORE(S)
#undef S
  if (more) return launch_stage<true>(x, set, p, work, stream);
  return launch_stage<false>(x, set, p, work, stream);
}
