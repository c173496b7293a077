/* Which groups of holes a horizon is looked for about, and what becomes of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "evolve/horizons.h"
#include "support/cmocka.h"

#define L_MAX 4
#define N_MAX TX_PUNCTURES_MAX

static tx_horizons none(int n) {
  tx_horizons h;
  tx_horizons_init(&h, n, L_MAX);
  return h;
}

/* Holes on the x axis. */
static tx_horizons_scene line(int n, const double *x, const double *mass) {
  tx_horizons_scene s = {.n = n};
  for (int a = 0; a < n; a++) {
    s.x[a][0] = x[a];
    s.mass[a] = mass ? mass[a] : 1.0;
    s.radius[a] = 0.5 * s.mass[a];
  }
  return s;
}

/* A sphere about the punctures in `holds` that leaves out the others on the line. */
static tx_horizon sphere_about(const tx_horizons_scene *s, int64_t holds) {
  double low = INFINITY, high = -INFINITY;
  for (int a = 0; a < s->n; a++)
    if (holds >> a & 1) {
      low = fmin(low, s->x[a][0]);
      high = fmax(high, s->x[a][0]);
    }
  const double centre[3] = {0.5 * (low + high), 0.0, 0.0};
  tx_horizon h = {.found = true, .mass = 1.0};
  tx_surface_sphere(L_MAX, centre, 0.5 * (high - low) + 0.01, &h.surface);
  return h;
}

/* A whole search, as a run makes it, that finds the surfaces about these sets. */
static void search(tx_horizons *h, const tx_horizons_scene *s, int n, const int64_t *there) {
  tx_horizons_plan(h, s);
  for (int k = 0; k < h->n_surfaces; k++) h->slot[k].looked = false;
  for (int k = 0; k < h->n_surfaces; k++) {
    tx_horizon result = {.found = false};
    if (!tx_horizons_due(h, s, k)) {
      if (h->slot[k].wait > 0) h->slot[k].wait--;
      continue;
    }
    for (int i = 0; i < n; i++)
      if (there[i] == h->slot[k].holds) result = sphere_about(s, there[i]);
    tx_horizons_note(h, s, k, &result);
  }
}

static void assert_holds(const tx_horizons *h, const int64_t *holds) {
  for (int k = h->n_punctures; k < h->n_surfaces; k++)
    assert_int_equal(h->slot[k].holds, holds[k - h->n_punctures]);
}

static void there_is_a_place_for_each_surface(void **state) {
  tx_horizons one = none(1), two = none(2), most = none(N_MAX);
  assert_true(one.n_surfaces == TX_HORIZONS_LEAST && two.n_surfaces == TX_HORIZONS_LEAST);
  assert_int_equal(most.n_surfaces, TX_HORIZONS_MAX);
  assert_int_equal(one.slot[1].holds, 0);
  assert_int_equal(two.slot[2].holds, 3);
  for (int k = 0; k < 3; k++) assert_int_equal(tx_horizons_number(&two, k), k + 1);
  for (int k = 0; k < TX_HORIZONS_MAX; k++)
    assert_int_equal(tx_horizons_number(&most, k), k < N_MAX ? k + 1 : 0);
}

/* The pair that is the most compact for its mass, then what makes the most compact group with it. */
static void compact_groups_are_awaited_first(void **state) {
  const double x[4] = {0.0, 5.0, 6.0, 8.0};
  tx_horizons_scene s = line(4, x, NULL);
  tx_horizons h = none(4);
  tx_horizons_plan(&h, &s);
  assert_holds(&h, (const int64_t[]){6, 14, 15});
  /* Heavy ones reach further. */
  s = line(4, (const double[]){0.0, 5.0, 20.0, 21.0}, (const double[]){40.0, 40.0, 1.0, 1.0});
  tx_horizons_plan(&h, &s);
  assert_holds(&h, (const int64_t[]){3, 7, 15});
  /* Two pairs, and both of them. */
  s = line(4, (const double[]){0.0, 1.0, 6.0, 7.5}, NULL);
  tx_horizons_plan(&h, &s);
  assert_holds(&h, (const int64_t[]){3, 12, 15});
}

