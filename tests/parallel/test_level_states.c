/* States of levels' grids: leaves in and out, covered, lent memory, raw stages, and what is refused. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend.h"
#include "physics/bssn.h"
#include "tests/support/ladder.h"
#include "tests/support/octree_checks.h"

#define REFUSED(call, code, part) TX_TEST_REFUSED(call, code, part)

static const double radius[2] = {5.0, 2.0}, centre[3] = {2.9, 3.4, 1.7};
static const double first[TX_STORED_STAGES] = {1, 0, 0, 0, 0};

/* Outer faces, reflection, or both and periodic with several trees. */
static tx_test_ladder ladder_of(int domain, bool state) {
  const tx_domain where = tx_test_domain(domain);
  return tx_test_ladder_ball(MPI_COMM_WORLD, where, where.trees == 1, TX_N > 8 ? 1 : 2, radius,
                             centre, state);
}

/* Two levels, of which the finer one is eight octants: what edges are made of shows on any. */
static tx_test_ladder two_levels(void) {
  static const double least = 1.0;
  tx_test_ladder l =
      tx_test_ladder_ball(MPI_COMM_WORLD, tx_test_domain(0), 1, 1, &least, centre, true);
  assert_true(l.n == 2 && tx_exec_mesh(l.x[1])->n_global == 8);
  return l;
}

static uint64_t checksum(const tx_field *f) {
  uint64_t sum;
  OK(tx_field_checksum(f, &sum));
  return sum;
}

static long nans(const tx_field *f, tx_lidx from, tx_lidx to) {
  long n = 0;
  for (tx_lidx b = from; b < to; b++) {
    const double *values;
    OK(tx_field_view(f, b, &values));
    for (int i = 0; i < f->n_vars * TX_N3; i++) n += isnan(values[i]);
  }
  return n;
}

/* What is loaded are the leaves alone; it comes back; injection changes the covered octants alone, to what they are. */
static void leaves_come_back(void **unused) {
  const int domains[] = {0, 10, 13, 22};
  for (int i = 0; i < 4; i += tx_test_every(2)) {
    tx_test_ladder l = ladder_of(domains[i], false);
    OK(tx_test_fill(l.u, tx_test_noise_value, &l.domain));
    const uint64_t before = checksum(l.u);
    OK(tx_level_load_all(l.u, l.n, l.x, l.f));
    tx_test_blank(l.u);
    for (int n = 0; n < l.n; n++) {
      const tx_mesh *grid = tx_exec_mesh(l.x[n]);
      const long covered = (grid->n_local - grid->n_leaf) * TX_TEST_VARS * TX_N3;
      assert_int_equal(nans(l.f[n], 0, grid->n_leaf), 0);
      assert_int_equal(nans(l.f[n], grid->n_leaf, grid->n_local), covered);
      OK(tx_level_store(l.x[n], l.f[n], NULL, 0, l.u));
    }
    assert_true(checksum(l.u) == before);
    tx_test_blank(l.u);
    OK(tx_level_store_all(&(tx_store){l.n, l.x, l.f, NULL, 0}, l.u));
    assert_true(checksum(l.u) == before);
    for (int n = l.n - 1; n > 0; n--) {
      tx_set *of_leaves = NULL;
      uint64_t sum[2];
      OK(tx_set_create(l.x[n - 1], tx_exec_mesh(l.x[n - 1])->n_leaf,
                       tx_set_octants(tx_exec_all(l.x[n - 1])), &of_leaves));
      OK(tx_exec_checksum(l.x[n - 1], of_leaves, l.f[n - 1], &sum[0]));
      OK(tx_level_inject(l.x[n], l.f[n], l.f[n - 1]));
      OK(tx_exec_checksum(l.x[n - 1], of_leaves, l.f[n - 1], &sum[1]));
      assert_true(sum[0] == sum[1]);
      tx_set_destroy(of_leaves);
    }
    for (int n = 0; n < l.n; n++) {
      const uint64_t sum = checksum(l.f[n]);
      OK(tx_test_fill(l.f[n], tx_test_noise_value, &l.domain));
      assert_true(checksum(l.f[n]) == sum);
    }
    tx_test_ladder_destroy(&l);
  }
}

