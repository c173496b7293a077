/* Which level octants get: distances, hysteresis, the wave zone, wavelet errors, and how criteria are combined. */
#include <math.h>
#include <string.h>
#include "refine/criterion.h"
#include "refine/reach.h"
#include "support/cmocka.h"

/* A policy and its parameters. */
typedef struct one {
  tx_params params;
  tx_policy policy;
} one;

/* Level 6 within 1 of (3, 0, 0), and levels 1 to 8. */
static void one_puncture(one *o) {
  tx_params_default(&o->params);
  o->params.grid_level_min = 1;
  o->params.grid_level_max = 8;
  o->params.grid_bh_growth = 2.0;
  o->params.grid_coarsen_below = 0.1;
  tx_policy_init(&o->params, 1, (const double[1][3]){{3.0, 0.0, 0.0}}, (int[]){6}, &o->policy);
}

static void add_puncture(tx_policy *policy, const double x[3], int level, double radius) {
  const int a = policy->n_punctures++;
  tx_policy_move(policy, a, x);
  policy->puncture[a].level = level;
  policy->puncture[a].radius = radius;
}

static void wave_zone(tx_params *p, int level, double radius, double growth) {
  p->grid_ball_level = level;
  p->grid_ball_radius = radius;
  p->grid_ball_growth = growth;
}

/* Flag of a box by all criteria that need no data. */
static int flag_of(const tx_policy *policy, const double low[3], double size, int level) {
  tx_criteria criteria;
  tx_flag_octant octant = {.level = level, .size = size};
  memcpy(octant.low, low, sizeof octant.low);
  assert_int_equal(tx_criteria_begin(policy, &(tx_grid_data){NULL, NULL, NULL}, &criteria), TX_OK);
  const int flag = tx_criteria_flag(&criteria, &octant);
  tx_criteria_end(&criteria);
  return flag;
}

/* The level up to which octants here want to be refined. */
static int asked(const tx_policy *p, const double low[3], double size) {
  int level = 0;
  while (flag_of(p, low, size, level) == TX_REFINE) level++;
  return level;
}

/* `least`, or what is asked for at a distance if that is finer: radius by radius, without a table of reaches. */
static int level_at(const tx_policy_puncture *from, double growth, double distance, int least) {
  if (!(from->radius > 0.0)) return least;
  int level = from->level;
  for (double reach = from->radius; distance > reach && level > least; reach *= growth) level--;
  return level > least ? level : least;
}

/* Least level of a box by distances alone, distances divided by `margin`. */
static int distance_level(const tx_policy *p, const double low[3], double size, double margin) {
  const tx_params *q = p->params;
  const tx_policy_puncture zone = {{0.0}, q->grid_ball_level, q->grid_ball_radius};
  int level = level_at(&zone, q->grid_ball_growth, tx_box_distance(low, size, zone.x) / margin,
                       p->level_min);
  for (int a = 0; a < p->n_punctures; a++)
    level = level_at(&p->puncture[a], q->grid_bh_growth,
                     tx_box_distance(low, size, p->puncture[a].x) / margin, level);
  return level < p->level_max ? level : p->level_max;
}

static void distance_to_a_box(void **state) {
  const double low[3] = {0.0, 0.0, 0.0};
  assert_true(tx_box_distance(low, 2.0, (double[]){1.0, 2.0, 0.0}) == 0.0);
  assert_true(tx_box_distance(low, 2.0, (double[]){-3.0, 1.0, 1.0}) == 3.0);
  assert_true(tx_box_distance(low, 2.0, (double[]){5.0, 6.0, 1.0}) == 5.0);
  assert_float_equal(tx_box_distance(low, 2.0, (double[]){3.0, 3.0, 3.0}), sqrt(3.0), 1e-15);
}

/* Level 6 to a distance of 1, 5 to 2, 4 to 4 ... or to 1.5, 2.25 ..., and never below level_min. */
static void levels_fall_with_growing_distance(void **state) {
  static const struct {
    double distance;
    int doubling, half_more;
  } expect[] = {{0.0, 6, 6}, {1.0, 6, 6}, {1.001, 5, 5}, {1.6, 5, 4}, {2.0, 5, 4},  {2.001, 4, 4},
                {2.3, 4, 3}, {4.0, 4, 2}, {4.5, 3, 2},   {8.5, 2, 1}, {16.5, 1, 1}, {100.0, 1, 1}};
  one o;
  one_puncture(&o);
  for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
    const double low[3] = {3.0 + expect[i].distance, -0.25, -0.25};
    o.params.grid_bh_growth = 2.0;
    assert_int_equal(asked(&o.policy, low, 0.5), expect[i].doubling);
    o.params.grid_bh_growth = 1.5;
    assert_int_equal(asked(&o.policy, low, 0.5), expect[i].half_more);
  }
}

