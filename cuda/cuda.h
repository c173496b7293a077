/* The GPU backend: the operations of exec/backend.h in CUDA, one GPU per rank, with the whole time step on the
 * device. */
#pragma once

#include <mpi.h>
#include "base/status.h"
#include "exec/backend.h"
#include "exec/profile.h"
#include "params/words.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Table of operations; kernels read ghosts where they are stored. */
extern const tx_backend tx_backend_cuda;

/** The GPU of this rank. */
typedef struct tx_cuda_device {
  char name[256];   /**< e.g. "NVIDIA H200" */
  int index;        /**< among those that this process sees */
  int sms;          /**< streaming multiprocessors */
  int capability;   /**< 90 for 9.0 */
  int driver;       /**< CUDA version of the driver, e.g. 13000 */
  size_t shared;    /**< bytes of shared memory that a block may have */
  size_t shared_sm; /**< and that a multiprocessor has */
  size_t memory;    /**< bytes, all of it */
} tx_cuda_device;

/** Launch plans of the stage kernel, with bitwise identical results. KEEP: state values that are needed again stay
 *  in shared memory, and a multiprocessor holds two blocks. READ: they are read again, and a block has more
 *  registers. */
typedef enum tx_cuda_plan { TX_CUDA_PLAN_KEEP, TX_CUDA_PLAN_READ, TX_CUDA_PLANS } tx_cuda_plan;

/** Return "keep" or "read". Literal. Local. */
const char *tx_cuda_plan_name(tx_cuda_plan plan);
/** Return the shared memory of a block, bytes: 0 if the system has no kernels; and whether this
 *  rank's GPU has so much. Local. */
size_t tx_cuda_plan_shared(const tx_system *system, tx_cuda_plan plan);
bool tx_cuda_plan_fits(const tx_system *system, tx_cuda_plan plan);
/** Return the plan of stages of a system; choose it from now on, one that fits; TX_CUDA_PLANS:
 *  chosen by shared memory. Local. */
tx_cuda_plan tx_cuda_plan_of(const tx_system *system);
void tx_cuda_plan_use(const tx_system *system, tx_cuda_plan plan);

/** Settings of the backend, from the section `compute` of the parameters. */
typedef struct tx_cuda_config {
  int transport; /**< tx_transport_word */
} tx_cuda_config;

/** Write a name of GPU `index` of those that this process sees, the same in all processes that
 *  see it, into `text`. Local. Errors: TX_ERR_LIBRARY. */
#define TX_CUDA_IDENTITY 33
tx_status tx_cuda_identity(int index, char text[TX_CUDA_IDENTITY]);

/** Return the number of GPUs that this process sees; 0 with the reason in `why` [size]. Local. */
int tx_cuda_count(char *why, size_t size);

/** Choose the GPU of each rank (in the order of the ranks of a node), start it, choose and test the transport.
 *  Once, before the first plan. Collective. Errors: TX_ERR_LIBRARY with the reason if a rank has no GPU or it
 *  cannot run what this program was compiled for, or if a transport that was asked for does not work. */
tx_status tx_cuda_start(MPI_Comm comm, const tx_cuda_config *config);
/** Release everything. Local. */
void tx_cuda_stop(void);

/** Describe this rank's GPU; local, after tx_cuda_start. */
void tx_cuda_describe(tx_cuda_device *out);
/** Return the transport in use, "peer memory" or another, and in one line why it is used and not
 *  a faster one. Local; literal. */
const char *tx_cuda_transport(void);
const char *tx_cuda_transport_why(void);

/** Set, for tests: the time that a GPU waits for ghosts from another one before an error (600
 *  s); doubles of octants sent at once (0: the default); the size in bytes below which a phase
 *  of ghosts is sent as small messages, stored by kernels directly on another GPU or copied one
 *  by one (-1: the default). Local, the same on all ranks. */
void tx_cuda_transport_limits(double patience_s, int64_t piece, int64_t direct_bytes);

/** Set, for tests, the time from the failure of a rank to the end of all that wait for it (20
 *  s). Local. */
void tx_cuda_watch_grace(double seconds);

/** Wait until all work so far is complete, and return its failure, if any. Local. Errors: TX_ERR_LIBRARY. */
tx_status tx_cuda_wait(void);

/** Return the bytes of device memory in use by this rank, and the most ever. Local. */
size_t tx_cuda_memory_in_use(void);
size_t tx_cuda_memory_peak(void);

/** Run the part of a stage at the points of outer faces, of all octants; ghosts of stage->y are
 *  filled. For the bench. Local. */
tx_status tx_cuda_boundary_only(tx_exec *x, const tx_system_params *p, const tx_stage *stage);

/** Measure the phases of base/timer.h on the GPU, too, and name them to profilers, from
 *  tx_cuda_start until `stop`, which comes before tx_cuda_stop. Local. */
tx_status tx_cuda_phases_start(void);
void tx_cuda_phases_stop(void);

/** Start profiling: from now on kernels of this rank run one after the other, on any stream, and
 *  each is timed. Waits for pending work. Local. */
tx_status tx_cuda_profile_start(void);
/** Stop profiling, after waiting for all kernels; rows [out, n of them] of the kernels, in the order of their first
 *  launches. A launch's time includes a microsecond or two between events, and more where the host falls behind.
 *  Local. Errors: those of CUDA; TX_ERR_USAGE for more than TX_PROFILE_ROWS kernels. */
tx_status tx_cuda_profile_stop(tx_profile_row rows[TX_PROFILE_ROWS], int *n);

/** Measure this rank's GPU: bytes/s of a triad, FLOP/s of double-precision fused multiply-adds.
 *  Local. */
tx_status tx_cuda_measure(double *triad_bytes_per_s, double *fma_flop_per_s);

#ifdef __cplusplus
}
#endif