static double flat(const void *data, int v, const double x[3]) {
  return tx_bssn.variable[v].infinity + *(const double *)data * v;
}

/* Fields of two plans take turns with one block; what one writes is there until the next one writes. */
static void memory_is_lent(void **unused) {
  tx_test_ladder l = ladder_of(0, true);
  size_t most = 0;
  double *block = NULL;
  tx_field *f[TX_LEVELS] = {NULL}, *own = NULL;
  for (int n = 0; n < l.n; n++) {
    const size_t doubles = tx_field_state_doubles(&tx_bssn, tx_exec_mesh(l.x[n])->n_local);
    assert_true(doubles == (size_t)tx_exec_mesh(l.x[n])->n_local * TX_VARS * TX_N3);
    most = doubles > most ? doubles : most;
  }
  OK(tx_exec_block_create(most, &block));
  for (int n = 0; n < l.n; n++) {
    const size_t bytes = tx_exec_bytes(l.x[n]),
                 doubles = tx_field_state_doubles(&tx_bssn, tx_exec_mesh(l.x[n])->n_local);
    if (doubles > 0)
      REFUSED(tx_field_create_state_in(l.x[n], &tx_bssn, block, doubles - 1, &f[n]), TX_ERR_USAGE,
              "is too small for a state");
    OK(tx_field_create_state_in(l.x[n], &tx_bssn, block, most, &f[n]));
    assert_true(tx_exec_bytes(l.x[n]) == bytes);
  }
  for (int n = l.n - 1; n >= 0; n--) {
    const double slope = 0.5 + n;
    OK(tx_test_fill(f[n], flat, &slope));
    OK(tx_test_fill(l.f[n], flat, &slope));
    assert_true(checksum(f[n]) == checksum(l.f[n]));
  }
  /* A swap takes the lent memory along. */
  const double slope = 7.0;
  OK(tx_field_create_state(l.x[0], &tx_bssn, &own));
  OK(tx_test_fill(own, flat, &slope));
  const uint64_t sum[2] = {checksum(own), checksum(f[0])};
  tx_field_swap(own, f[0]);
  assert_true(checksum(own) == sum[1] && checksum(f[0]) == sum[0]);
  tx_field_destroy(own);
  for (int n = 0; n < l.n; n++) tx_field_destroy(f[n]);
  tx_exec_block_destroy(block);
  tx_test_ladder_destroy(&l);
}

static const tx_system_params BSSN = {.eta = 2.0,
                                      .lambda_f0 = 1.0,
                                      .sigma = 0.4,
                                      .chi_floor = 0.99,
                                      .alpha_floor = 0.98,
                                      .slicing = TX_SLICING_ONE_PLUS_LOG,
                                      .shift = TX_SHIFT_GAMMA_DRIVER};

static double noisy_state(const void *data, int v, const double x[3]) {
  return tx_bssn.variable[v].infinity + 0.05 * tx_test_noise_value(data, 0, x);
}

/* chi and alpha not below their floors. */
static void floors(tx_field *f) {
  for (tx_lidx b = 0; b < f->x->mesh->n_local; b++) {
    double *values;
    OK(tx_field_octant(f, b, &values));
    tx_bssn.floors(&BSSN, TX_N3, TX_N3, values);
  }
}

