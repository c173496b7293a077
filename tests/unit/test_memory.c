#include <stdio.h>
#include <string.h>
#include "base/base.h"
#include "base/memory.h"
#include "support/cmocka.h"

static int clear(void **state) {
  tx_error_clear();
  tx_memory_limit(0);
  return tx_memory_blocks() != 0;
}

static void blocks_are_aligned_zero_and_counted(void **state) {
  double *block[20];
  for (size_t i = 0; i < 20; i++) {
    assert_int_equal(tx_alloc(i + 1, sizeof(double), "test", &block[i]), TX_OK);
    assert_int_equal((uintptr_t)block[i] % 64, 0);
    for (size_t j = 0; j <= i; j++) assert_true(block[i][j] == 0.0);
    memset(block[i], 0xff, (i + 1) * sizeof(double));
  }
  assert_int_equal(tx_memory_blocks(), 20);
  assert_int_equal(tx_memory_in_use(), 210 * sizeof(double));
  for (int i = 0; i < 20; i++) tx_free(block[i]);
  assert_int_equal(tx_memory_blocks(), 0);
  assert_int_equal(tx_memory_in_use(), 0);
  assert_true(tx_memory_peak() >= 210 * sizeof(double));
}

static void nothing_gives_null(void **state) {
  char *block = (char *)state;
  assert_int_equal(tx_alloc(0, 8, "test", &block), TX_OK);
  assert_null(block);
  tx_free(NULL);
}

static void realloc_keeps_and_zeroes(void **state) {
  int *a = NULL;
  assert_int_equal(tx_realloc(3, sizeof *a, "test", &a), TX_OK);
  for (int i = 0; i < 3; i++) a[i] = i + 5;
  assert_int_equal(tx_realloc(1000, sizeof *a, "test", &a), TX_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(a[i], i + 5);
  for (int i = 3; i < 1000; i++) assert_int_equal(a[i], 0);
  assert_int_equal(tx_realloc(2, sizeof *a, "test", &a), TX_OK);
  assert_int_equal(a[1], 6);
  assert_int_equal(tx_memory_in_use(), 2 * sizeof *a);
  assert_int_equal(tx_realloc(0, sizeof *a, "test", &a), TX_OK);
  assert_null(a);
}

static void huge_requests_fail_with_consumers(void **state) {
  char *small, *large, *huge = (char *)state;
  assert_int_equal(tx_alloc(100, 1, "small thing", &small), TX_OK);
  assert_int_equal(tx_alloc(4000, 1, "large thing", &large), TX_OK);
  assert_int_equal(tx_alloc((size_t)1 << 50, 8, "fields", &huge), TX_ERR_MEMORY);
  assert_null(huge);
  const char *text = tx_error_text();
  assert_non_null(strstr(text, "fields: no memory for 1125899906842624 items of 8 bytes"));
  assert_non_null(strstr(text, "large thing: 4000 bytes; small thing: 100 bytes"));
  tx_error_clear();
  assert_int_equal(tx_alloc(SIZE_MAX / 4 + 2, 4, "fields", &huge), TX_ERR_MEMORY);
  assert_int_equal(tx_memory_blocks(), 2);
  assert_int_equal(tx_memory_in_use(), 4100);
  tx_free(small);
  tx_free(large);
}

static void limit_is_kept(void **state) {
  char *a, *b;
  tx_memory_limit(1000);
  assert_int_equal(tx_alloc(600, 1, "a", &a), TX_OK);
  assert_int_equal(tx_alloc(401, 1, "b", &b), TX_ERR_MEMORY);
  assert_null(b);
  assert_int_equal(tx_alloc(400, 1, "b", &b), TX_OK);
  assert_int_equal(tx_realloc(500, 1, "b", &b), TX_ERR_MEMORY);
  assert_non_null(b);
  tx_free(a);
  tx_free(b);
}

static void threads_balance(void **state) {
  int failed = 0;
#pragma omp parallel for num_threads(4) reduction(+ : failed)
  for (int i = 0; i < 4000; i++) {
    int *block;
    failed += tx_alloc((size_t)(i % 7 + 1), sizeof *block, i % 2 ? "odd" : "even", &block) != TX_OK;
    if (block) block[i % 7] = i;
    tx_free(block);
  }
  assert_int_equal(failed, 0);
  assert_int_equal(tx_memory_in_use(), 0);
}

static void more_consumers_than_the_table_holds(void **state) {
  static char names[300][16];
  static char *blocks[300];
  for (int i = 0; i < 300; i++) {
    snprintf(names[i], sizeof names[i], "n%d", i);
    assert_int_equal(tx_alloc(10, 1, names[i], &blocks[i]), TX_OK);
  }
  char text[512];
  tx_memory_report(text, sizeof text);
  int bytes = 0;
  assert_int_equal(sscanf(text, "others: %d bytes", &bytes), 1);
  assert_true(bytes >= 1500);
  for (int i = 0; i < 300; i++) tx_free(blocks[i]);
  tx_memory_report(text, sizeof text);
  assert_string_equal(text, "");
}

static void finalize_reports_what_was_kept(void **state) {
  char *block;
  assert_int_equal(tx_alloc(77, 1, "forgotten", &block), TX_OK);
  assert_int_equal(tx_base_finalize(MPI_COMM_WORLD), TX_ERR_MEMORY);
  assert_non_null(strstr(tx_error_text(), "77 bytes in 1 blocks"));
  assert_non_null(strstr(tx_error_text(), "forgotten: 77 bytes"));
  tx_free(block);
  tx_error_clear();
  assert_int_equal(tx_base_finalize(MPI_COMM_WORLD), TX_OK);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(blocks_are_aligned_zero_and_counted, clear, clear),
      cmocka_unit_test_setup_teardown(nothing_gives_null, clear, clear),
      cmocka_unit_test_setup_teardown(realloc_keeps_and_zeroes, clear, clear),
      cmocka_unit_test_setup_teardown(huge_requests_fail_with_consumers, clear, clear),
      cmocka_unit_test_setup_teardown(limit_is_kept, clear, clear),
      cmocka_unit_test_setup_teardown(threads_balance, clear, clear),
      cmocka_unit_test_setup_teardown(more_consumers_than_the_table_holds, clear, clear),
      cmocka_unit_test_setup_teardown(finalize_reports_what_was_kept, clear, clear),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
