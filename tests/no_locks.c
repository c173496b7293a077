/* Loaded before the C library: a file system without file locks, where flock fails with the errno TX_TEST_FLOCK. Waits of
 * nanosleep and poll take a TX_TEST_HURRY-th of their time. Without these variables nothing changes. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long told(const char *name, long otherwise) {
  const char *value = getenv(name);
  return value ? strtol(value, NULL, 10) : otherwise;
}

static struct timespec hurried(long long ns) {
  ns /= told("TX_TEST_HURRY", 1);
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

int flock(int fd, int operation) {
  errno = (int)told("TX_TEST_FLOCK", 0);
  return errno ? -1 : (int)syscall(SYS_flock, fd, operation);
}

int nanosleep(const struct timespec *time, struct timespec *left) {
  const struct timespec t = hurried(1000000000LL * time->tv_sec + time->tv_nsec);
  return (int)syscall(SYS_nanosleep, &t, left);
}

int poll(struct pollfd *fds, nfds_t n, int ms) {
  const struct timespec t = hurried(1000000LL * ms);
  return (int)syscall(SYS_ppoll, fds, n, ms < 0 ? NULL : &t, NULL, 0);
}
