/* Time and memory of writing a checkpoint, of checking it, and of a restart from it, on the grid of `tendex bench'.
 * Before it is read the file is dropped from the page cache where the system allows that.
 * For a slow device, as root: a loop device, and its numbers and bytes/s in blkio.throttle.write_bps_device of cgroup v1.
 * Usage: [mpirun ...] bench_checkpoint FOLDER [points [goes]] */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/timer.h"
#include "bench/speed.h"
#include "checkpoint/checkpoint.h"
#include "machine/compute.h"
#include "support/peak_memory.h"

/* Cost of a piece: seconds of the slowest rank, and the rise of resident memory above that at its start, bytes. */
typedef struct piece {
  double s, rank0, others;
} piece;

static double start_s;

static tx_status begin(void) {
  TX_MPI(MPI_Barrier(MPI_COMM_WORLD));
  test_peak_begin();
  start_s = tx_now_s();
  return TX_OK;
}

static tx_status end(piece *out) {
  double s = tx_now_s() - start_s, rise = test_peak_rise();
  int rank;
  TX_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  double mine[3] = {s, rank == 0 ? rise : 0.0, rank == 0 ? 0.0 : rise};
  TX_MPI(MPI_Allreduce(mine, out, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  return TX_OK;
}

static void show(int rank, const char *what, double bytes, const piece *p) {
  if (rank == 0)
    printf("  %-8s %8.2f s %8.1f MB/s   memory +%.1f MB on rank 0, +%.1f MB on others\n", what,
           p->s, bytes / p->s / 1e6, p->rank0 / 1e6, p->others / 1e6);
}

/* Have the next reader of the file ask the disk. */
static void forget_pages(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
}

static tx_status bench(const char *folder, double points, int goes) {
  char path[PATH_MAX];
  tx_params p;
  tx_sim *sim = NULL;
  piece took;
  int skipped, rank, ranks;
  TX_MPI(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  TX_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  TX_TRY(tx_speed_params(MPI_COMM_WORLD, 5, points, &p));
  TX_TRY(tx_compute_start(MPI_COMM_WORLD, &p));
  TX_TRY(tx_sim_create(MPI_COMM_WORLD, &p, &sim));
  const double bytes = (double)sim->points * sim->system->n_vars * (double)sizeof(double);
  if (rank == 0)
    printf("%lld points, %.1f MB of fields, %d ranks\n", (long long)sim->points, bytes / 1e6,
           ranks);
  for (int i = 0; i < goes; i++) {
    TX_TRY(begin());
    TX_TRY(tx_checkpoint_write(folder, 1, sim, NULL));
    TX_TRY(end(&took));
    show(rank, "write", bytes, &took);
  }
  tx_sim_destroy(sim);
  for (int i = 0; i < goes; i++) {
    TX_TRY(begin());
    if (i > 0) forget_pages(path);
    TX_TRY(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
    TX_TRY(end(&took));
    show(rank, i > 0 ? "check" : "(cached)", bytes, &took);
    forget_pages(path);
    TX_TRY(begin());
    TX_TRY(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &sim));
    TX_TRY(end(&took));
    show(rank, "restore", bytes, &took);
    tx_sim_destroy(sim);
  }
  return TX_OK;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  tx_status status = tx_base_init(MPI_COMM_WORLD);
  if (argc < 2 || argc > 4) {
    fprintf(stderr, "usage: bench_checkpoint FOLDER [points [goes]]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  TX_THEN(status,
          bench(argv[1], argc > 2 ? strtod(argv[2], NULL) : 1e6, argc > 3 ? atoi(argv[3]) : 3));
  tx_compute_stop();
  tx_error_print(MPI_COMM_WORLD, status);
  tx_status ended = tx_base_finalize(MPI_COMM_WORLD);
  MPI_Finalize();
  return (int)(status == TX_OK ? ended : status);
}
