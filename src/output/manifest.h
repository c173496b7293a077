/* The files of a run folder: which are ours, and how they stand when a run restarts from a checkpoint.
 *
 * With each checkpoint goes a list of the files there are, with their lengths and checksums. A restart cuts each
 * back to its length and removes what is not in the list, so that no row is missing and none is there twice. */
#pragma once

#include <stdint.h>
#include "files/file.h"

/** Local. What an earlier run wrote into `folder`: *found tells whether there is anything beside the log of
 *  a start that was killed at once, and with `remove` all is removed. Errors: TX_ERR_IO. */
tx_status tx_series_clear(const char *folder, bool remove, bool *found);

/** What is known of the series of a run: which files they are, and the checksum of what was read of each, so
 *  that only what was appended is read for the next checkpoint. {0} to begin with; owns its entries. */
typedef struct tx_series_known tx_series_known;
typedef struct tx_series_sums {
  int n, room;
  tx_series_known *known;
} tx_series_sums;
void tx_series_sums_free(tx_series_sums *sums);

/** Local. Append to `list` a line "bytes sum path" for each file of ours in `folder` that goes with a
 *  checkpoint, and see to it that they are on the disk; sum is the CRC-64 of a series, or "-". Errors:
 *  TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_series_list(const char *folder, tx_series_sums *sums, tx_text *list);

/** Local. Bring the files of `folder` back to what `list` says; "" for a run that starts again. Doing it
 *  twice does no harm. Files of the list that are gone give a warning: rows of them will be missing, but the
 *  user took them away. Errors: TX_ERR_IO for a series that is shorter than in the list, or begins with
 *  other bytes; then nothing was touched. */
tx_status tx_series_resume(const char *folder, const char *list);

/** Local. Warn of each series that was removed or replaced since the last look; get to know those that are
 *  new. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_series_watch(const char *folder, tx_series_sums *sums);

/** Parts of the above. The sum of the first `bytes` of the series `name`, which lies at `path`; get to know
 *  one; warn of those that are others than before. Local. */
tx_status tx_series_sum(tx_series_sums *sums, const char *path, const char *name, int64_t bytes,
                        uint64_t *crc);
tx_status tx_series_know(tx_series_sums *sums, const char *path, const char *name);
void tx_series_look_after(const char *folder, tx_series_sums *sums);