/* 2.2 times the masses of the group, or what is given, is more than all distances of its bodies. */
static void groups_are_due_when_all_are_near(void **state) {
  tx_horizons_scene s = line(3, (const double[]){0.0, 4.0, 7.0}, NULL);
  tx_horizons h = none(3);
  tx_horizons_plan(&h, &s);
  assert_holds(&h, (const int64_t[]){6, 7});
  assert_true(tx_horizons_near(&h, &s, 3) && !tx_horizons_near(&h, &s, 4));
  assert_true(fabs(tx_horizons_reach(&s, 6) - 4.4) < 1e-15 &&
              fabs(tx_horizons_reach(&s, 7) - 6.6) < 1e-15);
  s.common_below = 2.9;
  assert_false(tx_horizons_near(&h, &s, 3));
  s.common_below = 7.1;
  assert_true(tx_horizons_near(&h, &s, 3) && tx_horizons_near(&h, &s, 4));
  /* Once merged, two of them are one body halfway between, 5.5 M from the third. */
  s.common_below = 0.0;
  search(&h, &s, 1, (const int64_t[]){6});
  assert_true(tx_horizons_near(&h, &s, 4) && tx_horizons_due(&h, &s, 4));
}

static void groups_have_numbers_in_the_order_of_their_first_sight(void **state) {
  tx_horizons_scene s = line(4, (const double[]){0.0, 1.0, 3.0, 4.5}, NULL);
  tx_horizons h = none(4);
  s.t = 1.0;
  search(&h, &s, 0, NULL);
  assert_holds(&h, (const int64_t[]){3, 12, 15});
  s.t = 2.0;
  search(&h, &s, 1, (const int64_t[]){12});
  assert_holds(&h, (const int64_t[]){12, 3, 15});
  assert_true(h.slot[4].at.found && h.slot[5].looked && !h.slot[5].at.found);
  assert_true(tx_horizons_number(&h, 4) == 5 && tx_horizons_number(&h, 5) == 0);
  assert_true(h.slot[4].failures == 0 && h.slot[5].failures == 2 && h.slot[6].failures == 2 &&
              h.slot[6].wait == 0);
  assert_true(h.slot[4].first_seen == 2.0 && tx_horizons_merger(&h, 2) == 2.0);
  assert_true(tx_horizons_merger(&h, 0) < 0.0 && tx_horizons_common(&h) == -1);
  s.t = 3.0;
  search(&h, &s, 2, (const int64_t[]){12, 3});
  assert_holds(&h, (const int64_t[]){12, 3, 15});
  assert_false(tx_horizons_merged(&h, 9.0, 0.0));
  s.t = 4.0;
  search(&h, &s, 3, (const int64_t[]){12, 3, 15});
  assert_true(tx_horizons_common(&h) == 6 && tx_horizons_remnant(&h) == 6);
  assert_true(tx_horizons_merger(&h, 0) == 3.0 && tx_horizons_merger(&h, 3) == 2.0);
  assert_false(tx_horizons_merged(&h, 4.0, 0.0));
  assert_true(tx_horizons_merged(&h, 4.125, 0.0) && !tx_horizons_merged(&h, 4.125, 1.0));
}

/* Three at once; the pair among them is not awaited any more. */
static void a_group_may_come_before_its_parts(void **state) {
  tx_horizons_scene s = line(3, (const double[]){0.0, 1.0, 2.5}, NULL);
  tx_horizons h = none(3);
  search(&h, &s, 1, (const int64_t[]){7});
  assert_holds(&h, (const int64_t[]){7, 3});
  assert_int_equal(tx_horizons_common(&h), 3);
  search(&h, &s, 2, (const int64_t[]){7, 3});
  assert_holds(&h, (const int64_t[]){7, 0});
  assert_true(h.slot[3].last.found && !h.slot[4].looked && !tx_horizons_due(&h, &s, 4));
}

/* Holes inside are given up after three searches in vain, and a group inside a larger one as they are. */
static void what_is_swallowed_is_given_up(void **state) {
  tx_horizons_scene s = line(3, (const double[]){0.0, 1.0, 2.5}, NULL);
  tx_horizons h = none(3);
  int made[5] = {0};
  search(&h, &s, 4, (const int64_t[]){1, 2, 4, 3});
  for (int i = 0; i < 99; i++) {
    search(&h, &s, 2, (const int64_t[]){4, 3});
    for (int k = 0; k < 5; k++) made[k] += h.slot[k].looked;
  }
  assert_true(made[0] == 3 && made[1] == 3 && made[2] == 99 && made[3] == 99 && made[4] == 99);
  memset(made, 0, sizeof made);
  for (int i = 0; i < 99; i++) {
    search(&h, &s, 1, (const int64_t[]){7});
    for (int k = 0; k < 5; k++) made[k] += h.slot[k].looked;
  }
  assert_true(made[0] == 0 && made[2] == 3 && made[3] == 3 && made[4] == 99);
}

