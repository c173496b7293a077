/* The forest, its tables and its ghost plans on one rank, against brute force. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <p8est_extended.h>

#include "base/memory.h"
#include "octree/internal.h"
#include "tests/support/main.h"
#include "tests/support/octree_checks.h"

enum { DOMAINS = 27 };

static void leaves_tile_and_balance(void **state) {
  for (int n = 0; n < DOMAINS; n++) {
    tx_domain domain = tx_test_domain(n);
    tx_octree *tree = NULL;
    tx_mesh *mesh = NULL;
    OK(tx_test_random_tree(MPI_COMM_SELF, &domain, (uint64_t)n, 3, 1, 4, &tree, &mesh));
    assert_true(mesh->level_highest >= 2 && mesh->n_ghost == 0);
    assert_int_equal(tx_test_check_leaves(mesh), 0);
    tx_mesh_destroy(mesh);
    tx_octree_destroy(tree);
  }
}

static void plans_cover_every_ghost(void **state) {
  for (int n = 0; n < DOMAINS; n++) {
    tx_domain domain = tx_test_domain(n);
    tx_octree *tree = NULL;
    tx_mesh *mesh = NULL;
    OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 50 + (uint64_t)n, 2, 1, 4, &tree, &mesh));
    assert_true(mesh->level_highest > mesh->level_lowest);
    assert_true(mesh->ghosts.n_source > 0);
    assert_int_equal(tx_test_check_plan(mesh), 0);
    assert_int_equal(mesh->ghosts.n_boundary, 0);
    tx_mesh_destroy(mesh);
    tx_octree_destroy(tree);
  }
}

/* Enough octants for loops to be shared out among threads. */
static void threads_make_whole_plans(void **state) {
  tx_domain domain = tx_test_domain(5);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 91, 1, 2, 3, &tree, &mesh));
  omp_set_num_threads(threads);
  assert_true(mesh->n_local > TX_OCTANTS_SERIAL && mesh->ghosts.n_source > 0);
  assert_int_equal(tx_test_check_plan(mesh), 0);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void uniform_forest_counts(void **state) {
  tx_domain domain = {.extent = 3, .low = {TX_FACE_OUTER, TX_FACE_REFLECT, TX_FACE_PERIODIC}};
  domain.high[2] = TX_FACE_PERIODIC;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_octree_create(MPI_COMM_SELF, &domain, 2, &tree));
  size_t before = tx_memory_in_use();
  OK(tx_mesh_create(tree, &mesh));
  assert_int_equal(tx_memory_in_use() - before, tx_test_mesh_bytes(mesh));
  assert_int_equal(mesh->n_local, 8 * 4 * 8);
  assert_int_equal(mesh->level_count[2], 8 * 4 * 8);
  assert_int_equal(mesh->ghosts.slot_points, 0);
  assert_int_equal(mesh->ghosts.n_source, 0);
  assert_true(tx_mesh_spacing(mesh, 2) == 0.75 / TX_N);
  double x0[3];
  tx_mesh_origin(mesh, 0, x0);
  assert_true(x0[0] == -3 && x0[1] == 0 && x0[2] == -3);
  assert_int_equal(mesh->ghosts.outer[0], 1);
  tx_lidx corner = tx_mesh_locate(mesh, (double[]){2.9, 2.9, 2.9});
  assert_int_equal(mesh->ghosts.outer[corner], 1 << 1 | 1 << 3);
  const tx_region *region = &mesh->region[0][TX_REGION(0, -1, 0)];
  assert_true(region->kind == TX_REGION_SAME && region->octant[0] == 0 && region->mirror == 2);
  assert_int_equal(mesh->region[0][TX_REGION(-1, 0, 0)].kind, TX_REGION_OUTER);
  const tx_octant *o = &mesh->octant[mesh->region[0][TX_REGION(0, 0, -1)].octant[0]];
  assert_true(o->x[0] == 0 && o->x[1] == 0 && o->x[2] == 7);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void locate_finds_the_owner(void **state) {
  for (int n = 0; n < DOMAINS; n += 5) {
    tx_domain domain = tx_test_domain(n);
    domain.extent = 0.7; /* sizes that are no exact numbers */
    tx_octree *tree = NULL;
    tx_mesh *mesh = NULL;
    OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 9, 3, 1, 5, &tree, &mesh));
    for (tx_lidx b = 0; b < mesh->n_local; b++) {
      double x[3], y[3], size = tx_mesh_size(mesh, mesh->octant[b].level);
      tx_mesh_origin(mesh, b, x);
      assert_int_equal(tx_mesh_locate(mesh, x), b);
      for (int d = 0; d < 3; d++) y[d] = x[d] + 0.5 * size;
      assert_int_equal(tx_mesh_locate(mesh, y), b);
      for (int d = 0; d < 3; d++) {
        y[d] = nextafter(x[d], -1);
        assert_int_not_equal(tx_mesh_locate(mesh, y), b);
        y[d] =
            nextafter(tx_mesh_side(mesh, d, mesh->octant[b].level, mesh->octant[b].x[d] + 1), -1);
        assert_int_equal(tx_mesh_locate(mesh, y), b);
      }
    }
    assert_int_equal(tx_mesh_locate(mesh, (double[]){0.1, 0.1, 0.7}), -1);
    assert_int_equal(tx_mesh_locate(mesh, (double[]){0.1, -0.8, 0.1}), -1);
    assert_int_equal(tx_mesh_locate(mesh, (double[]){0.1, NAN, 0.1}), -1);
    tx_mesh_destroy(mesh);
    tx_octree_destroy(tree);
  }
}

