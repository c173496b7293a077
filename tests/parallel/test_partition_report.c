/* What a partition report says of a rank is what the rank finds when the leaves are on it. */
#include <stdlib.h>

#include "octree/internal.h"
#include "tests/support/main.h"
#include "tests/support/octree_checks.h"

enum { DOMAINS = 27, SMALL = 3 };

static int world_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/* On many ranks, which share few cores, only some domains: outer, reflecting, periodic faces. */
static int stride(void) {
  return world_size() > 5 ? 13 : 1;
}

static void compare(const tx_rank_load *load, const tx_mesh *mesh) {
  const tx_ghost_plan *plan = &mesh->ghosts;
  int64_t received = 0;
  for (int m = 0; m < plan->n_recv1_from; m++) received += plan->recv1_from[m].n;
  for (int m = 0; m < plan->n_recv2_from; m++) received += plan->recv2_from[m].n;
  assert_int_equal(load->first, mesh->first);
  assert_int_equal(load->n_local, mesh->n_local);
  assert_int_equal(load->n_ghost, mesh->n_ghost);
  assert_int_equal(load->n_boundary, plan->n_boundary);
  assert_int_equal(load->slot_points, plan->slot_points);
  assert_int_equal(load->send1_points, plan->send1_points);
  assert_int_equal(load->send2_points, plan->send2_points);
  assert_int_equal(load->recv_points, received);
  assert_int_equal(load->n_send1_to, plan->n_send1_to);
  assert_int_equal(load->n_recv1_from, plan->n_recv1_from);
  assert_int_equal(load->n_send2_to, plan->n_send2_to);
  assert_int_equal(load->n_recv2_from, plan->n_recv2_from);
  assert_int_equal(load->mesh_bytes, tx_test_mesh_bytes(mesh));
}

/* The same random tree on all ranks and on each alone; levels low to high. */
static void compare_tree(int domain_number, uint64_t seed, int rounds, int low, int high) {
  tx_domain domain = tx_test_domain(domain_number);
  tx_octree *tree[2] = {NULL, NULL};
  tx_mesh *part = NULL, *whole = NULL;
  tx_rank_load *load = calloc((size_t)world_size(), sizeof *load);
  assert_non_null(load);
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, seed, rounds, low, high, &tree[0], &part));
  OK(tx_test_random_tree(MPI_COMM_SELF, &domain, seed, rounds, low, high, &tree[1], &whole));
  assert_int_equal(part->n_global, whole->n_global);
  OK(tx_partition_report(whole, part->size, load));
  compare(&load[part->rank], part);
  free(load);
  tx_mesh_destroy(part);
  tx_mesh_destroy(whole);
  tx_octree_destroy(tree[0]);
  tx_octree_destroy(tree[1]);
}

static void random_trees(void **state) {
  for (int n = 0; n < DOMAINS; n += stride())
    for (uint64_t seed = 0; seed < 2; seed++)
      compare_tree(n, 700 + 40 * (uint64_t)n + seed, 2, 1, 4);
}

/* Few octants: cuts part families, several cuts the same one, ranks stay without octants. */
static void few_octants(void **state) {
  for (int n = 0; n < DOMAINS; n += stride())
    for (int low = 0; low < 2; low++) {
      compare_tree(n, 0, 0, low, low);
      for (uint64_t seed = 0; seed < SMALL; seed++)
        compare_tree(n, 900 + 40 * (uint64_t)n + seed, 1, low, 2);
    }
}

/* Sums over ranks that hold for any partition: what is sent is received, and nothing is lost. */
static void many_ranks(void **state) {
  static const int ranks[] = {1, 7, 64, 1000, 4096};
  tx_domain domain = tx_test_domain(1);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  OK(tx_test_random_tree(MPI_COMM_SELF, &domain, 5, 3, 1, 4, &tree, &mesh));
  for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
    tx_rank_load *load = calloc((size_t)ranks[i], sizeof *load);
    assert_non_null(load);
    OK(tx_partition_report(mesh, ranks[i], load));
    int64_t octants = 0, sent = 0, received = 0, messages = 0;
    for (int r = 0; r < ranks[i]; r++) {
      assert_true(load[r].n_local >= 0 && load[r].first == octants);
      octants += load[r].n_local;
      sent += load[r].send1_points + load[r].send2_points;
      received += load[r].recv_points;
      messages +=
          load[r].n_send1_to + load[r].n_send2_to - load[r].n_recv1_from - load[r].n_recv2_from;
    }
    assert_int_equal(octants, mesh->n_global);
    assert_int_equal(sent, received);
    assert_int_equal(messages, 0);
    assert_true((sent > 0) == (ranks[i] > 1));
    free(load);
  }
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static void refuses(void **state) {
  tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_rank_load load;
  tx_gidx first[2];
  OK(tx_octree_create(MPI_COMM_WORLD, &domain, 1, &tree));
  OK(tx_mesh_create(tree, &mesh));
  if (world_size() > 1) assert_int_equal(tx_partition_report(mesh, 1, &load), TX_ERR_USAGE);
  if (world_size() > 1) assert_int_equal(tx_partition_cuts(mesh, 1, first), TX_ERR_USAGE);
  assert_int_equal(tx_partition_report(mesh, 0, &load), TX_ERR_USAGE);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static int run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees),
      cmocka_unit_test(few_octants),
      cmocka_unit_test(many_ranks),
      cmocka_unit_test(refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
