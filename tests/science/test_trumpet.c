/* One puncture settles to the stationary 1+log slice of Schwarzschild (Hannam et al., arXiv:0804.0628):
 * there, with areal radius R and d0 alpha = -2 alpha K,
 *     alpha^2 = 1 - 2 M/R + C^2 exp(alpha)/R^4,   K = C exp(alpha/2)/(2 R^2) d alpha/dR,
 * and C follows from regularity where alpha^2 has its critical point. */
#include "physics/bssn.h"
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct trumpet {
  double C2;     /* C^2, M^4 */
  double throat; /* R at the puncture, M */
} trumpet;

static double lapse_equation(double C2, double R, double alpha) {
  return alpha * alpha - 1.0 + 2.0 / R - C2 * exp(alpha) / (R * R * R * R);
}

/* At the critical point F = dF/dR = dF/dalpha = 0: 2 alpha = C^2 e^alpha/R^4 and 2/R^2 = 4 C^2 e^alpha/R^5 give
 * R = 1/(4 alpha), and F = 0 gives alpha^2 + 6 alpha - 1 = 0. */
static double critical_lapse(void) {
  return sqrt(10.0) - 3.0;
}

static trumpet stationary(void) {
  trumpet s;
  double a = critical_lapse(), R = 1.0 / (4.0 * a);
  s.C2 = 2.0 * a * exp(-a) * R * R * R * R;
  double low = 1.0, high = R; /* alpha = 0: 1 - 2/R + C^2/R^4 = 0, the root above 1 */
  for (int i = 0; i < 200; i++) {
    double mid = 0.5 * (low + high);
    if (lapse_equation(s.C2, mid, 0.0) < 0.0)
      low = mid;
    else
      high = mid;
  }
  s.throat = low;
  return s;
}

/* The branch that runs from 0 at the throat through the critical point to 1 at infinity. For fixed R
 * lapse_equation has its minimum over alpha near critical_lapse; outside the critical radius the
 * solution lies above it, inside below. */
static double lapse_of(const trumpet *s, double R) {
  double least = 0.0, low, high;
  for (int i = 0; i < 200; i++) least = 0.5 * s->C2 * exp(least) / (R * R * R * R);
  bool outside = R > 1.0 / (4.0 * critical_lapse());
  low = outside ? least : 0.0;
  high = outside ? 1.0 : least;
  for (int i = 0; i < 200; i++) {
    double mid = 0.5 * (low + high);
    if ((lapse_equation(s->C2, R, mid) > 0.0) == outside)
      high = mid;
    else
      low = mid;
  }
  return 0.5 * (low + high);
}

static double curvature_of(const trumpet *s, double R) {
  double d = 1e-4, slope = (lapse_of(s, R + d) - lapse_of(s, R - d)) / (2.0 * d);
  return 0.5 * sqrt(s->C2) * exp(0.5 * lapse_of(s, R)) / (R * R) * slope;
}

static void test_stationary_slice_has_the_published_numbers(void **state) {
  trumpet s = stationary();
  assert_true(fabs(s.throat - 1.312408) < 1e-6);
  assert_true(fabs(lapse_of(&s, 2.0) - 0.376179) < 1e-6);
  assert_true(fabs(curvature_of(&s, 2.0) - 0.066811) < 1e-6);
}

/* alpha, K (of Z4c Khat + 2 Theta, Theta being its last variable) and R at points on a ray through the puncture along `n`. */
typedef struct ray_point {
  double r, R, alpha, K, chi;
} ray_point;

static void sample_ray(tx_sim *sim, const double n[3], size_t count, double first, double step,
                       ray_point *out) {
  const size_t n_vars = (size_t)sim->system->n_vars;
  double(*x)[3] = malloc(count * sizeof *x), *u = malloc(count * n_vars * sizeof *u);
  assert_true(x && u);
  for (size_t q = 0; q < count; q++)
    for (int d = 0; d < 3; d++) x[q][d] = (first + step * (double)q) * n[d];
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  assert_int_equal(
      tx_exec_sample(
          sim->exec, sim->u,
          &(tx_probe){.n = count, .points = (const double(*)[3])x, .n_derivs = 1, .jets = u}),
      TX_OK);
  for (size_t q = 0; q < count; q++) {
    const double *v = u + q * n_vars, *g = v + TX_VAR_GT00;
    double m[3][3] = {{g[0], g[1], g[2]}, {g[1], g[3], g[4]}, {g[2], g[4], g[5]}}, along = 0.0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) along += m[i][j] * n[i] * n[j];
    /* Spherical symmetry and det gt = 1: the metric across the ray is 1/sqrt(gt_nn). */
    double r = first + step * (double)q;
    out[q] = (ray_point){r, r * sqrt(1.0 / (sqrt(along) * v[TX_VAR_CHI])), v[TX_VAR_ALPHA],
                         v[TX_VAR_K] + (n_vars > TX_VARS ? 2.0 * v[TX_VARS] : 0.0), v[TX_VAR_CHI]};
  }
  free(x);
  free(u);
}

