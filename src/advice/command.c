/* The command `tendex check'. */
#include <errno.h>
#include "advice/check.h"
#include "evolve/data.h"
#include "evolve/demands.h"

static const char help[] =
    "Check a parameter file and estimate its run, without running it: whether two holes are bound "
    "and when they merge, as far as that can be told; the first grid and, for any "
    "number of ranks, octants, halo exchange, memory and time, on grids that follow the holes. The "
    "speed of this machine is measured in two seconds, unless --speed or --machine gives one. "
    "Notes name what is probably not intended, and a remedy.\n\n"
    "Options:\vExamples:\n  tendex check par/head_on.yaml -n 8\n"
    "  tendex check par/bbh_q1.yaml --machine '2 H200'\n"
    "  tendex check par/bbh_q1.yaml -n 64 -t 8 --speed 2e6";

static tx_check_options asked;

static const tx_option options[] = {
    TX_OPTION_SET,
    TX_OPTION("ranks", 'n', "N", "number of ranks of the run; threads per rank: --threads, else 1",
              INT, &asked.ranks, 1000000),
    TX_OPTION("speed", 0, "X",
              "speed of the machine of the run [point-stages/s per core or GPU], from its `tendex "
              "bench'; default: measured here",
              POSITIVE, &asked.speed, 0),
    TX_OPTION("machine", 0, "M",
              "machine of the run in place of --ranks, e.g. \"2 H200\" or \"8 cores, 64 GB\": "
              "estimates the time of the whole run, and notes if memory is short",
              TEXT, &asked.machine, 0),
    TX_OPTION("strict", 0, NULL, "exit with code 3 if there is any note", FLAG, &asked.strict, 0),
    TX_OPTION_END};

static error_t check(struct argp_state *state) {
  if (!asked.machine || asked.ranks == 0) return tx_request_needs_file(state);
  argp_error(state, "--machine and --ranks both set the number of ranks; give one of them");
  return EINVAL;
}

static tx_status run(MPI_Comm comm, const tx_request *request) {
  tx_params p;
  TX_TRY(tx_params_read(comm, request->path, request->n_set, request->set, tx_evolve_demands, &p));
  TX_TRY(tx_agree(comm, tx_data_check(&p)));
  return tx_check_main(comm, &p, request);
}

const tx_command tx_command_check = {
    .name = "check",
    .arguments = "FILE",
    .summary = "check a parameter file: grid, memory, cost; no run",
    .usage = "FILE",
    .help = help,
    .options = options,
    .takes_file = true,
    .own = &asked,
    .own_size = sizeof asked,
    .check = check,
    .run = run,
};
