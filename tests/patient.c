/* Loaded before the C library into the programs of tests: ranks that wait for others sleep, where Open MPI has them call
 * sched_yield without end (mpi_yield_when_idle). Where other tests compute, Linux from 6.18 on lets a process that yields wait
 * for milliseconds: a test of thousands of sums over ranks took minutes. */
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int sched_yield(void) {
  static int ranks = 0; /* unknown as yet */
  if (ranks == 0) {
    const char *told = getenv("OMPI_COMM_WORLD_SIZE");
    ranks = told ? atoi(told) : 1;
  }
  if (ranks < 2) return (int)syscall(SYS_sched_yield);
  nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  return 0;
}
