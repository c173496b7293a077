/* The refinement boundary of a level's grid as boxes: ghosts of neighbouring octants overlap, so what the fine lattice of a coarse octant
 * holds beside one of its faces, edges or corners is interpolated once, and slabs are parts of it. */
#include "exec/cpu/cpu.h"

#include "base/memory.h"

enum { SIDES = 27 };

/* The side of its source that a slab lies at, numbered like the regions of a patch; and its lowest point. */
static int side_of(const tx_slab *s, int lo[3]) {
  int dir[3];
  for (int d = 0; d < 3; d++) {
    const int end = s->from[d] + s->step[d] * (s->n[d] - 1);
    lo[d] = s->from[d] < end ? s->from[d] : end;
    dir[d] = s->n[d] > TX_K ? 0 : lo[d] == 0 ? -1 : lo[d] + s->n[d] == 2 * TX_N;
  }
  return TX_REGION(dir[0], dir[1], dir[2]);
}

typedef struct extent {
  int lo[3], end[3]; /* end: last + 1; 0: nothing */
} extent;

static void extent_add(extent *e, const int lo[3], const int8_t n[3]) {
  const bool fresh = e->end[0] == 0;
  for (int d = 0; d < 3; d++) {
    if (fresh || lo[d] < e->lo[d]) e->lo[d] = lo[d];
    if (fresh || lo[d] + n[d] > e->end[d]) e->end[d] = lo[d] + n[d];
  }
}

static bool extent_contains(const extent *e, const extent *part) {
  for (int d = 0; d < 3; d++)
    if (part->lo[d] < e->lo[d] || part->end[d] > e->end[d]) return false;
  return true;
}

static int extent_points(const extent *e) {
  return (e->end[0] - e->lo[0]) * (e->end[1] - e->lo[1]) * (e->end[2] - e->lo[2]);
}

/* Sides of a source: what its slabs take up at each side, the side whose box serves each, and whether slabs of this rank are
 * served by it. */
typedef struct sides {
  extent e[SIDES];
  int serves[SIDES];
  bool here[SIDES];
} sides;

/* The largest box of those that contain a side's own, the first if there are several. */
static void choose_boxes(sides *of) {
  for (int s = 0; s < SIDES; s++) {
    of->serves[s] = s;
    for (int t = 0; t < SIDES && of->e[s].end[0] > 0; t++) {
      if (of->e[t].end[0] == 0 || !extent_contains(&of->e[t], &of->e[s])) continue;
      const int more = extent_points(&of->e[t]) - extent_points(&of->e[of->serves[s]]);
      if (more > 0 || (more == 0 && t < of->serves[s])) of->serves[s] = t;
    }
  }
}

static sides sides_of(const tx_ghost_plan *g, tx_lidx source) {
  sides of = {.here = {false}};
  int lo[3];
  for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++) {
    const int side = side_of(&g->interp[i], lo);
    extent_add(&of.e[side], lo, g->interp[i].n);
  }
  choose_boxes(&of);
  for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++)
    if (g->interp[i].dst < g->n_dst) of.here[of.serves[side_of(&g->interp[i], lo)]] = true;
  return of;
}

/* Tables in the making. */
typedef struct builder {
  const tx_mesh *coarse, *fine;
  tx_cpu_level_boundary *boundary;
  tx_lidx n_boxes, n_sent;
  tx_lidx *source;       /* [octants of coarse] number among its sources */
  tx_lidx (*box)[SIDES]; /* [sources] number of the box that serves a side */
} builder;

static int box_points(const tx_slab *box) {
  return box->n[0] * box->n[1] * box->n[2];
}

static tx_cpu_cut cut_of(const tx_slab *s, const tx_slab *box) {
  const int y = box->n[0], z = y * box->n[1];
  return (tx_cpu_cut){.at = box->at,
                      .first = (s->from[2] - box->from[2]) * z + (s->from[1] - box->from[1]) * y +
                               s->from[0] - box->from[0],
                      .var = box_points(box),
                      .x = s->step[0],
                      .y = s->step[1] * y,
                      .z = s->step[2] * z,
                      .mirror = s->mirror};
}

/* A slab as it was received. */
static tx_cpu_cut cut_of_received(const tx_slab *s, int64_t boundary_at) {
  const int y = s->n[0], z = y * s->n[1];
  return (tx_cpu_cut){.at = s->at - boundary_at, .var = box_points(s), .x = 1, .y = y, .z = z};
}