/* Three trees along the extent divide it by 3: mirror images must nonetheless differ by the sign alone. */
static void origins_are_mirror_images(void **state) {
  tx_domain domain = {.extent = 0.7, .trees = 3};
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree));
  OK(tx_mesh_create(tree, &mesh));
  assert_int_equal(mesh->n_local, 12 * 12 * 12);
  assert_true(tx_mesh_spacing(mesh, 1) == 0.7 / 6 / TX_N);
  for (int i = 0; i <= 6; i++)
    assert_true(tx_mesh_side(mesh, 0, 1, 6 + i) == -tx_mesh_side(mesh, 0, 1, 6 - i));
  double x[3];
  tx_mesh_origin(mesh, 0, x);
  for (int d = 0; d < 3; d++) assert_true(fabs(x[d] + 0.7) < 1e-15);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static bool is_family(const tx_octant *o, const int8_t *flag, tx_lidx left) {
  if (left < 8 || o->level == 0) return false;
  for (int c = 0; c < 8; c++) {
    if (flag[c] >= 0 || o[c].level != o->level) return false;
    for (int d = 0; d < 3; d++)
      if (o[c].x[d] != 2 * (o->x[d] / 2) + (c >> d & 1)) return false;
  }
  return true;
}

static tx_lidx add_children(tx_octant *out, const tx_octant *o) {
  for (int c = 0; c < 8; c++) {
    out[c] = (tx_octant){.level = (int8_t)(o->level + 1)};
    for (int d = 0; d < 3; d++) out[c].x[d] = 2 * o->x[d] + (c >> d & 1);
  }
  return 8;
}

/* What an adaptation should give, by comparing all pairs of leaves until none is out of balance. */
static tx_octant *naive_adapt(const tx_mesh *mesh, const int8_t *flag, int low, int high,
                              tx_lidx *n) {
  tx_octant *now = calloc((size_t)mesh->n_local * 64, sizeof *now);
  assert_non_null(now);
  *n = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const tx_octant *o = &mesh->octant[b];
    if (o->level > low && is_family(o, flag + b, mesh->n_local - b)) {
      now[*n] = (tx_octant){.x = {o->x[0] / 2, o->x[1] / 2, o->x[2] / 2}};
      now[(*n)++].level = (int8_t)(o->level - 1);
      b += 7;
    } else if (flag[b] > 0 && o->level < high) {
      *n += add_children(now + *n, o);
    } else {
      now[(*n)++] = *o;
    }
  }
  for (tx_lidx i = 0; i < *n; i++)
    for (tx_lidx j = 0; j < *n; j++)
      if (now[i].level < now[j].level - 1 && tx_test_contact(mesh, &now[i], &now[j]) > 0) {
        tx_octant child[8], *hole = &now[i];
        add_children(child, hole);
        *hole = child[0];
        memcpy(now + *n, child + 1, 7 * sizeof *child);
        *n += 7;
        i = j = -1;
        break;
      }
  return now;
}

