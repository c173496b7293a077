/* All that the language of equations has, tests/systems/language/system.py, against formulae written by hand: at random points in
 * plain double precision, and at the points of octants, as vectors of the CPU and on the GPU. */
#include "support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evolve/sim.h"
#include "exec/backend.h"
#include "support/exec_checks.h"
#include "support/octree_checks.h"
#include "systems/language_point.h"
#include "systems/start.h"

extern const tx_system tx_language;
extern void tx_language_cuda_add(void) __attribute__((weak));

static const tx_system_params PHYSICS[] = {
    {.time = 0.3,
     .lambda_f0 = 0.4,
     .lambda_f1 = 0.7}, /* either side of the conditions on parameters and on the time */
    {.time = 0.5, .lambda_f0 = 0.8, .lambda_f1 = 0.1},
};

static double noise(void) {
  return 2.0 * rand() / RAND_MAX - 1.0;
}

static void assert_near(const char *what, double a, double b) {
  if (!(fabs(a - b) <= 1e-11 * (1.0 + fabs(b)))) fail_msg("%s: %.17g is not %.17g", what, a, b);
}

/* The first condition's b is NaN beyond r = 2.5, where nobody takes it, and so is a side of a. */
static void points_in_double_precision(void **state) {
  srand(7);
  for (int n = 0; n < 2000; n++) {
    const double far = n % 2 ? 1.4 : 4.0, x[3] = {far * noise(), far * noise(), 1.5 + noise()};
    double j[LANGUAGE_VARS][10], rhs[LANGUAGE_VARS], expected[LANGUAGE_VARS];
    for (int v = 0; v < LANGUAGE_VARS; v++)
      for (int m = 0; m < 10; m++) j[v][m] = noise();
    const bool near = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 2.5 * 2.5;
    const tx_system_params *p = &PHYSICS[near ? 1 : n / 2 % 2];
    language_rhs(p, x, (language_jets)j, rhs);
    language_expect_rhs(p, x, (language_jets)j, expected);
    for (int v = 0; v < LANGUAGE_VARS; v++)
      assert_near(tx_language.variable[v].name, rhs[v], expected[v]);
  }
}

/* Smooth data whose finite differences and interpolation are exact: c0 + c1 x^2 + c2 y^2 + c3 z^2, times a coordinate of each
 * dimension in which the variable is odd. */
static double coefficient(int v, int n) {
  const double c[4] = {0.3, 0.02, -0.015, 0.01};
  return c[n] * cos(1.0 + 3.0 * v + n) * (tx_language.variable[v].parity[0] < 0 ? 0.5 : 1.0);
}

/* One monomial's factor along a dimension, x^power, or one of its derivatives. */
static double power(double x, int power, int derivatives) {
  double factor = 1.0;
  for (; derivatives > 0; derivatives--) factor *= power--;
  for (; power > 0; power--) factor *= x;
  return power < 0 ? 0.0 : factor;
}

static double data(int v, const double x[3], const int derivatives[3]) {
  double sum = 0.0;
  for (int n = 0; n < 4; n++) {
    double term = coefficient(v, n);
    for (int d = 0; d < 3; d++)
      term *=
          power(x[d], 2 * (n == d + 1) + (tx_language.variable[v].parity[d] < 0), derivatives[d]);
    sum += term;
  }
  return sum;
}

static double value(const void *context, int v, const double x[3]) {
  return data(v, x, (const int[3]){0, 0, 0});
}

static void jets_of(const double x[3], double j[LANGUAGE_VARS][10]) {
  static const int order[10][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                   {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2}};
  for (int v = 0; v < LANGUAGE_VARS; v++)
    for (int m = 0; m < 10; m++) j[v][m] = data(v, x, order[m]);
}

/* Points whose right-hand sides the outer boundary gives. */
static bool outermost(unsigned outer, const int at[3]) {
  for (int d = 0; d < 3; d++)
    if ((outer & TX_FACE_BIT(d, 0) && at[d] <= 1) ||
        (outer & TX_FACE_BIT(d, 1) && at[d] == TX_N - 1))
      return true;
  return false;
}

/* NaN that a condition leaves out does not show, one that it takes does. */
static void assert_same(const char *what, double a, double b) {
  if (isnan(b))
    assert_true(isnan(a));
  else if (!(fabs(a - b) < 1e-9 * (1.0 + fabs(b))))
    fail_msg("%s: %.17g is not %.17g", what, a, b);
}

