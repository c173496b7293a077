/* The commands that measure this machine. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "base/status.h"

/** What `tendex bench' and `tendex tune' are asked for. Borrows all. */
typedef struct tx_bench_options {
  const char *par_path;  /**< of the parameter file; NULL: the bench's own grid */
  const char *par_shown; /**< the same as output shows it */
  int n_set;
  const char *const *set; /**< "section.name=value" */
  int levels, steps;      /**< levels 0: not given */
  long points;            /**< 0: not given */
  bool profile;
  const char *pipeline; /**< "gather" or "patch"; NULL: both */
  const char *json;     /**< file for results; NULL: none */
} tx_bench_options;

/** Measure the speed of the kernels. Collective. Errors: TX_ERR_IO if the JSON file cannot be written. */
tx_status tx_bench_main(MPI_Comm comm, const tx_bench_options *options);

/** Find the fastest plan of the stage kernel on this GPU for each system and scheme, and keep it for later runs (machine/tuning.h).
 *  One rank. Errors: TX_ERR_USAGE on several; TX_ERR_PARAM without a GPU; TX_ERR_IO. */
tx_status tx_tune_main(MPI_Comm comm, const tx_bench_options *options);