static void the_finest_of_all_wins_up_to_level_max(void **state) {
  one o;
  one_puncture(&o);
  const tx_policy *p = &o.policy;
  add_puncture(&o.policy, (double[]){-3.0, 0.0, 0.0}, 8, 0.5);
  wave_zone(&o.params, 3, 20.0, 1.0);
  assert_int_equal(asked(p, (double[]){3.0, 0.0, 0.0}, 0.25), 6);
  assert_int_equal(asked(p, (double[]){-3.0, 0.0, 0.0}, 0.25), 8);
  assert_int_equal(asked(p, (double[]){0.0, 0.0, 19.0}, 0.25), 3);
  assert_int_equal(asked(p, (double[]){0.0, 0.0, 20.1}, 0.25), 2);
  o.policy.level_max = 7;
  assert_int_equal(asked(p, (double[]){-3.0, 0.0, 0.0}, 0.25), 7);
}

/* Around the wave zone by its own factor; without growth nothing is refined beyond its radius. */
static void levels_around_the_wave_zone_fall_by_its_growth(void **state) {
  one o;
  one_puncture(&o);
  o.policy.n_punctures = 0;
  o.policy.level_min = 2;
  static const struct {
    double distance;
    int growing, sharp;
  } expect[] = {{0.0, 6, 6},  {20.0, 6, 6}, {20.1, 5, 2}, {30.0, 5, 2},
                {30.1, 4, 2}, {45.1, 3, 2}, {67.6, 2, 2}, {1e6, 2, 2}};
  for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
    const double low[3] = {-0.25, expect[i].distance, -0.25};
    wave_zone(&o.params, 6, 20.0, 1.5);
    assert_int_equal(asked(&o.policy, low, 0.5), expect[i].growing);
    wave_zone(&o.params, 6, 20.0, 1.0);
    assert_int_equal(asked(&o.policy, low, 0.5), expect[i].sharp);
  }
}

static void radius_zero_refines_nothing(void **state) {
  one o;
  one_puncture(&o);
  o.policy.puncture[0].radius = 0.0;
  assert_int_equal(asked(&o.policy, o.policy.puncture[0].x, 0.25), 1);
}

/* Between the radius and 1.25 of it an octant keeps the level it has. */
static void octants_at_a_radius_do_not_flicker(void **state) {
  one o;
  one_puncture(&o);
  const tx_policy *p = &o.policy;
  const double inside[3] = {3.9, 0.0, 0.0}, between[3] = {4.2, 0.0, 0.0},
               beyond[3] = {4.3, 0.0, 0.0};
  assert_int_equal(flag_of(p, inside, 0.5, 5), 1);
  assert_int_equal(flag_of(p, inside, 0.5, 6), 0);
  assert_int_equal(flag_of(p, between, 0.5, 5), 0);
  assert_int_equal(flag_of(p, between, 0.5, 6), 0);
  assert_int_equal(flag_of(p, beyond, 0.5, 5), 0);
  assert_int_equal(flag_of(p, beyond, 0.5, 6), -1);
  o.policy.may_coarsen = false;
  assert_int_equal(flag_of(p, beyond, 0.5, 6), 0);
}

/* The same as from the least levels of distances, also of octants that are finer or coarser than allowed. */
static void an_octant_wants_what_distances_ask_for(void **state) {
  one o;
  one_puncture(&o);
  const tx_policy *p = &o.policy;
  unsigned seed = 1;
  int flags[3] = {0, 0, 0};
  add_puncture(&o.policy, (double[]){-3.0, 0.5, 0.0}, 7, 0.5);
  wave_zone(&o.params, 4, 6.0, 1.5);
  o.policy.level_min = 2;
  o.policy.level_max = 7;
  for (int n = 0; n < 20000; n++) {
    const int level = n % 10;
    double low[3];
    for (int d = 0; d < 3; d++) {
      seed = seed * 1664525u + 1013904223u;
      low[d] = 16.0 * ((double)seed / 4294967296.0 - 0.5);
    }
    const double size = ldexp(16.0, -level);
    const int least = distance_level(p, low, size, 1.0);
    const int keep = distance_level(p, low, size, TX_REACH_MARGIN);
    const int flag = flag_of(p, low, size, level);
    assert_int_equal(flag, level < least ? 1 : level > keep ? -1 : 0);
    flags[flag + 1]++;
  }
  for (int w = 0; w < 3; w++) assert_true(flags[w] > 100);
}

