#include "cli/cli.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_help.h"
#include "cli/cli_new.h"
#include "base/line.h"
#include "base/version.h"
#include "params/params.h"

enum key {
  KEY_HELP = 'h',
  KEY_VERSION = 'V',
  KEY_SET = 's',
  KEY_QUIET = 'q',
  KEY_THREADS = 't',
  KEY_RANKS = 'n',
  KEY_HELP_PARAMS = 256,
  KEY_OVERWRITE,
  KEY_RESTART,
  KEY_LEVELS,
  KEY_POINTS,
  KEY_OCTANTS,
  KEY_STEPS,
  KEY_JSON,
  KEY_BBH,
  KEY_PROBE,
  KEY_SPEED,
  KEY_DEVICE,
  KEY_PIPELINE,
  KEY_PROFILE,
  KEY_TRANSPORT,
  KEY_STRICT,
  KEY_MACHINE,
};

#define OPTION(name, key, argument, text)                                                          \
  { name, key, argument, 0, text, 0 }
#define END                                                                                        \
  { NULL, 0, NULL, 0, NULL, 0 }
#define COMMON                                                                                     \
  OPTION("threads", KEY_THREADS, "N", "OpenMP threads per rank (or set OMP_NUM_THREADS)"),         \
      OPTION("quiet", KEY_QUIET, NULL, "print nothing; a run still writes log.txt"),               \
      OPTION("help", KEY_HELP, NULL, "show this text"), {                                          \
    "usage", KEY_HELP, NULL, OPTION_HIDDEN, NULL, 0                                                \
  }
#define PARAMETERS                                                                                 \
  OPTION("set", KEY_SET, "KEY=VALUE", "set a parameter over the file's value; may be repeated")

static const struct argp_option top_options[] = {
    {"help-params", KEY_HELP_PARAMS, "FORMAT", OPTION_ARG_OPTIONAL,
     "describe all parameters, or those whose key contains the word after the option; FORMAT: "
     "text (default) or json",
     0},
    OPTION("version", KEY_VERSION, NULL, "show version and build"),
    OPTION("help", KEY_HELP, NULL, "show this text"),
    {"usage", KEY_HELP, NULL, OPTION_HIDDEN, NULL, 0},
    END};
static const struct argp_option run_options[] = {
    PARAMETERS,
    OPTION("overwrite", KEY_OVERWRITE, NULL,
           "replace the run that is in the run folder; other files there stay"),
    OPTION("restart", KEY_RESTART, "FOLDER",
           "restart the run in this folder from its newest intact checkpoint, on any number of "
           "ranks; takes the place of FILE"),
    COMMON, END};
static const struct argp_option check_options[] = {
    PARAMETERS,
    OPTION("ranks", KEY_RANKS, "N",
           "number of ranks of the run; threads per rank: --threads, else 1"),
    OPTION("speed", KEY_SPEED, "X",
           "speed of the machine of the run [point-stages/s per core or GPU], from its `tendex "
           "bench'; default: measured here"),
    OPTION(
        "machine", KEY_MACHINE, "M",
        "machine of the run in place of --ranks, e.g. \"2 H200\" or \"8 cores, 64 GB\": estimates "
        "the time of the whole run, and notes if memory is short"),
    OPTION("strict", KEY_STRICT, NULL, "exit with code 3 if there is any note"),
    COMMON,
    END};
static const struct argp_option id_options[] = {
    PARAMETERS,
    OPTION("bbh", KEY_BBH, "FILE",
           "write masses, momenta and spins as TwoPunctures.bbh, for kuibit"),
    OPTION("json", KEY_JSON, "FILE", "also write the results as JSON"),
    OPTION("probe", KEY_PROBE, "X,Y,Z",
           "print the correction u of the conformal factor at this point [M]; may be repeated"),
    COMMON,
    END};
