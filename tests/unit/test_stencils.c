/* Stencils are exact on polynomials up to their order, and no further. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "physics/extrapolate_point.h"
#include "physics/lagrange_point.h"
#include "physics/midpoint_point.h"
#include "physics/stencils_point.h"
#include "support/cmocka.h"

enum { SIDE = 2 * TX_K + 1, CENTRE = TX_K };

/* x^n on the stencil about x0, as a line of values. */
static void fill(double *u, int n, double x0, double h) {
  for (int m = -TX_K; m <= TX_K; m++) u[m + TX_K] = pow(x0 + m * h, n);
}

static void first_and_second_derivatives_have_their_order(void **state) {
  const double x0 = 0.3, h = 0.25;
  for (int n = 0; n <= TX_FD_ORDER + 2; n++) {
    double u[SIDE];
    fill(u, n, x0, h);
    const double d1 = TX_D1_SCALE(h) * tx_stencil_d1(u + CENTRE, 1);
    const double d2 = TX_D2_SCALE(h) * tx_stencil_d2(u + CENTRE, 1);
    const double e1 = fabs(d1 - n * pow(x0, n - 1));
    const double e2 = fabs(d2 - n * (n - 1) * pow(x0, n - 2));
    if (n <= TX_FD_ORDER) assert_true(e1 < 1e-13);
    if (n == TX_FD_ORDER + 1) assert_true(e1 > 1e-5);
    if (n <= TX_FD_ORDER + 1) assert_true(e2 < 1e-12);
    if (n == TX_FD_ORDER + 2) assert_true(e2 > 1e-5);
  }
}

/* beta d_x u with both signs of beta; upwinded with points from 2 - TX_KO to TX_KO for beta > 0, read off one by one. */
static double advection(const double *u, double beta) {
  double d[TX_K], s[TX_K];
  for (int m = 1; m <= TX_K; m++) {
    d[m - 1] = u[m] - u[-m];
    s[m - 1] = u[m] + u[-m];
  }
  return beta * TX_ADV_SUM(d) + fabs(beta) * TX_ADV_EVEN * TX_KO_SUM(u[0], s);
}

static void advection_has_its_order_on_either_side(void **state) {
  const double x0 = 0.3, h = 0.25;
  for (int side = -1; side <= 1; side += 2) {
    const double beta = 0.7 * side;
    for (int n = 0; n <= TX_FD_ORDER + 1; n++) {
      double u[SIDE];
      fill(u, n, x0, h);
      const double error =
          fabs(TX_D1_SCALE(h) * advection(u + CENTRE, beta) - beta * n * pow(x0, n - 1));
      if (n <= TX_FD_ORDER) assert_true(error < 1e-13);
      if (n == TX_FD_ORDER + 1) assert_true(error > 1e-5);
    }
    for (int m = -TX_K; m <= TX_K; m++) {
      double u[SIDE] = {0.0};
      u[CENTRE + m] = 1.0;
      const int offset = side * m;
      const bool there = TX_UPWINDED ? offset >= 2 - TX_KO && offset <= TX_KO
                                     : m != 0 && abs(m) <= TX_FD_ORDER / 2;
      assert_true((fabs(advection(u + CENTRE, beta)) > 1e-14) == there);
    }
  }
}

/* Undivided dissipation. */
static double dissipation(const double *u) {
  double s[TX_K];
  for (int m = 1; m <= TX_K; m++) s[m - 1] = u[m] + u[-m];
  return TX_KO_SUM(u[0], s);
}

/* -(-1)^k sigma / 2^(2 k) h^(2 k - 1) d^(2 k) u, k = TX_KO, which damps: exact on degree 2 k, zero below. */
static void dissipation_is_a_high_derivative_that_damps(void **state) {
  const double h = 0.25, sigma = 0.4;
  double factorial = TX_KO % 2 ? 1.0 : -1.0;
  for (int n = 1; n <= 2 * TX_KO; n++) factorial *= n;
  for (int n = 0; n <= 2 * TX_KO + 1; n++) {
    double u[SIDE];
    fill(u, n, 0.0, h);
    const double ko = TX_KO_SCALE(sigma, h) * dissipation(u + CENTRE);
    const double exact = n == 2 * TX_KO ? sigma * pow(h / 2, 2 * TX_KO) / h * factorial : 0.0;
    assert_true(fabs(ko - exact) < 1e-13);
  }
  double saw[SIDE];
  for (int m = -TX_K; m <= TX_K; m++) saw[m + TX_K] = (m + TX_K) % 2 ? -1.0 : 1.0;
  const double damping = TX_KO_SCALE(sigma, h) * dissipation(saw + CENTRE) / saw[CENTRE];
  assert_true(fabs(damping + sigma / h) < 1e-13);
}

