/* The memory that `tendex check` says a rank will hold, or its GPU, is what it holds. */
#include "support/main.h"

#include <math.h>
#include <stdlib.h>
#include "advice/check.h"
#include "advice/memory.h"
#include "base/memory.h"
#include "machine/machine.h"
#include "physics/bssn.h"
#include "tests/support/octree_checks.h"

static void binary(tx_params *p, double y, int regrid_every) {
  tx_test_params_default(p);
  p->evolution_time_steps = TX_STEPS_GLOBAL;
  p->run_t_end = 100.0;
  p->grid_extent = 16.0;
  p->grid_level_min = TX_N == 8 ? 2 / tx_test_every(2) : 0; /* to save time on emulated GPUs */
  p->grid_level_max = p->grid_level_min + 3;
  p->grid_reflect = TX_DIMS_Z;
  p->grid_bh_radius = 0.5;
  p->grid_regrid_every = regrid_every;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = p->initial_data_bhN_mass[1] = 0.5;
  p->initial_data_bhN_position[0][0] = 2.2;
  p->initial_data_bhN_position[1][0] = -2.2;
  p->initial_data_bhN_position[0][1] = y;
  p->initial_data_bhN_position[1][1] = -y;
}

/* What check says of this rank, from a mesh that is made on it alone. */
static double predict(const tx_params *p) {
  tx_check c = {.p = p, .threads = tx_machine_threads(), .larger = 1.0};
  tx_initial_data *id = NULL;
  tx_octree *tree = NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &c.ranks);
  OK(tx_initial_data_create(p, &id));
  tx_initial_data_adm(id, &c.adm);
  tx_policy_start(p, &c.adm, &c.policy);
  OK(tx_grid_build(MPI_COMM_SELF, p, id, &c.policy, &tree, &c.mesh));
  c.load = calloc((size_t)c.ranks, sizeof *c.load);
  assert_non_null(c.load);
  OK(tx_partition_report(c.mesh, c.ranks, c.load));
  OK(tx_check_count_levels(&c));
  double bytes = tx_test_on_gpu() ? tx_check_device_bytes(&c, &c.load[rank])
                                  : tx_check_rank_bytes(&c, &c.load[rank]);
  free(c.load);
  tx_mesh_destroy(c.mesh);
  tx_octree_destroy(tree);
  tx_initial_data_destroy(id);
  return bytes;
}

/* Fields, slots, buffers of threads and tables, to the padding of the buffers. */
static void a_step_holds_what_is_said(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p, 0.0, 0);
  double said = predict(&p);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  OK(tx_sim_step(sim));
  double held = (double)(tx_exec_bytes(sim->exec) + tx_test_mesh_bytes(sim->mesh));
  assert_true(fabs(held / said - 1.0) < 1e-3);
  assert_true(fabs((double)tx_memory_in_use() / said - 1.0) < 0.02);
  assert_true(fabs((double)tx_memory_peak() / said - 1.0) < 0.05);
  tx_sim_destroy(sim);
}

/* Punctures that moved far, so that much of the grid changes and moves to other ranks. */
static void a_regrid_holds_no_more_than_is_said(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  bool changed = false;
  binary(&p, 0.0, 1);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  OK(tx_sim_step(sim));
  for (int a = 0; a < 2; a++) sim->tracker.at[a].x[1] = a == 0 ? 2.2 : -2.2;
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_sim_regrid(sim, &changed));
  assert_true(changed);
  OK(tx_sim_step(sim));
  double said[2] = {predict(&p), (double)tx_memory_peak()}, most[2];
  binary(&p, 2.2, 1);
  said[0] = fmax(said[0], predict(&p));
  MPI_Allreduce(said, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  print_message("a rank holds %.0f bytes at most, %.0f are said\n", most[1], most[0]);
  assert_true(most[1] < 1.05 * most[0]);
  assert_true(most[1] > 0.75 * most[0]);
  tx_sim_destroy(sim);
}

/* The memory that levels take turns with: each with its three states, behind all stored stages that are needed meanwhile. */
static double turns_of(const tx_levels *l) {
  double most = 0.0;
  for (int level = 0; level < l->n; level++) {
    double doubles =
        3.0 * (double)tx_field_state_doubles(&tx_bssn, tx_exec_mesh(l->exec[level])->n_local);
    for (int i = 1; i < l->n && i <= level + 1; i++)
      doubles += (double)tx_stored_stages_doubles(l->exec[i]);
    most = fmax(most, doubles * sizeof(double));
  }
  return most;
}

/* Largest over ranks of what is said and of what is held: within a part of each other. */
static void about(double said, double held, double part) {
  double most[2] = {said, held};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  print_message("a rank holds %.0f bytes at most, %.0f are said\n", most[1], most[0]);
  assert_true(most[1] < (1.0 + part) * most[0]);
  assert_true(most[1] > (1.0 - part) * most[0]);
}

/* Of levels only estimates are said: how each is cut is not looked at. */
static void levels_hold_about_what_is_said(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p, 0.0, 0);
  p.evolution_time_steps = TX_STEPS_LEVELS;
  const double said = predict(&p);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  OK(tx_sim_step(sim));
  if (!tx_test_on_gpu()) OK(tx_sim_step(sim));
  about(said, (double)tx_test_memory_peak(), 0.15);
  const double turns = turns_of(sim->levels), before = (double)tx_test_memory_in_use();
  tx_levels_rest(sim->levels);
  assert_true(fabs(before - (double)tx_test_memory_in_use() - turns) < 1e-3 * turns);
  tx_sim_destroy(sim);
}

/* The same of a step of all levels on a GPU, of which estimates are said too. */
static void a_step_on_a_gpu_holds_about_what_is_said(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p, 0.0, 0);
  const double said = predict(&p);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  OK(tx_sim_step(sim));
  about(said, (double)tx_test_memory_peak(), 0.1);
  tx_sim_destroy(sim);
}

static int run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_holds_what_is_said),
      cmocka_unit_test(a_regrid_holds_no_more_than_is_said),
      cmocka_unit_test(levels_hold_about_what_is_said),
  };
  const struct CMUnitTest on_gpus[] = {
      cmocka_unit_test(a_step_on_a_gpu_holds_about_what_is_said),
      cmocka_unit_test(levels_hold_about_what_is_said),
  };
  if (tx_test_on_gpu()) return cmocka_run_group_tests(on_gpus, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