static const struct argp_option bench_options[] = {
    OPTION("device", KEY_DEVICE, "D", "compute.device: cpu, gpu or auto"),
    OPTION(
        "pipeline", KEY_PIPELINE, "P",
        "measure only this pipeline: gather (ghosts are read where they lie, as in every run) or "
        "patch (an array of patches)"),
    OPTION("transport", KEY_TRANSPORT, "T", "compute.transport, the transport between GPUs"),
    OPTION("levels", KEY_LEVELS, "N",
           "refinement levels of the grid, 1 to 12 (default 5); not with FILE"),
    OPTION("points", KEY_POINTS, "N",
           "approximate number of points (default 400000, on a GPU 5000000; with FILE that of its "
           "grid)"),
    OPTION("octants", KEY_OCTANTS, "N", "approximate number of octants, in place of --points"),
    OPTION("steps", KEY_STEPS, "N",
           "number of time steps measured; the fastest counts (default 5)"),
    OPTION("profile", KEY_PROFILE, NULL,
           "also measure each kernel of a GPU, or on the CPU each kind of operation"),
    OPTION("json", KEY_JSON, "FILE", "also write the results as JSON"),
    PARAMETERS,
    COMMON,
    END};

static const struct argp_option tune_options[] = {
    OPTION("levels", KEY_LEVELS, "N", "refinement levels of the grid, 1 to 12 (default 5)"),
    OPTION("points", KEY_POINTS, "N", "approximate number of points (default 2000000)"),
    OPTION("steps", KEY_STEPS, "N", "measurements of each plan; the fastest counts (default 5)"),
    COMMON, END};

static const struct argp_option new_options[] = {
    TX_CLI_NEW_OPTIONS,
    OPTION("overwrite", KEY_OVERWRITE, NULL, "replace FILE if it exists"),
    OPTION("set", KEY_SET, "KEY=VALUE",
           "fix a parameter; the rest of the plan follows from it; may be repeated"),
    OPTION("speed", KEY_SPEED, "X",
           "speed of a core or GPU of --budget [point-stages/s], from its `tendex bench'"),
    OPTION("json", KEY_JSON, "FILE", "also write the plan, its memory and cost as JSON"),
    COMMON,
    END};

static error_t parse_option(int key, char *arg, struct argp_state *state);

static const struct {
  const char *word;
  tx_command command;
  struct argp argp;
} commands[] = {
    {"run",
     TX_COMMAND_RUN,
     {run_options, parse_option, "FILE\n--restart FOLDER", tx_help_run, NULL, NULL, NULL}},
    {"check",
     TX_COMMAND_CHECK,
     {check_options, parse_option, "FILE", tx_help_check, NULL, NULL, NULL}},
    {"bench",
     TX_COMMAND_BENCH,
     {bench_options, parse_option, "[FILE]", tx_help_bench, NULL, NULL, NULL}},
    {"tune", TX_COMMAND_TUNE, {tune_options, parse_option, "", tx_help_tune, NULL, NULL, NULL}},
    {"id", TX_COMMAND_ID, {id_options, parse_option, "FILE", tx_help_id, NULL, NULL, NULL}},
    {"new", TX_COMMAND_NEW, {new_options, parse_option, "-o FILE", tx_help_new, NULL, NULL, NULL}},
};
static const struct argp top = {top_options, parse_option, "COMMAND", tx_help_top,
                                NULL,        NULL,         NULL};

/* What a parse asks for beside tx_cli. */
typedef struct request {
  tx_cli *cli;
  bool help, version, help_params, json;
  const char *pattern;
} request;

/* An argument as messages show it: on one line. */
enum { SHOWN = 300 };
static const char *shown(const char *text, char out[SHOWN]) {
  tx_line_show(text, out, SHOWN);
  return out;
}
#define SHOW(text) shown(text, (char[SHOWN]){0})

static error_t whole_number(struct argp_state *state, const char *what, const char *arg, long min,
                            long max, long *out) {
  char *end = NULL;
  errno = 0;
  *out = strtol(arg, &end, 10);
  if (errno == 0 && end != arg && *end == '\0' && *out >= min && *out <= max) return 0;
  argp_error(state, "%s: '%s' is not allowed; give a whole number from %ld to %ld", what, SHOW(arg),
             min, max);
  return EINVAL;
}

