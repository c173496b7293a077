#include "output/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/memory.h"
#include "output/internal.h"

/* Files that are gone and named one by one, at most. */
#define WARNED_MOST 5

/* Files of the folder itself. */
static const tx_run_file own[] = {
    {"", "log.txt", TX_FILE_STAYS},
    {"", "run.lock", TX_FILE_STAYS},
    {"", "run.lock.*.part", TX_FILE_PASSING},
    {"", "run.yaml", TX_FILE_STAYS},
    {"", "run.yaml.part", TX_FILE_PASSING},
    {"", "last_checkpoint.json", TX_FILE_STAYS},
    {"", "last_checkpoint.json.part", TX_FILE_PASSING},
    {"", "initial_data.h5", TX_FILE_STAYS},
    {"", "initial_data.h5.part", TX_FILE_PASSING},
    {"", "elliptic.asc", TX_FILE_STAYS},
    {"", "TwoPunctures.bbh", TX_FILE_STAYS},
    {"", "summary.json", TX_FILE_PASSING},
    {"", "summary.json.part", TX_FILE_PASSING},
    {"checkpoints", "checkpoint.[0-9]*.h5", TX_FILE_STAYS},
    {"checkpoints", "*.part", TX_FILE_PASSING},
    {NULL, NULL, TX_FILE_STAYS},
};

/* Return list `i`: those of the manifest, then the folder's own. */
static const tx_run_file *list_of(const tx_manifest *files, int i) {
  return i < files->n ? files->lists[i] : own;
}

/* Return the entry that the file `name` of the sub-folder matches, or NULL. */
static const tx_run_file *find_entry(const tx_manifest *files, const char *folder,
                                     const char *name) {
  for (int i = 0; i <= files->n; i++)
    for (const tx_run_file *f = list_of(files, i); f->folder; f++)
      if (strcmp(f->folder, folder) == 0 && fnmatch(f->pattern, name, 0) == 0) return f;
  return NULL;
}

/* Sub-folders that a run writes into, the run folder first. */
#define FOLDERS_MOST 16
typedef struct folder_list {
  int n;
  const char *name[FOLDERS_MOST];
} folder_list;

static void add_folder(folder_list *list, const char *name) {
  for (int i = 0; i < list->n; i++)
    if (strcmp(list->name[i], name) == 0) return;
  if (list->n < FOLDERS_MOST) list->name[list->n++] = name;
}

static folder_list list_folders(const tx_manifest *files) {
  folder_list list = {.n = 1, .name = {""}};
  for (int i = 0; i <= files->n; i++)
    for (const tx_run_file *f = list_of(files, i); f->folder; f++) add_folder(&list, f->folder);
  return list;
}

/* Function called for each file: `name` is its path in the folder. */
typedef tx_status visitor(void *data, tx_fate what, const char *path, const char *name);

static tx_status visit_folder(const tx_manifest *files, const char *folder, const char *sub,
                              visitor *visit, void *data) {
  char path[PATH_MAX], file[PATH_MAX], name[NAME_MAX + 32];
  const char *slash = sub[0] ? "/" : "";
  TX_REQUIRE(snprintf(path, sizeof path, "%s%s%s", folder, slash, sub) < (int)sizeof path,
             TX_ERR_IO, "the path of folder %s is too long", folder);
  DIR *dir = opendir(path);
  if (!dir && errno == ENOENT) return TX_OK;
  TX_REQUIRE(dir, TX_ERR_IO, "cannot look into %s: %s", path, strerror(errno));
  tx_status status = TX_OK;
  for (struct dirent *e = readdir(dir); e && status == TX_OK; e = readdir(dir)) {
    const tx_run_file *entry = find_entry(files, sub, e->d_name);
    if (!entry) continue;
    snprintf(name, sizeof name, "%s%s%s", sub, slash, e->d_name);
    if (snprintf(file, sizeof file, "%s/%s", folder, name) < (int)sizeof file)
      status = visit(data, entry->fate, file, name);
    else
      status = tx_file_failed(file, "the path is too long");
  }
  closedir(dir);
  return status;
}

/* All our files in `folder`, which may be no folder. */
static tx_status visit_all(const tx_manifest *files, const char *folder, visitor *visit,
                           void *data) {
  struct stat s;
  const bool there = stat(folder, &s) == 0;
  if (there ? !S_ISDIR(s.st_mode) : errno == ENOENT || errno == ENOTDIR) return TX_OK;
  const folder_list folders = list_folders(files);
  for (int i = 0; i < folders.n; i++)
    TX_TRY(visit_folder(files, folder, folders.name[i], visit, data));
  return TX_OK;
}

