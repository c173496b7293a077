#include "cli/launcher.h"

#include <stddef.h>
#include <stdlib.h>
#include "base/mpi_found.h"

/* A launcher, and the environment of its ranks. */
typedef struct launcher {
  const char *name, *size, *rank;
} launcher;

/* The innermost first: mpirun may run in a step of Slurm. A batch script, one process, has SLURM_NTASKS and SLURM_PROCID too, and
 * only a step has SLURM_STEP_NUM_TASKS. PMIx tells no size. */
static const launcher launchers[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"a launcher with PMI (MPICH, Cray, Intel)", "PMI_SIZE", "PMI_RANK"},
    {"a launcher with PMIx", "PMIX_RANK", "PMIX_RANK"},
    {"Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
enum { PMIX = 2, SLURM = 3, LAUNCHERS };

/* Return the rank that one of the first n launchers says. */
static const char *rank_of(int n) {
  for (int i = 0; i < n; i++)
    if (getenv(launchers[i].size)) return getenv(launchers[i].rank);
  return NULL;
}

const char *tx_launcher_rank(void) {
  return rank_of(LAUNCHERS);
}

bool tx_launcher_knows_mpi(void) {
  return rank_of(SLURM) != NULL;
}

tx_status tx_launcher_check(MPI_Comm world) {
  int ranks = 0;
  char mpi[64];
  TX_MPI(MPI_Comm_size(world, &ranks));
  for (int i = 0; i < LAUNCHERS && ranks == 1; i++) {
    const char *size = getenv(launchers[i].size);
    if (!size || i == PMIX) continue;
    tx_mpi_name(mpi, sizeof mpi);
    TX_REQUIRE(atoi(size) <= 1, TX_ERR_LIBRARY,
               "%s started %s ranks (%s), and in %s each of them is alone: start them with the "
               "launcher of that MPI, or, for a "
               "run of its own in each, with `env -u %s tendex'",
               launchers[i].name, size, launchers[i].size, mpi, launchers[i].size);
    break;
  }
  return TX_OK;
}
