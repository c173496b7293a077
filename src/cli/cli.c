#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "advice/advice.h"
#include "bench/bench.h"
#include "cli/commands.h"
#include "plan/new.h"
#include "run/command.h"
#include "base/line.h"
#include "base/text.h"
#include "base/version.h"
#include "params/params.h"

const tx_command *const tx_commands[] = {
    &tx_command_new,
    &tx_command_run,
    &tx_command_check,
    &tx_command_id,
    &tx_command_bench,
    &tx_command_tune,
    NULL,
};

/* Options of all commands, and of the program without one. */
enum { HELP = 'h', THREADS = 't', QUIET = 'q', SETTING = 's', VERSION = 'V', HELP_PARAMS = 256 };
#define OPTIONS_HELP                                                                               \
  TX_OPTION("help", HELP, NULL, "show this text"), {                                               \
    "usage", HELP, NULL, OPTION_HIDDEN, NULL, 0                                                    \
  }

static const struct argp_option common_options[] = {
    TX_OPTION("threads", THREADS, "N", "OpenMP threads per rank (or set OMP_NUM_THREADS)"),
    TX_OPTION("quiet", QUIET, NULL, "print nothing; a run still writes log.txt"), OPTIONS_HELP,
    TX_OPTION_END};
static const struct argp_option top_options[] = {
    {"help-params", HELP_PARAMS, "FORMAT", OPTION_ARG_OPTIONAL,
     "describe all parameters, or those whose key contains the word after the option; FORMAT: "
     "text (default) or json",
     0},
    TX_OPTION("version", VERSION, NULL, "show version and build"),
    OPTIONS_HELP,
    TX_OPTION_END};

/* The end of the help of the program, behind the list of commands, and the column of what they do. */
static const char help_end[] =
    "`tendex COMMAND --help' describes a command.\n\nOptions:\v"
    "Examples:\n"
    "  tendex new --q 2 --chi1 0.4 --orbits 6 --budget '2 cores, 2 days' -o q2.yaml\n"
    "  tendex check par/head_on.yaml\n"
    "  mpirun -n 2 tendex run par/head_on.yaml\n"
    "  tendex run par/head_on.yaml --set run.t_end=10 --set run.name=short\n"
    "  mpirun -n 2 tendex run --restart out/head_on\n"
    "  tendex --help-params waves\n\n"
    "Exit codes: 0 complete, or stopped in good order for a later restart; 2 wrong command line; "
    "3 wrong parameter; 4 file error, e.g. a full disk; 5 out of memory; 6 numerical failure, e.g. "
    "not a number; 7 mesh; 8 failure of a library; 9 ended at once by a second signal.";
enum { COLUMN = 12 };

enum { SHOWN = 300 };

static error_t take_file(char *arg, struct argp_state *state) {
  tx_request *request = state->input;
  char shown[SHOWN];
  if (request->command->takes_file && !request->path) {
    request->path = arg;
    tx_line_show(arg, request->shown, sizeof request->shown);
    return 0;
  }
  tx_line_show(arg, shown, sizeof shown);
  argp_error(state, "'%s' is one argument too many", shown);
  return EINVAL;
}