static void symmetric_data_give_exact_zeros(void **state) {
  double even[SIDE], odd[SIDE], constant[SIDE];
  for (int m = -TX_K; m <= TX_K; m++) {
    even[m + TX_K] = exp(-0.37 * m * m) + 0.1;
    odd[m + TX_K] = m < 0 ? -exp(0.37 * m) : m * exp(-0.37 * m) / (m ? m : 1);
    constant[m + TX_K] = 1.0;
  }
  assert_true(tx_stencil_d1(even + CENTRE, 1) == 0.0);
  assert_true(tx_stencil_d2(odd + CENTRE, 1) == 0.0);
  assert_true(dissipation(odd + CENTRE) == 0.0);
  assert_true(tx_stencil_d2(constant + CENTRE, 1) == 0.0);
  assert_true(dissipation(constant + CENTRE) == 0.0);
}

/* The weights as they stand in textbooks, to the last bit. */
static void weights_between_and_beyond_points_are_exact(void **state) {
  static const double centred[] = {3, -25, 150, 150, -25, 3},
                      ghost[] = {7, -70, 525, 700, -175, 42, -5};
  static const double beyond[][TX_OUTER_POINTS] = {{6, -15, 20, -15, 6, -1},
                                                   {21, -70, 105, -84, 35, -6},
                                                   {56, -210, 336, -280, 120, -21},
                                                   {126, -504, 840, -720, 315, -56}};
  const tx_midpoint_weights six = tx_midpoint_weights_make(TX_INTERP_POINTS);
  const tx_midpoint_weights seven = tx_midpoint_weights_make(TX_INTERP_GHOST);
  const tx_outer_weights outer = tx_outer_weights_make();
  for (int t = 0; t < TX_INTERP_POINTS; t++) assert_true(six.w[t] == centred[t] / 256);
  for (int t = 0; t < TX_INTERP_GHOST; t++) assert_true(seven.w[t] == ghost[t] / 1024);
  for (int g = 0; g < TX_K; g++)
    for (int j = 0; j < TX_OUTER_POINTS; j++) assert_true(outer.w[g][j] == beyond[g][j]);
}

/* Weights at s by point of the patch, from -TX_K on. */
static void line(double s, double of[3][TX_P]) {
  double w[3][TX_JET_POINTS];
  const int first = tx_lagrange_line(s, 0.5, w);
  assert_true(first >= -TX_K && first + TX_JET_POINTS <= TX_N + TX_K);
  for (int d = 0; d < 3; d++)
    for (int j = 0; j < TX_P; j++) {
      const int k = j - TX_K - first;
      of[d][j] = k >= 0 && k < TX_JET_POINTS ? w[d][k] : 0.0;
    }
}

/* Between points those of a patch from -2 to N + 2; at points the seven around them. */
static void lines_are_their_own_mirror_images(void **state) {
  double a[3][TX_P], b[3][TX_P];
  for (int n = 1; n < 32 * TX_N; n++) {
    line(n / 32.0, a);
    line(TX_N - n / 32.0, b);
    for (int d = 0; d < 3; d++)
      for (int j = 1; j < TX_P; j++)
        assert_true(fabs(a[d][j] - (d == 1 ? -1.0 : 1.0) * b[d][TX_P - j]) < 1e-13);
  }
}

/* x^n in the middle of the patch, s = 4 being x = 0: n = 7 between points, 6 at them. */
static void lines_are_exact(void **state) {
  double a[3][TX_P];
  for (int q = 0; q < 32 * TX_N; q++)
    for (int n = 0; n <= (q % 32 ? TX_JET_POINTS - 1 : TX_JET_POINTS - 2); n++) {
      const double x = 0.5 * (q / 32.0 - 4.0);
      const double exact[3] = {pow(x, n), n > 0 ? n * pow(x, n - 1) : 0.0,
                               n > 1 ? n * (n - 1) * pow(x, n - 2) : 0.0};
      line(q / 32.0, a);
      for (int d = 0; d < 3; d++) {
        double sum = 0.0;
        for (int j = 0; j < TX_P; j++) sum += a[d][j] * pow(0.5 * (j - TX_K - 4.0), n);
        assert_true(fabs(sum - exact[d]) < 1e-13 * pow(TX_N, n));
      }
    }
}

static void lines_at_points_are_centred(void **state) {
  double a[3][TX_P];
  for (int n = 0; n < TX_N; n++)
    for (int near = -1; near <= 1; near++) {
      line(n + (n > 0 || near > 0 ? near * 1e-12 : 0.0), a);
      for (int j = 0; j < TX_P; j++) {
        const int m = j - TX_K - n;
        if (abs(m) > 3) assert_true(a[0][j] == 0.0 && a[1][j] == 0.0 && a[2][j] == 0.0);
        if (abs(m) <= 3) assert_true(fabs(a[0][j] - (m == 0)) < 1e-11);
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_and_second_derivatives_have_their_order),
      cmocka_unit_test(advection_has_its_order_on_either_side),
      cmocka_unit_test(dissipation_is_a_high_derivative_that_damps),
      cmocka_unit_test(symmetric_data_give_exact_zeros),
      cmocka_unit_test(weights_between_and_beyond_points_are_exact),
      cmocka_unit_test(lines_are_their_own_mirror_images),
      cmocka_unit_test(lines_are_exact),
      cmocka_unit_test(lines_at_points_are_centred),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