static uint64_t sum_of(const tx_octant *o, tx_lidx n) {
  uint64_t sum = 0;
  for (tx_lidx i = 0; i < n; i++) sum += tx_test_hash(3, &o[i]);
  return sum;
}

static void adapt_is_the_least_balanced_change(void **state) {
  int shrunk = 0;
  for (int n = 0; n < DOMAINS; n += 2) {
    tx_domain domain = tx_test_domain(n);
    tx_octree *tree = NULL;
    tx_mesh *mesh = NULL;
    OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 70 + (uint64_t)n, 1, 1, 4, &tree, &mesh));
    for (int round = 0; round < 4; round++) {
      int8_t *flag = calloc((size_t)mesh->n_local, 1);
      assert_non_null(flag);
      tx_test_random_flags(mesh, 500 + (uint64_t)round, round < 2 ? 0.06 : 0.01, 0.7, flag);
      tx_lidx expected = 0, before = mesh->n_local;
      tx_octant *leaves = naive_adapt(mesh, flag, 1, 4, &expected);
      OK(tx_test_adapt(tree, &mesh, flag, 1, 4, NULL));
      assert_int_equal(mesh->n_local, expected);
      assert_true(sum_of(mesh->octant, mesh->n_local) == sum_of(leaves, expected));
      assert_true(mesh->level_lowest >= 1 && mesh->level_highest <= 4);
      shrunk += mesh->n_local < before;
      free(leaves);
      free(flag);
    }
    tx_mesh_destroy(mesh);
    tx_octree_destroy(tree);
  }
  assert_true(shrunk > 5);
}

static void refine_then_coarsen_returns(void **state) {
  tx_domain domain = tx_test_domain(5);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_transfer *transfer = NULL;
  OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 4, 3, 0, 3, &tree, &mesh));
  uint64_t before, between, after;
  tx_gidx n = mesh->n_global;
  OK(tx_test_mesh_checksum(mesh, &before));
  int8_t *flag = malloc((size_t)n * 8);
  assert_non_null(flag);
  memset(flag, 1, (size_t)n * 8);
  OK(tx_test_adapt(tree, &mesh, flag, 0, 9, &transfer));
  assert_int_equal(mesh->n_global, 8 * n);
  assert_int_equal(transfer->n_refined, n);
  tx_transfer_destroy(transfer);
  OK(tx_test_mesh_checksum(mesh, &between));
  memset(flag, -1, (size_t)n * 8);
  OK(tx_test_adapt(tree, &mesh, flag, 0, 9, &transfer));
  assert_int_equal(transfer->n_coarsened, n);
  tx_transfer_destroy(transfer);
  OK(tx_test_mesh_checksum(mesh, &after));
  assert_true(before == after && before != between);
  /* Nothing is finer than the highest or coarser than the lowest level allowed. */
  memset(flag, 1, (size_t)n * 8);
  OK(tx_test_adapt(tree, &mesh, flag, 0, mesh->level_lowest, NULL));
  memset(flag, -1, (size_t)n * 8);
  OK(tx_test_adapt(tree, &mesh, flag, mesh->level_highest, 9, NULL));
  OK(tx_test_mesh_checksum(mesh, &after));
  assert_true(before == after);
  free(flag);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void transfers_carry_octants(void **state) {
  tx_domain domain = tx_test_domain(1);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL, *now = NULL;
  tx_transfer *transfer = NULL;
  OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 21, 3, 0, 4, &tree, &mesh));
  int8_t *flag = calloc((size_t)mesh->n_local, 1);
  assert_non_null(flag);
  tx_test_random_flags(mesh, 8, 0.1, 0.5, flag);
  OK(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 4, NULL}, &transfer));
  OK(tx_mesh_create(tree, &now));
  assert_true(transfer->n_refined > 0 && transfer->n_coarsened > 0);
  assert_int_equal(transfer->n_stay, now->n_local);
  assert_int_equal(tx_test_check_transfer(mesh, now, transfer), 0);
  tx_transfer_destroy(transfer);
  free(flag);
  tx_mesh_destroy(now);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void expect_error(tx_status status, const char *part) {
  assert_int_equal(status, TX_ERR_MESH);
  if (!strstr(tx_error_text(), part)) fail_msg("'%s' lacks '%s'", tx_error_text(), part);
  tx_error_clear();
}

