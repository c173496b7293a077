/* Operations over arbitrary sets of octants: what they write is what they write over all octants, and other octants
 * stay as they were; what they tell is what they tell of the octants one by one. */
#include "support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "exec/backend.h"
#include "physics/bssn.h"
#include "physics/initial_data/initial_data.h"
#include "support/exec_checks.h"
#include "support/octree_checks.h"

/* What octants hold that an operation must leave alone. */
#define MARK 3.25

enum { Y, BASE, SUM, NEXT, ALL_SUM, ALL_NEXT, FIELDS };

typedef struct rig {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x;
  tx_field *f[FIELDS];
} rig;

static const tx_system_params bssn = {.eta = 2.0,
                                      .lambda_f0 = 1.0,
                                      .advect_lapse = 1.0,
                                      .advect_shift = 1.0,
                                      .sigma = 0.4,
                                      .chi_floor = 1e-4,
                                      .alpha_floor = 1e-8,
                                      .slicing = TX_SLICING_ONE_PLUS_LOG,
                                      .shift = TX_SHIFT_GAMMA_DRIVER};

static double state(const void *data, int v, const double x[3]) {
  return tx_bssn.variable[v].infinity + 0.05 * tx_test_noise_value(data, 0, x);
}

static double mark(const void *data, int v, const double x[3]) {
  return MARK;
}

/* Outer faces, reflections and several levels. */
static rig rig_on(void) {
  rig r = {.domain = tx_test_domain(3)};
  OK(tx_test_random_tree(MPI_COMM_WORLD, &r.domain, 7, 1, 1, 2, &r.tree, &r.mesh));
  OK(tx_exec_create(r.mesh, TX_VARS, &r.x));
  for (int i = 0; i < FIELDS; i++) {
    OK(tx_field_create_state(r.x, &tx_bssn, &r.f[i]));
    OK(tx_test_fill(r.f[i], i == Y || i == BASE ? state : mark, &r.domain));
  }
  OK(tx_test_poison(r.x));
  OK(tx_ghosts_fill(r.x, r.f[Y]));
  return r;
}

