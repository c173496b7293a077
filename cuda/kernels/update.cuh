/* The update of a Runge-Kutta stage, for kernels. */
#pragma once

#include "cuda/backend.cuh"

/** A tx_stage in device memory, without y; next: NULL in the last stage. By value. */
typedef struct tx_cuda_rk {
  const double *u, *base_sum; /**< base_sum may be sum */
  double *sum, *next;
  double dt_sum, dt_next;
} tx_cuda_rk;

/** Of a stage; what the host wrote into its fields goes to the device first. */
tx_status tx_cuda_rk_of(const tx_stage *stage, tx_cuda_rk *out);

/** a + dt k, in one rounding wherever it is done. */
static __device__ __forceinline__ double tx_cuda_step(double a, double dt, double k) {
  return fma(dt, k, a);
}