/* A raw stage is the update and the floors; the last one, which may write u, is as ever. */
static void raw_stages_keep_to_the_floors(void **unused) {
  tx_test_ladder l = ladder_of(4, true);
  tx_exec *x = l.leaves;
  const tx_set *all = tx_exec_all(x);
  tx_field *k, *sum[2], *next[2];
  double worst[2];
  OK(tx_field_create_state(x, &tx_bssn, &k));
  for (int i = 0; i < 2; i++) {
    OK(tx_field_create_state(x, &tx_bssn, &sum[i]));
    OK(tx_field_create_state(x, &tx_bssn, &next[i]));
  }
  OK(tx_test_fill(l.u, noisy_state, &l.domain));
  OK(tx_ghosts_fill(x, l.u));
  OK(tx_exec_rhs(x, all, &BSSN, l.u, k));
  OK(tx_exec_stage(x, all, &BSSN, &(tx_stage){l.u, l.u, l.u, sum[0], next[0], 1e-3, 2e-3, true}));
  OK(tx_exec_update(x, all, k, &(tx_stage){l.u, l.u, l.u, sum[1], next[1], 1e-3, 2e-3, true}));
  OK(tx_exec_outer_planes(x, all, sum[1]));
  OK(tx_exec_outer_planes(x, all, next[1]));
  assert_true(checksum(sum[0]) == checksum(sum[1]) && checksum(next[0]) != checksum(next[1]));
  floors(next[1]);
  OK(tx_exec_outer_planes(x, all, next[1]));
  assert_true(checksum(next[0]) == checksum(next[1]));
  OK(tx_exec_algebraic(x, worst));
  assert_true(worst[0] == 0.0 && worst[1] == 0.0);
  /* The last stage, raw or not, into a field of its own or over u. */
  OK(tx_ghosts_fill(x, next[0]));
  for (int i = 0; i < 2; i++)
    OK(tx_exec_stage(x, all, &BSSN,
                     &(tx_stage){l.u, next[0], sum[0], i ? l.u : sum[1], NULL, 1e-3, 0.0, i == 1}));
  assert_true(checksum(sum[1]) == checksum(l.u));
  OK(tx_exec_algebraic(x, worst));
  assert_true(worst[0] > 0.0 && worst[1] > 0.0);
  REFUSED(tx_exec_stage(x, all, &BSSN,
                        &(tx_stage){l.u, next[0], sum[0], l.u, next[1], 1e-3, 0.0, true}),
          TX_ERR_USAGE, "cannot write into a field that it reads");
  tx_field_destroy(k);
  for (int i = 0; i < 2; i++) {
    tx_field_destroy(sum[i]);
    tx_field_destroy(next[i]);
  }
  tx_test_ladder_destroy(&l);
}

/* Right-hand sides of level 1, all of it the same, beside a level 0 that is so far from it; by stored stage number `state`. */
static uint64_t rhs_by(tx_test_ladder *l, int state, double offset) {
  static const double none = 0.0;
  double c[TX_STORED_STAGES] = {0.0};
  tx_field *k;
  c[state] = 1.0;
  OK(tx_field_create_state(l->x[1], &tx_bssn, &k));
  OK(tx_test_fill(l->f[0], flat, &offset));
  OK(tx_test_fill(l->f[1], flat, &none));
  OK(tx_ghosts_fill(l->x[0], l->f[0]));
  OK(tx_stage_store(l->x[1], state, l->f[0]));
  OK(tx_level_boundary_make(l->x[1], c, l->f[1]));
  OK(tx_ghosts_fill(l->x[1], l->f[1]));
  OK(tx_exec_rhs(l->x[1], tx_exec_all(l->x[1]), &BSSN, l->f[1], k));
  const uint64_t sum = checksum(k);
  tx_field_destroy(k);
  return sum;
}

static uint64_t rhs_beside(tx_test_ladder *l, double offset) {
  return rhs_by(l, 0, offset);
}

/* Stored stages in memory of the caller's, as much as was said, are the same; none is there before it is kept, and plans take no
 * memory of their own. */
