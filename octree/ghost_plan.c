#include "octree/internal.h"

#include "base/memory.h"

_Static_assert(TX_N > 2 * TX_K, "mirrored ghosts must lie within one child octant");

/* A face has 4 finer neighbours, an edge 2, a corner 1. */
enum { SLABS_MAX = 6 * 4 + 12 * 2 + 8 };

typedef struct slab_list {
  tx_slab *slab;
  tx_lidx n, room;
} slab_list;

static tx_status push(slab_list *list, const tx_slab *slab) {
  if (list->n == list->room) {
    list->room = list->room > 0 ? list->room + list->room / 2 : 64;
    TX_TRY(tx_realloc((size_t)list->room, sizeof *slab, "ghost plan", &list->slab));
  }
  list->slab[list->n++] = *slab;
  return TX_OK;
}

static tx_status trim(slab_list *list) {
  list->room = list->n;
  return tx_realloc((size_t)list->n, sizeof *list->slab, "ghost plan", &list->slab);
}

/* Place and source of the points of a slab along dimension d. Point p of dst lies p - dir N points
 * into the box beside it; that box is src (COPY), holds src (INJECT) or lies within src (INTERP).
 * Where mirrored, both octants touch the plane and point p is the image of point -p. */
static void set_dimension(tx_slab *slab, int d, int dir, const tx_octant *dst,
                          const tx_octant *src) {
  bool mirrored = slab->mirror >> d & 1;
  int lo = dir < 0 ? -TX_K : dir > 0 ? TX_N : 0, n = dir == 0 ? TX_N : TX_K;
  int scale = slab->kind == TX_SLAB_INJECT ? 2 : 1, shift = 0;
  if (slab->kind == TX_SLAB_INJECT) {
    int half = src->x[d] & 1;
    shift = -half * TX_N;
    if (dir == 0) {
      n = TX_N / 2;
      lo = half * n;
    }
  } else if (slab->kind == TX_SLAB_INTERP) {
    shift = ((dst->x[d] + dir) & 1) * TX_N;
  }
  int from = mirrored ? -lo * scale : (lo - dir * TX_N) * scale + shift;
  slab->lo[d] = (int8_t)lo;
  slab->n[d] = (int8_t)n;
  slab->from[d] = (int16_t)from;
  slab->step[d] = (int8_t)(mirrored ? -scale : scale);
}

int tx_region_slabs(const tx_mesh *mesh, tx_lidx dst, int r, const tx_region *region,
                    tx_slab out[4]) {
  static const uint8_t kinds[] = {[TX_REGION_SAME] = TX_SLAB_COPY,
                                  [TX_REGION_FINER] = TX_SLAB_INJECT,
                                  [TX_REGION_COARSER] = TX_SLAB_INTERP};
  const int dir[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
  int n = 0;
  if (region->kind == TX_REGION_OUTER) return 0;
  for (int c = 0; c < 4; c++) {
    tx_lidx src = region->octant[c];
    if (src < 0) continue;
    tx_slab *slab = &out[n++];
    *slab = (tx_slab){.dst = dst, .src = src, .kind = kinds[region->kind], .at = -1};
    slab->mirror = region->mirror;
    for (int d = 0; d < 3; d++)
      set_dimension(slab, d, dir[d], &mesh->octant[dst], &mesh->octant[src]);
  }
  return n;
}

typedef struct builder {
  tx_mesh *mesh;
  tx_ghost_plan *plan;
  slab_list direct, slot, send1, interp;
  int64_t *recv1, *recv2, *send1_points, *send2_points; /* points a rank */
  int64_t *buffer;                                      /* holds the four */
} builder;

static bool is_phase1(const tx_mesh *mesh, const tx_slab *slab) {
  return slab->kind != TX_SLAB_INTERP && slab->src >= mesh->n_local;
}

/* Take room in the block of slots that fills this slab. Offsets count within the block at first. */
static int64_t reserve_slot(builder *w, const tx_slab *slab) {
  int owner = w->mesh->octant[slab->src].owner;
  int64_t *block = slab->kind != TX_SLAB_INTERP ? &w->recv1[owner] : &w->recv2[owner];
  int64_t at = *block;
  *block += tx_slab_points(slab);
  return at;
}

static uint8_t outer_faces(const tx_mesh *mesh, const tx_octant *o) {
  uint8_t faces = 0;
  for (int d = 0; d < 3; d++) {
    int32_t n = (int32_t)tx_domain_trees(&mesh->domain, d) << o->level;
    bool low = o->x[d] == 0 && mesh->domain.low[d] == TX_FACE_OUTER;
    bool high = o->x[d] == n - 1 && mesh->domain.high[d] == TX_FACE_OUTER;
    faces |= (uint8_t)((low | high << 1) << 2 * d);
  }
  return faces;
}

static tx_status plan_local(builder *w, tx_lidx b) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  tx_slab slab[4], late[SLABS_MAX];
  int n_late = 0;
  plan->outer[b] = outer_faces(mesh, &mesh->octant[b]);
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &mesh->region[b][r];
    int n = r == TX_REGION(0, 0, 0) ? 0 : tx_region_slabs(mesh, b, r, region, slab);
    for (int s = 0; s < n; s++) {
      if (slab[s].kind != TX_SLAB_INTERP && slab[s].src < mesh->n_local) {
        TX_TRY(push(&w->direct, &slab[s]));
        continue;
      }
      slab[s].at = reserve_slot(w, &slab[s]);
      if (is_phase1(mesh, &slab[s]))
        TX_TRY(push(&w->slot, &slab[s]));
      else
        late[n_late++] = slab[s];
    }
  }
  plan->slot_phase2[b] = w->slot.n;
  for (int s = 0; s < n_late; s++) TX_TRY(push(&w->slot, &late[s]));
  plan->direct_start[b + 1] = w->direct.n;
  plan->slot_start[b + 1] = w->slot.n;
  return TX_OK;
}

