/* Grids of levels: what their ghosts, planes and covered octants hold, and that it does not depend on ranks and threads. */
#include "physics/bssn.h"
#include "tests/support/main.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/ladder.h"
#include "tests/support/octree_checks.h"

enum { DOMAINS = 27, STAGES = 4 };

/* Finest level. */
static int finest(void) {
  return TX_N > 8 || tx_test_every(2) > 1 ? 2 : 3;
}

/* A polynomial times a number. */
typedef struct scaled {
  tx_test_polynomial p;
  double scale;
} scaled;

static double scaled_value(const void *data, int v, const double x[3]) {
  const scaled *s = data;
  return s->scale * tx_test_polynomial_value(&s->p, v, x);
}

/* Round-off grows by the weights of the extrapolation in each dimension beyond an outer face. */
static double tolerance(const tx_mesh *mesh, tx_lidx b, const int p[3]) {
  double most = 4e-12;
  for (int d = 0; d < 3; d++)
    if ((p[d] < 0 && mesh->ghosts.outer[b] >> (2 * d) & 1) ||
        (p[d] >= TX_N && mesh->ghosts.outer[b] >> (2 * d + 1) & 1))
      most *= 1023.0;
  return most;
}

/* Points of all patches that are not the polynomial's. */
static long patch_faults(tx_exec *x, const tx_field *f, const scaled *truth) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  double *patch = malloc(sizeof(double) * TX_TEST_VARS * TX_P3);
  long faults = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
    double x0[3];
    tx_mesh_origin(mesh, b, x0);
    OK(tx_test_patch(x, f, b, patch));
    for (int v = 0; v < TX_TEST_VARS; v++)
      for (int i = 0; i < TX_P3; i++) {
        const int p[3] = {i % TX_P - TX_K, i / TX_P % TX_P - TX_K, i / (TX_P * TX_P) - TX_K};
        const double at[3] = {x0[0] + p[0] * h, x0[1] + p[1] * h, x0[2] + p[2] * h};
        const double value = patch[v * TX_P3 + i], exact = scaled_value(truth, v, at);
        if (fabs(value - exact) <= tolerance(mesh, b, p)) continue;
        if (faults++ == 0)
          fprintf(stderr, "level %d, octant %d, variable %d, point %d %d %d: %.17g, not %.17g\n",
                  mesh->level_lowest, b, v, p[0], p[1], p[2], value, exact);
      }
  }
  free(patch);
  MPI_Allreduce(MPI_IN_PLACE, &faults, 1, MPI_LONG, MPI_SUM, mesh->comm);
  return faults;
}

/* Every point of a field is exactly the polynomial's. */
static void assert_points(const tx_test_ladder *l, int level, const scaled *truth) {
  const tx_mesh *mesh = tx_exec_mesh(l->x[level]);
  tx_field *exact = NULL;
  OK(tx_test_field(l->x[level], &exact));
  OK(tx_test_fill(exact, scaled_value, truth));
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double *got, *want;
    OK(tx_field_view(l->f[level], b, &got));
    OK(tx_field_view(exact, b, &want));
    assert_memory_equal(got, want, sizeof(double) * TX_TEST_VARS * TX_N3);
  }
  tx_field_destroy(exact);
}

/* Stored stage k of a level is k + 1 times the polynomial. The coarser level's own edge, if it has one, is that too. */
static void keep_states(tx_test_ladder *l, int level, scaled s) {
  for (int k = 0; k < TX_STORED_STAGES; k++) {
    double c[TX_STORED_STAGES] = {0.0};
    c[k] = 1.0;
    s.scale = k + 1;
    tx_field *coarse = l->f[level - 1];
    OK(tx_test_fill(coarse, scaled_value, &s));
    if (level > 1) tx_test_blank_planes(coarse);
    OK(tx_level_boundary_make(l->x[level - 1], c, coarse));
    OK(tx_ghosts_fill(l->x[level - 1], coarse));
    OK(tx_stage_store(l->x[level], k, coarse));
  }
}

/* All ghosts and planes of a level with this combination of stored stages. */
static void check_combination(tx_test_ladder *l, int level, const double c[TX_STORED_STAGES],
                              scaled s) {
  s.scale = 0.0;
  for (int k = 0; k < TX_STORED_STAGES; k++) s.scale += c[k] * (k + 1);
  OK(tx_test_fill(l->f[level], scaled_value, &s));
  if (level > 0) tx_test_blank_planes(l->f[level]);
  OK(tx_level_boundary_make(l->x[level], c, l->f[level]));
  OK(tx_ghosts_fill(l->x[level], l->f[level]));
  assert_int_equal(patch_faults(l->x[level], l->f[level], &s), 0);
}

