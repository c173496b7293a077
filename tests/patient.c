/* Loaded before the C library into the programs of tests: ranks that wait for others sleep, where Open MPI has them call
 * sched_yield without end (mpi_yield_when_idle), and MPICH over UCX asks for messages without end. On two cores that other tests use,
 * test_elliptic_methods of three ranks took 103 to 168 s by the clock with sched_yield and 23 s with sleep (Linux 6.18), for 8 and 11
 * CPU seconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SHORTEST = 50000, LONGEST = 400000, BETWEEN = 5000 }; /* ns */
enum { IN_VAIN = 200 };                                      /* questions before a rank sleeps */

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1000000000L * t.tv_sec + t.tv_nsec;
}

/* Return the number of ranks, as the launcher says. */
static int count_ranks(void) {
  static int ranks = 0; /* unknown as yet */
  if (ranks == 0) {
    const char *open_mpi = getenv("OMPI_COMM_WORLD_SIZE"),
               *told = open_mpi ? open_mpi : getenv("PMI_SIZE");
    ranks = told ? atoi(told) : 1;
  }
  return ranks;
}

/* Sleep, the longer the longer this rank has waited without doing anything between. */
static void nap(void) {
  static long begun, woken;
  const long t = now();
  if (t - woken > BETWEEN) begun = t;
  const long nap = SHORTEST + (t - begun) / 8;
  nanosleep(&(struct timespec){.tv_nsec = nap < LONGEST ? nap : LONGEST}, NULL);
  woken = now();
}

int sched_yield(void) {
  if (count_ranks() < 2) return (int)syscall(SYS_sched_yield);
  nap();
  return 0;
}

/* UCX's question for messages, of which MPICH asks one each time that it looks for any. */
unsigned ucp_worker_progress(void *worker) {
  static unsigned (*ask)(void *);
  static long last, in_vain;
  if (!ask) {
    void *found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&ask, &found, sizeof ask);
  }
  const unsigned progress = ask(worker);
  const long t = now();
  in_vain = progress || t - last > BETWEEN ? 0 : in_vain + 1;
  last = t;
  if (in_vain >= IN_VAIN && count_ranks() > 1) {
    nap();
    last = now();
  }
  return progress;
}
