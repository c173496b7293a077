/* Exclusive use of a run folder: a lock on log.txt, and run.lock, which names the process. */
#pragma once

#include "base/status.h"

/** Keep other runs out of `folder` until tx_folder_unlock: *fd [out] holds its log.txt. The lock of a process that
 *  has ended or is being killed is waited for, with a line of the log; where the file system knows no locks, there
 *  is none. Local. Errors: TX_ERR_IO, at once, if another run is at work; it is named. */
tx_status tx_folder_lock(const char *folder, int *fd);

/** Release the lock, unless *fd is -1, and set *fd to -1. Local. */
void tx_folder_unlock(const char *folder, int *fd);
