#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/log.h"
#include "base/version.h"
#include "support/cmocka.h"

static char path[64];

static int start(void **state) {
  tx_error_clear();
  tx_log_init(0);
  tx_log_quiet(1);
  snprintf(path, sizeof path, "/tmp/tendex_test_log_%d", (int)getpid());
  remove(path);
  return 0;
}

static int stop(void **state) {
  tx_log_close();
  remove(path);
  return 0;
}

static void assert_file_is(const char *expected) {
  char text[256] = "";
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  text[fread(text, 1, sizeof text - 1, in)] = 0;
  fclose(in);
  assert_string_equal(text, expected);
}

static void lines_appear_at_once_and_are_appended(void **state) {
  assert_int_equal(tx_log_open(path), TX_OK);
  tx_log("step %d", 3);
  assert_file_is("step 3\n");
  tx_warn("chi is %g", 0.5);
  assert_int_equal(tx_log_close(), TX_OK);
  tx_log("nowhere");
  assert_int_equal(tx_log_open(path), TX_OK);
  tx_log("again");
  assert_file_is("step 3\nwarning: chi is 0.5\nagain\n");
}

static void early_warnings_reach_the_copy(void **state) {
  tx_warn("chi is %g", 0.5);
  tx_log("nothing to keep");
  assert_int_equal(tx_log_open(path), TX_OK);
  tx_log("step 1");
  assert_file_is("warning: chi is 0.5\nstep 1\n");
  assert_int_equal(tx_log_close(), TX_OK);
  remove(path);
  assert_int_equal(tx_log_open(path), TX_OK);
  assert_file_is("");
}

static void other_ranks_are_silent(void **state) {
  tx_log_init(1);
  assert_int_equal(tx_log_open(path), TX_OK);
  tx_log("nothing");
  assert_int_equal(access(path, F_OK), -1);
}

static void a_folder_that_is_not_there(void **state) {
  assert_int_equal(tx_log_open("/nonexistent/log.txt"), TX_ERR_IO);
  assert_string_equal(tx_error_text(),
                      "cannot open /nonexistent/log.txt for writing: No such file or directory");
  tx_log("goes on");
}

static void a_full_disk_is_noticed(void **state) {
  assert_int_equal(tx_log_open("/dev/full"), TX_OK);
  assert_int_equal(tx_log_status(), TX_OK);
  tx_log("lost");
  assert_int_equal(tx_log_status(), TX_ERR_IO);
  assert_string_equal(tx_error_text(), "cannot write to /dev/full: No space left on device");
  tx_log("lost as well");
  assert_int_equal(tx_log_close(), TX_ERR_IO);
  assert_int_equal(tx_log_open(path), TX_OK);
  assert_int_equal(tx_log_status(), TX_OK);
}

static void standard_output_is_written_unless_quiet(void **state) {
  fflush(stdout);
  int saved = dup(STDOUT_FILENO);
  assert_non_null(freopen(path, "w", stdout));
  tx_log("hidden");
  tx_log_quiet(0);
  tx_log("shown");
  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  assert_file_is("shown\n");
}

static void standard_output_that_is_full_is_given_up(void **state) {
  fflush(stdout);
  int saved = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
  assert_true(full >= 0);
  assert_int_equal(tx_log_open(path), TX_OK);
  dup2(full, STDOUT_FILENO);
  tx_log_quiet(0);
  tx_log("one");
  tx_log("two");
  tx_log_quiet(1);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(full);
  assert_int_equal(tx_log_status(), TX_OK);
  assert_file_is("one\nwarning: cannot write standard output (No space left on device): the "
                 "rest of the log is in log.txt only\ntwo\n");
}

static void the_binary_says_what_it_is(void **state) {
  int part[3], end = 0;
  assert_int_equal(sscanf(tx_version(), "%d.%d.%d-%n", &part[0], &part[1], &part[2], &end), 3);
  assert_true(end > 0 && tx_version()[end]);
  assert_non_null(strstr(tx_build(), "^3 points"));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(lines_appear_at_once_and_are_appended, start, stop),
      cmocka_unit_test_setup_teardown(early_warnings_reach_the_copy, start, stop),
      cmocka_unit_test_setup_teardown(other_ranks_are_silent, start, stop),
      cmocka_unit_test_setup_teardown(a_folder_that_is_not_there, start, stop),
      cmocka_unit_test_setup_teardown(a_full_disk_is_noticed, start, stop),
      cmocka_unit_test_setup_teardown(standard_output_is_written_unless_quiet, start, stop),
      cmocka_unit_test_setup_teardown(standard_output_that_is_full_is_given_up, start, stop),
      cmocka_unit_test_setup_teardown(the_binary_says_what_it_is, start, stop),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
