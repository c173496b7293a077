/* Named pieces of state in a checkpoint, for all ranks. */
#include "checkpoint/internal.h"

#include <limits.h>
#include "base/memory.h"
#include "files/h5.h"
#include "files/record_file.h"

/* On one rank. */
static tx_status read_records(const char *path, const char *group, const tx_record_list *list) {
  hid_t file;
  TX_TRY(tx_h5_open(path, &file));
  tx_status status = tx_records_get(file, path, group, list);
  H5Fclose(file);
  return status;
}

static tx_status broadcast(MPI_Comm comm, int bytes, char *packed) {
  TX_MPI(MPI_Bcast(packed, bytes, MPI_BYTE, 0, comm));
  return TX_OK;
}

static tx_status make_room(const tx_record_list *list, char **packed) {
  const size_t bytes = tx_records_packed_bytes(list);
  TX_TRY(list->status);
  TX_REQUIRE(bytes <= INT_MAX, TX_ERR_IO, "records of a checkpoint: %zu bytes are too many", bytes);
  return tx_alloc(bytes, 1, "records", packed);
}

tx_status tx_checkpoint_get_records(MPI_Comm comm, const char *path, const char *group,
                                    const tx_record_list *list) {
  int rank = 0;
  char *packed = NULL;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  tx_status status = make_room(list, &packed);
  if (rank == 0) TX_THEN(status, read_records(path, group, list));
  status = tx_agree(comm, status);
  if (status == TX_OK) {
    if (rank == 0) tx_records_pack(list, packed);
    TX_KEEP(status, broadcast(comm, (int)tx_records_packed_bytes(list), packed));
    if (status == TX_OK) tx_records_unpack(list, packed);
  }
  tx_free(packed);
  return status;
}

tx_status tx_checkpoint_records(MPI_Comm comm, const char *path, const tx_record_list *records) {
  return tx_checkpoint_get_records(comm, path, "records", records);
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