/* Order of the slot buffer: received in phase 1, received in phase 2, interpolated here. */
static tx_status place_slots(builder *w) {
  const tx_mesh *mesh = w->mesh;
  int64_t *base = NULL;
  TX_TRY(tx_alloc(2 * (size_t)mesh->size, sizeof *base, "ghost plan", &base));
  int64_t at = 0;
  for (int phase = 0; phase < 2; phase++)
    for (int r = 0; r < mesh->size; r++) {
      if (phase == 1 && r == mesh->rank) continue;
      base[phase * mesh->size + r] = at;
      at += phase == 0 ? w->recv1[r] : w->recv2[r];
    }
  base[mesh->size + mesh->rank] = at;
  w->plan->slot_points = at + w->recv2[mesh->rank];
  tx_status status = TX_OK;
  for (tx_lidx s = 0; s < w->slot.n; s++) {
    tx_slab *slab = &w->slot.slab[s];
    int owner = mesh->octant[slab->src].owner;
    slab->at += base[(slab->kind == TX_SLAB_INTERP) * mesh->size + owner];
    if (slab->kind == TX_SLAB_INTERP && owner == mesh->rank)
      TX_KEEP(status, push(&w->interp, slab));
  }
  tx_free(base);
  return status;
}

/* What this rank sends: regions of ghosts that have a local source, in the order in which their
 * owner receives them. */
static tx_status plan_remote(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_slab slab[4];
  for (tx_lidx g = mesh->n_local; g < mesh->n_local + mesh->n_ghost; g++) {
    int owner = mesh->octant[g].owner;
    for (int r = 0; r < 27; r++) {
      int dir[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
      tx_region region;
      tx_region_find(mesh, &mesh->octant[g], dir, &region);
      int n = r == TX_REGION(0, 0, 0) ? 0 : tx_region_slabs(mesh, g, r, &region, slab);
      for (int s = 0; s < n; s++) {
        if (slab[s].src >= mesh->n_local) continue;
        bool first = slab[s].kind != TX_SLAB_INTERP;
        int64_t *total = first ? &w->plan->send1_points : &w->plan->send2_points;
        slab[s].at = *total;
        *total += tx_slab_points(&slab[s]);
        (first ? w->send1_points : w->send2_points)[owner] += tx_slab_points(&slab[s]);
        TX_TRY(push(first ? &w->send1 : &w->interp, &slab[s]));
      }
    }
  }
  return TX_OK;
}

/* Group interpolated slabs by source, sources that wait for no other rank first. */
static tx_status group_interp(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  tx_lidx *place = NULL;
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof *place, "ghost plan", &place));
  for (tx_lidx s = 0; s < w->interp.n; s++) plan->n_source += place[w->interp.slab[s].src]++ == 0;
  tx_status status = tx_alloc((size_t)plan->n_source, sizeof(tx_lidx), "ghost plan", &plan->source);
  TX_KEEP(status,
          tx_alloc((size_t)plan->n_source + 1, sizeof(tx_lidx), "ghost plan", &plan->interp_start));
  TX_KEEP(status, tx_alloc((size_t)w->interp.n, sizeof(tx_slab), "ghost plan", &plan->interp));
  if (status == TX_OK) {
    tx_lidx n = 0, at = 0;
    for (int late = 0; late < 2; late++) {
      for (tx_lidx b = 0; b < mesh->n_local; b++) {
        bool waits = plan->slot_phase2[b] > plan->slot_start[b];
        if (place[b] == 0 || waits != (late == 1)) continue;
        plan->source[n] = b;
        at += place[b];
        plan->interp_start[++n] = at;
      }
      if (late == 0) plan->n_source_early = n;
    }
    for (tx_lidx s = 0; s < n; s++) place[plan->source[s]] = plan->interp_start[s];
    for (tx_lidx s = 0; s < w->interp.n; s++) {
      const tx_slab *slab = &w->interp.slab[s];
      plan->interp[place[slab->src]++] = *slab;
    }
  }
  tx_free(place);
  return status;
}

