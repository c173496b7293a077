/* The mesh follows the policy, and a regrid does no harm. */
#include "support/main.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "evolve/sim.h"
#include "physics/bssn.h"

static void binary(tx_params *p) {
  tx_test_params_default(p);
  p->evolution_time_steps = TX_STEPS_GLOBAL;
  p->run_t_end = 100.0;
  p->grid_extent = 16.0;
  p->grid_level_min = 1;
  p->grid_level_max = 4;
  p->grid_bhN_level[1] = 3;
  p->grid_bh_radius = 0.5;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = p->initial_data_bhN_mass[1] = 0.5;
  p->initial_data_bhN_position[0][0] = 2.2;
  p->initial_data_bhN_position[1][0] = -2.2;
}

/* Octants of all ranks with this flag. */
static long count_flags(tx_sim *sim, int wanted) {
  tx_policy policy;
  int8_t *flag = NULL;
  long n = 0;
  tx_sim_policy(sim, &policy);
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  assert_int_equal(tx_policy_flags(&policy, &(tx_grid_data){sim->mesh, sim->exec, sim->u}, &flag),
                   TX_OK);
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) n += flag[b] == wanted;
  tx_free(flag);
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return n;
}

/* Level of the octant at x. */
static int level_at(const tx_sim *sim, const double x[3]) {
  tx_lidx b = tx_mesh_locate(sim->mesh, x);
  int level = b >= 0 ? sim->mesh->octant[b].level : -1;
  MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return level;
}

/* Whether it changed the grid. */
static bool regrid(tx_sim *sim) {
  bool changed = false;
  assert_int_equal(tx_sim_complete(sim), TX_OK);
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  assert_int_equal(tx_sim_regrid(sim, &changed), TX_OK);
  return changed;
}

static void first_grid_leaves_nothing_to_refine(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p);
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  assert_int_equal(count_flags(sim, 1), 0);
  assert_int_equal(level_at(sim, (double[]){2.2, 0.0, 0.0}), 4);
  assert_int_equal(level_at(sim, (double[]){-2.2, 0.0, 0.0}), 3);
  assert_int_equal(level_at(sim, (double[]){15.0, 15.0, 15.0}), 1);
  assert_true(sim->dt == 0.25 * 16.0 / (16 * TX_N));
  assert_false(regrid(sim));
  tx_sim_destroy(sim);
}

static void first_grid_resolves_the_data(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  tx_gidx without, with;
  binary(&p);
  p.grid_bh_radius = 0.1;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  without = sim->mesh->n_global;
  tx_sim_destroy(sim);
  p.grid_wavelet_tol = 1e-5;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  with = sim->mesh->n_global;
  assert_int_equal(count_flags(sim, 1), 0);
  assert_true(with > without);
  assert_false(regrid(sim)); /* the hysteresis keeps what the tolerance made */
  tx_sim_destroy(sim);
}

/* The refined balls go with the punctures, and what they leave becomes coarse again. */
static void the_mesh_follows_the_punctures(void **state) {
  const double from[3] = {2.2, 0.0, 0.0}, to[3] = {7.1, 5.3, -3.2};
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p);
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  memcpy(sim->tracker.at[0].x, to, sizeof to);
  /* A level at a time, until nothing changes. */
  bool changed = true;
  tx_gidx refined = 0, coarsened = 0;
  for (int n = 0; n < 4 && changed; n++) {
    const tx_gidx before = sim->mesh->n_global;
    changed = regrid(sim);
    if (!changed) continue;
    /* One octant makes eight, and a family one. */
    assert_int_equal(sim->mesh->n_global, before + 7 * (sim->refined - sim->coarsened));
    refined += sim->refined;
    coarsened += sim->coarsened;
    /* Its plan is not complete, and says so. */
    assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_ERR_USAGE);
    assert_non_null(strstr(tx_error_text(), "tx_exec_end must come first"));
    tx_error_clear();
  }
  assert_false(changed);
  assert_true(refined > 0 && coarsened > 0);
  assert_int_equal(count_flags(sim, 1), 0);
  assert_int_equal(level_at(sim, to), 4);
  assert_true(level_at(sim, from) < 3);
  assert_true(sim->regrids >= 2);
  assert_int_equal(sim->points, sim->mesh->n_global * TX_N3);
  tx_sim_destroy(sim);
}

/* Values of this rank's octants, for tx_free. */
static double *values_of(const tx_sim *sim) {
  const size_t items = (size_t)TX_VARS * TX_N3;
  double *all = NULL;
  assert_int_equal(tx_alloc((size_t)sim->mesh->n_local * items, sizeof *all, "test", &all), TX_OK);
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double *u = NULL;
    assert_int_equal(tx_field_view(sim->u, b, &u), TX_OK);
    memcpy(all + (size_t)b * items, u, items * sizeof *u);
  }
  return all;
}

