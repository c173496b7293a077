/* Extrapolation of the planes on lower outer faces. */
#include "cuda/backend.cuh"
#include "cuda/kernels/extrapolate.cuh"
#include "physics/sommerfeld_point.h"

static __global__ void __launch_bounds__(TX_N *TX_N)
    outer_planes(const tx_cuda_place *place, const tx_lidx *octants, int n_vars, double *data) {
  const size_t n = blockIdx.x / (unsigned)n_vars, v = blockIdx.x % (unsigned)n_vars;
  const tx_lidx b = octants[n];
  const uint32_t outer = place[b].outer;
  const int i = (int)threadIdx.x % TX_N, j = (int)threadIdx.x / TX_N;
  constexpr int stride[3] = {1, TX_N, TX_N * TX_N};
#pragma unroll
  for (int d = 0; d < 3; d++) {
    if (!(outer & TX_FACE_BIT(d, 0))) continue;
    double *u = data + ((size_t)b * (size_t)n_vars + v) * TX_N3 + i * stride[d == 0 ? 1 : 0] +
                j * stride[d == 2 ? 1 : 2];
    double inside[TX_OUTER_POINTS], ghosts[TX_K];
#pragma unroll
    for (int m = 0; m < TX_OUTER_POINTS; m++) inside[m] = u[(m + 1) * stride[d]];
    tx_cuda_outer_ghosts(inside, ghosts);
    *u = ghosts[0];
    __syncthreads();
  }
}

tx_status tx_cuda_outer_planes(tx_exec *x, const tx_set *set, tx_field *f) {
  const tx_cuda_set *there = tx_cuda_set_of(set);
  double *data;
  TX_TRY(tx_cuda_target(f, &data));
  TX_CUDA_RUN(outer_planes, (size_t)there->n_outer * (size_t)f->n_vars, TX_N * TX_N, 0,
              tx_cuda_stream.compute, tx_cuda_of(x)->mesh.place, there->boundary, f->n_vars, data);
  return TX_OK;
}
