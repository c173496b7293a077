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

enum { SHOWN = 300, OPTIONS = 32, NO_LETTER = 256 };

#define OPTIONS_HELP(request)                                                                      \
  TX_OPTION("help", 'h', NULL, "show this text", FLAG, &(request)->help, 0), {                     \
    "usage", 0, NULL, NULL, TX_OPTION_FLAG, &(request)->help, 0, NULL, OPTION_HIDDEN               \
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

/* Return the key of an option for argp: its letter, or a number of its own. */
static int key_of(const tx_option *options, int i) {
  return options[i].letter ? options[i].letter : NO_LETTER + i;
}

/* Take an option, the file, or the end of the words; a request for help needs nothing else. */
static error_t take(int key, char *arg, struct argp_state *state) {
  const tx_request *request = state->input;
  const tx_option *options = request->options;
  if (key == ARGP_KEY_ARG) return take_file(arg, state);
  if (key == ARGP_KEY_END && !request->help && request->command->check)
    return request->command->check(state);
  for (int i = 0; options[i].name; i++)
    if (key == key_of(options, i)) return tx_option_take(&options[i], arg, state);
  return ARGP_ERR_UNKNOWN;
}

static tx_status read_words(const struct argp *argp, int argc, char **argv, bool prints,
                            tx_request *request) {
  const unsigned flags = ARGP_NO_HELP | ARGP_NO_EXIT | (prints ? 0 : ARGP_NO_ERRS);
  for (int i = 1; i < argc; i++)
    if (is_odd_option(argv[i], prints)) return TX_ERR_USAGE;
  if (argp_parse(argp, argc, argv, flags, NULL, request) != 0) return TX_ERR_USAGE;
  if (request->help && prints)
    argp_help(argp, stdout,
              ARGP_HELP_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC, argv[0]);
  return TX_OK;
}

/* Read words with the options of request->command and `common` ones, and print the help if that is asked for. */
static tx_status parse(int argc, char **argv, bool prints, const tx_option *common,
                       tx_request *request) {
  const tx_command *command = request->command;
  tx_option options[OPTIONS] = {TX_OPTION_END};
  struct argp_option list[OPTIONS] = {{NULL, 0, NULL, 0, NULL, 0}};
  const struct argp argp = {list, take, command->usage, command->help, NULL, NULL, NULL};
  int n = 0;
  for (const tx_option *o = command->options; o->name && n < OPTIONS - 1; o++) options[n++] = *o;
  for (const tx_option *o = common; o->name && n < OPTIONS - 1; o++) options[n++] = *o;
  for (int i = 0; i < n; i++)
    list[i] = (struct argp_option){.name = options[i].name,
                                   .key = key_of(options, i),
                                   .arg = options[i].argument,
                                   .flags = options[i].flags,
                                   .doc = options[i].text};
  request->options = options;
  request->own = command->own;
  memset(command->own, 0, command->own_size);
  const tx_status status = read_words(&argp, argc, argv, prints, request);
  request->options = NULL;
  return status;
}

static tx_status parse_command(int argc, char **argv, bool prints, tx_request *request) {
  const tx_option common[] = {
      TX_OPTION("threads", 't', "N", "OpenMP threads per rank (or set OMP_NUM_THREADS)", INT,
                &request->threads, 4096),
      TX_OPTION("quiet", 'q', NULL, "print nothing; a run still writes log.txt", FLAG,
                &request->quiet, 0),
      OPTIONS_HELP(request), TX_OPTION_END};
  char name[64];
  snprintf(name, sizeof name, "tendex %s", request->command->name);
  argv[0] = name;
  if (request->command->join) request->command->join(&argc, argv);
  TX_TRY(parse(argc, argv, prints, common, request));
  if (request->help) request->command = NULL;
  return TX_OK;
}

/* Values of the options without a command. */
static struct { bool version, parameters, json; } top;

static error_t take_format(struct argp_state *state, const char *arg) {
  top.parameters = true;
  top.json = arg && strcmp(arg, "json") == 0;
  if (!arg || top.json || strcmp(arg, "text") == 0) return 0;
  return tx_option_refuse(state, "help-params", arg, "text or json");
}

static const tx_option top_options[] = {
    {"help-params", 0, "FORMAT",
     "describe all parameters, or those whose key contains the word after the option; FORMAT: "
     "text (default) or json",
     TX_OPTION_OTHER, NULL, 0, take_format, OPTION_ARG_OPTIONAL},
    TX_OPTION("version", 'V', NULL, "show version and build", FLAG, &top.version, 0),
    TX_OPTION_END};

/* Check that an argument is the word after --help-params. */
static error_t check_top(struct argp_state *state) {
  const tx_request *request = state->input;
  if (!request->path || top.parameters) return 0;
  argp_error(state, "'%s' is one argument too many", request->shown);
  return EINVAL;
}

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

/* Write the help of the program, with the list of commands. */
static void add_help(tx_text *help) {
  tx_text_add(help,
              "Evolve binary black holes and extract their gravitational waves.\n\nCommands:\n");
  for (int i = 0; tx_commands[i]; i++)
    tx_text_add(help, "  %s %-*s %s\n", tx_commands[i]->name,
                COLUMN - (int)strlen(tx_commands[i]->name), tx_commands[i]->arguments,
                tx_commands[i]->summary);
  tx_text_add(help, "%s", help_end);
}

static tx_status parse_top(int argc, char **argv, bool prints, tx_request *request) {
  const tx_option common[] = {OPTIONS_HELP(request), TX_OPTION_END};
  char name[] = "tendex";
  tx_text help = {.data = NULL};
  add_help(&help);
  TX_TRY(help.status);
  const tx_command program = {.options = top_options,
                              .usage = "COMMAND",
                              .help = help.data,
                              .takes_file = true,
                              .own = &top,
                              .own_size = sizeof top,
                              .check = check_top};
  request->command = &program;
  argv[0] = name;
  const tx_status status = parse(argc, argv, prints, common, request);
  request->command = NULL;
  tx_text_free(&help);
  if (status == TX_OK && !request->help && !top.version && !top.parameters)
    return refuse(prints, "a command is missing", NULL);
  if (status != TX_OK || !prints) return status;
  if (top.version) printf("tendex %s\n%s\n", tx_version(), tx_build());
  if (top.parameters) (top.json ? tx_params_help_json : tx_params_help)(request->path, stdout);
  return TX_OK;
}

tx_status tx_cli_parse(int argc, char **argv, bool prints, tx_request *request) {
  *request = (tx_request){.command = NULL};
  if (argc < 2) return refuse(prints, "a command is missing", NULL);
  if (argv[1][0] == '-') return parse_top(argc, argv, prints, request);
  for (int i = 0; tx_commands[i] && !request->command; i++)
    if (strcmp(argv[1], tx_commands[i]->name) == 0) request->command = tx_commands[i];
  if (!request->command) return refuse(prints, "there is no command", argv[1]);
  return parse_command(argc - 1, argv + 1, prints, request);
}
