/* A search gives the same bits on 1, 2, 3 and 5 ranks and on 1 and 2 threads, found or not. */
#include "support/main.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include "base/log.h"
#include "base/memory.h"
#include "evolve/sim.h"
#include "horizons/horizon.h"

enum { SEARCHES = 4 };

static void make_params(tx_params *p) {
  tx_params_default(p);
  p->grid_extent = 8.0;
  p->grid_reflect = TX_DIMS_Z;
  p->grid_level_min = 1;
  while (p->grid_extent / TX_N / (1 << p->grid_level_max) > 0.07) p->grid_level_max++;
  p->grid_bh_radius = 0.3;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = 0.6;
  p->initial_data_bhN_position[0][0] = 0.25;
  p->initial_data_bhN_position[0][1] = 0.1;
  p->initial_data_bhN_mass[1] = 0.4;
  p->initial_data_bhN_position[1][0] = -0.33;
}

/* The common horizon from two guesses, one of them off the mirror; one of a puncture with many
 * coefficients; one that is not there. */
static void search_all(MPI_Comm comm, int threads, tx_horizon out[SEARCHES]) {
  static const double centre[SEARCHES][3] = {
      {0.0, 0.0, 0.0}, {0.05, 0.02, 0.04}, {-0.33, 0.0, 0.0}, {3.0, 2.0, 1.0}};
  static const double radius[SEARCHES] = {0.9, 0.6, 0.2, 1.0};
  tx_params p;
  tx_sim *sim = NULL;
  make_params(&p);
  omp_set_num_threads(threads);
  assert_int_equal(tx_sim_create(comm, &p, &sim), TX_OK);
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  for (int k = 0; k < SEARCHES; k++) {
    tx_horizon_finder *f;
    tx_surface guess;
    int l_max = k == 2 ? 16 : 8;
    assert_int_equal(tx_horizon_finder_create(&sim->mesh->domain, l_max, &f), TX_OK);
    tx_surface_sphere(l_max, centre[k], radius[k], &guess);
    memset(&out[k], 0, sizeof out[k]);
    assert_int_equal(
        tx_horizon_find(f, sim->exec, sim->u, &guess, &(tx_horizon_points){0, NULL}, &out[k]),
        TX_OK);
    tx_horizon_finder_destroy(f);
  }
  tx_sim_destroy(sim);
}

static void same_bits_on_any_ranks_and_threads(void **state) {
  static const struct { int ranks, threads; } cases[] = {{1, 1}, {1, 2}, {2, 1}, {3, 2}, {5, 1}};
  static tx_horizon first[SEARCHES], now[SEARCHES];
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  assert_int_equal(size, 5);
  tx_log_quiet(1);
  /* The forest library starts on all ranks of the world, and stays as long as a forest does. */
  const tx_domain domain = {.extent = 1.0};
  tx_octree *keeps_library = NULL;
  assert_int_equal(tx_octree_create(MPI_COMM_WORLD, &domain, 0, &keeps_library), TX_OK);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank < cases[c].ranks, rank, &part);
    if (rank < cases[c].ranks) search_all(part, cases[c].threads, now);
    test_wait();
    MPI_Comm_free(&part);
    if (c == 0) {
      memcpy(first, now, sizeof first);
      MPI_Bcast(first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    /* every rank of the part has the same, bit for bit */
    int differs = rank < cases[c].ranks && memcmp(first, now, sizeof first) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && differs)
      print_error("horizons differ on %d ranks with %d threads\n", cases[c].ranks,
                  cases[c].threads);
    assert_false(differs);
  }
  tx_octree_destroy(keeps_library);
  assert_true(first[0].found && first[1].found && first[2].found && !first[3].found);
  assert_true(first[0].surface.centre[2] == 0.0 && first[1].surface.centre[2] != 0.0);
  assert_true(fabs(first[0].area - first[1].area) < 1e-5);
  assert_true(first[2].area < 0.5 * first[0].area);
}

/* One rank has no room for what it samples: all are told, and the next search finds the horizon. */
static void a_rank_without_memory_ends_the_search_on_all(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  tx_horizon_finder *f;
  tx_surface guess;
  tx_horizon found;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  make_params(&p);
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  assert_int_equal(tx_horizon_finder_create(&sim->mesh->domain, 8, &f), TX_OK);
  tx_surface_sphere(8, (double[]){0.0, 0.0, 0.0}, 0.9, &guess);
  if (rank == 1) tx_memory_limit(tx_memory_in_use() + 1000);
  assert_int_equal(
      tx_horizon_find(f, sim->exec, sim->u, &guess, &(tx_horizon_points){0, NULL}, &found),
      TX_ERR_MEMORY);
  tx_memory_limit(0);
  tx_error_clear();
  assert_int_equal(
      tx_horizon_find(f, sim->exec, sim->u, &guess, &(tx_horizon_points){0, NULL}, &found), TX_OK);
  assert_true(found.found);
  tx_horizon_finder_destroy(f);
  tx_sim_destroy(sim);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_bits_on_any_ranks_and_threads),
    cmocka_unit_test(a_rank_without_memory_ends_the_search_on_all),
};
TEST_MAIN(tests)