static void edge_states_are_lent(void **unused) {
  tx_test_ladder l = two_levels(), own = two_levels();
  double *block = NULL;
  assert_true(tx_stored_stages_doubles(l.x[0]) == 0);
  OK(tx_exec_block_create(tx_stored_stages_doubles(l.x[1]), &block));
  tx_stored_stages_lend(l.x[1], block);
  for (int lent = 0; lent < 2; lent++) {
    const size_t bytes = tx_test_memory_in_use();
    for (int k = 0; k < TX_STORED_STAGES; k++)
      assert_true(rhs_by(&l, k, 1e-3 * (k + 1)) == rhs_by(&own, k, 1e-3 * (k + 1)));
    if (lent) assert_true(tx_test_memory_in_use() == bytes);
    tx_stored_stages_lend(l.x[1], block);
    REFUSED(tx_level_boundary_make(l.x[1], first, l.f[1]), TX_ERR_USAGE, "it was not kept");
  }
  tx_stored_stages_lend(l.x[1], NULL);
  tx_exec_block_destroy(block);
  assert_true(rhs_beside(&l, 1e-3) == rhs_beside(&own, 1e-3));
  tx_test_ladder_destroy(&own);
  tx_test_ladder_destroy(&l);
}

/* The same combination of stored stages that have changed is made again; of those that have not, it is the same. */
static void edges_follow_their_states(void **unused) {
  tx_test_ladder l = two_levels(), fresh = two_levels();
  const uint64_t one = rhs_beside(&l, 1e-3), two = rhs_beside(&l, 2e-3);
  assert_true(one != two && two == rhs_beside(&fresh, 2e-3));
  assert_true(rhs_beside(&l, 1e-3) == one);
  tx_test_ladder_destroy(&fresh);
  tx_test_ladder_destroy(&l);
}

/* Collectives of this program, counted. */
static long collectives;

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  collectives++;
  return PMPI_Allreduce(from, to, n, type, op, comm);
}

int MPI_Allgather(const void *from, int n, MPI_Datatype type, void *to, int n_to,
                  MPI_Datatype type_to, MPI_Comm comm) {
  collectives++;
  return PMPI_Allgather(from, n, type, to, n_to, type_to, comm);
}

int MPI_Alltoall(const void *from, int n, MPI_Datatype type, void *to, int n_to,
                 MPI_Datatype type_to, MPI_Comm comm) {
  collectives++;
  return PMPI_Alltoall(from, n, type, to, n_to, type_to, comm);
}

/* Plans of several levels take the communication of one, also where some are kept; on a failure none is left. */
static void plans_are_made_together(void **unused) {
  tx_test_ladder l = ladder_of(0, false);
  tx_exec *x[TX_LEVELS];
  long took[2];
  assert_true(l.n > 1);
  memcpy(x, l.x, sizeof x);
  for (int i = 0; i < 2; i++) {
    const long before = collectives;
    OK(tx_exec_create_levels(l.grids, i == 0 ? 1 : l.n - 1, TX_TEST_VARS, x));
    took[i] = collectives - before;
    for (int n = l.n - 1; n >= (i == 0 ? 1 : l.n - 1); n--) tx_exec_destroy(x[n]);
    memcpy(x, l.x, sizeof x);
  }
  assert_true(took[0] > 0 && took[0] == took[1]);
  /* On the last rank alone. */
  const bool last = l.mesh->rank == l.mesh->size - 1;
  REFUSED(tx_exec_create_levels(l.grids, 1, last ? TX_FIELD_VARS + 1 : TX_TEST_VARS, x),
          TX_ERR_USAGE, "are possible");
  assert_true(x[0] == l.x[0] && !x[1] && !x[l.n - 1]);
  tx_test_ladder_destroy(&l);
}

static void wrong_plans_are_refused(void **unused) {
  tx_test_ladder l = ladder_of(0, false);
  tx_exec *x = NULL, *none[TX_LEVELS] = {NULL}, *leaves[TX_LEVELS] = {l.leaves};
  REFUSED(tx_exec_create_levels(l.grids, 1, 4, none), TX_ERR_USAGE, "next coarser grid");
  REFUSED(tx_exec_create_levels(l.grids, 1, 4, leaves), TX_ERR_USAGE, "next coarser grid");
  REFUSED(tx_exec_create(l.grids->grid[1], 4, &x), TX_ERR_USAGE, "next coarser grid");
  assert_true(!x && !none[1] && !leaves[1]);
  tx_test_ladder_destroy(&l);
}

