/* A run of a refined binary with regrids gives the same bits on 1, 2, 3 and 5 ranks and 1 and 2
 * threads: fields, punctures, norms and modes. */
#include "support/main.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/run.h"
#include "base/log.h"
#include "tests/support/octree_checks.h"

/* Of the runs at hand. */
static tx_time_steps time_steps;
static tx_evolved evolved;

/* Steps, and from one regrid to the next: two regrids. Macro steps of levels are of four. */
static int steps(void) {
  return time_steps == TX_STEPS_LEVELS ? 12 : 8;
}
static int regrid_every(void) {
  return time_steps == TX_STEPS_LEVELS ? 4 : 3;
}

/* What a run leaves behind. */
typedef struct outcome {
  uint64_t state, mesh;
  int64_t regrids, octants;
  double t, puncture[2][3];
  tx_norms norms;
  double psi4[2 * 21][2], energy[2];
  tx_gw_sphere sphere[2];
} outcome;

static void make_params(tx_params *p, const char *folder) {
  tx_test_params_default(p);
  p->run_t_end = 100.0;
  p->run_max_steps = steps();
  p->evolution_time_steps = time_steps;
  p->evolution_system = evolved;
  if (evolved == TX_EVOLVED_Z4C) p->gauge_lambda_f0 = 4.0 / 3.0;
  p->grid_extent = 16.0;
  p->grid_reflect = TX_DIMS_Z;
  p->grid_level_min = 1;
  p->grid_level_max = 4;
  p->grid_bhN_level[1] = 3;
  p->grid_bh_radius = 0.5;
  p->grid_regrid_every = regrid_every();
  p->gauge_slow_start = 3.0;
  p->gauge_slow_start_time = 0.2;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = 0.6;
  p->initial_data_bhN_position[0][0] = 1.25;
  p->initial_data_bhN_position[0][1] = 0.3;
  p->initial_data_bhN_mass[1] = 0.4;
  p->initial_data_bhN_position[1][0] = -1.75;
  p->waves_radii = (tx_reals){.n = 2, .v = {6.0, 9.5}};
  p->waves_every = 4;
  p->waves_worldtubes = (tx_reals){.n = 2, .v = {5.0, 9.0}};
  p->waves_worldtube_l_max = 4;
  p->waves_worldtube_every = 4;
  p->output_norms_every = steps();
  p->output_fields_every = steps();
  snprintf(p->run_folder, sizeof p->run_folder, "%s", folder);
  snprintf(p->run_name, sizeof p->run_name, "bitwise");
}

/* All steps. Before each regrid the refined balls change, so that octants come and go. */
static void run_on(MPI_Comm comm, int threads, const char *folder, outcome *out) {
  tx_params p;
  tx_run *run = NULL;
  memset(out, 0, sizeof *out);
  make_params(&p, folder);
  omp_set_num_threads(threads);
  assert_int_equal(tx_run_create(comm, &p, "bitwise.yaml", &run), TX_OK);
  while (tx_run_continues(run)) {
    const int halvings = run->sim->halvings;
    assert_int_equal(halvings, time_steps == TX_STEPS_LEVELS ? 2 : 0);
    if (run->sim->step == regrid_every() - (1 << halvings)) p.grid_bh_radius = 0.8;
    if (run->sim->step == 2 * regrid_every() - (1 << halvings)) p.grid_bh_radius = 0.3;
    assert_int_equal(tx_run_advance(run), TX_OK);
  }
  const tx_sim *sim = run->sim;
  assert_int_equal(sim->step, steps());
  assert_int_equal(tx_field_checksum(sim->u, &out->state), TX_OK);
  assert_int_equal(tx_test_mesh_checksum(sim->mesh, &out->mesh), TX_OK);
  out->regrids = sim->regrids;
  out->octants = sim->mesh->n_global;
  out->t = sim->t;
  for (int a = 0; a < 2; a++)
    memcpy(out->puncture[a], sim->tracker.at[a].x, sizeof out->puncture[a]);
  tx_observed_waves waves;
  assert_true(tx_observers_waves(run->observers, &waves));
  assert_non_null(tx_observed_norms(run->observers));
  out->norms = *tx_observed_norms(run->observers);
  memcpy(out->psi4, waves.psi4, sizeof out->psi4);
  memcpy(out->sphere, waves.spheres, sizeof out->sphere);
  for (int r = 0; r < 2; r++) out->energy[r] = tx_fluxes_total(waves.fluxes, r)[TX_FLUX_E];
  assert_int_equal(tx_run_destroy(run), TX_OK);
  tx_log_close();
}

