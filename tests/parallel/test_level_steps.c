/* Time steps of levels: the same bits on any ranks and threads, whenever the levels are made anew; on one level those of
 * plain Runge-Kutta steps; and an end time that is not a multiple of the macro step. */
#include "base/runge_kutta.h"
#include "support/exec_checks.h"
#include "support/main.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include "bench/speed.h"
#include "evolve/sim.h"
#include "physics/bssn.h"
#include "tests/support/octree_checks.h"

/* Two holes on four levels, reflected in y and z; the gauge depends on time. */
static void binary(tx_params *p) {
  tx_test_params_default(p);
  p->run_t_end = 100.0;
  p->grid_extent = 16.0;
  p->grid_reflect = TX_DIMS_Y | TX_DIMS_Z;
  p->grid_level_min = 1;
  p->grid_level_max = 4;
  p->grid_bhN_level[1] = 3;
  p->grid_bh_radius = 0.5;
  p->evolution_time_steps = TX_STEPS_LEVELS;
  p->evolution_macro_step = 100.0;
  p->gauge_slow_start = 3.0;
  p->gauge_slow_start_time = 0.2;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = 0.6;
  p->initial_data_bhN_position[0][0] = 1.25;
  p->initial_data_bhN_mass[1] = 0.4;
  p->initial_data_bhN_position[1][0] = -1.75;
}

static tx_sim *start(MPI_Comm comm, const tx_params *p) {
  tx_sim *sim = NULL;
  OK(tx_sim_create(comm, p, &sim));
  return sim;
}

static bool regrid(tx_sim *sim) {
  bool changed = false;
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_sim_regrid(sim, &changed));
  return changed;
}

/* What a run leaves behind. */
typedef struct outcome {
  uint64_t state, mesh;
  int64_t step, regrids;
  double t, point_stages, algebraic[2], x[2][3], v[2][3];
} outcome;

static outcome look_at(tx_sim *sim) {
  outcome o;
  memset(&o, 0, sizeof o);
  OK(tx_sim_check(sim));
  OK(tx_sim_algebraic(sim));
  OK(tx_field_checksum(sim->u, &o.state));
  OK(tx_test_mesh_checksum(sim->mesh, &o.mesh));
  o.step = sim->step;
  o.regrids = sim->regrids;
  o.t = sim->t;
  o.point_stages = sim->point_stages;
  memcpy(o.algebraic, sim->algebraic, sizeof o.algebraic);
  for (int a = 0; a < 2; a++) {
    memcpy(o.x[a], sim->tracker.at[a].x, sizeof o.x[a]);
    memcpy(o.v[a], sim->tracker.at[a].v, sizeof o.v[a]);
  }
  return o;
}

/* Three macro steps, of eight steps of the finest level, and a regrid that changes the mesh after the first. */
static outcome run_on(MPI_Comm comm, int threads) {
  tx_params p;
  omp_set_num_threads(threads);
  binary(&p);
  tx_sim *sim = start(comm, &p);
  assert_int_equal(sim->halvings, 3);
  for (int n = 0; n < 3; n++) {
    OK(tx_sim_step(sim));
    p.grid_bh_radius = 0.8;
    if (n == 0) assert_true(regrid(sim));
  }
  const outcome o = look_at(sim);
  tx_sim_destroy(sim);
  return o;
}

static void same_bits_on_any_ranks_and_threads(void **state) {
  static const struct { int ranks, threads; } cases[] = {{1, 2}, {2, 1}, {3, 1}};
  const size_t every = (size_t)tx_test_every(2);
  const int threads = omp_get_max_threads();
  int rank = 0, size = 1;
  outcome first = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  assert_int_equal(size, 3);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c += every) {
    MPI_Comm part;
    outcome now = {0};
    MPI_Comm_split(MPI_COMM_WORLD, rank < cases[c].ranks, rank, &part);
    if (rank < cases[c].ranks) now = run_on(part, cases[c].threads);
    test_wait();
    MPI_Comm_free(&part);
    if (c == 0) first = now;
    if (rank > 0) continue;
    assert_true(now.state == first.state && now.mesh == first.mesh);
    assert_memory_equal(&now, &first, sizeof now);
  }
  omp_set_num_threads(threads);
  if (rank > 0) return;
  assert_int_equal(first.step, 24);
  assert_int_equal(first.regrids, 1);
  assert_true(first.v[0][0] != 0.0 && first.v[1][0] != 0.0 && first.algebraic[0] > 0.0);
}

