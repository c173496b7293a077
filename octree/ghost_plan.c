#include "octree/internal.h"

#include "base/memory.h"

enum { OWN = TX_REGION(0, 0, 0) };

/* Counts of an octant before its slabs are made. */
typedef struct tally {
  tx_lidx direct, phase1, phase2; /* slabs */
  int64_t interpolated; /* points interpolated on this rank for it; later: for those before it */
  bool remote;          /* takes something from another rank */
} tally;

/* Slabs that this rank sends for a ghost in phase 1 and 2; later: for all ghosts before it. */
typedef struct sends {
  tx_lidx n[2];
  int64_t points[2];
} sends;

typedef struct builder {
  tx_mesh *mesh;
  tx_ghost_plan *plan;
  tally *tally;            /* [n_local] */
  sends *sends;            /* [n_ghost + 1] */
  tx_region (*region)[27]; /* [n_ghost] */
  tx_slab *send2;          /* interpolated for other ranks, by ghost */
  int64_t *send[2];        /* [size] points to a rank in phase 1 and 2 */
  int64_t *recv[2]; /* [size] points from a rank in phase 1 and 2; this rank's: interpolated here */
} builder;

uint8_t tx_outer_faces(const tx_mesh *mesh, const tx_octant *o) {
  uint8_t faces = 0;
  for (int d = 0; d < 3; d++) {
    int32_t n = (int32_t)tx_domain_trees(&mesh->domain, d) << o->level;
    bool low = o->x[d] == 0 && mesh->domain.low[d] == TX_FACE_OUTER;
    bool high = o->x[d] == n - 1 && mesh->domain.high[d] == TX_FACE_OUTER;
    faces |= (uint8_t)((low | high << 1) << 2 * d);
  }
  return faces;
}

static tally count_octant(const tx_mesh *mesh, tx_lidx b) {
  tally t = {0};
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &mesh->region[b][r];
    if (r == OWN || region->kind == TX_REGION_OUTER) continue;
    if (region->kind == TX_REGION_COARSER) {
      bool remote = region->octant[0] >= mesh->n_local;
      t.phase2++;
      t.remote |= remote;
      if (!remote) t.interpolated += tx_region_points(r, TX_REGION_COARSER);
      continue;
    }
    for (int c = 0; c < 4 && region->octant[c] >= 0; c++) {
      bool remote = region->octant[c] >= mesh->n_local;
      t.remote |= remote;
      t.phase1 += remote;
      t.direct += !remote;
    }
  }
  return t;
}

/* Room for the slabs of every octant. */
static tx_status count_local(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  int64_t points = 0;
#pragma omp parallel for schedule(static) if (mesh->n_local > TX_OCTANTS_SERIAL)
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    plan->outer[b] = tx_outer_faces(mesh, &mesh->octant[b]);
    w->tally[b] = count_octant(mesh, b);
  }
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    tally *t = &w->tally[b];
    plan->direct_start[b + 1] = plan->direct_start[b] + t->direct;
    plan->slot_phase2[b] = plan->slot_start[b] + t->phase1;
    plan->slot_start[b + 1] = plan->slot_phase2[b] + t->phase2;
    int64_t here = t->interpolated;
    t->interpolated = points;
    points += here;
  }
  w->recv[1][mesh->rank] = plan->slot_points = points;
  size_t n_direct = (size_t)plan->direct_start[mesh->n_local];
  size_t n_slot = (size_t)plan->slot_start[mesh->n_local];
  TX_TRY(tx_alloc_raw(n_direct, sizeof *plan->direct, "ghost plan", &plan->direct));
  return tx_alloc_raw(n_slot, sizeof *plan->slot, "ghost plan", &plan->slot);
}

/* Slabs of octant b; places in slots count within the block of what is interpolated here. */
static void fill_octant(const builder *w, tx_lidx b) {
  const tx_mesh *mesh = w->mesh;
  const tx_ghost_plan *plan = w->plan;
  tx_slab *direct = plan->direct + plan->direct_start[b];
  tx_slab *phase1 = plan->slot + plan->slot_start[b], *phase2 = plan->slot + plan->slot_phase2[b];
  int64_t at = w->tally[b].interpolated;
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &mesh->region[b][r];
    if (r == OWN || region->kind == TX_REGION_OUTER) continue;
    for (int c = 0; c < 4 && region->octant[c] >= 0; c++) {
      bool remote = region->octant[c] >= mesh->n_local, late = region->kind == TX_REGION_COARSER;
      tx_slab *slab = late ? phase2++ : remote ? phase1++ : direct++;
      tx_region_slab(mesh, b, r, region, c, slab);
      if (!late || remote) continue;
      slab->at = at;
      at += tx_slab_points(slab);
    }
  }
}