static void impossible_domains_are_refused(void **state) {
  tx_octree *tree = NULL;
  tx_domain domain = {.extent = -1};
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree), "extent");
  domain = (tx_domain){.extent = 1, .trees = TX_TREES + 1};
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree), "17 trees");
  domain.trees = 3;
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, 17, &tree), "level 17");
  domain.extent = NAN;
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree), "extent");
  domain.extent = 1;
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, -1, &tree), "level -1");
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, 19, &tree), "level 19");
  domain.low[1] = TX_FACE_PERIODIC;
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree), "dimension y is periodic");
  domain.low[1] = TX_FACE_OUTER;
  domain.high[2] = TX_FACE_REFLECT;
  expect_error(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree), "dimension z reflects");
  assert_null(tree);
}

static tx_status allow(const void *most, tx_gidx octants) {
  TX_REQUIRE(octants <= *(const tx_gidx *)most, TX_ERR_MESH, "%lld octants", (long long)octants);
  return TX_OK;
}

/* Families that are coarsened and octants that balance adds are counted before anything is made. */
static void a_guard_knows_the_number_before(void **state) {
  tx_domain domain = tx_test_domain(0);
  assert_int_equal(tx_domain_octants(&(tx_domain){.extent = 1, .trees = 2}, 17), INT64_C(1) << 57);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL, *now = NULL;
  tx_transfer *transfer = NULL;
  OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 21, 3, 0, 4, &tree, &mesh));
  int8_t *flag = calloc((size_t)mesh->n_local, 1);
  assert_non_null(flag);
  tx_test_random_flags(mesh, 8, 0.1, 0.5, flag);
  tx_gidx most = 0;
  char said[40];
  tx_octree_guard(tree, allow, &most);
  assert_int_equal(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 4, NULL}, &transfer),
                   TX_ERR_MESH);
  snprintf(said, sizeof said, "%s", tx_error_text());
  tx_error_clear();
  most = strtol(said, NULL, 10) - 1;
  assert_int_equal(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 4, NULL}, &transfer),
                   TX_ERR_MESH);
  tx_error_clear();
  most++;
  OK(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 4, NULL}, &transfer));
  assert_true(transfer->n_refined > 0 && transfer->n_coarsened > 0);
  OK(tx_mesh_create(tree, &now));
  assert_int_equal(now->n_global, most);
  tx_transfer_destroy(transfer);
  free(flag);
  tx_mesh_destroy(now);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void stale_meshes_are_refused(void **state) {
  tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *old = NULL, *mesh = NULL;
  tx_transfer *transfer = NULL;
  int8_t flag[8 * 8] = {1};
  int weights[3] = {1, 0, 1};
  OK(tx_octree_create(MPI_COMM_SELF, &domain, 0, &tree));
  OK(tx_mesh_create(tree, &old));
  OK(tx_octree_adapt(tree, old, &(tx_adaptation){flag, 0, 2, NULL}, &transfer));
  tx_transfer_destroy(transfer);
  expect_error(tx_octree_adapt(tree, old, &(tx_adaptation){flag, 0, 2, NULL}, &transfer),
               "revision 1");
  assert_null(transfer);
  OK(tx_mesh_create(tree, &mesh));
  expect_error(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 2, 1, NULL}, &transfer),
               "levels 2 to 1");
  expect_error(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 2, weights}, &transfer),
               "weight of level 1");
  tx_mesh_destroy(old);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void unchanged_forests_keep_their_revision(void **state) {
  tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_transfer *transfer = NULL;
  int8_t flag[64] = {-1};
  OK(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree));
  OK(tx_mesh_create(tree, &mesh));
  for (int round = 0; round < 2; round++) { /* a single sibling cannot coarsen */
    OK(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 2, NULL}, &transfer));
    assert_true(transfer->from_revision == mesh->revision);
    assert_true(transfer->to_revision == mesh->revision);
    tx_transfer_destroy(transfer);
  }
  flag[0] = 1;
  OK(tx_octree_adapt(tree, mesh, &(tx_adaptation){flag, 0, 2, NULL}, &transfer));
  assert_true(transfer->to_revision > mesh->revision);
  tx_transfer_destroy(transfer);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static int first_of_tree(p8est_t *forest, p4est_topidx_t tree, p8est_quadrant_t *q) {
  return tree == 0 && q->level < 3 && q->x == 0 && q->y == 0 && q->z == 0;
}

