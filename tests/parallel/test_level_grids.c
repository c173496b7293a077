/* Grids of the levels of a forest: who has which node, what comes from where, and that both sides agree. */
#include <stdlib.h>
#include <string.h>

#include "octree/internal.h"
#include "octree/level.h"
#include "tests/support/main.h"
#include "tests/support/octree_checks.h"

enum { DOMAINS = 27, SHARE = 20 };

typedef struct forest {
  bool whole; /* grids of tx_level_grids_create_whole */
  tx_octree *tree;
  tx_mesh *mesh;
  tx_octant *leaf; /* of all ranks */
  tx_level_grids *grids;
} forest;

static forest forest_make(int n, bool whole) {
  forest f = {.whole = whole};
  tx_domain domain = tx_test_domain(n);
  domain.trees = n % 3;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 700 + (uint64_t)n, 2, 1, 4, &f.tree, &f.mesh));
  OK(whole ? tx_level_grids_create_whole(f.mesh, SHARE, &f.grids)
           : tx_level_grids_create(f.mesh, NULL, &f.grids));
  f.leaf = tx_test_all_leaves(f.mesh);
  return f;
}

static void forest_free(forest *f) {
  free(f->leaf);
  tx_level_grids_destroy(f->grids);
  tx_mesh_destroy(f->mesh);
  tx_octree_destroy(f->tree);
}

static void with_forests(void (*look)(const forest *)) {
  for (int n = 0; n < DOMAINS; n += tx_test_every(2)) {
    forest f = forest_make(n, n % 4 > 1);
    look(&f);
    forest_free(&f);
  }
}

/* 2: a leaf, 1: covered, 0: no node: by looking at all leaves. */
static int node_kind(const forest *f, int level, const int32_t x[3]) {
  int kind = 0;
  for (tx_gidx i = 0; i < f->mesh->n_global && kind < 2; i++) {
    const tx_octant *o = &f->leaf[i];
    if (o->level < level) continue;
    bool inside = true;
    for (int d = 0; d < 3; d++) inside = inside && o->x[d] >> (o->level - level) == x[d];
    if (inside) kind = o->level == level ? 2 : 1;
  }
  return kind;
}

/* An even share on the first ranks, as many as have at least `share` octants each. */
static void assert_share(const tx_mesh *g, int share) {
  long ranks = g->n_global / share;
  ranks = ranks < 1 ? 1 : ranks > g->size ? g->size : ranks;
  const long n = g->rank < ranks ? (long)g->n_global : 0;
  assert_true(labs((long)g->n_local * ranks - n) < ranks);
}

