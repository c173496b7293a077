/* Shared by the files of checkpoints. */
#pragma once

#include <hdf5.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "checkpoint/checkpoint.h"
#include "files/seal.h"

/** <folder>/checkpoints/checkpoint.<step>.h5 and an ending. Local. Errors: TX_ERR_IO if it is too long. */
tx_status tx_checkpoint_path(const char *folder, int64_t step, const char *ending,
                             char path[PATH_MAX]);

/** Remove what a killed run left half-written. Local. */
void tx_checkpoint_clean(const char *folder);

/** Remove checkpoints older than `step` but for the newest keep - 1 of them. Those that cannot be read are
 *  neither counted nor removed. What cannot be removed gives a warning. Local. */
void tx_checkpoint_prune(const char *folder, int64_t step, int keep);

/** Copy the modes file, which this process may have open, into the checkpoint. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_put_modes(hid_t file, const char *path, const char *modes_path);

/** Room that its copy takes, at most. Local. Errors: TX_ERR_IO. */
tx_status tx_checkpoint_modes_bytes(const char *modes_path, size_t *bytes);

/** Collective. Write the leaves and the state; `file` is valid on rank 0. `status`: what went wrong before
 *  on this rank; nothing is written then. Agreed. On rank 0 `fields` [out] is
 *  where the fields are in the file, and their CRC. */
tx_status tx_checkpoint_put_state(tx_status status, hid_t file, const char *path, tx_sim *sim,
                                  tx_seal_part *fields);

/** Room that they take in the file, at most. Local. */
size_t tx_checkpoint_state_bytes(const tx_sim *sim);

/** Collective. The forest of the checkpoint `path`: the caller owns *tree. */
tx_status tx_checkpoint_get_tree(MPI_Comm comm, const char *path, const tx_domain *domain,
                                 tx_octree **tree);

/** Collective. Fill the state of a simulation on that forest. */
tx_status tx_checkpoint_get_state(const char *path, tx_sim *sim);

/** Collective. Read the records in a group of the checkpoint `path`, as tx_checkpoint_records does. */
tx_status tx_checkpoint_get_records(MPI_Comm comm, const char *path, const char *group,
                                    const tx_record_list *list);
