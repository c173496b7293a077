/* The checkpoints of a folder: their names, which is the newest good one, which go. */
#define _GNU_SOURCE
#include "checkpoint/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/memory.h"
#include "files/file.h"
#include "files/seal.h"

tx_status tx_checkpoint_path(const char *folder, int64_t step, const char *ending,
                             char path[PATH_MAX]) {
  int n = snprintf(path, PATH_MAX, "%s/checkpoints/checkpoint.%07lld.h5%s", folder, (long long)step,
                   ending);
  TX_REQUIRE(n < PATH_MAX, TX_ERR_IO, "the path of folder %s is too long", folder);
  return TX_OK;
}

/* Room for what is wrong with a checkpoint. */
#define WHY_BYTES 256

/* The step in a checkpoint's name, or -1. */
static int64_t step_of(const char *name) {
  char *end = NULL;
  if (fnmatch("checkpoint.[0-9]*.h5", name, 0) != 0) return -1;
  errno = 0;
  long long step = strtoll(name + strlen("checkpoint."), &end, 10);
  return errno == 0 && strcmp(end, ".h5") == 0 ? step : -1;
}

/* A checkpoint's file by name; the folder may hold several of one step: "0000001" and "1". */
typedef struct entry {
  int64_t step;
  char name[64];
} entry;

static int newest_first(const void *a, const void *b) {
  const entry *p = a, *q = b;
  if (p->step != q->step) return p->step < q->step ? 1 : -1;
  return strcmp(p->name, q->name);
}

/* All checkpoints of the folder, newest first; none if there is no folder. */
static tx_status list(const char *folder, entry **entries, size_t *n) {
  char path[PATH_MAX];
  *entries = NULL;
  *n = 0;
  TX_REQUIRE(snprintf(path, sizeof path, "%s/checkpoints", folder) < (int)sizeof path, TX_ERR_IO,
             "the path of folder %s is too long", folder);
  DIR *dir = opendir(path);
  if (!dir && errno == ENOENT) return TX_OK;
  TX_REQUIRE(dir, TX_ERR_IO, "cannot look into %s: %s", path, strerror(errno));
  tx_status status = TX_OK;
  size_t room = 0;
  for (struct dirent *e = readdir(dir); e && status == TX_OK; e = readdir(dir)) {
    int64_t step = step_of(e->d_name);
    if (step < 0 || strlen(e->d_name) >= sizeof(*entries)->name) continue;
    if (*n == room) {
      room = 2 * room + 16;
      if ((status = tx_realloc(room, sizeof **entries, "checkpoints", entries)) != TX_OK) break;
    }
    (*entries)[*n].step = step;
    strcpy((*entries)[(*n)++].name, e->d_name);
  }
  closedir(dir);
  if (*n > 0) qsort(*entries, *n, sizeof **entries, newest_first);
  return status;
}

void tx_checkpoint_clean(const char *folder) {
  char path[PATH_MAX], file[PATH_MAX];
  snprintf(path, sizeof path, "%s/checkpoints", folder);
  DIR *dir = opendir(path);
  if (!dir) return;
  for (struct dirent *e = readdir(dir); e; e = readdir(dir))
    if (fnmatch("checkpoint.[0-9]*.h5.part", e->d_name, 0) == 0 &&
        snprintf(file, sizeof file, "%s/%s", path, e->d_name) < (int)sizeof file)
      unlink(file);
  closedir(dir);
}

void tx_checkpoint_prune(const char *folder, int64_t step, int keep) {
  char path[PATH_MAX], why[WHY_BYTES];
  entry *entries = NULL;
  size_t n = 0;
  int kept = 1;
  if (list(folder, &entries, &n) != TX_OK) {
    tx_warn("old checkpoints are kept: %s", tx_error_text());
    tx_error_clear();
    n = 0;
  }
  for (size_t i = 0; i < n; i++) {
    if (entries[i].step >= step) continue;
    if (snprintf(path, sizeof path, "%s/checkpoints/%s", folder, entries[i].name) >=
            (int)sizeof path ||
        !tx_seal_good(path, false, why, sizeof why))
      continue;
    if (++kept > keep && unlink(path) != 0)
      tx_warn("cannot remove the old checkpoint %s: %s", path, strerror(errno));
  }
  tx_free(entries);
}

/* A checkpoint that was found: its path, what its seal says of it, how many newer ones are others. */
typedef struct found {
  char path[PATH_MAX], why[WHY_BYTES];
  int skipped;
} found;

/* On one rank: the newest one of this kind, path "" if there is none. Those that are newer are told of, if
 * `told`. */
static tx_status newest(const char *folder, tx_seal_kind wanted, bool told, found *f) {
  entry *entries = NULL;
  size_t n = 0;
  tx_status status = list(folder, &entries, &n);
  f->path[0] = '\0';
  f->skipped = 0;
  for (size_t i = 0; i < n && status == TX_OK; i++) {
    if (snprintf(f->path, sizeof f->path, "%s/checkpoints/%s", folder, entries[i].name) >=
        (int)sizeof f->path) {
      status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__, "the path of folder %s is too long",
                               folder);
      break;
    }
    if (tx_seal_look(f->path, true, f->why, sizeof f->why) == wanted) break;
    if (told) tx_warn("checkpoint %s is not used: %s", f->path, f->why);
    f->path[0] = '\0';
    f->skipped++;
  }
  tx_free(entries);
  return status;
}

tx_status tx_checkpoint_newest(MPI_Comm comm, const char *folder, char *path, size_t size,
                               int *skipped) {
  found f;
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  memset(path, 0, size);
  *skipped = 0;
  if (rank == 0) {
    status = newest(folder, TX_SEAL_GOOD, true, &f);
    *skipped = f.skipped;
    if (status == TX_OK && snprintf(path, size, "%s", f.path) >= (int)size)
      status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__, "the path of folder %s is too long",
                               folder);
  }
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(path, (int)size, MPI_CHAR, 0, comm));
  TX_MPI(MPI_Bcast(skipped, 1, MPI_INT, 0, comm));
  return TX_OK;
}

tx_status tx_checkpoint_refuse_others(MPI_Comm comm, const char *folder) {
  found f;
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    status = newest(folder, TX_SEAL_OTHER, false, &f);
    if (status == TX_OK && f.path[0])
      status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__,
                               "checkpoint %s is intact, but of another build: %s", f.path, f.why);
  }
  return tx_agree(comm, status);
}