static void unbalanced_forests_are_refused(void **state) {
  tx_domain domain = tx_test_domain(26);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree));
  p8est_refine(tree->forest, 1, first_of_tree, NULL);
  expect_error(tx_mesh_create(tree, &mesh),
               "(0, 0, 0) of level 3 touches octant (3, 3, 3) of level 1");
  assert_null(mesh);
  tx_octree_destroy(tree);
}

static int beside_the_middle(p8est_t *forest, p4est_topidx_t tree, p8est_quadrant_t *q) {
  p4est_qcoord_t x = q->level == 2 ? P8EST_QUADRANT_LEN(2) : 0;
  return tree == 0 && q->level < 3 && q->x == x && q->y == 0 && q->z == 0;
}

static void partly_covered_regions_are_told(void **state) {
  tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_octree_create(MPI_COMM_SELF, &domain, 1, &tree));
  p8est_refine(tree->forest, 1, beside_the_middle, NULL);
  OK(tx_mesh_begin(tree, &mesh));
  tx_lidx b = tx_octant_find(mesh, 1, (int32_t[]){1, 0, 0});
  assert_true(b >= 0);
  tx_region region;
  assert_false(tx_region_find(mesh, &mesh->octant[b], (int[]){-1, 0, 0}, &region));
  assert_int_equal(region.kind, TX_REGION_FINER);
  assert_true(region.octant[0] == -1 && region.octant[1] >= 0 && region.octant[3] >= 0);
  assert_int_equal(tx_octant_find(mesh, 1, (int32_t[]){0, 0, 0}), -1);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static int finish(void **state) {
  assert_int_equal(tx_memory_blocks(), 0);
  return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(uniform_forest_counts, finish),
    cmocka_unit_test_teardown(leaves_tile_and_balance, finish),
    cmocka_unit_test_teardown(plans_cover_every_ghost, finish),
    cmocka_unit_test_teardown(threads_make_whole_plans, finish),
    cmocka_unit_test_teardown(locate_finds_the_owner, finish),
    cmocka_unit_test_teardown(origins_are_mirror_images, finish),
    cmocka_unit_test_teardown(adapt_is_the_least_balanced_change, finish),
    cmocka_unit_test_teardown(refine_then_coarsen_returns, finish),
    cmocka_unit_test_teardown(transfers_carry_octants, finish),
    cmocka_unit_test_teardown(impossible_domains_are_refused, finish),
    cmocka_unit_test_teardown(a_guard_knows_the_number_before, finish),
    cmocka_unit_test_teardown(stale_meshes_are_refused, finish),
    cmocka_unit_test_teardown(unchanged_forests_keep_their_revision, finish),
    cmocka_unit_test_teardown(unbalanced_forests_are_refused, finish),
    cmocka_unit_test_teardown(partly_covered_regions_are_told, finish),
};

TEST_MAIN(tests)
