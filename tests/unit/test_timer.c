#include <string.h>
#include "base/base.h"
#include "base/timer.h"
#include "support/cmocka.h"

static void spin(double seconds) {
  double end = tx_now_s() + seconds;
  while (tx_now_s() < end) continue;
}

static int reset(void **state) {
  tx_phase_reset();
  return 0;
}

static void inner_time_is_its_own(void **state) {
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

/* A device of which each operation takes a second times its number, known when it is waited for. */
static struct { int tag[8], n, begun, asides, charged, phases_begun, phases_ended; } told;

static void note_phase(tx_phase phase) {
  assert_true(phase < TX_PHASE_COUNT);
  told.phases_begun++;
}

static void note_ends(int n) {
  told.phases_ended += n;
}

static void note_work(int tag, bool aside) {
  told.tag[told.n++] = tag;
  told.begun++;
  told.asides += aside;
}

static void note_end(bool aside) {
  (void)aside;
  told.begun--;
}

static void charge_all(void) {
  for (; told.charged < told.n; told.charged++)
    tx_work_charge(told.tag[told.charged], told.charged + 1.0);
}

static void work(tx_operation kind, bool aside) {
  tx_work_begin(kind, aside);
  tx_work_begin(TX_OPERATION_ALGEBRA, !aside); /* within another one it is part of it */
  assert_int_equal(told.begun, 1);
  tx_work_end(!aside);
  assert_int_equal(told.begun, 1);
  tx_work_end(aside);
  assert_int_equal(told.begun, 0);
}

static void devices_are_charged_by_phase_and_step(void **state) {
  static const tx_phase_hooks hooks = {note_phase, note_ends, note_work, note_end, charge_all};
  tx_device_times mine, mean;
  double kinds[TX_OPERATION_COUNT];
  memset(&told, 0, sizeof told);
  tx_work_begin(TX_OPERATION_STAGE, false);
  tx_work_end(false);
  assert_int_equal(told.n, 0); /* nobody is told yet */
  tx_phase_hook(&hooks);
  tx_phase_reset();
  work(TX_OPERATION_CHECKS, false); /* 1 s, in no phase */
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_phase_begin(TX_PHASE_HALO);
  work(TX_OPERATION_STAGE, false); /* 2 s */
  tx_phase_end(TX_PHASE_OUTPUT);
  assert_int_equal(told.phases_begun, 2);
  assert_int_equal(told.phases_ended, 2);
  tx_step_begin();
  tx_phase_begin(TX_PHASE_HALO);
  work(TX_OPERATION_STAGE, true); /* 3 s */
  tx_phase_end(TX_PHASE_HALO);
  tx_step_end();
  assert_int_equal(told.asides, 1);
  tx_device_seconds(&mine);
  assert_true(mine.phase_s[TX_PHASE_COUNT] == 1.0 && mine.phase_s[TX_PHASE_HALO] == 5.0);
  assert_true(mine.phase_s[TX_PHASE_OUTPUT] == 0.0 && mine.step_s == 3.0);
  assert_true(tx_device_busy(&mine) == 6.0);
  assert_int_equal(tx_device_gather(MPI_COMM_WORLD, &mean), TX_OK);
  assert_memory_equal(&mean, &mine, sizeof mean);
  assert_int_equal(tx_operation_gather(MPI_COMM_WORLD, kinds), TX_OK);
  for (int k = 0; k < TX_OPERATION_COUNT; k++)
    assert_true(kinds[k] == (k == TX_OPERATION_CHECKS ? 1.0 : k == TX_OPERATION_STAGE ? 5.0 : 0.0));
  tx_phase_reset();
  tx_device_seconds(&mine);
  assert_true(tx_device_busy(&mine) == 0.0 && mine.step_s == 0.0);
  tx_phase_hook(NULL);
  tx_work_begin(TX_OPERATION_STAGE, false);
  tx_work_end(false);
  assert_int_equal(told.n, 3);
}

/* Without a device the host's clock tells; an operation within another one is part of it. */
static void operations_of_the_host_are_timed(void **state) {
  double kinds[TX_OPERATION_COUNT], again[TX_OPERATION_COUNT];
  const double t0 = tx_now_s();
  tx_work_begin(TX_OPERATION_GHOSTS, false);
  spin(0.002);
  tx_work_begin(TX_OPERATION_STAGE, true);
  spin(0.002);
  tx_work_end(true);
  tx_work_end(false);
  const double all = tx_now_s() - t0;
  spin(0.002);
  assert_int_equal(tx_operation_gather(MPI_COMM_WORLD, kinds), TX_OK);
  assert_true(kinds[TX_OPERATION_GHOSTS] >= 0.004 && kinds[TX_OPERATION_GHOSTS] <= all);
  assert_true(kinds[TX_OPERATION_STAGE] == 0.0);
  tx_phase_reset();
  assert_int_equal(tx_operation_gather(MPI_COMM_WORLD, again), TX_OK);
  assert_true(again[TX_OPERATION_GHOSTS] == 0.0);
  assert_string_equal(tx_operation_key(TX_OPERATION_PSI4), "psi4");
}

static void steps_are_timed_across_phases(void **state) {
  tx_step_begin();
  tx_phase_begin(TX_PHASE_RHS);
  spin(0.003);
  assert_true(tx_step_seconds() >= 0.003);
  tx_phase_end(TX_PHASE_RHS);
  spin(0.003);
  tx_step_end();
  double spent = tx_step_seconds();
  assert_true(spent >= 0.006);
  spin(0.002);
  assert_true(tx_step_seconds() == spent);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(inner_time_is_its_own, reset),
      cmocka_unit_test_setup(a_phase_within_itself, reset),
      cmocka_unit_test_setup(an_end_closes_what_was_left_open, reset),
      cmocka_unit_test_setup(gather_and_names, reset),
      cmocka_unit_test_setup(devices_are_charged_by_phase_and_step, reset),
      cmocka_unit_test_setup(operations_of_the_host_are_timed, reset),
      cmocka_unit_test_setup(steps_are_timed_across_phases, reset),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
