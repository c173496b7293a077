/* Tables of interpolation: boxes of the fine lattices of coarse octants, where they are stored,
 * and the slabs cut from them for other ranks. */
#include "cuda/kernels/interpolate.cuh"

/* Return the side of a slab (TX_CUDA_SIDES), its first point and its lengths. */
static int side_of(const tx_slab *s, int lo[3], int n[3]) {
  int dir[3];
  for (int d = 0; d < 3; d++) {
    const int end = s->from[d] + s->step[d] * (s->n[d] - 1);
    n[d] = s->n[d];
    lo[d] = s->from[d] < end ? s->from[d] : end;
    dir[d] = n[d] > TX_K ? 0 : lo[d] == 0 ? -1 : lo[d] == 2 * TX_N - TX_K;
  }
  return 2 * TX_REGION(dir[0], dir[1], dir[2]) + (dir[2] == 0 && lo[2] >= TX_N);
}

struct extent {
  int lo[3], end[3]; /* end: last + 1; 0: nothing */
};

static void extent_add(extent *e, const int lo[3], const int n[3]) {
  const bool fresh = e->end[0] == 0;
  for (int d = 0; d < 3; d++) {
    if (fresh || lo[d] < e->lo[d]) e->lo[d] = lo[d];
    if (fresh || lo[d] + n[d] > e->end[d]) e->end[d] = lo[d] + n[d];
  }
}

/* Round lengths up to those that kernels know: TX_K, 1 for planes, or all of a half along z and
 * all of the octant along x and y. */
