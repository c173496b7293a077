/* The log: standard output and log.txt, written by rank 0 only. Local; other ranks ignore calls. Where standard
 * output cannot be written to (a closed pipe, a full device), a warning says so once and log.txt goes on. */
#pragma once

#include "base/status.h"

/** Start logging: `rank` 0 writes. Local. */
void tx_log_init(int rank);

/** Copy everything from now on, and warnings since the last copy, to `path` as well, appending. Local (rank 0 opens it).
 *  Errors: TX_ERR_IO. */
tx_status tx_log_open(const char *path);

/** Close the copy. Local. Returns tx_log_status. */
tx_status tx_log_close(void);

/** Return TX_OK, or TX_ERR_IO once a line could not be written to the copy (disk full, say). Local: ask on
 *  rank 0 and agree. tx_log_open starts afresh. */
tx_status tx_log_status(void);

/** Write one line (printf format, no newline needed). */
void tx_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Write one line that starts with "warning: ". */
void tx_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Silence standard output (tests, `--quiet`), or take it up again; log.txt is still written. Returns what was before. */
int tx_log_quiet(int quiet);