static tx_status remove_file(const char *path) {
  TX_REQUIRE(unlink(path) == 0 || errno == ENOENT, TX_ERR_IO, "cannot remove %s: %s", path,
             strerror(errno));
  return TX_OK;
}

typedef struct clearing {
  bool remove, found;
} clearing;

static tx_status clear_file(void *data, tx_fate what, const char *path, const char *name) {
  clearing *c = data;
  const bool owner = strcmp(name, "run.lock") == 0; /* it keeps others out until all else is gone */
  (void)what;
  /* Without run.yaml, what comes before it shows only that a start was killed. */
  if (strcmp(name, "log.txt") != 0 && strncmp(name, "run.lock", strlen("run.lock")) != 0 &&
      strncmp(name, TX_LAST_CHECKPOINT, strlen(TX_LAST_CHECKPOINT)) != 0 &&
      strcmp(name, "run.yaml.part") != 0)
    c->found = true;
  return c->remove && !owner ? remove_file(path) : TX_OK;
}

tx_status tx_series_clear(const tx_manifest *files, const char *folder, bool remove, bool *found) {
  clearing c = {.remove = remove};
  tx_status status = visit_all(files, folder, clear_file, &c);
  *found = c.found;
  const folder_list folders = list_folders(files);
  for (int i = 1; remove && status == TX_OK && i < folders.n; i++) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, folders.name[i]) < PATH_MAX)
      rmdir(path); /* stays if something else is in it */
  }
  return status;
}

typedef struct listing {
  tx_series_sums *sums;
  tx_text *text;
} listing;

/* Bytes of a series that later rows leave as they are. */
static int64_t steady(tx_fate what, int64_t bytes) {
  return what == TX_FILE_XDMF ? (int64_t)tx_xdmf_steady((off_t)bytes) : bytes;
}

static tx_status list_file(void *data, tx_fate what, const char *path, const char *name) {
  listing *list = data;
  struct stat s;
  uint64_t crc = 0;
  if (what == TX_FILE_STAYS || what == TX_FILE_PASSING) return TX_OK;
  TX_REQUIRE(stat(path, &s) == 0, TX_ERR_IO, "cannot look at %s: %s", path, strerror(errno));
  if (what == TX_FILE_WHOLE) {
    tx_text_add(list->text, "%lld - %s\n", (long long)s.st_size, name);
    return list->text->status;
  }
  TX_TRY(tx_series_sum(list->sums, path, name, steady(what, s.st_size), &crc));
  tx_text_add(list->text, "%lld %016" PRIx64 " %s\n", (long long)s.st_size, crc, name);
  return list->text->status;
}

static tx_status sync_file(void *data, tx_fate what, const char *path, const char *name) {
  (void)data, (void)name;
  return what == TX_FILE_ROWS || what == TX_FILE_XDMF ? tx_file_sync(path)
                                                      : TX_OK; /* others were when written */
}

/* Put all on the disk: folders may be on several file systems. Only where this fails, file by file. */
static tx_status sync_all(const tx_manifest *files, const char *folder) {
  char path[PATH_MAX];
  dev_t done = 0;
  const folder_list folders = list_folders(files);
  for (int i = 0; i < folders.n; i++) {
    struct stat s;
    if (snprintf(path, sizeof path, "%s/%s", folder, folders.name[i]) >= PATH_MAX ||
        stat(path, &s) != 0 || (i > 0 && s.st_dev == done))
      continue;
    if (tx_file_system_sync(path) != 0) return visit_all(files, folder, sync_file, NULL);
    done = s.st_dev;
  }
  return TX_OK;
}

tx_status tx_series_list(const tx_manifest *files, const char *folder, tx_series_sums *sums,
                         tx_text *list) {
  listing l = {.sums = sums, .text = list};
  TX_TRY(visit_all(files, folder, list_file, &l));
  return sync_all(files, folder);
}

static tx_status know_file(void *data, tx_fate what, const char *path, const char *name) {
  return what == TX_FILE_ROWS || what == TX_FILE_XDMF ? tx_series_know(data, path, name) : TX_OK;
}

tx_status tx_series_watch(const tx_manifest *files, const char *folder, tx_series_sums *sums) {
  tx_series_look_after(folder, sums);
  return visit_all(files, folder, know_file, sums);
}

/* A file of a list. */
typedef struct entry {
  const char *name; /* view of the list */
  int length;       /* of the name */
  long long bytes;
  bool has_sum;
  uint64_t sum;
  bool seen;
} entry;

typedef struct resumption {
  tx_series_sums sums;
  size_t n;
  entry *entries; /* sorted by name, owned */
} resumption;

