/* Which horizons are looked for, from which guesses, and what is taken for one. */
#include <math.h>
#include <string.h>
#include "evolve/horizons.h"
#include "support/cmocka.h"

#define L_MAX  6
#define COMMON 2 /* of a pair */

/* assert_float_equal compares as floats. */
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* Radius of the mean of a surface: a_00 Y_00. */
static double mean_radius(const tx_surface *s) {
  return s->a[0] / sqrt(4.0 * M_PI);
}

static tx_horizons none(void) {
  tx_horizons h;
  tx_horizons_init(&h, 2, L_MAX);
  return h;
}

/* Two holes of mass 1/2 at +-z. */
static tx_horizons_scene pair(double z) {
  return (tx_horizons_scene){.n = 2,
                             .x = {{0.0, 0.0, z}, {0.0, 0.0, -z}},
                             .mass = {0.5, 0.5},
                             .radius = {0.25, 0.25},
                             .common_below = 1.6};
}

static tx_horizon sphere(double x, double y, double z, double r) {
  const double centre[3] = {x, y, z};
  tx_horizon h = {.found = true, .mass = 0.5, .radius_mean = r};
  tx_surface_sphere(L_MAX, centre, r, &h.surface);
  memcpy(h.centroid, centre, sizeof centre);
  return h;
}

/* One search for surface k: is it made? It finds `result`, or nothing for NULL. */
static bool search(tx_horizons *h, const tx_horizons_scene *scene, int k,
                   const tx_horizon *result) {
  tx_horizon nothing = {.found = false};
  if (!tx_horizons_due(h, scene, k)) {
    if (h->slot[k].wait > 0) h->slot[k].wait--;
    return false;
  }
  tx_horizons_note(h, scene, k, result ? result : &nothing);
  return true;
}

/* Only after the time of the search that saw it, so that the order of search and question does not matter. */
static void holes_have_merged_some_time_after_a_common_horizon(void **state) {
  tx_horizons h = none();
  assert_false(tx_horizons_merged(&h, 100.0, 0.0));
  h.slot[0].first_seen = h.slot[1].first_seen = 0.0;
  assert_false(tx_horizons_merged(&h, 100.0, 0.0));
  h.slot[COMMON].first_seen = 20.0;
  assert_false(tx_horizons_merged(&h, 20.0, 0.0));
  assert_true(tx_horizons_merged(&h, 20.125, 0.0));
  assert_false(tx_horizons_merged(&h, 25.0, 5.0));
  assert_true(tx_horizons_merged(&h, 25.125, 5.0));
}

static tx_sim two_holes(const tx_params *p, double z) {
  tx_sim sim = {.params = p, .t = 2.5, .adm = {.n = 2}};
  const double x[2][3] = {{0.0, 0.0, z}, {0.0, 0.0, -z}};
  for (int a = 0; a < 2; a++) {
    sim.adm.mass_bare[a] = 0.5;
    sim.adm.mass_adm[a] = 0.5 * (1.0 + 0.5 / (4.0 * z)) + 0.2 * a;
    memcpy(sim.adm.position[a], x[a], sizeof x[a]);
  }
  tx_tracker_init(&sim.tracker, 2, x);
  return sim;
}

static void the_scene_is_that_of_the_simulation(void **state) {
  tx_params p;
  tx_horizons_scene s;
  tx_params_default(&p);
  tx_sim sim = two_holes(&p, 1.0);
  tx_horizons_look(&sim, &s);
  assert_true(s.n == 2 && s.t == 2.5 && s.x[1][2] == -1.0 && s.image[1] == 0);
  /* Alone each horizon is at m/2, with a spin too, which makes the second hole's ADM mass larger; beside the other hole psi has
   * m_b/2d more. */
  for (int a = 0; a < 2; a++) assert_near(s.radius[a], 0.25 / 1.125, 1e-15);
  /* Well above the distance at which holes that collide head-on get a common horizon, 1.7 M. */
  const double below = tx_horizons_reach(&s, 3);
  assert_true(below > 2.0 && below < 3.0);
  p.horizons_common_below = 3.5;
  tx_horizons_look(&sim, &s);
  assert_true(tx_horizons_reach(&s, 3) == 3.5);
}

static void an_image_is_one_to_the_last_bit(void **state) {
  tx_params p;
  tx_horizons_scene s;
  tx_params_default(&p);
  p.grid_reflect = TX_DIMS_XYZ;
  tx_sim sim = two_holes(&p, 1.0);
  tx_horizons_look(&sim, &s);
  assert_int_equal(s.image[1], 4);
  sim.tracker.at[0].x[0] = 0.25;
  sim.tracker.at[1].x[0] = -0.25;
  tx_horizons_look(&sim, &s);
  assert_int_equal(s.image[1], 5);
  sim.tracker.at[1].x[2] = nextafter(-1.0, 0.0);
  tx_horizons_look(&sim, &s);
  assert_int_equal(s.image[1], 0);
  sim.tracker.at[1].x[2] = -1.0;
  p.grid_reflect = TX_DIMS_YZ;
  tx_horizons_look(&sim, &s);
  assert_int_equal(s.image[1], 0);
}

