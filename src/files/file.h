/* Files that a full disk does not spoil. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"
#include "base/text.h"

/** Make a folder and its parents; one that exists is fine. Local. Errors: TX_ERR_IO. */
tx_status tx_folder_create(const char *path);

/** Append n bytes to the file `path`, made if need be: all of them or, on an error, none. Local.
 *  Errors: TX_ERR_IO with path, reason, room left on the disk and remedy. */
tx_status tx_file_append(const char *path, const char *text, size_t n);

/** Is there no such file, or nothing in it: does a series still need its head? Local. */
bool tx_file_is_new(const char *path);

/** See to it that an open file or folder is on the disk, should the machine fail. Local. Returns 0 or errno. */
int tx_fd_sync(int fd);

/** Begin with it, and return: less is left for tx_fd_sync to wait for, which tells of failures. Local, thread safe. */
void tx_fd_write_back(int fd);

/** tx_fd_sync for the file or folder `path`. Local. Errors: TX_ERR_IO. */
tx_status tx_file_sync(const char *path);

/** The same for all files of the file system that `path` is on: for hundreds of files quicker than one by
 *  one. Returns 0 or errno, which may be due to a file of somebody else. Local. */
int tx_file_system_sync(const char *path);

/** Replace the file `path` by n bytes at once: by a file beside it that is renamed. What is no file,
 *  e.g. /dev/stdout, is written to. Local. Errors: TX_ERR_IO. */
tx_status tx_file_replace(const char *path, const char *text, size_t n);

/** Put the finished file `part` in its place `path`, and this on the disk. Local. Errors: TX_ERR_IO. */
tx_status tx_file_publish(const char *part, const char *path);

/** Make sure that `bytes` more can be written at the end of the file `path`, by reserving them
 *  where the file system can. Local. Errors: TX_ERR_IO. */
tx_status tx_file_reserve(const char *path, size_t bytes);

/** Is the file open as `fd` still the one at `path`? Local. */
bool tx_file_is_at(int fd, const char *path);

/** Copy the whole file open as `from`, perhaps removed, to the end of that open as `to`. Local. Returns 0 or errno. */
int tx_fd_copy(int from, int to);

/** Put a copy of the file open as `fd` at `path`, by a file beside it that is renamed. Local. Errors: TX_ERR_IO. */
tx_status tx_file_put_back(int fd, const char *path);

/** Record that writing `path` failed for `reason`. Local. Returns TX_ERR_IO. */
tx_status tx_file_failed(const char *path, const char *reason);

/** tx_file_append of a text, or the text's own failure. */
tx_status tx_text_append(const tx_text *text, const char *path);