static error_t parse_number(struct argp_state *state, int key, const char *arg, tx_cli *cli) {
  long n = 0;
  error_t bad = 0;
  switch (key) {
  case KEY_THREADS:
    bad = whole_number(state, "--threads", arg, 1, 4096, &n);
    cli->threads = (int)n;
    break;
  case KEY_RANKS:
    bad = whole_number(state, "--ranks", arg, 1, 1000000, &n);
    cli->check_ranks = (int)n;
    break;
  case KEY_LEVELS:
    bad = whole_number(state, "--levels", arg, 1, 12, &n);
    cli->bench_levels = (int)n;
    break;
  case KEY_STEPS:
    bad = whole_number(state, "--steps", arg, 1, 1000000, &n);
    cli->bench_steps = (int)n;
    break;
  case KEY_POINTS:
    bad = whole_number(state, "--points", arg, 1, 1000000000000L, &cli->bench_points);
    break;
  default:
    bad = whole_number(state, "--octants", arg, 1, 1000000000L, &n);
    cli->bench_points = n * TX_N * TX_N * TX_N;
  }
  return bad;
}

static error_t parse_speed(struct argp_state *state, const char *arg, tx_cli *cli) {
  char *end = NULL;
  cli->check_speed = strtod(arg, &end);
  if (end != arg && *end == '\0' && cli->check_speed > 0.0 && isfinite(cli->check_speed)) return 0;
  argp_error(state, "--speed: '%s' is not allowed; give a number above 0", SHOW(arg));
  return EINVAL;
}

static error_t parse_probe(struct argp_state *state, const char *arg, tx_cli *cli) {
  double x[3];
  int read = 0;
  bool good = sscanf(arg, "%lf,%lf,%lf%n", &x[0], &x[1], &x[2], &read) == 3 && arg[read] == '\0';
  for (int d = 0; d < 3 && good; d++) good = isfinite(x[d]);
  if (good && cli->n_probe < TX_CLI_PROBE_MAX) {
    memcpy(cli->probe[cli->n_probe++], x, sizeof x);
    return 0;
  }
  if (good)
    argp_error(state, "--probe is given more than %d times", TX_CLI_PROBE_MAX);
  else
    argp_error(state, "--probe: '%s' is not allowed; give three numbers x,y,z", SHOW(arg));
  return EINVAL;
}

static error_t parse_word(struct argp_state *state, char *arg, request *r) {
  tx_cli *cli = r->cli;
  if (r->help_params && !r->pattern) {
    r->pattern = arg;
    return 0;
  }
  if (cli->command == TX_COMMAND_NONE || cli->command == TX_COMMAND_TUNE ||
      cli->command == TX_COMMAND_NEW || cli->par_path) {
    argp_error(state, "'%s' is one argument too many", SHOW(arg));
    return EINVAL;
  }
  cli->par_path = arg;
  tx_line_show(arg, cli->par_shown, sizeof cli->par_shown);
  return 0;
}

static error_t parse_set(struct argp_state *state, const char *arg, tx_cli *cli) {
  if (cli->n_set < TX_CLI_SET_MAX) {
    cli->set[cli->n_set++] = arg;
    return 0;
  }
  argp_error(state, "--set is given more than %d times", TX_CLI_SET_MAX);
  return EINVAL;
}

/* An option that stands for a parameter. */
static error_t parse_setting(struct argp_state *state, const char *key, const char *arg, int slot,
                             tx_cli *cli) {
  char *word = cli->words[slot];
  if (cli->n_set == TX_CLI_SET_MAX ||
      snprintf(word, sizeof cli->words[slot], "%s=%s", key, arg) >= (int)sizeof cli->words[slot]) {
    argp_error(state, "%s: '%.40s' is not allowed", key, SHOW(arg));
    return EINVAL;
  }
  for (int i = 0; i < cli->n_set; i++)
    if (cli->set[i] == word) return 0; /* the last one counts */
  cli->set[cli->n_set++] = word;
  return 0;
}

