/* The refinement boundary of a level's grid: which ghosts and own points come from the next coarser grid, and what that one
 * interpolates. */
#include "octree/level_internal.h"

#include "base/memory.h"

/* Is the region in direction (x, y, z) beside an octant not on its level? */
static bool missing(const tx_level_region region[27], int x, int y, int z) {
  return region[TX_REGION(x, y, z)].kind == TX_REGION_COARSER;
}

/* Find the planes of an octant: the regions that give one, as bits. */
static uint32_t planes_of(const tx_level_region region[27]) {
  uint32_t planes = 0;
  for (int r = 0; r < TX_REGION(0, 0, 0); r++) {
    const int *dir = tx_region_direction[r];
    bool covered = false; /* by that of a region which this one's boundary is part of */
    if (dir[0] > 0 || dir[1] > 0 || dir[2] > 0 || !missing(region, dir[0], dir[1], dir[2]))
      continue;
    for (int part = 1; part < 8; part++) {
      const int x = part & 1 ? dir[0] : 0, y = part & 2 ? dir[1] : 0, z = part & 4 ? dir[2] : 0;
      const bool smaller = x != dir[0] || y != dir[1] || z != dir[2];
      covered = covered || (smaller && missing(region, x, y, z));
    }
    if (!covered) planes |= 1u << r;
  }
  return planes;
}

/* Return the shape of the plane of region r. */
static tx_slab plane_slab(const tx_octant *o, int r) {
  tx_slab slab = {.kind = TX_SLAB_INTERP, .step = {1, 1, 1}, .at = -1};
  for (int d = 0; d < 3; d++) {
    const bool across = tx_region_direction[r][d] != 0;
    slab.n[d] = across ? 1 : TX_N;
    slab.from[d] = (int16_t)((o->x[d] & 1) * TX_N);
  }
  return slab;
}

/* Return the shape of the slab of a region of kind COARSER. */
static tx_slab coarser_slab(const tx_octant *o, int r, uint8_t mirror) {
  tx_slab slab = {.kind = TX_SLAB_INTERP, .mirror = mirror, .at = -1};
  int half[3];
  for (int d = 0; d < 3; d++) half[d] = (o->x[d] + tx_region_direction[r][d]) & 1;
  tx_slab_shape(r, half, &slab);
  return slab;
}

/* Slab that an octant takes from the coarser grid: ghosts first, then planes. */
typedef struct boundary_item {
  tx_slab slab; /* the shape alone */
  tx_lidx node; /* source */
  bool is_plane;
} boundary_item;

enum { ITEMS = 27 + 7 };

static int list_items(const tx_level_nodes *nodes, tx_lidx node, const tx_level_region region[27],
                      boundary_item item[ITEMS]) {
  const tx_octant *o = &nodes->list->octant[node];
  const uint32_t planes = planes_of(region);
  int n = 0;
  for (int r = 0; r < 27; r++)
    if (region[r].kind == TX_REGION_COARSER)
      item[n++] = (boundary_item){coarser_slab(o, r, region[r].mirror), region[r].node, false};
  for (int r = 0; r < 27 && planes; r++)
    if (planes >> r & 1) item[n++] = (boundary_item){plane_slab(o, r), nodes->parent[node], true};
  return n;
}

/* The items of octant number o of the level in the making. */
static int items_of(const tx_level_builder *b, tx_lidx o, boundary_item item[ITEMS]) {
  return list_items(b->nodes, b->node[o], (const tx_level_region *)b->region[o], item);
}

/* The points that regions give, as tx_level_plan.planes. */
static uint8_t plane_points(uint32_t regions) {
  unsigned points = 0;
  for (int r = 0; r < TX_REGION(0, 0, 0); r++) {
    const int *dir = tx_region_direction[r];
    const int across = (dir[0] != 0) | (dir[1] != 0) << 1 | (dir[2] != 0) << 2;
    for (int n = 1; n < 8 && regions >> r & 1; n++)
      if ((n & across) == across) points |= 1u << n;
  }
  return (uint8_t)points;
}

static tx_status find_planes(tx_level_builder *b) {
  tx_level_plan *level = b->mesh->level;
  TX_TRY(tx_alloc((size_t)b->mesh->n_local, sizeof *level->planes, "levels", &level->planes));
  for (tx_lidx o = 0; o < b->mesh->n_local; o++) {
    const uint32_t regions = planes_of(b->region[o]);
    level->planes[o] = plane_points(regions);
    level->n_plane += __builtin_popcount(regions);
  }
  return tx_alloc_raw((size_t)level->n_plane, sizeof *level->plane, "levels", &level->plane);
}

