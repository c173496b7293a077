/* The frame of a test program that uses MPI. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mpi.h>
#include "base/base.h"

/** main() of a program that runs `call` (failed tests, an int; it may use argc and argv) with MPI and the
 *  base around it. Memory that is left over is a failure too. A rank whose test fails ends the others,
 *  which may wait for it. */
#define TEST_MAIN_WITH(call)                                                                       \
  int main(int argc, char **argv) {                                                                \
    int provided;                                                                                  \
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);                                 \
    if (tx_base_init(MPI_COMM_WORLD) != TX_OK || (call) != 0) MPI_Abort(MPI_COMM_WORLD, 1);        \
    tx_status left = tx_base_finalize(MPI_COMM_WORLD);                                             \
    if (left != TX_OK) tx_error_print(MPI_COMM_WORLD, left);                                       \
    MPI_Finalize();                                                                                \
    return left != TX_OK;                                                                          \
  }

/** main() of a program that runs `tests`. */
#define TEST_MAIN(tests) TEST_MAIN_WITH(cmocka_run_group_tests(tests, NULL, NULL))
