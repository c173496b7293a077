/* Solutions of elliptic equations: the same bits on any number of ranks, mirrored domains, the other backend, and what is said
 * of equations that cannot be solved. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend.h"
#include "physics/pointwise_point.h"
#include "tests/support/elliptic.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

/* Bumps of f and of the coefficients lie about one place and its images in the planes through the origin. */
enum { MOST_IMAGES = 8 };

static const double place[3] = {1.1, 0.7, 0.4};

static double bumps(const double x[3], double width) {
  double sum = 0.0;
  for (int i = 0; i < MOST_IMAGES; i++) {
    double r2 = width * width;
    for (int d = 0; d < 3; d++) {
      const double away = x[d] - (i >> d & 1 ? -place[d] : place[d]);
      r2 += away * away;
    }
    sum += pow(r2, -2.5);
  }
  return sum;
}

static double source(const void *data, const double x[3]) {
  return -0.3 * bumps(x, 0.8);
}

static double slope_a(const void *data, const double x[3]) {
  return 0.2 * bumps(x, 1.0);
}

static double slope_b(const void *data, const double x[3]) {
  return 1.0 / (1.0 + bumps(x, 1.3));
}

/* Levels from 1 on about the images of the place, the finest one of size 1; `mirrors`: bit d, dimension d reflects. The extent
 * is 8 times 2^far. */
static tx_test_problem problem(int mirrors, int far) {
  tx_test_problem p = {.balls = {.domain = {.extent = ldexp(8.0, far), .trees = 1},
                                 .low = 1,
                                 .top = 3 + far,
                                 .radius = 0.75},
                       .equation = tx_test_hamiltonian(6),
                       .f = source,
                       .c = {slope_a, slope_b},
                       .control = tx_elliptic_control_default()};
  for (int d = 0; d < 3; d++)
    if (mirrors >> d & 1) p.balls.domain.low[d] = TX_FACE_REFLECT;
  for (int i = 0; i < MOST_IMAGES; i++) {
    if (i & mirrors) continue;
    for (int d = 0; d < 3; d++) p.balls.centre[p.balls.n][d] = i >> d & 1 ? -place[d] : place[d];
    p.balls.n++;
  }
  return p;
}

static tx_test_solution solve(MPI_Comm comm, const tx_test_problem *p) {
  tx_test_solution s;
  OK(tx_test_solve(comm, p, &s));
  OK(s.status);
  assert_true(s.history.cycles > 3 && s.history.cycles < 13);
  return s;
}

static double largest(const tx_test_solution *s) {
  double most = 0.0;
  for (int64_t i = 0; i < s->n * TX_N3; i++) most = fmax(most, fabs(s->u[i]));
  return most;
}

static bool same_bits(const tx_test_solution *a, const tx_test_solution *b) {
  bool same = a->n == b->n && a->points == b->points && a->history.cycles == b->history.cycles;
  for (int i = 0; same && i <= a->history.cycles; i++)
    same = a->history.residual[i].l2 == b->history.residual[i].l2 &&
           a->history.residual[i].max == b->history.residual[i].max;
  return same && memcmp(a->u, b->u, (size_t)a->n * TX_N3 * sizeof *a->u) == 0;
}

static void ranks_give_the_same_bits(void **state) {
  const tx_test_problem p = problem(7, 0);
  const tx_domain any = tx_test_domain(0);
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  int rank, same = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held));
  tx_test_solution together = solve(MPI_COMM_WORLD, &p);
  if (rank == 0) {
    tx_test_solution alone = solve(MPI_COMM_SELF, &p);
    same = same_bits(&together, &alone);
    tx_test_solution_free(&alone);
  }
  test_wait();
  MPI_Bcast(&same, 1, MPI_INT, 0, MPI_COMM_WORLD);
  assert_true(same);
  tx_octree_destroy(held);
  tx_test_solution_free(&together);
}

/* The values of an octant of the full domain. */
static const double *values_at(const tx_test_solution *full, const double x0[3], double h) {
  for (tx_gidx b = 0; b < full->n; b++) {
    double x[3];
    if (tx_test_solution_place(full, b, 0, x) == h && memcmp(x, x0, sizeof x) == 0)
      return full->u + b * TX_N3;
  }
  fail_msg("no octant at (%g, %g, %g)", x0[0], x0[1], x0[2]);
  return NULL;
}