static void extent_round(extent *e) {
  for (int d = 0; d < 3; d++) {
    const int length = e->end[d] - e->lo[d];
    if (length == TX_K || (length == 1 && e->lo[d] % 2 == 0)) continue;
    e->lo[d] = d == 2 && e->lo[d] >= TX_N ? TX_N : 0;
    e->end[d] = d == 2 ? e->lo[d] + TX_N : 2 * TX_N;
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

/* Choose the box that serves each side: the largest of those that contain its own, the first if
 * there are several. */
static void choose_boxes(const extent e[TX_CUDA_SIDES], int serves[TX_CUDA_SIDES]) {
  for (int s = 0; s < TX_CUDA_SIDES; s++) {
    serves[s] = s;
    for (int t = 0; t < TX_CUDA_SIDES && e[s].end[0] > 0; t++) {
      if (e[t].end[0] == 0 || !extent_contains(&e[t], &e[s])) continue;
      const int more = extent_points(&e[t]) - extent_points(&e[serves[s]]);
      if (more > 0 || (more == 0 && t < serves[s])) serves[s] = t;
    }
  }
}

static tx_cuda_lines lines_of(int outer, int inner) {
  tx_cuda_lines l;
  l.outer = (uint16_t)outer;
  l.inner = (uint16_t)inner;
  l.per_inner = (1u << 20) / (unsigned)inner + 1;
  l.per_all = (1u << 20) / (unsigned)(outer * inner) + 1;
  return l;
}

static tx_cuda_fine_box box_of(const extent *e) {
  tx_cuda_fine_box box;
  memset(&box, 0, sizeof box);
  for (int d = 0; d < 3; d++) {
    box.lo[d] = (int8_t)e->lo[d];
    box.n[d] = (uint8_t)(e->end[d] - e->lo[d]);
  }
  box.lines[0] = lines_of(TX_CUDA_COARSE(box.n[1]), TX_CUDA_COARSE(box.n[0]));
  box.lines[1] = lines_of(box.n[2], TX_CUDA_COARSE(box.n[0]));
  box.lines[2] = lines_of(box.n[2], box.n[1]);
  return box;
}

/* Return whether a box has lengths that kernels know, and all its passes fit into their room and
 * are counted right by tx_cuda_lines. */
static bool box_fits(const tx_cuda_fine_box *b) {
  bool known = b->n[2] == 1 || b->n[2] == TX_K || b->n[2] == TX_N;
  for (int d = 0; d < 3; d++) known = known && (b->n[d] % 2 || b->lo[d] % 2 == 0);
  for (int p = 0; p < 3; p++) {
    const int lines = b->lines[p].outer * b->lines[p].inner;
    known = known && TX_CUDA_FINE_VARS * lines * lines < 1 << 20;
  }
  return known && TX_CUDA_BOX_Z(b->n[0], b->n[1], b->n[2]) <= TX_CUDA_ROOM_A &&
         TX_CUDA_BOX_Y(b->n[0], b->n[1], b->n[2]) <= TX_CUDA_ROOM_B &&
         TX_CUDA_BOX_X(b->n[0], b->n[1], b->n[2]) <= TX_CUDA_ROOM_A;
}

/* Return the cut of slab s from its box. */
static tx_cuda_cut cut_of(const tx_slab *s, const tx_cuda_fine_box *box, int message) {
  const int y = TX_CUDA_PITCH(box->n[0]), z = y * box->n[1];
  tx_cuda_cut c;
  memset(&c, 0, sizeof c);
  c.at = s->at;
  c.first = (int16_t)((s->from[2] - box->lo[2]) * z + (s->from[1] - box->lo[1]) * y + s->from[0] -
                      box->lo[0]);
  c.x = s->step[0];
  c.y = (int16_t)(s->step[1] * y);
  c.z = (int16_t)(s->step[2] * z);
  c.message = (int16_t)message;
  c.mirror = s->mirror;
  for (int d = 0; d < 3; d++) c.n[d] = (uint8_t)s->n[d];
  return c;
}

/* Image of the tables on the host, in this order; as many boxes as slabs at most. */
struct image {
  tx_cuda_feed *feed;
  tx_cuda_cut *cut;
  tx_cuda_fine_box *box;
};

/* Return the message in which a point of send buffer 2 lies. */
static int message_of(const tx_ghost_plan *g, int64_t at) {
  int low = 0, high = g->n_send2_to - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (g->send2_to[middle].at <= at)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Extents of a source's slabs at each side, and the side whose box serves each. */
typedef struct sides {
  extent e[TX_CUDA_SIDES];
  int serves[TX_CUDA_SIDES];
} sides;

/* Return whether a slab is of the octant's own points: a plane. */
static bool is_own(const tx_slab *s) {
  bool own = true;
  for (int d = 0; d < 3; d++) own = own && s->lo[d] >= 0 && s->lo[d] + s->n[d] <= TX_N;
  return own;
}

/* Fill the box of side s of a source and its cuts for other ranks, from `cut` on. Return false
 * if the box is larger than its room. If there are too many cuts, fill the same box again. */
static bool fill_box(const tx_mesh *mesh, tx_lidx source, int s, const sides *of, tx_lidx *cut,
                     image *to) {
  const tx_ghost_plan *g = &mesh->ghosts;
  tx_cuda_feed *feed = &to->feed[source];
  tx_cuda_fine_box *box = &to->box[feed->box + feed->n_boxes++];
  int lo[3], n[3];
  *box = box_of(&of->e[s]);
  box->at = -1;
  box->slab = *cut;
  for (tx_lidx i = g->interp_start[source]; i < g->interp_start[source + 1]; i++) {
    const tx_slab *slab = &g->interp[i];
    if (of->serves[side_of(slab, lo, n)] != s) continue;
    if (slab->dst < g->n_dst) {
      if (box->at < 0) box->own = 1;
      box->at = 0; /* to be placed */
      box->own = box->own && is_own(slab);
      continue;
    }
    if (box->n_slabs == TX_CUDA_CUTS) {
      box[1] = *box;
      box = &to->box[feed->box + feed->n_boxes++];
      box->slab = *cut;
      box->n_slabs = 0;
      box[-1].at = -1;
    }
    to->cut[(*cut)++] = cut_of(slab, box, message_of(g, slab->at));
    box->n_slabs++;
  }
  return box_fits(box);
}

/* Fill the tables of one source. Return false if a box does not fit. */
static bool fill_source(const tx_mesh *mesh, tx_lidx source, image *to, int32_t *box_of_side) {
  const tx_ghost_plan *g = &mesh->ghosts;
  const tx_lidx first = g->interp_start[source], last = g->interp_start[source + 1];
  sides of;
  int lo[3], n[3];
  bool fits = true;
  memset(&of, 0, sizeof of);
  for (tx_lidx i = first; i < last; i++) {
    const int side = side_of(&g->interp[i], lo, n);
    extent_add(&of.e[side], lo, n);
  }
  for (int s = 0; s < TX_CUDA_SIDES; s++)
    if (of.e[s].end[0] > 0) extent_round(&of.e[s]);
  choose_boxes(of.e, of.serves);
  tx_cuda_feed *feed = &to->feed[source];
  feed->octant = g->source[source];
  feed->box = first;
  feed->outer = g->outer[feed->octant];
  tx_lidx cut = first;
  for (int s = 0; s < TX_CUDA_SIDES; s++)
    if (of.e[s].end[0] > 0 && of.serves[s] == s) {
      fits = fill_box(mesh, source, s, &of, &cut, to) && fits;
      box_of_side[s] = feed->n_boxes - 1; /* the one that is stored */
    }
  for (int s = 0; s < TX_CUDA_SIDES; s++) box_of_side[s] = box_of_side[of.serves[s]];
  return fits;
}

/* Close the gaps between the boxes of sources, which begin at the number of their first slab,
 * and place those that are stored, from point *at on, those of ghosts first. Return their
 * number. */
static size_t pack_boxes(tx_lidx n_source, image *to, tx_cuda_interpolation *t, int64_t *at) {
  tx_lidx n = 0;
  for (tx_lidx i = 0; i < n_source; i++) {
    tx_cuda_feed *feed = &to->feed[i];
    memmove(&to->box[n], &to->box[feed->box], (size_t)feed->n_boxes * sizeof *to->box);
    feed->box = n;
    for (int s = 0; s < TX_CUDA_SIDES; s++) t->box_of_side[i][s] += n;
    n += feed->n_boxes;
  }
  for (int own = 0; own < 2; own++) {
    for (tx_lidx i = 0; i < n; i++) {
      tx_cuda_fine_box *box = &to->box[i];
      if (box->at < 0 || box->own != own) continue;
      box->at = *at;
      *at += box->n[0] * box->n[1] * box->n[2];
    }
    if (!own) t->ghost_points = *at;
  }
  return (size_t)n;
}

/* Fill the image; the number of boxes goes to *n_boxes, the point behind the last stored one to
 * *at. */
static tx_status fill_interpolation(const tx_mesh *mesh, image *to, tx_cuda_interpolation *t,
                                    size_t *n_boxes, int64_t *at) {
  const tx_ghost_plan *g = &mesh->ghosts;
  int misfits = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) t->source[b] = -1;
  for (tx_lidx i = 0; i < g->n_source; i++) t->source[g->source[i]] = i;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : misfits)
  for (tx_lidx i = 0; i < g->n_source; i++) misfits += !fill_source(mesh, i, to, t->box_of_side[i]);
  TX_REQUIRE(
      misfits == 0, TX_ERR_MESH,
      "%d octants are asked for interpolated ghosts away from their faces; the ghost plan is "
      "not one of a balanced tree",
      misfits);
  *n_boxes = pack_boxes(g->n_source, to, t, at);
  return TX_OK;
}

/* Lay the tables out in a block and return its size; `at` NULL: only the size. */
static size_t place_interpolation(const tx_ghost_plan *g, size_t n_boxes, unsigned char *at,
                                  image *out) {
  const size_t sources = (size_t)g->n_source, slabs = (size_t)g->interp_start[g->n_source];
  const size_t feeds = (sources * sizeof(tx_cuda_feed) + 15) / 16 * 16;
  const size_t cuts = (slabs * sizeof(tx_cuda_cut) + 15) / 16 * 16;
  if (at) {
    out->feed = reinterpret_cast<tx_cuda_feed *>(at);
    out->cut = reinterpret_cast<tx_cuda_cut *>(at + feeds);
    out->box = reinterpret_cast<tx_cuda_fine_box *>(at + feeds + cuts);
  }
  return feeds + cuts + n_boxes * sizeof(tx_cuda_fine_box);
}

static tx_status upload_interpolation(const tx_mesh *mesh, unsigned char *block,
                                      tx_cuda_interpolation *out, int64_t *at) {
  const tx_ghost_plan *g = &mesh->ghosts;
  size_t n_boxes = (size_t)g->interp_start[g->n_source];
  image host, there;
  memset(&there, 0, sizeof there);
  place_interpolation(g, n_boxes, block, &host);
  TX_TRY(fill_interpolation(mesh, &host, out, &n_boxes, at));
  TX_TRY(tx_alloc(n_boxes, sizeof *out->boxes, "GPU plan", &out->boxes));
  memcpy(out->boxes, host.box, n_boxes * sizeof *out->boxes);
  TX_TRY(tx_cuda_upload(block, place_interpolation(g, n_boxes, NULL, NULL),
                        "tables of interpolation", &out->tables));
  place_interpolation(g, n_boxes, static_cast<unsigned char *>(out->tables), &there);
  out->feed = there.feed;
  out->cut = there.cut;
  out->box = there.box;
  return TX_OK;
}

/* Count the points of a level's refinement boundary that other ranks send: they come first among
 * the own points. */
static int64_t stage_received(const tx_ghost_plan *g) {
  int64_t n = 0;
  for (int i = 0; i < g->n_recv2_from; i++) n += g->recv2_from[i].n;
  return n;
}

tx_status tx_cuda_interpolation_create(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  const tx_ghost_plan *g = &x->mesh->ghosts;
  unsigned char *block = NULL;
  TX_TRY(tx_alloc(1, sizeof *c->interpolation, "GPU plan", &c->interpolation));
  c->interpolated_by = {c->interpolation, x->mesh->n_local, 0, c->pack_plan.ahead, 0};
  if (x->coarser) {
    const tx_cuda_interpolation *coarser = tx_cuda_of(x->coarser)->interpolation;
    const int64_t received = stage_received(g);
    c->interpolated_by = {coarser, x->coarser->mesh->n_local, received, x->mesh->level->boundary_at,
                          coarser->ghost_points};
    c->own_points = received + coarser->points;
  }
  if (g->n_source == 0) return TX_OK;
  tx_cuda_interpolation *t = c->interpolation;
  TX_TRY(tx_alloc((size_t)x->mesh->n_local, sizeof *t->source, "GPU plan", &t->source));
  TX_TRY(tx_alloc((size_t)g->n_source, sizeof *t->box_of_side, "GPU plan", &t->box_of_side));
  const size_t slabs = (size_t)g->interp_start[g->n_source];
  TX_TRY(tx_alloc(place_interpolation(g, slabs, NULL, NULL), 1, "GPU tables", &block));
  const tx_status status =
      upload_interpolation(x->mesh, block, t, x->mesh->level ? &t->points : &c->own_points);
  tx_free(block);
  return status;
}

void tx_cuda_interpolation_destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  tx_cuda_interpolation *t = c->interpolation;
  if (!t) return;
  tx_cuda_free(t->tables);
  tx_free(t->source);
  tx_free(t->box_of_side);
  tx_free(t->boxes);
  tx_free(t);
  c->interpolation = NULL;
}

tx_cuda_copy tx_cuda_copy_interpolated(const tx_cuda_interpolation *t, const tx_slab *s) {
  int lo[3], n[3];
  const tx_cuda_fine_box *box = &t->boxes[t->box_of_side[t->source[s->src]][side_of(s, lo, n)]];
  const int y = box->n[0], z = y * box->n[1];
  tx_cuda_copy c;
  memset(&c, 0, sizeof c);
  c.from = box->at;
  c.from_offset =
      (s->from[2] - box->lo[2]) * z + (s->from[1] - box->lo[1]) * y + s->from[0] - box->lo[0];
  c.from_var = (int16_t)(z * box->n[2]);
  c.from_z = (int16_t)(s->step[2] * z);
  c.from_y = (int16_t)(s->step[1] * y);
  c.from_x = s->step[0];
  c.mirror = s->mirror;
  for (int d = 0; d < 3; d++) c.n[d] = (uint8_t)s->n[d];
  return c;
}
