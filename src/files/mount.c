/* The table of mounts, which proc(5) describes under /proc/pid/mountinfo. */
#include "files/mount.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Options with which flock takes locks that no other host sees, and what to say of them. */
typedef struct local_option {
  const char *type, *option, *why;
} local_option;

static const local_option local_options[] = {
    {"lustre", "localflock", "mount option localflock: they hold on one host only"},
    {"nfs", "local_lock=all", "mount option local_lock=all: they hold on one host only"},
    {"nfs4", "local_lock=all", "mount option local_lock=all: they hold on one host only"},
    {"nfs", "local_lock=flock", "mount option local_lock=flock: they hold on one host only"},
    {"nfs4", "local_lock=flock", "mount option local_lock=flock: they hold on one host only"},
};

/* Is this one of the options, which commas separate? Cuts them. */
static bool has_option(char *options, const char *option) {
  for (char *word; (word = strsep(&options, ","));)
    if (strcmp(word, option) == 0) return true;
  return false;
}

/* Look at a line of the table: numbers, device, root, place, options, fields of any number, "-", type, source, options of
 * the file system. */
static const char *look(const char *line, dev_t device) {
  unsigned major_number, minor_number;
  char type[32], options[4096], copy[sizeof options];
  const char *rest = strstr(line, " - ");
  if (!rest || sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) != 2 ||
      makedev(major_number, minor_number) != device ||
      sscanf(rest, " - %31s %*s %4095s", type, options) != 2)
    return NULL;
  for (size_t i = 0; i < sizeof local_options / sizeof local_options[0]; i++) {
    const local_option *o = &local_options[i];
    strcpy(copy, options);
    if (strcmp(type, o->type) == 0 && has_option(copy, o->option)) return o->why;
  }
  return NULL;
}

const char *tx_mount_local_locks(int fd) {
  struct stat s;
  const char *why = NULL;
  char *line = NULL;
  size_t room = 0;
  FILE *table = fstat(fd, &s) == 0 ? fopen("/proc/self/mountinfo", "re") : NULL;
  if (!table) return NULL;
  while (!why && getline(&line, &room, table) > 0) why = look(line, s.st_dev);
  free(line);
  fclose(table);
  return why;
}