/* Where u is not that of the full domain, but for rounding. */
static void assert_part(const tx_test_solution *part, const tx_test_solution *full) {
  const double most = 1e-12 * largest(full);
  for (tx_gidx b = 0; b < part->n; b++) {
    double x[3];
    const double h = tx_test_solution_place(part, b, 0, x), *want = values_at(full, x, h);
    for (int i = 0; i < TX_N3; i++) {
      const double apart = fabs(part->u[b * TX_N3 + i] - want[i]);
      if (!(apart <= most)) fail_msg("%g in the octant at (%g, %g, %g)", apart, x[0], x[1], x[2]);
    }
  }
}

/* Lower outer faces have points, upper ones have ghosts there: what that makes of u, which a part of the domain cannot have from
 * lower faces, is lost in rounding where they are far. */
static void mirrored_domains(void **state) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1 || tx_test_every(2) > 1) return; /* the same bits, as above */
  const int mirrors[] = {4, 7};
  tx_test_problem whole = problem(0, 9);
  whole.control.tolerance = 1e-11; /* what is left of the iteration is not the same */
  tx_test_solution full = solve(MPI_COMM_WORLD, &whole);
  for (int n = 0; n < 2; n++) {
    tx_test_problem p = problem(mirrors[n], 9);
    p.control.tolerance = whole.control.tolerance;
    tx_test_solution part = solve(MPI_COMM_WORLD, &p);
    assert_part(&part, &full);
    tx_test_solution_free(&part);
  }
  tx_test_solution_free(&full);
}

/* What computes here, and the CPU. */
static void backends_agree(void **state) {
  const tx_backend *here = tx_exec_backend();
  if (here == &tx_backend_cpu) return;
  const tx_test_problem p = problem(7, 0);
  tx_test_solution other = solve(MPI_COMM_WORLD, &p);
  tx_exec_use(&tx_backend_cpu);
  tx_test_solution cpu = solve(MPI_COMM_WORLD, &p);
  tx_exec_use(here);
  const double most = 1e-12 * largest(&cpu);
  assert_int_equal(other.points, cpu.points);
  assert_int_equal(other.history.cycles, cpu.history.cycles);
  for (int64_t i = 0; i < cpu.n * TX_N3; i++) assert_true(fabs(other.u[i] - cpu.u[i]) <= most);
  tx_test_solution_free(&other);
  tx_test_solution_free(&cpu);
}

/* A solve that must fail, with these words in its text. */
static void assert_unsolved(const tx_test_problem *p, const char *first, const char *second) {
  tx_test_solution s;
  OK(tx_test_solve(MPI_COMM_WORLD, p, &s));
  assert_int_equal(s.status, TX_ERR_NUMERICS);
  if (!strstr(tx_error_text(), first) || !strstr(tx_error_text(), second))
    fail_msg("%s", tx_error_text());
  tx_error_clear();
  tx_test_solution_free(&s);
}

/* NaN at one point, of the finest level. */
static const double bad[3] = {1.125, 0.75, 0.375};

static double source_with_nan(const void *data, const double x[3]) {
  const bool here = x[0] == bad[0] && x[1] == bad[1] && x[2] == bad[2];
  return here ? (double)NAN : source(data, x);
}

static void what_is_not_solved_is_told(void **state) {
  tx_test_problem p = problem(7, 0);
  p.f = source_with_nan;
  assert_unsolved(&p, "after 0 cycles", "the largest is nan at (1.125, 0.75, 0.375)");
  p.f = source;
  p.control.cycles = 2;
  assert_unsolved(&p, "is not solved to 1e-10 after 2 cycles", "1.00e+00, ");
  if (tx_test_every(2) > 1) return;
  p.control = tx_elliptic_control_default();
  p.control.tolerance = 1e-18;
  assert_unsolved(&p, "is not solved to 1e-18", "e-1");
  p.control.cycles = 1000000; /* the history ends it */
  p.control.before = p.control.after = p.control.coarsest = 0;
  assert_unsolved(&p, "after 3 cycles", "1.00e+00, 1.00e+00, 1.00e+00, 1.00e+00");
}

