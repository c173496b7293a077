/* The sub-commands beside `run`. All are collective and write to the log. */
#pragma once

#include "app/cli.h"
#include "base/status.h"
#include "params/params.h"

/** Show what a run of `p` would be on the ranks that the command line names (as now, if none): grid, time
 *  step, partition, halo, memory, cost; and note what an expert would. */
tx_status tx_check_main(MPI_Comm comm, const tx_params *p, const tx_cli *cli);

/** Make the initial data of `p` and describe them, in files too if the command line names some. Errors:
 *  TX_ERR_PARAM if the data have no correction u for --probe or no two punctures for --bbh. */
tx_status tx_id_main(MPI_Comm comm, const tx_params *p, const tx_cli *cli);

/** Find the fastest plan of the stage kernel on this GPU for each system and scheme, and keep it for later runs (app/tuning.h). One rank. Errors:
 *  TX_ERR_USAGE on several; TX_ERR_PARAM without a GPU; TX_ERR_IO. */
tx_status tx_tune_main(MPI_Comm comm, const tx_cli *cli);

/** Write a parameter file for what the command line asks for, or list what there are templates for. Errors: TX_ERR_PARAM if that
 *  cannot be had, with the nearest that can; TX_ERR_IO. */
tx_status tx_new_main(MPI_Comm comm, const tx_cli *cli);

/** Measure the speed of the kernels. Errors: TX_ERR_IO if the JSON file cannot be written. */
tx_status tx_bench_main(MPI_Comm comm, const tx_cli *cli);
