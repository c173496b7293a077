/* Which level octants get: distances, hysteresis, the ball, wavelet errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/grid.h"
#include "evolve/policy.h"

static void spread(tx_policy *p) {
  for (int a = 0; a < p->n_focus; a++) tx_focus_spread(&p->focus[a]);
  tx_focus_spread(&p->ball);
}

static tx_policy one_focus(void) {
  tx_policy p = {
      .may_coarsen = true,
      .level_min = 1,
      .level_max = 8,
      .n_focus = 1,
      .focus = {{.x = {3.0, 0.0, 0.0}, .level = 6, .radius = 1.0, .growth = 2.0}},
      .coarsen_below = 0.1,
  };
  spread(&p);
  return p;
}

/* The level up to which octants here want to be refined. */
static int asked(const tx_policy *p, const double low[3], double size) {
  int level = 0;
  while (tx_policy_flag(p, low, size, level, 0.0) == 1) level++;
  return level;
}

/* `least`, or what a focus asks for at a distance if that is finer: radius by radius, without its table of reaches. */
static int focus_level(const tx_focus *focus, double distance, int least) {
  if (!(focus->radius > 0.0)) return least;
  int level = focus->level;
  for (double reach = focus->radius; distance > reach && level > least; reach *= focus->growth)
    level--;
  return level > least ? level : least;
}

/* Least level of a box by distances alone, distances divided by `margin`. */
static int distance_level(const tx_policy *p, const double low[3], double size, double margin) {
  int level = focus_level(&p->ball, tx_box_distance(low, size, p->ball.x) / margin, p->level_min);
  for (int a = 0; a < p->n_focus; a++)
    level = focus_level(&p->focus[a], tx_box_distance(low, size, p->focus[a].x) / margin, level);
  return level < p->level_max ? level : p->level_max;
}

static void distance_to_a_box(void **state) {
  (void)state;
  const double low[3] = {0.0, 0.0, 0.0};
  assert_true(tx_box_distance(low, 2.0, (double[]){1.0, 2.0, 0.0}) == 0.0);
  assert_true(tx_box_distance(low, 2.0, (double[]){-3.0, 1.0, 1.0}) == 3.0);
  assert_true(tx_box_distance(low, 2.0, (double[]){5.0, 6.0, 1.0}) == 5.0);
  assert_float_equal(tx_box_distance(low, 2.0, (double[]){3.0, 3.0, 3.0}), sqrt(3.0), 1e-15);
}

/* Level 6 to a distance of 1, 5 to 2, 4 to 4 ... or to 1.5, 2.25 ..., and never below level_min. */
static void levels_fall_with_growing_distance(void **state) {
  (void)state;
  static const struct {
    double distance;
    int doubling, half_more;
  } expect[] = {{0.0, 6, 6}, {1.0, 6, 6}, {1.001, 5, 5}, {1.6, 5, 4}, {2.0, 5, 4},  {2.001, 4, 4},
                {2.3, 4, 3}, {4.0, 4, 2}, {4.5, 3, 2},   {8.5, 2, 1}, {16.5, 1, 1}, {100.0, 1, 1}};
  tx_policy p = one_focus();
  for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
    const double low[3] = {3.0 + expect[i].distance, -0.25, -0.25};
    p.focus[0].growth = 2.0;
    spread(&p);
    assert_int_equal(asked(&p, low, 0.5), expect[i].doubling);
    p.focus[0].growth = 1.5;
    spread(&p);
    assert_int_equal(asked(&p, low, 0.5), expect[i].half_more);
  }
}

static void the_finest_of_all_wins_up_to_level_max(void **state) {
  (void)state;
  tx_policy p = one_focus();
  p.n_focus = 2;
  p.focus[1] = (tx_focus){.x = {-3.0, 0.0, 0.0}, .level = 8, .radius = 0.5, .growth = 2.0};
  p.ball = (tx_focus){.level = 3, .radius = 20.0, .growth = 1.0};
  spread(&p);
  assert_int_equal(asked(&p, (double[]){3.0, 0.0, 0.0}, 0.25), 6);
  assert_int_equal(asked(&p, (double[]){-3.0, 0.0, 0.0}, 0.25), 8);
  assert_int_equal(asked(&p, (double[]){0.0, 0.0, 19.0}, 0.25), 3);
  assert_int_equal(asked(&p, (double[]){0.0, 0.0, 20.1}, 0.25), 2);
  p.level_max = 7;
  assert_int_equal(asked(&p, (double[]){-3.0, 0.0, 0.0}, 0.25), 7);
}

/* Around the ball by its own factor; without growth it has an edge, and there is nothing beyond. */
static void levels_around_the_ball_fall_by_its_growth(void **state) {
  (void)state;
  tx_policy p = {.level_min = 2, .level_max = 8, .ball = {.level = 6, .radius = 20.0}};
  static const struct {
    double distance;
    int growing, sharp;
  } expect[] = {{0.0, 6, 6},  {20.0, 6, 6}, {20.1, 5, 2}, {30.0, 5, 2},
                {30.1, 4, 2}, {45.1, 3, 2}, {67.6, 2, 2}, {1e6, 2, 2}};
  for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
    const double low[3] = {-0.25, expect[i].distance, -0.25};
    p.ball.growth = 1.5;
    spread(&p);
    assert_int_equal(asked(&p, low, 0.5), expect[i].growing);
    p.ball.growth = 1.0;
    spread(&p);
    assert_int_equal(asked(&p, low, 0.5), expect[i].sharp);
  }
}

