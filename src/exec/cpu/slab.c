/* Boxes of points copied between octants, buffers and patches, row by row along x, with the lengths of
 * rows that occur known to the compiler. */
#include "exec/cpu/cpu.h"

#include <string.h>

/* Where points come from: (i, j, k) at p[k * z + j * y + step * i]. */
typedef struct source {
  const double *p;
  ptrdiff_t z, y;
} source;

/* to[i] = sign * from[step * i] for a box; inlined with constant n0 and step. */
static inline __attribute__((always_inline)) void
copy_box(const int8_t n[3], int n0, ptrdiff_t step, double sign, source from, tx_cpu_box to) {
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++) {
      const double *restrict a = from.p + k * from.z + j * from.y;
      double *restrict b = to.p + k * to.z + j * to.y;
      __builtin_prefetch(a + 2 * TX_N3); /* this row of a variable to come */
      if (step == 1 && sign > 0.0)
        memcpy(b, a, (size_t)n0 * sizeof *b);
      else
        for (int i = 0; i < n0; i++) b[i] = sign * a[step * i];
    }
}

/* copy_box with the row lengths of ghost zones as constants. */
static inline __attribute__((always_inline)) void
copy_rows(const int8_t n[3], ptrdiff_t step, double sign, source from, tx_cpu_box to) {
  if (n[0] == TX_K)
    copy_box(n, TX_K, step, sign, from, to);
  else if (n[0] == TX_N)
    copy_box(n, TX_N, step, sign, from, to);
  else if (n[0] == TX_N / 2)
    copy_box(n, TX_N / 2, step, sign, from, to);
  else
    copy_box(n, n[0], step, sign, from, to);
}

void tx_cpu_slab_copy(const tx_slab *s, int n_vars, const int8_t (*parity)[3], const double *block,
                      tx_cpu_box to) {
  source from = {block + TX_AT(s->from[0], s->from[1], s->from[2]), s->step[2] * TX_N * TX_N,
                 s->step[1] * TX_N};
  for (int v = 0; v < n_vars; v++, from.p += TX_N3, to.p += to.var) {
    double sign = s->mirror ? tx_cpu_sign(parity, v, s->mirror) : 1.0;
    if (s->step[0] == 1 && sign > 0.0)
      copy_rows(s->n, 1, 1.0, from, to);
    else if (s->step[0] == 2)
      copy_rows(s->n, 2, sign, from, to);
    else
      copy_rows(s->n, s->step[0], sign, from, to);
  }
}

void tx_cpu_slab_place(const tx_slab *s, int n_vars, const double *dense, double *patch) {
  tx_cpu_box to = {patch + TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]), TX_P3, TX_P * TX_P, TX_P};
  source from = {dense, s->n[0] * s->n[1], s->n[0]};
  for (int v = 0; v < n_vars; v++, from.p += from.z * s->n[2], to.p += TX_P3)
    copy_rows(s->n, 1, 1.0, from, to);
}
