/* Tables of a plan on the device: the address of every region of every patch, and lists of
 * copies. */
#include "cuda/backend.cuh"

/* Entries that an octant adds to the tables whose lengths are not known beforehand. */
struct need {
  int64_t points;
  tx_lidx local, received;
};

/* Parts of the one block of device memory, or of its image on the host. */
struct image {
  unsigned char *bytes;
  tx_cuda_region *region;
  tx_cuda_place *place;
  tx_cuda_copy *pack, *assembly_local, *assembly_received;
};

static int direction(int lo) {
  return lo < 0 ? -1 : lo >= TX_N;
}

static int region_of(const tx_slab *s) {
  return TX_REGION(direction(s->lo[0]), direction(s->lo[1]), direction(s->lo[2]));
}

/* Find the first point and the lengths of a region of a patch. */
static void region_box(int r, int lo[3], int n[3]) {
  const int dir[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
  for (int d = 0; d < 3; d++) {
    lo[d] = dir[d] < 0 ? -TX_K : dir[d] > 0 ? TX_N : 0;
    n[d] = dir[d] == 0 ? TX_N : TX_K;
  }
}

static int region_points(int r) {
  int lo[3], n[3];
  region_box(r, lo, n);
  return n[0] * n[1] * n[2];
}

/* Return whether a region is assembled in a box: true of all that comes from finer octants, but
 * for a single received slab, which is the region itself. */
static bool is_assembled(const tx_mesh *mesh, const tx_region *r) {
  if (r->kind != TX_REGION_FINER) return false;
  int n = 0, local = 0;
  for (int c = 0; c < 4; c++) {
    n += r->octant[c] >= 0;
    local += r->octant[c] >= 0 && r->octant[c] < mesh->n_local;
  }
  return n > 1 || local == 1;
}

static need need_of(const tx_mesh *mesh, tx_lidx b) {
  need sum = {0, 0, 0};
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &mesh->region[b][r];
    if (!is_assembled(mesh, region)) continue;
    sum.points += region_points(r);
    for (int c = 0; c < 4; c++) {
      if (region->octant[c] < 0) continue;
      if (region->octant[c] < mesh->n_local)
        sum.local++;
      else
        sum.received++;
    }
  }
  return sum;
}

/* Find where each octant's part begins, points from `first` on; the last entry: the whole. */
static tx_status needs_create(const tx_mesh *mesh, int64_t first, need **out) {
  TX_TRY(tx_alloc((size_t)mesh->n_local + 1, sizeof **out, "GPU tables", out));
  need *needs = *out;
#pragma omp parallel for schedule(static)
  for (tx_lidx b = 0; b < mesh->n_local; b++) needs[b] = need_of(mesh, b);
  need at = {first, 0, 0};
  for (tx_lidx b = 0; b <= mesh->n_local; b++) {
    const need own = needs[b];
    needs[b] = at;
    at.points += own.points;
    at.local += own.local;
    at.received += own.received;
  }
  return TX_OK;
}

/* Lay the parts out in one block and return its size; `at` NULL: only the size. */
static size_t place_tables(const tx_mesh *mesh, const need *all, unsigned char *at, image *out) {
  const tx_ghost_plan *g = &mesh->ghosts;
  const size_t n = (size_t)mesh->n_local, room = 255;
  size_t used = 0;
  const auto part = [&](size_t bytes) {
    unsigned char *place = at ? at + used : NULL;
    used = (used + bytes + room) & ~room;
    return place;
  };
  out->bytes = at;
  out->region = reinterpret_cast<tx_cuda_region *>(part(n * 27 * sizeof(tx_cuda_region)));
  out->place = reinterpret_cast<tx_cuda_place *>(part(n * sizeof(tx_cuda_place)));
  out->pack = reinterpret_cast<tx_cuda_copy *>(part((size_t)g->n_send1 * sizeof(tx_cuda_copy)));
  out->assembly_local =
      reinterpret_cast<tx_cuda_copy *>(part((size_t)all->local * sizeof(tx_cuda_copy)));
  out->assembly_received =
      reinterpret_cast<tx_cuda_copy *>(part((size_t)all->received * sizeof(tx_cuda_copy)));
  return used;
}