static void radius_zero_refines_nothing(void **state) {
  (void)state;
  tx_policy p = one_focus();
  p.focus[0].radius = 0.0;
  spread(&p);
  assert_int_equal(asked(&p, p.focus[0].x, 0.25), 1);
}

/* Between the radius and 1.25 of it an octant keeps the level it has. */
static void octants_at_a_radius_do_not_flicker(void **state) {
  (void)state;
  tx_policy p = one_focus();
  const double inside[3] = {3.9, 0.0, 0.0}, between[3] = {4.2, 0.0, 0.0},
               beyond[3] = {4.3, 0.0, 0.0};
  assert_int_equal(tx_policy_flag(&p, inside, 0.5, 5, 0.0), 1);
  assert_int_equal(tx_policy_flag(&p, inside, 0.5, 6, 0.0), 0);
  assert_int_equal(tx_policy_flag(&p, between, 0.5, 5, 0.0), 0);
  assert_int_equal(tx_policy_flag(&p, between, 0.5, 6, 0.0), 0);
  assert_int_equal(tx_policy_flag(&p, beyond, 0.5, 5, 0.0), 0);
  assert_int_equal(tx_policy_flag(&p, beyond, 0.5, 6, 0.0), -1);
  p.may_coarsen = false;
  assert_int_equal(tx_policy_flag(&p, beyond, 0.5, 6, 0.0), 0);
}

/* The same as from the least levels of distances, also of octants that are finer or coarser than allowed. */
static void an_octant_wants_what_distances_ask_for(void **state) {
  (void)state;
  tx_policy p = one_focus();
  unsigned seed = 1;
  int flags[3] = {0, 0, 0};
  p.n_focus = 2;
  p.focus[1] = (tx_focus){.x = {-3.0, 0.5, 0.0}, .level = 7, .radius = 0.5, .growth = 1.6};
  p.ball = (tx_focus){.level = 4, .radius = 6.0, .growth = 1.5};
  p.level_min = 2;
  p.level_max = 7;
  spread(&p);
  for (int n = 0; n < 20000; n++) {
    const int level = n % 10;
    double low[3];
    for (int d = 0; d < 3; d++) {
      seed = seed * 1664525u + 1013904223u;
      low[d] = 16.0 * ((double)seed / 4294967296.0 - 0.5);
    }
    const double size = ldexp(16.0, -level);
    const int least = distance_level(&p, low, size, 1.0);
    const int keep = distance_level(&p, low, size, TX_POLICY_MARGIN);
    const int flag = tx_policy_flag(&p, low, size, level, 0.0);
    assert_int_equal(flag, level < least ? 1 : level > keep ? -1 : 0);
    flags[flag + 1]++;
  }
  for (int w = 0; w < 3; w++) assert_true(flags[w] > 100);
}

static void levels_stay_within_their_limits(void **state) {
  (void)state;
  tx_policy p = one_focus();
  const double far[3] = {1000.0, 0.0, 0.0};
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 1, 0.0), 0);
  p.wavelet_tol = 1e-3;
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 8, 1.0), 0);
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 7, 1.0), 1);
  p.level_max = 5; /* lowered on the way: what is finer goes, whatever asks for it */
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 6, 1.0), -1);
  assert_int_equal(tx_policy_flag(&p, p.focus[0].x, 0.5, 6, 1.0), -1);
  assert_int_equal(tx_policy_flag(&p, p.focus[0].x, 0.5, 5, 1.0), 0);
  p.may_coarsen = false;
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 6, 1.0), 0);
}

static void wavelet_errors_refine_and_coarsen(void **state) {
  (void)state;
  tx_policy p = one_focus();
  const double far[3] = {1000.0, 0.0, 0.0};
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 3, 1.0), -1); /* errors count only if asked for */
  p.wavelet_tol = 1e-3;
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 3, 1.01e-3), 1);
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 3, 0.99e-3), 0);
  /* Below a tenth of the tolerance, but the error one level coarser, 2^6 times it, would be
   * above. */
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 3, 0.9e-4), 0);
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 3, 1.4e-5), -1);
  assert_int_equal(tx_policy_flag(&p, far, 4.0, 3, NAN), 0);
  /* Near the puncture the distance does not allow it. */
  assert_int_equal(tx_policy_flag(&p, (double[]){3.0, 0.0, 0.0}, 0.5, 6, 0.0), 0);
}

