/* The methods of the elliptic solver against each other: Krylov's and relaxation end where multigrid does, with so many
 * iterations and steps; the same bits on any number of ranks, the other backend; what is said of failures. */
#include "tests/support/main.h"

#include <math.h>
#include <string.h>

#include "exec/backend.h"
#include "tests/support/elliptic.h"
#include "tests/support/exec_checks.h"

/* What is slow on the emulation, and with larger octants, is left to the others. */
static bool too_slow(void) {
  return tx_test_every(2) > 1;
}

static void compare_krylov(const tx_test_problem *p, int most, int newton) {
  tx_test_elliptic_rig cycles = tx_test_elliptic_solve(
      MPI_COMM_WORLD, p, tx_test_elliptic_control(TX_ELLIPTIC_MULTIGRID, 1e-11));
  tx_test_elliptic_rig krylov = tx_test_elliptic_solve(
      MPI_COMM_WORLD, p, tx_test_elliptic_control(TX_ELLIPTIC_KRYLOV, 1e-11));
  const double off = tx_test_elliptic_difference(&krylov, &cycles);
  print_message(
      "%d cycles, %.0f evaluations; %d iterations, %d Newton steps, %.0f evaluations; %.1e\n",
      tx_test_elliptic_last(&cycles).step, tx_test_elliptic_last(&cycles).evaluations,
      tx_test_elliptic_last(&krylov).step, krylov.history.newton,
      tx_test_elliptic_last(&krylov).evaluations, off);
  assert_true(off <= 1e-10);
  assert_in_range(tx_test_elliptic_last(&cycles).step, 7, 13);
  assert_in_range(tx_test_elliptic_last(&krylov).step, 5, most);
  assert_in_range(krylov.history.newton, newton, newton > 1 ? newton + 1 : newton);
  assert_true(tx_test_elliptic_last(&krylov).evaluations <
              1.1 * tx_test_elliptic_last(&cycles).evaluations);
  tx_test_elliptic_off(&cycles);
  tx_test_elliptic_off(&krylov);
}

static void krylov_solves_poisson(void **unused) {
  if (too_slow()) return;
  const tx_test_problem p = tx_test_elliptic_poisson();
  compare_krylov(&p, 9, 1);
}

static void krylov_solves_punctures(void **unused) {
  if (too_slow()) return;
  const tx_test_problem p = tx_test_elliptic_binary();
  compare_krylov(&p, 11, 3);
}

/* Few vectors get there too, later. */
static void krylov_starts_anew(void **unused) {
  if (too_slow()) return;
  const tx_test_problem p = tx_test_elliptic_one(TX_N > 8 ? 0 : 2);
  tx_elliptic_control c = tx_test_elliptic_control(TX_ELLIPTIC_KRYLOV, 1e-9);
  tx_test_elliptic_rig cycles = tx_test_elliptic_solve(
      MPI_COMM_WORLD, &p, tx_test_elliptic_control(TX_ELLIPTIC_MULTIGRID, 1e-9));
  c.vectors = 2;
  tx_test_elliptic_rig two = tx_test_elliptic_solve(MPI_COMM_WORLD, &p, c);
  print_message("two vectors: %d iterations, %d Newton steps\n", tx_test_elliptic_last(&two).step,
                two.history.newton);
  assert_true(tx_test_elliptic_difference(&two, &cycles) <= 1e-8);
  assert_true(two.history.newton >= (tx_test_elliptic_last(&two).step + 1) / 2 &&
              tx_test_elliptic_last(&two).step < 16);
  tx_test_elliptic_off(&cycles);
  tx_test_elliptic_off(&two);
}

