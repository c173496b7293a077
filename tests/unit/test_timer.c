#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/base.h"
#include "base/timer.h"

static void spin(double seconds) {
  double end = tx_now_s() + seconds;
  while (tx_now_s() < end) continue;
}

static int reset(void **state) {
  (void)state;
  tx_phase_reset();
  return 0;
}

static void inner_time_is_its_own(void **state) {
  (void)state;
  double t0 = tx_now_s();
  tx_phase_begin(TX_PHASE_REGRID);
  spin(0.010);
  tx_phase_begin(TX_PHASE_HALO);
  spin(0.040);
  tx_phase_end(TX_PHASE_HALO);
  spin(0.010);
  tx_phase_end(TX_PHASE_REGRID);
  double all = tx_now_s() - t0;
  double regrid = tx_phase_seconds(TX_PHASE_REGRID), halo = tx_phase_seconds(TX_PHASE_HALO);
  assert_true(regrid >= 0.020 && halo >= 0.040);
  assert_true(regrid <= all - 0.040 && halo <= all - 0.020);
  spin(0.002);
  assert_true(tx_phase_seconds(TX_PHASE_REGRID) == regrid);
  assert_true(tx_phase_seconds(TX_PHASE_RHS) == 0.0);
}

static void a_phase_within_itself(void **state) {
  (void)state;
  double t0 = tx_now_s();
  tx_phase_begin(TX_PHASE_RHS);
  tx_phase_begin(TX_PHASE_RHS);
  spin(0.005);
  tx_phase_end(TX_PHASE_RHS);
  spin(0.005);
  tx_phase_end(TX_PHASE_RHS);
  double all = tx_now_s() - t0, rhs = tx_phase_seconds(TX_PHASE_RHS);
  assert_true(rhs >= 0.010 && rhs <= all);
}

static void an_end_closes_what_was_left_open(void **state) {
  (void)state;
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_phase_begin(TX_PHASE_NORMS);
  tx_phase_end(TX_PHASE_OUTPUT);
  double norms = tx_phase_seconds(TX_PHASE_NORMS), output = tx_phase_seconds(TX_PHASE_OUTPUT);
  spin(0.002);
  assert_true(tx_phase_seconds(TX_PHASE_NORMS) == norms);
  assert_true(tx_phase_seconds(TX_PHASE_OUTPUT) == output);
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_phase_end(TX_PHASE_HALO);
  spin(0.002);
  assert_true(tx_phase_seconds(TX_PHASE_OUTPUT) >= output + 0.002);
  tx_phase_end(TX_PHASE_OUTPUT);
}

static void gather_and_names(void **state) {
  (void)state;
  double mean[TX_PHASE_COUNT], largest[TX_PHASE_COUNT], wall = 0;
  tx_phase_begin(TX_PHASE_TRACKING);
  spin(0.003);
  tx_phase_end(TX_PHASE_TRACKING);
  spin(0.003);
  assert_int_equal(tx_phase_gather(MPI_COMM_WORLD, mean, largest, &wall), TX_OK);
  assert_true(mean[TX_PHASE_TRACKING] >= 0.003 && mean[TX_PHASE_TRACKING] <= wall - 0.003);
  assert_true(mean[TX_PHASE_TRACKING] == largest[TX_PHASE_TRACKING]);
  assert_string_equal(tx_phase_key(TX_PHASE_INITIAL_DATA), "initial_data");
  assert_string_equal(tx_phase_text(TX_PHASE_HALO), "halo exchange");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(inner_time_is_its_own, reset),
      cmocka_unit_test_setup(a_phase_within_itself, reset),
      cmocka_unit_test_setup(an_end_closes_what_was_left_open, reset),
      cmocka_unit_test_setup(gather_and_names, reset),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
