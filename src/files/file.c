#define _GNU_SOURCE
#include "files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "base/memory.h"

/* The folder that holds `path`. */
static void folder_of(const char *path, char *folder, size_t size) {
  const char *slash = strrchr(path, '/');
  int n = slash ? (int)(slash - path) : 0;
  snprintf(folder, size, "%.*s", n, path);
  if (n == 0) snprintf(folder, size, "%s", slash ? "/" : ".");
}

static const char *place = "path";

void tx_file_placed_by(const char *what) {
  place = what;
}

/* Is it one that more room mends? */
static bool is_room(const char *reason) {
  static const int room[] = {ENOSPC, EDQUOT, EFBIG};
  for (size_t i = 0; i < sizeof room / sizeof room[0]; i++)
    if (strcmp(reason, strerror(room[i])) == 0) return true;
  return false;
}

tx_status tx_file_failed(const char *path, const char *reason) {
  char folder[PATH_MAX];
  struct statvfs fs;
  folder_of(path, folder, sizeof folder);
  TX_REQUIRE(statvfs(folder, &fs) == 0, TX_ERR_IO,
             "cannot write %s: %s: folder %s does not exist: create it, or give another path", path,
             reason, folder);
  TX_REQUIRE(is_room(reason), TX_ERR_IO,
             "cannot write %s: %s; give another %s, or the right to write there", path, reason,
             place);
  double free_mb = (double)fs.f_bavail * (double)fs.f_frsize / 1048576.0;
  TX_FAIL(TX_ERR_IO,
          "cannot write %s: %s (%.1f MiB free there); free some space or give a %s on another "
          "disk; earlier output is intact",
          path, reason, free_mb, place);
}

tx_status tx_folder_create(const char *path) {
  char part[PATH_MAX];
  size_t n = strlen(path);
  TX_REQUIRE(n > 0 && n < sizeof part, TX_ERR_IO,
             "cannot create folder '%s': the path is empty or too long", path);
  for (size_t i = 1; i <= n; i++) {
    if (path[i] != '/' && path[i] != '\0') continue;
    memcpy(part, path, i);
    part[i] = '\0';
    struct stat s;
    int bad = mkdir(part, 0777) == 0 ? 0 : errno;
    if (bad == 0 || (stat(part, &s) == 0 && S_ISDIR(s.st_mode))) continue;
    TX_FAIL(TX_ERR_IO, "cannot create folder %s: %s; give a writable %s", part,
            bad == EEXIST ? "a file of this name exists" : strerror(bad), place);
  }
  return TX_OK;
}

/* Write all of it; 0 or errno. */
static int write_all(int fd, const char *text, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, text, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    text += done;
    n -= (size_t)done;
  }
  return 0;
}

tx_status tx_file_append(const char *path, const char *text, size_t n) {
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return tx_file_failed(path, strerror(errno));
  off_t before = lseek(fd, 0, SEEK_END);
  int bad = before < 0 ? errno : write_all(fd, text, n);
  /* A row cut short would not be readable. The first failure is the one to tell. */
  if (bad && before >= 0 && ftruncate(fd, before) != 0) errno = bad;
  if (close(fd) != 0 && !bad) bad = errno;
  return bad ? tx_file_failed(path, strerror(bad)) : TX_OK;
}

bool tx_file_is_new(const char *path) {
  struct stat s;
  return stat(path, &s) != 0 || s.st_size == 0;
}

/* Do it again after a signal; some file systems have nothing to do here, and say so. */
static int sync_by(int (*do_sync)(int), int fd) {
  int bad;
  do {
    bad = do_sync(fd) != 0 ? errno : 0;
  } while (bad == EINTR);
  return bad == EINVAL ? 0 : bad;
}

int tx_fd_sync(int fd) {
  return sync_by(fsync, fd);
}

