/* Which plan the kernel of a stage takes on this GPU: what `tendex tune` found, in a small text file for each card and build.
 * The file is that of the environment variable TENDEX_TUNING, or one in the user's cache. */
#pragma once

#include "base/status.h"
#include "params/params.h"
#include "physics/system.h"

/** A scheme as files show it: "6", "4u". */
#define TX_SCHEME_TEXT 16
void tx_tuning_scheme(const tx_system *system, char text[TX_SCHEME_TEXT]);

/** Speed of each plan of a system, point-stages/s; 0: the plan does not fit. */
#define TX_TUNING_PLANS 4
typedef struct tx_tuned {
  const tx_system *system;
  double speed[TX_TUNING_PLANS];
  int best;
} tx_tuned;

/** The file of this GPU and build, which need not be there. Local. Errors: TX_ERR_IO if the path is too long or the environment
 *  names no folder for it. */
tx_status tx_tuning_path(char *path, size_t size);

/** Collective. After tx_compute_start: take the plans of the file, if there is one for this GPU and build. A file that cannot be
 *  read, is damaged, or is of another GPU or build is named in a warning, and makes no difference. */
tx_status tx_tuning_apply(MPI_Comm comm);

/** Log which plan stages take and why; nothing on the CPU. Local. */
void tx_tuning_log(const tx_params *p);

/** Make the folder of the file. Rank 0 only. Errors: TX_ERR_IO. */
tx_status tx_tuning_folder(const char *path);
/** Write the file. Rank 0 only. Errors: TX_ERR_IO. */
tx_status tx_tuning_write(const char *path, int n, const tx_tuned *tuned);
