/* Cycles in single precision: the solution of double precision after as many cycles, the same bits on any number of ranks, the
 * other backend; what takes fields in single precision, and what refuses them. */
#include "tests/support/main.h"

#include <math.h>
#include <string.h>

#include "exec/algebra.h"
#include "exec/backend.h"
#include "exec/multigrid.h"
#include "tests/support/elliptic.h"
#include "tests/support/exec_checks.h"

static tx_elliptic_control control_of(tx_elliptic_method method, tx_precision precision,
                                      double tolerance) {
  tx_elliptic_control c = tx_test_elliptic_control(method, tolerance);
  c.precision = precision;
  return c;
}

static tx_test_elliptic_rig solve(MPI_Comm comm, const tx_test_problem *p,
                                  tx_elliptic_method method, tx_precision precision) {
  return tx_test_elliptic_solve(comm, p, control_of(method, precision, 1e-11));
}

/* A residual in single precision would end at 1e-7; corrections may take a cycle more. */
static void compare(const tx_test_problem *p, tx_elliptic_method method) {
  tx_test_elliptic_rig full = solve(MPI_COMM_WORLD, p, method, TX_PRECISION_DOUBLE);
  tx_test_elliptic_rig mixed = solve(MPI_COMM_WORLD, p, method, TX_PRECISION_MIXED);
  const double off = tx_test_elliptic_difference(&mixed, &full);
  const int more = tx_test_elliptic_last(&mixed).step - tx_test_elliptic_last(&full).step;
  print_message("method %d: %d cycles, %d more in mixed precision, which differs by %.1e\n",
                (int)method, tx_test_elliptic_last(&full).step, more, off);
  assert_true(off > 0.0 && off <= 1e-10);
  assert_in_range(more, 0, 1);
  tx_test_elliptic_off(&full);
  tx_test_elliptic_off(&mixed);
}

static void the_solution_is_that_of_double_precision(void **unused) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const tx_test_problem one = tx_test_elliptic_one(3), poisson = tx_test_elliptic_poisson();
  compare(&one, TX_ELLIPTIC_MULTIGRID);
  if (size > 1 || tx_test_every(2) > 1) return;
  compare(&one, TX_ELLIPTIC_KRYLOV);
  compare(&poisson, TX_ELLIPTIC_MULTIGRID);
}

static double tiny_source(const void *factor, const double x[3]) {
  const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  return *(const double *)factor * exp(-r2);
}

/* The solution of a linear equation is proportional to f, which may be far below what single precision knows. */
static void sizes_do_not_matter(void **unused) {
  static const double factor[2] = {1.0, 0x1p-180};
  int step[2];
  if (tx_test_every(2) > 1) return;
  for (int i = 0; i < 2; i++) {
    tx_test_problem p = tx_test_elliptic_one(1);
    p.equation = (tx_elliptic_equation){.order = 6, .falloff = 1.0};
    p.f = tiny_source;
    p.c[0] = p.c[1] = NULL;
    p.data = &factor[i];
    tx_test_elliptic_rig r = solve(MPI_COMM_WORLD, &p, TX_ELLIPTIC_MULTIGRID, TX_PRECISION_MIXED);
    step[i] = tx_test_elliptic_last(&r).step;
    tx_test_elliptic_off(&r);
  }
  assert_int_equal(step[0], step[1]);
}

typedef struct outcome {
  uint64_t checksum[2];
  int step[2];
} outcome;

static outcome outcome_of(MPI_Comm comm) {
  const tx_test_problem p = tx_test_elliptic_one(2);
  outcome o = {.step = {0}};
  for (int m = 0; m < 2; m++) {
    tx_test_elliptic_rig r = tx_test_elliptic_solve(
        comm, &p, control_of((tx_elliptic_method)m, TX_PRECISION_MIXED, 1e-8));
    OK(tx_field_checksum(r.u, &o.checksum[m]));
    o.step[m] = tx_test_elliptic_last(&r).step;
    tx_test_elliptic_off(&r);
  }
  return o;
}

static void ranks_agree(void **unused) {
  const tx_domain any = {.extent = 1.0};
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  outcome alone = {.step = {0}};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held));
  const outcome together = outcome_of(MPI_COMM_WORLD);
  if (rank == 0) alone = outcome_of(MPI_COMM_SELF);
  test_wait();
  MPI_Bcast(&alone, sizeof alone, MPI_BYTE, 0, MPI_COMM_WORLD);
  tx_octree_destroy(held);
  for (int m = 0; m < 2; m++) {
    assert_int_equal(together.checksum[m], alone.checksum[m]);
    assert_int_equal(together.step[m], alone.step[m]);
  }
}

