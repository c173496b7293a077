/* The commands `tendex bench' and `tendex tune'. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bench/bench.h"
#include "base/grid.h"
#include "base/line.h"

enum { LEVELS = 256, POINTS, OCTANTS, STEPS, DEVICE, PIPELINE, TRANSPORT, PROFILE, JSON };

static const char bench_help[] =
    "Measure the speed [point-stages/s] of ghost zones, octant-to-patch, right-hand side, update "
    "and whole time steps, against a triad (a = b + s c) and fused multiply-adds measured in the "
    "same run; on a GPU with both pipelines. Every owned point counts once per stage.\n\n"
    "The grid is refined around two punctures and takes one time step for all levels. With FILE it "
    "is the first grid of that file, with Brill-Lindquist data of its punctures. If the levels of "
    "FILE take time steps of their own, only whole macro steps are measured, on a GPU with the "
    "pipeline gather: add --set evolution.time_steps=global for the parts.\n\n"
    "--profile adds a table. On a GPU it has a row for each kernel of rank 0: registers and spills "
    "per thread, shared memory per block, blocks per multiprocessor. On the CPU it has a row for "
    "each kind of operation. Both list the share of the steps, nanoseconds per point and stage, "
    "and counted operations and least memory traffic against the same peaks. Kernels run one after "
    "the other meanwhile; norms and Psi4 come last. tools/profile.py draws the roofline, with "
    "counters of NVIDIA's ncu.\n\n"
    "Options:\vExamples:\n  tendex bench --json bench.json\n"
    "  mpirun -n 2 tendex bench --levels 6 --points 1000000\n"
    "  tendex bench par/bbh_q1.yaml --device gpu --points 8000000\n"
    "  tendex bench par/bbh_q1.yaml --device gpu --set evolution.time_steps=global\n"
    "  tendex bench par/bbh_q1.yaml --device gpu --pipeline gather --profile";
static const struct argp_option bench_options[] = {
    TX_OPTION("device", DEVICE, "D", "compute.device: cpu, gpu or auto"),
    TX_OPTION(
        "pipeline", PIPELINE, "P",
        "measure only this pipeline: gather (ghosts are read where they lie, as in every run) or "
        "patch (an array of patches)"),
    TX_OPTION("transport", TRANSPORT, "T", "compute.transport, the transport between GPUs"),
    TX_OPTION("levels", LEVELS, "N",
              "refinement levels of the grid, 1 to 12 (default 5); not with FILE"),
    TX_OPTION(
        "points", POINTS, "N",
        "approximate number of points (default 400000, on a GPU 5000000; with FILE that of its "
        "grid)"),
    TX_OPTION("octants", OCTANTS, "N", "approximate number of octants, in place of --points"),
    TX_OPTION("steps", STEPS, "N", "number of time steps measured; the fastest counts (default 5)"),
    TX_OPTION("profile", PROFILE, NULL,
              "also measure each kernel of a GPU, or on the CPU each kind of operation"),
    TX_OPTION("json", JSON, "FILE", "also write the results as JSON"),
    TX_OPTION_SET,
    TX_OPTION_END};

static const char tune_help[] =
    "Find the fastest launch plan of the stage kernel on this GPU, for each system of equations "
    "and each finite-difference scheme of this program. The plans are written to the file that the "
    "environment variable TENDEX_TUNING names, or to one in $XDG_CACHE_HOME/tendex "
    "(~/.cache/tendex) for this GPU and build. Later runs use it; without it, the shared memory of "
    "the GPU decides. All plans give the same bits. The log of a run names its plan and the "
    "reason.\n\n"
    "Options:\vExamples:\n  tendex tune\n"
    "  TENDEX_TUNING=/opt/tendex/h200 tendex tune     shared by users who set it";
static const struct argp_option tune_options[] = {
    TX_OPTION("levels", LEVELS, "N", "refinement levels of the grid, 1 to 12 (default 5)"),
    TX_OPTION("points", POINTS, "N", "approximate number of points (default 2000000)"),
    TX_OPTION("steps", STEPS, "N", "measurements of each plan; the fastest counts (default 5)"),
    TX_OPTION_END};

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

static error_t take_octants(struct argp_state *state, const char *arg, long *points) {
  long octants = 0;
  const error_t bad = tx_option_long(state, "octants", arg, 1000000000L, &octants);
  if (!bad) *points = octants * TX_N * TX_N * TX_N;
  return bad;
}

static error_t take_pipeline(struct argp_state *state, const char *arg, const char **pipeline) {
  *pipeline = arg;
  if (strcmp(arg, "gather") == 0 || strcmp(arg, "patch") == 0) return 0;
  return tx_option_refuse(state, "pipeline", arg, "gather or patch");
}

/* Check what goes with a parameter file, and what without. */
static error_t check(const tx_bench_options *own, struct argp_state *state) {
  const tx_request *request = state->input;
  const int words = (own->device[0] != '\0') + (own->transport[0] != '\0');
  if (!request->path && request->n_set > words)
    argp_error(state, "--set changes parameters of FILE, and FILE is missing");
  else if (request->path && own->levels > 0)
    argp_error(state, "--levels sets the bench's own grid, not that of %s; leave one of them out",
               request->shown);
  else
    return 0;
  return EINVAL;
}

/* Take an option of bench; tune has some of them. */
static error_t take(int key, char *arg, struct argp_state *state) {
  tx_bench_options *own = ((tx_request *)state->input)->own;
  switch (key) {
  case ARGP_KEY_INIT:
    *own = (tx_bench_options){.steps = 5};
    return 0;
  case LEVELS:
    return tx_option_int(state, "levels", arg, 12, &own->levels);
  case POINTS:
    return tx_option_long(state, "points", arg, 1000000000000L, &own->points);
  case OCTANTS:
    return take_octants(state, arg, &own->points);
  case STEPS:
    return tx_option_int(state, "steps", arg, 1000000, &own->steps);
  case DEVICE:
    return take_setting(state, "compute.device", arg, own->device);
  case TRANSPORT:
    return take_setting(state, "compute.transport", arg, own->transport);
  case PIPELINE:
    return take_pipeline(state, arg, &own->pipeline);
  case PROFILE:
    own->profile = true;
    return 0;
  case JSON:
    own->json = arg;
    return 0;
  case ARGP_KEY_END:
    return check(own, state);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static tx_bench_options asked;
const tx_command tx_command_bench = {
    .name = "bench",
    .arguments = "",
    .summary = "measure the speed of this machine, kernel by kernel",
    .usage = "[FILE]",
    .help = bench_help,
    .options = bench_options,
    .takes_file = true,
    .own = &asked,
    .take = take,
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
    .take = take,
    .run = tx_tune_main,
};