static void check_polynomials(tx_test_ladder *l) {
  static const double one[TX_STORED_STAGES] = {0, 0, 1, 0, 0};
  static const double all[TX_STORED_STAGES] = {-3. / 8, 1. / 2, 3. / 4, 3. / 8, -1. / 4};
  static const double two[TX_STORED_STAGES] = {0, 0, 0, 1. / 8, 7. / 8};
  const scaled s = {tx_test_polynomial_make(&l->domain, 5), 1.0};
  OK(tx_test_fill(l->u, scaled_value, &s));
  tx_test_ladder_poison(l);
  tx_test_ladder_load(l);
  for (int i = 0; i < l->n; i++) assert_points(l, i, &s);
  for (int i = 0; i < l->n; i++) {
    if (i > 0) keep_states(l, i, s);
    check_combination(l, i, one, s);
    check_combination(l, i, all, s);
    check_combination(l, i, two, s);
  }
}

static void polynomials_come_back(void **state) {
  /* To save time; on emulated GPUs all faces alike. */
  const int apart = TX_N > 8 ? 16 : tx_test_every(2) > 1 ? 13 : 4;
  for (int n = 0; n < DOMAINS; n += apart) {
    tx_test_ladder l = tx_test_ladder_random(MPI_COMM_WORLD, tx_test_domain(n), finest(), false);
    assert_true(l.n >= 2);
    check_polynomials(&l);
    tx_test_ladder_destroy(&l);
  }
}

static void polynomials_come_back_about_a_ball(void **state) {
  static const double radius[2] = {5.0, 2.0}, at[3] = {2.9, 3.4, 1.7};
  /* Outer; trees, reflecting and periodic; reflecting. Of larger octants the first and the last. */
  const int apart = TX_N > 8 ? 20 : 10;
  for (int n = 0; n < DOMAINS; n += apart) {
    tx_test_ladder l =
        tx_test_ladder_ball(MPI_COMM_WORLD, tx_test_domain(n), 1, finest() - 1, radius, at, false);
    assert_int_equal(l.n, finest());
    check_polynomials(&l);
    tx_test_ladder_destroy(&l);
  }
}

/* What a step of all levels leaves, to be compared byte by byte. */
typedef struct outcome {
  uint64_t leaves[2], loaded[TX_LEVELS], now[TX_LEVELS], sum[TX_LEVELS], injected[TX_LEVELS];
  uint64_t patches[TX_LEVELS][STAGES + 1];
  long nans;
} outcome;

static const tx_system_params BSSN = {.eta_form = TX_ETA_RADIAL,
                                      .eta = 2.0,
                                      .eta_far = 0.25,
                                      .eta_radius = 3.0,
                                      .lambda_f0 = 1.0,
                                      .advect_lapse = 1.0,
                                      .advect_shift = 1.0,
                                      .sigma = 0.4,
                                      .chi_floor = 1e-4,
                                      .alpha_floor = 1e-8,
                                      .slicing = TX_SLICING_ONE_PLUS_LOG,
                                      .shift = TX_SHIFT_GAMMA_DRIVER};

static double noisy_state(const void *data, int v, const double x[3]) {
  return tx_bssn.variable[v].infinity + 2e-3 * tx_test_noise_value(data, 0, x);
}

static uint64_t mixed(uint64_t h, const double *values, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
  }
  return h;
}

/* Hash of all patches, whatever the partition; NaN in them is counted. */
static uint64_t patches_hash(tx_exec *x, const tx_field *f, long *nans) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  double *patch = malloc(sizeof(double) * TX_VARS * TX_P3);
  uint64_t sum = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    OK(tx_test_patch(x, f, b, patch));
    sum += mixed((uint64_t)mesh->octant[b].index + 1, patch, TX_VARS * TX_P3);
    for (int i = 0; i < TX_VARS * TX_P3; i++) *nans += isnan(patch[i]);
  }
  free(patch);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, mesh->comm);
  return sum;
}

/* Fields that a step needs, in one block of memory. */
typedef struct scratch {
  double *block;
  tx_field *sum, *a, *b;
} scratch;

static scratch scratch_of(tx_exec *x) {
  scratch s = {NULL, NULL, NULL, NULL};
  const size_t n = tx_field_state_doubles(&tx_bssn, tx_exec_mesh(x)->n_local);
  OK(tx_exec_block_create(3 * n, &s.block));
  OK(tx_field_create_state_in(x, &tx_bssn, s.block, n, &s.sum));
  OK(tx_field_create_state_in(x, &tx_bssn, s.block + n, n, &s.a));
  OK(tx_field_create_state_in(x, &tx_bssn, s.block + 2 * n, n, &s.b));
  return s;
}

static void scratch_free(scratch *s) {
  tx_field_destroy(s->sum);
  tx_field_destroy(s->a);
  tx_field_destroy(s->b);
  tx_exec_block_destroy(s->block);
}

/* A state of a level: its edge and ghosts; it becomes an stored stage of the finer level. */
static void show(tx_test_ladder *l, int level, int k, tx_field *y, outcome *o) {
  static const double c[TX_STORED_STAGES][TX_STORED_STAGES] = {
      {1, 0, 0, 0, 0},
      {1. / 2, 1. / 2, 0, 0, 0},
      {7. / 16, 1. / 4, 3. / 8, 1. / 8, -3. / 16},
      {0, 1. / 2, 1. / 2, 3. / 8, -3. / 8},
      {0, 1. / 3, 0, 1. / 3, 1. / 3}};
  OK(tx_level_boundary_make(l->x[level], c[k], y));
  OK(tx_ghosts_fill(l->x[level], y));
  o->patches[level][k] = patches_hash(l->x[level], y, &o->nans);
  if (level + 1 < l->n) OK(tx_stage_store(l->x[level + 1], k, y));
}