static void assert_same_bits_on_any_ranks_and_threads(void) {
  static const struct { int ranks, threads; } cases[] = {{1, 1}, {1, 2}, {2, 1}, {3, 1}, {5, 1}};
  const size_t every = (size_t)tx_test_every(4);
  int rank = 0, size = 1;
  char folder[64] = "/tmp/tendex-bitwise-XXXXXX", path[128], command[256];
  outcome first;
  memset(&first, 0, sizeof first);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  assert_int_equal(size, 5);
  if (rank == 0) assert_non_null(mkdtemp(folder));
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  tx_log_quiet(1);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c += every) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank < cases[c].ranks, rank, &part);
    outcome now;
    memset(&now, 0, sizeof now);
    snprintf(path, sizeof path, "%s/%zu", folder, c);
    if (rank < cases[c].ranks) run_on(part, cases[c].threads, path, &now);
    test_wait();
    MPI_Comm_free(&part);
    if (c == 0) first = now;
    int differs = memcmp(&first, &now, sizeof now) != 0;
    if (rank == 0 && differs)
      print_error("on %d ranks with %d threads: state %016llx, not %016llx; mesh %016llx, not "
                  "%016llx\n",
                  cases[c].ranks, cases[c].threads, (unsigned long long)now.state,
                  (unsigned long long)first.state, (unsigned long long)now.mesh,
                  (unsigned long long)first.mesh);
    MPI_Bcast(&differs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    assert_false(differs);
  }
  if (rank != 0) return;
  assert_int_equal(first.regrids, 2);
  assert_true(first.psi4[tx_gw_index(2, 0)][0] != 0.0 && first.norms.l2[TX_CONSTRAINT_H] > 0.0);
  assert_true(first.puncture[0][0] != 1.25 && first.energy[1] > 0.0);
  /* What rank 0 gathered and wrote is the same too. */
  for (size_t c = every; c < sizeof cases / sizeof cases[0]; c += every) {
    snprintf(command, sizeof command,
             "cd %s && diff -rq 0 %zu -x log.txt -x run.yaml -x checkpoints", folder, c);
    assert_int_equal(system(command), 0);
  }
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void same_bits_with_one_step_for_all_of_z4c(void **state) {
  time_steps = TX_STEPS_GLOBAL;
  evolved = TX_EVOLVED_Z4C;
  assert_same_bits_on_any_ranks_and_threads();
}

static void same_bits_with_time_steps_of_levels(void **state) {
  time_steps = TX_STEPS_LEVELS;
  evolved = TX_EVOLVED_BSSN;
  assert_same_bits_on_any_ranks_and_threads();
}

static int bitwise_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_with_one_step_for_all_of_z4c),
      cmocka_unit_test(same_bits_with_time_steps_of_levels),
  };
  const struct CMUnitTest emulated[] = {cmocka_unit_test(same_bits_with_time_steps_of_levels)};
  /* The forest library starts on all ranks of the world, and stays as long as a forest does. */
  const tx_domain domain = {.extent = 1.0};
  tx_octree *keeps_library = NULL;
  if (tx_octree_create(MPI_COMM_WORLD, &domain, 0, &keeps_library) != TX_OK) return 1;
  /* To save time, on emulated GPUs, where test_agreement compares Z4c with the CPU, only with steps of levels. */
  const int failed = tx_test_on_gpu() && tx_test_every(2) > 1
                         ? cmocka_run_group_tests(emulated, NULL, NULL)
                         : cmocka_run_group_tests(tests, NULL, NULL);
  tx_octree_destroy(keeps_library);
  return failed;
}
TEST_MAIN_WITH(bitwise_tests())
