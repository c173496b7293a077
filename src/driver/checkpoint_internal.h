/* What the files of checkpoints share. */
#pragma once

#include <hdf5.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "driver/checkpoint.h"

/** Bytes before the HDF5 part of the file. */
#define TX_CHECKPOINT_HEAD 1024

/** What the user block says of the file, beside format, code version and layout. */
typedef struct tx_checkpoint_head {
  int64_t step;
  double t;
  uint64_t length;   /**< of the whole file, bytes */
  uint64_t checksum; /**< of the lines above it and of all that follows the user block */
} tx_checkpoint_head;

/** CRC-64/XZ of n bytes that follow those with the CRC `crc`, 0 at the start. Local. */
uint64_t tx_crc64(uint64_t crc, const void *data, size_t n);

/** Write the user block of the file `path`, which is complete but for it, from its length and what it
 *  holds; flush it to the disk. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_seal(const char *path, int64_t step, double t);

/** Is the user block of the file one of ours, and as long as the file? With `whole` also: does its
 *  checksum agree with what is there? If not, `why` says so, a clause. Never fails otherwise. Local. */
bool tx_checkpoint_good(const char *path, bool whole, char *why, size_t size);

/** <folder>/checkpoints/checkpoint.<step>.h5 and an ending. Local. Errors: TX_ERR_IO if it is too long. */
tx_status tx_checkpoint_path(const char *folder, int64_t step, const char *ending,
                             char path[PATH_MAX]);

/** Remove what a killed run left half-written. Local. */
void tx_checkpoint_clean(const char *folder);

/** Put the sealed file `part` in its place `path`, and this on the disk. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_publish(const char *part, const char *path);

/** Remove checkpoints older than `step` but for the newest keep - 1 of them. Those that cannot be read are
 *  neither counted nor removed. What cannot be removed gives a warning. Local. */
void tx_checkpoint_prune(const char *folder, int64_t step, int keep);

/** Open an HDF5 file for reading, without a lock: this process or others may have it open. Local. Errors:
 *  TX_ERR_IO. */
tx_status tx_checkpoint_open(const char *path, hid_t *file);

/** Make an HDF5 file for which there are `bytes` of room, after `user_block` bytes that are ours (0: none).
 *  *file is invalid on errors, and the path may be there. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_create(const char *path, size_t bytes, size_t user_block, hid_t *file);

/** Close what tx_checkpoint_create has opened (or an invalid id), `status` being how writing went: that,
 *  or the failure to close it. Afterwards HDF5 is done with the file, failed or not. Local. */
tx_status tx_checkpoint_close(tx_status status, const char *path, hid_t file);

/** Record that reading `what` of the file failed. Local. */
tx_status tx_checkpoint_unread(const char *path, const char *what);

/** Write or read records as data sets `group`/name. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_put(hid_t file, const char *path, const char *group, int n,
                            const tx_record *records);
tx_status tx_checkpoint_get(hid_t file, const char *path, const char *group, int n,
                            const tx_record *records);

/** Room that records take in a file, at most. Local. */
size_t tx_checkpoint_records_bytes(int n, const tx_record *records);

/** Copy the modes file, which this process may have open, into the checkpoint. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_put_modes(hid_t file, const char *path, const char *modes_path);

/** Room that its copy takes, at most. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_modes_bytes(const char *modes_path, size_t *bytes);

/** Collective. Write the leaves and the state; `file` is valid on rank 0. `status`: what went wrong before
 *  on this rank; nothing is written then, but the collectives are gone through. Agreed. */
tx_status tx_checkpoint_put_state(tx_status status, hid_t file, const char *path, tx_sim *sim);

/** Room that they take in the file, at most. Local. */
size_t tx_checkpoint_state_bytes(const tx_sim *sim);

/** Collective. The forest of the checkpoint `path`: the caller owns *tree. */
tx_status tx_checkpoint_get_tree(MPI_Comm comm, const char *path, const tx_domain *domain,
                                 tx_octree **tree);

/** Collective. Fill the state of a simulation on that forest. */
tx_status tx_checkpoint_get_state(const char *path, tx_sim *sim);
