/* Small pieces of state in an HDF5 file, each under a name. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
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

/** Whether there is a record group/name. Local. */
bool tx_records_exist(hid_t file, const char *group, const char *name);

/** Bytes of one item of a kind. Local. */
size_t tx_record_item_bytes(char kind);

/** Room that records take in a file, at most. Local. */
size_t tx_records_bytes(int n, const tx_record *records);

/** Records to write or read together. {0} to begin with. */
#define TX_RECORDS_MOST 64
typedef struct tx_record_list {
  int n;
  const char *prefix; /**< of the names of records that are added; NULL: none */
  tx_record at[TX_RECORDS_MOST];
  char name[TX_RECORDS_MOST][64];
} tx_record_list;

/** Add `n` items at `data`, which stays the owner's, under a name. Local. */
void tx_records_add(tx_record_list *list, const char *name, char kind, size_t n, void *data);
