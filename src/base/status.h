/* Errors that all ranks share.
 *
 * Every function that can fail returns tx_status. The first failure of a rank is recorded with its
 * text, file and line; TX_TRY hands the code up. A collective function never returns between two
 * of its collectives: it keeps its status, goes on communicating, and ends in tx_agree. */
#pragma once

#include <mpi.h>

/** Kind of an error; also the exit code of the program. */
typedef enum tx_status {
  TX_OK = 0,
  TX_ERR_USAGE = 2,     /**< command line */
  TX_ERR_PARAM = 3,     /**< parameter file or value */
  TX_ERR_IO = 4,        /**< file system */
  TX_ERR_MEMORY = 5,    /**< out of memory */
  TX_ERR_NUMERICS = 6,  /**< NaN, or a solver that does not converge */
  TX_ERR_MESH = 7,      /**< octree out of balance, point outside the domain, stale plan */
  TX_ERR_LIBRARY = 8,   /**< MPI, HDF5, GSL, YAML or p4est reported an error */
  TX_ERR_INTERRUPT = 9, /**< ended by a signal */
} tx_status;

/** Hand a failure up. */
#define TX_TRY(call)                                                                               \
  do {                                                                                             \
    tx_status tx_try_status_ = (call);                                                             \
    if (tx_try_status_ != TX_OK) return tx_try_status_;                                            \
  } while (0)

/** Record a failure (printf format: what, where, which value, what to do) and return its code. */
#define TX_FAIL(code, ...) return tx_error_record((code), __FILE__, __LINE__, __VA_ARGS__)

/** TX_FAIL unless `cond` holds. */
#define TX_REQUIRE(cond, code, ...)                                                                \
  do {                                                                                             \
    if (!(cond)) TX_FAIL(code, __VA_ARGS__);                                                       \
  } while (0)

/* A pair for functions that keep a status and go on: TX_KEEP always calls, TX_THEN only while all is
 * well. */

/** Always call, and keep the first failure in `status`: for collectives, and for cleaning up. */
#define TX_KEEP(status, call)                                                                      \
  do {                                                                                             \
    tx_status tx_keep_status_ = (call);                                                            \
    if ((status) == TX_OK) (status) = tx_keep_status_;                                             \
  } while (0)

/** Call only while `status` is TX_OK; the call's status goes there. */
#define TX_THEN(status, call)                                                                      \
  do {                                                                                             \
    if ((status) == TX_OK) (status) = (call);                                                      \
  } while (0)

/** Check an MPI call (communicators return errors: tx_base sets MPI_ERRORS_RETURN). */
#define TX_MPI(call)                                                                               \
  do {                                                                                             \
    int tx_mpi_code_ = (call);                                                                     \
    if (tx_mpi_code_ != MPI_SUCCESS) return tx_error_mpi(tx_mpi_code_, #call, __FILE__, __LINE__); \
  } while (0)

/** Record the first failure of this rank, as one line (tx_line_show); later ones are dropped. Local. Returns
 *  `code`. */
tx_status tx_error_record(tx_status code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Record a failed MPI call. Local. Returns TX_ERR_LIBRARY. */
tx_status tx_error_mpi(int mpi_code, const char *call, const char *file, int line);

/** Name this rank, "rank 2 on a", where there are several hosts: behind the source of failures that are recorded from here on; "": do
 *  not. Local. */
void tx_error_place(const char *place);

/** Return the text of the recorded failure, "" if none. Local; view, valid until tx_error_clear. */
const char *tx_error_text(void);

/** Return "file:line" in the source of the recorded failure, with the rank if it has a place, "" if none. Local; view. */
const char *tx_error_where(void);

/** Return the short name of a code ("PARAM", "IO", ...). Local; literal. */
const char *tx_status_name(tx_status status);

/** Forget the recorded failure (tests; a failure that was dealt with). Local. */
void tx_error_clear(void);

/** Collective. Agree on a status: every rank returns the code of the first (lowest) failing rank, and holds its text.
 *  If MPI cannot even reduce a number, the program ends here by MPI_Abort. */
tx_status tx_agree(MPI_Comm comm, tx_status status);

/** Collective. Agree as tx_agree, and make *most [in|out] the largest of the ranks' numbers: both ride on one
 *  reduction. */
tx_status tx_agree_most(MPI_Comm comm, tx_status status, int *most);

/** Collective. Agree as tx_agree, and replace numbers [in|out] [n + 1] by their sums over all ranks, as MPI rounds them:
 *  both ride on one reduction. The last one is room for the status. */
tx_status tx_agree_sum(MPI_Comm comm, tx_status status, int n, double *numbers);

/** Collective. Print the agreed failure once (rank 0, stderr). */
void tx_error_print(MPI_Comm comm, tx_status status);

/** Local. Print the recorded failure once (stderr): of a process that has not started MPI. */
void tx_error_print_here(tx_status status);