/* Neither a regrid that finds nothing to do, nor levels made anew of the leaves alone, nor an end of the run that is a round-off
 * away from that of a macro step change a bit. */
static void levels_hold_nothing_but_the_leaves(void **state) {
  if (TX_N > 8) return; /* to save time: what is kept does not depend on the size of octants */
  tx_params p;
  binary(&p);
  outcome o[3];
  for (int how = 0; how < 3; how++) {
    tx_sim *sim = start(MPI_COMM_WORLD, &p);
    const double end = 8.0 * sim->dt;
    if (how > 0) p.run_t_end = nextafter(end, how == 1 ? 0.0 : 1.0);
    OK(tx_sim_step(sim));
    assert_true(sim->t == (how > 0 ? p.run_t_end : end));
    p.run_t_end = 100.0;
    if (how == 1) assert_false(regrid(sim));
    if (how == 2) {
      OK(tx_sim_algebraic(sim)); /* as a regrid does */
      tx_levels_destroy(sim->levels);
      sim->levels = NULL;
    }
    OK(tx_sim_step(sim));
    o[how] = look_at(sim);
    tx_sim_destroy(sim);
  }
  assert_true(o[1].state == o[0].state && o[2].state == o[0].state);
  assert_memory_equal(&o[1], &o[0], sizeof o[0]);
  assert_memory_equal(&o[2], &o[0], sizeof o[0]);
}

/* Levels that stay through a regrid because nothing has changed there are as if made anew, also where they step before the
 * others are made. */
static void levels_stay_as_they_are(void **state) {
  static const struct {
    double radius;    /* of the finest level at first */
    double by;        /* that a puncture moves */
    int finest, kept; /* from level 5 */
  } cases[] = {{0.5, 0.4, 5, 1}, {0.45, 0.0, 4, 2}};
  if (TX_N > 8) return; /* to save time: grids know nothing of the size of octants */
  /* On emulated GPUs, to save time, only where more levels stay. */
  for (size_t c = tx_test_every(2) > 1 ? 1 : 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p;
    outcome o[2];
    for (int anew = 0; anew < 2; anew++) {
      binary(&p);
      p.grid_extent = 8.0;
      p.grid_bh_radius = cases[c].radius;
      p.grid_level_max = 5;
      p.grid_bhN_level[1] = cases[c].finest < 5 ? 5 : 4;
      p.evolution_macro_step = 0.02;
      tx_sim *sim = start(MPI_COMM_WORLD, &p);
      OK(tx_sim_step(sim));
      sim->tracker.at[0].x[0] += cases[c].by;
      if (cases[c].finest < 5) { /* of both, coarser levels staying as they are */
        sim->puncture_level[0] = sim->puncture_level[1] = cases[c].finest;
        p.grid_bh_radius *= 2.0;
      }
      assert_true(regrid(sim));
      if (anew) {
        tx_levels_destroy(sim->levels);
        sim->levels = NULL;
      } else {
        OK(tx_levels_renew(sim->levels, sim->mesh, sim->u));
        assert_true((sim->levels->leaves != NULL) == (cases[c].kept > 1));
      }
      OK(tx_sim_step(sim));
      assert_null(sim->levels->leaves);
      assert_int_equal(sim->levels->grids->kept, anew ? 0 : cases[c].kept);
      o[anew] = look_at(sim);
      tx_sim_destroy(sim);
    }
    assert_true(o[1].state == o[0].state);
    assert_memory_equal(&o[1], &o[0], sizeof o[0]);
  }
}