/* Parameters of the run: the finest level within `radius` of the puncture, twice the spacing within twice
 * that, and so on. */
static void puncture(tx_params *p, double extent, int level_max, double radius, double t_end) {
  tx_params_default(p);
  p->grid_extent = extent;
  p->grid_reflect = TX_DIMS_XYZ;
  p->grid_level_max = level_max;
  p->grid_bh_radius = radius;
  p->initial_data_type = TX_ID_PUNCTURE;
  p->initial_data_bhN_mass[0] = 1.0;
  p->run_t_end = t_end;
}

/* Largest deviations of alpha and of K, 1/M, for 1.5 M <= R <= 6 M along an axis and a diagonal; relative
 * ones of both at the horizon, R = 2 M, and of the throat. */
typedef struct misfit {
  double alpha, K, horizon_alpha, horizon_K, throat;
} misfit;

/* The throat from two points of the axis: R = R0 + O(r^1.0913) at the puncture. */
static double throat_of(tx_sim *sim) {
  static const double axis[3] = {0, 0, 1};
  double h = tx_mesh_spacing(sim->mesh, sim->mesh->level_highest);
  ray_point ray[2];
  sample_ray(sim, axis, 2, 3.0 * h, 2.0 * h, ray);
  double a = pow(ray[0].r, 1.0913), b = pow(ray[1].r, 1.0913);
  return (ray[0].R * b - ray[1].R * a) / (b - a);
}

static misfit compare(tx_sim *sim) {
  enum { COUNT = 400 };
  static const double third = 0.57735026918962576;
  const double direction[2][3] = {{0, 0, 1}, {third, third, third}};
  trumpet s = stationary();
  misfit m = {.throat = fabs(throat_of(sim) / s.throat - 1.0)};
  for (int a = 0; a < 2; a++) {
    ray_point ray[COUNT];
    double nearest = 1.0;
    sample_ray(sim, direction[a], COUNT, 0.0175, 0.0175, ray);
    for (int q = 0; q < COUNT; q++) {
      if (ray[q].R < 1.5 || ray[q].R > 6.0) continue;
      double d_alpha = fabs(ray[q].alpha - lapse_of(&s, ray[q].R));
      double d_K = fabs(ray[q].K - curvature_of(&s, ray[q].R));
      m.alpha = fmax(m.alpha, d_alpha);
      m.K = fmax(m.K, d_K);
      if (fabs(ray[q].R - 2.0) >= nearest) continue;
      nearest = fabs(ray[q].R - 2.0);
      m.horizon_alpha = d_alpha / lapse_of(&s, ray[q].R);
      m.horizon_K = d_K / curvature_of(&s, ray[q].R);
    }
  }
  print_message("t = %g: alpha off by %.1e, K by %.1e; at the horizon by %.1e and %.1e of "
                "themselves; throat by %.1e\n",
                sim->t, m.alpha, m.K, m.horizon_alpha, m.horizon_K, m.throat);
  return m;
}

/* Coordinate radius of the horizon, R = 2 M, on an axis. */
static double horizon_radius(tx_sim *sim) {
  enum { COUNT = 100 };
  static const double axis[3] = {0, 0, 1};
  ray_point ray[COUNT];
  sample_ray(sim, axis, COUNT, 0.5, 0.02, ray);
  for (int q = 1; q < COUNT; q++)
    if (ray[q].R >= 2.0) return ray[q].r - 0.02 * (ray[q].R - 2.0) / (ray[q].R - ray[q - 1].R);
  return NAN;
}

static void constraints(tx_sim *sim, tx_norms *out) {
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  assert_int_equal(tx_sim_norms(sim, out), TX_OK);
  print_message("t = %g: |H| %.1e, |M^x| %.1e, |G^x| %.1e\n", sim->t, out->l2[TX_CONSTRAINT_H],
                out->l2[TX_CONSTRAINT_M0], out->l2[TX_CONSTRAINT_G0]);
}

/* Of the quick tests: as of the runs in par. */
#define CFL 0.45

/* A quarter of the work; no number that is printed differs by more than 4% from that of one step for all levels. */
static void steps_of_levels(tx_params *p) {
  p->evolution_time_steps = TX_STEPS_LEVELS;
  p->evolution_macro_step = 1.0;
}