/* Return the source half of a copy of a COPY or INJECT slab, from a field. */
static tx_cuda_copy copy_from(const tx_slab *s) {
  tx_cuda_copy c;
  memset(&c, 0, sizeof c);
  c.from = (int64_t)s->src * TX_N3;
  c.from_offset = TX_AT(s->from[0], s->from[1], s->from[2]);
  c.from_var = TX_N3;
  c.from_z = (int16_t)(s->step[2] * TX_N * TX_N);
  c.from_y = (int16_t)(s->step[1] * TX_N);
  c.from_x = s->step[0];
  c.mirror = s->mirror;
  for (int d = 0; d < 3; d++) c.n[d] = (uint8_t)s->n[d];
  return c;
}

/* Set the target of a copy of slab s of an assembled region: a box of the region's shape at own
 * point `at`. */
static void copy_to_box(tx_cuda_copy *c, const tx_slab *s, int64_t at) {
  int lo[3], n[3];
  region_box(region_of(s), lo, n);
  c->to = at;
  c->to_y = (int16_t)n[0];
  c->to_z = (int16_t)(n[0] * n[1]);
  c->to_var = (int16_t)(n[0] * n[1] * n[2]);
  c->to_offset = (s->lo[2] - lo[2]) * c->to_z + (s->lo[1] - lo[1]) * c->to_y + s->lo[0] - lo[0];
}

/* Return a region of the shape of a copy's source, whose point lo is the copy's first. */
static tx_cuda_region region_from(const tx_cuda_copy *c, const int8_t lo[3],
                                  tx_cuda_source source) {
  tx_cuda_region r;
  memset(&r, 0, sizeof r);
  r.origin = c->from;
  r.var = c->from_var;
  r.z = c->from_z;
  r.y = c->from_y;
  r.x = c->from_x;
  r.offset = c->from_offset - lo[2] * c->from_z - lo[1] * c->from_y - lo[0] * c->from_x;
  r.source = (uint8_t)source;
  r.mirror = c->mirror;
  return r;
}

/* Place the assembled regions of octant b from point *at on, box[r] [out] being the place of
 * region r. Mark all others as beyond outer faces. */
static void place_boxes(const tx_mesh *mesh, tx_lidx b, int64_t *at, int64_t box[27],
                        tx_cuda_region *region) {
  for (int r = 0; r < 27; r++) {
    memset(&region[r], 0, sizeof region[r]);
    region[r].source = TX_CUDA_OUTER;
    if (!is_assembled(mesh, &mesh->region[b][r])) continue;
    int lo[3], n[3];
    region_box(r, lo, n);
    const tx_slab whole = {.dst = b,
                           .src = -1,
                           .kind = 0,
                           .mirror = 0,
                           .lo = {(int8_t)lo[0], (int8_t)lo[1], (int8_t)lo[2]},
                           .n = {(int8_t)n[0], (int8_t)n[1], (int8_t)n[2]},
                           .from = {0, 0, 0},
                           .step = {1, 1, 1},
                           .at = *at};
    const tx_cuda_copy c = tx_cuda_copy_from_box(&whole);
    region[r] = region_from(&c, whole.lo, TX_CUDA_OWN);
    box[r] = *at;
    *at += n[0] * n[1] * n[2];
  }
}

/* Return the region of the octant's own points. */
static tx_cuda_region own_region(tx_lidx b) {
  const tx_slab own = {.dst = b,
                       .src = b,
                       .kind = TX_SLAB_COPY,
                       .mirror = 0,
                       .lo = {0, 0, 0},
                       .n = {TX_N, TX_N, TX_N},
                       .from = {0, 0, 0},
                       .step = {1, 1, 1},
                       .at = -1};
  const tx_cuda_copy c = copy_from(&own);
  return region_from(&c, own.lo, TX_CUDA_FIELD);
}

