/* The frame of a test program that uses MPI. */
#pragma once

#include <mpi.h>
#include <time.h>
#include "base/base.h"
#include "support/backend.h"
#include "support/cmocka.h"

/** Start MPI, the base and the backend that the environment asks for. */
static inline void test_begin(int *argc, char ***argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  tx_status status = tx_agree(MPI_COMM_WORLD, tx_test_backend_start(MPI_COMM_WORLD));
  tx_error_print(MPI_COMM_WORLD, status);
  if (status != TX_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

/** Wait, asleep, until all ranks are here: MPI's barrier would take the processors from those that work. Collective. */
static inline void test_wait(void) {
  const struct timespec nap = {.tv_nsec = 1000000};
  MPI_Request request;
  int here = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (MPI_Test(&request, &here, MPI_STATUS_IGNORE); !here;) {
    nanosleep(&nap, NULL);
    MPI_Test(&request, &here, MPI_STATUS_IGNORE);
  }
}

/** End them. Memory that is left over is a failure. Returns the exit code. */
static inline int test_end(void) {
  tx_test_backend_stop();
  tx_status left = tx_base_finalize(MPI_COMM_WORLD);
  if (left != TX_OK) tx_error_print(MPI_COMM_WORLD, left);
  MPI_Finalize();
  return left != TX_OK;
}

/** main() of a program that runs `call` (failed tests, an int; it may use argc and argv) between the two. A
 *  rank whose test fails ends the others, which may wait for it. */
#define TEST_MAIN_WITH(call)                                                                       \
  int main(int argc, char **argv) {                                                                \
    test_begin(&argc, &argv);                                                                      \
    if ((call) != 0) MPI_Abort(MPI_COMM_WORLD, 1);                                                 \
    return test_end();                                                                             \
  }

/** main() of a program that runs `tests`. */
#define TEST_MAIN(tests) TEST_MAIN_WITH(cmocka_run_group_tests(tests, NULL, NULL))
