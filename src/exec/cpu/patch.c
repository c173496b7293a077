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

uint32_t tx_cpu_regions(const int low[3], const int high[3]) {
  int a[3], b[3];
  uint32_t regions = 0;
  for (int d = 0; d < 3; d++) {
    a[d] = low[d] < 0 ? -1 : low[d] >= TX_N;
    b[d] = high[d] < 0 ? -1 : high[d] >= TX_N;
  }
  for (int k = a[2]; k <= b[2]; k++)
    for (int j = a[1]; j <= b[1]; j++)
      for (int i = a[0]; i <= b[0]; i++) regions |= 1u << TX_REGION(i, j, k);
  return regions;
}

/* Slab s of the patch, from there. */
static void piece_add(tx_cpu_pieces *to, const tx_slab *s, tx_cpu_source from) {
  int dir[3];
  for (int d = 0; d < 3; d++) dir[d] = s->lo[d] < 0 ? -1 : s->lo[d] >= TX_N;
  to->piece[to->n].from = from;
  to->piece[to->n].to = TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]);
  to->piece[to->n].region = 1u << TX_REGION(dir[0], dir[1], dir[2]);
  memcpy(to->piece[to->n++].n, s->n, sizeof s->n);
}

/* Copy slabs of phase 2: those of a level's grid are cut from its refinement boundary. */
static void find_phase2(const tx_exec *x, const tx_field *f, tx_lidx b, tx_cpu_pieces *out) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_cpu *cpu = x->state;
  for (tx_lidx i = g->slot_phase2[b]; i < g->slot_start[b + 1]; i++) {
    const tx_slab *s = &g->slot[i];
    if (cpu->level) {
      const tx_cpu_cut *cut = &cpu->level->boundary.slot[i];
      piece_add(out, s, tx_cpu_source_cut(cut, cpu->level->made + f->n_vars * cut->at));
    } else {
      piece_add(out, s, tx_cpu_source_dense(s, slab_values(cpu->slots, f, s, 0)));
    }
  }
}

void tx_cpu_pieces_find(const tx_exec *x, const tx_field *f, tx_lidx b, bool phase2,
                        tx_cpu_pieces *out) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_slab own = {.kind = TX_SLAB_COPY, .n = {TX_N, TX_N, TX_N}, .step = {1, 1, 1}};
  double *slots = ((const tx_cpu *)x->state)->slots;
  out->f = f;
  out->octant = b;
  out->phase2 = phase2;
  out->n = 0;
  piece_add(out, &own, tx_cpu_source_of(&own, f, b));
  for (tx_lidx i = g->direct_start[b]; i < g->direct_start[b + 1]; i++) {
    const tx_slab *s = &g->direct[i];
    piece_add(out, s, tx_cpu_source_of(s, f, s->src));
  }
  for (tx_lidx i = g->slot_start[b]; i < g->slot_phase2[b]; i++) {
    const tx_slab *s = &g->slot[i];
    piece_add(out, s, tx_cpu_source_dense(s, slab_values(slots, f, s, 0)));
  }
  if (phase2) find_phase2(x, f, b, out);
}

void tx_cpu_patch_part(const tx_cpu_pieces *pieces, tx_cpu_part part, double *patch) {
  const tx_field *f = pieces->f;
  const unsigned outer = f->x->mesh->ghosts.outer[pieces->octant];
  const int8_t(*parity)[3] = (const int8_t(*)[3])f->parity + part.first;
  for (int i = 0; i < pieces->n; i++) {
    if (!(pieces->piece[i].region & part.regions)) continue;
    tx_cpu_source from = pieces->piece[i].from;
    if (from.p) from.p += part.first * from.var;
    const tx_cpu_box to = {
        .p = patch + pieces->piece[i].to, .var = TX_P3, .z = TX_P * TX_P, .y = TX_P};
    tx_cpu_box_copy(pieces->piece[i].n, part.n, parity, from, to);
  }
  if (!outer) return;
  tx_cpu_extrapolate(outer, part.n, patch);
  for (int v = 0; v < part.n && pieces->phase2 && f->robin; v++)
    if (f->robin >> (part.first + v) & 1)
      tx_cpu_robin(f->x->mesh, pieces->octant, &f->var[part.first + v], patch + v * TX_P3);
}

void tx_cpu_patch(const tx_exec *x, const tx_field *f, tx_lidx b, double *patch) {
  tx_cpu_pieces pieces;
  tx_cpu_pieces_find(x, f, b, true, &pieces);
  tx_cpu_patch_part(&pieces, (tx_cpu_part){0, f->n_vars, UINT32_MAX}, patch);
}

tx_status tx_cpu_pack(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
#pragma omp parallel for schedule(dynamic, 4)
  for (tx_lidx i = 0; i < g->n_send1; i++) {
    const tx_slab *s = &g->send1[i];
    ptrdiff_t y = s->n[0], z = y * s->n[1];
    const tx_cpu_box to = {.p = slab_values(((const tx_cpu *)x->state)->send1, f, s, 0),
                           .var = z * s->n[2],
                           .z = z,
                           .y = y};
    tx_cpu_slab_copy(s, (const int8_t(*)[3])f->parity, f, s->src, to);
  }
  return TX_OK;
}

