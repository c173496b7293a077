/* Psi4 at points, a point a thread. */
#include "cuda/system/system.cuh"

#ifdef TX_SYSTEM_WEYL
#include "physics/area_point.h"
#include "physics/octant/expansion_point.h"
#include "physics/octant/sphere_point.h"
#include "physics/turn_point.h"

/* Threads of a block, each with one point and its row of tx_exec_psi4. */
enum { THREADS = 64 };
static __global__ void __launch_bounds__(THREADS)
    psi4_points(int n, const tx_cuda_point *points, const double (*jets)[TX_VARS][10],
                double (*out)[TX_PSI4_COLUMNS]) {
  const int i = (int)(blockIdx.x * THREADS + threadIdx.x);
  if (i >= n) return;
  double x[3], psi4[2], expansion[2], turn[3] = {0.0, 0.0, 0.0};
  for (int d = 0; d < 3; d++) x[d] = points[i].at[d];
  tx_psi4_of_jets(jets[i], x, psi4);
  tx_expansion_of_jets(jets[i], x, expansion);
#ifdef TX_SYSTEM_SHIFT
  tx_turn_point(&jets[i][TX_SYSTEM_SHIFT], x, turn);
#endif
  const double chi = jets[i][TX_SYSTEM_FACTOR][0];
  out[i][TX_PSI4_RE] = psi4[0] + 0.0; /* -0 to +0 */
  out[i][TX_PSI4_IM] = psi4[1] + 0.0;
  out[i][TX_PSI4_AREA] = tx_area_element_point(&jets[i][TX_SYSTEM_METRIC], chi, x) + 0.0;
  out[i][TX_PSI4_EXPANSION_N] = expansion[0] + 0.0;
  out[i][TX_PSI4_EXPANSION_S] = expansion[1] + 0.0;
  for (int d = 0; d < 3; d++) out[i][TX_PSI4_TURN_X + d] = turn[d] + 0.0;
#ifdef TX_SYSTEM_LAPSE
  out[i][TX_PSI4_LAPSE] = jets[i][TX_SYSTEM_LAPSE][0] + 0.0;
#else
  out[i][TX_PSI4_LAPSE] = 1.0;
#endif
  out[i][TX_PSI4_OWNERS] = 1.0;
}

tx_status TX_OF(cuda_psi4)(size_t n, const tx_cuda_point *points, const double *jets,
                           double (*out)[TX_PSI4_COLUMNS], cudaStream_t stream) {
  const double numbers = 10.0 * TX_VARS + TX_PSI4_COLUMNS;
  TX_CUDA_RUN_WORK(
      tx_cuda_work_of((double)n * TX_WEYL_OPERATIONS, (double)n * numbers * sizeof(double)),
      psi4_points, (n + THREADS - 1) / THREADS, THREADS, 0, stream, (int)n, points,
      reinterpret_cast<const double(*)[TX_VARS][10]>(jets), out);
  return TX_OK;
}
#endif