/* Which octants take something from another rank: a slab of their own, or one that a source interpolates
 * which itself waits for another rank. */
static tx_status find_waiting(const builder *w, bool **out) {
  const tx_mesh *mesh = w->mesh;
  const tx_ghost_plan *plan = w->plan;
  bool *waits = NULL;
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof *waits, "ghost plan", &waits));
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    for (tx_lidx s = plan->slot_start[b]; s < plan->slot_start[b + 1]; s++)
      waits[b] |= plan->slot[s].src >= mesh->n_local;
  for (tx_lidx i = plan->n_source_early; i < plan->n_source; i++)
    for (tx_lidx s = plan->interp_start[i]; s < plan->interp_start[i + 1]; s++)
      if (plan->interp[s].dst < mesh->n_local) waits[plan->interp[s].dst] = true;
  *out = waits;
  return TX_OK;
}

/* Split octants by whether they wait for other ranks. */
static tx_status split_inner(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  bool *waits = NULL;
  TX_TRY(find_waiting(w, &waits));
  for (tx_lidx b = 0; b < mesh->n_local; b++) plan->n_rim += waits[b];
  plan->n_inner = mesh->n_local - plan->n_rim;
  tx_status status = tx_alloc((size_t)plan->n_inner, sizeof(tx_lidx), "ghost plan", &plan->inner);
  TX_KEEP(status, tx_alloc((size_t)plan->n_rim, sizeof(tx_lidx), "ghost plan", &plan->rim));
  tx_lidx inner = 0, rim = 0;
  for (tx_lidx b = 0; b < mesh->n_local && status == TX_OK; b++)
    *(waits[b] ? &plan->rim[rim++] : &plan->inner[inner++]) = b;
  tx_free(waits);
  return status;
}

/* One message a rank that has points, from `at` on, except to this rank itself. */
static tx_status list_messages(const tx_mesh *mesh, const int64_t *points, int64_t at,
                               tx_message **out, int *n_out) {
  int n = 0;
  for (int r = 0; r < mesh->size; r++) n += r != mesh->rank && points[r] > 0;
  TX_TRY(tx_alloc((size_t)n, sizeof **out, "ghost plan", out));
  n = 0;
  for (int r = 0; r < mesh->size; r++) {
    if (r == mesh->rank || points[r] == 0) continue;
    (*out)[n++] = (tx_message){.rank = r, .at = at, .n = points[r]};
    at += points[r];
  }
  *n_out = n;
  return TX_OK;
}

static tx_status plan_messages(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  int64_t received = 0;
  for (int r = 0; r < mesh->size; r++) received += w->recv1[r];
  TX_TRY(list_messages(mesh, w->send1_points, 0, &plan->send1_to, &plan->n_send1_to));
  TX_TRY(list_messages(mesh, w->recv1, 0, &plan->recv1_from, &plan->n_recv1_from));
  TX_TRY(list_messages(mesh, w->send2_points, 0, &plan->send2_to, &plan->n_send2_to));
  return list_messages(mesh, w->recv2, received, &plan->recv2_from, &plan->n_recv2_from);
}