void tx_fd_write_back(int fd) {
  (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

static int sync_path(int (*do_sync)(int), const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int bad = sync_by(do_sync, fd);
  close(fd);
  return bad;
}

tx_status tx_file_sync(const char *path) {
  int bad = sync_path(fsync, path);
  return bad ? tx_file_failed(path, strerror(bad)) : TX_OK;
}

int tx_file_system_sync(const char *path) {
  return sync_path(syncfs, path);
}

/* A pipe, a terminal, /dev/stdout: what must be written to, and not replaced by a file. */
static bool is_special(const char *path) {
  struct stat s;
  if (lstat(path, &s) != 0) return false;
  if (S_ISLNK(s.st_mode)) return strncmp(path, "/dev/", 5) == 0;
  return !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

static tx_status write_special(const char *path, const char *text, size_t n) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return tx_file_failed(path, strerror(errno));
  int bad = write_all(fd, text, n);
  if (close(fd) != 0 && !bad) bad = errno;
  return bad ? tx_file_failed(path, strerror(bad)) : TX_OK;
}

tx_status tx_file_replace(const char *path, const char *text, size_t n) {
  char part[PATH_MAX];
  if (is_special(path)) return write_special(path, text, n);
  TX_REQUIRE(snprintf(part, sizeof part, "%s.part", path) < (int)sizeof part, TX_ERR_IO,
             "%s: path too long", path);
  int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return tx_file_failed(path, strerror(errno));
  int bad = write_all(fd, text, n);
  if (!bad) bad = tx_fd_sync(fd);
  if (close(fd) != 0 && !bad) bad = errno;
  if (!bad && rename(part, path) != 0) bad = errno;
  if (!bad) return TX_OK;
  unlink(part);
  return tx_file_failed(path, strerror(bad));
}

bool tx_file_is_at(int fd, const char *path) {
  struct stat open, there;
  return fstat(fd, &open) == 0 && stat(path, &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

int tx_fd_copy(int from, int to) {
  char piece[65536];
  ssize_t n;
  int bad = 0;
  for (off_t at = 0; !bad && (n = pread(from, piece, sizeof piece, at)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    bad = n < 0 ? errno : write_all(to, piece, (size_t)n);
    at += n;
  }
  return bad;
}

tx_status tx_file_put_back(int fd, const char *path) {
  char part[PATH_MAX];
  TX_REQUIRE(snprintf(part, sizeof part, "%s.part", path) < (int)sizeof part, TX_ERR_IO,
             "%s: path too long", path);
  int to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (to < 0) return tx_file_failed(path, strerror(errno));
  int bad = tx_fd_copy(fd, to);
  if (!bad) bad = tx_fd_sync(to);
  if (close(to) != 0 && !bad) bad = errno;
  if (!bad && rename(part, path) != 0) bad = errno;
  if (!bad) return TX_OK;
  unlink(part);
  return tx_file_failed(path, strerror(bad));
}

/* Without reservations, at least look how much room there is. */
static tx_status look_for_room(const char *path, int fd, size_t bytes) {
  struct statvfs fs;
  if (fstatvfs(fd, &fs) == 0 && (double)fs.f_bavail * (double)fs.f_frsize < (double)bytes)
    return tx_file_failed(path, strerror(ENOSPC));
  return TX_OK;
}

/* 0 or errno; a signal that asks the run to end may come while a checkpoint gets its room. */
static int allocate(int fd, off_t end, off_t bytes) {
  int bad;
  do {
    bad = fallocate(fd, FALLOC_FL_KEEP_SIZE, end, bytes) != 0 ? errno : 0;
  } while (bad == EINTR);
  return bad;
}

tx_status tx_file_reserve(const char *path, size_t bytes) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return tx_file_failed(path, strerror(errno));
  tx_status status = TX_OK;
  struct rlimit limit;
  off_t end = lseek(fd, 0, SEEK_END);
  int bad = 0;
  if (end >= 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0 && (rlim_t)end + bytes > limit.rlim_cur)
    status = tx_file_failed(path, strerror(EFBIG));
  else if (end < 0 || (bad = allocate(fd, end, (off_t)bytes)) != 0) {
    if (end < 0) bad = ESPIPE;
    if (bad == EOPNOTSUPP || bad == ENOSYS || bad == EINVAL || bad == ESPIPE)
      status = look_for_room(path, fd, bytes);
    else
      status = tx_file_failed(path, strerror(bad));
  }
  close(fd);
  return status;
}

tx_status tx_file_publish(const char *part, const char *path) {
  char folder[PATH_MAX];
  if (rename(part, path) != 0) return tx_file_failed(path, strerror(errno));
  snprintf(folder, sizeof folder, "%s", path);
  *strrchr(folder, '/') = '\0';
  return tx_file_sync(folder);
}

tx_status tx_text_append(const tx_text *text, const char *path) {
  if (text->status != TX_OK) return text->status;
  return text->length > 0 ? tx_file_append(path, text->data, text->length) : TX_OK;
}