static error_t parse_pipeline(struct argp_state *state, const char *arg, tx_cli *cli) {
  cli->bench_pipeline = arg;
  if (strcmp(arg, "gather") == 0 || strcmp(arg, "patch") == 0) return 0;
  argp_error(state, "--pipeline: '%.40s' is not allowed; give gather or patch", arg);
  return EINVAL;
}

static error_t parse_format(struct argp_state *state, const char *arg, request *r) {
  r->help_params = true;
  r->json = strcmp(arg, "json") == 0;
  if (r->json || strcmp(arg, "text") == 0) return 0;
  argp_error(state, "--help-params: '%.40s' is not allowed; give text or json", SHOW(arg));
  return EINVAL;
}

/* Whether a setting is not one that an option stands for. */
static bool own_setting(const tx_cli *cli, const char *setting) {
  for (size_t slot = 0; slot < sizeof cli->words / sizeof cli->words[0]; slot++)
    if (setting == cli->words[slot]) return false;
  return true;
}

/* What goes with a parameter file, and what without. */
static error_t check_bench(const request *r, struct argp_state *state) {
  const tx_cli *cli = r->cli;
  bool own = false;
  for (int i = 0; i < cli->n_set; i++) own = own || own_setting(cli, cli->set[i]);
  if (!cli->par_path && own)
    argp_error(state, "--set changes parameters of FILE, and FILE is missing");
  else if (cli->par_path && cli->bench_levels > 0)
    argp_error(state, "--levels sets the bench's own grid, not that of %s; leave one of them out",
               cli->par_shown);
  else
    return 0;
  return EINVAL;
}

/* Is there a parameter file, or what stands for it? */
static error_t check_words(const request *r, struct argp_state *state) {
  const tx_cli *cli = r->cli;
  if (r->help || cli->command == TX_COMMAND_NONE) return 0;
  if (cli->command == TX_COMMAND_BENCH) return check_bench(r, state);
  if (cli->command == TX_COMMAND_TUNE) return 0;
  if (cli->command == TX_COMMAND_NEW) return tx_cli_new_check(&cli->want, state);
  if (cli->machine && cli->check_ranks > 0)
    argp_error(state, "--machine and --ranks both set the number of ranks; give one of them");
  else if (cli->restart && cli->par_path)
    argp_error(state,
               "--restart %s takes its parameters from %s/run.yaml: leave out %s; change "
               "parameters with --set",
               SHOW(cli->restart), SHOW(cli->restart), cli->par_shown);
  else if (cli->restart && cli->overwrite)
    argp_error(state, "--restart continues a run, --overwrite starts it again; give one of them");
  else if (!cli->restart && !cli->par_path)
    argp_error(state, "the parameter file is missing, e.g. par/head_on.yaml");
  else
    return 0;
  return EINVAL;
}