static void rig_off(rig *r) {
  for (int i = 0; i < FIELDS; i++) tx_field_destroy(r->f[i]);
  tx_exec_destroy(r->x);
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

/* The kinds of sets that are tried. */
enum { EVERY_THIRD, HALF_REVERSED, NONE, LAST_ONE, LEVELS, KINDS = LEVELS + 2 };

static tx_set *set_of(const rig *r, int kind) {
  const tx_lidx n = r->mesh->n_local;
  tx_lidx *list = malloc(((size_t)n + 1) * sizeof *list), count = 0;
  tx_set *set = NULL;
  for (tx_lidx b = 0; b < n; b++)
    if (kind == EVERY_THIRD && b % 3 == 1)
      list[count++] = b;
    else if (kind == HALF_REVERSED && b < n / 2)
      list[count++] = n - 1 - 2 * b;
    else if (kind == LAST_ONE && b == n - 1)
      list[count++] = b;
    else if (kind >= LEVELS && r->mesh->octant[b].level == r->mesh->level_lowest + kind - LEVELS)
      list[count++] = b;
  OK(tx_set_create(r->x, count, list, &set));
  assert_int_equal(tx_set_count(set), count);
  assert_memory_equal(tx_set_octants(set), list, (size_t)count * sizeof *list);
  free(list);
  return set;
}

static bool has(const tx_set *set, tx_lidx b) {
  for (tx_lidx i = 0; i < tx_set_count(set); i++)
    if (tx_set_octants(set)[i] == b) return true;
  return false;
}

/* Octants of the set are those of `all`, the others marked; then all are marked again. */
static void assert_written(rig *r, const tx_set *set, int which, int all) {
  const size_t bytes = (size_t)TX_VARS * TX_N3 * sizeof(double);
  for (tx_lidx b = 0; b < r->mesh->n_local; b++) {
    const double *got, *want;
    OK(tx_field_view(r->f[which], b, &got));
    if (has(set, b)) {
      OK(tx_field_view(r->f[all], b, &want));
      assert_memory_equal(got, want, bytes);
    } else {
      for (int i = 0; i < TX_VARS * TX_N3; i++)
        if (got[i] != MARK) fail_msg("octant %d is not of the set and was written", b);
    }
  }
  OK(tx_test_fill(r->f[which], mark, NULL));
}

static void right_hand_sides(void **unused) {
  const int step = tx_test_every(2);
  rig r = rig_on();
  OK(tx_exec_rhs(r.x, tx_exec_all(r.x), &bssn, r.f[Y], r.f[ALL_SUM]));
  for (int kind = 0; kind < KINDS; kind += step) {
    tx_set *set = set_of(&r, kind);
    OK(tx_exec_rhs(r.x, set, &bssn, r.f[Y], r.f[SUM]));
    assert_written(&r, set, SUM, ALL_SUM);
    tx_set_destroy(set);
  }
  rig_off(&r);
}

static void stages_and_updates(void **unused) {
  const int step = tx_test_every(2);
  rig r = rig_on();
  tx_field **f = r.f;
  for (int update = 0; update < 2; update++) {
    const tx_stage one = {f[BASE], f[Y], f[BASE], f[SUM], f[NEXT], 0.125, 0.25, false};
    const tx_stage all = {f[BASE], f[Y], f[BASE], f[ALL_SUM], f[ALL_NEXT], 0.125, 0.25, false};
    OK(update ? tx_exec_update(r.x, tx_exec_all(r.x), f[Y], &all)
              : tx_exec_stage(r.x, tx_exec_all(r.x), &bssn, &all));
    for (int kind = 0; kind < KINDS; kind += step) {
      tx_set *set = set_of(&r, kind);
      OK(update ? tx_exec_update(r.x, set, f[Y], &one) : tx_exec_stage(r.x, set, &bssn, &one));
      assert_written(&r, set, SUM, ALL_SUM);
      assert_written(&r, set, NEXT, ALL_NEXT);
      tx_set_destroy(set);
    }
  }
  rig_off(&r);
}

/* Enforcement writes in place: from the state of the whole, one half after the other gives the whole. */
static void enforcement_and_initial_data(void **unused) {
  const int step = tx_test_every(2);
  rig r = rig_on();
  tx_params p;
  tx_initial_data *id = NULL;
  tx_test_params_default(&p);
  p.initial_data_type = TX_ID_GAUGE_WAVE;
  p.initial_data_amplitude = 0.1;
  OK(tx_initial_data_create(&p, &id));
  OK(tx_exec_initial_data(r.x, tx_exec_all(r.x), id, r.f[ALL_SUM]));
  OK(tx_test_fill(r.f[ALL_NEXT], state, &r.domain));
  OK(tx_exec_enforce(r.x, tx_exec_all(r.x), &bssn, r.f[ALL_NEXT]));
  for (int kind = 0; kind < KINDS; kind += step) {
    tx_set *set = set_of(&r, kind);
    OK(tx_exec_initial_data(r.x, set, id, r.f[SUM]));
    assert_written(&r, set, SUM, ALL_SUM);
    for (tx_lidx i = 0; i < tx_set_count(set); i++) {
      const double *from;
      double *to;
      OK(tx_field_view(r.f[Y], tx_set_octants(set)[i], &from));
      OK(tx_field_octant(r.f[NEXT], tx_set_octants(set)[i], &to));
      memcpy(to, from, (size_t)TX_VARS * TX_N3 * sizeof *to);
    }
    OK(tx_exec_enforce(r.x, set, &bssn, r.f[NEXT]));
    assert_written(&r, set, NEXT, ALL_NEXT);
    tx_set_destroy(set);
  }
  tx_initial_data_destroy(id);
  rig_off(&r);
}

/* Numbers of a set are those of its octants, in its order. */
static void numbers(void **unused) {
  const int step = tx_test_every(2);
  rig r = rig_on();
  const size_t n = (size_t)r.mesh->n_local + 1;
  const tx_ball ball = {{0.1, 0.2, 0.3}, 0.3};
  double *error = calloc(n, sizeof *error), *all_error = calloc(n, sizeof *error);
  tx_norm_part *part = calloc(n, sizeof *part), *all_part = calloc(n, sizeof *part);
  const tx_backend *backend = r.x->backend;
  OK(tx_exec_wavelet(r.x, tx_exec_all(r.x), r.f[Y], 0x3u, all_error));
  const tx_norms_of of = {&bssn, 1, &ball};
  OK(backend->constraints(r.x, tx_exec_all(r.x), r.f[Y], &of, all_part));
  for (int kind = 0; kind < KINDS; kind += step) {
    tx_set *set = set_of(&r, kind);
    uint64_t sum = 0, hash;
    OK(tx_exec_wavelet(r.x, set, r.f[Y], 0x3u, error));
    OK(backend->constraints(r.x, set, r.f[Y], &of, part));
    OK(backend->hash(r.x, set, r.f[Y], &hash));
    for (tx_lidx i = 0; i < tx_set_count(set); i++) {
      const tx_lidx b = tx_set_octants(set)[i];
      tx_set *one = NULL;
      uint64_t its;
      assert_true(error[i] == all_error[b]);
      assert_memory_equal(&part[i], &all_part[b], sizeof *part);
      OK(tx_set_create(r.x, 1, &b, &one));
      OK(backend->hash(r.x, one, r.f[Y], &its));
      sum += its;
      tx_set_destroy(one);
    }
    assert_true(sum == hash);
    tx_set_destroy(set);
  }
  free(error);
  free(all_error);
  free(part);
  free(all_part);
  rig_off(&r);
}

/* A bad value is found by the sets that its octant is in, and the first one in a set's order. */
static void checks(void **unused) {
  const int step = tx_test_every(2);
  rig r = rig_on();
  const tx_lidx n = r.mesh->n_local;
  for (tx_lidx b = 0; b<n; b += n> 1 ? n - 1 : 1) {
    double *values;
    OK(tx_field_octant(r.f[Y], b, &values));
    values[TX_VAR_K * TX_N3 + 5] = NAN;
  }
  for (int kind = 0; kind < KINDS; kind += step) {
    tx_set *set = set_of(&r, kind);
    tx_lidx octant, first = -1;
    int var = -1, point = -1;
    for (tx_lidx i = tx_set_count(set) - 1; i >= 0; i--)
      if (tx_set_octants(set)[i] == 0 || tx_set_octants(set)[i] == n - 1)
        first = tx_set_octants(set)[i];
    OK(r.x->backend->check(r.x, set, r.f[Y], &octant, &var, &point));
    assert_int_equal(octant, first);
    if (first >= 0) assert_true(var == TX_VAR_K && point == 5);
    tx_set_destroy(set);
  }
  rig_off(&r);
}

static void patches(void **unused) {
  const int step = tx_test_every(2);
  rig r = rig_on();
  const uint32_t mask = 1u << TX_VAR_B2 | 1u << TX_VAR_CHI;
  const size_t each = 2 * TX_P3;
  double *one = malloc(TX_VARS * TX_P3 * sizeof *one);
  double *some = malloc((size_t)(r.mesh->n_local + 1) * each * sizeof *some);
  for (int kind = 0; kind < KINDS; kind += step) {
    tx_set *set = set_of(&r, kind);
    OK(tx_patches_fetch(r.x, set, r.f[Y], mask, some));
    for (tx_lidx i = 0; i < tx_set_count(set); i++) {
      OK(tx_test_patch(r.x, r.f[Y], tx_set_octants(set)[i], one));
      assert_memory_equal(some + (size_t)i * each, one + TX_VAR_B2 * TX_P3, TX_P3 * sizeof *one);
      assert_memory_equal(some + (size_t)i * each + TX_P3, one + TX_VAR_CHI * TX_P3,
                          TX_P3 * sizeof *one);
    }
    tx_set_destroy(set);
  }
  free(one);
  free(some);
  rig_off(&r);
}

/* While messages are under way, any set of interior octants can be computed, and no other one. */
static void before_all_ghosts_are_there(void **unused) {
  rig r = rig_on();
  const tx_set *interior = tx_exec_interior(r.x), *boundary = tx_exec_boundary(r.x);
  const tx_lidx n = tx_set_count(interior);
  tx_lidx *list = malloc(((size_t)n + 1) * sizeof *list);
  tx_set *some = NULL;
  for (tx_lidx i = 0; i < n / 2; i++) list[i] = tx_set_octants(interior)[2 * i];
  OK(tx_set_create(r.x, n / 2, list, &some));
  OK(tx_exec_rhs(r.x, tx_exec_all(r.x), &bssn, r.f[Y], r.f[ALL_SUM]));
  OK(tx_test_poison(r.x));
  OK(tx_ghosts_begin(r.x, r.f[Y]));
  OK(tx_exec_rhs(r.x, some, &bssn, r.f[Y], r.f[SUM]));
  if (tx_set_count(boundary) > 0) {
    assert_int_equal(tx_exec_rhs(r.x, boundary, &bssn, r.f[Y], r.f[NEXT]), TX_ERR_MESH);
    assert_int_equal(tx_exec_rhs(r.x, tx_exec_all(r.x), &bssn, r.f[Y], r.f[NEXT]), TX_ERR_MESH);
    tx_error_clear();
  }
  OK(tx_ghosts_end(r.x, r.f[Y]));
  assert_written(&r, some, SUM, ALL_SUM);
  tx_set_destroy(some);
  free(list);
  rig_off(&r);
}

static void bad_sets_are_refused(void **unused) {
  rig r = rig_on(), other = rig_on();
  const tx_lidx n = r.mesh->n_local, twice[2] = {0, 0}, beyond = n, below = -1;
  tx_set *set = NULL;
  assert_int_equal(tx_set_create(r.x, 1, &beyond, &set), TX_ERR_USAGE);
  assert_non_null(strstr(tx_error_text(), "this rank has 0 to"));
  tx_error_clear();
  assert_int_equal(tx_set_create(r.x, 1, &below, &set), TX_ERR_USAGE);
  tx_error_clear();
  if (n > 0) {
    assert_int_equal(tx_set_create(r.x, 2, twice, &set), TX_ERR_USAGE);
    assert_non_null(strstr(tx_error_text(), "twice"));
    tx_error_clear();
  }
  assert_null(set);
  const tx_set *foreign = tx_exec_all(other.x);
  uint64_t hash;
  double error;
  assert_int_equal(tx_exec_rhs(r.x, foreign, &bssn, r.f[Y], r.f[SUM]), TX_ERR_MESH);
  assert_non_null(strstr(tx_error_text(), "the set of octants belongs to revision"));
  tx_error_clear();
  assert_int_equal(tx_exec_enforce(r.x, foreign, &bssn, r.f[SUM]), TX_ERR_MESH);
  assert_int_equal(tx_exec_outer_planes(r.x, foreign, r.f[SUM]), TX_ERR_MESH);
  assert_int_equal(tx_exec_wavelet(r.x, foreign, r.f[Y], 1u, &error), TX_ERR_MESH);
  assert_int_equal(tx_exec_check(r.x, foreign, r.f[Y], 0.0), TX_ERR_MESH);
  assert_int_equal(tx_exec_checksum(r.x, foreign, r.f[Y], &hash), TX_ERR_MESH);
  tx_error_clear();
  rig_off(&other);
  rig_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(right_hand_sides),
    cmocka_unit_test(stages_and_updates),
    cmocka_unit_test(enforcement_and_initial_data),
    cmocka_unit_test(numbers),
    cmocka_unit_test(checks),
    cmocka_unit_test(patches),
    cmocka_unit_test(before_all_ghosts_are_there),
    cmocka_unit_test(bad_sets_are_refused),
};
TEST_MAIN(tests)
