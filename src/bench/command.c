/* The commands `tendex bench' and `tendex tune'. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bench/bench.h"
#include "base/grid.h"
#include "base/line.h"

/* Largest numbers of options, and default of --steps. */
#define LEVELS_MOST 12
#define POINTS_MOST 1000000000000L
#define STEPS_MOST  1000000
#define STEPS       5

static tx_bench_options asked;

/* Make a setting of the option of a parameter; the last one counts. */
static error_t take_setting(struct argp_state *state, const char *key, const char *arg,
                            char word[TX_BENCH_WORD]) {
  const bool first = word[0] == '\0';
  if (snprintf(word, TX_BENCH_WORD, "%s=%s", key, arg) < TX_BENCH_WORD)
    return first ? tx_request_set(state, word) : 0;
  char shown[300];
  tx_line_show(arg, shown, sizeof shown);
  argp_error(state, "%s: '%.40s' is not allowed", key, shown);
  return EINVAL;
}

static error_t take_device(struct argp_state *state, const char *arg) {
  return take_setting(state, "compute.device", arg, asked.device);
}

static error_t take_transport(struct argp_state *state, const char *arg) {
  return take_setting(state, "compute.transport", arg, asked.transport);
}

static error_t take_octants(struct argp_state *state, const char *arg) {
  const error_t bad = tx_option_long(state, "octants", arg, 1000000000L, &asked.points);
  if (!bad) asked.points *= TX_N * TX_N * TX_N;
  return bad;
}

/* Set the default of --steps; check what goes with a parameter file, and what without. */
static error_t check(struct argp_state *state) {
  const tx_request *request = state->input;
  const int words = (asked.device[0] != '\0') + (asked.transport[0] != '\0');
  if (asked.steps == 0) asked.steps = STEPS;
  if (!request->path && request->n_set > words)
    argp_error(state, "--set changes parameters of FILE, and FILE is missing");
  else if (request->path && asked.levels > 0)
    argp_error(state, "--levels sets the bench's own grid, not that of %s; leave one of them out",
               request->shown);
  else
    return 0;
  return EINVAL;
}

static const char bench_help[] =
    "Measure the speed [point-stages/s] of ghost zones, octant-to-patch (on the CPU), right-hand "
    "side, update and whole time steps, against a triad (a = b + s c) and fused multiply-adds "
    "measured in the same run. Every owned point counts once per stage.\n\n"
    "The grid is refined around two punctures and takes one time step for all levels. With FILE it "
    "is the first grid of that file, with Brill-Lindquist data of its punctures. If the levels of "
    "FILE take time steps of their own, only whole macro steps are measured: add "
    "--set evolution.time_steps=global for the parts.\n\n"
    "--profile adds a table. On a GPU it has a row for each kernel of rank 0: registers and spills "
    "per thread, shared memory per block, blocks per multiprocessor. On the CPU it has a row for "
    "each kind of operation. Both list the share of the steps, nanoseconds per point and stage, "
    "and counted operations and least memory traffic against the same peaks. Kernels run one after "
    "the other meanwhile; norms and Psi4 come last. dev/profile.py draws the roofline, with "
    "counters of NVIDIA's ncu.\n\n"
    "Options:\vExamples:\n  tendex bench --json bench.json\n"
    "  mpirun -n 2 tendex bench --levels 6 --points 1000000\n"
    "  tendex bench par/bbh_q1.yaml --device gpu --points 8000000\n"
    "  tendex bench par/bbh_q1.yaml --device gpu --set evolution.time_steps=global\n"
    "  tendex bench par/bbh_q1.yaml --device gpu --profile";
static const tx_option bench_options[] = {
    TX_OPTION_BY("device", "D", "compute.device: cpu, gpu or auto", take_device),
    TX_OPTION_BY("transport", "T", "compute.transport, the transport between GPUs", take_transport),
    TX_OPTION("levels", 0, "N", "refinement levels of the grid, 1 to 12 (default 5); not with FILE",
              INT, &asked.levels, LEVELS_MOST),
    TX_OPTION(
        "points", 0, "N",
        "approximate number of points (default 400000, on a GPU 5000000; with FILE that of its "
        "grid)",
        LONG, &asked.points, POINTS_MOST),
    TX_OPTION_BY("octants", "N", "approximate number of octants, in place of --points",
                 take_octants),
    TX_OPTION("steps", 0, "N", "number of time steps measured; the fastest counts (default 5)", INT,
              &asked.steps, STEPS_MOST),
    TX_OPTION("profile", 0, NULL,
              "also measure each kernel of a GPU, or on the CPU each kind of operation", FLAG,
              &asked.profile, 0),
    TX_OPTION("json", 0, "FILE", "also write the results as JSON", TEXT, &asked.json, 0),
    TX_OPTION_SET,
    TX_OPTION_END};

static const char tune_help[] =
    "Find the faster launch plan of the stage kernel, `keep' or `read', on this GPU, for each "
    "system of equations and each finite-difference scheme of this program. Systems without black "
    "holes start from their first profile; those without profiles are left out. All other kernels "
    "have one form, and tiles one shape. The plans are written to the file that the "
    "environment variable TENDEX_TUNING names, or to one in $XDG_CACHE_HOME/tendex "
    "(~/.cache/tendex) for this GPU and build. Later runs use it; without it, the shared memory of "
    "the GPU decides. All plans give the same bits. The log of a run names its plan and the "
    "reason.\n\n"
    "Options:\vExamples:\n  tendex tune\n"
    "  TENDEX_TUNING=/opt/tendex/h200 tendex tune     shared by users who set it";
static const tx_option tune_options[] = {
    TX_OPTION("levels", 0, "N", "refinement levels of the grid, 1 to 12 (default 5)", INT,
              &asked.levels, LEVELS_MOST),
    TX_OPTION("points", 0, "N", "approximate number of points (default 2000000)", LONG,
              &asked.points, POINTS_MOST),
    TX_OPTION("steps", 0, "N", "measurements of each plan; the fastest counts (default 5)", INT,
              &asked.steps, STEPS_MOST),
    TX_OPTION_END};

const tx_command tx_command_bench = {
    .name = "bench",
    .arguments = "",
    .summary = "measure the speed of this machine, kernel by kernel",
    .usage = "[FILE]",
    .help = bench_help,
    .options = bench_options,
    .takes_file = true,
    .own = &asked,
    .own_size = sizeof asked,
    .check = check,
    .run = tx_bench_main,
};
const tx_command tx_command_tune = {
    .name = "tune",
    .arguments = "",
    .summary = "find the fastest launch plan of the stage kernel on this GPU",
    .usage = "",
    .help = tune_help,
    .options = tune_options,
    .own = &asked,
    .own_size = sizeof asked,
    .check = check,
    .run = tx_tune_main,
};
