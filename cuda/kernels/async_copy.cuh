/* Copies from global to shared memory that go on while a thread computes (sm_80 and later): the only
 * instructions that are written by hand. On a host they are plain copies. */
#pragma once

#include "cuda/device.cuh"

#ifdef __CUDA_ARCH__
static __device__ __forceinline__ unsigned tx_async_address(const void *shared) {
  return (unsigned)__cvta_generic_to_shared(shared);
}
#endif

/** Begin to copy one double. */
static __device__ __forceinline__ void tx_async_copy(double *shared, const double *global) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(tx_async_address(shared)),
               "l"(global)
               : "memory");
#else
  *shared = *global;
#endif
}

/** Begin to copy one number in single precision. */
static __device__ __forceinline__ void tx_async_copy(float *shared, const float *global) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(tx_async_address(shared)),
               "l"(global)
               : "memory");
#else
  *shared = *global;
#endif
}

/** Begin to copy two doubles; both addresses are multiples of 16 bytes. */
static __device__ __forceinline__ void tx_async_copy2(double *shared, const double *global) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tx_async_address(shared)),
               "l"(global)
               : "memory");
#else
  assert((uintptr_t)shared % 16 == 0 && (uintptr_t)global % 16 == 0);
  shared[0] = global[0];
  shared[1] = global[1];
#endif
}

/** End a group of this thread's copies. */
static __device__ __forceinline__ void tx_async_commit(void) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/** Wait until at most LATER groups, the last ones, are under way. */
template <int LATER> static __device__ __forceinline__ void tx_async_wait(void) {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
#endif
}
