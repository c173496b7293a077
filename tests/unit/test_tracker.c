/* The punctures' paths through an analytic shift. */
#include <math.h>
#include "evolve/tracker.h"
#include "support/cmocka.h"

/* Turns about the z axis and slows down: x(t) is known. d/dt (x, y) = w(t) (-y, x), w = cos t. */
static void shift(double t, const double x[3], double beta[3]) {
  beta[0] = cos(t) * x[1];
  beta[1] = -cos(t) * x[0];
  beta[2] = -1.0;
}

/* Largest error of two punctures after one time unit in n steps. */
static double error_after(int n) {
  static const double stage_time[4] = {0.0, 0.5, 0.5, 1.0};
  const double start[2][3] = {{1.0, 0.0, 0.0}, {-2.0, 1.0, 0.5}};
  const double dt = 1.0 / n, angle = sin(1.0);
  tx_tracker tracker;
  double worst = 0.0;
  tx_tracker_init(&tracker, 2, start);
  for (int step = 0; step < n; step++)
    for (int s = 0; s < 4; s++) {
      double beta[2][3];
      for (int a = 0; a < 2; a++)
        shift((step + stage_time[s]) * dt, tracker.at[a].stage_x, beta[a]);
      tx_tracker_update(&tracker, s, dt, (const double(*)[3])beta);
    }
  for (int a = 0; a < 2; a++) {
    const double *x0 = start[a], *x = tracker.at[a].x;
    worst = fmax(worst, fabs(x[0] - (cos(angle) * x0[0] - sin(angle) * x0[1])));
    worst = fmax(worst, fabs(x[1] - (sin(angle) * x0[0] + cos(angle) * x0[1])));
    worst = fmax(worst, fabs(x[2] - (x0[2] + 1.0)));
  }
  return worst;
}

static void order_is_four(void **state) {
  double coarse = error_after(8), fine = error_after(16), order = log2(coarse / fine);
  assert_true(coarse < 1e-4);
  assert_true(order > 3.8 && order < 4.3);
}

static void rest_is_exact(void **state) {
  const double start[1][3] = {{0.1, -0.2, 0.0}}, zero[1][3] = {{0.0, -0.0, 0.0}};
  tx_tracker tracker;
  tx_tracker_init(&tracker, 1, start);
  for (int s = 0; s < 400; s++) tx_tracker_update(&tracker, s % 4, 0.1, zero);
  for (int d = 0; d < 3; d++) assert_true(tracker.at[0].x[d] == start[0][d]);
  assert_false(signbit(tracker.at[0].x[2]));
}

static void velocity_is_that_at_the_start_of_the_step(void **state) {
  const double start[1][3] = {{0.0, 0.0, 0.0}};
  tx_tracker tracker;
  tx_tracker_init(&tracker, 1, start);
  for (int s = 0; s < 4; s++) {
    const double beta[1][3] = {{0.5 + s, 0.0, -0.25 * s}};
    tx_tracker_update(&tracker, s, 0.1, beta);
  }
  assert_true(tracker.at[0].v[0] == -0.5 && tracker.at[0].v[2] == 0.0);
}

/* A shift that is not a number must not take the puncture out of the domain: the state tells
 * more. */
static void a_bad_shift_leaves_the_puncture_and_is_noted(void **state) {
  const double start[2][3] = {{0.5, 0.0, 0.0}, {1.0, 2.0, 3.0}};
  const double beta[2][3] = {{NAN, INFINITY, -1.0}, {1.0, 0.0, 0.0}};
  tx_tracker tracker;
  tx_tracker_init(&tracker, 2, start);
  assert_false(tracker.lost);
  for (int s = 0; s < 4; s++) tx_tracker_update(&tracker, s, 0.5, beta);
  assert_true(tracker.lost);
  assert_true(tracker.at[0].x[0] == 0.5 && tracker.at[0].x[1] == 0.0);
  assert_float_equal(tracker.at[0].x[2], 0.5, 1e-15);
  assert_float_equal(tracker.at[1].x[0], 0.5, 1e-15);
}

/* Mirror images stay mirror images to the last bit. */
static void images_stay_images(void **state) {
  const double start[2][3] = {{0.3, 1.1, 0.7}, {-0.3, -1.1, -0.7}};
  tx_tracker tracker;
  tx_tracker_init(&tracker, 2, start);
  for (int s = 0; s < 80; s++) {
    const double *x = tracker.at[0].stage_x;
    double b[3] = {sin(x[1]), 0.1 * x[0], x[2] * x[0]};
    const double beta[2][3] = {{b[0], b[1], b[2]}, {-b[0], -b[1], -b[2]}};
    tx_tracker_update(&tracker, s % 4, 0.05, beta);
  }
  for (int d = 0; d < 3; d++) assert_true(tracker.at[0].x[d] == -tracker.at[1].x[d]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_is_four),
      cmocka_unit_test(rest_is_exact),
      cmocka_unit_test(velocity_is_that_at_the_start_of_the_step),
      cmocka_unit_test(a_bad_shift_leaves_the_puncture_and_is_noted),
      cmocka_unit_test(images_stay_images),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
