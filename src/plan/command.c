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

enum {
  OUTPUT = 'o',
  SETTING = 's',
  Q = 256,
  CHI1,
  CHI2,
  ORBITS,
  SEPARATION,
  FREQUENCY,
  ACCURACY,
  BUDGET,
  LIST,
  TEMPLATE,
  OVERWRITE,
  SPEED,
  JSON
};

static const struct argp_option options[] = {
    TX_OPTION("q", Q, "Q", "mass ratio, hole 1 over hole 2, 1/32 to 32"),
    TX_OPTION(
        "chi1", CHI1, "S",
        "dimensionless spin of hole 1: one number, along z, or x y z; below 0.92 (default 0)"),
    TX_OPTION("chi2", CHI2, "S", "dimensionless spin of hole 2"),
    TX_OPTION("orbits", ORBITS, "N", "number of orbits until the merger"),
    TX_OPTION("separation", SEPARATION, "D",
              "in place of --orbits: coordinate separation at t = 0 [M]"),
    TX_OPTION("frequency", FREQUENCY, "W",
              "in place of --orbits: orbital angular frequency at t = 0 [1/M], half that of the "
              "(2,2) wave"),
    TX_OPTION("accuracy", ACCURACY, "A",
              "coarse, standard (default) or high; all: three files, FILE_coarse and so on"),
    TX_OPTION(
        "budget", BUDGET, "B",
        "machine and wall-clock time, e.g. \"2 cores, 1 day\", \"2 H200, 30 min\", \"64 cores, "
        "250 GB, 12 h\": chooses the best accuracy that fits, or says what would fit"),
    TX_OPTION("template", TEMPLATE, "NAME",
              "start from a template of --list; other options override it"),
    TX_OPTION("list", LIST, NULL, "list the templates"),
    TX_OPTION("output", OUTPUT, "FILE", "parameter file to write"),
    TX_OPTION("overwrite", OVERWRITE, NULL, "replace FILE if it exists"),
    TX_OPTION("set", SETTING, "KEY=VALUE",
              "fix a parameter; the rest of the plan follows from it; may be repeated"),
    TX_OPTION("speed", SPEED, "X",
              "speed of a core or GPU of --budget [point-stages/s], from its `tendex bench'"),
    TX_OPTION("json", JSON, "FILE", "also write the plan, its memory and cost as JSON"),
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

static error_t take_accuracy(struct argp_state *state, const char *arg, tx_new_options *out) {
  static const char *const words[] = {"coarse", "standard", "high", "all"};
  out->accuracy = arg;
  for (int i = 0; i < 4; i++)
    if (strcmp(arg, words[i]) == 0) return 0;
  return tx_option_refuse(state, "accuracy", arg, "coarse, standard, high or all");
}

/* Check that the options are complete and go together. */
static error_t check(const tx_new_options *w, struct argp_state *state) {
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

/* Take an option that has a text or none; true if it is one. */
static bool take_text(int key, const char *arg, tx_new_options *own) {
  const char **const text = key == BUDGET     ? &own->budget
                            : key == TEMPLATE ? &own->name
                            : key == OUTPUT   ? &own->output
                            : key == JSON     ? &own->json
                                              : NULL;
  if (text) *text = arg;
  if (key == LIST) own->list = true;
  if (key == OVERWRITE) own->overwrite = true;
  return text || key == LIST || key == OVERWRITE;
}

static error_t take(int key, char *arg, struct argp_state *state) {
  tx_new_options *own = ((tx_request *)state->input)->own;
  switch (key) {
  case ARGP_KEY_INIT:
    *own = (tx_new_options){.q = 0.0};
    return 0;
  case Q:
    return tx_option_positive(state, "q", arg, &own->q);
  case CHI1:
    own->has_chi[0] = true;
    return take_spin(state, "chi1", arg, own->chi[0]);
  case CHI2:
    own->has_chi[1] = true;
    return take_spin(state, "chi2", arg, own->chi[1]);
  case ORBITS:
    return tx_option_positive(state, "orbits", arg, &own->orbits);
  case SEPARATION:
    return tx_option_positive(state, "separation", arg, &own->separation);
  case FREQUENCY:
    return tx_option_positive(state, "frequency", arg, &own->frequency);
  case SPEED:
    return tx_option_positive(state, "speed", arg, &own->speed);
  case ACCURACY:
    return take_accuracy(state, arg, own);
  case ARGP_KEY_END:
    return check(own, state);
  default:
    return take_text(key, arg, own) ? 0 : ARGP_ERR_UNKNOWN;
  }
}

static tx_new_options asked;
const tx_command tx_command_new = {
    .name = "new",
    .arguments = "",
    .summary = "write a parameter file for a binary, from mass ratio and spins",
    .usage = "-o FILE",
    .help = help,
    .options = options,
    .own = &asked,
    .join = join,
    .take = take,
    .run = tx_new_main,
};
