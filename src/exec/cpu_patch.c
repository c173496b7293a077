/* Patches: an octant with its ghosts, put together in a thread's buffer. */
#include "exec/cpu.h"

#include <omp.h>
#include <string.h>

#include "base/timer.h"

tx_cpu_thread *tx_cpu_here(const tx_exec *x) {
  tx_cpu *cpu = x->state;
  return &cpu->thread[omp_get_thread_num()];
}

/* Weights of extrapolation: ghost g + 1 beyond a face from the points 0, 1, ... inside,
 * \prod_{m \ne j} (g + 1 + m)/(m - j) (Lagrange). */
typedef struct weights {
  double w[TX_K][TX_OUTER_POINTS];
} weights;

static weights weights_make(void) {
  weights e;
  for (int g = 0; g < TX_K; g++)
    for (int j = 0; j < TX_OUTER_POINTS; j++) {
      double above = 1.0, below = 1.0;
      for (int m = 0; m < TX_OUTER_POINTS; m++)
        if (m != j) {
          above *= g + 1 + m;
          below *= m - j;
        }
      e.w[g][j] = above / below;
    }
  return e;
}

/* Ghosts beyond the face at `edge` on rows of n points; `in` points inwards. */
static void extrapolate_rows(const weights *e, double *edge, ptrdiff_t in, int n) {
  for (int g = 0; g < TX_K; g++) {
    double *restrict to = edge - (g + 1) * in;
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int j = 0; j < TX_OUTER_POINTS; j++) sum += e->w[g][j] * edge[j * in + i];
      to[i] = sum;
    }
  }
}

void tx_cpu_extrapolate(unsigned outer, int n_vars, double *patch) {
  const weights e = weights_make();
  int low[3], high[3]; /* what is filled so far */
  for (int d = 0; d < 3; d++) {
    low[d] = outer & TX_FACE_BIT(d, 0) ? 0 : -TX_K;
    high[d] = outer & TX_FACE_BIT(d, 1) ? TX_N : TX_N + TX_K;
  }
  const ptrdiff_t stride[3] = {1, TX_P, TX_P * TX_P};
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 2; side++) {
      if (!(outer & TX_FACE_BIT(d, side))) continue;
      int edge[3] = {low[0], low[1], low[2]}, n[3];
      for (int c = 0; c < 3; c++) n[c] = c == d ? 1 : high[c] - low[c];
      edge[d] = side ? TX_N - 1 : 0;
      ptrdiff_t in = side ? -stride[d] : stride[d];
      for (int v = 0; v < n_vars; v++)
        for (int k = 0; k < n[2]; k++)
          for (int j = 0; j < n[1]; j++)
            extrapolate_rows(&e, patch + v * TX_P3 + TX_PATCH_AT(edge[0], edge[1] + j, edge[2] + k),
                             in, n[0]);
      if (side)
        high[d] = TX_N + TX_K;
      else
        low[d] = -TX_K;
    }
}

void tx_cpu_patch(const tx_exec *x, const tx_field *f, tx_lidx b, bool all, double *patch) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const int8_t(*parity)[3] = (const int8_t(*)[3])f->parity;
  const tx_slab own = {.kind = TX_SLAB_COPY, .n = {TX_N, TX_N, TX_N}, .step = {1, 1, 1}};
  tx_cpu_box to = {patch + TX_PATCH_AT(0, 0, 0), TX_P3, TX_P * TX_P, TX_P};
  tx_cpu_slab_copy(&own, f->n_vars, parity, tx_cpu_block(f, b), to);
  for (tx_lidx i = g->direct_start[b]; i < g->direct_start[b + 1]; i++) {
    const tx_slab *s = &g->direct[i];
    to.p = patch + TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]);
    tx_cpu_slab_copy(s, f->n_vars, parity, tx_cpu_block(f, s->src), to);
  }
  tx_lidx end = all ? g->slot_start[b + 1] : g->slot_phase2[b];
  for (tx_lidx i = g->slot_start[b]; i < end; i++)
    tx_cpu_slab_place(&g->slot[i], f->n_vars, x->slots + (size_t)f->n_vars * (size_t)g->slot[i].at,
                      patch);
  if (g->outer[b]) tx_cpu_extrapolate(g->outer[b], f->n_vars, patch);
}

tx_status tx_cpu_pack(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
#pragma omp parallel for schedule(dynamic, 4)
  for (tx_lidx i = 0; i < g->n_send1; i++) {
    const tx_slab *s = &g->send1[i];
    ptrdiff_t y = s->n[0], z = y * s->n[1];
    tx_cpu_box to = {x->send1 + (size_t)f->n_vars * (size_t)s->at, z * s->n[2], z, y};
    tx_cpu_slab_copy(s, f->n_vars, (const int8_t(*)[3])f->parity, tx_cpu_block(f, s->src), to);
  }
  return TX_OK;
}

tx_status tx_cpu_interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = first; i < last; i++) {
    double *patch = tx_cpu_here(x)->patch;
    tx_cpu_patch(x, f, g->source[i], false, patch);
    for (tx_lidx j = g->interp_start[i]; j < g->interp_start[i + 1]; j++) {
      const tx_slab *s = &g->interp[j];
      double *buffer = s->dst < x->mesh->n_local ? x->slots : x->send2;
      tx_cpu_slab_interpolate(s, f->n_vars, (const int8_t(*)[3])f->parity, patch,
                              buffer + (size_t)f->n_vars * (size_t)s->at);
    }
  }
  return TX_OK;
}

tx_status tx_cpu_patch_out(tx_exec *x, const tx_field *f, tx_lidx b, double *patch) {
  tx_cpu_patch(x, f, b, true, patch);
  return TX_OK;
}

tx_status tx_cpu_patches(tx_exec *x, const tx_field *f, tx_lidx n, const tx_lidx *octants) {
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < n; i++) tx_cpu_patch(x, f, octants[i], true, tx_cpu_here(x)->patch);
  return TX_OK;
}