static void what_makes_no_sense_is_refused(void **state) {
  const tx_elliptic_equation good = {.order = 6, .falloff = 1.0, .coefficients = 1};
  const tx_test_problem p = problem(7, 0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_elliptic *e = NULL;
  tx_elliptic_equation q = good;
  OK(tx_test_balls_create(MPI_COMM_WORLD, &p.balls, &tree, &mesh));
  for (q.order = -2; q.order <= 8; q.order++)
    if (q.order != 2 && q.order != 4 && q.order != 6)
      TX_TEST_REFUSED(tx_elliptic_create(mesh, &q, &e), TX_ERR_USAGE, "there are 2, 4 and 6");
  q = good;
  for (q.falloff = 0.0; q.falloff > -2.0; q.falloff--)
    TX_TEST_REFUSED(tx_elliptic_create(mesh, &q, &e), TX_ERR_USAGE, "must be above 0");
  q.falloff = (double)NAN;
  TX_TEST_REFUSED(tx_elliptic_create(mesh, &q, &e), TX_ERR_USAGE, "must be above 0");
  q = good;
  for (q.coefficients = -1; q.coefficients <= 3; q.coefficients += 4)
    TX_TEST_REFUSED(tx_elliptic_create(mesh, &q, &e), TX_ERR_USAGE, "there are up to 2");
  assert_null(e);
  tx_elliptic_destroy(NULL);
  OK(tx_elliptic_create(mesh, &good, &e));
  TX_TEST_REFUSED(tx_elliptic_give(e, 1, source, NULL), TX_ERR_USAGE, "coefficient 1 of");
  TX_TEST_REFUSED(tx_elliptic_give(e, -2, source, NULL), TX_ERR_USAGE, "coefficient -2 of");
  OK(tx_elliptic_give(e, 0, source, NULL));
  tx_elliptic_destroy(e);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static double constant(const void *data, const double x[3]) {
  return *(const double *)data;
}

static double wave(const void *data, const double x[3]) {
  return *(const double *)data + sin(3.14159265358979324 * (x[0] + 2.0 * x[1]));
}

/* Without outer faces u + 1 solves Poisson's equation if u does, and there is a u only for an f whose mean is 0. */
static void a_singular_equation_needs_an_even_source(void **state) {
  const tx_domain periodic = {.extent = 1.0,
                              .low = {TX_FACE_PERIODIC, TX_FACE_PERIODIC, TX_FACE_PERIODIC},
                              .high = {TX_FACE_PERIODIC, TX_FACE_PERIODIC, TX_FACE_PERIODIC}};
  const tx_elliptic_equation poisson = {.order = 6, .falloff = 1.0};
  tx_elliptic_control control = tx_elliptic_control_default();
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  control.tolerance = 1e-8;
  OK(tx_octree_create(MPI_COMM_WORLD, &periodic, 1, &tree));
  OK(tx_mesh_create(tree, &mesh));
  for (int n = 0; n < 3; n++) {
    const double mean = n == 0 ? 0.0 : 0.5;
    tx_elliptic_history history;
    tx_elliptic *e = NULL;
    OK(tx_elliptic_create(mesh, &poisson, &e));
    OK(tx_elliptic_give(e, TX_ELLIPTIC_F, n < 2 ? wave : constant, &mean));
    if (n == 0)
      OK(tx_elliptic_solve(e, &control, &history));
    else
      TX_TEST_REFUSED(tx_elliptic_solve(e, &control, &history), TX_ERR_NUMERICS, "is not solved");
    tx_elliptic_destroy(e);
  }
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

/* The next equation on the same levels. Its coefficient is the slope of the first one's source at its u: the same as if it had
 * been given. */
static double slope_found(const void *data, const double x[3]) {
  const double *u = data;
  const double in[3] = {slope_a(NULL, x), slope_b(NULL, x), *u};
  double slope;
  tx_pointwise_hamiltonian_slope(in, NULL, &slope);
  return slope;
}

static void one_equation_after_another(void **state) {
  const tx_elliptic_equation linear = {.name = "the equation of w",
                                       .coefficients = 1,
                                       .source = TX_POINTWISE_LINEAR_SOURCE,
                                       .slope = TX_POINTWISE_LINEAR_SLOPE,
                                       .order = 6,
                                       .falloff = 1.0};
  const tx_pointwise slope = TX_POINTWISE_HAMILTONIAN_SLOPE;
  tx_elliptic_control control = tx_elliptic_control_default();
  const double no_u = 0.0;
  tx_test_problem p = problem(7, 0), q = p;
  tx_test_elliptic_rig first = tx_test_elliptic_on(MPI_COMM_WORLD, &p);
  q.equation = linear;
  q.f = NULL;
  q.c[0] = slope_found;
  q.data = &no_u;
  OK(tx_elliptic_change(first.e, slope, &linear)); /* u is 0 so far, f is not */
  OK(tx_elliptic_solve(first.e, &control, &first.history));
  OK(tx_elliptic_store(first.e, first.u));
  tx_test_elliptic_rig given = tx_test_elliptic_solve(MPI_COMM_WORLD, &q, control);
  assert_true(tx_test_elliptic_difference(&first, &given) == 0.0);
  assert_string_equal(tx_elliptic_name(first.e), "the equation of w");
  tx_elliptic_equation wrong = linear;
  wrong.coefficients = 2;
  TX_TEST_REFUSED(tx_elliptic_change(first.e, slope, &wrong), TX_ERR_USAGE, "with 2 coefficients");
  wrong = linear;
  wrong.order = 4;
  TX_TEST_REFUSED(tx_elliptic_change(first.e, slope, &wrong), TX_ERR_USAGE, "order 4 and");
  wrong = linear;
  wrong.falloff = 2.0;
  TX_TEST_REFUSED(tx_elliptic_change(first.e, slope, &wrong), TX_ERR_USAGE, "falloff 2 after");
  control.cycles = 1;
  OK(tx_elliptic_change(first.e, TX_POINTWISE_LINEAR_SLOPE, &linear)); /* u = 0 again */
  TX_TEST_REFUSED(tx_elliptic_solve(first.e, &control, &first.history), TX_ERR_NUMERICS,
                  "the equation of w is not solved to 1e-10 after 1 cycles");
  tx_test_elliptic_off(&first);
  tx_test_elliptic_off(&given);
}

/* Points with an equation, counted: own points of leaves but for those that are on the boundary of the closed region of their
 * level, and those of coarser levels that a finer one's closed region covers from its inside. All of them are: with one level
 * there are no others. */
static void unknown_points_are_counted(void **state) {
  tx_test_problem p = problem(7, 0);
  p.balls.top = p.balls.low;
  p.equation = (tx_elliptic_equation){.order = 2, .falloff = 1.0};
  tx_test_solution s;
  p.control.tolerance = 1e-3;
  OK(tx_test_solve(MPI_COMM_WORLD, &p, &s));
  OK(s.status);
  assert_int_equal(s.points, 8 * TX_N3);
  tx_test_solution_free(&s);
  p.balls.top = p.balls.low + 1; /* one octant of 8 is refined, that at the origin */
  p.balls.n = 1;
  p.balls.radius = 0.1;
  for (int d = 0; d < 3; d++) p.balls.centre[0][d] = 0.0;
  OK(tx_test_solve(MPI_COMM_WORLD, &p, &s));
  OK(s.status);
  /* Lower faces of the fine region are mirrors, and its upper faces belong to the coarse octants beyond. */
  assert_int_equal(s.points, 7 * TX_N3 + 8 * TX_N3);
  tx_test_solution_free(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranks_give_the_same_bits),
    cmocka_unit_test(mirrored_domains),
    cmocka_unit_test(backends_agree),
    cmocka_unit_test(what_is_not_solved_is_told),
    cmocka_unit_test(what_makes_no_sense_is_refused),
    cmocka_unit_test(a_singular_equation_needs_an_even_source),
    cmocka_unit_test(one_equation_after_another),
    cmocka_unit_test(unknown_points_are_counted),
};
TEST_MAIN(tests)