/* A candidate that is another set than before is looked for from the beginning; one that comes again is not. */
static void searches_in_vain_belong_to_a_set(void **state) {
  tx_horizons_scene s = line(3, (const double[]){0.0, 1.0, 2.1}, NULL);
  tx_horizons h = none(3);
  for (int i = 0; i < 5; i++) search(&h, &s, 0, NULL);
  assert_true(h.slot[3].holds == 3 && h.slot[3].failures == 5 && h.slot[4].failures == 5);
  s.x[1][0] = 1.2;
  search(&h, &s, 0, NULL);
  assert_true(h.slot[3].holds == 6 && h.slot[3].failures == 1 && h.slot[4].failures == 6);
}

/* A hole without weight does not part a pair, nor move the middle. */
static void a_light_hole_waits(void **state) {
  const double x[3] = {-0.5, 0.5, 1.25}, mass[3] = {0.5, 0.5, 1e-6};
  tx_horizons_scene s = line(3, x, mass);
  tx_horizons h = none(3);
  double middle[3];
  tx_horizons_plan(&h, &s);
  assert_holds(&h, (const int64_t[]){3, 7});
  tx_horizons_centre(&s, 7, middle);
  assert_true(fabs(middle[0]) < 2e-6 && middle[1] == 0.0);
  tx_horizons_centre(&s, 3, middle);
  assert_true(middle[0] == 0.0);
}

/* Beyond the third a sum of terms is not exact: what mirrors say is. */
static void the_middle_of_images_is_exact(void **state) {
  tx_horizons_scene s = {.n = 4, .mass = {0.3, 0.7, 0.3, 0.7}, .mirrors = 1};
  const double x[4][3] = {{0.1, 0.7, 0.0}, {0.3, 0.2, 0.0}, {-0.1, 0.7, 0.0}, {-0.3, 0.2, 0.0}};
  double middle[3];
  memcpy(s.x, x, sizeof x);
  tx_horizons_centre(&s, 15, middle);
  assert_true(middle[0] == 0.0 && fabs(middle[1] - 0.35) < 1e-15 && middle[2] == 0.0);
  s.x[1][0] = 0.35;
  tx_horizons_centre(&s, 15, middle);
  assert_true(fabs(middle[0] - 0.0175) < 1e-15);
  s.x[1][0] = 0.3;
  tx_horizons_centre(&s, 11, middle);
  assert_true(fabs(middle[0] - 0.03 / 1.7) < 1e-15);
}

static void images_of_any_puncture_are_known(void **state) {
  tx_params p;
  tx_horizons_scene s;
  tx_params_default(&p);
  p.grid_reflect = TX_DIMS_XY;
  const double x[5][3] = {{0, 2, 1}, {1, 3, 0}, {0, -2, 1}, {-1, 3, 0}, {-1, -3, 0}};
  tx_sim sim = {.params = &p, .adm = {.n = 5}};
  for (int a = 0; a < 5; a++) sim.adm.mass_bare[a] = sim.adm.mass_adm[a] = 1.0;
  tx_tracker_init(&sim.tracker, 5, x);
  tx_horizons_look(&sim, &s);
  assert_true(s.n == 5 && s.mirrors == 3);
  assert_true(!s.image[0] && !s.image[1] && s.image[2] == 2 && s.original[2] == 0);
  assert_true(s.image[3] == 1 && s.original[3] == 1 && s.image[4] == 3 && s.original[4] == 1);
}

/* The sphere that a search for a group begins with holds all its punctures. */
static void first_guesses_hold_the_group(void **state) {
  const double x[4] = {0.0, 1.0, 2.5, 9.0};
  tx_horizons_scene s = line(4, x, (const double[]){0.5, 1.0, 0.25, 1.0});
  tx_horizons h = none(4);
  tx_surface guess;
  tx_horizons_plan(&h, &s);
  assert_holds(&h, (const int64_t[]){3, 7, 15});
  tx_horizons_guess(&h, &s, 5, &guess);
  const double r = guess.a[0] / sqrt(4.0 * M_PI), middle = 1.625 / 1.75;
  assert_true(fabs(guess.centre[0] - middle) < 1e-15);
  assert_true(fabs(r - 1.2 * (2.5 - middle + 0.2)) < 1e-14);
  /* Less light ones the mass decides. */
  for (int a = 0; a < 4; a++) s.x[a][0] = 0.01 * x[a];
  tx_horizons_guess(&h, &s, 5, &guess);
  assert_true(fabs(guess.a[0] / sqrt(4.0 * M_PI) - 1.2 * 0.9 * 1.75) < 1e-14);
}