/* A Runge-Kutta step of all octants, constraints enforced at its end alone. */
static void plain_step(tx_sim *sim, double dt) {
  tx_field *sum = NULL, *y1 = NULL, *y2 = NULL;
  tx_system_params bssn = sim->physics;
  OK(tx_field_create_state(sim->exec, &tx_bssn, &sum));
  OK(tx_field_create_state(sim->exec, &tx_bssn, &y1));
  OK(tx_field_create_state(sim->exec, &tx_bssn, &y2));
  const tx_field *y[4] = {sim->u, y1, y2, y1};
  tx_field *next[4] = {y1, y2, y1, NULL};
  for (int s = 0; s < 4; s++) {
    tx_system_params_at(&bssn, sim->t + tx_rk_time[s] * dt);
    OK(tx_ghosts_fill(sim->exec, y[s]));
    OK(tx_exec_stage(sim->exec, tx_exec_all(sim->exec), &bssn,
                     &(tx_stage){.u = sim->u,
                                 .y = y[s],
                                 .base_sum = s == 0 ? sim->u : sum,
                                 .sum = sum,
                                 .next = next[s],
                                 .dt_sum = tx_rk_weight[s] * dt,
                                 .dt_next = tx_rk_reach[s] * dt,
                                 .raw = true}));
  }
  tx_field_swap(sim->u, sum);
  tx_field_destroy(sum);
  tx_field_destroy(y1);
  tx_field_destroy(y2);
}

static void one_level_takes_plain_steps(void **state) {
  uint64_t hash[2];
  for (int how = 0; how < 2; how++) {
    tx_params p;
    binary(&p);
    p.grid_level_min = p.grid_level_max = 2;
    p.grid_bhN_level[1] = -1;
    p.grid_bh_radius = 0.0;
    tx_sim *sim = start(MPI_COMM_WORLD, &p);
    assert_int_equal(sim->halvings, 0);
    for (int n = 0; n < 2; n++) {
      if (how == 0) OK(tx_sim_step(sim));
      if (how == 1) plain_step(sim, sim->dt);
      if (how == 1) sim->t += sim->dt;
    }
    OK(tx_field_checksum(sim->u, &hash[how]));
    tx_sim_destroy(sim);
  }
  assert_true(hash[0] == hash[1]);
}

/* What bounds eta for the sake of the time step does so by the step of each level, also where wavelets refine further than
 * parameters tell: here, where that is no bound, not at all. */
static void eta_is_bounded_by_the_steps_of_levels(void **state) {
  uint64_t hash[2];
  for (int how = 0; how < 2; how++) {
    tx_params p;
    binary(&p);
    p.grid_bh_radius = 0.0;
    p.grid_bhN_level[1] = -1;
    p.grid_wavelet_tol = 0.02;
    p.gauge_eta_form = TX_ETA_METRIC;
    p.gauge_eta_R0 = 2.0;
    tx_sim *sim = start(MPI_COMM_WORLD, &p);
    assert_int_equal(sim->mesh->level_highest, 4);
    assert_int_equal(sim->halvings, 3);
    if (how == 0) {
      OK(tx_sim_step(sim));
    } else {
      tx_system_params unbound = sim->physics;
      unbound.eta_max = 1e9;
      const tx_macro_step step = {
          .dt = 8.0 * sim->dt, .halvings = 3, .physics = &unbound, .tracker = &sim->tracker};
      OK(tx_levels_create(sim->mesh, sim->u, &sim->levels));
      OK(tx_levels_step(sim->levels, &step));
      OK(tx_levels_store(sim->levels, sim->u));
    }
    OK(tx_field_checksum(sim->u, &hash[how]));
    tx_sim_destroy(sim);
  }
  assert_true(hash[0] == hash[1]);
}

/* A shift that moves the punctures along x at this speed. */
static void push(tx_sim *sim, double speed) {
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u;
    OK(tx_field_octant(sim->u, b, &u));
    for (int n = 0; n < TX_N3; n++) u[TX_VAR_BETA0 * TX_N3 + n] = -speed;
  }
}

