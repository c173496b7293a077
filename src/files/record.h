/* Small pieces of state in an HDF5 file, each under a name. */
#pragma once

#include <hdf5.h>
#include <stddef.h>
#include "base/status.h"

/** A small piece of state, the same on all ranks, that a checkpoint keeps under a name. */
typedef struct tx_record {
  const char *name; /**< "fluxes/state"; a path of the file's groups */
  char kind;        /**< 'd': double, 'i': int64_t, 't': text of n bytes */
  size_t n;
  void *data; /**< borrowed; written from, read into */
} tx_record;

/** Write or read records as data sets `group`/name. Local. Errors: TX_ERR_IO. */
tx_status tx_records_put(hid_t file, const char *path, const char *group, int n,
                         const tx_record *records);
tx_status tx_records_get(hid_t file, const char *path, const char *group, int n,
                         const tx_record *records);

/** Items of the record group/name, which must be of that kind. Local. Errors: TX_ERR_IO. */
tx_status tx_records_length(hid_t file, const char *path, const char *group, const char *name,
                            char kind, size_t *n);

/** Bytes of one item of a kind. Local. */
size_t tx_record_item_bytes(char kind);

/** Room that records take in a file, at most. Local. */
size_t tx_records_bytes(int n, const tx_record *records);
