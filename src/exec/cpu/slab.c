/* Boxes of points copied between octants, buffers and patches, row by row along x, with the lengths of
 * rows that occur known to the compiler. */
#include "exec/cpu/cpu.h"

#include <string.h>

/* to[i] = sign * from[x * i] for a box; inlined with constant n0 and x. */
static inline __attribute__((always_inline)) void copy_box(const int8_t n[3], int n0, ptrdiff_t x,
                                                           double sign, const tx_cpu_source *from,
                                                           tx_cpu_box to) {
  const int n1 = n[1],
            n2 =
                n[2]; /* read once: what is stored might change bytes, for all the compiler knows */
  const ptrdiff_t var = from->var, y = from->y, z = from->z;
  const double *plane = from->p;
  for (int k = 0; k < n2; k++, plane += z, to.p += to.z) {
    const double *restrict a = plane;
    double *restrict b = to.p;
    for (int j = 0; j < n1; j++, a += y, b += to.y) {
      __builtin_prefetch(a + var); /* this row of the next variable */
      if (x == 1 && sign > 0.0)
        memcpy(b, a, (size_t)n0 * sizeof *b);
      else
        for (int i = 0; i < n0; i++) b[i] = sign * a[x * i];
    }
  }
}

/* copy_box with the row lengths of ghost zones as constants. */
static inline __attribute__((always_inline)) void
copy_rows(const int8_t n[3], ptrdiff_t x, double sign, const tx_cpu_source *from, tx_cpu_box to) {
  if (n[0] == TX_K)
    copy_box(n, TX_K, x, sign, from, to);
  else if (n[0] == TX_N)
    copy_box(n, TX_N, x, sign, from, to);
  else if (n[0] == TX_N / 2)
    copy_box(n, TX_N / 2, x, sign, from, to);
  else
    copy_box(n, n[0], x, sign, from, to);
}

/* One variable, either side in single precision. */
static void copy_single(const int8_t n[3], double sign, const tx_cpu_source *from, tx_cpu_box to) {
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++) {
      const ptrdiff_t a = k * from->z + j * from->y, b = k * to.z + j * to.y;
      for (int i = 0; i < n[0]; i++) {
        const double value = sign * (from->s ? from->s[a + i * from->x] : from->p[a + i * from->x]);
        if (to.s)
          to.s[b + i] = (float)value;
        else
          to.p[b + i] = value;
      }
    }
}

void tx_cpu_box_copy(const int8_t n[3], int n_vars, const int8_t (*parity)[3], tx_cpu_source from,
                     tx_cpu_box to) {
  if (from.s || to.s) {
    copy_single(n, from.mirror ? tx_cpu_sign(parity, 0, from.mirror) : 1.0, &from, to);
    return;
  }
  for (int v = 0; v < n_vars; v++, from.p += from.var, to.p += to.var) {
    const double sign = from.mirror ? tx_cpu_sign(parity, v, from.mirror) : 1.0;
    if (from.x == 1 && sign > 0.0)
      copy_rows(n, 1, 1.0, &from, to);
    else if (from.x == 2)
      copy_rows(n, 2, sign, &from, to);
    else
      copy_rows(n, from.x, sign, &from, to);
  }
}

tx_cpu_source tx_cpu_source_of(const tx_slab *s, const tx_field *f, tx_lidx b) {
  const ptrdiff_t first = TX_AT(s->from[0], s->from[1], s->from[2]);
  return (tx_cpu_source){.p = f->single ? NULL : tx_cpu_block(f, b) + first,
                         .var = TX_N3,
                         .z = s->step[2] * TX_N * TX_N,
                         .y = s->step[1] * TX_N,
                         .x = s->step[0],
                         .mirror = s->mirror,
                         .s = f->single ? tx_cpu_singles(f, b) + first : NULL};
}

tx_cpu_box tx_cpu_box_in(const tx_field *f, tx_lidx b, int first) {
  return (tx_cpu_box){.p = f->single ? NULL : tx_cpu_block(f, b) + first,
                      .var = TX_N3,
                      .z = TX_N * TX_N,
                      .y = TX_N,
                      .s = f->single ? tx_cpu_singles(f, b) + first : NULL};
}

tx_cpu_source tx_cpu_source_dense(const tx_slab *s, const double *dense) {
  const ptrdiff_t y = s->n[0], z = y * s->n[1];
  return (tx_cpu_source){.p = dense, .var = z * s->n[2], .z = z, .y = y, .x = 1};
}

tx_cpu_source tx_cpu_source_cut(const tx_cpu_cut *cut, const double *values) {
  return (tx_cpu_source){.p = values + cut->first,
                         .var = cut->var,
                         .z = cut->z,
                         .y = cut->y,
                         .x = cut->x,
                         .mirror = cut->mirror};
}

void tx_cpu_slab_copy(const tx_slab *s, const int8_t (*parity)[3], const tx_field *f, tx_lidx b,
                      tx_cpu_box to) {
  tx_cpu_box_copy(s->n, f->n_vars, parity, tx_cpu_source_of(s, f, b), to);
}

double *tx_cpu_open(const tx_field *f, tx_lidx b, double room[TX_N3]) {
  if (!f->single) return tx_cpu_block(f, b);
  const float *from = tx_cpu_singles(f, b);
  for (int n = 0; n < TX_N3; n++) room[n] = from[n];
  return room;
}

void tx_cpu_close(const tx_field *f, tx_lidx b, const double room[TX_N3]) {
  if (!f->single) return;
  float *to = tx_cpu_singles(f, b);
  for (int n = 0; n < TX_N3; n++) to[n] = (float)room[n];
}
