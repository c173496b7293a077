/* Commands of the command line's own room. */
#pragma once

#include "cli/cli.h"
#include "params/params.h"

/** Make the initial data of `p` and describe them, in files too if the command line names some. Collective. Errors:
 *  TX_ERR_PARAM if the data have no correction u for --probe or no two punctures for --bbh. */
tx_status tx_id_main(MPI_Comm comm, const tx_params *p, const tx_cli *cli);
