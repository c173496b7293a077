/* The program: reads the command line, starts and ends MPI, and leaves with a status as its exit
 * code. */
#include <errno.h>
#include <mpi.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/launcher.h"
#include "base/base.h"
#include "base/libraries.h"
#include "base/log.h"
#include "base/mpi_found.h"
#include "files/h5.h"
#include "machine/compute.h"
#include "machine/hosts.h"

/* Time in which rank 0, if it lacks the same as this rank, complains, and the launcher ends all. It lacks nothing where only another
 * host has the wrong library. */
enum { AFTER_RANK_0_S = 2 };

/* Set threads as asked for, or share out the cores among the ranks of this host. */
static tx_status set_threads(MPI_Comm comm, int threads) {
  MPI_Comm host;
  int ranks = 1;
  if (threads == 0 && getenv("OMP_NUM_THREADS")) return TX_OK;
  TX_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  TX_MPI(MPI_Comm_size(host, &ranks));
  TX_MPI(MPI_Comm_free(&host));
  int shared_out = omp_get_num_procs() / ranks;
  omp_set_num_threads(threads > 0 ? threads : shared_out > 1 ? shared_out : 1);
  return TX_OK;
}

static tx_status do_command(MPI_Comm comm, const tx_request *request) {
  tx_log_quiet(request->quiet);
  TX_TRY(tx_agree(comm, tx_libraries_check()));
  TX_TRY(tx_agree(comm, set_threads(comm, request->threads)));
  TX_TRY(tx_agree(comm, tx_h5_start()));
  return request->command->run(comm, request);
}

/* Write out what standard output holds back. A command with a log has all of it there too. */
static tx_status flush_output(const tx_command *command) {
  if (command && command->has_log) return TX_OK;
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return TX_OK;
  return tx_error_record(TX_ERR_IO, __FILE__, __LINE__,
                         "cannot write standard output: %s; the text shown is incomplete",
                         strerror(errno ? errno : EIO));
}

/* Without a launcher Open MPI 4.1 would start a daemon, orted. Its plugin pmix_ext3x then hands an event to a thread of
 * Open MPI in MPI_Init. MPI_Finalize unloads the plugin before that thread ends, and does not wait for the event: a
 * thread that gets no processor until then calls into the unloaded plugin, and the program dies of SIGSEGV
 * (https://github.com/open-mpi/ompi/issues/10117). The daemon serves MPI_Comm_spawn, which is not used here. Without it
 * there is no such event, but all such processes have one number, and so one folder for Open MPI's files, which a
 * single process has none of. */
static bool set_alone(void) {
  return setenv("OMPI_MCA_ess_singleton_isolated", "1", 0) == 0 &&
         setenv("OMPI_MCA_orte_create_session_dirs", "0", 0) == 0;
}

static tx_status start_mpi(void) {
  int provided = MPI_THREAD_SINGLE;
  /* Open MPI 5.0 ends the program without HOME; an empty one will do. */
  if (setenv("HOME", "", 0) != 0 || (!tx_launcher_knows_mpi() && !set_alone()) ||
      MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return TX_ERR_LIBRARY;
  return tx_base_init(MPI_COMM_WORLD);
}

/* Do the command on all ranks, and end MPI. Collective. Of ranks that are alone by mistake only one `prints`. */
static tx_status do_on_ranks(const tx_request *request, bool prints) {
  MPI_Comm comm = MPI_COMM_WORLD;
  tx_status status = tx_agree(comm, tx_launcher_check(comm));
  if (status != TX_OK && !prints) {
    MPI_Finalize();
    return TX_OK;
  }
  TX_THEN(status, tx_hosts_check(comm));
  /* Ranks leave GPUs together: one that goes first closes connections that others still watch. */
  TX_THEN(status, tx_agree(comm, do_command(comm, request)));
  tx_compute_stop();
  tx_error_print(comm, status);
  if (status == TX_OK) {
    status = tx_agree(comm, flush_output(request->command));
    tx_error_print(comm, status);
  }
  tx_status ended = tx_base_finalize(comm);
  if (status == TX_OK) {
    status = ended;
    tx_error_print(comm, status);
  }
  MPI_Finalize();
  return status;
}

int main(int argc, char **argv) {
  tx_request request;
  const char *rank = tx_launcher_rank();
  bool prints = !rank || strcmp(rank, "0") == 0;
  tx_status status = tx_cli_parse(argc, argv, prints, &request);
  if (status == TX_OK && request.command) {
    status = tx_mpi_check_one();
    if (status != TX_OK && !prints) {
      sleep(AFTER_RANK_0_S);
      prints = true;
    }
    tx_error_print_here(status);
  }
  /* Where all ranks read the same, rank 0 alone complains and fails: the launcher would end it with the first rank that fails. */
  if (status != TX_OK && !prints) return TX_OK;
  if (status == TX_OK && !request.command) {
    status = flush_output(NULL); /* texts need no ranks, and so no MPI that might fail */
    tx_error_print_here(status);
  } else if (status == TX_OK) {
    status = start_mpi();
    TX_THEN(status, do_on_ranks(&request, prints));
  }
  return (int)status;
}