static void tolerance_grows_with_radius(void **state) {
  (void)state;
  tx_policy p = {.wavelet_tol = 1e-4, .wavelet_tol_far = 1e-2, .wavelet_radius = 100.0};
  assert_true(tx_policy_tolerance(&p, 0.0) == 1e-4);
  assert_true(tx_policy_tolerance(&p, 0.5) == 1e-4);
  assert_float_equal(tx_policy_tolerance(&p, 50.0), 5e-3, 1e-17);
  assert_true(tx_policy_tolerance(&p, 100.0) == 1e-2);
  assert_true(tx_policy_tolerance(&p, 1e6) == 1e-2);
  p.wavelet_tol_far = 0.0;
  assert_true(tx_policy_tolerance(&p, 1e6) == 1e-4);
}

static void punctures_are_mirrored_into_the_domain(void **state) {
  (void)state;
  tx_params params;
  tx_policy p;
  const double x[2][3] = {{1.0, -2.0, -3.0}, {-1.0, 2.0, 3.0}};
  const int level[2] = {4, 5};
  tx_params_default(&params);
  params.grid_level_max = 5;
  params.grid_reflect = TX_DIMS_YZ;
  tx_policy_init(&params, 2, x, level, &p);
  assert_int_equal(p.n_focus, 2);
  assert_true(p.focus[0].x[0] == 1.0 && p.focus[0].x[1] == 2.0 && p.focus[0].x[2] == 3.0);
  assert_true(p.focus[1].x[0] == -1.0 && p.focus[1].level == 5);
}

static void radii_and_growths_are_those_of_the_parameters(void **state) {
  (void)state;
  tx_params params;
  tx_policy p;
  const double x[1][3] = {{1.0, 2.0, 3.0}};
  tx_params_default(&params);
  assert_true(params.grid_bh_growth == 2.0 && params.grid_ball_growth == 1.0);
  params.grid_bh_radius = 0.7;
  params.grid_bh_growth = 1.6;
  params.grid_ball_level = 3;
  params.grid_ball_radius = 40.0;
  params.grid_ball_growth = 1.5;
  tx_policy_init(&params, 1, x, (int[]){5}, &p);
  assert_true(p.focus[0].radius == 0.7 && p.focus[0].growth == 1.6);
  params.grid_bhN_radius[1] = 1.9;
  tx_policy_init(&params, 2, (double[2][3]){{0.0}}, (int[]){5, 4}, &p);
  assert_true(p.focus[0].radius == 0.7 && p.focus[1].radius == 1.9);
  assert_true(p.focus[1].reach[4] == 1.9 && p.focus[1].reach[3] == 1.6 * 1.9);
  assert_true(p.ball.level == 3 && p.ball.radius == 40.0 && p.ball.growth == 1.5);
  assert_true(p.ball.x[0] == 0.0 && p.ball.x[1] == 0.0 && p.ball.x[2] == 0.0);
}

/* Along x a box just within the reach of a level is to have it, one just beyond is not. */
static void the_reach_of_the_ball_is_that_of_its_levels(void **state) {
  (void)state;
  tx_params params;
  tx_policy p;
  const double tiny = 1e-6;
  tx_params_default(&params);
  params.grid_extent = 300.0;
  params.grid_level_min = 1;
  params.grid_level_max = params.grid_ball_level = 5;
  params.grid_ball_radius = 40.0;
  params.grid_ball_growth = 1.5;
  tx_policy_init(&params, 0, NULL, NULL, &p);
  for (int level = 2; level < 5; level++) {
    const double reach = tx_policy_ball_reach(&params, level);
    const double within[3] = {reach - tiny, 0.0, 0.0}, beyond[3] = {reach + tiny, 0.0, 0.0};
    assert_int_equal(asked(&p, within, tiny), level);
    assert_int_equal(asked(&p, beyond, tiny), level - 1);
  }
  assert_true(tx_policy_ball_reach(&params, 1) == 300.0);
  params.grid_extent = 80.0;
  assert_true(tx_policy_ball_reach(&params, 4) == 60.0 && tx_policy_ball_reach(&params, 3) == 80.0);
}

static void puncture_levels_default_to_level_max(void **state) {
  (void)state;
  tx_params p;
  tx_params_default(&p);
  p.grid_level_max = 7;
  p.grid_bhN_level[1] = 5;
  assert_int_equal(tx_policy_puncture_level(&p, 0), 7);
  assert_int_equal(tx_policy_puncture_level(&p, 1), 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distance_to_a_box),
      cmocka_unit_test(levels_fall_with_growing_distance),
      cmocka_unit_test(the_finest_of_all_wins_up_to_level_max),
      cmocka_unit_test(levels_around_the_ball_fall_by_its_growth),
      cmocka_unit_test(radius_zero_refines_nothing),
      cmocka_unit_test(octants_at_a_radius_do_not_flicker),
      cmocka_unit_test(an_octant_wants_what_distances_ask_for),
      cmocka_unit_test(levels_stay_within_their_limits),
      cmocka_unit_test(wavelet_errors_refine_and_coarsen),
      cmocka_unit_test(tolerance_grows_with_radius),
      cmocka_unit_test(punctures_are_mirrored_into_the_domain),
      cmocka_unit_test(radii_and_growths_are_those_of_the_parameters),
      cmocka_unit_test(the_reach_of_the_ball_is_that_of_its_levels),
      cmocka_unit_test(puncture_levels_default_to_level_max),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