/* Regions of the patch of a source that its slabs read; all at an outer face, from where values are
 * extrapolated. */
static uint32_t regions_read(const tx_exec *x, tx_lidx source) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  uint32_t regions = 0;
  if (g->outer[g->source[source]]) return UINT32_MAX;
  for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++) {
    int low[3], high[3];
    tx_cpu_slab_needs(((const tx_cpu *)x->state)->lines, &g->interp[i], low, high);
    regions |= tx_cpu_regions(low, high);
  }
  return regions;
}

/* Variables first .. of f that are interpolated at once. */
static tx_cpu_part part_of(const tx_field *f, int first, uint32_t regions) {
  const int n = f->n_vars - first < VARS_AT_ONCE ? f->n_vars - first : VARS_AT_ONCE;
  return (tx_cpu_part){first, n, regions};
}

/* All slabs interpolated from an octant, a few variables at a time: their patches stay in the cache. */
static void interpolate_source(const tx_exec *x, const tx_field *f, tx_lidx source) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_cpu *cpu = x->state;
  double *patch = tx_cpu_here(x)->patch;
  const uint32_t regions = regions_read(x, source);
  tx_cpu_pieces pieces;
  tx_cpu_pieces_find(x, f, g->source[source], false, &pieces);
  for (int first = 0; first < f->n_vars; first += VARS_AT_ONCE) {
    const tx_cpu_part part = part_of(f, first, regions);
    tx_cpu_patch_part(&pieces, part, patch);
    for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++) {
      const tx_slab *s = &g->interp[i];
      double *buffer = s->dst < g->n_dst ? cpu->slots : cpu->send2;
      tx_cpu_slab_interpolate(cpu->lines, s, part.n, (const int8_t(*)[3])f->parity + first, patch,
                              slab_values(buffer, f, s, first));
    }
  }
}

tx_status tx_cpu_interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last) {
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = first; i < last; i++) interpolate_source(x, f, i);
  return TX_OK;
}

/* Cut from a box what other ranks take of it. */
static void cut_sent(const tx_exec *fine, const tx_field *f, tx_lidx box, tx_cpu_part part,
                     const double *values) {
  const tx_cpu_level_boundary *boundary = &((const tx_cpu *)fine->state)->level->boundary;
  const tx_cpu *coarse = fine->coarser->state;
  const int8_t(*parity)[3] = (const int8_t(*)[3])f->parity + part.first;
  for (tx_lidx i = boundary->sent_start[box]; i < boundary->sent_start[box + 1]; i++) {
    const tx_slab *s = &fine->coarser->mesh->ghosts.interp[boundary->sent[i].slab];
    const ptrdiff_t y = s->n[0], z = y * s->n[1];
    const tx_cpu_box to = {
        .p = slab_values(coarse->send2, f, s, part.first), .var = z * s->n[2], .z = z, .y = y};
    tx_cpu_box_copy(s->n, part.n, parity, tx_cpu_source_cut(&boundary->sent[i].cut, values), to);
  }
}

/* All boxes interpolated from an octant, likewise. */
static void interpolate_boxes(const tx_exec *fine, int k, const tx_field *f, tx_lidx source) {
  const tx_exec *coarse = fine->coarser;
  const tx_cpu_level *level = ((const tx_cpu *)fine->state)->level;
  const tx_cpu_level_boundary *boundary = &level->boundary;
  const tx_cpu_thread *t = tx_cpu_here(coarse);
  tx_cpu_pieces pieces;
  tx_cpu_pieces_find(coarse, f, coarse->mesh->ghosts.source[source], false, &pieces);
  for (int first = 0; first < f->n_vars; first += VARS_AT_ONCE) {
    const tx_cpu_part part = part_of(f, first, boundary->regions[source]);
    tx_cpu_patch_part(&pieces, part, t->patch);
    for (tx_lidx i = boundary->box_start[source]; i < boundary->box_start[source + 1]; i++) {
      const tx_slab *box = &boundary->box[i];
      double *values =
          box->at < 0 ? t->block : slab_values(tx_cpu_stored_stage(level, k), f, box, first);
      tx_cpu_slab_centred(box, part.n, t->patch, values);
      cut_sent(fine, f, i, part, values);
    }
  }
}
_Static_assert(VARS_AT_ONCE *TX_CPU_BOX <= TX_CPU_BLOCK_VARS * TX_N3,
               "boxes for others fit into t->block");

void tx_cpu_stage_interpolate(tx_exec *fine, int k, const tx_field *f) {
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < fine->coarser->mesh->ghosts.n_source; i++)
    interpolate_boxes(fine, k, f, i);
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
