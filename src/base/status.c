#include "base/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/line.h"

typedef struct failure {
  int code; /* TX_OK: nothing recorded */
  char text[2048];
  char where[512];
} failure;

static failure recorded;
static bool printed;
static char own_place[320]; /* of this rank; "": there is one host */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const char *tx_status_name(tx_status status) {
  switch (status) {
  case TX_OK:
    return "OK";
  case TX_ERR_USAGE:
    return "USAGE";
  case TX_ERR_PARAM:
    return "PARAM";
  case TX_ERR_IO:
    return "IO";
  case TX_ERR_MEMORY:
    return "MEMORY";
  case TX_ERR_NUMERICS:
    return "NUMERICS";
  case TX_ERR_MESH:
    return "MESH";
  case TX_ERR_LIBRARY:
    return "LIBRARY";
  case TX_ERR_INTERRUPT:
    return "INTERRUPT";
  }
  return "UNKNOWN";
}

/* The part of a source path from src/, physics/, ... on: the same wherever the tree was built. */
static const char *path_in_tree(const char *file) {
#ifdef TX_SOURCE_DIR
  size_t n = strlen(TX_SOURCE_DIR);
  if (strncmp(file, TX_SOURCE_DIR, n) == 0 && file[n] == '/') return file + n + 1;
#endif
  return file;
}

tx_status tx_error_record(tx_status code, const char *file, int line, const char *format, ...) {
  char text[sizeof recorded.text];
  pthread_mutex_lock(&lock);
  if (recorded.code == TX_OK) {
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tx_line_show(text, recorded.text, sizeof recorded.text);
    snprintf(recorded.where, sizeof recorded.where, "%.160s:%d%s%s", path_in_tree(file), line,
             own_place[0] ? ", " : "", own_place);
    recorded.code = (int)code;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

tx_status tx_error_mpi(int mpi_code, const char *call, const char *file, int line) {
  char text[MPI_MAX_ERROR_STRING] = "unknown MPI error";
  int length = 0;
  if (MPI_Error_string(mpi_code, text, &length) != MPI_SUCCESS)
    snprintf(text, sizeof text, "MPI error %d", mpi_code);
  return tx_error_record(TX_ERR_LIBRARY, file, line, "%s: %s", call, text);
}

void tx_error_place(const char *place) {
  snprintf(own_place, sizeof own_place, "%s", place);
}

const char *tx_error_text(void) {
  return recorded.text;
}

const char *tx_error_where(void) {
  return recorded.where;
}

void tx_error_clear(void) {
  pthread_mutex_lock(&lock);
  recorded = (failure){0};
  printed = false;
  pthread_mutex_unlock(&lock);
}

/* Without its collectives a rank cannot tell the others anything: this alone ends the program at
 * once. */
static void agree_or_abort(MPI_Comm comm, int mpi_code) {
  if (mpi_code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(mpi_code, text, &length);
  fprintf(stderr, "tendex: error: the ranks cannot agree on a status: %s%s%s\n", text,
          recorded.code ? "; before that: " : "", recorded.text);
  fflush(stderr);
  MPI_Abort(comm, TX_ERR_LIBRARY);
}

tx_status tx_agree(MPI_Comm comm, tx_status status) {
  int nothing = 0;
  return tx_agree_most(comm, status, &nothing);
}

tx_status tx_agree_most(MPI_Comm comm, tx_status status, int *most) {
  int rank = 0, size = 1;
  agree_or_abort(comm, MPI_Comm_rank(comm, &rank));
  agree_or_abort(comm, MPI_Comm_size(comm, &size));
  /* The lowest rank that failed, and the largest number, both as maxima. */
  const int mine[2] = {status == TX_OK ? -size : -rank, *most};
  int all[2] = {-size, 0};
  agree_or_abort(comm, MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, comm));
  const int first = -all[0];
  *most = all[1];
  if (first == size) return TX_OK;
  if (first == rank && recorded.code == TX_OK)
    tx_error_record(status, __FILE__, __LINE__, "rank %d failed without a message (code %s)", rank,
                    tx_status_name(status));
  failure agreed = recorded;
  int code = (int)status;
  agree_or_abort(comm, MPI_Bcast(&code, 1, MPI_INT, first, comm));
  agree_or_abort(comm, MPI_Bcast(&agreed, (int)sizeof agreed, MPI_BYTE, first, comm));
  pthread_mutex_lock(&lock);
  recorded = agreed;
  pthread_mutex_unlock(&lock);
  return (tx_status)code;
}

tx_status tx_agree_sum(MPI_Comm comm, tx_status status, int n, double *numbers) {
  numbers[n] = status == TX_OK ? 0.0 : 1.0;
  agree_or_abort(comm, MPI_Allreduce(MPI_IN_PLACE, numbers, n + 1, MPI_DOUBLE, MPI_SUM, comm));
  return numbers[n] == 0.0 ? TX_OK : tx_agree(comm, status);
}

void tx_error_print_here(tx_status status) {
  if (status == TX_OK || printed) return;
  printed = true;
  fflush(stdout);
  fprintf(stderr, "tendex: error: %s\n  (%s, code %s)\n", recorded.text[0] ? recorded.text : "?",
          recorded.where[0] ? recorded.where : "unknown place",
          tx_status_name(recorded.code ? (tx_status)recorded.code : status));
  fflush(stderr);
}

void tx_error_print(MPI_Comm comm, tx_status status) {
  int rank = 0;
  agree_or_abort(comm, MPI_Comm_rank(comm, &rank));
  if (rank == 0) tx_error_print_here(status);
}