/* Box of side `side`, and what is cut from it for other ranks. */
static tx_status add_box(builder *b, tx_lidx source, const sides *of, int side) {
  const tx_ghost_plan *g = &b->coarse->ghosts;
  tx_cpu_level_boundary *boundary = b->boundary;
  const extent *e = &of->e[side];
  tx_slab *box = &boundary->box[b->n_boxes];
  int lo[3];
  *box = (tx_slab){.kind = TX_SLAB_INTERP, .src = g->source[source], .step = {1, 1, 1}, .at = -1};
  for (int d = 0; d < 3; d++) {
    box->from[d] = (int16_t)e->lo[d];
    box->n[d] = (int8_t)(e->end[d] - e->lo[d]);
  }
  TX_REQUIRE(box_points(box) <= TX_CPU_BOX, TX_ERR_MESH,
             "%d points are interpolated beside one octant; the grid is not one of a balanced tree",
             box_points(box));
  if (of->here[side]) {
    box->at = boundary->points;
    boundary->points += box_points(box);
  }
  for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++)
    if (g->interp[i].dst >= g->n_dst && of->serves[side_of(&g->interp[i], lo)] == side)
      boundary->sent[b->n_sent++] = (tx_cpu_sent){i, cut_of(&g->interp[i], box)};
  boundary->sent_start[++b->n_boxes] = b->n_sent;
  return TX_OK;
}

/* All boxes of a source. At an outer face all of its patch is needed: values are extrapolated from there. */
static tx_status fill_source(builder *b, tx_lidx source) {
  const tx_ghost_plan *g = &b->coarse->ghosts;
  tx_cpu_level_boundary *boundary = b->boundary;
  const sides of = sides_of(g, source);
  uint32_t regions = g->outer[g->source[source]] ? UINT32_MAX : 0;
  for (int s = 0; s < SIDES; s++) {
    if (of.e[s].end[0] == 0 || of.serves[s] != s) continue;
    int low[3], high[3];
    b->box[source][s] = b->n_boxes;
    TX_TRY(add_box(b, source, &of, s));
    tx_cpu_centred_needs(&boundary->box[b->n_boxes - 1], low, high);
    regions |= tx_cpu_regions(low, high);
  }
  for (int s = 0; s < SIDES; s++) b->box[source][s] = b->box[source][of.serves[s]];
  boundary->regions[source] = regions;
  boundary->box_start[source + 1] = b->n_boxes;
  return TX_OK;
}

static tx_cpu_cut find_cut(const builder *b, const tx_slab *s) {
  int lo[3];
  if (s->src >= b->coarse->n_local) return cut_of_received(s, b->fine->level->boundary_at);
  const tx_lidx box = b->box[b->source[s->src]][side_of(s, lo)];
  return cut_of(s, &b->boundary->box[box]);
}

static tx_status fill(builder *b) {
  const tx_ghost_plan *g = &b->coarse->ghosts, *fine = &b->fine->ghosts;
  const tx_level_plan *plan = b->fine->level;
  tx_cpu_level_boundary *boundary = b->boundary;
  const size_t sources = (size_t)g->n_source, slabs = (size_t)g->interp_start[g->n_source];
  const size_t slots = (size_t)fine->slot_start[b->fine->n_local];
  TX_TRY(tx_alloc((size_t)b->coarse->n_local, sizeof *b->source, "stored stages", &b->source));
  TX_TRY(tx_alloc(sources, sizeof *b->box, "stored stages", &b->box));
  TX_TRY(tx_alloc(slabs, sizeof *boundary->box, "stored stages", &boundary->box));
  TX_TRY(tx_alloc(slabs, sizeof *boundary->sent, "stored stages", &boundary->sent));
  TX_TRY(tx_alloc(slabs + 1, sizeof *boundary->sent_start, "stored stages", &boundary->sent_start));
  TX_TRY(tx_alloc(sources + 1, sizeof *boundary->box_start, "stored stages", &boundary->box_start));
  TX_TRY(tx_alloc(sources, sizeof *boundary->regions, "stored stages", &boundary->regions));
  TX_TRY(tx_alloc(slots, sizeof *boundary->slot, "stored stages", &boundary->slot));
  TX_TRY(
      tx_alloc((size_t)plan->n_plane, sizeof *boundary->plane, "stored stages", &boundary->plane));
  for (int i = 0; i < fine->n_recv2_from; i++) boundary->points += fine->recv2_from[i].n;
  for (tx_lidx i = 0; i < g->n_source; i++) {
    b->source[g->source[i]] = i;
    TX_TRY(fill_source(b, i));
  }
  for (tx_lidx o = 0; o < b->fine->n_local; o++)
    for (tx_lidx s = fine->slot_phase2[o]; s < fine->slot_start[o + 1]; s++)
      boundary->slot[s] = find_cut(b, &fine->slot[s]);
  for (tx_lidx s = 0; s < plan->n_plane; s++) boundary->plane[s] = find_cut(b, &plan->plane[s]);
  return TX_OK;
}

tx_status tx_cpu_level_boundary_create(const tx_mesh *fine, tx_cpu_level_boundary *out) {
  builder b = {.coarse = fine->level->coarser, .fine = fine, .boundary = out};
  const tx_status status = fill(&b);
  tx_free(b.source);
  tx_free(b.box);
  return status;
}

void tx_cpu_level_boundary_destroy(tx_cpu_level_boundary *e) {
  tx_free(e->box);
  tx_free(e->box_start);
  tx_free(e->regions);
  tx_free(e->sent);
  tx_free(e->sent_start);
  tx_free(e->slot);
  tx_free(e->plane);
}