/* Stored stages of the wrong plan, place, size, or without ghosts. */
static void wrong_edge_states_are_refused(void **unused) {
  tx_test_ladder l = ladder_of(0, false);
  tx_exec *slim[TX_LEVELS] = {l.x[0]};
  OK(tx_exec_create_levels(l.grids, 1, TX_TEST_VARS - 1, slim));
  OK(tx_test_fill(l.f[0], tx_test_noise_value, &l.domain));
  REFUSED(tx_stage_store(l.x[1], 0, l.f[0]), TX_ERR_MESH, "call tx_ghosts_fill");
  OK(tx_ghosts_fill(l.x[0], l.f[0]));
  REFUSED(tx_stage_store(l.x[0], 0, l.f[0]), TX_ERR_USAGE, "is the coarsest");
  REFUSED(tx_stage_store(l.x[1], -1, l.f[0]), TX_ERR_USAGE, "stored stage -1");
  REFUSED(tx_stage_store(l.x[1], TX_STORED_STAGES, l.f[0]), TX_ERR_USAGE, "there are 0 to 4");
  REFUSED(tx_stage_store(l.x[1], 0, l.f[1]), TX_ERR_MESH, "stored stage");
  REFUSED(tx_stage_store(slim[1], 0, l.f[0]), TX_ERR_USAGE, "does not fit");
  OK(tx_stage_store(l.x[1], 0, l.f[0]));
  /* Kept and never asked for: it is given back all the same. */
  OK(tx_stage_store(l.x[1], 0, l.f[0]));
  for (int i = l.n - 1; i > 0; i--) tx_exec_destroy(slim[i]);
  tx_test_ladder_destroy(&l);
}

static void wrong_edges_are_refused(void **unused) {
  static const double none[TX_STORED_STAGES] = {0}, other[TX_STORED_STAGES] = {1, 0, 0, 1e-30, 0};
  tx_test_ladder l = ladder_of(0, false);
  tx_field *f = NULL, *one = NULL;
  OK(tx_test_field(l.x[1], &f));
  OK(tx_field_create(l.x[1], 1, NULL, &one));
  OK(tx_test_fill(l.f[0], tx_test_noise_value, &l.domain));
  OK(tx_test_fill(l.f[1], tx_test_noise_value, &l.domain));
  OK(tx_level_boundary_make(l.x[0], none, l.f[0])); /* the coarsest has none */
  OK(tx_ghosts_fill(l.x[0], l.f[0]));
  REFUSED(tx_level_boundary_make(l.x[1], first, l.f[1]), TX_ERR_USAGE, "it was not kept");
  OK(tx_stage_store(l.x[1], 0, l.f[0]));
  REFUSED(tx_level_boundary_make(l.x[1], first, l.f[0]), TX_ERR_MESH, "edge");
  REFUSED(tx_level_boundary_make(l.x[1], none, l.f[1]), TX_ERR_USAGE, "all coefficients");
  REFUSED(tx_level_boundary_make(l.x[1], other, l.f[1]), TX_ERR_USAGE, "stored stage 3");
  REFUSED(tx_level_boundary_make(l.x[1], first, one), TX_ERR_USAGE, "has 4 variables");
  REFUSED(tx_ghosts_begin(l.x[1], l.f[1]), TX_ERR_USAGE, "call tx_level_boundary_make first");
  OK(tx_level_boundary_make(l.x[1], first, l.f[1]));
  OK(tx_ghosts_begin(l.x[1], l.f[1]));
  REFUSED(tx_level_boundary_make(l.x[1], first, f), TX_ERR_USAGE, "still under way");
  OK(tx_ghosts_end(l.x[1], l.f[1]));
  OK(tx_ghosts_fill(l.x[1], l.f[1])); /* the edge is still there */
  double *patch = calloc(TX_TEST_VARS * TX_P3, sizeof *patch);
  const bool some = tx_exec_mesh(l.x[1])->n_local > 0;
  if (some) OK(tx_test_patch(l.x[1], l.f[1], 0, patch));
  OK(tx_level_boundary_make(l.x[1], first, f)); /* in place of that of f[1] */
  if (some) REFUSED(tx_test_patch(l.x[1], l.f[1], 0, patch), TX_ERR_MESH, "ghosts at hand");
  REFUSED(tx_ghosts_begin(l.x[1], l.f[1]), TX_ERR_USAGE, "call tx_level_boundary_make first");
  OK(tx_exec_fill(l.x[1], tx_exec_all(l.x[1]), 1.0, f));
  REFUSED(tx_ghosts_begin(l.x[1], f), TX_ERR_USAGE, "call tx_level_boundary_make first");
  free(patch);
  tx_field_destroy(f);
  tx_field_destroy(one);
  tx_test_ladder_destroy(&l);
}

