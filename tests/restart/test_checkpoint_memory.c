/* Memory for a checkpoint and a restart beside the state itself: a buffer of fixed size, however large the checkpoint. */
#include "restart/scratch.h"

#include <limits.h>
#include "base/memory.h"
#include "checkpoint/checkpoint.h"
#include "support/peak_memory.h"

/* Most memory of a checkpoint besides the buffer of octants from other ranks, and of a restart besides the simulation, bytes. */
#define COUNTED_MOST  (2 << 20)
#define RESIDENT_MOST (8 << 20)

/* Memory that a sanitizer keeps back is not the program's. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define RESIDENT_COUNTS false
#else
#define RESIDENT_COUNTS true
#endif

/* Flat space on a uniform grid of 50 MB for 2 trees a side, 170 MB for 3. */
static void uniform(tx_params *p, int trees) {
  one_octant(p);
  p->grid_trees = trees;
  p->grid_level_min = p->grid_level_max = TX_N == 8 ? 2 : 1;
}

static size_t octants_bytes(const tx_sim *sim, int64_t octants) {
  return (size_t)octants * (size_t)sim->system->n_vars * TX_N3 * sizeof(double);
}

/* The buffer of octants from other ranks. */
static size_t buffer_bytes(const tx_sim *sim) {
  return world_rank() == 0 && world_size() > 1 ? octants_bytes(sim, TX_VIEW_OCTANTS) : 0;
}

static void write_within_bounds(const char *folder, tx_sim *sim) {
  const size_t most = buffer_bytes(sim);
  assert_true(sim->mesh->n_global >= 2 * TX_VIEW_OCTANTS);
  test_peak_begin();
  tx_memory_limit(tx_memory_in_use() + most + COUNTED_MOST);
  const tx_status status = tx_checkpoint_write(folder, 1, sim, NULL);
  tx_memory_limit(0);
  if (status != TX_OK) fprintf(stderr, "%s\n", tx_error_text());
  assert_int_equal(status, TX_OK);
  const double rise = test_peak_rise();
  if (RESIDENT_COUNTS) assert_true(rise < (double)(most + RESIDENT_MOST));
}

/* Restore once to see what the simulation takes, and again with hardly more. */
static void restore_within_bounds(const char *folder, const tx_params *p) {
  char path[PATH_MAX];
  size_t takes = 0;
  int skipped;
  const size_t before = tx_memory_in_use();
  for (int n = 0; n < 2; n++) {
    tx_sim *sim = NULL;
    test_peak_begin();
    if (n > 0) tx_memory_limit(before + takes + COUNTED_MOST);
    tx_status status = tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped);
    TX_THEN(status, tx_checkpoint_restore(MPI_COMM_WORLD, p, path, &sim));
    tx_memory_limit(0);
    if (status != TX_OK) fprintf(stderr, "%s\n", tx_error_text());
    assert_int_equal(status, TX_OK);
    takes = tx_memory_in_use() - before;
    assert_true(takes > octants_bytes(sim, sim->mesh->n_local));
    const double rise = test_peak_rise();
    if (RESIDENT_COUNTS && n > 0) assert_true(rise < (double)(takes + RESIDENT_MOST));
    tx_sim_destroy(sim);
  }
}

static void memory_is_bounded(void **state) {
  for (int trees = 2; trees <= 3; trees++) {
    char folder[64];
    tx_params p;
    tx_sim *sim = NULL;
    scratch_make(folder);
    uniform(&p, trees);
    OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
    write_within_bounds(folder, sim);
    tx_sim_destroy(sim);
    restore_within_bounds(folder, &p);
    scratch_remove(folder);
  }
}

static int memory_tests(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_is_bounded)};
  const tx_domain domain = {.extent = 1.0};
  tx_octree *keeps_library = NULL;
  tx_log_quiet(1);
  if (tx_octree_create(MPI_COMM_WORLD, &domain, 0, &keeps_library) != TX_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tx_octree_destroy(keeps_library);
  return failed;
}
TEST_MAIN_WITH(memory_tests())