/* A criterion that says what its context is. */
static int say(const void *context, const tx_flag_octant *octant) {
  (void)octant;
  return *(const int8_t *)context;
}

/* Flag of an octant on `level` of which two criteria say a and b. */
static int combined(const tx_policy *policy, int level, int8_t a, int8_t b) {
  static const tx_criterion says = {.name = "test", .flag = say};
  const tx_criteria criteria = {policy, 2, {&says, &says}, {&a, &b}};
  return tx_criteria_flag(&criteria, &(tx_flag_octant){.level = level, .size = 1.0});
}

static void one_criterion_refines_and_all_must_let_coarsen(void **state) {
  one o;
  one_puncture(&o);
  tx_policy *p = &o.policy;
  for (int8_t a = -1; a <= 1; a++)
    for (int8_t b = -1; b <= 1; b++) {
      const int flag = a == 1 || b == 1 ? TX_REFINE : a < 0 && b < 0 ? TX_MAY_COARSEN : TX_KEEP;
      assert_int_equal(combined(p, 5, a, b), flag);
    }
  p->may_coarsen = false;
  assert_int_equal(combined(p, 5, -1, -1), TX_KEEP);
  assert_int_equal(combined(p, 5, -1, 1), TX_REFINE);
}

static void levels_stay_within_their_limits(void **state) {
  one o;
  one_puncture(&o);
  tx_policy *p = &o.policy;
  assert_int_equal(combined(p, 0, -1, -1), TX_REFINE);
  assert_int_equal(combined(p, 1, -1, -1), TX_KEEP);
  assert_int_equal(combined(p, 7, -1, 1), TX_REFINE);
  assert_int_equal(combined(p, 8, -1, 1), TX_KEEP);
  p->level_max = 5; /* lowered on the way: finer octants are coarsened, whatever asks for them */
  assert_int_equal(combined(p, 6, -1, 1), TX_MAY_COARSEN);
  assert_int_equal(combined(p, 5, -1, 1), TX_KEEP);
  assert_int_equal(flag_of(p, p->puncture[0].x, 0.5, 6), TX_MAY_COARSEN);
  assert_int_equal(flag_of(p, p->puncture[0].x, 0.5, 5), TX_KEEP);
  p->may_coarsen = false;
  assert_int_equal(combined(p, 6, -1, 1), TX_KEEP);
}

static void wavelet_errors_refine_and_coarsen(void **state) {
  tx_params p;
  tx_params_default(&p);
  p.grid_wavelet_tol = 1e-3;
  p.grid_coarsen_below = 0.1;
  assert_int_equal(tx_wavelet_flag(&p, 1000.0, 1.01e-3), TX_REFINE);
  assert_int_equal(tx_wavelet_flag(&p, 1000.0, 0.99e-3), TX_KEEP);
  /* Below a tenth of the tolerance, but the error one level coarser, 2^6 times it, would be
   * above. */
  assert_int_equal(tx_wavelet_flag(&p, 1000.0, 0.9e-4), TX_KEEP);
  assert_int_equal(tx_wavelet_flag(&p, 1000.0, 1.4e-5), TX_MAY_COARSEN);
  assert_int_equal(tx_wavelet_flag(&p, 1000.0, NAN), TX_KEEP);
}

static void criteria_say_whether_they_need_data(void **state) {
  one o;
  tx_criteria criteria;
  one_puncture(&o);
  assert_false(tx_policy_needs_data(&o.policy));
  o.params.grid_wavelet_tol = 1e-3;
  assert_true(tx_policy_needs_data(&o.policy));
  assert_int_equal(tx_criteria_begin(&o.policy, &(tx_grid_data){NULL, NULL, NULL}, &criteria),
                   TX_ERR_USAGE);
  assert_non_null(strstr(tx_error_text(), "wavelets needs the state on the grid"));
  tx_error_clear();
  tx_criteria_end(&criteria);
}

static void tolerance_grows_with_radius(void **state) {
  tx_params p;
  tx_params_default(&p);
  p.grid_wavelet_tol = 1e-4;
  p.grid_wavelet_tol_far = 1e-2;
  p.grid_wavelet_radius = 100.0;
  assert_true(tx_wavelet_tolerance(&p, 0.0) == 1e-4);
  assert_true(tx_wavelet_tolerance(&p, 0.5) == 1e-4);
  assert_float_equal(tx_wavelet_tolerance(&p, 50.0), 5e-3, 1e-17);
  assert_true(tx_wavelet_tolerance(&p, 100.0) == 1e-2);
  assert_true(tx_wavelet_tolerance(&p, 1e6) == 1e-2);
  p.grid_wavelet_tol_far = 0.0;
  assert_true(tx_wavelet_tolerance(&p, 1e6) == 1e-4);
}

