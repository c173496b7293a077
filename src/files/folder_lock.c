#include "files/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "base/memory.h"
#include "files/file.h"
#include "files/heartbeat.h"
#include "files/mount.h"
#include "files/owner.h"

/* Tenths of a second in which a process that is being killed gives back its memory, and only then its lock. */
#define TRIES_ENDING 100
/* In which one that just started writes its name, or a reader that only asks for the lock lets go of it. */
#define TRIES_OTHER 5
/* In which one that cannot be seen gives six signs of life. */
#define TRIES_UNSEEN 600
/* In which all who take over run.lock at once have done so; the last one has it. */
#define TRIES_SETTLED 10

struct tx_folder_lock {
  int fd;               /* of log.txt */
  const char *unlocked; /* NULL, or why the file system has no lock on it that other hosts see */
  tx_owner self;
  bool named;                          /* run.lock has `self` */
  char log[PATH_MAX], owner[PATH_MAX]; /* paths */
  tx_heartbeat *heartbeat;
};

static tx_status path_of(const char *folder, const char *name, char path[PATH_MAX]) {
  TX_REQUIRE(snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX, TX_ERR_IO,
             "the path of folder %s is too long", folder);
  return TX_OK;
}

static void wait_tenth(void) {
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

static void name_process(const tx_owner *o, size_t size, char *text) {
  if (o->host[0])
    snprintf(text, size, "process %ld on %s", o->pid, o->host);
  else
    snprintf(text, size, "an unknown process");
}

static bool has_ended(const tx_owner *o) {
  const tx_owner_state state = tx_owner_look(o);
  return state == TX_OWNER_ENDED || state == TX_OWNER_ENDING;
}

static tx_status refuse(const tx_owner *o, const char *held) {
  char who[2 * TX_OWNER_BYTES];
  name_process(has_ended(o) ? &(tx_owner){.pid = 0} : o, sizeof who, who);
  TX_FAIL(TX_ERR_IO, "another run uses this folder: %s holds %s; stop it, or wait for its end", who,
          held);
}

/* Once. */
static void tell_of_ending(const tx_owner *o, const char *held, bool *told) {
  if (!*told)
    tx_log("waiting for process %ld, which held %s and has ended or is being killed", o->pid, held);
  *told = true;
}

/* Take the lock on log.txt, where the file system has any. */
static tx_status lock_log(tx_folder_lock *l) {
  bool told = false;
  for (int tries = 0;; tries++) {
    tx_owner o;
    const int bad = flock(l->fd, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
    if (bad != EWOULDBLOCK && bad != EINTR) {
      l->unlocked = bad ? strerror(bad) : tx_mount_local_locks(l->fd);
      return TX_OK;
    }
    (void)tx_owner_read(l->owner, &o);
    const bool ending = has_ended(&o);
    if (tries >= (ending ? TRIES_ENDING : TRIES_OTHER)) return refuse(&o, l->log);
    if (ending) tell_of_ending(&o, l->log, &told);
    wait_tenth();
  }
}

/* Return whether run.lock still names the same process with the same count. Otherwise it changed, or is gone. */
static bool is_still(const char *path, const tx_owner *o) {
  tx_owner now;
  return tx_owner_read(path, &now) && tx_owner_same(&now, o) && now.beat == o->beat;
}

/* Wait for the end of a process of this host; *over: it has come. */
static tx_status await_end(const tx_folder_lock *l, const tx_owner *o, bool *over) {
  bool told = false;
  for (int tries = 0; is_still(l->owner, o); tries++) {
    const tx_owner_state state = tx_owner_look(o);
    *over = state == TX_OWNER_ENDED;
    if (*over) return TX_OK;
    if (state != TX_OWNER_ENDING || tries >= TRIES_ENDING) return refuse(o, l->owner);
    tell_of_ending(o, l->owner, &told);
    wait_tenth();
  }
  return TX_OK;
}

/* Wait for a sign of life of a process that cannot be seen; *over: none came. Clocks of hosts are not asked. */
static tx_status await_silence(const tx_folder_lock *l, const tx_owner *o, bool *over) {
  char who[2 * TX_OWNER_BYTES];
  tx_owner now;
  name_process(o, sizeof who, who);
  tx_warn("this folder has no file locks (%s), and %s names %s, which cannot be seen from here: "
          "waiting %d s for a sign of its life; if it has ended, remove that file to continue at "
          "once",
          l->unlocked, l->owner, who, TRIES_UNSEEN / 10);
  for (int tries = 0; tries < TRIES_UNSEEN && is_still(l->owner, o); tries++) wait_tenth();
  *over = is_still(l->owner, o);
  if (*over)
    tx_warn("%s showed no sign of life of %s for %d s: this run takes the folder", l->owner, who,
            TRIES_UNSEEN / 10);
  else if (tx_owner_read(l->owner, &now) && tx_owner_same(&now, o))
    return refuse(o, l->owner);
  return TX_OK;
}

/* Take run.lock over from a process that has ended. Others may do so at the same time: *mine, if it still names this one
 * after a while. */
static tx_status replace_owner(const tx_folder_lock *l, const tx_owner *o, bool *mine) {
  char part[PATH_MAX + 64];
  tx_owner now;
  snprintf(part, sizeof part, "%s.%ld.%llu.part", l->owner, l->self.pid, l->self.started);
  int bad = tx_owner_write(part, O_TRUNC, &l->self);
  if (bad) return tx_file_failed(part, strerror(bad));
  if (!is_still(l->owner, o)) {
    unlink(part);
    return TX_OK;
  }
  if (rename(part, l->owner) != 0) {
    bad = errno;
    unlink(part);
    return tx_file_failed(l->owner, strerror(bad));
  }
  for (int tries = 0; tries < TRIES_SETTLED; tries++) wait_tenth();
  *mine = tx_owner_read(l->owner, &now) && tx_owner_same(&now, &l->self);
  return TX_OK;
}

/* Without locks: have run.lock name this process and no other one. */
static tx_status claim(const tx_folder_lock *l) {
  for (bool mine = false; !mine;) {
    bool over = false;
    tx_owner o;
    const int bad = tx_owner_write(l->owner, O_EXCL, &l->self);
    if (bad == 0) return TX_OK;
    if (bad != EEXIST) return tx_file_failed(l->owner, strerror(bad));
    bool there = tx_owner_read(l->owner, &o);
    for (int tries = 0; there && !o.host[0] && tries < TRIES_OTHER; tries++) {
      wait_tenth(); /* it may be about to be written */
      there = tx_owner_read(l->owner, &o);
    }
    if (!there) continue;
    if (tx_owner_look(&o) == TX_OWNER_UNSEEN)
      TX_TRY(await_silence(l, &o, &over));
    else
      TX_TRY(await_end(l, &o, &over));
    if (over) TX_TRY(replace_owner(l, &o, &mine));
  }
  return TX_OK;
}

static tx_status open_log(tx_folder_lock *l) {
  l->fd = open(l->log, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  return l->fd >= 0 ? lock_log(l) : tx_file_failed(l->log, strerror(errno));
}

static tx_status take(tx_folder_lock *l) {
  TX_TRY(open_log(l));
  if (l->unlocked)
    TX_TRY(claim(l));
  else /* the lock holds without a name, too */
    (void)tx_owner_write(l->owner, O_TRUNC, &l->self);
  l->named = true;
  tx_status status = tx_heartbeat_start(l->owner, &l->self, &l->heartbeat);
  if (l->unlocked || status == TX_OK) return status;
  tx_error_clear(); /* without signs of life, too */
  return TX_OK;
}

tx_status tx_folder_lock_take(const char *folder, tx_folder_lock **out) {
  tx_folder_lock *l = NULL;
  *out = NULL;
  TX_TRY(tx_alloc(1, sizeof *l, "lock of the run folder", &l));
  l->fd = -1;
  tx_owner_self(&l->self);
  tx_status status = path_of(folder, "log.txt", l->log);
  TX_THEN(status, path_of(folder, "run.lock", l->owner));
  TX_THEN(status, take(l));
  if (status == TX_OK)
    *out = l;
  else
    tx_folder_lock_release(l);
  return status;
}

/* Without locks: another run may hold that this one has ended, as it was stopped for a while. */
static tx_status check_owner(const tx_folder_lock *l) {
  tx_owner now;
  if (!l->unlocked || !tx_owner_read(l->owner, &now) || !now.host[0] ||
      tx_owner_same(&now, &l->self))
    return TX_OK;
  return refuse(&now, l->owner);
}

tx_status tx_folder_lock_keep(tx_folder_lock *l, bool *replaced) {
  struct stat s;
  const int old = l->fd;
  *replaced = false;
  TX_TRY(check_owner(l));
  if (tx_file_is_at(old, l->log)) return TX_OK;
  *replaced = true;
  tx_status status = open_log(l);
  if (status == TX_OK) (void)tx_owner_write(l->owner, O_EXCL, &l->self);
  int bad = status == TX_OK && fstat(l->fd, &s) != 0 ? errno : 0;
  if (status == TX_OK && !bad && s.st_size == 0) bad = tx_fd_copy(old, l->fd);
  close(old);
  TX_TRY(status);
  return bad ? tx_file_failed(l->log, strerror(bad)) : TX_OK;
}

void tx_folder_lock_release(tx_folder_lock *l) {
  tx_owner now;
  if (!l) return;
  tx_heartbeat_stop(l->heartbeat);
  /* Another run may have put its name there. */
  if (l->named && tx_owner_read(l->owner, &now) && tx_owner_same(&now, &l->self)) unlink(l->owner);
  if (l->fd >= 0) close(l->fd);
  tx_free(l);
}