static error_t take_common(int key, char *arg, struct argp_state *state) {
  tx_request *request = state->input;
  switch (key) {
  case HELP:
    request->help = true;
    return 0;
  case QUIET:
    request->quiet = true;
    return 0;
  case THREADS:
    return tx_option_int(state, "threads", arg, 4096, &request->threads);
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Take what belongs to a command: settings, a file, and its own options. --help asks for no more. */
static error_t take(int key, char *arg, struct argp_state *state) {
  tx_request *request = state->input;
  switch (key) {
  case SETTING:
    return tx_request_set(state, arg);
  case ARGP_KEY_ARG:
    return take_file(arg, state);
  case ARGP_KEY_INIT:
    state->child_inputs[0] = request;
    return request->command->take(key, arg, state);
  case ARGP_KEY_END:
    return request->help ? 0 : request->command->take(key, arg, state);
  default:
    return request->command->take(key, arg, state);
  }
}

static tx_status refuse(bool prints, const char *what, const char *word) {
  char names[200] = "", shown[SHOWN] = "";
  size_t used = 0;
  for (int i = 0; tx_commands[i] && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                             i == 0               ? ""
                             : tx_commands[i + 1] ? ", "
                                                  : " or ",
                             tx_commands[i]->name);
  if (word) tx_line_show(word, shown, sizeof shown);
  if (prints)
    fprintf(stderr,
            "tendex: %s%s%s%s; give %s\n"
            "Try `tendex --help' for more information.\n",
            what, word ? " '" : "", shown, word ? "'" : "", names);
  return TX_ERR_USAGE;
}

/* Return whether an option has several lines, which getopt would show as they are. */
static bool is_odd_option(const char *arg, bool prints) {
  char option[SHOWN], shown[SHOWN];
  if (arg[0] != '-') return false;
  snprintf(option, sizeof option, "%.*s", (int)strcspn(arg, "="), arg);
  tx_line_show(option, shown, sizeof shown);
  if (strcmp(shown, option) == 0) return false;
  if (prints) fprintf(stderr, "tendex: there is no option '%s'; see tendex --help\n", shown);
  return true;
}

static tx_status parse(const struct argp *argp, int argc, char **argv, bool prints, void *input) {
  const unsigned flags = ARGP_NO_HELP | ARGP_NO_EXIT | (prints ? 0 : ARGP_NO_ERRS);
  for (int i = 1; i < argc; i++)
    if (is_odd_option(argv[i], prints)) return TX_ERR_USAGE;
  return argp_parse(argp, argc, argv, flags, NULL, input) == 0 ? TX_OK : TX_ERR_USAGE;
}

static void print_help(const struct argp *argp, char *name) {
  argp_help(argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC,
            name);
}

static tx_status parse_command(int argc, char **argv, bool prints, tx_request *request) {
  static const struct argp common = {common_options, take_common, NULL, NULL, NULL, NULL, NULL};
  const struct argp_child children[] = {{&common, 0, NULL, 0}, {NULL, 0, NULL, 0}};
  const tx_command *command = request->command;
  const struct argp argp = {
      command->options, take, command->usage, command->help, children, NULL, NULL};
  char name[64];
  snprintf(name, sizeof name, "tendex %s", command->name);
  argv[0] = name;
  if (command->join) command->join(&argc, argv);
  TX_TRY(parse(&argp, argc, argv, prints, request));
  if (!request->help) return TX_OK;
  if (prints) print_help(&argp, name);
  request->command = NULL;
  return TX_OK;
}

/* Request of a command line without a command. */
typedef struct top_request {
  bool help, version, help_params, json;
  const char *pattern; /* that keys of parameters contain; NULL: all */
} top_request;

static error_t take_top(int key, char *arg, struct argp_state *state) {
  top_request *request = state->input;
  char shown[SHOWN];
  switch (key) {
  case HELP:
    request->help = true;
    return 0;
  case VERSION:
    request->version = true;
    return 0;
  case HELP_PARAMS:
    request->help_params = true;
    request->json = arg && strcmp(arg, "json") == 0;
    if (!arg || request->json || strcmp(arg, "text") == 0) return 0;
    return tx_option_refuse(state, "help-params", arg, "text or json");
  case ARGP_KEY_ARG:
    if (request->help_params && !request->pattern) {
      request->pattern = arg;
      return 0;
    }
    tx_line_show(arg, shown, sizeof shown);
    argp_error(state, "'%s' is one argument too many", shown);
    return EINVAL;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

/* Write the help of the program, with its list of commands. */
static void add_help(tx_text *help) {
  tx_text_add(help,
              "Evolve binary black holes and extract their gravitational waves.\n\nCommands:\n");
  for (int i = 0; tx_commands[i]; i++)
    tx_text_add(help, "  %s %-*s %s\n", tx_commands[i]->name,
                COLUMN - (int)strlen(tx_commands[i]->name), tx_commands[i]->arguments,
                tx_commands[i]->summary);
  tx_text_add(help, "%s", help_end);
}

static tx_status parse_top(int argc, char **argv, bool prints) {
  char name[] = "tendex";
  tx_text help = {.data = NULL};
  top_request request = {.pattern = NULL};
  add_help(&help);
  const struct argp argp = {top_options, take_top, "COMMAND", help.data, NULL, NULL, NULL};
  argv[0] = name;
  tx_status status = help.status;
  TX_THEN(status, parse(&argp, argc, argv, prints, &request));
  if (status == TX_OK && !request.help && !request.version && !request.help_params)
    status = refuse(prints, "a command is missing", NULL);
  else if (status == TX_OK && prints) {
    if (request.help) print_help(&argp, name);
    if (request.version) printf("tendex %s\n%s\n", tx_version(), tx_build());
    if (request.help_params)
      (request.json ? tx_params_help_json : tx_params_help)(request.pattern, stdout);
  }
  tx_text_free(&help);
  return status;
}

tx_status tx_cli_parse(int argc, char **argv, bool prints, tx_request *request) {
  *request = (tx_request){.command = NULL};
  if (argc < 2) return refuse(prints, "a command is missing", NULL);
  if (argv[1][0] == '-') return parse_top(argc, argv, prints);
  for (int i = 0; tx_commands[i] && !request->command; i++)
    if (strcmp(argv[1], tx_commands[i]->name) == 0) request->command = tx_commands[i];
  if (!request->command) return refuse(prints, "there is no command", argv[1]);
  request->own = request->command->own;
  return parse_command(argc - 1, argv + 1, prints, request);
}
