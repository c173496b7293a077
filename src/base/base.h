/* Start and end of what all parts of the program share. */
#pragma once

#include "base/status.h"

/** Collective. Begin the program after MPI_Init: MPI errors on `comm`, the world and self come back as codes, and rank 0
 *  writes the log; freed memory stays with the process (tx_memory_retain). Errors: TX_ERR_LIBRARY. */
tx_status tx_base_init(MPI_Comm comm);

/** Collective. Close the log, before MPI_Finalize. Every block of tx_alloc must be free by now.
 *  Errors: TX_ERR_MEMORY with the consumers that kept some; TX_ERR_IO if log.txt was cut short. */
tx_status tx_base_finalize(MPI_Comm comm);