/* As many cycles on the GPU, which end at the same values but for what the tolerance leaves. */
static void backends_agree(void **unused) {
  if (!tx_test_on_gpu()) return;
  const tx_backend *chosen = tx_exec_backend();
  const tx_test_problem p = tx_test_elliptic_one(2);
  tx_test_elliptic_rig gpu = solve(MPI_COMM_WORLD, &p, TX_ELLIPTIC_MULTIGRID, TX_PRECISION_MIXED);
  tx_exec_use(&tx_backend_cpu);
  tx_test_elliptic_rig cpu = solve(MPI_COMM_WORLD, &p, TX_ELLIPTIC_MULTIGRID, TX_PRECISION_MIXED);
  const double off = tx_test_elliptic_difference(&gpu, &cpu);
  print_message("backends differ by %.1e\n", off);
  assert_true(off <= 1e-10);
  assert_int_equal(tx_test_elliptic_last(&gpu).step, tx_test_elliptic_last(&cpu).step);
  tx_test_elliptic_off(&cpu);
  tx_exec_use(chosen);
  tx_test_elliptic_off(&gpu);
}

static double ramp(const void *unused, int v, const double x[3]) {
  return 1.0 / 3.0 + x[0] + 2.0 * x[1] - x[2];
}

/* Values to single precision and back are rounded once; sums are in double precision. */
static void values_are_rounded_once(void **unused) {
  const tx_test_problem p = tx_test_elliptic_one(0);
  tx_test_elliptic_rig r = tx_test_elliptic_on(MPI_COMM_WORLD, &p);
  const tx_set *all = tx_exec_all(r.x);
  tx_field *single = NULL, *sum = NULL;
  OK(tx_field_create_single(r.x, NULL, &single));
  OK(tx_field_create(r.x, 1, NULL, &sum));
  OK(tx_test_fill(r.u, ramp, NULL));
  OK(tx_exec_fill(r.x, all, 1.0, sum));
  OK(tx_exec_narrow(r.x, all, 3.0, r.u, single));
  OK(tx_exec_combine(r.x, all, &(tx_combination){1, {single}, {0.5}}, single));
  OK(tx_exec_widen(r.x, all, 0x1p-40, single, sum));
  for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
    const double *u, *got;
    OK(tx_field_view(r.u, b, &u));
    OK(tx_field_view(sum, b, &got));
    for (int n = 0; n < TX_N3; n++)
      assert_true(got[n] == 1.0 + 0x1p-41 * (double)(float)(3.0 * u[n]));
  }
  tx_field_destroy(single);
  tx_field_destroy(sum);
  tx_test_elliptic_off(&r);
}

static void what_is_not_of_multigrid_refuses_them(void **unused) {
  const tx_test_problem p = tx_test_elliptic_one(0);
  tx_test_elliptic_rig r = tx_test_elliptic_on(MPI_COMM_WORLD, &p);
  tx_exec *x = r.x;
  const tx_set *all = tx_exec_all(x);
  tx_field *single = NULL;
  const double *view;
  double *octant, number, l2;
  uint64_t sum;
  OK(tx_field_create_single(x, NULL, &single));
  const tx_combination both = {2, {single, r.u}, {1.0, 1.0}};
  const tx_pointwise_call product = {TX_POINTWISE_LINEAR_SOURCE, {single, r.u}, {0.0}};
  TX_TEST_REFUSED(tx_field_octant(single, 0, &octant), TX_ERR_USAGE, "in single precision");
  TX_TEST_REFUSED(tx_field_view(single, 0, &view), TX_ERR_USAGE, "in single precision");
  TX_TEST_REFUSED(tx_field_checksum(single, &sum), TX_ERR_USAGE, "in single precision");
  TX_TEST_REFUSED(tx_exec_dot(x, all, single, single, &number), TX_ERR_USAGE, "widen it");
  TX_TEST_REFUSED(tx_exec_dot(x, all, r.u, single, &number), TX_ERR_USAGE, "in double precision");
  TX_TEST_REFUSED(tx_level_norms(1, &single, &l2, &number), TX_ERR_USAGE, "widen it");
  TX_TEST_REFUSED(tx_exec_combine(x, all, &both, r.u), TX_ERR_USAGE, "in double precision");
  TX_TEST_REFUSED(tx_exec_pointwise(x, all, &product, r.u), TX_ERR_USAGE, "in double precision");
  TX_TEST_REFUSED(tx_exec_narrow(x, all, 1.0, single, r.u), TX_ERR_USAGE, "narrowing: the prec");
  TX_TEST_REFUSED(tx_exec_widen(x, all, 1.0, r.u, single), TX_ERR_USAGE, "widening: the prec");
  OK(tx_ghosts_fill(x, single));
  TX_TEST_REFUSED(tx_exec_dissipate(x, all, 0.1, single, r.u), TX_ERR_USAGE, "widen it");
  tx_field_destroy(single);
  tx_test_elliptic_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_solution_is_that_of_double_precision),
    cmocka_unit_test(sizes_do_not_matter),
    cmocka_unit_test(ranks_agree),
    cmocka_unit_test(backends_agree),
    cmocka_unit_test(values_are_rounded_once),
    cmocka_unit_test(what_is_not_of_multigrid_refuses_them),
};
TEST_MAIN(tests)
