/* Records in an HDF5 file: a data set of one dimension each. */
#pragma once

#include <hdf5.h>
#include "files/record.h"

/** Write or read records as data sets `group`/name; what is read must have the record's kind and length. Returns list->status if
 *  that is a failure. Local. Errors: TX_ERR_IO, TX_ERR_MEMORY. */
tx_status tx_records_put(hid_t file, const char *path, const char *group,
                         const tx_record_list *list);
tx_status tx_records_get(hid_t file, const char *path, const char *group,
                         const tx_record_list *list);

/** Items of the record group/name, which must be of that kind. Local. Errors: TX_ERR_IO. */
tx_status tx_records_length(hid_t file, const char *path, const char *group, const char *name,
                            char kind, size_t *n);

/** Whether there is a record group/name. Local. */
bool tx_records_exist(hid_t file, const char *group, const char *name);

/** Room that records take in a file, at most. Local. */
size_t tx_records_bytes(const tx_record_list *list);
