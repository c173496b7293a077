/* What the GPU does point by point against the CPU: the outer boundary, updates, algebraic constraints, norms. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/backend.h"
#include "physics/bssn.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

/* One mesh, a plan on the CPU and one on the backend of the environment, and their fields. */
enum { CPU, GPU, BACKENDS };
enum { U, Y, SUM, NEXT, FIELDS };
typedef struct rig {
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x[BACKENDS];
  tx_field *f[BACKENDS][FIELDS];
} rig;

static const tx_system_params params = {.eta = 2.0,
                                        .lambda_f0 = 0.75,
                                        .advect_lapse = 1.0,
                                        .sigma = 0.1,
                                        .sigma_outside = 0.2,
                                        .over_reach2 = {[1] = 0.05, [2] = 0.2},
                                        .chi_floor = 0.97,
                                        .alpha_floor = 0.96};

static rig rig_on(tx_domain domain, int rounds, int low, int high) {
  const tx_backend *const backend[] = {&tx_backend_cpu, tx_exec_backend()};
  rig r;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 11, rounds, low, high, &r.tree, &r.mesh));
  for (int a = 0; a < BACKENDS; a++) {
    tx_exec_use(backend[a]);
    OK(tx_exec_create(r.mesh, TX_VARS, &r.x[a]));
    for (int f = 0; f < FIELDS; f++) OK(tx_field_create_state(r.x[a], &tx_bssn, &r.f[a][f]));
  }
  assert_true(backend[GPU] != &tx_backend_cpu);
  return r;
}

static void rig_off(rig *r) {
  for (int a = 0; a < BACKENDS; a++) {
    for (int f = 0; f < FIELDS; f++) tx_field_destroy(r->f[a][f]);
    tx_exec_destroy(r->x[a]);
  }
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

/* Noise about flat space, another one in each field, the same on both backends; ghosts of Y. */
static void rig_fill(rig *r, double size) {
  uint64_t state = 88172645463325252u;
  for (int f = 0; f < FIELDS; f++)
    for (tx_lidx b = 0; b < r->mesh->n_local; b++) {
      double *cpu, *gpu;
      OK(tx_field_octant(r->f[CPU][f], b, &cpu));
      OK(tx_field_octant(r->f[GPU][f], b, &gpu));
      for (int i = 0; i < TX_VARS * TX_N3; i++) {
        state ^= state << 13; /* xorshift */
        state ^= state >> 7;
        state ^= state << 17;
        const double noise = 2.0 * (double)(state >> 11) / 9007199254740992.0 - 1.0;
        gpu[i] = cpu[i] = tx_bssn.variable[i / TX_N3].infinity + size * noise;
      }
    }
  for (int a = 0; a < BACKENDS; a++) {
    OK(tx_test_poison(r->x[a]));
    OK(tx_ghosts_fill(r->x[a], r->f[a][Y]));
  }
}

/* Evolved ones, and those that are extrapolated. */
static bool outermost(unsigned outer, int point) {
  const int at[3] = {point % TX_N, point / TX_N % TX_N, point / (TX_N * TX_N)};
  for (int d = 0; d < 3; d++)
    if ((outer & TX_FACE_BIT(d, 0) && at[d] <= 1) ||
        (outer & TX_FACE_BIT(d, 1) && at[d] == TX_N - 1))
      return true;
  return false;
}

/* The larger one; NaN once there was one. */
static double larger(double most, double value) {
  return value <= most || most != most ? most : value;
}

/* Largest difference of a field between the backends, over each variable's largest magnitude; over all
 * points, or the outermost ones. */
static double difference(const rig *r, int f, bool outermost_only) {
  double worst[TX_VARS] = {0.0}, most[TX_VARS] = {0.0}, result = 0.0;
  int n = 0;
  for (tx_lidx b = 0; b < r->mesh->n_local; b++) {
    const double *cpu, *gpu;
    OK(tx_field_view(r->f[CPU][f], b, &cpu));
    OK(tx_field_view(r->f[GPU][f], b, &gpu));
    for (int i = 0; i < TX_VARS * TX_N3; i++) {
      if (outermost_only && !outermost(r->mesh->ghosts.outer[b], i % TX_N3)) continue;
      const int v = i / TX_N3;
      worst[v] = larger(worst[v], fabs(cpu[i] - gpu[i]));
      most[v] = fmax(most[v], fabs(cpu[i]));
      n++;
    }
  }
  assert_true(n > 0);
  for (int v = 0; v < TX_VARS; v++) {
    assert_true(most[v] > 0.0);
    result = larger(result, worst[v] / most[v]);
  }
  return result;
}

/* Several kinds of domains that have outer faces, refined; fewer of them with larger octants, to save time. Where all dimensions
 * are mirrors, level 0 is one octant. */
static const int domains[] = {0, 13, 18, 7};
enum { DOMAINS = TX_N > 8 ? 2 : sizeof domains / sizeof *domains };

static rig rig_refined(int n) {
  const int low = domains[n] == 13 || n % 2 == 0;
  return rig_on(tx_test_domain(domains[n]), n % 2, low, low + n % 2);
}

static void outermost_right_hand_sides(void **state) {
  for (int n = 0; n < DOMAINS; n++) {
    rig r = rig_refined(n);
    rig_fill(&r, 0.05);
    for (int a = 0; a < BACKENDS; a++)
      OK(tx_exec_rhs(r.x[a], tx_exec_all(r.x[a]), &params, r.f[a][Y], r.f[a][NEXT]));
    assert_true(difference(&r, NEXT, true) < 1e-12);
    rig_off(&r);
  }
}

/* Forms of the gauge, on grids with mirrors in all dimensions, without, and refined; all points. With larger octants
 * every second: the forms are the same for any. */
static void right_hand_sides(void **state) {
  tx_system_params radial = params, metric = params, powers = params, harmonic = params;
  radial.eta_form = TX_ETA_RADIAL;
  radial.eta_far = 0.25;
  radial.eta_radius = 10.0;
  radial.advect_shift = radial.advect_B = radial.advect_Gt = 1.0;
  radial.lapse_pull = 0.6;
  powers.lapse_pull = 2.0;
  metric.eta_form = powers.eta_form = TX_ETA_METRIC;
  metric.eta_R0 = powers.eta_R0 = 1.31;
  metric.eta_a = 1.0;
  metric.eta_b = 2.0;
  metric.eta_max = powers.eta_max = 3.0;
  powers.eta_a = 1.5;
  powers.eta_b = 2.5;
  powers.advect_B = 1.0;
  powers.lambda_f1 = 0.5;
  harmonic.slicing = TX_SLICING_HARMONIC;
  const struct {
    const tx_system_params *p;
    int domain, rounds, low, high;
  } cases[] = {{&radial, 13, 1, 0, 1},
               {&metric, 26, 1, 0, 1},
               {&powers, 5, 0, 1, 1},
               {&harmonic, 0, 0, 1, 1}};
  const size_t step = TX_N > 8 ? 2 : 1;
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n += step) {
    rig r = rig_on(tx_test_domain(cases[n].domain), cases[n].rounds, cases[n].low, cases[n].high);
    rig_fill(&r, 0.05);
    for (int a = 0; a < BACKENDS; a++)
      OK(tx_exec_rhs(r.x[a], tx_exec_all(r.x[a]), cases[n].p, r.f[a][Y], r.f[a][NEXT]));
    assert_true(difference(&r, NEXT, false) < 1e-12);
    rig_off(&r);
  }
}

