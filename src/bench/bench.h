/* The commands that measure this machine. */
#pragma once

#include "base/command.h"

#define TX_BENCH_WORD 80

/** Options of `tendex bench' and `tendex tune' beside those of all commands; views of argv. */
typedef struct tx_bench_options {
  int levels, steps; /**< levels 0: not given */
  long points;       /**< 0: not given */
  bool profile;
  const char *json;                                     /**< file for results; NULL: none */
  char device[TX_BENCH_WORD], transport[TX_BENCH_WORD]; /**< settings of the request; "": none */
} tx_bench_options;

extern const tx_command tx_command_bench, tx_command_tune;

/** Measure the speed of the kernels. Collective. Errors: TX_ERR_IO if the JSON file cannot be written. */
tx_status tx_bench_main(MPI_Comm comm, const tx_request *request);

/** Find the fastest plan of the stage kernel on this GPU for each system and scheme, and keep it for later runs (machine/tuning.h).
 *  One rank. Errors: TX_ERR_USAGE on several; TX_ERR_PARAM without a GPU; TX_ERR_IO. */
tx_status tx_tune_main(MPI_Comm comm, const tx_request *request);