static void look_at_nodes(const forest *f) {
  tx_gidx nodes[TX_LEVELS];
  assert_int_equal(f->grids->lowest, f->whole ? 0 : f->mesh->level_lowest);
  assert_int_equal(f->grids->n, f->mesh->level_highest - f->grids->lowest + 1);
  tx_level_nodes_count(f->mesh->level_count, nodes);
  for (int i = 0; i < f->grids->n; i++) {
    const tx_mesh *g = f->grids->grid[i];
    const int level = f->grids->lowest + i;
    int64_t sum[2] = {g->n_local, g->n_leaf};
    assert_share(g, f->whole ? SHARE : 1);
    for (tx_lidx b = 0; b < g->n_local; b++) {
      assert_int_equal(g->octant[b].level, level);
      assert_int_equal(node_kind(f, level, g->octant[b].x), b < g->n_leaf ? 2 : 1);
      if (b > 0 && b != g->n_leaf) assert_true(g->octant[b].index > g->octant[b - 1].index);
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(sum[0], level < f->mesh->level_lowest
                                 ? tx_domain_octants(&f->mesh->domain, level)
                                 : nodes[level]);
    assert_int_equal(sum[0], g->n_global);
    assert_int_equal(sum[1], f->mesh->level_count[level]);
  }
}

static void every_rank_has_a_share_of_all_nodes(void **state) {
  with_forests(look_at_nodes);
}

/* Is the box beside octant o in direction dir, or its mirror image, on the level? Outside counts as there. */
static bool is_there(const forest *f, const tx_octant *o, const int dir[3]) {
  int32_t x[3];
  for (int d = 0; d < 3; d++) {
    const int32_t n = (int32_t)tx_domain_trees(&f->mesh->domain, d) << o->level;
    x[d] = o->x[d] + dir[d];
    const tx_face face = x[d] < 0 ? f->mesh->domain.low[d] : f->mesh->domain.high[d];
    if (x[d] >= 0 && x[d] < n) continue;
    if (face == TX_FACE_OUTER) return true;
    x[d] = face == TX_FACE_REFLECT ? o->x[d] : (x[d] + n) % n;
  }
  return node_kind(f, o->level, x) > 0;
}

/* Is own point p of octant o on the boundary of the closed region of its level? */
static bool on_boundary(const forest *f, const tx_octant *o, const int p[3]) {
  for (int corner = 1; corner < 8; corner++) {
    int dir[3];
    bool touches = true;
    for (int d = 0; d < 3; d++) {
      dir[d] = corner >> d & 1 ? -1 : 0;
      touches = touches && (dir[d] == 0 || p[d] == 0);
    }
    if (touches && !is_there(f, o, dir)) return true;
  }
  return false;
}

static bool in_slab(const tx_slab *s, const int p[3]) {
  bool in = true;
  for (int d = 0; d < 3; d++) in = in && p[d] >= s->lo[d] && p[d] < s->lo[d] + s->n[d];
  return in;
}

/* Own points that are planes are those on the boundary; each comes from the coarse point at the same place. */
static void look_at_planes(const forest *f) {
  for (int i = 1; i < f->grids->n; i++) {
    const tx_mesh *g = f->grids->grid[i];
    const tx_level_plan *level = g->level;
    tx_lidx first = 0;
    for (tx_lidx b = 0; b < g->n_local; b++) {
      tx_lidx end = first;
      while (end < level->n_plane && level->plane[end].dst == b) end++;
      for (int kind = 0; kind < 8; kind++) { /* points of index 0 or 1 */
        const int p[3] = {kind & 1, kind >> 1 & 1, kind >> 2};
        bool covered = false;
        for (tx_lidx s = first; s < end; s++) covered = covered || in_slab(&level->plane[s], p);
        assert_int_equal(covered, on_boundary(f, &g->octant[b], p));
      }
      for (tx_lidx s = first; s < end; s++)
        for (int d = 0; d < 3; d++)
          assert_int_equal(level->plane[s].from[d], (g->octant[b].x[d] & 1) * TX_N);
      first = end;
    }
    assert_int_equal(first, level->n_plane);
  }
}

static void planes_are_the_boundary_of_the_closed_region(void **state) {
  with_forests(look_at_planes);
}

/* Points of messages by rank: sent here, then what others say they expect. */
static bool messages_agree(const tx_message *to, int n_to, const tx_message *from, int n_from) {
  int size, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int64_t *points = calloc(3 * (size_t)size, sizeof *points);
  bool agree = true;
  for (int i = 0; i < n_to; i++) points[to[i].rank] = to[i].n;
  for (int i = 0; i < n_from; i++) points[size + from[i].rank] = from[i].n;
  MPI_Alltoall(points + size, 1, MPI_INT64_T, points + 2 * size, 1, MPI_INT64_T, MPI_COMM_WORLD);
  for (int r = 0; r < size; r++) agree = agree && points[r] == points[2 * size + r];
  agree = agree && points[rank] == 0;
  free(points);
  return agree;
}

static void look_at_messages(const forest *f) {
  for (int i = 0; i < f->grids->n; i++) {
    const tx_mesh *g = f->grids->grid[i];
    const tx_ghost_plan *p = &g->ghosts, *above = i > 0 ? &f->grids->grid[i - 1]->ghosts : NULL;
    const tx_level_plan *l = g->level;
    assert_true(messages_agree(p->send1_to, p->n_send1_to, p->recv1_from, p->n_recv1_from));
    if (above)
      assert_true(
          messages_agree(above->send2_to, above->n_send2_to, p->recv2_from, p->n_recv2_from));
    assert_true(messages_agree(l->send_to, l->n_send_to, l->receive_from, l->n_receive_from));
    assert_true(messages_agree(l->load.send, l->load.n_send, l->load.recv, l->load.n_recv));
    assert_true(messages_agree(l->store.send, l->store.n_send, l->store.recv, l->store.n_recv));
    assert_int_equal(l->n_descent + l->n_send, i > 0 ? g->n_local : 0);
    if (i > 0)
      assert_int_equal(l->n_descent + l->n_receive,
                       8 * (f->grids->grid[i - 1]->n_local - f->grids->grid[i - 1]->n_leaf));
  }
}

static void messages_are_expected(void **state) {
  with_forests(look_at_messages);
}

/* Every place of the edge is written by one slab, and by one that is interpolated here or received. */
static void look_at_edges(const forest *f) {
  for (int i = 0; i < f->grids->n; i++) {
    const tx_mesh *g = f->grids->grid[i];
    const tx_ghost_plan *p = &g->ghosts;
    const tx_level_plan *l = g->level;
    int8_t *seen = calloc((size_t)p->slot_points + 1, 1);
    assert_int_equal(l->boundary_at + l->boundary_points, p->slot_points);
    for (tx_lidx s = 0; s < p->slot_start[g->n_local]; s++)
      memset(seen + p->slot[s].at, 1, (size_t)tx_slab_points(&p->slot[s]));
    for (tx_lidx s = 0; s < l->n_plane; s++)
      memset(seen + l->plane[s].at, 1, (size_t)tx_slab_points(&l->plane[s]));
    for (int64_t q = 0; q < p->slot_points; q++) assert_int_equal(seen[q], 1);
    for (int m = 0; m < p->n_recv2_from; m++)
      memset(seen + p->recv2_from[m].at, 2, (size_t)p->recv2_from[m].n);
    const tx_ghost_plan *above = i > 0 ? &f->grids->grid[i - 1]->ghosts : NULL;
    for (tx_lidx s = 0; above && s < above->interp_start[above->n_source]; s++)
      if (above->interp[s].dst < above->n_dst)
        memset(seen + above->interp[s].at, 2, (size_t)tx_slab_points(&above->interp[s]));
    for (int64_t q = 0; q < p->slot_points; q++)
      assert_int_equal(seen[q], q < l->boundary_at ? 1 : 2);
    free(seen);
  }
}

static void edges_are_complete(void **state) {
  with_forests(look_at_edges);
}

static void look_at_places(const forest *f) {
  const double past = 1.5 * f->mesh->domain.extent, out[3] = {past, 0.0, 0.0};
  assert_int_equal(tx_level_grids_locate(f->grids, out), -1);
  for (tx_lidx b = 0; b < f->mesh->n_local; b++) {
    double x[3], size = tx_mesh_size(f->mesh, f->mesh->octant[b].level);
    tx_mesh_origin(f->mesh, b, x);
    for (int d = 0; d < 3; d++) x[d] += 0.3 * size;
    assert_int_equal(tx_level_grids_locate(f->grids, x), f->mesh->octant[b].level);
    for (int d = 0; d < 3; d++)
      if (f->mesh->domain.low[d] == TX_FACE_REFLECT) x[d] = -x[d];
    assert_int_equal(tx_level_grids_locate(f->grids, x), f->mesh->octant[b].level);
  }
}

static void places_are_found(void **state) {
  with_forests(look_at_places);
}

/* Where octants come from on the way down: each node as the child of a covered octant of the coarser grid. */
static void list_made(const tx_mesh *coarse, const tx_transfer *t, tx_octant *made) {
  assert_int_equal(t->n_remap, 8 * (coarse->n_local - coarse->n_leaf));
  for (tx_lidx i = 0; i < t->n_remap; i++) {
    const tx_octant_remap *from = &t->remap[i];
    assert_int_equal(from->change, TX_REFINE_OCTANT);
    assert_true(from->old >= coarse->n_leaf && from->old < coarse->n_local);
    for (int d = 0; d < 3; d++)
      made[i].x[d] = 2 * coarse->octant[from->old].x[d] + (from->child >> d & 1);
  }
}

/* What is received and what stays are the nodes of this rank in the order of the curve. */
static void check_descend(const tx_mesh *coarse, const tx_mesh *fine) {
  const tx_transfer *t = &fine->level->descend;
  tx_octant *made = calloc((size_t)t->n_remap + 1, sizeof *made);
  tx_octant *moved = calloc((size_t)fine->n_local + 1, sizeof *moved);
  MPI_Request *request = calloc((size_t)(t->n_send + t->n_recv) + 1, sizeof(MPI_Request));
  int n = 0;
  list_made(coarse, t, made);
  assert_true(messages_agree(t->send, t->n_send, t->recv, t->n_recv));
  for (int m = 0; m < t->n_recv; m++)
    MPI_Irecv(moved + t->recv[m].at, (int)(t->recv[m].n * (int64_t)sizeof *moved), MPI_BYTE,
              t->recv[m].rank, 9, fine->comm, &request[n++]);
  for (int m = 0; m < t->n_send; m++)
    MPI_Isend(made + t->send[m].at, (int)(t->send[m].n * (int64_t)sizeof *made), MPI_BYTE,
              t->send[m].rank, 9, fine->comm, &request[n++]);
  MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
  memcpy(moved + t->stay_to, made + t->stay_from, (size_t)t->n_stay * sizeof *made);
  for (tx_lidx i = 0; i < fine->n_local; i++) {
    const tx_lidx b = fine->level->node[i];
    assert_memory_equal(moved[i].x, fine->octant[b].x, sizeof moved[i].x);
    if (i > 0) assert_true(fine->octant[b].index > fine->octant[fine->level->node[i - 1]].index);
  }
  free(made);
  free(moved);
  free(request);
}

static void look_at_the_way_down(const forest *f) {
  assert_null(f->grids->grid[0]->level->node);
  for (int l = 1; l < f->grids->n; l++) {
    if (f->whole)
      check_descend(f->grids->grid[l - 1], f->grids->grid[l]);
    else
      assert_null(f->grids->grid[l]->level->node);
    if (f->whole && l < f->mesh->level_lowest) assert_int_equal(f->grids->grid[l]->n_leaf, 0);
  }
}

static void the_way_down_is_listed(void **state) {
  with_forests(look_at_the_way_down);
}

static bool same_slabs(const tx_slab *a, const tx_slab *b, tx_lidx n) {
  bool same = true;
  for (tx_lidx i = 0; i < n; i++) {
    same = same && a[i].dst == b[i].dst && a[i].src == b[i].src && a[i].at == b[i].at &&
           a[i].kind == b[i].kind && a[i].mirror == b[i].mirror &&
           memcmp(a[i].lo, b[i].lo, sizeof a[i].lo) == 0 &&
           memcmp(a[i].n, b[i].n, sizeof a[i].n) == 0 &&
           memcmp(a[i].from, b[i].from, sizeof a[i].from) == 0 &&
           memcmp(a[i].step, b[i].step, sizeof a[i].step) == 0;
  }
  return same;
}

static bool same_messages(const tx_message *a, const tx_message *b, int n) {
  bool same = true;
  for (int i = 0; i < n; i++)
    same = same && a[i].rank == b[i].rank && a[i].at == b[i].at && a[i].n == b[i].n;
  return same;
}

static void assert_same_plans(const tx_ghost_plan *a, const tx_ghost_plan *b, tx_lidx n) {
  assert_memory_equal(a->slot_start, b->slot_start, ((size_t)n + 1) * sizeof(tx_lidx));
  assert_true(a->n_source == b->n_source && a->n_send1 == b->n_send1 && a->n_dst == b->n_dst);
  assert_true(a->slot_points == b->slot_points && a->send2_points == b->send2_points);
  assert_true(same_slabs(a->slot, b->slot, a->slot_start[n]));
  assert_true(same_slabs(a->direct, b->direct, a->direct_start[n]));
  assert_true(same_slabs(a->send1, b->send1, a->n_send1));
  assert_true(same_slabs(a->interp, b->interp, a->interp_start[a->n_source]));
  assert_true(a->n_send2_to == b->n_send2_to && a->n_recv2_from == b->n_recv2_from);
  assert_true(same_messages(a->send2_to, b->send2_to, a->n_send2_to));
  assert_true(same_messages(a->recv2_from, b->recv2_from, a->n_recv2_from));
}

static void assert_same_transfers(const tx_transfer *a, const tx_transfer *b) {
  assert_true(a->from_revision == b->from_revision && a->to_revision == b->to_revision);
  assert_true(a->n_remap == b->n_remap && a->n_stay == b->n_stay && a->stay_from == b->stay_from &&
              a->stay_to == b->stay_to && a->n_send == b->n_send && a->n_recv == b->n_recv);
  for (tx_lidx i = 0; i < a->n_remap; i++) assert_int_equal(a->remap[i].old, b->remap[i].old);
  assert_true(same_messages(a->send, b->send, a->n_send));
  assert_true(same_messages(a->recv, b->recv, a->n_recv));
}

static void assert_same_grids(const tx_mesh *a, const tx_mesh *b) {
  assert_true(a->n_local == b->n_local && a->n_leaf == b->n_leaf && a->n_ghost == b->n_ghost);
  assert_true(a->revision == b->revision);
  for (tx_lidx o = 0; o < a->n_local + a->n_ghost; o++)
    assert_true(memcmp(a->octant[o].x, b->octant[o].x, sizeof a->octant[o].x) == 0 &&
                a->octant[o].index == b->octant[o].index &&
                a->octant[o].owner == b->octant[o].owner);
  assert_same_plans(&a->ghosts, &b->ghosts, a->n_local);
  assert_true(a->level->n_plane == b->level->n_plane && a->level->n_stored == b->level->n_stored &&
              a->level->n_descent == b->level->n_descent);
  assert_true(same_slabs(a->level->plane, b->level->plane, a->level->n_plane));
  for (tx_lidx i = 0; i < a->level->n_stored; i++)
    assert_int_equal(a->level->leaf[i], b->level->leaf[i]);
  for (tx_lidx i = 0; i < a->level->n_descent; i++)
    assert_true(a->level->descent[i].child == b->level->descent[i].child &&
                a->level->descent[i].parent == b->level->descent[i].parent);
  assert_same_transfers(&a->level->load, &b->level->load);
  assert_same_transfers(&a->level->store, &b->level->store);
}

/* Refine octants of the finest level that have no coarser ones beside them, so that no others follow. */
static void refine_some(forest *f) {
  int8_t *flag = calloc((size_t)f->mesh->n_local + 1, 1);
  for (tx_lidx b = 0; b < f->mesh->n_local; b++) {
    flag[b] = f->mesh->octant[b].level == f->mesh->level_highest;
    for (int r = 0; r < 27; r++)
      if (f->mesh->region[b][r].kind == TX_REGION_COARSER) flag[b] = 0;
  }
  OK(tx_test_adapt(f->tree, &f->mesh, flag, 1, 5, NULL));
  free(flag);
}

/* Grids that stay because nothing has changed there are as if made anew. */
static void grids_stay_as_they_are(void **state) {
  int kept = 0, most = 0;
  for (int n = 0; n < DOMAINS; n += tx_test_every(2)) {
    forest f = forest_make(n, false);
    tx_level_grids *before = f.grids, *grids = NULL;
    if (n % 3 > 0) refine_some(&f);
    OK(tx_level_grids_create(f.mesh, before, &grids));
    f.grids = NULL;
    OK(tx_level_grids_create(f.mesh, NULL, &f.grids));
    assert_int_equal(f.grids->kept, 0);
    assert_int_equal(grids->n, f.grids->n);
    if (n % 3 == 0) assert_int_equal(grids->kept, grids->n);
    for (int l = 0; l < grids->n; l++) {
      if (l < before->n) assert_true((before->grid[l] == NULL) == (l < grids->kept));
      assert_same_grids(grids->grid[l], f.grids->grid[l]);
    }
    if (n % 3 > 0 && grids->kept > 0) kept++;
    if (grids->kept < grids->n) most = grids->kept > most ? grids->kept : most;
    tx_level_grids_destroy(before);
    tx_level_grids_destroy(grids);
    forest_free(&f);
  }
  assert_true(kept > 0 && most > 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_rank_has_a_share_of_all_nodes),
    cmocka_unit_test(planes_are_the_boundary_of_the_closed_region),
    cmocka_unit_test(messages_are_expected),
    cmocka_unit_test(edges_are_complete),
    cmocka_unit_test(places_are_found),
    cmocka_unit_test(the_way_down_is_listed),
    cmocka_unit_test(grids_stay_as_they_are),
};

TEST_MAIN(tests)
