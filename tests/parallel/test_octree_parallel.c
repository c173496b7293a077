/* The forest on several ranks: the same leaves as on one, messages that agree, data that arrive. */
#include <stdlib.h>
#include <string.h>

#include <p8est_extended.h>

#include "base/memory.h"
#include "octree/internal.h"
#include "tests/support/main.h"
#include "tests/support/octree_checks.h"

enum { DOMAINS = 27 };

/* A check that fails on one rank fails on all, so that none is left waiting. */
static bool everywhere(bool here) {
  int all = here;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

static int world_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

static void meshes_are_complete(void **state) {
  for (int n = 0; n < DOMAINS; n++) {
    tx_domain domain = tx_test_domain(n);
    tx_octree *tree = NULL;
    tx_mesh *mesh = NULL;
    OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 300 + (uint64_t)n, 2, 1, 4, &tree, &mesh));
    assert_true(mesh->level_highest > mesh->level_lowest);
    assert_true(everywhere(world_size() == 1 || mesh->n_ghost > 0));
    assert_int_equal(tx_test_check_leaves(mesh), 0);
    assert_int_equal(tx_test_check_plan(mesh), 0);
    assert_int_equal(tx_test_check_messages(mesh), 0);
    tx_mesh_destroy(mesh);
    tx_octree_destroy(tree);
  }
}

/* Regions of the octants of one rank are those that a rank with all leaves finds. */
static bool same_regions(const tx_mesh *part, const tx_mesh *whole) {
  for (tx_lidx b = 0; b < part->n_local; b++)
    for (int r = 0; r < 27; r++) {
      const tx_region *p = &part->region[b][r], *w = &whole->region[part->first + b][r];
      if (p->kind != w->kind || p->mirror != w->mirror) return false;
      for (int c = 0; c < 4; c++) {
        if ((p->octant[c] < 0) != (w->octant[c] < 0)) return false;
        if (p->octant[c] >= 0 && part->octant[p->octant[c]].index != w->octant[c]) return false;
      }
    }
  return true;
}

static bool splits_no_family(const tx_mesh *mesh, const tx_mesh *whole) {
  tx_gidx cut = mesh->first;
  if (mesh->n_local == 0 || cut == 0) return true;
  const tx_octant *o = &whole->octant[cut];
  tx_gidx eldest = cut - ((o->x[0] & 1) + 2 * (o->x[1] & 1) + 4 * (o->x[2] & 1));
  if (eldest == cut || eldest < 0 || eldest + 7 >= whole->n_global || o->level == 0) return true;
  const tx_octant *last = &whole->octant[eldest + 7];
  bool family = last->level == o->level && whole->octant[eldest].level == o->level;
  for (int d = 0; d < 3; d++) family &= last->x[d] == (o->x[d] | 1);
  return !family;
}

static void adapts_like_one_rank(void **state) {
  static const int weights[TX_LEVELS] = {1, 2, 3, 5, 9, 17, [6 ... TX_LEVELS - 1] = 30};
  for (int n = 0; n < DOMAINS; n += 4) {
    tx_domain domain = tx_test_domain(n);
    tx_octree *tree = NULL, *tree_self = NULL;
    tx_mesh *mesh = NULL, *self = NULL;
    OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 11, 1, 1, 5, &tree, &mesh));
    OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 11, 1, 1, 5, &tree_self, &self));
    for (int round = 0; round < 6; round++) {
      int8_t *flag = calloc((size_t)mesh->n_local + 1, 1);
      int8_t *flag_self = calloc((size_t)self->n_local, 1);
      double up = round % 3 == 2 ? 0.005 : 0.05;
      tx_test_random_flags(mesh, 900 + (uint64_t)round, up, 0.6, flag);
      tx_test_random_flags(self, 900 + (uint64_t)round, up, 0.6, flag_self);
      tx_transfer *t = NULL, *t_self = NULL;
      tx_mesh *now = NULL, *now_self = NULL;
      OK(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 5, round % 2 ? weights : NULL}, &t));
      OK(tx_octree_adapt(tree_self, self, &(tx_adaptation){flag_self, 0, 5, NULL}, &t_self));
      OK(tx_mesh_create(tree, &now));
      OK(tx_mesh_create(tree_self, &now_self));
      uint64_t sum, sum_self;
      OK(tx_test_mesh_checksum(now, &sum));
      OK(tx_test_mesh_checksum(now_self, &sum_self));
      assert_true(everywhere(sum == sum_self));
      assert_true(everywhere(same_regions(now, now_self)));
      assert_true(everywhere(splits_no_family(now, now_self)));
      assert_true(t->n_refined == t_self->n_refined && t->n_coarsened == t_self->n_coarsened);
      assert_int_equal(tx_test_check_transfer(mesh, now, t), 0);
      tx_transfer_destroy(t);
      tx_transfer_destroy(t_self);
      tx_mesh_destroy(mesh);
      tx_mesh_destroy(self);
      mesh = now;
      self = now_self;
      free(flag);
      free(flag_self);
    }
    assert_int_equal(tx_test_check_messages(mesh), 0);
    tx_mesh_destroy(mesh);
    tx_mesh_destroy(self);
    tx_octree_destroy(tree);
    tx_octree_destroy(tree_self);
  }
}

