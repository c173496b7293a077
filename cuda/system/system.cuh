/* Declarations of a system's kernels. The files of this folder are compiled once for each
 * system, whose names the build gives (physics/octant/octant.h). Types of kernels' arguments carry the name of the
 * system: launches are templates over them, of which the linker keeps one a name. */
#pragma once

#include "cuda/backend.cuh"
#include "cuda/kernels/update.cuh"

extern "C" {
#include "physics/octant/octant.h"
}

/** The system's description for the CPU, with the cost of a point. */
extern "C" const tx_system TX_THIS_SYSTEM;

/* First components of the metric and of At; of systems without one, no variable. */
#ifdef TX_SYSTEM_METRIC
enum { METRIC = TX_SYSTEM_METRIC, CURVATURE = TX_SYSTEM_CURVATURE };
#else
enum { METRIC = -1, CURVATURE = -1 };
#endif

/* See tx_cuda_system. */
tx_status TX_BY_SCHEME(cuda_stage)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                   const tx_cuda_stage_work *work, cudaStream_t stream);
/* Launch the plan `read`; and return the bytes of shared memory of a block of either. */
tx_status TX_BY_SCHEME(cuda_stage_small)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                         const tx_cuda_stage_work *work, cudaStream_t stream);
size_t TX_BY_SCHEME(cuda_stage_shared)(void);
size_t TX_BY_SCHEME(cuda_stage_small_shared)(void);
tx_status TX_OF(cuda_boundary)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                               const tx_cuda_stage_work *work, cudaStream_t stream);
tx_status TX_OF(cuda_enforce)(tx_exec *x, const tx_set *set, const tx_system_params *p, double *u);
tx_status TX_BY_SCHEME(cuda_constraints)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                         const tx_cuda_values &u, const tx_cuda_balls &balls,
                                         tx_norm_part *parts);
tx_status TX_BY_SCHEME(cuda_analysis)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                      const tx_cuda_values &u, double *out);
tx_status TX_OF(cuda_psi4)(size_t n, const tx_cuda_point *points, const double *jets,
                           double (*out)[TX_PSI4_COLUMNS], cudaStream_t stream);