/* Room for what other ranks send, in the order in which they send it; then the blocks one after the other:
 * received in phase 1, received in phase 2, interpolated here. */
static tx_status place_slots(builder *w) {
  const tx_mesh *mesh = w->mesh;
  const tx_ghost_plan *plan = w->plan;
  int64_t *base[2] = {NULL, NULL}, at = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    for (tx_lidx s = plan->slot_start[b]; w->tally[b].remote && s < plan->slot_start[b + 1]; s++) {
      tx_slab *slab = &plan->slot[s];
      if (slab->src < mesh->n_local) continue;
      int64_t *points = &w->recv[slab->kind == TX_SLAB_INTERP][mesh->octant[slab->src].owner];
      slab->at = *points;
      *points += tx_slab_points(slab);
    }
  TX_TRY(tx_alloc(2 * (size_t)mesh->size, sizeof *base[0], "ghost plan", &base[0]));
  base[1] = base[0] + mesh->size;
  for (int phase = 0; phase < 2; phase++)
    for (int r = 0; r < mesh->size; r++) {
      base[phase][r] = at;
      if (r != mesh->rank) at += w->recv[phase][r];
    }
  base[1][mesh->rank] = at;
  w->plan->slot_points = at + w->recv[1][mesh->rank];
#pragma omp parallel for schedule(static) if (mesh->n_local > TX_OCTANTS_SERIAL)
  for (tx_lidx s = 0; s < plan->slot_start[mesh->n_local]; s++) {
    tx_slab *slab = &plan->slot[s];
    slab->at += base[slab->kind == TX_SLAB_INTERP][mesh->octant[slab->src].owner];
  }
  tx_free(base[0]);
  return TX_OK;
}

static tx_status plan_local(builder *w) {
  const tx_mesh *mesh = w->mesh;
  TX_TRY(count_local(w));
#pragma omp parallel for schedule(static) if (mesh->n_local > TX_OCTANTS_SERIAL)
  for (tx_lidx b = 0; b < mesh->n_local; b++) fill_octant(w, b);
  return mesh->size > 1 ? place_slots(w) : TX_OK;
}

/* Does source c of a region exist, and on this rank? */
static bool is_sent(const tx_mesh *mesh, int r, const tx_region *region, int c) {
  return r != OWN && region->octant[c] >= 0 && region->octant[c] < mesh->n_local;
}

static sends count_ghost(const builder *w, tx_lidx g) {
  sends sum = {{0, 0}, {0, 0}};
  for (int r = 0; r < 27; r++)
    for (int c = 0; c < 4; c++) {
      const tx_region *region = &w->region[g][r];
      int phase = region->kind == TX_REGION_COARSER;
      if (!is_sent(w->mesh, r, region, c)) continue;
      sum.n[phase]++;
      sum.points[phase] += tx_region_points(r, (tx_region_kind)region->kind);
    }
  return sum;
}

static void fill_ghost(const builder *w, tx_lidx g) {
  tx_slab *to[2] = {w->plan->send1 + w->sends[g].n[0], w->send2 + w->sends[g].n[1]};
  int64_t at[2] = {w->sends[g].points[0], w->sends[g].points[1]};
  for (int r = 0; r < 27; r++)
    for (int c = 0; c < 4; c++) {
      const tx_region *region = &w->region[g][r];
      int phase = region->kind == TX_REGION_COARSER;
      if (!is_sent(w->mesh, r, region, c)) continue;
      tx_slab *slab = to[phase]++;
      tx_region_slab(w->mesh, w->mesh->n_local + g, r, region, c, slab);
      slab->at = at[phase];
      at[phase] += tx_slab_points(slab);
    }
}

/* Plan the sends of this rank: regions of ghosts that have a local source, in the order in which their
 * owner receives them. */
