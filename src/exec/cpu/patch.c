/* Patches: an octant with its ghosts, assembled in a thread's buffer. */
#include "exec/cpu/cpu.h"

#include <omp.h>
#include <string.h>

#include "base/timer.h"

/* Variables interpolated together: few, so that their patches stay in a small cache. */
enum { VARS_AT_ONCE = 4 };

tx_cpu_thread *tx_cpu_here(const tx_exec *x) {
  tx_cpu *cpu = x->state;
  return &cpu->thread[omp_get_thread_num()];
}

/* Values of variable v of a slab in a buffer. */
static double *slab_values(double *buffer, const tx_field *f, const tx_slab *s, int v) {
  size_t points = (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
  return buffer + (size_t)f->n_vars * (size_t)s->at + (size_t)v * points;
}

static bool wanted(const tx_slab *s, uint32_t regions) {
  int d[3];
  for (int i = 0; i < 3; i++) d[i] = s->lo[i] < 0 ? -1 : s->lo[i] >= TX_N;
  return regions >> TX_REGION(d[0], d[1], d[2]) & 1;
}

void tx_cpu_patch_part(const tx_exec *x, const tx_field *f, tx_lidx b, tx_cpu_part part,
                       double *patch) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const int8_t(*parity)[3] = (const int8_t(*)[3])f->parity + part.first;
  const tx_slab own = {.kind = TX_SLAB_COPY, .n = {TX_N, TX_N, TX_N}, .step = {1, 1, 1}};
  tx_cpu_box to = {patch + TX_PATCH_AT(0, 0, 0), TX_P3, TX_P * TX_P, TX_P};
  tx_cpu_slab_copy(&own, part.n, parity, tx_cpu_block(f, b) + part.first * TX_N3, to);
  for (tx_lidx i = g->direct_start[b]; i < g->direct_start[b + 1]; i++) {
    const tx_slab *s = &g->direct[i];
    if (!wanted(s, part.regions)) continue;
    to.p = patch + TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]);
    tx_cpu_slab_copy(s, part.n, parity, tx_cpu_block(f, s->src) + part.first * TX_N3, to);
  }
  tx_lidx end = part.phase2 ? g->slot_start[b + 1] : g->slot_phase2[b];
  for (tx_lidx i = g->slot_start[b]; i < end; i++)
    if (wanted(&g->slot[i], part.regions))
      tx_cpu_slab_place(&g->slot[i], part.n,
                        slab_values(((const tx_cpu *)x->state)->slots, f, &g->slot[i], part.first),
                        patch);
  if (!g->outer[b]) return;
  tx_cpu_extrapolate(g->outer[b], part.n, patch);
  for (int v = 0; v < part.n && part.phase2 && f->robin; v++)
    if (f->robin >> (part.first + v) & 1)
      tx_cpu_robin(x->mesh, b, &f->var[part.first + v], patch + v * TX_P3);
}

void tx_cpu_patch(const tx_exec *x, const tx_field *f, tx_lidx b, double *patch) {
  tx_cpu_patch_part(x, f, b, (tx_cpu_part){0, f->n_vars, UINT32_MAX, true}, patch);
}

tx_status tx_cpu_pack(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
#pragma omp parallel for schedule(dynamic, 4)
  for (tx_lidx i = 0; i < g->n_send1; i++) {
    const tx_slab *s = &g->send1[i];
    ptrdiff_t y = s->n[0], z = y * s->n[1];
    tx_cpu_box to = {slab_values(((const tx_cpu *)x->state)->send1, f, s, 0), z * s->n[2], z, y};
    tx_cpu_slab_copy(s, f->n_vars, (const int8_t(*)[3])f->parity, tx_cpu_block(f, s->src), to);
  }
  return TX_OK;
}

/* Where interpolated slabs go: those of this rank's octants, to a buffer whose first point is number `first`, those of
 * other ranks'. */
typedef struct target {
  double *here, *away;
  int64_t first;
  bool centred; /* by centred stencils alone */
} target;

