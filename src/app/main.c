/* The program: starts and ends MPI, reads the command line, and leaves with a status as its exit
 * code. */
#include <errno.h>
#include <mpi.h>
#include <omp.h>
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

/* Everything that was said on standard output has gone out. That of a run stands in log.txt too. Collective. */
static tx_status end_output(MPI_Comm comm, tx_command command) {
  tx_status status = TX_OK;
  if (command == TX_COMMAND_RUN) return TX_OK;
  errno = 0;
  if (fflush(stdout) != 0 || ferror(stdout))
    status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__,
                             "cannot write standard output: %s; the text shown is incomplete",
                             strerror(errno ? errno : EIO));
  status = tx_agree(comm, status);
  tx_error_print(comm, status);
  return status;
}

int main(int argc, char **argv) {
  MPI_Comm comm = MPI_COMM_WORLD;
  tx_cli cli;
  int provided = MPI_THREAD_SINGLE, rank = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return TX_ERR_LIBRARY;
  tx_status status = tx_base_init(comm);
  if (status == TX_OK && MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) status = TX_ERR_LIBRARY;
  TX_THEN(status, tx_cli_parse(argc, argv, rank == 0, &cli));
  if (status == TX_OK && cli.command != TX_COMMAND_NONE) {
    status = do_command(comm, &cli);
    tx_compute_stop();
    tx_error_print(comm, status);
  }
  TX_THEN(status, end_output(comm, cli.command));
  tx_status ended = tx_base_finalize(comm);
  if (status == TX_OK) {
    status = ended;
    tx_error_print(comm, status);
  }
  MPI_Finalize();
  return status;
}