/* As seldom as it may be: thousands of evaluations. */
static void relaxation_ends_where_multigrid_does(void **unused) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (too_slow() || size > 1) return;
  const tx_test_problem p = tx_test_elliptic_one(TX_N > 8 ? 1 : 5);
  tx_test_elliptic_rig cycles = tx_test_elliptic_solve(
      MPI_COMM_WORLD, &p, tx_test_elliptic_control(TX_ELLIPTIC_MULTIGRID, 1e-11));
  tx_test_elliptic_rig waves = tx_test_elliptic_solve(
      MPI_COMM_WORLD, &p, tx_test_elliptic_control(TX_ELLIPTIC_RELAXATION, 1e-10));
  const double off = tx_test_elliptic_difference(&waves, &cycles);
  int to_6 = 0;
  while (waves.history.residual[to_6].l2 > 1e-6 * waves.history.scale) to_6++;
  print_message("%d steps, %.0f evaluations, %d steps to 1e-6; %.1e\n",
                tx_test_elliptic_last(&waves).step, tx_test_elliptic_last(&waves).evaluations,
                waves.history.residual[to_6].step, off);
  assert_true(off <= 1e-9);
  assert_in_range(tx_test_elliptic_last(&waves).step, TX_N > 8 ? 1800 : 960,
                  TX_N > 8 ? 2100 : 1100);
  assert_in_range(waves.history.residual[to_6].step, 500 * TX_N / 8, 700 * TX_N / 8);
  assert_true(tx_test_elliptic_last(&waves).evaluations > 4.0 * tx_test_elliptic_last(&waves).step);
  assert_true(waves.history.residual[waves.history.cycles - 1].step >=
              tx_test_elliptic_last(&waves).step - 20);
  tx_test_elliptic_off(&cycles);
  tx_test_elliptic_off(&waves);
}

/* A history of more steps than it has entries goes from the first to the last one. */
static void histories_are_thinned(void **unused) {
  if (too_slow()) return;
  tx_test_problem p = tx_test_elliptic_one(0);
  tx_elliptic_control c = tx_test_elliptic_control(TX_ELLIPTIC_RELAXATION, 0.0);
  c.steps = 15 * TX_ELLIPTIC_CYCLES;
  c.courant = 0.01;
  tx_test_elliptic_rig r = tx_test_elliptic_on(MPI_COMM_WORLD, &p);
  p.f = NULL;
  TX_TEST_REFUSED(tx_elliptic_solve(r.e, &c, &r.history), TX_ERR_NUMERICS, "not solved to 0");
  const tx_elliptic_residual *entry = r.history.residual;
  const int n = r.history.cycles;
  assert_in_range(n, TX_ELLIPTIC_CYCLES / 2, TX_ELLIPTIC_CYCLES);
  assert_int_equal(entry[0].step, 0);
  assert_true(entry[0].l2 == r.history.scale);
  for (int i = 1; i <= n; i++) {
    assert_int_equal(entry[i].step % 10, 0);
    assert_in_range(entry[i].step - entry[i - 1].step, 10, 20);
  }
  tx_test_elliptic_off(&r);
}

/* What solves of all methods leave: on small grids, and as long as they differ from each other. */
enum { METHODS = 3 };

typedef struct outcome {
  uint64_t checksum[METHODS];
  int step[METHODS];
  double l2[METHODS], max[METHODS];
} outcome;

static tx_elliptic_control small_control(int method) {
  tx_elliptic_control c = tx_test_elliptic_control((tx_elliptic_method)method, 1e-6);
  if (c.method == TX_ELLIPTIC_RELAXATION) c.tolerance = 0.5;
  return c;
}

static outcome outcome_of(MPI_Comm comm) {
  outcome o = {.step = {0}};
  for (int m = 0; m < METHODS; m++) {
    const tx_test_problem p = tx_test_elliptic_one(2);
    tx_test_elliptic_rig r = tx_test_elliptic_solve(comm, &p, small_control(m));
    OK(tx_field_checksum(r.u, &o.checksum[m]));
    o.step[m] = tx_test_elliptic_last(&r).step;
    o.l2[m] = tx_test_elliptic_last(&r).l2;
    o.max[m] = tx_test_elliptic_last(&r).max;
    tx_test_elliptic_off(&r);
  }
  return o;
}