/* Regions of the patch of a source that its slabs read; all at an outer face, from where values are
 * extrapolated. */
static uint32_t regions_read(const tx_exec *x, tx_lidx source, bool centred) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_cpu *cpu = x->state;
  uint32_t regions = 0;
  if (g->outer[g->source[source]]) return UINT32_MAX;
  for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++) {
    int low[3], high[3];
    if (centred)
      tx_cpu_centred_needs(&g->interp[i], low, high);
    else
      tx_cpu_slab_needs(cpu->lines, &g->interp[i], low, high);
    for (int d = 0; d < 3; d++) {
      low[d] = low[d] < 0 ? -1 : low[d] >= TX_N;
      high[d] = high[d] < 0 ? -1 : high[d] >= TX_N;
    }
    for (int c = low[2]; c <= high[2]; c++)
      for (int b = low[1]; b <= high[1]; b++)
        for (int a = low[0]; a <= high[0]; a++) regions |= 1u << TX_REGION(a, b, c);
  }
  return regions;
}

/* All slabs interpolated from an octant, a few variables at a time: their patches stay in the cache. */
static void interpolate_source(const tx_exec *x, const tx_field *f, tx_lidx source,
                               const target *to) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  double *patch = tx_cpu_here(x)->patch;
  tx_cpu_part part = {.regions = regions_read(x, source, to->centred), .phase2 = false};
  for (; part.first < f->n_vars; part.first += part.n) {
    part.n = f->n_vars - part.first < VARS_AT_ONCE ? f->n_vars - part.first : VARS_AT_ONCE;
    tx_cpu_patch_part(x, f, g->source[source], part, patch);
    for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++) {
      const int8_t(*parity)[3] = (const int8_t(*)[3])f->parity + part.first;
      tx_slab s = g->interp[i];
      const bool here = s.dst < g->n_dst;
      if (here) s.at -= to->first;
      double *dense = slab_values(here ? to->here : to->away, f, &s, part.first);
      if (to->centred)
        tx_cpu_slab_centred(&s, part.n, parity, patch, dense);
      else
        tx_cpu_slab_interpolate(((const tx_cpu *)x->state)->lines, &s, part.n, parity, patch,
                                dense);
    }
  }
}

tx_status tx_cpu_interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last) {
  const tx_cpu *cpu = x->state;
  const target to = {.here = cpu->slots, .away = cpu->send2};
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = first; i < last; i++) interpolate_source(x, f, i, &to);
  return TX_OK;
}

tx_status tx_cpu_interpolate_edge(tx_exec *coarse, const tx_field *f, double *edge,
                                  int64_t edge_at) {
  const target to = {edge, ((const tx_cpu *)coarse->state)->send2, edge_at, true};
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < coarse->mesh->ghosts.n_source; i++) interpolate_source(coarse, f, i, &to);
  return TX_OK;
}

tx_status tx_cpu_patch_out(tx_exec *x, const tx_field *f, tx_lidx b, double *patch) {
  tx_cpu_patch(x, f, b, patch);
  return TX_OK;
}

tx_status tx_cpu_fetch(tx_exec *x, const tx_set *set, const tx_field *f, uint32_t mask,
                       double *patches) {
  const size_t vars = (size_t)__builtin_popcount(mask);
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) {
    const double *patch = tx_cpu_here(x)->patch;
    double *to = patches + (size_t)i * vars * TX_P3;
    tx_cpu_patch(x, f, set->octant[i], tx_cpu_here(x)->patch);
    for (int v = 0; v < f->n_vars; v++) {
      if (!(mask >> v & 1)) continue;
      memcpy(to, patch + (size_t)v * TX_P3, TX_P3 * sizeof *to);
      to += TX_P3;
    }
  }
  return TX_OK;
}

tx_status tx_cpu_patches(tx_exec *x, const tx_set *set, const tx_field *f) {
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) tx_cpu_patch(x, f, set->octant[i], tx_cpu_here(x)->patch);
  return TX_OK;
}