static void wrong_leaves_are_refused(void **unused) {
  tx_test_ladder l = ladder_of(0, false);
  tx_test_ladder m =
      tx_test_ladder_ball(MPI_COMM_WORLD, l.domain, 1, l.n - 2, radius, centre, false);
  tx_field *one = NULL;
  OK(tx_field_create(l.x[0], 1, NULL, &one));
  assert_true(l.mesh->revision != m.mesh->revision);
  REFUSED(tx_level_inject(l.x[0], l.f[0], l.f[0]), TX_ERR_USAGE, "is the coarsest");
  REFUSED(tx_level_inject(l.x[1], l.f[0], l.f[0]), TX_ERR_MESH, "injection");
  REFUSED(tx_level_inject(l.x[1], l.f[1], l.f[1]), TX_ERR_MESH, "injection");
  REFUSED(tx_level_inject(l.x[1], l.f[1], one), TX_ERR_USAGE, "into one of 1");
  REFUSED(tx_level_load_all(l.f[0], 1, &l.x[1], &l.f[1]), TX_ERR_USAGE, "leaves go between");
  REFUSED(tx_level_load_all(l.u, 1, &l.leaves, &l.u), TX_ERR_USAGE, "leaves go between");
  REFUSED(tx_level_store(l.x[0], l.f[0], NULL, 0, l.f[0]), TX_ERR_USAGE, "leaves go between");
  REFUSED(tx_level_load_all(l.u, 1, &l.x[1], &l.f[0]), TX_ERR_MESH, "leaves of a level");
  REFUSED(tx_level_store(l.x[0], l.f[1], NULL, 0, l.u), TX_ERR_MESH, "leaves of a level");
  REFUSED(tx_level_load_all(l.u, 1, &l.x[0], &one), TX_ERR_USAGE, "leaves of 4 variables");
  REFUSED(tx_level_load_all(m.u, 1, &l.x[0], &l.f[0]), TX_ERR_MESH,
          "make the grids of levels anew");
  /* On the last rank alone, of one level of several. */
  const bool last = l.mesh->rank == l.mesh->size - 1;
  tx_field *const mixed[2] = {l.f[0], last ? l.f[0] : l.f[1]};
  REFUSED(tx_level_load_all(l.u, 2, l.x, mixed), TX_ERR_MESH, "leaves of a level");
  REFUSED(tx_level_store_all(&(tx_store){2, l.x, mixed, NULL, 0}, l.u), TX_ERR_MESH,
          "leaves of a level");
  REFUSED(tx_level_store(m.x[0], m.f[0], NULL, 0, l.u), TX_ERR_MESH,
          "make the grids of levels anew");
  tx_field_destroy(one);
  tx_test_ladder_destroy(&m);
  tx_test_ladder_destroy(&l);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(leaves_come_back),
    cmocka_unit_test(plans_are_made_together),
    cmocka_unit_test(memory_is_lent),
    cmocka_unit_test(raw_stages_keep_to_the_floors),
    cmocka_unit_test(edges_follow_their_states),
    cmocka_unit_test(edge_states_are_lent),
    cmocka_unit_test(wrong_plans_are_refused),
    cmocka_unit_test(wrong_edge_states_are_refused),
    cmocka_unit_test(wrong_edges_are_refused),
    cmocka_unit_test(wrong_leaves_are_refused),
};
TEST_MAIN(tests)
