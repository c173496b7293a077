/* Checkpoints: one HDF5 file each, whole and checked, or none.
 *
 * <folder>/checkpoints/checkpoint.<step>.h5 starts with a user block of text: magic, format version, code version,
 * octant size, length and checksum of all that follows. It is written as *.part, flushed to disk, and renamed;
 * then old checkpoints are removed, except the newest checkpoint.keep. */
#pragma once

#include "evolve/sim.h"
#include "files/record.h"

/** Further content of the file. The modes file may be open in this process, also with rows that are not on disk
 *  yet; a missing file counts as none. */
typedef struct tx_checkpoint_content {
  const tx_record_list *records; /**< NULL: none */
  const char *modes_path; /**< rank 0: file of the modes, copied with its attributes, or NULL */
} tx_checkpoint_content;

/** Collective. Write a checkpoint of `sim` (tree, fields, clock, tracker, counters) and `content` (NULL: nothing
 *  else), and prune older ones so that `keep` with this one remain; those of later steps, and those that are cut
 *  short or of another version, are neither counted nor removed. Brings sim->algebraic up to date. Errors:
 *  TX_ERR_IO; then all older checkpoints still exist, and no partial one does. */
tx_status tx_checkpoint_write(const char *folder, int keep, tx_sim *sim,
                              const tx_checkpoint_content *content);

/** Collective. Path [out] of the newest good checkpoint in `folder`, "" if there is none; damaged ones and
 *  those of another version are skipped with a warning, *skipped counts them. */
tx_status tx_checkpoint_newest(MPI_Comm comm, const char *folder, char *path, size_t size,
                               int *skipped);

/** Collective. Errors: TX_ERR_IO with the right build for it, if `folder` has a checkpoint that is whole but of
 *  another build: format, octants, variables. */
tx_status tx_checkpoint_refuse_others(MPI_Comm comm, const char *folder);

/** Collective. A simulation from a checkpoint that tx_checkpoint_newest has passed, on any number of
 *  ranks: bitwise the one that was written. Parameters `p` may differ from those of the run before where
 *  tx_param_may_change says so; with another cfl the new steps count from here. Borrows `p`. Errors:
 *  TX_ERR_PARAM for another domain or number of punctures, TX_ERR_IO, those of tx_sim_create. */
tx_status tx_checkpoint_restore(MPI_Comm comm, const tx_params *p, const char *path, tx_sim **out);

/** Collective. Read the records (sizes must agree). Errors: TX_ERR_IO for one that is missing or of another
 *  size; TX_ERR_MEMORY. */
tx_status tx_checkpoint_records(MPI_Comm comm, const char *path, const tx_record_list *records);

/** Collective. Whether there is a record of this name: *has. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_has_record(MPI_Comm comm, const char *path, const char *name, bool *has);

/** Length of text record `name`, bytes, for the allocation of what is read; rank 0 reads, all get it.
 *  Collective. */
tx_status tx_checkpoint_record_size(MPI_Comm comm, const char *path, const char *name, size_t *n);

/** Local, rank 0. Make the modes file anew from the checkpoint, with the first `rows` rows of each mode, by a
 *  file beside it that is renamed; if the checkpoint holds none, or no row is wanted, remove `modes_path`. */
tx_status tx_checkpoint_restore_modes(const char *path, const char *modes_path, int64_t rows);
