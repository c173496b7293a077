/* The command `tendex check'. */
#include <errno.h>
#include "advice/check.h"
#include "evolve/data.h"

static const char help[] =
    "Check a parameter file and estimate its run, without running it: whether two holes are bound "
    "and when they merge, as far as that can be told; the first grid and, for any "
    "number of ranks, octants, halo exchange, memory and time, on grids that follow the holes. The "
    "speed of this machine is measured in two seconds, unless --speed or --machine gives one. "
    "Notes name what is probably not intended, and a remedy.\n\n"
    "Options:\vExamples:\n  tendex check par/head_on.yaml -n 8\n"
    "  tendex check par/bbh_q1.yaml --machine '2 H200'\n"
    "  tendex check par/bbh_q1.yaml -n 64 -t 8 --speed 2e6";

enum { RANKS = 'n', SPEED = 256, MACHINE, STRICT };

static const struct argp_option options[] = {
    TX_OPTION_SET,
    TX_OPTION("ranks", RANKS, "N",
              "number of ranks of the run; threads per rank: --threads, else 1"),
    TX_OPTION("speed", SPEED, "X",
              "speed of the machine of the run [point-stages/s per core or GPU], from its `tendex "
              "bench'; default: measured here"),
    TX_OPTION("machine", MACHINE, "M",
              "machine of the run in place of --ranks, e.g. \"2 H200\" or \"8 cores, 64 GB\": "
              "estimates the time of the whole run, and notes if memory is short"),
    TX_OPTION("strict", STRICT, NULL, "exit with code 3 if there is any note"),
    TX_OPTION_END};

static error_t check(const tx_check_options *own, struct argp_state *state) {
  if (!own->machine || own->ranks == 0) return tx_request_needs_file(state);
  argp_error(state, "--machine and --ranks both set the number of ranks; give one of them");
  return EINVAL;
}

static error_t take(int key, char *arg, struct argp_state *state) {
  tx_check_options *own = ((tx_request *)state->input)->own;
  switch (key) {
  case ARGP_KEY_INIT:
    *own = (tx_check_options){.ranks = 0};
    return 0;
  case RANKS:
    return tx_option_int(state, "ranks", arg, 1000000, &own->ranks);
  case SPEED:
    return tx_option_positive(state, "speed", arg, &own->speed);
  case MACHINE:
    own->machine = arg;
    return 0;
  case STRICT:
    own->strict = true;
    return 0;
  case ARGP_KEY_END:
    return check(own, state);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static tx_status run(MPI_Comm comm, const tx_request *request) {
  tx_params p;
  TX_TRY(tx_params_read(comm, request->path, request->n_set, request->set, &p));
  TX_TRY(tx_agree(comm, tx_data_check(&p)));
  return tx_check_main(comm, &p, request);
}

static tx_check_options asked;
const tx_command tx_command_check = {
    .name = "check",
    .arguments = "FILE",
    .summary = "check a parameter file: grid, memory, cost; no run",
    .usage = "FILE",
    .help = help,
    .options = options,
    .takes_file = true,
    .own = &asked,
    .take = take,
    .run = run,
};
