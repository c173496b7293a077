/* Time steps of levels go on from a checkpoint bit by bit, at every macro step, and from one step for all octants and back:
 * checkpoints hold leaves alone. */
#include "restart/scratch.h"

#include <limits.h>
#include "checkpoint/checkpoint.h"
#include "tests/support/octree_checks.h"

static void with_levels(tx_params *p) {
  binary(p);
  p->evolution_time_steps = TX_STEPS_LEVELS;
  p->evolution_macro_step = 100.0;
}

/* What goes on. */
typedef struct outcome {
  uint64_t state, mesh;
  int64_t step, step_since;
  double t, dt, t_since, point_stages, algebraic[2], x[2][3], v[2][3];
  int64_t halvings;
} outcome;

static outcome look_at(tx_sim *sim) {
  outcome o;
  memset(&o, 0, sizeof o);
  OK(tx_sim_algebraic(sim));
  OK(tx_field_checksum(sim->u, &o.state));
  OK(tx_test_mesh_checksum(sim->mesh, &o.mesh));
  o.step = sim->step;
  o.step_since = sim->step_since;
  o.t = sim->t;
  o.dt = sim->dt;
  o.t_since = sim->t_since;
  o.point_stages = sim->point_stages;
  memcpy(o.algebraic, sim->algebraic, sizeof o.algebraic);
  for (int a = 0; a < sim->tracker.n; a++) {
    memcpy(o.x[a], sim->tracker.at[a].x, sizeof o.x[a]);
    memcpy(o.v[a], sim->tracker.at[a].v, sizeof o.v[a]);
  }
  o.halvings = sim->halvings;
  return o;
}

static void assert_same(const outcome *a, const outcome *b) {
  assert_true(a->state == b->state);
  assert_memory_equal(a, b, sizeof *a);
}

/* Write `sim`, and begin anew from that. */
static void restart(const char *folder, const tx_params *p, tx_sim **sim) {
  char path[PATH_MAX];
  int skipped = -1;
  OK(tx_checkpoint_write(folder, 1, *sim, NULL));
  tx_sim_destroy(*sim);
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  OK(tx_checkpoint_restore(MPI_COMM_WORLD, p, path, sim));
}

/* Three macro steps with a regrid after the second. */
static outcome three_steps(const char *folder, bool restarts) {
  tx_params p;
  tx_sim *sim = NULL;
  bool changed = false;
  with_levels(&p);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  assert_int_equal(sim->halvings, 3);
  for (int n = 0; n < 3; n++) {
    OK(tx_sim_step(sim));
    if (n == 1) {
      p.grid_bh_radius = 0.8;
      OK(tx_ghosts_fill(sim->exec, sim->u));
      OK(tx_sim_regrid(sim, &changed));
      assert_true(changed);
    }
    if (restarts) restart(folder, &p, &sim);
  }
  const outcome o = look_at(sim);
  tx_sim_destroy(sim);
  return o;
}

static void restarts_at_every_macro_step(void **state) {
  char folder[64];
  scratch_make(folder);
  const outcome without = three_steps(folder, false), with = three_steps(folder, true);
  assert_int_equal(without.step, 24);
  assert_same(&with, &without);
  scratch_remove(folder);
}

/* Eight steps for all octants, a macro step, and one for all again, with restarts in between or in one go. */
static outcome there_and_back(const char *folder, bool restarts) {
  static const int steps[3] = {8, 1, 1}; /* macro steps begin at multiples of themselves */
  static const int kind[3] = {TX_STEPS_GLOBAL, TX_STEPS_LEVELS, TX_STEPS_GLOBAL};
  tx_params p;
  tx_sim *sim = NULL;
  with_levels(&p);
  p.evolution_time_steps = kind[0];
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  for (int i = 0; i < 3; i++) {
    p.evolution_time_steps = kind[i];
    if (i > 0 && restarts) restart(folder, &p, &sim);
    sim->halvings = tx_sim_halvings(&p, sim->mesh);
    assert_int_equal(sim->halvings, kind[i] == TX_STEPS_LEVELS ? 3 : 0);
    for (int n = 0; n < steps[i]; n++) OK(tx_sim_step(sim));
    OK(tx_sim_algebraic(sim));
  }
  const outcome o = look_at(sim);
  tx_sim_destroy(sim);
  return o;
}

static void goes_from_one_step_to_levels_and_back(void **state) {
  char folder[64];
  scratch_make(folder);
  const outcome without = there_and_back(folder, false), with = there_and_back(folder, true);
  assert_int_equal(without.step, 8 + 8 + 1);
  assert_true(without.t == 17.0 * without.dt);
  assert_same(&with, &without);
  scratch_remove(folder);
}

static int restart_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restarts_at_every_macro_step),
      cmocka_unit_test(goes_from_one_step_to_levels_and_back),
  };
  tx_log_quiet(1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_MAIN_WITH(restart_tests())
