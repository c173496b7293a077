/* Who has a run folder, with and without file locks. */
#include "support/main.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "files/folder_lock.h"
#include "files/owner.h"

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);

static char folder[64];
static int refused;          /* errno of flock; 0: it locks */
static void (*during)(void); /* what happens during the next wait */
static char mounts[1024];    /* text of the table of mounts; "": that of the system */
static bool has_mounts;      /* is there a table? */

int __wrap_flock(int fd, int operation) {
  errno = refused;
  return refused ? -1 : __real_flock(fd, operation);
}

FILE *__wrap_fopen(const char *path, const char *mode) {
  if (mounts[0] && strcmp(path, "/proc/self/mountinfo") == 0)
    return has_mounts ? fmemopen(mounts, strlen(mounts), "r") : NULL;
  return __real_fopen(path, mode);
}

/* All waits are short. */
int __wrap_nanosleep(const struct timespec *time, struct timespec *left) {
  void (*what)(void) = during;
  during = NULL;
  if (what) what();
  return __real_nanosleep(&(struct timespec){.tv_nsec = time->tv_nsec / 200}, left);
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int ms) {
  return __real_poll(fds, n, ms < 1000 ? ms : ms / 1000);
}

static int make_folder(void **state) {
  tx_error_clear();
  refused = ENOLCK;
  during = NULL;
  mounts[0] = '\0';
  has_mounts = true;
  snprintf(folder, sizeof folder, "/tmp/tendex-test-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static const char *run_lock(void) {
  static char path[128];
  snprintf(path, sizeof path, "%s/run.lock", folder);
  return path;
}

static void put(const tx_owner *o) {
  char part[128];
  snprintf(part, sizeof part, "%s/part", folder);
  assert_int_equal(tx_owner_write(part, O_TRUNC, o), 0);
  assert_int_equal(rename(part, run_lock()), 0);
}

static const tx_owner elsewhere = {
    .host = "elsewhere", .pid = 7, .started = 8, .system = "another/1"};

static void show_life(void) {
  tx_owner o = elsewhere;
  o.beat = 1;
  put(&o);
}

static void remove_owner(void) {
  assert_int_equal(unlink(run_lock()), 0);
}

static void show_other(void) {
  tx_owner o;
  tx_owner_self(&o);
  put(&o);
}

static bool names_this_process(void) {
  tx_owner self, o;
  tx_owner_self(&self);
  return tx_owner_read(run_lock(), &o) && tx_owner_same(&o, &self);
}

static void assert_taken(void) {
  tx_folder_lock *lock = NULL;
  assert_int_equal(tx_folder_lock_take(folder, &lock), TX_OK);
  assert_true(names_this_process());
  tx_folder_lock_release(lock);
  assert_int_equal(access(run_lock(), F_OK), -1);
}

static void assert_refused(const char *who) {
  tx_folder_lock *lock = NULL;
  char text[128];
  assert_int_equal(tx_folder_lock_take(folder, &lock), TX_ERR_IO);
  assert_null(lock);
  snprintf(text, sizeof text, "another run uses this folder: %s holds %s/", who, folder);
  assert_non_null(strstr(tx_error_text(), text));
  tx_error_clear();
}

static void one_run_at_a_time(void **state) {
  const int errors[] = {0, ENOLCK, ENOSYS, EOPNOTSUPP};
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
    tx_folder_lock *first = NULL;
    tx_owner self;
    char who[2 * TX_OWNER_BYTES];
    tx_owner_self(&self);
    refused = errors[i];
    assert_int_equal(tx_folder_lock_take(folder, &first), TX_OK);
    snprintf(who, sizeof who, "process %ld on %s", self.pid, self.host);
    assert_refused(who);
    assert_true(names_this_process());
    tx_folder_lock_release(first);
    assert_taken();
  }
}

static void a_process_that_has_ended_is_replaced(void **state) {
  tx_owner o;
  tx_owner_self(&o);
  o.started++; /* the number was given again */
  put(&o);
  assert_taken();
  o.pid = 0x7ffffff0; /* above the largest number of a process */
  put(&o);
  assert_taken();
}

static void one_of_another_host_is_watched(void **state) {
  put(&elsewhere);
  assert_taken(); /* no sign of life */
  put(&elsewhere);
  during = show_life;
  assert_refused("process 7 on elsewhere");
  during = remove_owner;
  assert_taken();
  put(&(tx_owner){.host = ""}); /* nobody is named */
  assert_taken();
  put(&elsewhere);
  during = show_other; /* which took it first */
  tx_folder_lock *lock = NULL;
  assert_int_equal(tx_folder_lock_take(folder, &lock), TX_ERR_IO);
  tx_error_clear();
}

