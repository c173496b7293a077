/* A simulation goes on from a checkpoint bit by bit, on any number of ranks. */
#include "restart/scratch.h"

#include <limits.h>
#include <math.h>
#include "checkpoint/checkpoint.h"
#include "tests/support/octree_checks.h"

/* What two simulations that are the same share. */
typedef struct outcome {
  uint64_t state, mesh;
  int64_t step, step_since, points, points_most, regrids, refined, coarsened, octants;
  double t, dt, t_since, point_stages, point_stages_global, algebraic[2];
  double x[2][3], v[2][3], stage_x[2][3], sum_x[2][3];
  int64_t punctures, level[2], halvings;
} outcome;

static outcome look_at(tx_sim *sim) {
  outcome o;
  memset(&o, 0, sizeof o);
  OK(tx_sim_algebraic(sim));
  OK(tx_field_checksum(sim->u, &o.state));
  OK(tx_test_mesh_checksum(sim->mesh, &o.mesh));
  o.step = sim->step;
  o.step_since = sim->step_since;
  o.points = sim->points;
  o.points_most = sim->points_most;
  o.regrids = sim->regrids;
  o.refined = sim->refined;
  o.coarsened = sim->coarsened;
  o.octants = sim->mesh->n_global;
  o.halvings = sim->halvings;
  o.t = sim->t;
  o.dt = sim->dt;
  o.t_since = sim->t_since;
  o.point_stages = sim->point_stages;
  o.point_stages_global = sim->point_stages_global;
  memcpy(o.algebraic, sim->algebraic, sizeof o.algebraic);
  o.punctures = sim->tracker.n;
  for (int a = 0; a < sim->tracker.n; a++) {
    memcpy(o.x[a], sim->tracker.at[a].x, sizeof o.x[a]);
    memcpy(o.v[a], sim->tracker.at[a].v, sizeof o.v[a]);
    memcpy(o.stage_x[a], sim->tracker.at[a].stage_x, sizeof o.stage_x[a]);
    memcpy(o.sum_x[a], sim->tracker.at[a].sum_x, sizeof o.sum_x[a]);
    o.level[a] = sim->puncture_level[a];
  }
  return o;
}

static void assert_same(const outcome *a, const outcome *b) {
  assert_true(a->mesh == b->mesh && a->octants == b->octants);
  assert_true(a->state == b->state);
  assert_true(a->step == b->step && a->t == b->t && a->dt == b->dt);
  assert_int_equal(memcmp(a, b, sizeof *a), 0);
}

/* Steps and a regrid between them that changes the mesh. */
static void step_and_regrid(tx_sim *sim, tx_params *p, double radius) {
  bool changed = false;
  OK(tx_sim_step(sim));
  p->grid_bh_radius = radius;
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_sim_regrid(sim, &changed));
  assert_true(changed);
  OK(tx_sim_step(sim));
}

/* The first n ranks of the world, or none for the others. */
static MPI_Comm first_ranks(int n) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() < n ? 0 : MPI_UNDEFINED, world_rank(), &comm);
  return comm;
}

/* Of the runs at hand. */
static tx_time_steps time_steps;

static void binary_with_steps(tx_params *p) {
  binary(p);
  p->evolution_time_steps = time_steps;
}

static void write_some(MPI_Comm comm, const char *folder, outcome *then, outcome *later) {
  tx_params p;
  tx_sim *sim = NULL;
  binary_with_steps(&p);
  OK(tx_sim_create(comm, &p, &sim));
  step_and_regrid(sim, &p, 0.8);
  if (time_steps == TX_STEPS_GLOBAL) sim->point_stages_global += 7.0; /* as with steps of levels */
  OK(tx_checkpoint_write(folder, 2, sim, NULL));
  *then = look_at(sim);
  step_and_regrid(sim, &p, 0.3);
  *later = look_at(sim);
  tx_sim_destroy(sim);
}

static void read_some(MPI_Comm comm, const char *folder, const outcome *then,
                      const outcome *later) {
  char path[PATH_MAX], name[64];
  int skipped = -1;
  tx_params p;
  tx_sim *sim = NULL;
  binary_with_steps(&p);
  p.grid_bh_radius = 0.8;
  OK(tx_checkpoint_newest(comm, folder, path, sizeof path, &skipped));
  assert_int_equal(skipped, 0);
  assert_int_equal(then->halvings > 0, time_steps == TX_STEPS_LEVELS);
  assert_int_equal(then->step, 2 << then->halvings);
  snprintf(name, sizeof name, "/checkpoints/checkpoint.%07d.h5", 2 << then->halvings);
  assert_non_null(strstr(path, name));
  OK(tx_checkpoint_restore(comm, &p, path, &sim));
  outcome now = look_at(sim);
  assert_same(&now, then);
  step_and_regrid(sim, &p, 0.3);
  now = look_at(sim);
  assert_same(&now, later);
  tx_sim_destroy(sim);
}

