/* Boxes of points copied between octants, buffers and patches, row by row along x, with the lengths of
 * rows that occur known to the compiler. */
#include "exec/cpu/cpu.h"

#include <string.h>

/* to[i] = sign * from[step * i] for a box; inlined with constant n0 and step. */
static inline __attribute__((always_inline)) void
copy_box(const int8_t n[3], int n0, ptrdiff_t step, double sign, const double *from, ptrdiff_t fz,
         ptrdiff_t fy, double *to, ptrdiff_t tz, ptrdiff_t ty) {
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++) {
      const double *restrict a = from + k * fz + j * fy;
      double *restrict b = to + k * tz + j * ty;
      __builtin_prefetch(a + 2 * TX_N3); /* this row of a variable to come */
      if (step == 1 && sign > 0.0)
        memcpy(b, a, (size_t)n0 * sizeof *b);
      else
        for (int i = 0; i < n0; i++) b[i] = sign * a[step * i];
    }
}

/* copy_box with the row lengths of ghost zones as constants. */
static inline __attribute__((always_inline)) void copy_rows(const int8_t n[3], ptrdiff_t step,
                                                            double sign, const double *from,
                                                            ptrdiff_t fz, ptrdiff_t fy, double *to,
                                                            ptrdiff_t tz, ptrdiff_t ty) {
  if (n[0] == TX_K)
    copy_box(n, TX_K, step, sign, from, fz, fy, to, tz, ty);
  else if (n[0] == TX_N)
    copy_box(n, TX_N, step, sign, from, fz, fy, to, tz, ty);
  else if (n[0] == TX_N / 2)
    copy_box(n, TX_N / 2, step, sign, from, fz, fy, to, tz, ty);
  else
    copy_box(n, n[0], step, sign, from, fz, fy, to, tz, ty);
}

void tx_cpu_slab_copy(const tx_slab *s, int n_vars, const int8_t (*parity)[3], const double *block,
                      tx_cpu_box to) {
  const double *from = block + TX_AT(s->from[0], s->from[1], s->from[2]);
  ptrdiff_t fz = s->step[2] * TX_N * TX_N, fy = s->step[1] * TX_N;
  for (int v = 0; v < n_vars; v++, from += TX_N3, to.p += to.var) {
    double sign = s->mirror ? tx_cpu_sign(parity, v, s->mirror) : 1.0;
    if (s->step[0] == 1 && sign > 0.0)
      copy_rows(s->n, 1, 1.0, from, fz, fy, to.p, to.z, to.y);
    else if (s->step[0] == 2)
      copy_rows(s->n, 2, sign, from, fz, fy, to.p, to.z, to.y);
    else
      copy_rows(s->n, s->step[0], sign, from, fz, fy, to.p, to.z, to.y);
  }
}

void tx_cpu_slab_place(const tx_slab *s, int n_vars, const double *dense, double *patch) {
  double *to = patch + TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]);
  ptrdiff_t fy = s->n[0], fz = fy * s->n[1];
  for (int v = 0; v < n_vars; v++, dense += fz * s->n[2], to += TX_P3)
    copy_rows(s->n, 1, 1.0, dense, fz, fy, to, TX_P * TX_P, TX_P);
}
