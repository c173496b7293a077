/* Products, and their sums with a third number, of either precision, that are rounded the same in every kernel: ranks do not
 * share their kernels, and a compiler might fuse in one of them and not in another. TX_CUDA_UNFUSED: no sum is fused, for
 * measurements of what that costs. */
#pragma once

#include "cuda/device.cuh"

static __device__ __forceinline__ double tx_cuda_product(double a, double b) {
  return __dmul_rn(a, b);
}
static __device__ __forceinline__ float tx_cuda_product(float a, float b) {
  return __fmul_rn(a, b);
}

#ifdef TX_CUDA_UNFUSED
static __device__ __forceinline__ double tx_cuda_fma(double a, double b, double c) {
  return __dadd_rn(__dmul_rn(a, b), c);
}
static __device__ __forceinline__ float tx_cuda_fma(float a, float b, float c) {
  return __fadd_rn(__fmul_rn(a, b), c);
}
#else
static __device__ __forceinline__ double tx_cuda_fma(double a, double b, double c) {
  return fma(a, b, c);
}
static __device__ __forceinline__ float tx_cuda_fma(float a, float b, float c) {
  return fmaf(a, b, c);
}
#endif
