/* Boxes of points copied between octants, buffers and patches, row by row along x, with the lengths of
 * rows that occur known to the compiler. */
#include "exec/cpu/cpu.h"

#include <string.h>

/* Where points come from: (i, j, k) of variable v at p[v * var + k * z + j * y + i * x]. */
typedef struct source {
  const double *p;
  ptrdiff_t var, z, y, x;
} source;

/* to[i] = sign * from[step * i] for a box; inlined with constant n0 and step. */
static inline __attribute__((always_inline)) void
copy_box(const int8_t n[3], int n0, ptrdiff_t step, double sign, source from, tx_cpu_box to) {
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++) {
      const double *restrict a = from.p + k * from.z + j * from.y;
      double *restrict b = to.p + k * to.z + j * to.y;
      __builtin_prefetch(a + 2 * from.var); /* this row of a variable to come */
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

/* A box of n points of each variable, reflected in `mirror`. */
static void copy_vars(const int8_t n[3], unsigned mirror, int n_vars, const int8_t (*parity)[3],
                      source from, tx_cpu_box to) {
  for (int v = 0; v < n_vars; v++, from.p += from.var, to.p += to.var) {
    double sign = mirror ? tx_cpu_sign(parity, v, mirror) : 1.0;
    if (from.x == 1 && sign > 0.0)
      copy_rows(n, 1, 1.0, from, to);
    else if (from.x == 2)
      copy_rows(n, 2, sign, from, to);
    else
      copy_rows(n, from.x, sign, from, to);
  }
}

void tx_cpu_slab_copy(const tx_slab *s, int n_vars, const int8_t (*parity)[3], const double *block,
                      tx_cpu_box to) {
  const source from = {block + TX_AT(s->from[0], s->from[1], s->from[2]), TX_N3,
                       s->step[2] * TX_N * TX_N, s->step[1] * TX_N, s->step[0]};
  copy_vars(s->n, s->mirror, n_vars, parity, from, to);
}

void tx_cpu_slab_place(const tx_slab *s, int n_vars, const double *dense, double *patch) {
  const ptrdiff_t y = s->n[0], z = y * s->n[1];
  const tx_cpu_box to = {patch + TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]), TX_P3, TX_P * TX_P,
                         TX_P};
  copy_vars(s->n, 0, n_vars, NULL, (source){dense, z * s->n[2], z, y, 1}, to);
}

void tx_cpu_cut_copy(const tx_slab *s, const tx_cpu_cut *cut, int n_vars, const int8_t (*parity)[3],
                     const double *values, tx_cpu_box to) {
  const source from = {values + cut->first, cut->var, cut->z, cut->y, cut->x};
  copy_vars(s->n, cut->mirror, n_vars, parity, from, to);
}
