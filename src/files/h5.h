/* HDF5 files: attributes, and files that can fail and leave HDF5 in order. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

/** Start HDF5, quiet and with files closed by us alone; once. Local. Errors: TX_ERR_LIBRARY. */
tx_status tx_h5_start(void);

/** Record an HDF5 failure on `path`. Local. */
tx_status tx_h5_failed(const char *path, const char *what);

/** Attach a string, number or integer to an object of an HDF5 file. Local. Errors: TX_ERR_IO. */
tx_status tx_h5_text(hid_t object, const char *path, const char *name, const char *value);
tx_status tx_h5_real(hid_t object, const char *path, const char *name, double value);
tx_status tx_h5_int(hid_t object, const char *path, const char *name, int64_t value);

/** Attach n strings, ASCII of any length, as one attribute. Local. Errors: TX_ERR_IO. */
tx_status tx_h5_texts(hid_t object, const char *path, const char *name, int n,
                      const char *const *values);

/** Open an HDF5 file for reading, without a lock: this process or others may have it open. Local. Errors:
 *  TX_ERR_IO. */
tx_status tx_h5_open(const char *path, hid_t *file);

/** Make an HDF5 file, after `user_block` bytes that are ours (0: none), or open one to add to it. Without a lock: others
 *  may read it meanwhile. *file is invalid on errors. Local. Errors: TX_ERR_IO. */
tx_status tx_h5_begin(const char *path, size_t user_block, hid_t *file);
tx_status tx_h5_continue(const char *path, hid_t *file);

/** Make an HDF5 file for which there are `bytes` of room, as tx_h5_begin does.
 *  *file is invalid on errors, and the path may be there. Local. Errors: TX_ERR_IO. */
tx_status tx_h5_create(const char *path, size_t bytes, size_t user_block, hid_t *file);

/** Return the descriptor that HDF5 writes the file to, or -1. Local. */
int tx_h5_descriptor(hid_t file);

/** Close what tx_h5_create has opened (or an invalid id), `status` being how writing went: that,
 *  or the failure to close it. Afterwards HDF5 is done with the file, failed or not. Local. */
tx_status tx_h5_close(tx_status status, const char *path, hid_t file);

/** Record that reading `what` of the file failed. Local. */
tx_status tx_h5_unread(const char *path, const char *what);
