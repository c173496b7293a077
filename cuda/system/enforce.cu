/* Algebraic constraints and floors, point by point. */
#include "cuda/system/enforce.cuh"

#include "physics/sommerfeld_point.h"

#define THREADS 256

static __global__ void __launch_bounds__(THREADS)
    enforce(const tx_cuda_place *place, const tx_lidx *octants, tx_cuda_floors floors, double *u,
            unsigned long long *algebraic) {
  const unsigned parts = TX_CUDA_PARTS(THREADS);
  const tx_lidx b = octants[blockIdx.x / parts];
  const int n = (int)(blockIdx.x % parts * THREADS + threadIdx.x);
  const int at[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
  double *point = u + (size_t)b * TX_VARS * TX_N3 + n;
  bool evolved = tx_cuda_in_octant(THREADS, n);
#pragma unroll
  for (int d = 0; d < 3; d++) evolved = evolved && at[d] >= tx_outer_first(place[b].outer, d);
  tx_cuda_worst worst = {};
  if (evolved) tx_cuda_enforce_all(floors, point, TX_N3, &worst);
  tx_cuda_worst_reduce(worst, algebraic);
}

tx_status TX_OF(cuda_enforce)(tx_exec *x, const tx_set *set, const tx_system_params *p, double *u) {
  TX_CUDA_RUN_WORK(tx_cuda_copies((double)set->n * TX_N3 * TX_VARS), enforce,
                   (size_t)set->n * TX_CUDA_PARTS(THREADS), THREADS, 0, tx_cuda_stream.compute,
                   tx_cuda_of(x)->mesh.place, tx_cuda_set_of(set)->octant,
                   tx_cuda_floors_of(p, false), u, tx_cuda_of(x)->algebraic);
  return TX_OK;
}
