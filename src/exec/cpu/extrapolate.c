/* Ghosts beyond the outer boundary. */
#include "exec/cpu/cpu.h"

#include "physics/extrapolate_point.h"

/* Ghosts beyond the point or row of n points at `edge`; `in` points inwards. */
static inline __attribute__((always_inline)) void row(const tx_outer_weights *e, double *edge,
                                                      ptrdiff_t in, int n) {
  for (int g = 0; g < TX_K; g++) {
    double *restrict to = edge - (g + 1) * in;
    for (int i = 0; i < n; i++) {
      double sum = e->w[g][0] * edge[i];
      for (int j = 1; j < TX_OUTER_POINTS; j++) sum += e->w[g][j] * edge[j * in + i];
      to[i] = sum;
    }
  }
}

/* One face of dimension d. Rows along x are complete when y and z come; of y and z, what is filled is
 * low .. high - 1. */
static void face(const tx_outer_weights *e, int d, int side, const int low[3], const int high[3],
                 double *patch) {
  const int edge = side ? TX_N - 1 : 0, sign = side ? -1 : 1;
  if (d == 0)
    for (int k = low[2]; k < high[2]; k++)
      for (int j = low[1]; j < high[1]; j++) {
        double *p = patch + TX_PATCH_AT(edge, j, k);
        side ? row(e, p, -1, 1) : row(e, p, 1, 1);
      }
  else if (d == 1)
    for (int k = low[2]; k < high[2]; k++)
      row(e, patch + TX_PATCH_AT(-TX_K, edge, k), sign * TX_P, TX_P);
  else
    for (int j = low[1]; j < high[1]; j++)
      row(e, patch + TX_PATCH_AT(-TX_K, j, edge), sign * TX_P * TX_P, TX_P);
}

void tx_cpu_extrapolate(unsigned outer, int n_vars, double *patch) {
  const tx_outer_weights e = tx_outer_weights_make();
  int low[3], high[3]; /* what is filled so far */
  for (int d = 0; d < 3; d++) {
    low[d] = outer & TX_FACE_BIT(d, 0) ? 0 : -TX_K;
    high[d] = outer & TX_FACE_BIT(d, 1) ? TX_N : TX_N + TX_K;
  }
  for (int d = 0; d < 3; d++) {
    for (int side = 0; side < 2; side++)
      for (int v = 0; v < n_vars && outer & TX_FACE_BIT(d, side); v++)
        face(&e, d, side, low, high, patch + v * TX_P3);
    low[d] = -TX_K;
    high[d] = TX_N + TX_K;
  }
}
