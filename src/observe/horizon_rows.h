/* Horizons as rows of text files. */
#pragma once

#include "evolve/horizons.h"
#include "output/output.h"

/** Append rows of the searches that were just made, on the rank that writes. Local. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_horizon_rows_append(const tx_output *out, const tx_sim *sim, const tx_horizons *h);
