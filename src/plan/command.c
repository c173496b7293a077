/* The command `tendex new'. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "plan/new.h"

static const char help[] =
    "Write a complete parameter file for a quasi-circular black-hole binary. Momenta, grid, "
    "extraction spheres, end time and all intervals follow from the mass ratio, the spins, and one "
    "of --orbits, --separation and --frequency. The head of the file says what to expect and what "
    "the run costs, as `tendex check' estimates it.\n\n"
    "The accuracies coarse, standard and high form a convergence series: same levels, radii and "
    "times, spacings 1 : 2/3 : 4/9. Each costs five times as much as the one before. --budget "
    "without --accuracy chooses the best accuracy that fits.\n\n"
    "Spins are dimensionless, S/m^2. z is the direction of the orbital angular momentum, x the "
    "direction from hole 2 to hole 1, both at t = 0. Merger times are predicted within 1.5% of "
    "the finest recorded evolutions (mass ratios 1 to 4, 3 to 10 orbits), of two that precess "
    "within 5%.\n\n"
    "Options:\vExamples:\n"
    "  tendex new --q 3 --chi1 0 0 0.4 --chi2 0.2 0 0 --orbits 8 -o q3.yaml\n"
    "  tendex new --q 2 --chi1 0.4 --orbits 6 --budget '2 cores, 2 days' -o q2.yaml\n"
    "  tendex new --q 1 --separation 10 --accuracy all -o q1.yaml\n"
    "  tendex new --list\n"
    "  tendex new --template precession --budget '1 H200, 1 h' -o p.yaml";

static tx_new_options asked;

static error_t take_spin(struct argp_state *state, const char *option, const char *arg,
                         double chi[3]) {
  int used = 0;
  memset(chi, 0, 3 * sizeof *chi);
  if (tx_option_number(arg, &chi[2])) return 0;
  if (sscanf(arg, "%lf%*1[, ]%lf%*1[, ]%lf%n", &chi[0], &chi[1], &chi[2], &used) == 3 &&
      arg[used] == '\0' && isfinite(chi[0]) && isfinite(chi[1]) && isfinite(chi[2]))
    return 0;
  return tx_option_refuse(state, option, arg, "one number, the spin along z, or three, its x y z");
}

static error_t take_chi1(struct argp_state *state, const char *arg) {
  asked.has_chi[0] = true;
  return take_spin(state, "chi1", arg, asked.chi[0]);
}

static error_t take_chi2(struct argp_state *state, const char *arg) {
  asked.has_chi[1] = true;
  return take_spin(state, "chi2", arg, asked.chi[1]);
}

static error_t take_accuracy(struct argp_state *state, const char *arg) {
  static const char *const words[] = {"coarse", "standard", "high", "all"};
  asked.accuracy = arg;
  for (int i = 0; i < 4; i++)
    if (strcmp(arg, words[i]) == 0) return 0;
  return tx_option_refuse(state, "accuracy", arg, "coarse, standard, high or all");
}

static const tx_option options[] = {
    TX_OPTION("q", 0, "Q", "mass ratio, hole 1 over hole 2, 1/32 to 32", POSITIVE, &asked.q, 0),
    TX_OPTION_BY(
        "chi1", "S",
        "dimensionless spin of hole 1: one number, along z, or x y z; below 0.92 (default 0)",
        take_chi1),
    TX_OPTION_BY("chi2", "S", "dimensionless spin of hole 2", take_chi2),
    TX_OPTION("orbits", 0, "N", "number of orbits until the merger", POSITIVE, &asked.orbits, 0),
    TX_OPTION("separation", 0, "D", "in place of --orbits: coordinate separation at t = 0 [M]",
              POSITIVE, &asked.separation, 0),
    TX_OPTION("frequency", 0, "W",
              "in place of --orbits: orbital angular frequency at t = 0 [1/M], half that of the "
              "(2,2) wave",
              POSITIVE, &asked.frequency, 0),
    TX_OPTION_BY("accuracy", "A",
                 "coarse, standard (default) or high; all: three files, FILE_coarse and so on",
                 take_accuracy),
    TX_OPTION(
        "budget", 0, "B",
        "machine and wall-clock time, e.g. \"2 cores, 1 day\", \"2 H200, 30 min\", \"64 cores, "
        "250 GB, 12 h\": chooses the best accuracy that fits, or says what would fit",
        TEXT, &asked.budget, 0),
    TX_OPTION("template", 0, "NAME", "start from a template of --list; other options override it",
              TEXT, &asked.name, 0),
    TX_OPTION("list", 0, NULL, "list the templates", FLAG, &asked.list, 0),
    TX_OPTION("output", 'o', "FILE", "parameter file to write", TEXT, &asked.output, 0),
    TX_OPTION("overwrite", 0, NULL, "replace FILE if it exists", FLAG, &asked.overwrite, 0),
    TX_OPTION("set", 's', "KEY=VALUE",
              "fix a parameter; the rest of the plan follows from it; may be repeated", SETTING,
              NULL, 0),
    TX_OPTION("speed", 0, "X",
              "speed of a core or GPU of --budget [point-stages/s], from its `tendex bench'",
              POSITIVE, &asked.speed, 0),
    TX_OPTION("json", 0, "FILE", "also write the plan, its memory and cost as JSON", TEXT,
              &asked.json, 0),
    TX_OPTION_END};

/* Joined words, which last as long as the program. */
enum { JOINED = 160, SPINS = 8 };
static char joined[SPINS][JOINED];

/* Make one word of "--chi1 0 0 0.4", and of "--chi1 -0.4", which argp would take for an option. */
static void join(int *argc, char **argv) {
  int to = 1, spins = 0;
  double x = 0.0;
  for (int from = 1; from < *argc; from++) {
    char *word = argv[from];
    const bool chi = strcmp(word, "--chi1") == 0 || strcmp(word, "--chi2") == 0;
    int n = 0;
    while (chi && n < 3 && from + n + 1 < *argc && tx_option_number(argv[from + n + 1], &x)) n++;
    if (n > 0 && spins < SPINS) {
      char *all = joined[spins++];
      snprintf(all, JOINED, "%s=%.40s%s%.40s%s%.40s", word, argv[from + 1], n > 1 ? "," : "",
               n > 1 ? argv[from + 2] : "", n > 2 ? "," : "", n > 2 ? argv[from + 3] : "");
      word = all;
      from += n;
    }
    argv[to++] = word;
  }
  argv[to] = NULL;
  *argc = to;
}

/* Check that the options are complete and go together. */
static error_t check(struct argp_state *state) {
  const tx_new_options *w = &asked;
  const int orbits = (w->orbits > 0.0) + (w->separation > 0.0) + (w->frequency > 0.0);
  if (w->list) return 0;
  if (!w->name && w->q == 0.0)
    argp_error(state, "the mass ratio is missing: give --q, or --template with one of --list");
  else if (orbits > 1)
    argp_error(
        state,
        "--orbits, --separation and --frequency each set the start of the orbit; give one of them");
  else if (!w->name && orbits == 0)
    argp_error(state,
               "the start of the orbit is missing: give --orbits, --separation or --frequency");
  else if (!w->output)
    argp_error(state, "the output file is missing: give -o FILE");
  else
    return 0;
  return EINVAL;
}

const tx_command tx_command_new = {
    .name = "new",
    .arguments = "",
    .summary = "write a parameter file for a binary, from mass ratio and spins",
    .usage = "-o FILE",
    .help = help,
    .options = options,
    .own = &asked,
    .own_size = sizeof asked,
    .join = join,
    .check = check,
    .run = tx_new_main,
};