/* The three kinds of stages of a step; what is enforced differs. */
static void outermost_points_of_stages(void **state) {
  rig r = rig_on(tx_test_domain(1), 1, 0, 1);
  for (int kind = 0; kind < 3; kind++) {
    double worst[BACKENDS][2];
    rig_fill(&r, 0.05);
    for (int a = 0; a < BACKENDS; a++) {
      tx_field **f = r.f[a];
      const tx_stage stage = {.u = f[U],
                              .y = f[Y],
                              .base_sum = kind == 0 ? f[U] : f[SUM],
                              .sum = f[SUM],
                              .next = kind == 2 ? NULL : f[NEXT],
                              .dt_sum = 0.01,
                              .dt_next = 0.03};
      OK(tx_exec_stage(r.x[a], tx_exec_all(r.x[a]), &params, &stage));
      OK(tx_exec_algebraic(r.x[a], worst[a]));
    }
    assert_true(difference(&r, SUM, true) < 1e-12);
    if (kind < 2) assert_true(difference(&r, NEXT, true) < 1e-12);
    for (int i = 0; i < 2; i++) assert_float_equal(worst[GPU][i], worst[CPU][i], 1e-12);
  }
  rig_off(&r);
}

static void updates(void **state) {
  rig r = rig_on(tx_test_domain(0), 1, 0, 1);
  for (int kind = 0; kind < 2; kind++) {
    rig_fill(&r, 0.05);
    for (int a = 0; a < BACKENDS; a++) {
      tx_field **f = r.f[a];
      const tx_stage stage = {.u = f[U],
                              .y = f[Y],
                              .base_sum = f[kind ? SUM : U],
                              .sum = f[SUM],
                              .next = kind ? NULL : f[NEXT],
                              .dt_sum = 0.1,
                              .dt_next = 0.7};
      OK(tx_exec_update(r.x[a], tx_exec_all(r.x[a]), f[Y], &stage));
    }
    assert_true(difference(&r, SUM, false) < 1e-15);
    assert_true(difference(&r, NEXT, false) < 1e-15);
  }
  rig_off(&r);
}