static void guesses_begin_with_spheres_and_follow_the_punctures(void **state) {
  tx_horizons h = none();
  tx_horizons_scene s = pair(2.0);
  tx_surface guess;
  tx_horizons_guess(&h, &s, 1, &guess);
  assert_true(guess.l_max == L_MAX && guess.centre[2] == -2.0);
  assert_near(mean_radius(&guess), 0.25, 1e-15);
  tx_horizon found = sphere(0.01, 0.0, -2.0, 0.3);
  found.surface.a[6] = 0.05;
  assert_true(search(&h, &s, 1, &found));
  s.x[1][0] = 0.5;
  s.x[1][2] = -1.5;
  tx_horizons_guess(&h, &s, 1, &guess);
  assert_near(guess.centre[0], 0.51, 1e-15);
  assert_near(guess.centre[2], -1.5, 1e-15);
  assert_memory_equal(guess.a, found.surface.a, sizeof guess.a);
}

/* A common horizon is come upon from outside: the sphere holds both
 * holes, whatever their masses. */
static void the_first_guess_of_a_common_horizon_holds_both(void **state) {
  tx_horizons h = none();
  tx_horizons_scene s = pair(0.5);
  tx_surface guess;
  for (int unequal = 0; unequal < 2; unequal++) {
    if (unequal) s.mass[0] = 0.9, s.mass[1] = 0.1;
    tx_horizons_guess(&h, &s, COMMON, &guess);
    assert_near(guess.centre[2], unequal ? 0.4 : 0.0, 1e-15);
    for (int a = 0; a < 2; a++)
      assert_true(mean_radius(&guess) > fabs(s.x[a][2] - guess.centre[2]) + 0.8 * s.mass[a]);
    assert_true(mean_radius(&guess) < 2.0);
  }
}

/* 0, 0, 1, 3, 7, 15, 15 ... searches are left out after the first, second ... in vain. */
static void searches_in_vain_become_rare(void **state) {
  tx_horizons h = none();
  tx_horizons_scene s = pair(2.0);
  static const int made[] = {0, 1, 3, 7, 15, 31, 47, 63};
  int n = 0;
  for (int i = 0; i < 64; i++)
    if (search(&h, &s, 0, NULL)) assert_int_equal(i, made[n++]);
  assert_int_equal(n, 8);
  tx_horizon found = sphere(0.0, 0.0, 2.0, 0.3);
  while (!search(&h, &s, 0, &found)) n++;
  for (int i = 0; i < 4; i++) assert_true(search(&h, &s, 0, &found));
}

/* Without punctures a horizon may form at any time about the origin: no search is left out before one is found. */
static void a_horizon_without_a_puncture_is_waited_for(void **state) {
  tx_params p;
  tx_horizons_scene s;
  tx_params_default(&p);
  p.initial_data_type = TX_ID_BRILL_WAVE;
  assert_int_equal(tx_params_horizons(&p), 0);
  p.horizons_radius = 0.7;
  assert_int_equal(tx_params_horizons(&p), 1);
  const tx_sim sim = {.params = &p};
  tx_horizons_look(&sim, &s);
  assert_true(s.n == 1 && s.radius[0] == 0.7 && s.x[0][0] == 0.0 && s.forms);
  tx_horizons h;
  tx_horizons_init(&h, 1, 4);
  for (int i = 0; i < 20; i++) assert_true(search(&h, &s, 0, NULL));
  const tx_horizon found = sphere(0.0, 0.0, 0.0, 0.4);
  assert_true(search(&h, &s, 0, &found) && tx_horizons_remnant(&h) == 0);
  int made = 0;
  for (int i = 0; i < 16; i++) made += search(&h, &s, 0, NULL);
  assert_true(made < 8);
  p.initial_data_type = TX_ID_PUNCTURE;
  assert_int_equal(tx_params_horizons(&p), 1);
}

static void searches_in_vain_try_other_spheres(void **state) {
  tx_horizons h = none();
  tx_horizons_scene s = pair(2.0);
  tx_surface first, second;
  tx_horizons_guess(&h, &s, 0, &first);
  search(&h, &s, 0, NULL);
  tx_horizons_guess(&h, &s, 0, &second);
  assert_true(mean_radius(&second) > 1.2 * mean_radius(&first));
  tx_horizon found = sphere(0.0, 0.0, 2.0, 0.4);
  found.surface.a[6] = 0.05;
  search(&h, &s, 0, &found);
  search(&h, &s, 0, NULL);
  tx_horizons_guess(&h, &s, 0, &second);
  assert_true(second.a[6] == 0.0 && mean_radius(&second) > 0.4);
}

