/* Punctures solved for by multigrid on the grid of a run: against the spectral solver, against each other, on any number of
 * ranks. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "elliptic/punctures.h"
#include "evolve/data.h"
#include "evolve/sim.h"
#include "exec/algebra.h"
#include "tests/support/backend.h"
#include "tests/support/exec_checks.h"

#define OK(call)                                                                                   \
  do {                                                                                             \
    if ((call) != TX_OK) fail_msg("%s", tx_error_text());                                          \
  } while (0)

/* Two holes that pass each other, in a half of space. */
static tx_params pair(int type, int solver) {
  tx_params p;
  tx_test_params_default(&p);
  p.run_t_end = 1.0;
  p.grid_extent = 32.0;
  p.grid_reflect = TX_DIMS_Z;
  p.grid_level_min = 1;
  p.grid_level_max = 6;
  p.grid_bh_radius = 0.6;
  p.initial_data_type = type;
  p.initial_data_solver = solver;
  p.initial_data_bh1_mass = 0.5;
  p.initial_data_bh2_mass = 0.4;
  p.initial_data_bh1_position[0] = 2.0;
  p.initial_data_bh2_position[0] = -2.5;
  p.initial_data_bh1_momentum[1] = 0.12;
  p.initial_data_bh2_momentum[1] = -0.12;
  if (tx_params_on_grid(&p)) p.elliptic_tolerance = 1e-8;
  OK(tx_params_check(&p, NULL));
  return p;
}

static tx_sim *make(MPI_Comm comm, const tx_params *p) {
  tx_sim *sim = NULL;
  OK(tx_sim_create_data(comm, p, &sim));
  return sim;
}

/* Largest difference of two states of the same grid, over all variables. */
static double difference(tx_sim *a, tx_sim *b) {
  tx_field_norm norm[TX_SYSTEM_VARS];
  const tx_set *all = tx_exec_all(a->exec);
  double most = 0.0;
  tx_field *copy = NULL;
  OK(tx_field_create_state(a->exec, a->system, &copy));
  for (tx_lidx o = 0; o < a->mesh->n_local; o++) {
    const double *values;
    OK(tx_field_view(b->u, o, &values));
    OK(tx_field_put(copy, o, 1, values));
  }
  OK(tx_exec_axpy(a->exec, all, -1.0, a->u, copy));
  OK(tx_exec_norms(a->exec, all, copy, norm, NULL));
  for (int v = 0; v < a->system->n_vars; v++) most = fmax(most, norm[v].max);
  tx_field_destroy(copy);
  return most;
}

/* ADM masses given: both solvers find bare masses, and energy. */
static void both_solvers_agree(void **state) {
  (void)state;
  if (tx_test_every(2) > 1) return;
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_SPECTRAL), q = p;
  p.initial_data_masses = q.initial_data_masses = TX_MASSES_ADM;
  q.initial_data_solver = TX_SOLVER_MULTIGRID;
  q.elliptic_tolerance = 1e-8;
  tx_sim *a = make(MPI_COMM_WORLD, &p), *b = make(MPI_COMM_WORLD, &q);
  assert_true(b->adm.cycles > 0 && a->adm.cycles == 0);
  for (int h = 0; h < 2; h++) {
    if (!(fabs(a->adm.mass_bare[h] - b->adm.mass_bare[h]) < 2e-6))
      fail_msg("bare masses %.10g, %.10g", a->adm.mass_bare[h], b->adm.mass_bare[h]);
    assert_true(fabs(b->adm.mass_adm[h] - tx_params_hole_of(&p, h).mass) < 1e-9);
  }
  if (!(fabs(a->adm.energy - b->adm.energy) < 3e-6))
    fail_msg("energies %.10g, %.10g", a->adm.energy, b->adm.energy);
  for (int d = 0; d < 3; d++) {
    assert_true(fabs(a->adm.angular_momentum[d] - b->adm.angular_momentum[d]) < 1e-15);
    assert_true(fabs(a->adm.linear_momentum[d] - b->adm.linear_momentum[d]) < 1e-15);
  }
  const double off = difference(a, b);
  if (!(off < 1e-5)) fail_msg("states differ by %g", off);
  tx_sim_destroy(a);
  tx_sim_destroy(b);
}

/* Three holes, whatever the ranks, in half of space or in all of it. */
static tx_params triple(void) {
  tx_params p = pair(TX_ID_PUNCTURES, TX_SOLVER_SPECTRAL);
  p.grid_level_max = tx_test_every(2) > 1 ? 2 : 4;
  p.initial_data_bh3_mass = 0.3;
  p.initial_data_bh3_position[1] = 5.0;
  p.initial_data_bh3_spin[2] = 0.03;
  p.elliptic_extra_levels = 1;
  p.elliptic_tolerance = tx_test_every(2) > 1 ? 1e-2 : 1e-6;
  OK(tx_params_check(&p, NULL));
  return p;
}

