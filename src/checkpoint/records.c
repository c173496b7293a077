/* Named pieces of state in a checkpoint, for all ranks. */
#include "checkpoint/internal.h"

#include <limits.h>
#include "files/h5.h"
#include "files/record.h"

/* On one rank. */
static tx_status read_records(const char *path, int n, const tx_record *records) {
  hid_t file;
  TX_TRY(tx_h5_open(path, &file));
  tx_status status = tx_records_get(file, path, "records", n, records);
  H5Fclose(file);
  return status;
}

tx_status tx_checkpoint_records(MPI_Comm comm, const char *path, int n, const tx_record *records) {
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < n; i++)
    if (records[i].n > INT_MAX / 8)
      status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__, "record '%s' is too long",
                               records[i].name);
  if (rank == 0) TX_THEN(status, read_records(path, n, records));
  TX_TRY(tx_agree(comm, status));
  for (int i = 0; i < n; i++)
    TX_MPI(MPI_Bcast(records[i].data, (int)(records[i].n * tx_record_item_bytes(records[i].kind)),
                     MPI_BYTE, 0, comm));
  return TX_OK;
}

static tx_status look_for(const char *path, const char *record, int *has) {
  hid_t file;
  TX_TRY(tx_h5_open(path, &file));
  *has = tx_records_exist(file, "records", record);
  H5Fclose(file);
  return TX_OK;
}

tx_status tx_checkpoint_has_record(MPI_Comm comm, const char *path, const char *name, bool *has) {
  int rank = 0, found = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) status = look_for(path, name, &found);
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(&found, 1, MPI_INT, 0, comm));
  *has = found != 0;
  return TX_OK;
}

static tx_status read_size(const char *path, const char *record, uint64_t *n) {
  hid_t file;
  size_t found = 0;
  TX_TRY(tx_h5_open(path, &file));
  tx_status status = tx_records_length(file, path, "records", record, 't', &found);
  H5Fclose(file);
  *n = found;
  return status;
}

tx_status tx_checkpoint_record_size(MPI_Comm comm, const char *path, const char *name, size_t *n) {
  int rank = 0;
  uint64_t found = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) status = read_size(path, name, &found);
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(&found, 1, MPI_UINT64_T, 0, comm));
  *n = (size_t)found;
  return TX_OK;
}