/* Let the folder be on a file system of this kind with these options, among others. */
static void mount_as(const char *type, const char *options) {
  struct stat s;
  assert_int_equal(stat(folder, &s), 0);
  snprintf(mounts, sizeof mounts,
           "\n - \n22 21 0:0 / /short rw - lustre\n"
           "21 1 8:1 / / rw,localflock shared:1 - ext4 /dev/a rw\n"
           "22 21 %u:%u / /scratch rw,noatime shared:7 master:2 - %s mgs@tcp:/a\\040b rw,%s\n"
           "23 21 0:0 / /other rw - lustre mgs:/other rw,localflock\n",
           major(s.st_dev), minor(s.st_dev), type, options);
}

/* Locks that other hosts do not see are none; those that they see need no wait. */
static void locks_of_one_host_are_none(void **state) {
  static const struct {
    const char *type, *options;
    bool local;
  } cases[] = {
      {"lustre", "flock,lazystatfs", false},
      {"lustre", "checksum,localflock,lazystatfs", true},
      {"lustre", "localflock", true},
      {"lustre", "notlocalflock,localflocks", false},
      {"nfs4", "vers=4.2,local_lock=none,addr=10.0.0.1", false},
      {"nfs", "vers=3,nolock,local_lock=all,addr=10.0.0.1", true},
      {"nfs", "local_lock=flock", true},
      {"nfs", "local_lock=posix", false},
      {"gpfs", "dev=scratch,autostart", false},
  };
  refused = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    mount_as(cases[i].type, cases[i].options);
    put(&elsewhere);
    during = show_life;
    if (cases[i].local)
      assert_refused("process 7 on elsewhere");
    else
      assert_taken();
    assert_true((during == NULL) == cases[i].local);
    during = NULL;
  }
  mount_as(cases[1].type, cases[1].options);
  put(&elsewhere);
  assert_taken(); /* no sign of life */
  put(&elsewhere);
  during = show_life;
  has_mounts = false;
  assert_taken(); /* nothing says that the locks are local */
}

/* Two runs on one host, and one that another host takes the folder from. */
static void local_locks_are_kept(void **state) {
  char who[2 * TX_OWNER_BYTES];
  tx_folder_lock *lock = NULL;
  tx_owner self;
  bool replaced = true;
  refused = 0;
  mount_as("lustre", "rw,localflock");
  tx_owner_self(&self);
  snprintf(who, sizeof who, "process %ld on %s", self.pid, self.host);
  assert_int_equal(tx_folder_lock_take(folder, &lock), TX_OK);
  assert_refused(who);
  assert_int_equal(tx_folder_lock_keep(lock, &replaced), TX_OK);
  assert_false(replaced);
  put(&elsewhere);
  assert_int_equal(tx_folder_lock_keep(lock, &replaced), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "process 7 on elsewhere"));
  tx_error_clear();
  tx_folder_lock_release(lock);
}

static void wait_for_other_text(const char *text, size_t size, char *now) {
  for (int tries = 0; tries < 2000; tries++) {
    FILE *f = fopen(run_lock(), "r");
    now[0] = '\0';
    if (f) {
      now[fread(now, 1, size - 1, f)] = '\0';
      fclose(f);
    }
    if (now[0] && strcmp(now, text) != 0) return;
    __real_nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static void signs_of_life(void **state) {
  char first[600], second[600], third[600];
  tx_folder_lock *lock = NULL;
  bool replaced = true;
  assert_int_equal(tx_folder_lock_take(folder, &lock), TX_OK);
  wait_for_other_text("", sizeof first, first);
  wait_for_other_text(first, sizeof second, second);
  assert_string_not_equal(first, second);
  assert_true(names_this_process());
  remove_owner();
  wait_for_other_text(second, sizeof third, third);
  assert_true(names_this_process());
  assert_int_equal(tx_folder_lock_keep(lock, &replaced), TX_OK);
  assert_false(replaced);
  put(&elsewhere); /* it has taken the folder */
  assert_int_equal(tx_folder_lock_keep(lock, &replaced), TX_ERR_IO);
  tx_error_clear();
  tx_folder_lock_release(lock);
  assert_int_equal(access(run_lock(), F_OK), 0);
}

static const struct CMUnitTest lock_tests[] = {
    cmocka_unit_test_setup_teardown(one_run_at_a_time, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(a_process_that_has_ended_is_replaced, make_folder,
                                    remove_folder),
    cmocka_unit_test_setup_teardown(one_of_another_host_is_watched, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(locks_of_one_host_are_none, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(local_locks_are_kept, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(signs_of_life, make_folder, remove_folder),
};
TEST_MAIN(lock_tests)