/* Where the text of an option goes. */
static const char **text_of(tx_cli *cli, int key) {
  return key == KEY_RESTART   ? &cli->restart
         : key == KEY_MACHINE ? &cli->machine
         : key == KEY_JSON    ? &cli->json
                              : &cli->bbh;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  request *r = state->input;
  tx_cli *cli = r->cli;
  switch (key) {
  case KEY_HELP:
    r->help = true;
    return 0;
  case KEY_VERSION:
    r->version = true;
    return 0;
  case KEY_HELP_PARAMS:
    return parse_format(state, arg ? arg : "text", r);
  case KEY_OVERWRITE:
    cli->overwrite = true;
    return 0;
  case KEY_STRICT:
    cli->strict = true;
    return 0;
  case KEY_PROFILE:
    cli->bench_profile = true;
    return 0;
  case KEY_QUIET:
    cli->quiet = true;
    return 0;
  case KEY_RESTART:
  case KEY_MACHINE:
  case KEY_JSON:
  case KEY_BBH:
    *text_of(cli, key) = arg;
    return 0;
  case KEY_PROBE:
    return parse_probe(state, arg, cli);
  case KEY_SPEED:
    return parse_speed(state, arg, cli);
  case KEY_DEVICE:
    return parse_setting(state, "compute.device", arg, 0, cli);
  case KEY_PIPELINE:
    return parse_pipeline(state, arg, cli);
  case KEY_TRANSPORT:
    return parse_setting(state, "compute.transport", arg, 1, cli);
  case KEY_THREADS:
  case KEY_RANKS:
  case KEY_LEVELS:
  case KEY_STEPS:
  case KEY_POINTS:
  case KEY_OCTANTS:
    return parse_number(state, key, arg, cli);
  case KEY_SET:
    return parse_set(state, arg, cli);
  case ARGP_KEY_ARG:
    return parse_word(state, arg, r);
  case ARGP_KEY_END:
    return check_words(r, state);
  default:
    return tx_cli_new_option(key, arg, state, &cli->want);
  }
}

static tx_status usage_error(bool prints, const char *what, const char *word) {
  if (prints)
    fprintf(stderr,
            "tendex: %s%s%s%s; give new, check, run, id, bench or tune\n"
            "Try `tendex --help' for more information.\n",
            what, word ? " '" : "", word ? SHOW(word) : "", word ? "'" : "");
  return TX_ERR_USAGE;
}

/* getopt shows an option that it does not know as it is: those of several lines are not for it. */
static bool is_odd_option(const char *arg, bool prints) {
  char option[SHOWN];
  if (arg[0] != '-') return false;
  snprintf(option, sizeof option, "%.*s", (int)strcspn(arg, "="), arg);
  if (strcmp(SHOW(option), option) == 0) return false;
  if (prints) fprintf(stderr, "tendex: there is no option '%s'; see tendex --help\n", SHOW(option));
  return true;
}

/* Print what is asked for; true if anything was. */
static bool answer(const request *r, const struct argp *argp, bool prints, char *name) {
  if (!(r->help || r->version || r->help_params)) return false;
  if (prints && r->help)
    argp_help(argp, stdout,
              ARGP_HELP_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC, name);
  if (prints && r->version) printf("tendex %s\n%s\n", tx_version(), tx_build());
  if (prints && r->help_params)
    (r->json ? tx_params_help_json : tx_params_help)(r->pattern, stdout);
  return true;
}

tx_status tx_cli_parse(int argc, char **argv, bool prints, tx_cli *cli) {
  char name[64] = "tendex";
  *cli = (tx_cli){.bench_steps = 5};
  request r = {.cli = cli};
  const struct argp *argp = &top;
  if (argc < 2) return usage_error(prints, "a command is missing", NULL);
  if (argv[1][0] != '-') {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
      if (strcmp(argv[1], commands[i].word) == 0) {
        cli->command = commands[i].command;
        argp = &commands[i].argp;
        snprintf(name, sizeof name, "tendex %s", commands[i].word);
      }
    if (argp == &top) return usage_error(prints, "there is no command", argv[1]);
    argc--;
    argv++;
  }
  argv[0] = name;
  if (cli->command == TX_COMMAND_NEW) tx_cli_new_join(&argc, argv);
  for (int i = 1; i < argc; i++)
    if (is_odd_option(argv[i], prints)) return TX_ERR_USAGE;
  unsigned flags = ARGP_NO_HELP | ARGP_NO_EXIT | (prints ? 0 : ARGP_NO_ERRS);
  if (argp_parse(argp, argc, argv, flags, NULL, &r) != 0) return TX_ERR_USAGE;
  if (answer(&r, argp, prints, name)) {
    cli->command = TX_COMMAND_NONE;
    return TX_OK;
  }
  if (cli->command == TX_COMMAND_NONE) return usage_error(prints, "a command is missing", NULL);
  return TX_OK;
}