/* Fill the regions of octant b, and the copies that assemble them, from `at` on. */
static void fill_octant(const tx_mesh *mesh, const tx_cuda *plan, tx_lidx b, need at, image *to) {
  const tx_ghost_plan *g = &mesh->ghosts;
  tx_cuda_region *region = to->region + (size_t)b * 27;
  int64_t box[27];
  uint32_t mirrors = 0;
  place_boxes(mesh, b, &at.points, box, region);
  for (tx_lidx i = g->direct_start[b]; i < g->direct_start[b + 1]; i++) {
    const tx_slab *s = &g->direct[i];
    tx_cuda_copy c = copy_from(s);
    if (s->kind == TX_SLAB_INJECT) {
      copy_to_box(&c, s, box[region_of(s)]);
      to->assembly_local[at.local++] = c;
    } else {
      region[region_of(s)] = region_from(&c, s->lo, TX_CUDA_FIELD);
      mirrors |= s->mirror;
    }
  }
  for (tx_lidx i = g->slot_start[b]; i < g->slot_start[b + 1]; i++) {
    const tx_slab *s = &g->slot[i];
    tx_cuda_copy c = tx_cuda_copy_from_slot(plan, &mesh->ghosts, i);
    if (is_assembled(mesh, &mesh->region[b][region_of(s)])) {
      copy_to_box(&c, s, box[region_of(s)]);
      to->assembly_received[at.received++] = c;
    } else {
      region[region_of(s)] = region_from(&c, s->lo, c.own ? TX_CUDA_OWN : TX_CUDA_SLOT);
      region[region_of(s)].late = s->kind == TX_SLAB_INTERP;
      mirrors |= c.mirror;
    }
  }
  region[TX_REGION(0, 0, 0)] = own_region(b);
  tx_cuda_place *place = &to->place[b];
  tx_mesh_origin(mesh, b, place->x0);
  place->level = mesh->octant[b].level;
  place->index = mesh->octant[b].index;
  place->h = tx_mesh_spacing(mesh, place->level);
  place->outer = g->outer[b];
  place->mirrors = mirrors;
  place->coarser_below = tx_mesh_coarser_below(mesh, b);
  place->planes = mesh->level && mesh->level->planes ? mesh->level->planes[b] : 0u;
}

/* List the copies of slabs into send buffer 1, each with its message. */
static void fill_pack(const tx_ghost_plan *g, const tx_cuda_pack_plan *p, tx_cuda_copy *to) {
  int message = 0;
  for (tx_lidx i = 0; i < g->n_send1; i++) {
    const tx_slab *s = &g->send1[i];
    while (s->at >= g->send1_to[message].at + g->send1_to[message].n) message++;
    if (p->sent[i].in != i) continue;
    tx_cuda_copy c = copy_from(s);
    c.to = p->sent[i].at;
    c.to_y = s->n[0];
    c.to_z = (int16_t)(s->n[0] * s->n[1]);
    c.to_var = (int16_t)(s->n[0] * s->n[1] * s->n[2]);
    c.message = (int16_t)message;
    *to++ = c;
  }
}

static void fill_tables(const tx_mesh *mesh, const tx_cuda *plan, const need *needs, image *to) {
  const tx_ghost_plan *g = &mesh->ghosts;
#pragma omp parallel for schedule(static)
  for (tx_lidx b = 0; b < mesh->n_local; b++) fill_octant(mesh, plan, b, needs[b], to);
  fill_pack(g, &plan->pack_plan, to->pack);
}

static bool has_outer_faces(const tx_mesh *mesh) {
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    if (mesh->ghosts.outer[b]) return true;
  return false;
}

static tx_status upload_tables(tx_exec *x, const need *needs, image *host) {
  const tx_mesh *mesh = x->mesh;
  tx_cuda *c = tx_cuda_of(x);
  const need *all = &needs[mesh->n_local];
  const size_t bytes = place_tables(mesh, all, NULL, host);
  unsigned char *block = NULL;
  TX_TRY(tx_alloc(bytes, 1, "GPU tables", &block));
  place_tables(mesh, all, block, host);
  fill_tables(mesh, c, needs, host);
  TX_TRY(tx_cuda_upload(block, bytes, "tables of the mesh", &c->tables));
  image on;
  place_tables(mesh, all, static_cast<unsigned char *>(c->tables), &on);
  c->mesh.region = on.region;
  c->mesh.place = on.place;
  c->outer = has_outer_faces(mesh);
  c->pack = on.pack;
  c->n_pack = c->pack_plan.n_sent;
  c->assembly_local = on.assembly_local;
  c->n_assembly_local = all->local;
  c->assembly_received = on.assembly_received;
  c->n_assembly_received = all->received;
  c->extra_points = all->points - c->own_points;
  return TX_OK;
}

tx_status tx_cuda_tables_create(tx_exec *x) {
  need *needs = NULL;
  image host;
  memset(&host, 0, sizeof host);
  tx_cuda_of(x)->mesh.n_local = x->mesh->n_local;
  tx_status status = needs_create(x->mesh, tx_cuda_of(x)->own_points, &needs);
  TX_KEEP(status, status == TX_OK ? upload_tables(x, needs, &host) : status);
  tx_free(host.bytes);
  tx_free(needs);
  return status;
}

void tx_cuda_tables_destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  tx_cuda_free(c->tables);
  c->tables = NULL;
}
