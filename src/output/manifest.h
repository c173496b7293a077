/* The files of a run folder: which belong to the run, and how they are reset when it restarts from a checkpoint.
 *
 * Each checkpoint contains a list of the files with their lengths and checksums. A restart truncates each file to
 * its length and removes files that are not in the list, so that no row is missing or repeated. */
#pragma once

#include <stdint.h>
#include "files/file.h"

/** Fate of a file when the run restarts from a checkpoint. */
typedef enum tx_fate {
  TX_FILE_STAYS,  /**< unchanged: it does not belong to a time, or its owner resets it */
  TX_FILE_ROWS,   /**< cut to its length at the checkpoint */
  TX_FILE_XDMF,   /**< cut to that length, and ended anew */
  TX_FILE_WHOLE,  /**< kept if it existed at the checkpoint, else removed */
  TX_FILE_PASSING /**< removed */
} tx_fate;

/** Files that a run writes: those whose names match `pattern` in the sub-folder `folder` ("": the run folder itself). */
typedef struct tx_run_file {
  const char *folder, *pattern;
  tx_fate fate;
} tx_run_file;

/** All files of a run but those of the folder itself (log, parameters, summary, initial data, checkpoints): lists, each ended by
 *  {NULL}. Borrows them. */
typedef struct tx_manifest {
  int n;
  const tx_run_file *const *lists;
} tx_manifest;

/** Local. Look for the output of an earlier run in `folder`: *found is true if there is more than a
 *  start leaves that was killed at once. With `remove` all of it is removed. Errors: TX_ERR_IO. */
tx_status tx_series_clear(const tx_manifest *files, const char *folder, bool remove, bool *found);

/** Known series of a run, each with the checksum of the part that was read, so that only appended rows are read for the
 *  next checkpoint. Starts as {0}; owns its entries. */
typedef struct tx_series_known tx_series_known;
typedef struct tx_series_sums {
  int n, room;
  tx_series_known *known;
} tx_series_sums;
void tx_series_sums_free(tx_series_sums *sums);

/** Local. Append to `list` a line "bytes sum path" for each file of the run in `folder` that goes with a
 *  checkpoint, and flush these files to the disk; sum is the CRC-64 of a series, or "-". Errors:
 *  TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_series_list(const tx_manifest *files, const char *folder, tx_series_sums *sums,
                         tx_text *list);

/** Local. Reset the files of `folder` to `list`; "" for a run that starts again. Idempotent. A file of the list
 *  that is missing gives a warning only, as the user removed it. Errors: TX_ERR_IO for a series that is shorter
 *  than in the list or begins with other bytes; then no file was changed. */
tx_status tx_series_resume(const tx_manifest *files, const char *folder, const char *list);

/** Local. Warn of each series that was removed or replaced since the last call; record new ones. Errors: TX_ERR_IO,
 *  TX_ERR_MEMORY. */
tx_status tx_series_watch(const tx_manifest *files, const char *folder, tx_series_sums *sums);

/** Compute the checksum of the first `bytes` of the series `name` at `path`; record a series; warn of
 *  series that were replaced: parts of the functions above. Local. */
tx_status tx_series_sum(tx_series_sums *sums, const char *path, const char *name, int64_t bytes,
                        uint64_t *crc);
tx_status tx_series_know(tx_series_sums *sums, const char *path, const char *name);
void tx_series_look_after(const char *folder, tx_series_sums *sums);