/* Slabs with places within the message of their rank; this rank's number: what is interpolated here. */
static void fill_slabs(tx_level_builder *b) {
  const tx_level_nodes *nodes = b->nodes;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  tx_slab *plane = b->mesh->level->plane;
  boundary_item item[ITEMS];
  for (tx_lidx o = 0; o < b->mesh->n_local; o++) {
    tx_slab *slot = plan->slot + plan->slot_phase2[o];
    const int n = items_of(b, o, item);
    for (int i = 0; i < n; i++) {
      const int owner = nodes->list->octant[item[i].node].owner;
      tx_slab *slab = item[i].is_plane ? plane++ : slot++;
      *slab = item[i].slab;
      slab->dst = o;
      slab->src = owner == b->mesh->rank ? nodes->place[item[i].node] : b->coarser->n_local + owner;
      slab->at = b->received[1][owner];
      b->received[1][owner] += tx_slab_points(slab);
    }
  }
}

/* Which rank a slab's source is on. */
static int owner_of(const tx_level_builder *b, const tx_slab *slab) {
  return slab->src < b->coarser->n_local ? b->mesh->rank : slab->src - b->coarser->n_local;
}

/* Behind what is received in phase 1: what is received here by rank, then what is interpolated. */
static tx_status place_slabs(tx_level_builder *b) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  tx_level_plan *level = b->mesh->level;
  int64_t *base = NULL, at = plan->slot_points;
  TX_TRY(tx_alloc((size_t)mesh->size, sizeof *base, "levels", &base));
  for (int r = 0; r < mesh->size; r++) {
    base[r] = at;
    if (r != mesh->rank) at += b->received[1][r];
  }
  base[mesh->rank] = at;
  at += b->received[1][mesh->rank];
  for (tx_lidx o = 0; o < mesh->n_local; o++)
    for (tx_lidx s = plan->slot_phase2[o]; s < plan->slot_start[o + 1]; s++)
      plan->slot[s].at += base[owner_of(b, &plan->slot[s])];
  for (tx_lidx s = 0; s < level->n_plane; s++)
    level->plane[s].at += base[owner_of(b, &level->plane[s])];
  tx_free(base);
  level->boundary_at = plan->slot_points;
  level->boundary_points = at - plan->slot_points;
  plan->slot_points = at;
  return tx_messages_list(mesh, b->received[1], level->boundary_at, &plan->recv2_from,
                          &plan->n_recv2_from);
}

tx_status tx_level_boundary_fill(tx_level_builder *b) {
  b->mesh->level->boundary_at = b->mesh->ghosts.slot_points;
  if (!b->coarser) return TX_OK;
  TX_TRY(find_planes(b));
  fill_slabs(b);
  return place_slabs(b);
}

/* Octants of the finer level that may take something from local octants: by owner and place, 1 in `touched` each. */
static void touch_finer(const tx_level_builder *b, const tx_level_builder *finer,
                        uint8_t *touched) {
  const tx_level_nodes *nodes = b->nodes;
  const tx_lidx first = nodes->start[finer->number];
  for (tx_lidx o = 0; o < b->mesh->n_local; o++)
    for (int r = 0; r < 27; r++) {
      const tx_level_region *region = &b->region[o][r];
      if (region->kind != TX_REGION_SAME || nodes->leaf[region->node]) continue;
      for (int c = 0; c < 8; c++) touched[nodes->eldest[region->node] - first + c] = 1;
    }
}

/* A slab that this rank interpolates for another one. */
typedef struct errand {
  tx_slab slab;
  int rank;
} errand;
typedef struct errands {
  errand *list;
  tx_lidx n, room;
} errands;

static tx_status errand_add(errands *e, const tx_slab *slab, int rank) {
  if (e->n == e->room) {
    e->room = 2 * e->room + 64;
    TX_TRY(tx_realloc((size_t)e->room, sizeof *e->list, "levels", &e->list));
  }
  e->list[e->n++] = (errand){*slab, rank};
  return TX_OK;
}

/* Go through the slabs that one octant of another rank takes from here. */
static tx_status run_errands(const tx_level_builder *b, tx_lidx node, tx_level_vicinity *v,
                             errands *e) {
  const tx_level_nodes *nodes = b->nodes;
  const tx_octant *o = &nodes->list->octant[node];
  tx_level_region region[27];
  boundary_item item[ITEMS];
  tx_level_regions(nodes, node, v, region);
  const int n = list_items(nodes, node, region, item);
  for (int i = 0; i < n; i++) {
    if (nodes->list->octant[item[i].node].owner != b->mesh->rank) continue;
    tx_slab slab = item[i].slab;
    slab.src = nodes->place[item[i].node];
    slab.at = b->sent[1][o->owner];
    b->sent[1][o->owner] += tx_slab_points(&slab);
    TX_TRY(errand_add(e, &slab, o->owner));
  }
  return TX_OK;
}

