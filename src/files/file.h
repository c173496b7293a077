/* File operations that leave intact files when the disk is full. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"
#include "base/text.h"

/** Say what a user gives to choose the place of files, for messages: "path" if nothing is said. Borrows `what`. Local. */
void tx_file_placed_by(const char *what);

/** Make a folder and its parents; one that exists is fine. Local. Errors: TX_ERR_IO. */
tx_status tx_folder_create(const char *path);

/** Append n bytes to the file `path`, made if need be: all of them or, on an error, none. Local.
 *  Errors: TX_ERR_IO with path, reason, room left on the disk and remedy. */
tx_status tx_file_append(const char *path, const char *text, size_t n);

/** Return whether the file is missing or empty, so that a series still needs its header. Local. */
bool tx_file_is_new(const char *path);

/** Flush an open file or folder to disk, so that it survives a failure of the machine. Local. Returns 0 or errno. */
int tx_fd_sync(int fd);

/** Start flushing and return, so that tx_fd_sync has less to wait for; that function reports failures. Local,
 *  thread safe. */
void tx_fd_write_back(int fd);

/** Sync the file or folder `path` as tx_fd_sync does. Local. Errors: TX_ERR_IO. */
tx_status tx_file_sync(const char *path);

/** Sync all files of the file system that `path` is on: for hundreds of files quicker than one by
 *  one. Returns 0 or errno, which may be due to a file of somebody else. Local. */
int tx_file_system_sync(const char *path);

/** Replace the file `path` by n bytes, atomically by renaming. Anything but a regular file, e.g. /dev/stdout, is
 *  written directly. Local. Errors: TX_ERR_IO. */
tx_status tx_file_replace(const char *path, const char *text, size_t n);

/** Rename the finished file `part` to `path`, and flush that to disk. Local. Errors: TX_ERR_IO. */
tx_status tx_file_publish(const char *part, const char *path);

/** Make sure that `bytes` more can be written at the end of the file `path`, by reserving them
 *  where the file system can. Local. Errors: TX_ERR_IO. */
tx_status tx_file_reserve(const char *path, size_t bytes);

/** Return whether the file open as `fd` is still the one at `path`. Local. */
bool tx_file_is_at(int fd, const char *path);

/** Copy the whole file open as `from`, perhaps removed, to the end of that open as `to`. Local. Returns 0 or errno. */
int tx_fd_copy(int from, int to);

/** Write a copy of the file open as `fd` to `path`, atomically by renaming. Local. Errors: TX_ERR_IO. */
tx_status tx_file_put_back(int fd, const char *path);

/** Record that writing `path` failed for `reason`. Local. Returns TX_ERR_IO. */
tx_status tx_file_failed(const char *path, const char *reason);

/** Append a text as tx_file_append does, or return the text's own failure. */
tx_status tx_text_append(const tx_text *text, const char *path);
