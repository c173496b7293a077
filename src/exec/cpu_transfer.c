/* Octants of a new mesh from those of the old one. */
#include "exec/cpu.h"

#include <string.h>

/* Child `c` (x + 2y + 4z) of the octant that a patch belongs to: [n_vars][TX_N3]. */
static void refine(const tx_cpu_lines *lines, const double *patch, int n_vars, unsigned c,
                   double *out) {
  tx_slab s = {.kind = TX_SLAB_INTERP};
  for (int d = 0; d < 3; d++) {
    s.from[d] = c >> d & 1 ? TX_N : 0;
    s.n[d] = TX_N;
    s.step[d] = 1;
  }
  tx_cpu_slab_interpolate(lines, &s, n_vars, NULL, patch, out);
}

/* The parent of eight children that follow each other, `blocks` being the first: [n_vars][TX_N3]. */
static void coarsen(const double *blocks, int n_vars, double *out) {
  size_t block = (size_t)n_vars * TX_N3;
  for (unsigned c = 0; c < 8; c++) {
    tx_slab s = {.kind = TX_SLAB_INJECT};
    for (int d = 0; d < 3; d++) {
      s.n[d] = TX_N / 2;
      s.step[d] = 2;
    }
    double *corner =
        out + TX_AT((c & 1) * (TX_N / 2), (c >> 1 & 1) * (TX_N / 2), (c >> 2) * (TX_N / 2));
    tx_cpu_slab_copy(&s, n_vars, NULL, blocks + c * block,
                     (tx_cpu_box){corner, TX_N3, TX_N * TX_N, TX_N});
  }
}

tx_status tx_cpu_make(tx_exec *x, const tx_field *f, const tx_origin *made, tx_lidx n,
                      double *out) {
  size_t block = (size_t)f->n_vars * TX_N3;
#pragma omp parallel
  {
    double *patch = tx_cpu_here(x)->patch;
    tx_lidx built = -1; /* octant whose patch is in the buffer: siblings follow each other */
#pragma omp for schedule(static)
    for (tx_lidx i = 0; i < n; i++) {
      double *to = out + (size_t)i * block;
      tx_lidx old = made[i].old;
      if (made[i].change == TX_COARSEN_OCTANT) {
        coarsen(tx_cpu_block(f, old), f->n_vars, to);
      } else if (made[i].change == TX_REFINE_OCTANT) {
        if (built != old) tx_cpu_patch(x, f, old, patch);
        built = old;
        refine(((const tx_cpu *)x->state)->lines, patch, f->n_vars, made[i].child, to);
      } else {
        memcpy(to, tx_cpu_block(f, old), block * sizeof *to);
      }
    }
  }
  return TX_OK;
}
