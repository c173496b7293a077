#include "base/base.h"

#include <stdbool.h>
#include "base/log.h"
#include "base/memory.h"

tx_status tx_base_init(MPI_Comm comm) {
  int rank = 0;
  tx_memory_retain();
  TX_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  TX_MPI(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  TX_MPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  TX_MPI(MPI_Comm_rank(comm, &rank));
  tx_log_init(rank);
  return TX_OK;
}

static tx_status check_balance(int rank) {
  char report[1024];
  if (tx_memory_blocks() == 0) return TX_OK;
  tx_memory_report(report, sizeof report);
  TX_FAIL(TX_ERR_MEMORY, "rank %d ends with %zu bytes in %zu blocks not freed: %s", rank,
          tx_memory_in_use(), tx_memory_blocks(), report);
}

tx_status tx_base_finalize(MPI_Comm comm) {
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_KEEP(status, tx_log_close());
  TX_KEEP(status, check_balance(rank));
  return tx_agree(comm, status);
}
