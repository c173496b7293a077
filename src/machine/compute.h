/* The device of the evolution: the CPU, or one GPU per rank. */
#pragma once

#include "exec/exec.h"
#include "exec/profile.h"

/** The device that computes. The same on all ranks, the GPU being that of rank 0. */
typedef struct tx_compute {
  bool gpu;
  char why[512];       /**< CPU: why no GPU; GPU: "" */
  char device[256];    /**< GPU: its name */
  int ranks;           /**< of the communicator */
  int sms, capability; /**< GPU: multiprocessors; 90 for 9.0 */
  int driver;          /**< GPU: CUDA version of the driver, 13000 for 13.0 */
  char release[32]; /**< GPU: of the driver, "580.159.04", or "" where the system does not tell */
  double memory_bytes;                   /**< GPU: of the smallest one of all ranks */
  const char *transport, *transport_why; /**< GPU, several ranks: see tx_cuda_transport */
} tx_compute;

/** Collective. Start what p's section `compute` asks for; plans made from now on compute there. Before
 *  the first plan, and once until tx_compute_stop. Errors: TX_ERR_PARAM if GPUs are asked for and this
 *  program knows no CUDA, or not every rank has one of its own; TX_ERR_LIBRARY if one does not work. */
tx_status tx_compute_start(MPI_Comm comm, const tx_params *p);
/** Return to the CPU, after the last plan was destroyed. Local. */
void tx_compute_stop(void);

/** Plans of the GPU's kernel of a stage (cuda/cuda.h), 0 .. n - 1; there are none on the CPU. Name, shared memory of a block in
 *  bytes, and whether this rank's GPU has it; the plan of a system, and that from now on, -1 for what shared memory suggests. Local. */
int tx_compute_plans(void);
const char *tx_compute_plan_name(int plan);
size_t tx_compute_plan_shared(const tx_system *system, int plan);
bool tx_compute_plan_fits(const tx_system *system, int plan);
int tx_compute_plan(const tx_system *system);
void tx_compute_plan_use(const tx_system *system, int plan);

/** Peaks of what computes, over all ranks, measured now: bytes/s of a triad a = b + s c, FLOP/s of fused
 *  multiply-adds. Collective. */
tx_status tx_compute_measure(MPI_Comm comm, double *triad_bytes_per_s, double *fma_flop_per_s);

/** See tx_cuda_profile_start and tx_cuda_profile_stop; TX_ERR_USAGE on the CPU. */
tx_status tx_compute_profile_start(void);
tx_status tx_compute_profile_stop(tx_profile_row rows[TX_PROFILE_ROWS], int *n);

/** See tx_cuda_boundary_only; TX_ERR_USAGE on the CPU. */
tx_status tx_compute_boundary(tx_exec *x, const tx_system_params *p, const tx_stage *stage);

/** Return the device that computes; the CPU before tx_compute_start. View. Local. */
const tx_compute *tx_compute_get(void);

/** "cpu" or "cuda", for JSON. Literal. Local. */
const char *tx_compute_backend(void);

/** Device in one line: "4 x NVIDIA H200, 140 GiB, 132 multiprocessors, ..." or "the CPU". Local. */
void tx_compute_text(char *text, size_t size);
/** Log the device and the reason. Local. */
void tx_compute_log(void);

/** Bytes of device memory of this rank: most ever; now in use. 0 on the CPU. Local. */
double tx_compute_memory_peak(void);
double tx_compute_memory_in_use(void);