static void weights_share_the_work(void **state) {
  static const int weights[] = {1, 1, 1, 10};
  tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_transfer *t = NULL;
  OK(tx_octree_create(MPI_COMM_WORLD, &domain, 2, &tree));
  OK(tx_mesh_create(tree, &mesh));
  int8_t *flag = calloc((size_t)mesh->n_local + 1, 1);
  for (tx_lidx b = 0; b < mesh->n_local; b++) flag[b] = mesh->first + b < mesh->n_global / 8;
  OK(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 3, weights}, &t));
  tx_transfer_destroy(t);
  tx_mesh_destroy(mesh);
  OK(tx_mesh_create(tree, &mesh));
  int64_t work = 0, all;
  for (tx_lidx b = 0; b < mesh->n_local; b++) work += weights[mesh->octant[b].level];
  MPI_Allreduce(&work, &all, 1, MPI_INT64_T, MPI_SUM, mesh->comm);
  assert_true(everywhere(llabs(work - all / mesh->size) <= 8 * weights[3]));
  free(flag);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void few_leaves_on_many_ranks(void **state) {
  tx_domain domain = tx_test_domain(TX_FACE_REFLECT * (1 + 3 + 9));
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_octree_create(MPI_COMM_WORLD, &domain, 0, &tree));
  OK(tx_mesh_create(tree, &mesh));
  assert_int_equal(mesh->n_global, 1);
  for (int round = 0; round < 3; round++) {
    int8_t flag[512] = {0};
    assert_true(mesh->n_local <= 512);
    if (mesh->n_local > 0) flag[0] = 1;
    tx_mesh *old = mesh;
    tx_transfer *t = NULL;
    OK(tx_octree_adapt(tree, old, &(tx_adaptation){flag, 0, 6, NULL}, &t));
    OK(tx_mesh_create(tree, &mesh));
    assert_int_equal(tx_test_check_transfer(old, mesh, t), 0);
    assert_int_equal(tx_test_check_leaves(mesh), 0);
    assert_int_equal(tx_test_check_plan(mesh), 0);
    assert_int_equal(tx_test_check_messages(mesh), 0);
    tx_transfer_destroy(t);
    tx_mesh_destroy(old);
  }
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void points_have_one_owner(void **state) {
  tx_domain domain = tx_test_domain(1);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 31, 3, 1, 5, &tree, &mesh));
  int owners[400], found[400] = {0};
  for (int i = 0; i < 400; i++) {
    tx_octant seed = {.x = {i, 0, 0}};
    double x[3];
    for (int d = 0; d < 3; d++, seed.x[1]++) {
      double u = (double)(tx_test_hash(1, &seed) >> 11) * 0x1p-53;
      x[d] = (d == 0 ? u : 2 * u - 1) * domain.extent;
    }
    found[i] = tx_mesh_locate(mesh, x) >= 0;
  }
  MPI_Allreduce(found, owners, 400, MPI_INT, MPI_SUM, mesh->comm);
  for (int i = 0; i < 400; i++) assert_int_equal(owners[i], 1);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static int at_a_corner(p8est_t *forest, p4est_topidx_t tree, p8est_quadrant_t *q) {
  return tree == 0 && q->level < 3 && q->x == 0 && q->y == 0 && q->z == 0;
}

static void all_ranks_refuse_what_one_does(void **state) {
  tx_domain domain = tx_test_domain(26);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_octree_create(MPI_COMM_WORLD, &domain, 1, &tree));
  p8est_refine(tree->forest, 1, at_a_corner, NULL);
  tx_status status = tx_mesh_create(tree, &mesh);
  bool named = strstr(tx_error_text(), "be balanced so that they differ by one level") != NULL;
  tx_error_clear();
  assert_true(everywhere(status == TX_ERR_MESH && named && !mesh));
  tx_octree_destroy(tree);
}

static int finish(void **state) {
  return everywhere(tx_memory_blocks() == 0) ? 0 : 1;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(meshes_are_complete, finish),
    cmocka_unit_test_teardown(adapts_like_one_rank, finish),
    cmocka_unit_test_teardown(weights_share_the_work, finish),
    cmocka_unit_test_teardown(few_leaves_on_many_ranks, finish),
    cmocka_unit_test_teardown(points_have_one_owner, finish),
    cmocka_unit_test_teardown(all_ranks_refuse_what_one_does, finish),
};

TEST_MAIN(tests)