static void ranks_agree(void **unused) {
  const tx_domain any = {.extent = 1.0};
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  outcome alone_too = {.step = {0}};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held));
  const outcome together = outcome_of(MPI_COMM_WORLD);
  if (rank == 0) alone_too = outcome_of(MPI_COMM_SELF);
  test_wait();
  MPI_Bcast(&alone_too, sizeof alone_too, MPI_BYTE, 0, MPI_COMM_WORLD);
  tx_octree_destroy(held);
  for (int m = 0; m < METHODS; m++) {
    assert_int_equal(together.checksum[m], alone_too.checksum[m]);
    assert_int_equal(together.step[m], alone_too.step[m]);
    assert_true(together.l2[m] == alone_too.l2[m] && together.max[m] == alone_too.max[m]);
    for (int n = 0; n < m; n++) assert_true(together.checksum[m] != together.checksum[n]);
  }
}

/* As many steps on the GPU, which end at the same values to rounding. */
static void backends_agree(void **unused) {
  if (!tx_test_on_gpu()) return;
  const tx_backend *chosen = tx_exec_backend();
  for (int m = 0; m < METHODS; m++) {
    const tx_test_problem p = tx_test_elliptic_one(2);
    tx_test_elliptic_rig gpu = tx_test_elliptic_solve(MPI_COMM_WORLD, &p, small_control(m));
    tx_exec_use(&tx_backend_cpu);
    tx_test_elliptic_rig cpu = tx_test_elliptic_solve(MPI_COMM_WORLD, &p, small_control(m));
    const double off = tx_test_elliptic_difference(&gpu, &cpu);
    print_message("method %d: backends differ by %.1e\n", m, off);
    assert_true(off <= 1e-11);
    assert_int_equal(tx_test_elliptic_last(&gpu).step, tx_test_elliptic_last(&cpu).step);
    tx_test_elliptic_off(&cpu);
    tx_exec_use(chosen);
    tx_test_elliptic_off(&gpu);
  }
}

static double product(const void *unused, int v, const double x[3]) {
  const double k = 3.14159265358979323846;
  return sin(k * x[0]) * cos(2.0 * k * x[1]) * sin(3.0 * k * x[2]);
}

/* Of a wave e^{ikx}: -sigma / h \sum_d sin^6(k_d h / 2) times it. */
static void dissipation_damps_waves(void **unused) {
  const double k[3] = {1.0, 2.0, 3.0}, sigma = 0.3;
  const tx_test_problem p = tx_test_elliptic_box(2 * TX_N);
  tx_test_elliptic_rig r = tx_test_elliptic_on(MPI_COMM_WORLD, &p);
  tx_field *out = NULL;
  const double h = tx_mesh_spacing(r.mesh, r.mesh->level_lowest);
  double rate = 0.0;
  for (int d = 0; d < 3; d++)
    rate -= sigma / h * pow(sin(3.14159265358979323846 * k[d] * h / 2), 6.0);
  OK(tx_field_create(r.x, 1, NULL, &out));
  OK(tx_test_fill(r.u, product, NULL));
  OK(tx_test_fill(out, product, NULL));
  OK(tx_ghosts_fill(r.x, r.u));
  OK(tx_exec_dissipate(r.x, tx_exec_all(r.x), sigma, r.u, out));
  TX_TEST_REFUSED(tx_exec_dissipate(r.x, tx_exec_all(r.x), sigma, out, r.u), TX_ERR_MESH, "ghosts");
  TX_TEST_REFUSED(tx_exec_dissipate(r.x, tx_exec_all(r.x), sigma, r.u, r.u), TX_ERR_USAGE,
                  "neighbours it reads");
  for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
    const double *u, *v;
    OK(tx_field_view(r.u, b, &u));
    OK(tx_field_view(out, b, &v));
    for (int i = 0; i < TX_N3; i++) assert_true(fabs(v[i] - (1.0 + rate) * u[i]) < 1e-13 / h);
  }
  tx_field_destroy(out);
  tx_test_elliptic_off(&r);
}

