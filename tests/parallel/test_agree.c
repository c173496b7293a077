#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "params/params.h"
#include "support/cmocka.h"

static int rank, size;

static int clear(void **state) {
  tx_error_clear();
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

static tx_status fail_here(tx_status code) {
  TX_FAIL(code, "rank %d of %d fails", rank, size);
}

static void no_failure_is_ok(void **state) {
  assert_int_equal(tx_agree(MPI_COMM_WORLD, TX_OK), TX_OK);
  assert_string_equal(tx_error_text(), "");
}

static void the_lowest_failing_rank_speaks(void **state) {
  char expected[64];
  for (int first = 0; first < size; first++) {
    tx_error_clear();
    tx_status status = TX_OK;
    if (rank >= first) status = fail_here(rank == first ? TX_ERR_NUMERICS : TX_ERR_IO);
    assert_int_equal(tx_agree(MPI_COMM_WORLD, status), TX_ERR_NUMERICS);
    snprintf(expected, sizeof expected, "rank %d of %d fails", first, size);
    assert_string_equal(tx_error_text(), expected);
    assert_non_null(strstr(tx_error_where(), "tests/parallel/test_agree.c:"));
    assert_int_equal(tx_agree(MPI_COMM_WORLD, TX_ERR_NUMERICS), TX_ERR_NUMERICS);
    assert_string_equal(tx_error_text(), expected);
  }
}

/* A number rides along, with a failure and without. */
static void the_largest_number_comes_along(void **state) {
  for (int who = 0; who < size; who++) {
    int most = rank == who ? 7 + who : rank % 2;
    assert_int_equal(tx_agree_most(MPI_COMM_WORLD, TX_OK, &most), TX_OK);
    assert_int_equal(most, 7 + who);
  }
  int most = rank == 0 ? -3 : -5;
  tx_status status = rank == size - 1 ? fail_here(TX_ERR_IO) : TX_OK;
  assert_int_equal(tx_agree_most(MPI_COMM_WORLD, status, &most), TX_ERR_IO);
  assert_int_equal(most, -3);
}

/* Sums ride along, with a failure and without. */
static void sums_come_along(void **state) {
  double numbers[3] = {rank + 1.0, rank == size - 1 ? 0.1 : 0.0, -7.0};
  assert_int_equal(tx_agree_sum(MPI_COMM_WORLD, TX_OK, 2, numbers), TX_OK);
  assert_true(numbers[0] == 0.5 * size * (size + 1) && numbers[1] == 0.1);
  const tx_status status = rank == size - 1 ? fail_here(TX_ERR_NUMERICS) : TX_OK;
  assert_int_equal(tx_agree_sum(MPI_COMM_WORLD, status, 2, numbers), TX_ERR_NUMERICS);
  assert_non_null(strstr(tx_error_text(), " fails"));
}

static void a_failure_without_text_still_has_one(void **state) {
  tx_status status = rank == size - 1 ? TX_ERR_MESH : TX_OK;
  assert_int_equal(tx_agree(MPI_COMM_WORLD, status), TX_ERR_MESH);
  assert_non_null(strstr(tx_error_text(), "code MESH"));
}

/* What stderr holds after `printer`, on this rank. */
static void capture(tx_status status, char *text, size_t n) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/tendex_test_agree_%d", (int)getpid());
  fflush(stderr);
  int saved = dup(STDERR_FILENO);
  assert_non_null(freopen(path, "w", stderr));
  tx_error_print(MPI_COMM_WORLD, status);
  tx_error_print(MPI_COMM_WORLD, status);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  text[fread(text, 1, n - 1, in)] = 0;
  fclose(in);
  remove(path);
}

static void one_message_from_rank_0(void **state) {
  char text[512], expected[512];
  tx_status status = rank == size - 1 ? fail_here(TX_ERR_MESH) : TX_OK;
  status = tx_agree(MPI_COMM_WORLD, status);
  capture(status, text, sizeof text);
  snprintf(expected, sizeof expected, "tendex: error: rank %d of %d fails\n  (%s, code MESH)\n",
           size - 1, size, tx_error_where());
  assert_string_equal(text, rank == 0 ? expected : "");
}

static void the_first_failure_keeps_its_own_code(void **state) {
  char text[512];
  if (rank == 0) fail_here(TX_ERR_NUMERICS);
  tx_status status = tx_agree(MPI_COMM_WORLD, rank == 0 ? TX_ERR_MEMORY : TX_OK);
  assert_int_equal(status, TX_ERR_MEMORY);
  capture(status, text, sizeof text);
  if (rank == 0) assert_non_null(strstr(text, ", code NUMERICS)"));
}

static void all_ranks_get_the_same_parameters(void **state) {
  tx_params p, q;
  const char *set[] = {"grid.extent=40", "waves.radii=[10, 20]"};
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, NULL, rank == 0 ? 2 : 0, set, NULL, &p), TX_OK);
  q = p;
  assert_int_equal(MPI_Bcast(&q, (int)sizeof q, MPI_BYTE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  assert_memory_equal(&p, &q, sizeof p);
  assert_true(p.grid_extent == 40.0 && p.waves_radii.v[1] == 20.0);
}

static void all_ranks_refuse_wrong_parameters(void **state) {
  tx_params p;
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, "/nonexistent.yaml", 0, NULL, NULL, &p),
                   TX_ERR_IO);
  assert_string_equal(tx_error_text(),
                      "cannot open parameter file /nonexistent.yaml: No such file or "
                      "directory");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(no_failure_is_ok, clear),
      cmocka_unit_test_setup(the_lowest_failing_rank_speaks, clear),
      cmocka_unit_test_setup(the_largest_number_comes_along, clear),
      cmocka_unit_test_setup(sums_come_along, clear),
      cmocka_unit_test_setup(a_failure_without_text_still_has_one, clear),
      cmocka_unit_test_setup(one_message_from_rank_0, clear),
      cmocka_unit_test_setup(the_first_failure_keeps_its_own_code, clear),
      cmocka_unit_test_setup(all_ranks_get_the_same_parameters, clear),
      cmocka_unit_test_setup(all_ranks_refuse_wrong_parameters, clear),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
