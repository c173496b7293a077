/* File locks of a file system, as the table of mounts describes them. */
#pragma once

#include <stddef.h>

/** Return why locks of the file open as `fd` hold on this host alone: a clause that names the option with which its file
 *  system is mounted (Lustre: localflock; NFS: local_lock), or NULL if nothing says so. A literal. Local. */
const char *tx_mount_local_locks(int fd);
