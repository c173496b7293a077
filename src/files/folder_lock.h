/* Exclusive use of a run folder: a lock on log.txt, and run.lock, which names the process and shows signs of its life.
 * Where the file system has no locks, or none that other hosts see, run.lock alone keeps their runs out. */
#pragma once

#include <stdbool.h>
#include "base/status.h"

typedef struct tx_folder_lock tx_folder_lock;

/** Keep other runs out of `folder` until tx_folder_lock_release. A process that has ended or is being killed is waited
 *  for, with a line of the log. Without locks, so is one that cannot be seen from this host: if it gives no sign of
 *  life for a minute, the folder is taken, with a warning. *out is owned by the caller, NULL on errors. Local. Errors:
 *  TX_ERR_IO if another run is at work; it is named. */
tx_status tx_folder_lock_take(const char *folder, tx_folder_lock **out);

/** Keep the lock where log.txt was removed or replaced, which *replaced [out] says: lock the one in its place, and
 *  copy the text of ours into it if it is empty. Local. Errors: TX_ERR_IO, also if another run has the folder now,
 *  whose files are not to be written to. */
tx_status tx_folder_lock_keep(tx_folder_lock *lock, bool *replaced);

/** Release the lock and free it; NULL is fine. Local. */
void tx_folder_lock_release(tx_folder_lock *lock);