static tx_status plan_remote(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  size_t n = (size_t)mesh->n_ghost;
  TX_TRY(tx_alloc(n + 1, sizeof *w->sends, "ghost plan", &w->sends));
  TX_TRY(tx_alloc_raw(n, sizeof *w->region, "ghost plan", &w->region));
  tx_regions_find(mesh, mesh->n_local, mesh->n_ghost, w->region);
#pragma omp parallel for schedule(static) if (mesh->n_ghost > TX_OCTANTS_SERIAL)
  for (tx_lidx g = 0; g < mesh->n_ghost; g++) w->sends[g + 1] = count_ghost(w, g);
  for (tx_lidx g = 0; g < mesh->n_ghost; g++)
    for (int phase = 0; phase < 2; phase++) {
      w->sends[g + 1].n[phase] += w->sends[g].n[phase];
      w->sends[g + 1].points[phase] += w->sends[g].points[phase];
    }
  const sends *all = &w->sends[n];
  plan->n_send1 = all->n[0];
  plan->send1_points = all->points[0];
  plan->send2_points = all->points[1];
  TX_TRY(tx_alloc_raw((size_t)all->n[0], sizeof *plan->send1, "ghost plan", &plan->send1));
  TX_TRY(tx_alloc_raw((size_t)all->n[1], sizeof *w->send2, "ghost plan", &w->send2));
#pragma omp parallel for schedule(static) if (mesh->n_ghost > TX_OCTANTS_SERIAL)
  for (tx_lidx g = 0; g < mesh->n_ghost; g++) fill_ghost(w, g);
  for (int r = 0; r < mesh->size; r++)
    for (int phase = 0; phase < 2; phase++)
      w->send[phase][r] = w->sends[mesh->ghost_start[r + 1]].points[phase] -
                          w->sends[mesh->ghost_start[r]].points[phase];
  return TX_OK;
}

/* Add slab s, to be interpolated, to its source's. Without a list: count it only. */
static void add_interp(const tx_slab *s, tx_lidx *place, tx_slab *list) {
  tx_lidx at = place[s->src]++;
  if (list) list[at] = *s;
}

/* All slabs to be interpolated on this rank: for octants here, then for ghosts. */
static void each_interp(const builder *w, tx_lidx *place, tx_slab *list) {
  const tx_mesh *mesh = w->mesh;
  const tx_ghost_plan *plan = w->plan;
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    for (tx_lidx s = plan->slot_phase2[b]; s < plan->slot_start[b + 1]; s++)
      if (plan->slot[s].src < mesh->n_local) add_interp(&plan->slot[s], place, list);
  for (tx_lidx s = 0; s < w->sends[mesh->n_ghost].n[1]; s++) add_interp(&w->send2[s], place, list);
}

/* Group interpolated slabs by source, sources that wait for no other rank first. */
static tx_status group_interp(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  tx_lidx *place = NULL, n = 0, at = 0;
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof *place, "ghost plan", &place));
  each_interp(w, place, NULL);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    plan->n_source += place[b] > 0;
    at += place[b];
  }
  size_t starts = (size_t)plan->n_source + 1;
  tx_status status = tx_alloc((size_t)plan->n_source, sizeof n, "ghost plan", &plan->source);
  TX_KEEP(status, tx_alloc(starts, sizeof n, "ghost plan", &plan->interp_start));
  TX_KEEP(status, tx_alloc_raw((size_t)at, sizeof(tx_slab), "ghost plan", &plan->interp));
  at = 0;
  for (int late = 0; late < 2 && status == TX_OK; late++) {
    for (tx_lidx b = 0; b < mesh->n_local; b++) {
      bool waits = plan->slot_phase2[b] > plan->slot_start[b];
      if (place[b] == 0 || waits != (late == 1)) continue;
      plan->source[n] = b;
      at += place[b];
      plan->interp_start[++n] = at;
    }
    if (late == 0) plan->n_source_early = n;
  }
  for (tx_lidx i = 0; i < n; i++) place[plan->source[i]] = plan->interp_start[i];
  if (status == TX_OK) each_interp(w, place, plan->interp);
  tx_free(place);
  return status;
}

/* Split octants by whether they wait for other ranks: for a slab of their own, or for one that a source
 * interpolates which itself waits. */
