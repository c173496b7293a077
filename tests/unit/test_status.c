#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "support/cmocka.h"

static int line_of_failure;

static tx_status fails(int value) {
  line_of_failure = __LINE__ + 1;
  TX_REQUIRE(value < 3, TX_ERR_NUMERICS, "value is %d; give less than 3", value);
  return TX_OK;
}

static tx_status passes_on(int value) {
  TX_TRY(fails(value));
  return TX_OK;
}

static int clear(void **state) {
  tx_error_clear();
  return 0;
}

static void first_failure_is_kept(void **state) {
  assert_int_equal(passes_on(2), TX_OK);
  assert_string_equal(tx_error_text(), "");
  assert_string_equal(tx_error_where(), "");
  assert_int_equal(passes_on(7), TX_ERR_NUMERICS);
  assert_int_equal(passes_on(8), TX_ERR_NUMERICS);
  assert_string_equal(tx_error_text(), "value is 7; give less than 3");
  char where[64];
  snprintf(where, sizeof where, "tests/unit/test_status.c:%d", line_of_failure);
  assert_string_equal(tx_error_where(), where);
  tx_error_clear();
  assert_string_equal(tx_error_text(), "");
}

static void failures_have_the_place_of_their_rank(void **state) {
  char where[96];
  tx_error_place("rank 2 on a");
  assert_int_equal(fails(7), TX_ERR_NUMERICS);
  snprintf(where, sizeof where, "tests/unit/test_status.c:%d, rank 2 on a", line_of_failure);
  assert_string_equal(tx_error_where(), where);
  tx_error_place("");
}

static void keep_takes_the_first_and_goes_on(void **state) {
  tx_status status = TX_OK;
  int calls = 0;
  TX_KEEP(status, (calls++, TX_OK));
  TX_KEEP(status, (calls++, TX_ERR_IO));
  TX_KEEP(status, (calls++, TX_ERR_MESH));
  assert_int_equal(status, TX_ERR_IO);
  assert_int_equal(calls, 3);
}

static void then_stops_at_the_first_failure(void **state) {
  tx_status status = TX_OK;
  int calls = 0;
  TX_THEN(status, (calls++, TX_OK));
  TX_THEN(status, (calls++, TX_ERR_IO));
  TX_THEN(status, (calls++, TX_ERR_MESH));
  assert_int_equal(status, TX_ERR_IO);
  assert_int_equal(calls, 2);
}

static void threads_leave_one_whole_text(void **state) {
  int failed = 0;
#pragma omp parallel for num_threads(4) reduction(+ : failed)
  for (int i = 0; i < 64; i++)
    failed += tx_error_record(TX_ERR_MESH, "file.c", i, "item %d of %d", i, i) == TX_ERR_MESH;
  assert_int_equal(failed, 64);
  int a = -1, b = -2;
  assert_int_equal(sscanf(tx_error_text(), "item %d of %d", &a, &b), 2);
  assert_int_equal(a, b);
  assert_int_equal(atoi(strchr(tx_error_where(), ':') + 1), a);
}

static tx_status wrong_rank(void) {
  int value = 0;
  TX_MPI(MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD));
  return TX_OK;
}

static void mpi_errors_become_codes(void **state) {
  assert_int_equal(wrong_rank(), TX_ERR_LIBRARY);
  assert_non_null(strstr(tx_error_text(), "MPI_Send(&value, 1, MPI_INT, 99"));
  assert_non_null(strstr(tx_error_text(), "rank"));
}

static void long_texts_are_cut(void **state) {
  char text[8192];
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = 0;
  tx_error_record(TX_ERR_IO, text, 1, "%s", text);
  assert_in_range(strlen(tx_error_text()), 1000, sizeof text - 1);
  assert_true(strlen(tx_error_where()) < 1000);
}

static void codes_have_names(void **state) {
  assert_string_equal(tx_status_name(TX_ERR_PARAM), "PARAM");
  assert_string_equal(tx_status_name(TX_ERR_INTERRUPT), "INTERRUPT");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(first_failure_is_kept, clear),
      cmocka_unit_test_setup(failures_have_the_place_of_their_rank, clear),
      cmocka_unit_test_setup(keep_takes_the_first_and_goes_on, clear),
      cmocka_unit_test_setup(then_stops_at_the_first_failure, clear),
      cmocka_unit_test_setup(threads_leave_one_whole_text, clear),
      cmocka_unit_test_setup(mpi_errors_become_codes, clear),
      cmocka_unit_test_setup(long_texts_are_cut, clear),
      cmocka_unit_test_setup(codes_have_names, clear),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
