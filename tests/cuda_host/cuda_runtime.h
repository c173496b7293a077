/* CUDA on the host, for tests: with this folder first among the include directories, g++ compiles the .cu
 * files of cuda/ unchanged, and kernels run on the CPU.
 *
 * What it is. The runtime API as plain functions, everything done when they return, but on streams that are late; the threads of a block as
 * fibers, so that barriers and shuffles work; blocks one after the other. It ends the program with a message
 * at a barrier that part of a block does not reach, or that threads reach in different lines; at writes beyond
 * the end of device or shared memory (noticed at the end of a block or when memory is freed; under
 * AddressSanitizer at once); at launches that no GPU would accept;
 * at streams and events that are gone. Fresh device and shared memory
 * holds NaN (all bits set), so that what is read before it was written shows.
 *
 * What it cannot show. Races between threads, but for those that the order of threads brings to light (they
 * run forwards and backwards in turn from barrier to barrier; TX_CUDA_HOST_ORDER=reverse turns that and the
 * order of blocks round); without the thread sanitizer (cuda_host_order.h) orders between streams other than these two: at once, or
 * as late as what waits for it allows (TX_CUDA_HOST_LATE, on one rank), nor memory of a pool that is used again too early; fresh
 * static shared memory of kernels that are templates, which keeps what it had; alignment of vector loads
 * beyond what the CPU asks for; a kernel that reads host memory, or host code that reads device memory;
 * contraction of products and sums by nvcc; speed.
 *
 * Environment, read when first needed: TX_CUDA_HOST_DEVICES, number of devices (8); TX_CUDA_HOST_MEMORY, bytes
 * of memory of each (16 GiB); TX_CUDA_HOST_SHARED, KiB of shared memory that a block may have (227);
 * TX_CUDA_HOST_CAPABILITY, the first number of the compute capability (9); TX_CUDA_HOST_DRIVER, CUDA version of the driver; TX_CUDA_HOST_ORDER; TX_CUDA_HOST_PLAIN_MPI, set
 * if MPI shall be taken for one that knows no GPUs; TX_CUDA_HOST_FAIL, set while events cannot be recorded; TX_CUDA_HOST_LATE, bit n for the stream created as number n (0). */
#pragma once

/* Headers that .cu files find without asking; before __CUDACC__, which some system headers heed. */
#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define TX_CUDA_HOST   1
#define CUDART_VERSION 13000
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__    __attribute__((noinline))
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __shared__  static __attribute__((section("tx_shared_memory")))
#define __managed__ error_managed_memory_is_not_used

#include "cuda_host_api.h"
#include "cuda_host_kernel.h"