static int compare(const entry *a, const char *name, int length) {
  int n = a->length < length ? a->length : length;
  int order = memcmp(a->name, name, (size_t)n);
  return order ? order : a->length - length;
}

static int by_name(const void *a, const void *b) {
  const entry *second = b;
  return compare(a, second->name, second->length);
}

static entry *look_up(const resumption *r, const char *name) {
  const int length = (int)strlen(name);
  size_t low = 0, high = r->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = compare(&r->entries[middle], name, length);
    if (order == 0) return &r->entries[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static tx_status read_list(const char *list, resumption *r) {
  size_t lines = 0;
  for (const char *c = list; *c; c++) lines += *c == '\n';
  TX_TRY(tx_alloc(lines, sizeof *r->entries, "list of the run's files", &r->entries));
  for (const char *line = list, *next; *line; line = next + 1) {
    entry e = {.seen = false};
    int at = 0;
    next = strchr(line, '\n');
    if (sscanf(line, "%lld %*1[-] %n", &e.bytes, &at) != 1 || at == 0)
      e.has_sum = sscanf(line, "%lld %16" SCNx64 " %n", &e.bytes, &e.sum, &at) == 2;
    TX_REQUIRE(next && at > 0 && line + at < next && line[at - 1] == ' ', TX_ERR_IO,
               "the list of files in the checkpoint is damaged at '%.60s'", line);
    e.name = line + at;
    e.length = (int)(next - e.name);
    r->entries[r->n++] = e;
  }
  if (r->n > 0) qsort(r->entries, r->n, sizeof *r->entries, by_name);
  return TX_OK;
}

/* Does the series begin as it was when the checkpoint was written? */
static tx_status check_file(void *data, tx_fate what, const char *path, const char *name) {
  resumption *r = data;
  const entry *e = what == TX_FILE_ROWS || what == TX_FILE_XDMF ? look_up(r, name) : NULL;
  struct stat s;
  uint64_t sum = 0;
  if (!e) return TX_OK;
  TX_REQUIRE(stat(path, &s) == 0, TX_ERR_IO, "cannot look at %s: %s", path, strerror(errno));
  TX_REQUIRE((long long)s.st_size >= e->bytes, TX_ERR_IO,
             "%s has %lld bytes, but had %lld when the checkpoint was written: rows are missing; "
             "restore it, or remove it to continue without the earlier rows",
             path, (long long)s.st_size, e->bytes);
  if (!e->has_sum) return TX_OK;
  TX_TRY(tx_series_sum(&r->sums, path, name, steady(what, e->bytes), &sum));
  TX_REQUIRE(sum == e->sum, TX_ERR_IO,
             "%s was changed: its first %lld bytes differ from those at the checkpoint; restore "
             "it, or remove it to continue without the earlier rows",
             path, e->bytes);
  return TX_OK;
}

static tx_status cut(tx_fate what, const char *path, long long bytes) {
  struct stat s;
  TX_REQUIRE(stat(path, &s) == 0, TX_ERR_IO, "cannot look at %s: %s", path, strerror(errno));
  if (what == TX_FILE_XDMF) return tx_xdmf_cut(path, (off_t)bytes);
  if ((long long)s.st_size == bytes) return TX_OK;
  return truncate(path, (off_t)bytes) == 0 ? TX_OK : tx_file_failed(path, strerror(errno));
}

static tx_status resume_file(void *data, tx_fate what, const char *path, const char *name) {
  if (what == TX_FILE_STAYS) return TX_OK;
  entry *e = look_up(data, name);
  if (e) e->seen = true;
  if (what == TX_FILE_PASSING || !e) return remove_file(path);
  return what == TX_FILE_WHOLE ? TX_OK : cut(what, path, e->bytes);
}

static void warn_of_missing(const char *folder, const resumption *r) {
  size_t gone = 0;
  for (size_t i = 0; i < r->n; i++)
    if (!r->entries[i].seen && gone++ < WARNED_MOST)
      tx_warn("%s/%.*s existed when the checkpoint was written and is gone; its content is missing",
              folder, r->entries[i].length, r->entries[i].name);
  if (gone > WARNED_MOST) tx_warn("%zu more files are gone", gone - WARNED_MOST);
}

tx_status tx_series_resume(const tx_manifest *files, const char *folder, const char *list) {
  resumption r = {0};
  tx_status status = read_list(list, &r);
  TX_THEN(status, visit_all(files, folder, check_file, &r));
  TX_THEN(status, visit_all(files, folder, resume_file, &r));
  if (status == TX_OK) warn_of_missing(folder, &r);
  tx_series_sums_free(&r.sums);
  tx_free(r.entries);
  return status;
}