static tx_status build(builder *w) {
  tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  size_t n = (size_t)mesh->n_local, size = (size_t)mesh->size;
  TX_TRY(tx_alloc(4 * size, sizeof *w->buffer, "ghost plan", &w->buffer));
  w->recv1 = w->buffer;
  w->recv2 = w->buffer + size;
  w->send1_points = w->buffer + 2 * size;
  w->send2_points = w->buffer + 3 * size;
  TX_TRY(tx_alloc(n, sizeof *plan->outer, "ghost plan", &plan->outer));
  TX_TRY(tx_alloc(n + 1, sizeof(tx_lidx), "ghost plan", &plan->direct_start));
  TX_TRY(tx_alloc(n + 1, sizeof(tx_lidx), "ghost plan", &plan->slot_start));
  TX_TRY(tx_alloc(n, sizeof(tx_lidx), "ghost plan", &plan->slot_phase2));
  for (tx_lidx b = 0; b < mesh->n_local; b++) TX_TRY(plan_local(w, b));
  TX_TRY(place_slots(w));
  TX_TRY(plan_remote(w));
  TX_TRY(trim(&w->direct));
  TX_TRY(trim(&w->slot));
  TX_TRY(trim(&w->send1));
  plan->direct = w->direct.slab;
  plan->slot = w->slot.slab;
  plan->send1 = w->send1.slab;
  plan->n_send1 = w->send1.n;
  w->direct.slab = w->slot.slab = w->send1.slab = NULL;
  TX_TRY(group_interp(w));
  TX_TRY(split_inner(w));
  return plan_messages(w);
}

/* Collective. Both ends of every message found its size on their own: compare. */
static tx_status compare_messages(const builder *w) {
  const tx_mesh *mesh = w->mesh;
  int64_t *sizes = NULL;
  size_t n = (size_t)mesh->size;
  tx_status status = tx_alloc(4 * n, sizeof *sizes, "ghost plan", &sizes);
  if ((status = tx_agree(mesh->comm, status)) != TX_OK) goto end;
  for (size_t r = 0; r < n; r++) {
    sizes[2 * r] = w->send1_points[r];
    sizes[2 * r + 1] = w->send2_points[r];
  }
  int code = MPI_Alltoall(sizes, 2, MPI_INT64_T, sizes + 2 * n, 2, MPI_INT64_T, mesh->comm);
  if (code != MPI_SUCCESS) status = tx_error_mpi(code, "MPI_Alltoall", __FILE__, __LINE__);
  for (int r = 0; r < mesh->size && status == TX_OK; r++) {
    const int64_t *sent = sizes + 2 * (mesh->size + r);
    if (r == mesh->rank || (sent[0] == w->recv1[r] && sent[1] == w->recv2[r])) continue;
    status = tx_error_record(TX_ERR_MESH, __FILE__, __LINE__,
                             "rank %d sends %lld and %lld ghost points to rank %d, which expects "
                             "%lld and %lld; the ghost layers disagree",
                             r, (long long)sent[0], (long long)sent[1], mesh->rank,
                             (long long)w->recv1[r], (long long)w->recv2[r]);
  }
  status = tx_agree(mesh->comm, status);
end:
  tx_free(sizes);
  return status;
}

tx_status tx_ghost_plan_create(tx_mesh *mesh) {
  builder w = {.mesh = mesh, .plan = &mesh->ghosts};
  tx_status status = tx_agree(mesh->comm, build(&w));
  if (status == TX_OK) status = compare_messages(&w);
  tx_free(w.direct.slab);
  tx_free(w.slot.slab);
  tx_free(w.send1.slab);
  tx_free(w.interp.slab);
  tx_free(w.buffer);
  return status;
}

void tx_ghost_plan_destroy(tx_ghost_plan *p) {
  void *blocks[] = {p->direct,       p->direct_start, p->slot,     p->slot_start,
                    p->slot_phase2,  p->send1,        p->source,   p->interp,
                    p->interp_start, p->inner,        p->rim,      p->outer,
                    p->send1_to,     p->recv1_from,   p->send2_to, p->recv2_from};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) tx_free(blocks[i]);
}

void tx_ghost_plan_count(const tx_mesh *mesh, tx_mesh_counts *c) {
  const tx_ghost_plan *p = &mesh->ghosts;
  c->slabs = (size_t)p->direct_start[mesh->n_local] + (size_t)p->slot_start[mesh->n_local] +
             (size_t)p->n_send1 + (size_t)p->interp_start[p->n_source];
  c->sources = (size_t)p->n_source;
  c->messages = (size_t)(p->n_send1_to + p->n_recv1_from + p->n_send2_to + p->n_recv2_from);
}

size_t tx_ghost_plan_bytes(const tx_mesh_counts *c) {
  size_t indices = 4 * c->local + 2 + 2 * c->sources + 1;
  return c->slabs * sizeof(tx_slab) + indices * sizeof(tx_lidx) + c->local * sizeof(uint8_t) +
         c->messages * sizeof(tx_message);
}
