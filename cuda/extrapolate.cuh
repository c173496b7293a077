/* Ghosts beyond outer faces, in a patch in shared or global memory; the same polynomials as on the CPU. */
#pragma once

#include "cuda/device.cuh"

/** Fill the ghosts beyond the faces `outer` (TX_FACE_BIT) of one variable's patch [TX_P3], all others being
 *  there, dimension after dimension. The whole block calls it, after a barrier; ends with one. */
static __device__ inline void tx_cuda_extrapolate(uint32_t outer, double *patch);
