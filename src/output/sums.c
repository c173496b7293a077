/* Checksums of series, which only grow: what was read before is not read again. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/memory.h"
#include "files/seal.h"
#include "output/manifest.h"

/* Bytes that are read at a time. */
#define PIECE 65536

struct tx_series_known {
  char name[NAME_MAX + 32];
  dev_t device;
  ino_t inode;
  off_t size;   /* when it was last looked at */
  off_t summed; /* bytes of `crc` */
  uint64_t crc;
};

static tx_series_known *find(const tx_series_sums *sums, const char *name) {
  for (int i = 0; i < sums->n; i++)
    if (strcmp(sums->known[i].name, name) == 0) return &sums->known[i];
  return NULL;
}

static bool is_same(const tx_series_known *k, const struct stat *s) {
  return k->device == s->st_dev && k->inode == s->st_ino && s->st_size >= k->size;
}

static void begin(tx_series_known *k, const struct stat *s) {
  k->device = s->st_dev;
  k->inode = s->st_ino;
  k->size = s->st_size;
  k->summed = 0;
  k->crc = 0;
}

static tx_status look(tx_series_sums *sums, const char *name, const struct stat *s,
                      tx_series_known **out) {
  *out = find(sums, name);
  if (*out && is_same(*out, s)) {
    (*out)->size = s->st_size;
    return TX_OK;
  }
  if (!*out) {
    if (sums->n == sums->room) {
      const int room = 2 * sums->room + 64;
      TX_TRY(tx_realloc((size_t)room, sizeof *sums->known, "sums of series", &sums->known));
      sums->room = room;
    }
    *out = &sums->known[sums->n++];
    snprintf((*out)->name, sizeof(*out)->name, "%s", name);
  }
  begin(*out, s);
  return TX_OK;
}

tx_status tx_series_know(tx_series_sums *sums, const char *path, const char *name) {
  struct stat s;
  tx_series_known *k;
  return stat(path, &s) == 0 ? look(sums, name, &s, &k) : TX_OK;
}

static int add_piece(int fd, tx_series_known *k, off_t bytes) {
  char piece[PIECE];
  const off_t left = bytes - k->summed;
  ssize_t n = pread(fd, piece, left < PIECE ? (size_t)left : PIECE, k->summed);
  if (n < 0) return errno == EINTR ? 0 : errno;
  if (n == 0) return EIO;
  k->crc = tx_crc64(k->crc, piece, (size_t)n);
  k->summed += n;
  return 0;
}

tx_status tx_series_sum(tx_series_sums *sums, const char *path, const char *name, int64_t bytes,
                        uint64_t *crc) {
  struct stat s;
  tx_series_known *k = NULL;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  int bad = fd < 0 || fstat(fd, &s) != 0 ? errno : 0;
  tx_status status = bad ? TX_OK : look(sums, name, &s, &k);
  if (k && k->summed > bytes) begin(k, &s);
  while (k && !bad && k->summed < bytes) bad = add_piece(fd, k, bytes);
  if (fd >= 0) close(fd);
  TX_REQUIRE(!bad, TX_ERR_IO, "cannot read %s: %s", path, strerror(bad));
  TX_TRY(status);
  *crc = k->crc;
  return TX_OK;
}

void tx_series_look_after(const char *folder, tx_series_sums *sums) {
  for (int i = 0; i < sums->n; i++) {
    tx_series_known *k = &sums->known[i];
    char path[PATH_MAX];
    struct stat s;
    if (snprintf(path, sizeof path, "%s/%s", folder, k->name) >= PATH_MAX) continue;
    const bool there = stat(path, &s) == 0;
    if (there && is_same(k, &s)) continue;
    tx_warn("%s was removed or replaced during the run: its earlier rows are lost", path);
    if (there)
      begin(k, &s);
    else
      sums->known[i--] = sums->known[--sums->n];
  }
}

void tx_series_sums_free(tx_series_sums *sums) {
  tx_free(sums->known);
  *sums = (tx_series_sums){0};
}
