/* Stages and right-hand sides: launches of the stage kernel that reads ghosts in place. */
#include "cuda/kernels/stage.cuh"

tx_status tx_cuda_stage(tx_exec *x, const tx_set *set, const tx_bssn_params *p,
                        const tx_stage *stage) {
  stage_arguments a = {};
  tx_cuda_fork fork;
  if (set->n == 0) return TX_OK;
  TX_TRY(tx_cuda_rk_of(stage, &a.rk));
  a.floors = tx_cuda_floors_of(p, stage);
  TX_TRY(tx_cuda_stage_fork(x, set, stage, &fork));
  TX_TRY(tx_cuda_values_of(stage->y, &a.y));
  TX_TRY(tx_stage_launch(x, set, p, tx_stage_in_place{}, &a, fork.stage));
  const tx_cuda_boundary_work edge = {stage, stage->y, NULL};
  TX_TRY(tx_cuda_boundary(x, set, p, &edge, fork.boundary));
  return tx_cuda_stage_join(x, &fork);
}

tx_status tx_cuda_rhs(tx_exec *x, const tx_set *set, const tx_bssn_params *p, const tx_field *u,
                      tx_field *out) {
  stage_arguments a = {};
  TX_TRY(tx_cuda_target(out, &a.rhs));
  TX_TRY(tx_cuda_values_of(u, &a.y));
  TX_TRY(tx_stage_launch(x, set, p, tx_stage_in_place{}, &a, tx_cuda_stream.compute));
  const tx_cuda_boundary_work edge = {NULL, u, a.rhs};
  return tx_cuda_boundary(x, set, p, &edge, tx_cuda_stream.compute);
}