static tx_status split_interior(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  for (tx_lidx i = plan->n_source_early; i < plan->n_source; i++)
    for (tx_lidx s = plan->interp_start[i]; s < plan->interp_start[i + 1]; s++)
      if (plan->interp[s].dst < mesh->n_local) w->tally[plan->interp[s].dst].remote = true;
  for (tx_lidx b = 0; b < mesh->n_local; b++) plan->n_boundary += w->tally[b].remote;
  plan->n_interior = mesh->n_local - plan->n_boundary;
  TX_TRY(tx_alloc((size_t)plan->n_interior, sizeof(tx_lidx), "ghost plan", &plan->interior));
  TX_TRY(tx_alloc((size_t)plan->n_boundary, sizeof(tx_lidx), "ghost plan", &plan->boundary));
  tx_lidx interior = 0, boundary = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    *(w->tally[b].remote ? &plan->boundary[boundary++] : &plan->interior[interior++]) = b;
  return TX_OK;
}

tx_status tx_messages_list(const tx_mesh *mesh, const int64_t *points, int64_t at, tx_message **out,
                           int *n_out) {
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
  for (int r = 0; r < mesh->size; r++) received += w->recv[0][r];
  TX_TRY(tx_messages_list(mesh, w->send[0], 0, &plan->send1_to, &plan->n_send1_to));
  TX_TRY(tx_messages_list(mesh, w->recv[0], 0, &plan->recv1_from, &plan->n_recv1_from));
  TX_TRY(tx_messages_list(mesh, w->send[1], 0, &plan->send2_to, &plan->n_send2_to));
  return tx_messages_list(mesh, w->recv[1], received, &plan->recv2_from, &plan->n_recv2_from);
}

static tx_status build(builder *w) {
  const tx_mesh *mesh = w->mesh;
  tx_ghost_plan *plan = w->plan;
  size_t n = (size_t)mesh->n_local, size = (size_t)mesh->size;
  plan->n_dst = mesh->n_local;
  TX_TRY(tx_alloc(4 * size, sizeof *w->recv[0], "ghost plan", &w->recv[0]));
  w->recv[1] = w->recv[0] + size;
  w->send[0] = w->recv[1] + size;
  w->send[1] = w->send[0] + size;
  TX_TRY(tx_alloc(n, sizeof *w->tally, "ghost plan", &w->tally));
  TX_TRY(tx_alloc(n, sizeof *plan->outer, "ghost plan", &plan->outer));
  TX_TRY(tx_alloc(n + 1, sizeof(tx_lidx), "ghost plan", &plan->direct_start));
  TX_TRY(tx_alloc(n + 1, sizeof(tx_lidx), "ghost plan", &plan->slot_start));
  TX_TRY(tx_alloc(n, sizeof(tx_lidx), "ghost plan", &plan->slot_phase2));
  TX_TRY(plan_local(w));
  TX_TRY(plan_remote(w));
  TX_TRY(group_interp(w));
  TX_TRY(split_interior(w));
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
    sizes[2 * r] = w->send[0][r];
    sizes[2 * r + 1] = w->send[1][r];
  }
  int code = MPI_Alltoall(sizes, 2, MPI_INT64_T, sizes + 2 * n, 2, MPI_INT64_T, mesh->comm);
  if (code != MPI_SUCCESS) status = tx_error_mpi(code, "MPI_Alltoall", __FILE__, __LINE__);
  for (int r = 0; r < mesh->size && status == TX_OK; r++) {
    const int64_t *sent = sizes + 2 * (mesh->size + r);
    if (r == mesh->rank || (sent[0] == w->recv[0][r] && sent[1] == w->recv[1][r])) continue;
    status = tx_error_record(TX_ERR_MESH, __FILE__, __LINE__,
                             "rank %d sends %lld and %lld ghost points to rank %d, which expects "
                             "%lld and %lld; the ghost layers disagree",
                             r, (long long)sent[0], (long long)sent[1], mesh->rank,
                             (long long)w->recv[0][r], (long long)w->recv[1][r]);
  }
  status = tx_agree(mesh->comm, status);
end:
  tx_free(sizes);
  return status;
}

tx_status tx_ghost_plan_create(tx_mesh *mesh) {
  builder w = {.mesh = mesh, .plan = &mesh->ghosts};
  tx_status status = tx_agree(mesh->comm, build(&w));
  TX_THEN(status, compare_messages(&w));
  tx_free(w.tally);
  tx_free(w.sends);
  tx_free(w.region);
  tx_free(w.send2);
  tx_free(w.recv[0]);
  return status;
}

void tx_ghost_plan_destroy(tx_ghost_plan *p) {
  void *blocks[] = {p->direct,       p->direct_start, p->slot,     p->slot_start,
                    p->slot_phase2,  p->send1,        p->source,   p->interp,
                    p->interp_start, p->interior,     p->boundary, p->outer,
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