/* A step of a level as a run takes it, the fields of the stages lent. */
static void step_level(tx_test_ladder *l, int level, double dt, outcome *o) {
  tx_exec *x = l->x[level];
  tx_field *u = l->f[level];
  scratch w = scratch_of(x);
  tx_field *const y[STAGES] = {u, w.a, w.b, w.a}, *const next[STAGES] = {w.a, w.b, w.a, NULL};
  static const double weight[STAGES] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, reach[] = {.5, .5, 1, 0};
  for (int s = 0; s < STAGES; s++) {
    const tx_stage stage = {u,       y[s],           s ? w.sum : u, s == STAGES - 1 ? u : w.sum,
                            next[s], weight[s] * dt, reach[s] * dt, true};
    show(l, level, s, y[s], o);
    OK(tx_exec_stage(x, tx_exec_all(x), &BSSN, &stage));
    if (s == 1) OK(tx_field_checksum(w.sum, &o->sum[level]));
  }
  show(l, level, STAGES, u, o);
  OK(tx_field_checksum(u, &o->now[level]));
  scratch_free(&w);
}

/* Leaves from other ranks arrive in memory that is lent for every other level, and too small for some of these. */
static void store_level(tx_test_ladder *l, int level) {
  const tx_level_plan *plan = tx_exec_mesh(l->x[level])->level;
  const size_t need = (size_t)plan->n_stored * TX_VARS * TX_N3, less = level % 4 == 2 && need > 0;
  double *room = NULL;
  if (level % 2 == 0) OK(tx_exec_block_create(need - less, &room));
  OK(tx_level_store(l->x[level], l->f[level], room, need - less, l->u));
  tx_exec_block_destroy(room);
}

/* Collective over comm. */
static void evolve(MPI_Comm comm, outcome *o) {
  memset(o, 0, sizeof *o);
  tx_test_ladder l = tx_test_ladder_random(comm, tx_test_domain(5), finest(), true);
  const double dt = 0.1 * tx_mesh_spacing(l.mesh, l.mesh->level_highest);
  OK(tx_test_fill(l.u, noisy_state, &l.domain));
  OK(tx_field_checksum(l.u, &o->leaves[0]));
  tx_test_ladder_poison(&l);
  tx_test_ladder_load(&l);
  for (int i = 0; i < l.n; i++) OK(tx_field_checksum(l.f[i], &o->loaded[i]));
  for (int i = 0; i < l.n; i++) step_level(&l, i, dt, o);
  for (int i = l.n - 1; i >= 0; i--) {
    if (i > 0) OK(tx_level_inject(l.x[i], l.f[i], l.f[i - 1]));
    store_level(&l, i);
  }
  for (int i = 0; i < l.n; i++) OK(tx_field_checksum(l.f[i], &o->injected[i]));
  OK(tx_field_checksum(l.u, &o->leaves[1]));
  OK(tx_exec_check(l.leaves, tx_exec_all(l.leaves), l.u, 0.0));
  MPI_Allreduce(MPI_IN_PLACE, &o->nans, 1, MPI_LONG, MPI_SUM, comm);
  tx_test_ladder_destroy(&l);
}

static outcome together, alone, threaded;

static void ranks_and_threads_agree(void **state) {
  const tx_domain any = tx_test_domain(0);
  const int before = omp_get_max_threads();
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held));
  evolve(MPI_COMM_WORLD, &together);
  const int most = tx_test_every(2) > 1 ? 1 : 2;
  for (int threads = 1; threads <= most && rank == 0; threads++) {
    omp_set_num_threads(threads);
    evolve(MPI_COMM_SELF, threads == 1 ? &alone : &threaded);
    omp_set_num_threads(before);
  }
  test_wait();
  MPI_Bcast(&alone, sizeof alone, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Bcast(&threaded, sizeof threaded, MPI_BYTE, 0, MPI_COMM_WORLD);
  tx_octree_destroy(held);
  if (most > 1) assert_memory_equal(&threaded, &alone, sizeof alone);
  for (int i = 0; i < TX_LEVELS; i++) {
    assert_true(together.loaded[i] == alone.loaded[i]);
    assert_memory_equal(together.patches[i], alone.patches[i], sizeof alone.patches[i]);
  }
  assert_memory_equal(&together, &alone, sizeof alone);
  assert_int_equal(alone.nans, 0);
  assert_true(alone.leaves[0] != alone.leaves[1] && alone.now[0] != alone.injected[0]);
}

static int run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_come_back),
      cmocka_unit_test(polynomials_come_back_about_a_ball),
      cmocka_unit_test(ranks_and_threads_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