static int check_octant(const tx_mesh *mesh, tx_lidx b, const tx_system_params *p,
                        const double *rhs) {
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  double x0[3];
  int n = 0;
  tx_mesh_origin(mesh, b, x0);
  for (int i = 0; i < TX_N3; i++) {
    const int at[3] = {i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N)};
    if (outermost(mesh->ghosts.outer[b], at)) continue;
    double x[3], j[LANGUAGE_VARS][10], expected[LANGUAGE_VARS];
    for (int d = 0; d < 3; d++) x[d] = x0[d] + h * at[d];
    jets_of(x, j);
    language_expect_rhs(p, x, (language_jets)j, expected);
    for (int v = 0; v < LANGUAGE_VARS; v++)
      assert_same(tx_language.variable[v].name, rhs[v * TX_N3 + i], expected[v]);
    n++;
  }
  return n;
}

/* On refined meshes, with mirrors and without. */
static void points_of_octants(void **state) {
  static const int domains[] = {0, 1, 4, 13};
  for (int n = 0; n < 4; n += tx_test_every(3)) {
    tx_domain domain = tx_test_domain(domains[n]);
    tx_octree *tree;
    tx_mesh *mesh;
    tx_exec *x;
    tx_field *u, *rhs;
    int checked = 0;
    OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 11, 1, 1, 2, &tree, &mesh));
    OK(tx_exec_create(mesh, LANGUAGE_VARS, &x));
    OK(tx_field_create_state(x, &tx_language, &u));
    OK(tx_field_create_state(x, &tx_language, &rhs));
    OK(tx_test_fill(u, value, NULL));
    OK(tx_ghosts_fill(x, u));
    for (int c = 0; c < 2; c++) {
      OK(tx_exec_rhs(x, tx_exec_all(x), &PHYSICS[c], u, rhs));
      for (tx_lidx b = 0; b < mesh->n_local; b++) {
        const double *view;
        OK(tx_field_view(rhs, b, &view));
        checked += check_octant(mesh, b, &PHYSICS[c], view);
      }
    }
    assert_true(checked > 0);
    tx_field_destroy(rhs);
    tx_field_destroy(u);
    tx_exec_destroy(x);
    tx_mesh_destroy(mesh);
    tx_octree_destroy(tree);
  }
}

/* At every point on the CPU; and their norms, of points beyond the outer boundary too, on the backend as on the CPU. */
static void constraints_of_octants(void **state) {
  static double patch[LANGUAGE_VARS][TX_P3], out[TX_CONSTRAINTS][TX_N3];
  const tx_octant_place place = {.h = 0.25, .x0 = {-0.4, -1.1, 0.2}};
  void *work;
  OK(tx_alloc(1, tx_language.scratch_bytes(), "test", &work));
  for (int v = 0; v < LANGUAGE_VARS; v++)
    for (int n = 0; n < TX_P3; n++) {
      const int at[3] = {n % TX_P - TX_K, n / TX_P % TX_P - TX_K, n / (TX_P * TX_P) - TX_K};
      double x[3];
      for (int d = 0; d < 3; d++) x[d] = place.x0[d] + place.h * at[d];
      patch[v][TX_PATCH_AT(at[0], at[1], at[2])] = value(NULL, v, x);
    }
  for (int c = 0; c < 2; c++) {
    tx_language.constraints(&PHYSICS[c], &place, patch[0], out[0], work);
    for (int i = 0; i < TX_N3; i++) {
      const int at[3] = {i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N)};
      double x[3], j[LANGUAGE_VARS][10], expected[TX_CONSTRAINTS];
      for (int d = 0; d < 3; d++) x[d] = place.x0[d] + place.h * at[d];
      jets_of(x, j);
      language_expect_constraints(&PHYSICS[c], x, (language_jets)j, expected);
      for (int m = 0; m < TX_CONSTRAINTS; m++) assert_same("a constraint", out[m][i], expected[m]);
    }
  }
  tx_free(work);
}

