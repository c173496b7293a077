#include "run/command.h"

#include <errno.h>
#include "run/run.h"
#include "base/line.h"
#include "base/signals.h"
#include "evolve/data.h"
#include "files/file.h"
#include "machine/compute.h"
#include "machine/tuning.h"
#include "evolve/demands.h"

static const char help[] =
    "Evolve the initial data of a parameter file, or restart a run from its newest checkpoint. "
    "Under mpirun all ranks take part.\n\n"
    "Options:\vThe run folder is out/NAME, with the name of the parameter file, or run.folder:\n"
    "  log.txt         progress, and at the end the time spent in each phase\n"
    "  run.yaml        all parameters as used; `tendex run' accepts it\n"
    "  summary.json    results, speed, memory\n"
    "  waves/          modes of Psi4: mp_psi4.h5; with waves.text also as text\n"
    "  worldtubes/     metric on spheres for characteristic extraction\n"
    "  energy.asc      radiated energy, linear and angular momentum\n"
    "  puncturetracker-pt_loc..asc   positions of the punctures\n"
    "  constraints.asc, hamiltonian.norm2.asc, ...   norms of the constraints\n"
    "  modes/          modes on spheres that output.modes names\n"
    "  norms.asc                                    norms that output.norms names\n"
    "  grid.asc        octants of the grid\n"
    "  fields/         slices.xmf and fields.xmf, for ParaView\n"
    "  checkpoints/    the newest checkpoints\n\n"
    "Columns of the log: step, time [M], speed [M per hour], wall-clock time left, points "
    "[millions], L2 norm of the Hamiltonian constraint, octants on each level, positions of the "
    "punctures [M].\n\n"
    "The last step is shortened so that the run ends at run.t_end.\n\n"
    "With --restart a run continues from its newest intact checkpoint, on any number of ranks. "
    "All series continue without a missing or repeated row, and the fields agree to the last bit "
    "with those of an uninterrupted run. Without a checkpoint the run starts again from t = 0; a "
    "complete run is left as it is. So every job of a chain but the first can say --restart. "
    "Parameters come from FOLDER/run.yaml; --help-params says which of them --set may change.\n\n"
    "Set run.walltime to the time limit of the queue [hours]: the run then writes a checkpoint and "
    "ends before it. On SIGTERM, SIGINT, SIGHUP, SIGUSR1 or SIGUSR2 to any of its processes it "
    "finishes the time step, or the macro step of evolution.time_steps levels, writes a checkpoint "
    "and exits with code 0. A second signal ends it at once. Send SIGUSR1 to mpirun, which passes "
    "it on; after SIGTERM, SIGINT or SIGHUP mpirun gives its processes only a second.\n\n"
    "Examples:\n"
    "  mpirun -n 2 tendex run par/head_on.yaml\n"
    "  tendex run par/head_on.yaml --set run.folder=/scratch/head_on --overwrite\n"
    "  mpirun -n 4 tendex run --restart out/head_on\n"
    "  tendex run --restart out/head_on --set run.t_end=200";

/* Options of `tendex run' beside those of all commands; views of argv. */
static struct {
  bool overwrite;
  const char *restart; /* folder of the run; NULL: none */
} asked;

static const tx_option options[] = {
    TX_OPTION_SET,
    TX_OPTION("overwrite", 0, NULL,
              "replace the run that is in the run folder; other files there stay", FLAG,
              &asked.overwrite, 0),
    TX_OPTION("restart", 0, "FOLDER",
              "restart the run in this folder from its newest intact checkpoint, on any number of "
              "ranks; takes the place of FILE",
              TEXT, &asked.restart, 0),
    TX_OPTION_END};

static error_t check(struct argp_state *state) {
  const tx_request *request = state->input;
  char folder[300];
  if (!asked.restart) return tx_request_needs_file(state);
  tx_line_show(asked.restart, folder, sizeof folder);
  if (request->path)
    argp_error(state,
               "--restart %s takes its parameters from %s/run.yaml: leave out %s; change "
               "parameters with --set",
               folder, folder, request->shown);
  else if (asked.overwrite)
    argp_error(state, "--restart continues a run, --overwrite starts it again; give one of them");
  else
    return 0;
  return EINVAL;
}

static tx_status run(MPI_Comm comm, const tx_request *request) {
  tx_params p;
  tx_file_placed_by("run.folder");
  TX_TRY(tx_agree(comm, tx_signals_ignore_pipes()));
  if (asked.restart) return tx_run_restart_main(comm, asked.restart, request->n_set, request->set);
  TX_TRY(tx_params_read(comm, request->path, request->n_set, request->set, tx_evolve_demands, &p));
  TX_TRY(tx_agree(comm, tx_data_check(&p)));
  if (asked.overwrite) p.run_overwrite = true;
  TX_TRY(tx_agree(comm, tx_output_names(&p, request->path)));
  TX_TRY(tx_compute_start(comm, &p));
  TX_TRY(tx_tuning_apply(comm));
  TX_TRY(tx_sim_check_memory(comm, &p)); /* before there is a run folder */
  return tx_run_main(comm, &p, request->shown);
}

const tx_command tx_command_run = {
    .name = "run",
    .arguments = "FILE",
    .summary = "evolve the initial data of a parameter file",
    .usage = "FILE\n--restart FOLDER",
    .help = help,
    .options = options,
    .takes_file = true,
    .has_log = true,
    .own = &asked,
    .own_size = sizeof asked,
    .check = check,
    .run = run,
};
