/* Elliptic equations: order with refinement boundaries, what a cycle gains whatever the levels, and the data of two punctures
 * against the spectral solver. */
#include "tests/support/main.h"

#include <math.h>
#include <string.h>

#include "tests/support/elliptic.h"

/* The domain of an octant: all lower faces reflect. */
static tx_domain octant(double extent) {
  return (tx_domain){
      .extent = extent, .trees = 1, .low = {TX_FACE_REFLECT, TX_FACE_REFLECT, TX_FACE_REFLECT}};
}

/* u = \sum_i A_i / sqrt(r^2 + s_i^2). */
typedef struct wells {
  int n;
  double A[2], s[2];
} wells;

static double square(const double x[3]) {
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static double wells_value(const wells *w, const double x[3]) {
  double u = 0.0;
  for (int i = 0; i < w->n; i++) u += w->A[i] / sqrt(square(x) + w->s[i] * w->s[i]);
  return u;
}

static double wells_laplace(const void *data, const double x[3]) {
  const wells *w = data;
  double sum = 0.0;
  for (int i = 0; i < w->n; i++)
    sum -= 3.0 * w->A[i] * w->s[i] * w->s[i] * pow(square(x) + w->s[i] * w->s[i], -2.5);
  return sum;
}

static const wells two_wells = {2, {1.0, -0.4}, {0.3, 0.6}};

/* Levels low .. top in an octant of space, each half as wide as the next coarser one. Octants of the coarsest level: 2^low in
 * each dimension; those of each other one are as many. */
static tx_test_problem wells_problem(double extent, int low, int top, int order) {
  const double finest = extent / (1 << (top - 1));
  return (tx_test_problem){.balls = {.domain = octant(extent),
                                     .low = low,
                                     .top = top,
                                     .n = 1,
                                     .radius = low == 1 ? 0.5 * finest : 1.9 * finest},
                           .equation = {.order = order, .falloff = 1.0},
                           .f = wells_laplace,
                           .data = &two_wells,
                           .control = tx_elliptic_control_default()};
}

/* What a cycle multiplies the residual by, from the first one on. */
static double factor(const tx_elliptic_history *h) {
  const int n = h->cycles;
  return pow(h->residual[n].l2 / h->residual[1].l2, 1.0 / (n - 1));
}

static double largest_error(const tx_test_solution *s) {
  double most = 0.0;
  for (tx_gidx b = 0; b < s->n; b++)
    for (int i = 0; i < TX_N3; i++) {
      double x[3];
      tx_test_solution_place(s, b, i, x);
      most = fmax(most, fabs(s->u[b * TX_N3 + i] - wells_value(&two_wells, x)));
    }
  return most;
}

/* Twice the resolution everywhere, with refinement boundaries at the same places. */
static void order_with_refinement_boundaries(void **state) {
  double error[2];
  int64_t points[2];
  for (int i = 0; i < 2; i++) {
    const tx_test_problem p = wells_problem(32.0, 1 + i, 6 + i, 6);
    tx_test_solution s;
    OK(tx_test_solve(MPI_COMM_WORLD, &p, &s));
    OK(s.status);
    error[i] = largest_error(&s);
    points[i] = s.points;
    assert_true(factor(&s.history) < 0.12);
    tx_test_solution_free(&s);
  }
  const double order = log2(error[0] / error[1]);
  print_message("%lld and %lld points, errors %.3g and %.3g: order %.2f\n", (long long)points[0],
                (long long)points[1], error[0], error[1], order);
  assert_true(order > 5.3 && order < 6.5);
}

static void cycles_do_not_depend_on_levels(void **state) {
  for (int order = 2; order <= 6; order += 2)
    for (int top = 6; top <= 14; top += 4) {
      const tx_test_problem p = wells_problem((1 << top) / 32.0, 1, top, order);
      tx_test_solution s;
      OK(tx_test_solve(MPI_COMM_WORLD, &p, &s));
      OK(s.status);
      if (!(factor(&s.history) < 0.12))
        fail_msg("order %d, levels 0 to %d: %g a cycle", order, top, factor(&s.history));
      tx_test_solution_free(&s);
    }
}

/* The coarsest grid has 48 points across, not 16. */
static void cycles_with_several_trees(void **state) {
  tx_test_problem p = wells_problem(24.0, 1, 5, 6);
  p.balls.domain.trees = 3;
  tx_test_solution s;
  OK(tx_test_solve(MPI_COMM_WORLD, &p, &s));
  OK(s.status);
  if (!(factor(&s.history) < 0.12)) fail_msg("%g a cycle", factor(&s.history));
  tx_test_solution_free(&s);
}

/* Two holes of R1, mirror images of each other in all three planes. */
static const tx_two_punctures_spec holes = {.n = 2,
                                            .mass = {0.483, 0.483},
                                            .position = {{3.257, 0.0, 0.0}, {-3.257, 0.0, 0.0}},
                                            .momentum = {{0.0, 0.133, 0.0}, {0.0, -0.133, 0.0}},
                                            .tolerance = 1e-9};

/* One hole and five holes that move and spin, in all of space, each with eight octants a level. */
static void cycles_do_not_depend_on_holes(void **state) {
  static const double place[5][3] = {
      {2.0, 0.0, 0.0}, {-2.0, 1.0, 0.0}, {0.0, -3.0, 1.0}, {1.0, 3.0, -2.0}, {-3.0, -1.0, -3.0}};
  for (int n = 1; n <= 5; n += 4) {
    tx_bowen_york data = {.n = n};
    tx_test_problem p = {.balls = {.domain = {.extent = 16.0, .trees = 1},
                                   .low = 1,
                                   .top = 6,
                                   .n = n,
                                   .radius = 1e-3},
                         .equation = tx_test_hamiltonian(6),
                         .c = {tx_test_puncture_a, tx_test_puncture_b},
                         .data = &data,
                         .control = tx_elliptic_control_default()};
    for (int a = 0; a < n; a++) {
      data.mass[a] = 0.5 - 0.08 * a;
      memcpy(data.position[a], place[a], sizeof place[a]);
      memcpy(p.balls.centre[a], place[a], sizeof place[a]);
      for (int d = 0; d < 3; d++) {
        data.momentum[a][d] = 0.1 * sin(1.0 + 3.0 * a + d);
        data.spin[a][d] = 0.06 * cos(2.0 + 5.0 * a + d);
      }
    }
    tx_test_solution s;
    OK(tx_test_solve(MPI_COMM_WORLD, &p, &s));
    OK(s.status);
    print_message("%d holes, %lld points: %.3f a cycle\n", n, (long long)s.points,
                  factor(&s.history));
    assert_true(factor(&s.history) < 0.12);
    tx_test_solution_free(&s);
  }
}

/* Errors of u within 2 M of the plane of a hole, and elsewhere. */
typedef struct errors {
  double near, far;
} errors;

static errors errors_of(const tx_test_solution *s, const tx_two_punctures *exact) {
  errors e = {0.0, 0.0};
  for (tx_gidx b = 0; b < s->n; b++)
    for (int i = 0; i<TX_N3; i += s->octant[b].level> 7 ? 1 : 5) {
      double x[3];
      tx_test_solution_place(s, b, i, x);
      const double one = fabs(s->u[b * TX_N3 + i] - tx_spectral_point(&exact->data.u, x));
      double *most = fabs(x[0] - 3.257) < 2.0 ? &e.near : &e.far;
      *most = fmax(*most, one);
    }
  return e;
}

/* Levels up to `top`, the finest one about the hole. The spacing at level 9 is 0.078. */
static errors solve_holes(const tx_two_punctures *exact, int top) {
  tx_test_solution s;
  const tx_test_problem p = {.balls = {.domain = octant(320.0),
                                       .low = 1,
                                       .top = top,
                                       .n = 1,
                                       .radius = ldexp(1.0, 9 - top),
                                       .centre = {{3.257, 0.0, 0.0}}},
                             .equation = tx_test_hamiltonian(6),
                             .c = {tx_test_puncture_a, tx_test_puncture_b},
                             .data = &exact->data,
                             .control = tx_elliptic_control_default()};
  OK(tx_test_solve(MPI_COMM_WORLD, &p, &s));
  OK(s.status);
  const errors e = errors_of(&s, exact);
  print_message("%lld points, %d cycles, %.3f each: errors %.3g, far %.3g\n", (long long)s.points,
                s.history.cycles, factor(&s.history), e.near, e.far);
  assert_true(factor(&s.history) < 0.12);
  tx_test_solution_free(&s);
  return e;
}

static void holes_without_spin(void **state) {
  tx_two_punctures exact;
  OK(tx_two_punctures_solve(&holes, &exact));
  const errors e = solve_holes(&exact, 9);
  assert_true(e.near < 4e-6 && e.far < 2e-8);
  tx_two_punctures_free(&exact);
}

static void holes_without_spin_better(void **state) {
  tx_two_punctures exact;
  OK(tx_two_punctures_solve(&holes, &exact));
  const errors e = solve_holes(&exact, 10);
  assert_true(e.near < 5e-8 && e.far < 1e-8);
  tx_two_punctures_free(&exact);
}

/* u is r^3 at a hole with spin: three more levels there, of half the size each, leave a 300th of the error, five an
 * 8000th. */
static void holes_with_spin_and_more_levels(void **state) {
  tx_two_punctures_spec spec = holes;
  spec.spin[0][2] = spec.spin[1][2] = 0.158;
  tx_two_punctures exact;
  OK(tx_two_punctures_solve(&spec, &exact));
  const errors few = solve_holes(&exact, 9), more = solve_holes(&exact, 12);
  const errors most = solve_holes(&exact, 14);
  assert_true(more.near < 2e-5 && more.far < 4e-8 && more.near < few.near / 200.0);
  assert_true(most.near < 2e-6 && most.far < 5e-8);
  tx_two_punctures_free(&exact);
}

static int run(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_with_refinement_boundaries),
      cmocka_unit_test(cycles_do_not_depend_on_levels),
      cmocka_unit_test(cycles_with_several_trees),
      cmocka_unit_test(cycles_do_not_depend_on_holes),
      cmocka_unit_test(holes_without_spin),
      cmocka_unit_test(holes_with_spin_and_more_levels),
  };
  const struct CMUnitTest more[] = {cmocka_unit_test(holes_without_spin_better)};
  return argc > 1 && strcmp(argv[1], "slow") == 0 ? cmocka_run_group_tests(more, NULL, NULL)
                                                  : cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_MAIN_WITH(run(argc, argv))