/* At t = 30 M the slice still rings, on any grid: K at the horizon is 2.2% high with h = M/16 and with M/32.
 * The constraints' norms, 1e-6 to 8e-6 by then, grow as a power of t while the gauge pulse expands into ever
 * coarser levels. */
static void test_puncture_becomes_a_trumpet(void **state) {
  tx_params p;
  tx_norms early, late;
  puncture(&p, 64.0, 7, 0.9, 15.0); /* h = M/16 for x, y, z < 1 M */
  p.evolution_cfl = CFL;
  steps_of_levels(&p);
  tx_sim *sim = simulate(&p);
  constraints(sim, &early);
  simulate_to(sim, &p, 30.0);
  constraints(sim, &late);
  misfit m = compare(sim);
  assert_true(m.horizon_alpha < 0.02 && m.throat < 0.02 && m.horizon_K < 0.03);
  simulate_to(sim, &p, 36.0);
  m = compare(sim);
  assert_true(m.horizon_alpha < 0.02 && m.throat < 0.02 && m.horizon_K < 0.02);
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    assert_true(early.l2[c] < 5e-6);
    assert_true(late.l2[c] < 1.5e-5);
  }
  for (int d = 0; d < 3; d++) assert_true(sim->tracker.at[0].x[d] == 0.0);
  tx_sim_destroy(sim);
}

/* The damping of the shift changes the coordinates, not the slice: alpha(R) and K(R) are by then as far from
 * the trumpet as with constant eta = 2/M (alpha 5.4e-3, K 3.9e-3, throat 4.2e-3). The horizon's coordinate
 * radius, 1.20 M with that, is smaller the less damping there is: about 1/M near the hole with the metric
 * form, from 2/M down to 0.25/M over the first 2 M with the radial one. */
static void choice_leaves_the_slice(tx_evolved system, int form, double least_radius,
                                    double largest_radius) {
  tx_params p;
  puncture(&p, 64.0, TX_N == 8 ? 6 : 5, 0.9, 24.0); /* h = M/8 for x, y, z < 1 M */
  p.evolution_cfl = CFL;
  p.gauge_eta_form = form;
  p.evolution_system = system;
  if (system == TX_EVOLVED_Z4C) p.gauge_lambda_f0 = 4.0 / 3.0;
  if (form == TX_ETA_RADIAL) p.gauge_eta_radius = 2.0;
  steps_of_levels(&p);
  tx_sim *sim = simulate(&p);
  misfit m = compare(sim);
  assert_true(m.alpha < 0.01 && m.K < 0.01 && m.throat < 0.02);
  assert_true(m.horizon_alpha < 0.02 && m.horizon_K < 0.05);
  double r = horizon_radius(sim);
  print_message("the horizon is at r = %.4f M\n", r);
  assert_true(r > least_radius && r < largest_radius);
  tx_sim_destroy(sim);
}

static void test_radial_eta_leaves_the_slice(void **state) {
  choice_leaves_the_slice(TX_EVOLVED_BSSN, TX_ETA_RADIAL, 0.85, 0.95);
}

static void test_metric_eta_leaves_the_slice(void **state) {
  choice_leaves_the_slice(TX_EVOLVED_BSSN, TX_ETA_METRIC, 1.0, 1.1);
}

/* Z4c has the same slice once Theta is 0 there. */
static void test_z4c_leaves_the_slice(void **state) {
  choice_leaves_the_slice(TX_EVOLVED_Z4C, TX_ETA_CONSTANT, 1.0, 1.4);
}

static void test_puncture_at_high_resolution(void **state) {
  tx_params p;
  puncture(&p, 128.0 / 3.0, 8, 0.3, 50.0); /* h = M/48 for x, y, z < M/3 */
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  tx_sim *sim = simulate(&p);
  misfit m = compare(sim);
  assert_true(m.alpha < 1e-3 && m.K < 1e-3);
  tx_sim_destroy(sim);
}

static const struct CMUnitTest quick[] = {
    cmocka_unit_test(test_stationary_slice_has_the_published_numbers),
    cmocka_unit_test(test_puncture_becomes_a_trumpet),
    cmocka_unit_test(test_radial_eta_leaves_the_slice),
    cmocka_unit_test(test_metric_eta_leaves_the_slice),
    cmocka_unit_test(test_z4c_leaves_the_slice),
};
static const struct CMUnitTest slow[] = {cmocka_unit_test(test_puncture_at_high_resolution)};

static int run(bool high) {
  return high ? cmocka_run_group_tests(slow, NULL, NULL)
              : cmocka_run_group_tests(quick, NULL, NULL);
}

TEST_MAIN_WITH(run(argc > 1 && strcmp(argv[1], "slow") == 0))
