#include "files/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "files/file.h"

/* Tenths of a second in which a process that is being killed gives back its memory, and only then its lock. */
#define TRIES_ENDING 100
/* In which one that just started writes its name, or a reader that only asks for the lock lets go of it. */
#define TRIES_OTHER 5

#define NAME_BYTES 256

typedef struct owner {
  char host[NAME_BYTES]; /* "": not known */
  long pid;
} owner;

static tx_status path_of(const char *folder, const char *name, char path[PATH_MAX]) {
  TX_REQUIRE(snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX, TX_ERR_IO,
             "the path of folder %s is too long", folder);
  return TX_OK;
}

static void host_name(char name[NAME_BYTES]) {
  if (gethostname(name, NAME_BYTES) != 0) name[0] = '\0';
  name[NAME_BYTES - 1] = '\0';
}

static owner read_owner(const char *path) {
  owner o = {.host = ""};
  char text[2 * NAME_BYTES] = "";
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return o;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  if (sscanf(text, "host %255[^,], process %ld", o.host, &o.pid) != 2) o.host[0] = '\0';
  return o;
}

/* Without it the lock holds all the same, but its owner cannot be named. */
static void write_owner(const char *path) {
  char text[2 * NAME_BYTES], host[NAME_BYTES];
  host_name(host);
  int n = snprintf(text, sizeof text, "host %s, process %ld\n", host, (long)getpid());
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return;
  if (write(fd, text, (size_t)n) != n) unlink(path);
  close(fd);
}

/* A line of /proc/PID/status: a set of signals. */
static bool has_kill(const char *status, const char *key) {
  const char *at = strstr(status, key);
  unsigned long long set = 0;
  return at && sscanf(at + strlen(key), "%llx", &set) == 1 && set >> (SIGKILL - 1) & 1;
}

/* Has this process of this host ended, or is it being killed? It holds its lock until its memory is given back. */
static bool is_ending(long pid) {
  char path[64], text[4096];
  if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) return true;
  snprintf(path, sizeof path, "/proc/%ld/status", pid);
  FILE *f = fopen(path, "r");
  if (!f) return false;
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  const char *state = strstr(text, "\nState:\t");
  return (state && strchr("ZX", state[strlen("\nState:\t")])) || !strstr(text, "\nVmSize:") ||
         has_kill(text, "\nSigPnd:") || has_kill(text, "\nShdPnd:");
}

static bool is_ending_here(const owner *o) {
  char here[NAME_BYTES];
  host_name(here);
  return strcmp(o->host, here) == 0 && is_ending(o->pid);
}

/* 0 or errno; *o: who had it in the end. */
static int try_lock(int fd, const char *log, const char *name, owner *o) {
  const struct timespec pause = {.tv_nsec = 100000000};
  bool told = false;
  for (int tries = 0;; tries++) {
    int bad = flock(fd, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
    if (bad != EWOULDBLOCK) return bad;
    *o = read_owner(name);
    const bool ending = is_ending_here(o);
    if (tries >= (ending ? TRIES_ENDING : TRIES_OTHER)) return bad;
    if (ending && !told)
      tx_log("waiting for process %ld, which held %s and has ended or is being killed", o->pid,
             log);
    told = told || ending;
    nanosleep(&pause, NULL);
  }
}

tx_status tx_folder_lock(const char *folder, int *fd) {
  char log[PATH_MAX], name[PATH_MAX], who[2 * NAME_BYTES] = "an unknown process";
  owner o = {.host = ""};
  *fd = -1;
  TX_TRY(path_of(folder, "log.txt", log));
  TX_TRY(path_of(folder, "run.lock", name));
  *fd = open(log, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (*fd < 0) return tx_file_failed(log, strerror(errno));
  if (try_lock(*fd, log, name, &o) != EWOULDBLOCK) {
    write_owner(name);
    return TX_OK;
  }
  close(*fd);
  *fd = -1;
  if (o.host[0] && !is_ending_here(&o))
    snprintf(who, sizeof who, "process %ld on %s", o.pid, o.host);
  TX_FAIL(TX_ERR_IO, "another run uses this folder: %s holds %s; stop it, or wait for its end", who,
          log);
}

void tx_folder_unlock(const char *folder, int *fd) {
  char log[PATH_MAX], name[PATH_MAX];
  if (*fd < 0) return;
  /* Where log.txt was taken away, another run may have put its name there. */
  if (snprintf(log, sizeof log, "%s/log.txt", folder) < PATH_MAX &&
      snprintf(name, sizeof name, "%s/run.lock", folder) < PATH_MAX && tx_file_is_at(*fd, log))
    unlink(name);
  close(*fd);
  *fd = -1;
}