/* Metrics of determinants where the cube root is Newton's and where it is the library's. */
static void algebraic_constraints(void **state) {
  static const double scales[] = {1.0, 0.95, 1.05, 1.9, 0.2, 30.0};
  rig r = rig_on(tx_test_domain(0), 0, 1, 1);
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
    double worst[BACKENDS][2];
    rig_fill(&r, 0.05);
    for (int a = 0; a < BACKENDS; a++) {
      for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
        double *values;
        OK(tx_field_octant(r.f[a][Y], b, &values));
        for (int i = 0; i < 6 * TX_N3; i++) values[TX_VAR_GT00 * TX_N3 + i] *= scales[s];
      }
      OK(tx_exec_enforce(r.x[a], tx_exec_all(r.x[a]), &params, r.f[a][Y]));
      OK(tx_exec_algebraic(r.x[a], worst[a]));
    }
    assert_true(difference(&r, Y, false) < 1e-12);
    for (int i = 0; i < 2; i++) {
      assert_true(worst[CPU][i] > 0.0);
      assert_true(fabs(worst[GPU][i] / worst[CPU][i] - 1.0) < 1e-12);
    }
  }
  rig_off(&r);
}

/* A NaN at any point that is evolved shows, in either sign, until it was asked for. */
static void nan_is_the_largest_violation(void **state) {
  rig r = rig_on(tx_test_domain(0), 0, 1, 1);
  for (int n = 0; n < 2; n++) {
    double *values, worst[2];
    rig_fill(&r, 0.05);
    OK(tx_field_octant(r.f[GPU][Y], 3, &values));
    values[TX_VAR_AT12 * TX_N3 + TX_AT(5, 4, 3)] = n ? -NAN : NAN;
    OK(tx_exec_enforce(r.x[GPU], tx_exec_all(r.x[GPU]), &params, r.f[GPU][Y]));
    OK(r.x[GPU]->backend->algebraic(r.x[GPU], worst));
    assert_true(worst[0] > 0.01 && worst[0] < 1.0 && isnan(worst[1]));
    OK(r.x[GPU]->backend->algebraic(r.x[GPU], worst));
    assert_true(worst[0] == 0.0 && worst[1] == 0.0);
  }
  rig_off(&r);
}

/* Largest deviation of the numbers of an octant, over the largest of their kind. */
static double parts_differ(tx_lidx n, const tx_norm_part *a, const tx_norm_part *b) {
  const size_t numbers = sizeof *a / sizeof(double);
  double worst = 0.0;
  for (size_t c = 0; c < numbers; c++) {
    double most = 0.0, error = 0.0;
    for (tx_lidx i = 0; i < n; i++) {
      const double of_a = ((const double *)&a[i])[c], of_b = ((const double *)&b[i])[c];
      most = fmax(most, fabs(of_a));
      error = larger(error, fabs(of_a - of_b));
    }
    assert_true(most > 0.0);
    worst = larger(worst, error / most);
  }
  return worst;
}

static void norms_of_constraints(void **state) {
  static const tx_ball balls[] = {{{1.0, 2.0, 3.0}, 3.5}, {{-4.0, 5.0, 0.5}, 2.0}};
  for (int n = 0; n < DOMAINS; n++) {
    rig r = rig_refined(n);
    tx_norm_part *parts[BACKENDS];
    rig_fill(&r, 0.05);
    for (int a = 0; a < BACKENDS; a++) {
      OK(tx_alloc((size_t)r.mesh->n_local, sizeof **parts, "norms", &parts[a]));
      OK(r.x[a]->backend->constraints(r.x[a], tx_exec_all(r.x[a]), r.f[a][Y],
                                      &(tx_norms_of){&params, n % 3, balls}, parts[a]));
    }
    assert_true(parts_differ(r.mesh->n_local, parts[CPU], parts[GPU]) < 1e-12);
    for (int a = 0; a < BACKENDS; a++) tx_free(parts[a]);
    rig_off(&r);
  }
}

static void norms_show_what_is_not_finite(void **state) {
  static const tx_ball ball = {{-12.5, -12.5, -12.5}, 9.0};
  rig r = rig_on(tx_test_domain(0), 0, 1, 1);
  double *values;
  tx_norms norms;
  rig_fill(&r, 0.01);
  OK(tx_field_octant(r.f[GPU][Y], 0, &values));
  values[TX_VAR_K * TX_N3 + TX_AT(2, 2, 2)] = NAN;
  OK(tx_ghosts_fill(r.x[GPU], r.f[GPU][Y]));
  OK(tx_exec_constraints(r.x[GPU], tx_exec_all(r.x[GPU]), r.f[GPU][Y],
                         &(tx_norms_of){&params, 0, NULL}, &norms));
  assert_true(isnan(norms.l2[TX_CONSTRAINT_H]) && isnan(norms.max[TX_CONSTRAINT_H]));
  assert_true(norms.l2[TX_CONSTRAINT_G0] > 0.0);
  OK(tx_exec_constraints(r.x[GPU], tx_exec_all(r.x[GPU]), r.f[GPU][Y],
                         &(tx_norms_of){&params, 1, &ball}, &norms));
  assert_true(norms.l2[TX_CONSTRAINT_H] > 0.0);
  rig_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(outermost_right_hand_sides), cmocka_unit_test(right_hand_sides),
    cmocka_unit_test(outermost_points_of_stages), cmocka_unit_test(updates),
    cmocka_unit_test(algebraic_constraints),      cmocka_unit_test(nan_is_the_largest_violation),
    cmocka_unit_test(norms_of_constraints),       cmocka_unit_test(norms_show_what_is_not_finite),
};

TEST_MAIN(tests)
