/* The edge of a finer level at its stages, against the stages themselves: y' = 3y - c y^2, where both levels see the same
 * equation and nothing of each other. */
#include <math.h>
#include "base/runge_kutta.h"
#include "evolve/time_weights.h"
#include "support/cmocka.h"

/* c of the equation. */
static double bend;

static double slope(double y) {
  return 3.0 * y - bend * y * y;
}

/* Stage states [out] of a classical Runge-Kutta step from u, and the state at its end. */
static void step(double u, double dt, double state[TX_STORED_STAGES]) {
  double end = u;
  state[0] = u;
  for (int s = 0; s < 4; s++) {
    const double k = slope(state[s]);
    end += tx_rk_weight[s] * dt * k;
    if (s < 3) state[s + 1] = u + tx_rk_reach[s] * dt * k;
  }
  state[4] = end;
}

static double row_of(const double c[TX_STORED_STAGES], const double state[TX_STORED_STAGES]) {
  double sum = 0.0;
  for (int k = 0; k < TX_STORED_STAGES; k++) sum += c[k] * state[k];
  return sum;
}

/* Row r of the tables' halves, less what the finer level has there. */
static double off(double dt, int half, int r) {
  const tx_time_weight_tables *t = &tx_time_weights_rk4;
  double coarse[TX_STORED_STAGES], fine[TX_STORED_STAGES];
  step(0.4, dt, coarse);
  step(0.4, 0.5 * dt, fine);
  if (half == 1) step(fine[4], 0.5 * dt, fine);
  return row_of(half == 0 ? t->first_half[r] : t->second_half[r], coarse) - fine[r];
}

/* Orders of the rows; 0: the same but for round-off. The end of a step has the fifth. */
static void assert_orders(const int order[2][5]) {
  for (int half = 0; half < 2; half++)
    for (int r = 0; r < 5; r++) {
      const double coarse = off(1.0 / 64, half, r), fine = off(1.0 / 128, half, r);
      const double found = log2(fabs(coarse / fine));
      print_message("half %d, row %d: %.2e, order %.2f\n", half, r, coarse, found);
      if (order[half][r] == 0)
        assert_true(fabs(coarse) < 1e-15 && fabs(fine) < 1e-15);
      else
        assert_true(fabs(found - order[half][r]) < 0.1);
    }
}

static void edges_are_stages_of_fifth_order_if_linear(void **state) {
  static const int order[2][5] = {{0, 0, 0, 0, 0}, {0, 5, 5, 5, 5}};
  bend = 0.0;
  assert_orders(order);
}

static void edges_are_stages_of_third_order(void **state) {
  static const int order[2][5] = {{0, 0, 3, 3, 3}, {3, 3, 3, 3, 5}};
  bend = 1.0;
  assert_orders(order);
}

/* What is constant stays so, to the last bit. */
static void rows_add_up_to_one(void **state) {
  static const double one[TX_STORED_STAGES] = {1, 1, 1, 1, 1};
  const tx_time_weight_tables *t = &tx_time_weights_rk4;
  for (int r = 0; r < 5; r++) {
    assert_true(row_of(t->whole[r], one) == 1.0);
    assert_true(row_of(t->first_half[r], one) == 1.0);
    assert_true(row_of(t->second_half[r], one) == 1.0);
  }
}

static void steps_of_the_same_length_copy(void **state) {
  for (int r = 0; r < 5; r++)
    for (int k = 0; k < TX_STORED_STAGES; k++)
      assert_true(tx_time_weights_rk4.whole[r][k] == (r == k ? 1.0 : 0.0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_are_stages_of_fifth_order_if_linear),
      cmocka_unit_test(edges_are_stages_of_third_order),
      cmocka_unit_test(rows_add_up_to_one),
      cmocka_unit_test(steps_of_the_same_length_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