static void bits_do_not_depend_on_the_ranks(void **state) {
  (void)state;
  const tx_params p = triple();
  uint64_t checksum[2];
  tx_adm_numbers adm[2];
  for (int self = 0; self < (tx_test_every(2) > 1 ? 1 : 2); self++) {
    tx_sim *sim = make(self ? MPI_COMM_SELF : MPI_COMM_WORLD, &p);
    OK(tx_field_checksum(sim->u, &checksum[self]));
    adm[self] = sim->adm;
    tx_sim_destroy(sim);
  }
  assert_true(adm[0].cycles > 0);
  if (tx_test_every(2) > 1) return;
  assert_true(checksum[0] == checksum[1]);
  assert_memory_equal(&adm[0], &adm[1], sizeof adm[0]);
}

/* But for the outer boundary, whose lower and upper faces differ. */
static void a_mirror_changes_nothing(void **state) {
  (void)state;
  if (tx_test_every(2) > 1) return;
  tx_params p = triple(), q = p;
  q.grid_reflect = TX_DIMS_NONE;
  tx_sim *a = make(MPI_COMM_WORLD, &p), *b = make(MPI_COMM_WORLD, &q);
  if (!(fabs(a->adm.energy - b->adm.energy) < 1e-8))
    fail_msg("energies %.17g, %.17g", a->adm.energy, b->adm.energy);
  for (int h = 0; h < 3; h++) assert_true(fabs(a->adm.mass_adm[h] - b->adm.mass_adm[h]) < 1e-8);
  tx_sim_destroy(a);
  tx_sim_destroy(b);
}

/* A third hole without mass to speak of, at rest, leaves two as they are. */
static void a_third_hole_may_vanish(void **state) {
  (void)state;
  if (tx_test_every(2) > 1) return;
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_MULTIGRID), q = p;
  q.initial_data_type = TX_ID_PUNCTURES;
  q.initial_data_solver = TX_SOLVER_SPECTRAL;
  q.initial_data_bh3_mass = 1e-9;
  q.initial_data_bh3_position[0] = 2.3;
  OK(tx_params_check(&q, NULL));
  tx_sim *a = make(MPI_COMM_WORLD, &p), *b = make(MPI_COMM_WORLD, &q);
  assert_true(fabs(a->adm.energy + 1e-9 - b->adm.energy) < 1e-9);
  for (int h = 0; h < 2; h++) assert_true(fabs(a->adm.mass_adm[h] - b->adm.mass_adm[h]) < 1e-8);
  tx_sim_destroy(a);
  tx_sim_destroy(b);
}

/* Solves of `p` fail so. */
static void assert_refused(const tx_params *p, tx_status code, const char *text) {
  tx_sim *sim = NULL;
  TX_TEST_REFUSED(tx_sim_create_data(MPI_COMM_WORLD, p, &sim), code, text);
  assert_null(sim);
}

static void what_cannot_be_solved_says_why(void **state) {
  (void)state;
  if (tx_test_every(2) > 1) return;
  tx_params p = triple();
  p.elliptic_tolerance = 1e-18;
  assert_refused(&p, TX_ERR_NUMERICS, "is not solved to 1e-18");
  p = triple();
  p.initial_data_masses = TX_MASSES_ADM;
  p.initial_data_bh3_spin[2] = 5.0 * 0.09;
  assert_refused(&p, TX_ERR_NUMERICS, "puncture 3 came out with S/M^2 = 5, M being its ADM mass");
  p = triple();
  p.elliptic_extra_levels = 12;
  assert_refused(&p, TX_ERR_PARAM, "elliptic.extra_levels: level 19 at puncture 3");
  p = triple();
  p.elliptic_reach = 1e6;
  p.initial_data_bh3_spin[2] = 0.0;
  assert_refused(&p, TX_ERR_PARAM, "elliptic.reach: the grid for the elliptic equation would have");
}

/* A mass that no bare mass gives. */
static void masses_that_are_not_reached_say_so(void **state) {
  (void)state;
  if (tx_test_every(2) > 1) return;
  const tx_params p = triple();
  tx_sim *sim = make(MPI_COMM_WORLD, &p);
  tx_elliptic_punctures_task task = {
      .adm_masses = true, .order = 2, .reach = 2.0, .control = tx_elliptic_control_default()};
  tx_bowen_york data;
  tx_adm_numbers adm;
  task.control.tolerance = 1e-2;
  OK(tx_initial_data_holes(&p, &data, task.mass));
  task.mass[2] = -0.1;
  TX_TEST_REFUSED(tx_elliptic_punctures(sim->mesh, &task, &data, &adm, NULL), TX_ERR_NUMERICS,
                  "no bare masses were found that give the punctures these ADM masses: after 40");
  tx_sim_destroy(sim);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_solvers_agree),
    cmocka_unit_test(bits_do_not_depend_on_the_ranks),
    cmocka_unit_test(a_mirror_changes_nothing),
    cmocka_unit_test(a_third_hole_may_vanish),
    cmocka_unit_test(what_cannot_be_solved_says_why),
    cmocka_unit_test(masses_that_are_not_reached_say_so),
};

static int run(void) {
  tx_log_quiet(1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