static void punctures_are_mirrored_into_the_domain(void **state) {
  tx_params params;
  tx_policy p;
  const double x[2][3] = {{1.0, -2.0, -3.0}, {-1.0, 2.0, 3.0}};
  const int level[2] = {4, 5};
  tx_params_default(&params);
  params.grid_level_max = 5;
  params.grid_reflect = TX_DIMS_YZ;
  tx_policy_init(&params, 2, x, level, &p);
  assert_int_equal(p.n_punctures, 2);
  assert_true(p.puncture[0].x[0] == 1.0 && p.puncture[0].x[1] == 2.0 && p.puncture[0].x[2] == 3.0);
  assert_true(p.puncture[1].x[0] == -1.0 && p.puncture[1].level == 5);
}

static void radii_are_those_of_the_parameters(void **state) {
  tx_params params;
  tx_policy p;
  const double x[1][3] = {{1.0, 2.0, 3.0}};
  tx_params_default(&params);
  assert_true(params.grid_bh_growth == 2.0 && params.grid_ball_growth == 1.0);
  params.grid_bh_radius = 0.7;
  tx_policy_init(&params, 1, x, (int[]){5}, &p);
  assert_true(p.puncture[0].radius == 0.7);
  params.grid_bhN_radius[1] = 1.9;
  tx_policy_init(&params, 2, (double[2][3]){{0.0}}, (int[]){5, 4}, &p);
  assert_true(p.puncture[0].radius == 0.7 && p.puncture[1].radius == 1.9);
  tx_policy_widen(&p, 2.0);
  assert_true(p.puncture[0].radius == 2.0 * 0.7 && p.puncture[1].radius == 2.0 * 1.9);
}

static void reaches_grow_from_level_to_level(void **state) {
  tx_reach reach;
  tx_reach_init((const double[]){1.0, 2.0, 3.0}, 4, 1.9, 1.6, &reach);
  assert_true(reach.x[0] == 1.0 && reach.x[1] == 2.0 && reach.x[2] == 3.0);
  assert_true(reach.of[4] == 1.9 && reach.of[3] == 1.6 * 1.9);
  for (int level = 5; level <= TX_LEVELS; level++) assert_true(reach.of[level] == -1.0);
  tx_reach_init((const double[]){0.0, 0.0, 0.0}, 4, 0.0, 1.6, &reach);
  for (int level = 0; level <= TX_LEVELS; level++) assert_true(reach.of[level] == -1.0);
}

/* Along x a box just within the reach of a level is to have it, one just beyond is not. */
static void the_reach_of_the_wave_zone_is_that_of_its_levels(void **state) {
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
    const double reach = tx_wave_zone_reach(&params, level);
    const double within[3] = {reach - tiny, 0.0, 0.0}, beyond[3] = {reach + tiny, 0.0, 0.0};
    assert_int_equal(asked(&p, within, tiny), level);
    assert_int_equal(asked(&p, beyond, tiny), level - 1);
  }
  assert_true(tx_wave_zone_reach(&params, 1) == 300.0);
  params.grid_extent = 80.0;
  assert_true(tx_wave_zone_reach(&params, 4) == 60.0 && tx_wave_zone_reach(&params, 3) == 80.0);
}

static void puncture_levels_default_to_level_max(void **state) {
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
      cmocka_unit_test(levels_around_the_wave_zone_fall_by_its_growth),
      cmocka_unit_test(radius_zero_refines_nothing),
      cmocka_unit_test(octants_at_a_radius_do_not_flicker),
      cmocka_unit_test(an_octant_wants_what_distances_ask_for),
      cmocka_unit_test(one_criterion_refines_and_all_must_let_coarsen),
      cmocka_unit_test(levels_stay_within_their_limits),
      cmocka_unit_test(wavelet_errors_refine_and_coarsen),
      cmocka_unit_test(criteria_say_whether_they_need_data),
      cmocka_unit_test(tolerance_grows_with_radius),
      cmocka_unit_test(punctures_are_mirrored_into_the_domain),
      cmocka_unit_test(radii_are_those_of_the_parameters),
      cmocka_unit_test(reaches_grow_from_level_to_level),
      cmocka_unit_test(the_reach_of_the_wave_zone_is_that_of_its_levels),
      cmocka_unit_test(puncture_levels_default_to_level_max),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
