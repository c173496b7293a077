/* The launcher that started this process, as the environment says. */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/** Return the rank of this process as its launcher says it, before MPI is there; NULL without a launcher. Local; view. */
const char *tx_launcher_rank(void);

/** Return whether a launcher that may tell MPI of other ranks started this process. Local. */
bool tx_launcher_knows_mpi(void);

/** Refuse to compute if a launcher started several ranks, and MPI knows of one. Local. Errors: TX_ERR_LIBRARY. */
tx_status tx_launcher_check(MPI_Comm world);
