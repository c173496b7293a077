/* Checked CUDA calls and launches; streams and memory of this rank's GPU. */
#pragma once

#include <cuda_runtime.h>

#include "cuda/host.h"
#include "cuda/profile.cuh"

/** Record a failed CUDA call. TX_ERR_LIBRARY, or TX_ERR_MEMORY for lack of device memory. Local. */
tx_status tx_cuda_error(cudaError_t code, const char *call, const char *file, int line);

/** Number of CUDA calls and launches so far: shows whether there was any work to be timed. */
extern unsigned tx_cuda_calls;

/** Number of this rank's GPU among those that this process sees; 0 before tx_cuda_start. */
extern int tx_cuda_index;

/** Check a CUDA call. */
#define TX_CUDA(call)                                                                              \
  do {                                                                                             \
    tx_cuda_calls++;                                                                               \
    cudaError_t tx_cuda_code_ = (call);                                                            \
    if (tx_cuda_code_ != cudaSuccess)                                                              \
      return tx_cuda_error(tx_cuda_code_, #call, __FILE__, __LINE__);                              \
  } while (0)

/** Launch a kernel: grid and block as numbers or dim3, bytes of dynamic shared memory. Host compilers that
 *  run kernels themselves define it first. */
#ifndef TX_LAUNCH
#define TX_LAUNCH(kernel, grid, block, shared, stream, ...)                                        \
  kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)
#endif

/** Launch and check; nothing if the grid is empty. */
#define TX_CUDA_RUN(kernel, grid, block, shared, stream, ...)                                      \
  TX_CUDA_RUN_WORK(tx_cuda_work(), kernel, grid, block, shared, stream, __VA_ARGS__)

/** Launch and check a kernel whose work is known (tx_cuda_work). */
#define TX_CUDA_RUN_WORK(work, kernel, grid, block, shared, stream, ...)                           \
  do {                                                                                             \
    if ((grid) == 0) break;                                                                        \
    tx_cuda_calls++;                                                                               \
    if (tx_cuda_profiling) {                                                                       \
      const tx_cuda_launch tx_launch_ = {tx_cuda_address(kernel), #kernel, __FILE__, (int)(block), \
                                         (size_t)(shared),        stream};                         \
      tx_cuda_profile_begin(&tx_launch_, work);                                                    \
    }                                                                                              \
    TX_LAUNCH(kernel, (unsigned)(grid), (unsigned)(block), shared, stream, __VA_ARGS__);           \
    if (tx_cuda_profiling) tx_cuda_profile_end(stream);                                            \
    cudaError_t tx_cuda_code_ = cudaGetLastError();                                                \
    if (tx_cuda_code_ != cudaSuccess)                                                              \
      return tx_cuda_error(tx_cuda_code_, "launch of " #kernel, __FILE__, __LINE__);               \
  } while (0)

/** Shared memory of a block that GPUs must have, bytes: kernels have plans that fit (of compute capability 8.6 and 8.9; with
 *  octants of 16 points of 8.0). */
#define TX_CUDA_SHARED_LEAST ((TX_N <= 8 ? 99 : 163) * 1024)

/** Least compute capability, of 8.0: copies to shared memory go on while threads compute. */
#define TX_CUDA_CAPABILITY_LEAST 80

/** The dynamic shared memory of a block, 16-byte aligned. */
#ifndef TX_SHARED
#define TX_SHARED(type, name)                                                                      \
  extern __shared__ __align__(16) unsigned char tx_shared_bytes_[];                                \
  type *name = reinterpret_cast<type *>(tx_shared_bytes_)
#endif

/** Streams of this rank: `compute` runs the stages; `halo`, of higher priority, packs, sends and
 *  waits for other ranks; `side`, of higher priority too, serves small questions of the host;
 *  `boundary` and `outer` run parts of stages beside `compute`, see tx_cuda_stage_fork; `kept`
 *  stored stages of levels; `upload` uploads tables beside all others. Created by tx_cuda_start. */
typedef struct tx_cuda_streams {
  cudaStream_t compute, halo, side, boundary, outer, kept, upload;
} tx_cuda_streams;
extern tx_cuda_streams tx_cuda_stream;

/** Allocate device memory, counted by `what` (a literal), not zeroed; quick, in the order of the
 *  compute stream (others must wait for what uses it). 256-byte aligned. Local. Errors:
 *  TX_ERR_MEMORY with the size, what is free, and the largest consumers. */
tx_status tx_cuda_alloc(size_t bytes, const char *what, void *out /* T** */);
/** Free device memory; NULL is fine. */
void tx_cuda_free(void *block);

/** Allocate device memory that other processes can open (CUDA IPC), counted; slow, at once.
 *  Local. Errors: TX_ERR_MEMORY as above. */
tx_status tx_cuda_alloc_exported(size_t bytes, const char *what, void *out /* T** */);
void tx_cuda_free_exported(void *block);

/** Allocate page-locked host memory, counted, zeroed. Blocks that are freed, after the GPU has
 *  finished with them, are kept for the next request, until `trim`. */
tx_status tx_cuda_host_alloc(size_t bytes, const char *what, void *out /* T** */);
void tx_cuda_host_free(void *block);
void tx_cuda_host_trim(void);

/** Allocate device memory at once: any stream may use it, and no work under way is waited for.
 *  To be freed like that of tx_cuda_alloc. */
tx_status tx_cuda_alloc_now(size_t bytes, const char *what, void *out /* T** */);

/** Allocate as tx_cuda_alloc_now and upload the bytes at `from`, pageable memory, before it
 *  returns. */
tx_status tx_cuda_upload(const void *from, size_t bytes, const char *what, void *out /* T** */);
