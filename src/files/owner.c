#include "files/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The text of a file of /proc, "" if there is none. */
static void read_text(const char *path, size_t size, char *text) {
  text[0] = '\0';
  FILE *f = fopen(path, "re");
  if (!f) return;
  text[fread(text, 1, size - 1, f)] = '\0';
  fclose(f);
}

/* Numbers of processes mean the same where both the start of the host and the namespace are the same. Names of hosts may
 * be those of many machines. */
static void name_system(size_t size, char *text) {
  char boot[40], space[40] = "";
  read_text("/proc/sys/kernel/random/boot_id", sizeof boot, boot);
  boot[strcspn(boot, "\n")] = '\0';
  unsigned long long number = 0;
  if (readlink("/proc/self/ns/pid", space, sizeof space - 1) < 0 || !boot[0] ||
      sscanf(space, "pid:[%llu]", &number) != 1)
    text[0] = '\0';
  else
    snprintf(text, size, "%s/%llu", boot, number);
}

/* Field 22 of /proc/PID/stat, where field 2, in parentheses, may be anything; 0: not known. */
static unsigned long long started(long pid) {
  char path[64], text[1024];
  unsigned long long ticks = 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  read_text(path, sizeof text, text);
  const char *at = strrchr(text, ')');
  for (int field = 3; at && field <= 22; field++) {
    at = strchr(at, ' ');
    if (at) at++;
  }
  return at && sscanf(at, "%llu", &ticks) == 1 ? ticks : 0;
}

void tx_owner_self(tx_owner *o) {
  *o = (tx_owner){.pid = (long)getpid(), .started = started((long)getpid())};
  if (gethostname(o->host, sizeof o->host) != 0) o->host[0] = '\0';
  o->host[sizeof o->host - 1] = '\0';
  name_system(sizeof o->system, o->system);
}

/* A line of /proc/PID/status: a set of signals. */
static bool has_kill(const char *status, const char *key) {
  const char *at = strstr(status, key);
  unsigned long long set = 0;
  return at && sscanf(at + strlen(key), "%llx", &set) == 1 && set >> (SIGKILL - 1) & 1;
}

tx_owner_state tx_owner_look(const tx_owner *o) {
  char path[64], text[4096];
  tx_owner self;
  tx_owner_self(&self);
  const char *a = o->system[0] ? o->system : o->host, *b = o->system[0] ? self.system : self.host;
  if (!o->host[0] || strcmp(a, b) != 0) return TX_OWNER_UNSEEN;
  if (kill((pid_t)o->pid, 0) != 0 && errno == ESRCH) return TX_OWNER_ENDED;
  const unsigned long long now = started(o->pid);
  if (o->started > 0 && now > 0 && now != o->started) return TX_OWNER_ENDED; /* another one */
  snprintf(path, sizeof path, "/proc/%ld/status", o->pid);
  read_text(path, sizeof text, text);
  if (!text[0]) return TX_OWNER_ALIVE;
  const char *state = strstr(text, "\nState:\t");
  if ((state && strchr("ZX", state[strlen("\nState:\t")])) || !strstr(text, "\nVmSize:"))
    return TX_OWNER_ENDED;
  return has_kill(text, "\nSigPnd:") || has_kill(text, "\nShdPnd:") ? TX_OWNER_ENDING
                                                                    : TX_OWNER_ALIVE;
}

bool tx_owner_same(const tx_owner *a, const tx_owner *b) {
  return strcmp(a->host, b->host) == 0 && a->pid == b->pid && a->started == b->started &&
         strcmp(a->system, b->system) == 0;
}

static void read_from(int fd, tx_owner *o) {
  char text[2 * TX_OWNER_BYTES] = "";
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  *o = (tx_owner){.host = ""};
  /* Earlier versions wrote host and process alone. */
  if (sscanf(text, "host %255[^,], process %ld, started %llu, system %63[^,], beat %lu", o->host,
             &o->pid, &o->started, o->system, &o->beat) < 2)
    *o = (tx_owner){.host = ""};
  if (strcmp(o->system, "unknown") == 0) o->system[0] = '\0';
}

/* Each time as long for the same process. 0 or errno. */
static int write_to(int fd, const tx_owner *o) {
  char text[2 * TX_OWNER_BYTES];
  const int n =
      snprintf(text, sizeof text, "host %s, process %ld, started %llu, system %s, beat %010lu\n",
               o->host, o->pid, o->started, o->system[0] ? o->system : "unknown", o->beat);
  const ssize_t written = pwrite(fd, text, (size_t)n, 0);
  return written == n ? 0 : written < 0 ? errno : ENOSPC;
}

bool tx_owner_read(const char *path, tx_owner *o) {
  *o = (tx_owner){.host = ""};
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno != ENOENT;
  read_from(fd, o);
  close(fd);
  return true;
}

int tx_owner_write(const char *path, int flags, const tx_owner *o) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (fd < 0) return errno;
  int bad = write_to(fd, o);
  if (close(fd) != 0 && !bad) bad = errno; /* where a network's file system writes */
  if (bad) unlink(path);
  return bad;
}

/* By one descriptor: a file that is renamed to the path meanwhile stays as it is. */
void tx_owner_renew(const char *path, const tx_owner *o) {
  tx_owner now;
  int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) (void)tx_owner_write(path, O_EXCL, o);
  if (fd < 0) return;
  read_from(fd, &now);
  if (tx_owner_same(&now, o)) (void)write_to(fd, o);
  close(fd);
}