/* Eight holes, one joining after the other: seven groups, and no place is left. */
static void the_most_holes_merge_one_by_one(void **state) {
  double x[N_MAX];
  int64_t there[N_MAX - 1], holds[N_MAX - 1];
  for (int a = 0; a < N_MAX; a++) x[a] = 0.02 * a * (a + 1);
  tx_horizons_scene s = line(N_MAX, x, NULL);
  tx_horizons h = none(N_MAX);
  for (int n = 1; n < N_MAX; n++) {
    assert_int_equal(tx_horizons_common(&h), -1);
    there[n - 1] = holds[n - 1] = (2 << n) - 1;
    s.t = n;
    search(&h, &s, n, there);
    assert_true(h.slot[N_MAX + n - 1].first_seen == n && h.slot[N_MAX + n - 1].last_seen == n);
  }
  assert_holds(&h, holds);
  assert_int_equal(tx_horizons_common(&h), TX_HORIZONS_MAX - 1);
  search(&h, &s, N_MAX - 1, there);
  assert_holds(&h, holds);
}

/* Records of a checkpoint that a restart reads. */
static void save_and_read(tx_horizons *h, tx_horizons *back) {
  tx_record_list from = {0}, to = {0};
  tx_horizons_records(h, &from);
  tx_horizons_records(back, &to);
  assert_true(from.status == TX_OK && to.status == TX_OK);
  void *packed = malloc(tx_records_packed_bytes(&from));
  assert_non_null(packed);
  tx_records_pack(&from, packed);
  tx_records_unpack(&to, packed);
  free(packed);
  tx_records_free(&from);
  tx_records_free(&to);
}

static void assert_same_state(const tx_horizons *h, const tx_horizons *back) {
  for (int k = 0; k < TX_HORIZONS_MAX; k++) {
    const tx_horizon_slot *a = &h->slot[k], *b = &back->slot[k];
    assert_true(a->holds == b->holds && a->failures == b->failures && a->wait == b->wait);
    assert_true(a->first_seen == b->first_seen && a->last_seen == b->last_seen);
    assert_memory_equal(&a->last, &b->last, sizeof a->last);
    assert_memory_equal(a->anchor, b->anchor, sizeof a->anchor);
  }
}

/* All that decides the next search is in what a checkpoint holds. */
static void records_have_all_that_a_search_needs(void **state) {
  static tx_horizons h, back;
  tx_horizons_scene s = line(4, (const double[]){0.0, 1.0, 3.0, 4.5}, NULL);
  h = none(4);
  s.t = 7.25;
  for (int i = 0; i < 4; i++) search(&h, &s, 2, (const int64_t[]){12, 4});
  h.slot[2].last.surface.a[TX_HORIZON_COEFFICIENTS - 1] = 0.001;
  h.slot[2].last.radius_areal = 0.9;
  h.slot[2].last.iterations = 12;
  back = none(4);
  save_and_read(&h, &back);
  assert_true(h.slot[0].wait > 0 && h.slot[2].last.found);
  assert_same_state(&h, &back);
  for (int i = 0; i < 20; i++) {
    s.t += 1.0;
    search(&h, &s, i % 3, (const int64_t[]){12, 3});
    search(&back, &s, i % 3, (const int64_t[]){12, 3});
    assert_same_state(&h, &back);
    for (int k = 0; k < TX_HORIZONS_MAX; k++) assert_true(h.slot[k].looked == back.slot[k].looked);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_is_a_place_for_each_surface),
      cmocka_unit_test(compact_groups_are_awaited_first),
      cmocka_unit_test(groups_are_due_when_all_are_near),
      cmocka_unit_test(groups_have_numbers_in_the_order_of_their_first_sight),
      cmocka_unit_test(a_group_may_come_before_its_parts),
      cmocka_unit_test(what_is_swallowed_is_given_up),
      cmocka_unit_test(searches_in_vain_belong_to_a_set),
      cmocka_unit_test(a_light_hole_waits),
      cmocka_unit_test(the_middle_of_images_is_exact),
      cmocka_unit_test(images_of_any_puncture_are_known),
      cmocka_unit_test(first_guesses_hold_the_group),
      cmocka_unit_test(the_most_holes_merge_one_by_one),
      cmocka_unit_test(records_have_all_that_a_search_needs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