static void norms_of_constraints(void **state) {
  const tx_backend *const backend[] = {&tx_backend_cpu, tx_exec_backend()};
  tx_domain domain = tx_test_domain(4);
  tx_norms norms[2][2];
  tx_octree *tree;
  tx_mesh *mesh;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 11, 1, 1, 2, &tree, &mesh));
  for (int a = 0; a < 2; a++) {
    tx_exec *x;
    tx_field *u;
    tx_exec_use(backend[a]);
    OK(tx_exec_create(mesh, LANGUAGE_VARS, &x));
    OK(tx_field_create_state(x, &tx_language, &u));
    OK(tx_test_fill(u, value, NULL));
    OK(tx_ghosts_fill(x, u));
    for (int c = 0; c < 2; c++)
      OK(tx_exec_constraints(x, tx_exec_all(x), u, &(tx_norms_of){&PHYSICS[c], 0, NULL},
                             &norms[c][a]));
    tx_field_destroy(u);
    tx_exec_destroy(x);
  }
  for (int m = 0; m < TX_CONSTRAINTS; m++) {
    for (int c = 0; c < 2; c++) {
      assert_near("root mean square", norms[c][1].l2[m], norms[c][0].l2[m]);
      assert_near("maximum", norms[c][1].max[m], norms[c][0].max[m]);
    }
  }
  assert_true(fabs(norms[1][0].l2[0] - norms[0][0].l2[0]) > 1e-3); /* H has lambda_f0 and t */
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

/* q = (sin(x + 3 t) - sin(x)) / 3: each stage of a step has its time, with steps of levels too. */
static void from_zero(tx_sim *sim) {
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u = NULL;
    OK(tx_field_octant(sim->u, b, &u));
    memset(u, 0, LANGUAGE_VARS * TX_N3 * sizeof *u);
  }
}

static double error_of_q(const tx_sim *sim) {
  double worst = 0.0;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level), *u = NULL;
    double x0[3];
    tx_mesh_origin(sim->mesh, b, x0);
    OK(tx_field_view(sim->u, b, &u));
    for (int i = 0; i < TX_N3; i++) {
      const double x = x0[0] + h * (i % TX_N);
      const double error = u[LANGUAGE_Q * TX_N3 + i] - (sin(x + 3.0 * sim->t) - sin(x)) / 3.0;
      worst = fmax(worst, isnan(error) ? INFINITY : fabs(error));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, sim->comm);
  return worst;
}

/* The largest error until t = 2 in units of step^4, and the step. */
static double scaled_error(int time_steps, double extent, double *step) {
  tx_params p;
  tx_test_params_default(&p);
  p.run_t_end = 100.0;
  p.evolution_system = tx_system_add(&tx_language);
  p.evolution_time_steps = time_steps;
  p.evolution_dissipation = 0.0;
  p.grid_extent = extent;
  p.grid_periodic = TX_DIMS_XYZ;
  p.grid_level_min = 1;
  p.grid_level_max = 2;
  p.grid_ball_radius = 0.25 * extent;
  p.grid_ball_level = 2;
  p.initial_data_type = TX_ID_MINKOWSKI;
  tx_sim *sim = start(&p, from_zero);
  assert_true(sim->mesh->level_highest == 2 && sim->mesh->level_lowest == 1);
  double error = 0.0;
  while (sim->t < 2.0 / tx_test_every(4)) {
    const double since = sim->t;
    OK(tx_sim_step(sim));
    *step = sim->t - since;
    error = fmax(error, error_of_q(sim));
  }
  tx_sim_destroy(sim);
  return error / pow(*step, 4.0);
}

/* Runge-Kutta's rule for an integral is Simpson's, 2 27/2880 step^4 off at most, and of the coarser level, whose steps are twice as
 * long, 16 times that. Times of wrong stages would make it of order 1. */
static void stages_have_their_times(void **state) {
  static const int steps[2] = {TX_STEPS_GLOBAL, TX_STEPS_LEVELS};
  for (int n = 0; n < 2; n++)
    for (int fine = 0; fine < 2; fine += tx_test_every(2)) {
      double step;
      const double error = scaled_error(steps[n], fine ? 4.0 : 8.0, &step);
      if (!(error < (n ? 16.0 : 1.0) * 2.0 * 27.0 / 2880.0))
        fail_msg("%g step^4, step %g", error, step);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_in_double_precision), cmocka_unit_test(points_of_octants),
    cmocka_unit_test(constraints_of_octants),     cmocka_unit_test(norms_of_constraints),
    cmocka_unit_test(stages_have_their_times),
};
TEST_MAIN_WITH((tx_language_cuda_add ? tx_language_cuda_add() : (void)0,
                cmocka_run_group_tests(tests, NULL, NULL)))