/* In the order in which the receivers number their octants: runs of nodes, leaves first. */
static tx_status list_errands(const tx_level_builder *b, const tx_level_builder *finer,
                              const uint8_t *touched, errands *e) {
  const tx_level_nodes *nodes = b->nodes;
  const tx_lidx first = nodes->start[finer->number], end = nodes->start[finer->number + 1];
  tx_level_vicinity v = {.parent = -1};
  for (tx_lidx low = first, high = first; low < end; low = high) {
    const int owner = nodes->list->octant[low].owner;
    while (high < end && nodes->list->octant[high].owner == owner) high++;
    for (int leaf = 1; leaf >= 0 && owner != b->mesh->rank; leaf--)
      for (tx_lidx i = low; i < high; i++)
        if (touched[i - first] && nodes->leaf[i] == (leaf == 1)) TX_TRY(run_errands(b, i, &v, e));
  }
  return TX_OK;
}

/* Is a slab of the finer grid interpolated here? */
static bool is_here(const tx_level_builder *b, const tx_slab *slab) {
  return slab->src < b->mesh->n_local;
}

/* Add a slab to those of its source; without a list: count it only. */
static void add_interp(const tx_slab *slab, tx_lidx *place, tx_slab *list) {
  const tx_lidx at = place[slab->src]++;
  if (list) list[at] = *slab;
}

static void each_interp(const tx_level_builder *b, const tx_level_builder *finer, const errands *e,
                        tx_lidx *place, tx_slab *list) {
  const tx_mesh *fine = finer->mesh;
  const tx_ghost_plan *plan = &fine->ghosts;
  for (tx_lidx o = 0; o < fine->n_local; o++)
    for (tx_lidx s = plan->slot_phase2[o]; s < plan->slot_start[o + 1]; s++)
      if (is_here(b, &plan->slot[s])) add_interp(&plan->slot[s], place, list);
  for (tx_lidx s = 0; s < fine->level->n_plane; s++)
    if (is_here(b, &fine->level->plane[s])) add_interp(&fine->level->plane[s], place, list);
  for (tx_lidx i = 0; i < e->n; i++) add_interp(&e->list[i].slab, place, list);
}

/* Send buffer 2 by rank. */
static tx_status place_errands(const tx_level_builder *b, errands *e) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  int64_t *base = NULL;
  TX_TRY(tx_alloc((size_t)mesh->size + 1, sizeof *base, "levels", &base));
  for (int r = 0; r < mesh->size; r++) base[r + 1] = base[r] + b->sent[1][r];
  for (tx_lidx i = 0; i < e->n; i++) {
    e->list[i].slab.at += base[e->list[i].rank];
    e->list[i].slab.dst = plan->n_dst;
  }
  plan->send2_points = base[mesh->size];
  tx_free(base);
  return tx_messages_list(mesh, b->sent[1], 0, &plan->send2_to, &plan->n_send2_to);
}

/* Slabs by source. */
static tx_status group_interp(const tx_level_builder *b, const tx_level_builder *finer,
                              const errands *e, tx_lidx *place) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  tx_lidx all = 0, n = 0;
  each_interp(b, finer, e, place, NULL);
  for (tx_lidx o = 0; o < mesh->n_local; o++) plan->n_source += place[o] > 0;
  plan->n_source_early = plan->n_source;
  TX_TRY(tx_alloc((size_t)plan->n_source, sizeof(tx_lidx), "ghost plan", &plan->source));
  tx_free(plan->interp_start);
  plan->interp_start = NULL;
  TX_TRY(tx_alloc((size_t)plan->n_source + 1, sizeof(tx_lidx), "ghost plan", &plan->interp_start));
  for (tx_lidx o = 0; o < mesh->n_local; o++) {
    if (place[o] == 0) continue;
    const tx_lidx slabs = place[o];
    place[o] = all;
    all += slabs;
    plan->source[n++] = o;
    plan->interp_start[n] = all;
  }
  TX_TRY(tx_alloc_raw((size_t)all, sizeof *plan->interp, "ghost plan", &plan->interp));
  each_interp(b, finer, e, place, plan->interp);
  return TX_OK;
}

tx_status tx_level_sources_fill(tx_level_builder *b, const tx_level_builder *finer) {
  tx_ghost_plan *plan = &b->mesh->ghosts;
  uint8_t *touched = NULL;
  tx_lidx *place = NULL;
  errands e = {NULL, 0, 0};
  const size_t fine =
      finer ? (size_t)(b->nodes->start[finer->number + 1] - b->nodes->start[finer->number]) : 0;
  plan->n_dst = finer ? finer->mesh->n_local : 0;
  tx_status status = tx_alloc(1, sizeof(tx_lidx), "ghost plan", &plan->interp_start);
  if (!finer) return status;
  TX_KEEP(status, tx_alloc(fine, sizeof *touched, "levels", &touched));
  TX_KEEP(status, tx_alloc((size_t)b->mesh->n_local, sizeof *place, "levels", &place));
  if (status == TX_OK) {
    touch_finer(b, finer, touched);
    status = list_errands(b, finer, touched, &e);
    TX_THEN(status, place_errands(b, &e));
    TX_THEN(status, group_interp(b, finer, &e, place));
  }
  tx_free(touched);
  tx_free(place);
  tx_free(e.list);
  return status;
}