/* A puncture that leaves the grid of its level within a macro step, or begins one outside of the domain. */
static void punctures_that_get_lost_are_errors(void **state) {
  for (int outside = 0; outside < 2; outside++) {
    tx_params p;
    binary(&p);
    p.grid_level_max = p.grid_bhN_level[1] = 2;
    tx_sim *sim = start(MPI_COMM_WORLD, &p);
    if (outside) sim->tracker.at[1].x[0] = -16.1;
    if (!outside) push(sim, 5.0 * TX_N);
    TX_TEST_REFUSED(tx_sim_step(sim), TX_ERR_MESH,
                    outside ? "puncture 2 at (-16.1, 0, 0) M lies outside the domain"
                            : "puncture 1 left the grid of level 2 within a macro step");
    tx_sim_destroy(sim);
  }
}

/* Steps that are only measured leave the punctures where they were. */
static void measured_steps_keep_punctures(void **state) {
  tx_params p;
  binary(&p);
  p.grid_level_max = p.grid_bhN_level[1] = 2;
  tx_sim *sim = start(MPI_COMM_WORLD, &p);
  push(sim, 0.1);
  const double x = sim->tracker.at[0].x[0];
  OK(tx_speed_step(sim));
  assert_true(sim->tracker.at[0].x[0] == x);
  OK(tx_sim_step(sim));
  assert_true(sim->tracker.at[0].x[0] > x);
  tx_sim_destroy(sim);
}

/* What all levels compute in a macro step of so many halvings. */
static double work_of(const tx_sim *sim, int halvings) {
  tx_gidx nodes[TX_LEVELS];
  double work = 0.0;
  tx_level_nodes_count(sim->mesh->level_count, nodes);
  for (int level = 1; level <= 4; level++) {
    const int n = halvings - (4 - level);
    work += 4.0 * TX_N3 * ldexp((double)nodes[level], n > 0 ? n : 0);
  }
  return work;
}

/* The last macro step is as long as what is left, with as few halvings as keep each level to its full step, and time goes on
 * from there. */
static void the_last_macro_step_is_shorter(void **state) {
  /* Of 8 dt: what is left, and the halvings of that. */
  static const struct {
    double left;
    int halvings;
  } cases[] = {{5.0, 3}, {4.0, 2}, {2.4, 2}, {0.7, 0}};
  if (TX_N > 8) return; /* to save time, as above */
  tx_params p;
  binary(&p);
  tx_sim *sim = start(MPI_COMM_WORLD, &p);
  const double dt = sim->dt;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    const double before = sim->point_stages;
    p.run_t_end = sim->t + cases[c].left * dt;
    OK(tx_sim_step(sim));
    assert_true(sim->t == p.run_t_end);
    assert_true(sim->point_stages - before == work_of(sim, cases[c].halvings));
  }
  p.run_t_end = 100.0;
  const double t = sim->t;
  OK(tx_sim_step(sim));
  assert_true(sim->t == t + 8.0 * dt);
  OK(tx_sim_check(sim));
  tx_sim_destroy(sim);
}

/* What deferred work finds, and how often it came. */
typedef struct witness {
  tx_sim *sim;
  outcome seen[TX_WORK_PARTS];
  int calls;
} witness;

static outcome look_away(tx_sim *sim) {
  outcome o;
  memset(&o, 0, sizeof o);
  OK(tx_field_checksum(sim->u, &o.state));
  OK(tx_test_mesh_checksum(sim->mesh, &o.mesh));
  o.step = sim->step;
  o.regrids = sim->regrids;
  o.t = sim->t;
  for (int a = 0; a < 2; a++) memcpy(o.x[a], sim->tracker.at[a].x, sizeof o.x[a]);
  for (int a = 0; a < 2; a++) memcpy(o.v[a], sim->tracker.at[a].v, sizeof o.v[a]);
  return o;
}