/* From 2 ranks and from all onto 1, 2 and all; on emulated GPUs, to save time, only the last of these. */
static void assert_restarts_bit_by_bit(void) {
  const int size = world_size(), two = size < 2 ? size : 2;
  const int from[3] = {two, two, size}, onto[3] = {1, size, two};
  for (int n = tx_test_every(2) > 1 ? 2 : 0; n < 3; n++) {
    char folder[64];
    outcome then, later;
    scratch_make(folder);
    MPI_Comm writers = first_ranks(from[n]), readers = first_ranks(onto[n]);
    memset(&then, 0, sizeof then);
    memset(&later, 0, sizeof later);
    if (writers != MPI_COMM_NULL) write_some(writers, folder, &then, &later);
    test_wait();
    MPI_Bcast(&then, sizeof then, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&later, sizeof later, MPI_BYTE, 0, MPI_COMM_WORLD);
    assert_true(then.state != later.state && then.mesh != later.mesh && later.regrids == 2);
    assert_true(then.v[0][0] != 0.0 && then.algebraic[0] > 0.0 && then.refined > 0);
    if (readers != MPI_COMM_NULL) read_some(readers, folder, &then, &later);
    test_wait();
    if (writers != MPI_COMM_NULL) MPI_Comm_free(&writers);
    if (readers != MPI_COMM_NULL) MPI_Comm_free(&readers);
    scratch_remove(folder);
  }
}

static void restarts_bit_by_bit(void **state) {
  time_steps = TX_STEPS_GLOBAL;
  assert_restarts_bit_by_bit();
}

static void restarts_bit_by_bit_with_levels(void **state) {
  time_steps = TX_STEPS_LEVELS;
  assert_restarts_bit_by_bit();
}

/* Reflected, periodic and outer faces in all mixtures; nothing is done to the bits on the way. */
static void every_domain_and_every_bit(void **state) {
  char folder[64], path[PATH_MAX];
  scratch_make(folder);
  for (int kind = 0; kind < 27; kind += 2) {
    tx_params p;
    tx_sim *sim = NULL, *again = NULL;
    int skipped;
    tx_test_params_default(&p);
    p.run_t_end = 1.0;
    p.grid_extent = 3.0;
    for (int d = 0, n = kind; d < 3; d++, n /= 3) {
      if (n % 3 == 1) p.grid_reflect |= 1 << d;
      if (n % 3 == 2) p.grid_periodic |= 1 << d;
    }
    p.grid_level_max = 2;
    p.grid_ball_level = 2;
    p.grid_ball_radius = 0.4;
    p.grid_level_min = kind % 3 == 1;
    OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
    assert_true(sim->mesh->level_highest > sim->mesh->level_lowest);
    fill_with_bits(sim, 1000 + (uint64_t)kind);
    sim->step = kind;
    OK(tx_checkpoint_write(folder, 1, sim, NULL));
    OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
    OK(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &again));
    outcome before = look_at(sim), after = look_at(again);
    assert_same(&before, &after);
    tx_sim_destroy(again);
    tx_sim_destroy(sim);
  }
  scratch_remove(folder);
}

/* Leaves that are no tree: refused on all ranks, and none hangs. */
static void refuses_what_is_no_forest(void **state) {
  const tx_domain domain = {.extent = 1.0, .low = {TX_FACE_REFLECT, TX_FACE_REFLECT}};
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  /* Trees z = 0, of eight leaves, and z = 1, whose first leaf is refined. */
  int n = 0;
  tx_leaf leaf[64];
  for (int c = 0; c < 8; c++)
    leaf[n++] = (tx_leaf){.x = {c & 1, c >> 1 & 1, c >> 2 & 1}, .level = 1};
  for (int c = 0; c < 8; c++)
    leaf[n++] = (tx_leaf){.x = {c & 1, c >> 1 & 1, 4 + (c >> 2 & 1)}, .level = 2};
  for (int c = 1; c < 8; c++)
    leaf[n++] = (tx_leaf){.x = {c & 1, c >> 1 & 1, 2 + (c >> 2 & 1)}, .level = 1};
  OK(tx_octree_create_from(MPI_COMM_WORLD, &domain, n, leaf, &tree));
  OK(tx_mesh_create(tree, &mesh));
  assert_int_equal(mesh->n_global, n);
  assert_int_equal(mesh->level_count[2], 8);
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    assert_memory_equal(mesh->octant[b].x, leaf[mesh->first + b].x, sizeof leaf[0].x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  for (int fault = 0; fault < 6; fault++) {
    tx_leaf bad[64];
    int m = n;
    memcpy(bad, leaf, sizeof bad);
    if (fault == 0) m--;
    if (fault == 1) bad[3] = leaf[4], bad[4] = leaf[3];
    if (fault == 2) bad[0].x[0] = 2;
    if (fault == 3) bad[2] = (tx_leaf){.x = {0, 0, 0}, .level = 3};
    if (fault == 4) bad[5].level = 19;
    if (fault == 5) m = 0;
    assert_int_equal(tx_octree_create_from(MPI_COMM_WORLD, &domain, m, bad, &tree), TX_ERR_MESH);
    assert_null(tree);
    tx_error_clear();
  }
}

/* A last step that was cut short is no beginning of steps that long, and time goes on from it. */
static void a_run_made_longer_keeps_time(void **state) {
  char folder[64], path[PATH_MAX];
  int skipped;
  tx_params p;
  tx_sim *sim = NULL;
  scratch_make(folder);
  one_octant(&p);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  const double dt = sim->dt;
  p.run_t_end = 2.25 * dt;
  while (sim->t < p.run_t_end) OK(tx_sim_step(sim));
  assert_int_equal(sim->step, 3);
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  tx_sim_destroy(sim);
  p.run_t_end = 10.0 * dt;
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  OK(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &sim));
  assert_true(sim->t == 2.25 * dt);
  OK(tx_sim_step(sim));
  assert_true(sim->t == 3.25 * dt);
  /* A new cfl counts from here too. */
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  tx_sim_destroy(sim);
  p.evolution_cfl /= 2.0;
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  OK(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &sim));
  assert_true(sim->t == 3.25 * dt && sim->dt == 0.5 * dt);
  OK(tx_sim_step(sim));
  assert_true(sim->t == 3.75 * dt);
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

