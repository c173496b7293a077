/* The files of a run folder: which are ours, and how they stand when a run goes on from a checkpoint.
 *
 * With each checkpoint goes a list of the files there are, with their lengths. A restart cuts each back
 * to its length and removes what is not in the list, so that no row is missing and none is there twice. */
#pragma once

#include "files/file.h"

/** Local. What an earlier run wrote into `folder`: *found tells whether there is anything beside the log of
 *  a start that was killed at once, and with `remove` all is removed. Errors: TX_ERR_IO. */
tx_status tx_series_clear(const char *folder, bool remove, bool *found);

/** Local. Append to `list` a line "bytes path" for each file of ours in `folder` that goes with a
 *  checkpoint, and see to it that they are on the disk. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_series_list(const char *folder, tx_text *list);

/** Local. Bring the files of `folder` back to what `list` says; "" for a run that starts again. Doing it
 *  twice does no harm. Files of the list that are gone give a warning: rows of them will be missing, but the
 *  user took them away. Errors: TX_ERR_IO for a series that is shorter than in the list. */
tx_status tx_series_resume(const char *folder, const char *list);