static tx_status see(void *with, int part) {
  witness *w = with;
  assert_int_equal(part, w->calls);
  static const double x[1][3] = {{0.3, 0.2, 0.1}};
  double value = 0.0;
  w->seen[w->calls++] = look_away(w->sim);
  /* Ghosts are those of the state. */
  return tx_exec_sample(
      w->sim->exec, w->sim->u,
      &(tx_probe){.n = 1, .points = x, .vars = {TX_VAR_ALPHA, 1}, .n_derivs = 1, .jets = &value});
}

static tx_status refuse(void *with, int part) {
  TX_FAIL(TX_ERR_IO, "as asked for");
}

/* Deferred work is done once, in the next step or before the mesh changes, and finds all as it was: also the puncture of a
 * level that has stepped already. */
static void deferred_work_finds_what_was_there(void **state) {
  if (TX_N > 8) return; /* to save time: what is done when does not depend on the size of octants */
  for (int levels = 0; levels < 2; levels++)
    for (int regrids = 0; regrids < 2; regrids++) {
      tx_params p;
      binary(&p);
      if (!levels) p.evolution_time_steps = TX_STEPS_GLOBAL;
      tx_sim *sim = start(MPI_COMM_WORLD, &p);
      for (int n = 0; n < 2; n++) OK(tx_sim_step(sim));
      const outcome before = look_away(sim);
      witness w = {.sim = sim};
      assert_true(before.v[1][0] != 0.0);
      OK(tx_ghosts_fill(sim->exec, sim->u));
      tx_sim_defer(sim, (tx_work){see, &w});
      bool changed = true;
      OK(tx_sim_regrid(sim, &changed));
      assert_false(changed);
      assert_int_equal(w.calls, 0);
      p.grid_bh_radius = 0.8;
      if (regrids) {
        OK(tx_sim_regrid(sim, &changed));
        assert_true(changed);
        assert_int_equal(w.calls, TX_WORK_PARTS);
      }
      OK(tx_sim_step(sim));
      OK(tx_sim_catch_up(sim, TX_WORK_PARTS));
      assert_int_equal(w.calls, TX_WORK_PARTS);
      for (int n = 0; n < TX_WORK_PARTS; n++)
        assert_memory_equal(&w.seen[n], &before, sizeof before);
      const outcome after = look_away(sim);
      assert_true(after.x[1][0] != before.x[1][0] && after.state != before.state);
      tx_sim_defer(sim, (tx_work){refuse, NULL});
      assert_int_equal(tx_sim_step(sim), TX_ERR_IO);
      tx_sim_destroy(sim);
    }
}

static int step_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_on_any_ranks_and_threads),
      cmocka_unit_test(levels_hold_nothing_but_the_leaves),
      cmocka_unit_test(levels_stay_as_they_are),
      cmocka_unit_test(one_level_takes_plain_steps),
      cmocka_unit_test(eta_is_bounded_by_the_steps_of_levels),
      cmocka_unit_test(punctures_that_get_lost_are_errors),
      cmocka_unit_test(measured_steps_keep_punctures),
      cmocka_unit_test(the_last_macro_step_is_shorter),
      cmocka_unit_test(deferred_work_finds_what_was_there),
  };
  /* To save time, on GPUs, which test_agreement compares with this, only what concerns memory that is lent. */
  const struct CMUnitTest on_gpus[] = {cmocka_unit_test(levels_stay_as_they_are)};
  /* The forest library starts on all ranks of the world, and stays as long as a forest does. */
  const tx_domain domain = {.extent = 1.0};
  tx_octree *keeps_library = NULL;
  if (tx_octree_create(MPI_COMM_WORLD, &domain, 0, &keeps_library) != TX_OK) return 1;
  const int failed = tx_test_on_gpu() ? cmocka_run_group_tests(on_gpus, NULL, NULL)
                                      : cmocka_run_group_tests(tests, NULL, NULL);
  tx_octree_destroy(keeps_library);
  return failed;
}
TEST_MAIN_WITH(step_tests())