static void refuses_other_domains_and_data(void **state) {
  char folder[64], path[PATH_MAX];
  int skipped;
  tx_params p;
  tx_sim *sim = NULL;
  scratch_make(folder);
  one_octant(&p);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  tx_sim_destroy(sim);
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  p.grid_extent = 4.5;
  assert_int_equal(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &sim), TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "the domain of checkpoint"));
  tx_error_clear();
  one_octant(&p);
  p.grid_reflect = TX_DIMS_Z;
  assert_int_equal(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &sim), TX_ERR_PARAM);
  tx_error_clear();
  one_octant(&p);
  p.initial_data_type = TX_ID_PUNCTURE;
  p.initial_data_bhN_mass[0] = 1.0;
  assert_int_equal(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &sim), TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "punctures"));
  assert_null(sim);
  tx_error_clear();
  scratch_remove(folder);
}

/* The most that there may be, at places of their own. */
static void eight_holes(tx_params *p) {
  one_octant(p);
  p->grid_reflect = TX_DIMS_NONE;
  p->grid_level_min = p->grid_level_max = 1;
  p->initial_data_type = TX_ID_PUNCTURES;
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) {
    p->initial_data_bhN_mass[a] = 0.1;
    p->initial_data_bhN_position[a][0] = 0.25 * (a + 1) - 1.0;
  }
}

/* Where all of them are and how they move; files of other numbers of punctures are no others' than theirs. */
static void keeps_all_punctures(void **state) {
  char folder[64], path[PATH_MAX];
  int skipped;
  tx_params p;
  tx_sim *sim = NULL, *back = NULL;
  scratch_make(folder);
  eight_holes(&p);
  OK(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  assert_int_equal(sim->tracker.n, TX_PUNCTURES_MAX);
  for (int a = 0; a < TX_PUNCTURES_MAX; a++)
    for (int d = 0; d < 3; d++) {
      const double x = 0.125 * a + 0.25 * d;
      sim->tracker.at[a].x[d] = x;
      sim->tracker.at[a].v[d] = -x;
      sim->tracker.at[a].stage_x[d] = 2.0 * x;
      sim->tracker.at[a].sum_x[d] = 3.0 * x;
    }
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  OK(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &back));
  assert_memory_equal(back->tracker.at, sim->tracker.at, sizeof sim->tracker.at);
  tx_sim_destroy(back);
  p.initial_data_bhN_mass[7] = 0.0;
  assert_int_equal(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &back), TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "has 8 punctures, the initial data of the parameters 7"));
  tx_error_clear();
  sim->tracker.n = TX_PUNCTURES_MAX + 1;
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  assert_int_equal(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &back), TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "has 9 punctures, the initial data of the parameters 7"));
  tx_error_clear();
  tx_sim_destroy(sim);
  scratch_remove(folder);
}

static int checkpoint_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restarts_bit_by_bit),
      cmocka_unit_test(restarts_bit_by_bit_with_levels),
      cmocka_unit_test(every_domain_and_every_bit),
      cmocka_unit_test(refuses_what_is_no_forest),
      cmocka_unit_test(a_run_made_longer_keeps_time),
      cmocka_unit_test(refuses_other_domains_and_data),
      cmocka_unit_test(keeps_all_punctures),
  };
  /* The forest library starts on all ranks of the world, and stays as long as a forest does. */
  const tx_domain domain = {.extent = 1.0};
  tx_octree *keeps_library = NULL;
  tx_log_quiet(1);
  if (tx_octree_create(MPI_COMM_WORLD, &domain, 0, &keeps_library) != TX_OK) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tx_octree_destroy(keeps_library);
  return failed;
}
TEST_MAIN_WITH(checkpoint_tests())