/* A solve that fails, and with what. It returns the last entry of its history. */
static tx_elliptic_residual refused(const tx_test_problem *p, const tx_elliptic_control *c,
                                    tx_status code, const char *part) {
  tx_test_elliptic_rig r = tx_test_elliptic_on(MPI_COMM_WORLD, p);
  TX_TEST_REFUSED(tx_elliptic_solve(r.e, c, &r.history), code, part);
  const tx_elliptic_residual end =
      r.history.cycles < 0 ? (tx_elliptic_residual){.step = -1} : tx_test_elliptic_last(&r);
  tx_test_elliptic_off(&r);
  return end;
}

static void nonsense_is_refused(void **unused) {
  const tx_test_problem p = tx_test_elliptic_one(2);
  tx_elliptic_control c = tx_test_elliptic_control((tx_elliptic_method)7, 1e-6);
  refused(&p, &c, TX_ERR_USAGE, "method number 7");
  c = tx_test_elliptic_control(TX_ELLIPTIC_MULTIGRID, -1.0);
  refused(&p, &c, TX_ERR_USAGE, "solved to -1");
  c = tx_test_elliptic_control(TX_ELLIPTIC_KRYLOV, 1e-6);
  c.vectors = 0;
  refused(&p, &c, TX_ERR_USAGE, "GMRES with 0 vectors");
  c.vectors = TX_ELLIPTIC_VECTORS + 1;
  refused(&p, &c, TX_ERR_USAGE, "there may be 1 to 30");
  c = tx_test_elliptic_control(TX_ELLIPTIC_RELAXATION, 1e-6);
  c.courant = 0.0;
  refused(&p, &c, TX_ERR_USAGE, "Courant factor of 0");
}

static double not_finite(const void *unused, const double x[3]) {
  return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 ? (double)NAN : 1.0;
}

/* Values that are not finite; steps that are too long; a residual that rounding keeps up. */
static void failures_are_found(void **unused) {
  tx_test_problem p = tx_test_elliptic_one(1);
  if (too_slow()) return;
  p.f = not_finite;
  for (int m = 0; m < METHODS; m++) {
    const tx_elliptic_control c = tx_test_elliptic_control((tx_elliptic_method)m, 1e-6);
    refused(&p, &c, TX_ERR_NUMERICS, "the largest is nan at (0, 0, 0)");
  }
  p = tx_test_elliptic_one(1);
  tx_elliptic_control c = tx_test_elliptic_control(TX_ELLIPTIC_RELAXATION, 1e-6);
  c.courant = 0.9;
  assert_true(refused(&p, &c, TX_ERR_NUMERICS, "steps").step < 500);
  c.courant = 0.45;
  c.steps = 37;
  assert_int_equal(refused(&p, &c, TX_ERR_NUMERICS, "after 37 steps").step, 37);
  c = tx_test_elliptic_control(TX_ELLIPTIC_KRYLOV, 1e-19);
  assert_in_range(refused(&p, &c, TX_ERR_NUMERICS, "iterations").step, 10, 39);
  c.tolerance = 1e-10;
  c.cycles = 3;
  assert_int_equal(refused(&p, &c, TX_ERR_NUMERICS, "after 3 iterations").step, 3);
  p = tx_test_elliptic_one(0);
  c = tx_test_elliptic_control(TX_ELLIPTIC_RELAXATION, 1e-19);
  assert_true(refused(&p, &c, TX_ERR_NUMERICS, "steps").step < c.steps);
}

static int run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(krylov_solves_poisson),
      cmocka_unit_test(krylov_solves_punctures),
      cmocka_unit_test(krylov_starts_anew),
      cmocka_unit_test(relaxation_ends_where_multigrid_does),
      cmocka_unit_test(histories_are_thinned),
      cmocka_unit_test(ranks_agree),
      cmocka_unit_test(backends_agree),
      cmocka_unit_test(dissipation_damps_waves),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(failures_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