/* Planes on lower outer faces are extrapolated, also those of octants that a regrid has made. */
static void outer_planes_are_those_of_the_new_grid(void **state) {
  const double corner[3] = {-15.6, 0.5, -15.4};
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p);
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  memcpy(sim->tracker.at[0].x, corner, sizeof corner);
  bool changed = true;
  for (int n = 0; n < 5 && changed; n++) {
    assert_int_equal(tx_sim_complete(sim), TX_OK);
    double *found = values_of(sim);
    assert_int_equal(tx_exec_outer_planes(sim->exec, tx_exec_all(sim->exec), sim->u), TX_OK);
    double *wanted = values_of(sim);
    assert_memory_equal(found, wanted,
                        (size_t)sim->mesh->n_local * TX_VARS * TX_N3 * sizeof *found);
    tx_free(found);
    tx_free(wanted);
    changed = regrid(sim);
  }
  assert_false(changed);
  assert_int_equal(level_at(sim, corner), 4);
  tx_sim_destroy(sim);
}

/* Where a puncture moves, the grid is made for the middle of the interval until the next regrid; it stays within the finest ball,
 * whatever its speed. */
static void the_mesh_is_ahead_of_moving_punctures(void **state) {
  static const struct {
    double v;
    bool ahead; /* whether the finest level has the family in front */
  } cases[] = {{-1.0, false}, {0.0, false}, {1.0, true}, {1e3, true}};
  const double at[3] = {3.4, 0.5, 0.5}, ahead[3] = {4.5, 0.5, 0.5}, beyond[3] = {6.5, 0.5, 0.5};
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p);
  p.grid_regrid_every = 12 * TX_N / 8; /* 0.375 M */
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  memcpy(sim->tracker.at[0].x, at, sizeof at);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool changed = true;
    sim->tracker.at[0].v[0] = cases[i].v;
    for (int n = 0; n < 4 && changed; n++) changed = regrid(sim);
    assert_int_equal(level_at(sim, at), 4);
    assert_int_equal(level_at(sim, ahead) == 4, cases[i].ahead);
    assert_true(level_at(sim, beyond) < 4);
  }
  tx_sim_destroy(sim);
}

/* Largest deviation from flat space of all ranks. */
static double off_flat(tx_sim *sim) {
  double worst = 0.0;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u = NULL;
    assert_int_equal(tx_field_octant(sim->u, b, &u), TX_OK);
    for (size_t i = 0; i < (size_t)TX_VARS * TX_N3; i++)
      worst = fmax(worst, fabs(u[i] - tx_bssn.variable[i / TX_N3].infinity));
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

static void flat_space_survives_a_regrid_every_step(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  tx_test_params_default(&p);
  p.run_t_end = 100.0;
  p.grid_extent = 4.0;
  p.grid_reflect = TX_DIMS_Z;
  p.grid_level_max = tx_test_every(2) > 1 ? 2 : 3; /* to save time */
  p.grid_level_min = p.grid_level_max - 2;
  p.grid_ball_level = p.grid_level_max;
  p.grid_ball_radius = 1.1;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  assert_true(off_flat(sim) == 0.0);
  for (int n = 0; n < 4 / tx_test_every(2); n++) {
    assert_int_equal(tx_sim_step(sim), TX_OK);
    p.grid_ball_radius = n % 2 == 0 ? 0.0 : 1.1;
    assert_true(regrid(sim));
  }
  assert_true(off_flat(sim) < 1e-14);
  tx_sim_destroy(sim);
}

/* Time goes on in equal steps when the finest level, and with it the step, changes. */
static void time_goes_on_when_the_step_changes(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  binary(&p);
  p.initial_data_type = TX_ID_MINKOWSKI;
  p.grid_reflect = TX_DIMS_XYZ;
  p.grid_level_min = 0;
  p.grid_ball_level = 1;
  p.grid_ball_radius = 1.0;
  p.run_t_end = 2.0;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  const double coarse = sim->dt;
  assert_int_equal(tx_sim_step(sim), TX_OK);
  assert_true(sim->t == coarse);
  p.grid_ball_level = 2;
  assert_true(regrid(sim));
  assert_true(sim->dt == coarse / 2);
  for (int n = 0; n < 3; n++) assert_int_equal(tx_sim_step(sim), TX_OK);
  assert_true(sim->t == coarse + 1.5 * coarse);
  p.run_t_end = sim->t + 0.3 * coarse;
  assert_int_equal(tx_sim_step(sim), TX_OK);
  assert_true(sim->t == p.run_t_end);
  tx_sim_destroy(sim);
}

static int regrid_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_grid_leaves_nothing_to_refine),
      cmocka_unit_test(first_grid_resolves_the_data),
      cmocka_unit_test(the_mesh_follows_the_punctures),
      cmocka_unit_test(outer_planes_are_those_of_the_new_grid),
      cmocka_unit_test(the_mesh_is_ahead_of_moving_punctures),
      cmocka_unit_test(flat_space_survives_a_regrid_every_step),
      cmocka_unit_test(time_goes_on_when_the_step_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_MAIN_WITH(regrid_tests())
