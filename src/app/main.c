/* The program: reads the command line, starts and ends MPI, and leaves with a status as its exit
 * code. */
#include <errno.h>
#include <mpi.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app/cli.h"
#include "app/commands.h"
#include "app/run.h"
#include "app/tuning.h"
#include "base/base.h"
#include "base/log.h"
#include "base/signals.h"
#include "evolve/data.h"
#include "evolve/sim.h"
#include "files/h5.h"
#include "machine/compute.h"
#include "output/output.h"
#include "params/params.h"

/* Threads as asked for, or the cores shared out among the ranks of this host. */
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

static tx_status do_command(MPI_Comm comm, const tx_cli *cli) {
  tx_params p;
  tx_log_quiet(cli->quiet);
  TX_TRY(tx_agree(comm, set_threads(comm, cli->threads)));
  TX_TRY(tx_agree(comm, tx_h5_start()));
  if (cli->command == TX_COMMAND_RUN) TX_TRY(tx_agree(comm, tx_signals_ignore_pipes()));
  if (cli->command == TX_COMMAND_BENCH) return tx_bench_main(comm, cli);
  if (cli->command == TX_COMMAND_TUNE) return tx_tune_main(comm, cli);
  if (cli->command == TX_COMMAND_NEW) return tx_new_main(comm, cli);
  if (cli->restart) return tx_run_restart_main(comm, cli->restart, cli->n_set, cli->set);
  TX_TRY(tx_params_read(comm, cli->par_path, cli->n_set, cli->set, &p));
  TX_TRY(tx_agree(comm, tx_data_check(&p)));
  if (cli->overwrite) p.run_overwrite = true;
  if (cli->command == TX_COMMAND_CHECK) return tx_check_main(comm, &p, cli);
  if (cli->command == TX_COMMAND_ID) return tx_id_main(comm, &p, cli);
  TX_TRY(tx_agree(comm, tx_output_names(&p, cli->par_path)));
  TX_TRY(tx_compute_start(comm, &p));
  TX_TRY(tx_tuning_apply(comm));
  TX_TRY(tx_sim_check_room(comm, &p)); /* before there is a run folder */
  return tx_run_main(comm, &p, cli->par_shown);
}

/* Everything that was said on standard output has gone out. That of a run stands in log.txt too. */
static tx_status flush_output(tx_command command) {
  if (command == TX_COMMAND_RUN) return TX_OK;
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return TX_OK;
  return tx_error_record(TX_ERR_IO, __FILE__, __LINE__,
                         "cannot write standard output: %s; the text shown is incomplete",
                         strerror(errno ? errno : EIO));
}

/* Whether this is rank 0, as far as a launcher says so before MPI is there. */
static bool is_first(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *rank = getenv(names[i]);
    if (rank) return strtol(rank, NULL, 10) == 0;
  }
  return true;
}

/* Without a launcher Open MPI 4.1 starts a daemon, orted, and MPI_Init gives its own thread an event to handle by a
 * function of the plugin pmix_ext3x. MPI_Finalize unloads the plugin before it ends the thread, and does not wait for
 * the event: on a busy machine the thread may come to it later and dies of SIGSEGV
 * (https://github.com/open-mpi/ompi/issues/10117). The daemon is for MPI_Comm_spawn alone, which is not used here.
 * Without it neither plugin nor event are there. */
static bool start_mpi(void) {
  int provided = MPI_THREAD_SINGLE;
  return setenv("OMPI_MCA_ess_singleton_isolated", "1", 0) == 0 &&
         MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS;
}

int main(int argc, char **argv) {
  MPI_Comm comm = MPI_COMM_WORLD;
  tx_cli cli;
  /* Texts and wrong command lines need no ranks, and so no MPI that might fail. */
  tx_status status = tx_cli_parse(argc, argv, is_first(), &cli);
  if (status != TX_OK) return status;
  if (cli.command == TX_COMMAND_NONE) {
    status = flush_output(cli.command);
    tx_error_print_here(status);
    return status;
  }
  if (!start_mpi()) return TX_ERR_LIBRARY;
  status = tx_base_init(comm);
  if (status == TX_OK) {
    status = do_command(comm, &cli);
    tx_compute_stop();
    tx_error_print(comm, status);
  }
  if (status == TX_OK) {
    status = tx_agree(comm, flush_output(cli.command));
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