static void a_common_horizon_is_looked_for_when_it_may_be_there(void **state) {
  tx_horizons h = none();
  tx_horizons_scene far = pair(0.9), near = pair(0.7), one = {.n = 1};
  tx_horizon found = sphere(0.0, 0.0, 0.0, 1.1);
  assert_false(search(&h, &far, COMMON, NULL));
  for (int i = 0; i < 20; i++) assert_true(search(&h, &near, COMMON, NULL));
  near.t = 3.0;
  assert_true(search(&h, &near, COMMON, &found));
  assert_true(h.slot[COMMON].first_seen == 3.0);
  near.t = 4.0;
  assert_true(search(&h, &near, COMMON, &found));
  assert_true(h.slot[COMMON].first_seen == 3.0 && h.slot[COMMON].last_seen == 4.0);
  assert_true(
      search(&h, &far, COMMON, NULL)); /* it is there, wherever the punctures are said to be */
  tx_horizons_init(&h, 1, L_MAX);
  assert_false(search(&h, &one, COMMON, NULL));
  assert_false(search(&h, &one, 1, NULL));
  assert_true(search(&h, &one, 0, NULL));
}

static void a_surface_about_the_wrong_punctures_is_none(void **state) {
  tx_horizons h = none();
  tx_horizons_scene s = pair(0.5);
  const tx_horizon both = sphere(0.0, 0.0, 0.0, 0.9), upper = sphere(0.0, 0.0, 0.5, 0.4),
                   lower = sphere(0.0, 0.0, -0.5, 0.4);
  search(&h, &s, 0, &both);
  assert_true(h.slot[0].looked && !h.slot[0].at.found && h.slot[0].failures == 1 &&
              !h.slot[0].last.found);
  search(&h, &s, 0, &lower);
  assert_true(!h.slot[0].at.found && h.slot[0].failures == 2);
  search(&h, &s, COMMON, &upper);
  assert_true(!h.slot[COMMON].at.found && h.slot[COMMON].first_seen < 0.0);
  h = none();
  search(&h, &s, 0, &upper);
  search(&h, &s, 1, &lower);
  search(&h, &s, COMMON, &both);
  for (int k = 0; k < TX_HORIZONS_LEAST; k++)
    assert_true(h.slot[k].at.found && h.slot[k].last.found);
}

static void what_is_inside_a_common_horizon_is_given_up(void **state) {
  tx_horizons h = none();
  tx_horizons_scene s = pair(0.5);
  const tx_horizon both = sphere(0.0, 0.0, 0.0, 0.9), upper = sphere(0.0, 0.0, 0.5, 0.4);
  search(&h, &s, 0, &upper);
  search(&h, &s, COMMON, &both);
  assert_int_equal(tx_horizons_remnant(&h), COMMON);
  assert_true(search(&h, &s, 0, NULL));
  assert_true(search(&h, &s, 0, &upper)); /* still there: begin to count anew */
  int made = 0;
  for (int i = 0; i < 100; i++) made += search(&h, &s, 0, NULL);
  assert_int_equal(made, 3);
  assert_true(search(&h, &s, COMMON, &both));
}

/* A surface without symmetry, its image, and the radii of both in directions that are images. */
static void an_image_is_the_surface_in_a_mirror(void **state) {
  tx_horizon h = sphere(0.3, -0.2, 0.1, 1.0), image, back;
  for (int i = 1; i < (L_MAX + 1) * (L_MAX + 1); i++) h.surface.a[i] = 0.02 * sin(3.0 * i);
  for (int d = 0; d < 3; d++) h.spin[d] = 0.1 * (d + 1);
  for (int mirror = 0; mirror < 8; mirror++) {
    tx_horizon_mirrored(&h, mirror, &image);
    for (int i = 0; i < 20; i++) {
      double z = cos(1.0 + i), rho = sqrt(1.0 - z * z);
      double n[3] = {rho * cos(2.0 * i), rho * sin(2.0 * i), z}, m[3];
      for (int d = 0; d < 3; d++) m[d] = mirror >> d & 1 ? -n[d] : n[d];
      assert_near(tx_surface_radius(&image.surface, m), tx_surface_radius(&h.surface, n), 1e-14);
    }
    tx_horizon_mirrored(&image, mirror, &back);
    assert_memory_equal(&back, &h, sizeof h);
  }
  tx_horizon_mirrored(&h, 4, &image);
  assert_true(image.centroid[0] == 0.3 && image.centroid[2] == -0.1 &&
              image.surface.centre[2] == -0.1);
  assert_true(image.spin[0] == -0.1 && image.spin[1] == -0.2 && image.spin[2] == h.spin[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_scene_is_that_of_the_simulation),
      cmocka_unit_test(an_image_is_one_to_the_last_bit),
      cmocka_unit_test(guesses_begin_with_spheres_and_follow_the_punctures),
      cmocka_unit_test(the_first_guess_of_a_common_horizon_holds_both),
      cmocka_unit_test(searches_in_vain_become_rare),
      cmocka_unit_test(a_horizon_without_a_puncture_is_waited_for),
      cmocka_unit_test(searches_in_vain_try_other_spheres),
      cmocka_unit_test(a_common_horizon_is_looked_for_when_it_may_be_there),
      cmocka_unit_test(a_surface_about_the_wrong_punctures_is_none),
      cmocka_unit_test(what_is_inside_a_common_horizon_is_given_up),
      cmocka_unit_test(an_image_is_the_surface_in_a_mirror),
      cmocka_unit_test(holes_have_merged_some_time_after_a_common_horizon),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
