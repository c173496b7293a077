/* Update of a Runge-Kutta stage, for kernels. */
#pragma once

#include "cuda/backend.cuh"

/** A tx_stage in device memory, without y; next: NULL in the last stage. By value. */
typedef struct tx_cuda_rk {
  const double *u, *base_sum; /**< base_sum may be sum */
  double *sum, *next;
  double dt_sum, dt_next;
} tx_cuda_rk;

/** Work of a system's kernels: the right-hand side of y into rhs (device,
 *  [n_local][n_vars][TX_N3]), or, with rhs NULL, the update rk; the result fulfils the algebraic
 *  constraints, or, raw, only keeps to the floors. */
typedef struct tx_cuda_stage_work {
  tx_cuda_values y;
  double *rhs;
  tx_cuda_rk rk;
  bool raw;
} tx_cuda_stage_work;

/** Balls to be left out, by value. */
#define TX_CUDA_BALLS 16
typedef struct tx_cuda_balls {
  int n;
  tx_ball ball[TX_CUDA_BALLS];
} tx_cuda_balls;

/** Point at which fields are sampled. */
typedef struct tx_cuda_point {
  double x[3];  /**< folded into the domain */
  double at[3]; /**< as the caller gave it */
  int32_t octant, mirror;
} tx_cuda_point;

/** Table of launches of a system's kernels (cuda/system). Local. */
typedef struct tx_cuda_system {
  const tx_system *system;
  /** All points but those of `boundary`: the outermost points of the octants of the set that have outer faces. The two may
   *  run one after the other, or beside each other. */
  tx_status (*stage[TX_CUDA_PLANS])(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                    const tx_cuda_stage_work *work, cudaStream_t stream);
  size_t (*stage_shared[TX_CUDA_PLANS])(void); /**< bytes of a block */
  tx_status (*boundary)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                        const tx_cuda_stage_work *work, cudaStream_t stream);
  /** Enforce algebraic constraints and floors on u, [n_local][n_vars][TX_N3] on the device. */
  tx_status (*enforce)(tx_exec *x, const tx_set *set, const tx_system_params *p, double *u);
  /** Analysis quantities into out, [n_local][n_analyses][TX_N3] on the device. NULL: the system has none. */
  tx_status (*analysis)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                        const tx_cuda_values &u, double *out);
  /** parts: [set->n] on the device. NULL: the system has none. */
  tx_status (*constraints)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                           const tx_cuda_values &u, const tx_cuda_balls &balls,
                           tx_norm_part *parts);
  /** Rows of tx_exec_psi4 from jets [n][n_vars][10]. NULL: the system has none. */
  tx_status (*psi4)(size_t n, const tx_cuda_point *points, const double *jets,
                    double (*out)[TX_PSI4_COLUMNS], cudaStream_t stream);
} tx_cuda_system;

/** Find the kernels of a state's system. Local. Errors: TX_ERR_USAGE if it has none. */
tx_status tx_cuda_system_of(const tx_field *state, const tx_cuda_system **out);

/** Add the kernels of one more system (tx_system_add), from now on. Local. */
void tx_cuda_system_add(const tx_cuda_system *system);

/** Return the device form of a stage; what the host wrote into its fields goes to the device
 *  first. */
tx_status tx_cuda_rk_of(const tx_stage *stage, tx_cuda_rk *out);

/** Return the least bytes that a stage moves: each copy of the state that it reads or writes,
 *  once. Host. */
static inline double tx_cuda_stage_bytes(const tx_cuda_stage_work *w, double values) {
  const tx_cuda_rk *rk = &w->rk;
  int copies = 2;
  if (!w->rhs) {
    const bool reads_u = rk->next && rk->u != w->y.data;
    const bool reads_sum = rk->base_sum != w->y.data && !(reads_u && rk->base_sum == rk->u);
    copies = 2 + reads_u + reads_sum + (rk->next != NULL);
  }
  return copies * (double)sizeof(double) * values;
}

/** Return a + dt k, in one rounding wherever it is computed. */
static __device__ __forceinline__ double tx_cuda_step(double a, double dt, double k) {
  return fma(dt, k, a);
}
