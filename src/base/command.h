/* Commands of the program: the entry that each room exports of its own, and what reads its options. */
#pragma once

#include <argp.h>
#include <mpi.h>
#include <stdbool.h>
#include "base/status.h"

/** Most settings on a command line. */
#define TX_REQUEST_SETTINGS 256

struct tx_command;

/** Request of a command line: a command, and what several commands take. Texts are views of argv. */
typedef struct tx_request {
  const struct tx_command *command; /**< NULL: all that was asked for is printed */
  void *own;                        /**< command->own */
  const char *path;                 /**< of the parameter file; NULL: none */
  char shown[4096];                 /**< the path as output shows it, tx_line_show */
  int n_set;
  const char *set[TX_REQUEST_SETTINGS]; /**< "section.name=value" */
  int threads; /**< OpenMP threads a rank; 0: as OMP_NUM_THREADS says, or the cores shared out */
  bool quiet, help;
} tx_request;

/** Command of the program. src/cli/cli.c lists them. */
typedef struct tx_command {
  const char *name;
  const char *arguments, *summary; /**< in the list of commands: "FILE" or "", and what it does */
  const char *usage;               /**< arguments in full, as argp takes them */
  const char *help; /**< before and, behind a \v, after the options, as argp takes it */
  const struct argp_option *options; /**< beside those of all commands; key 's' makes settings */
  bool takes_file;                   /**< an argument is the parameter file */
  bool has_log; /**< all output goes to a file, too: it may fail to be written on standard output */
  void *own;    /**< options of the command alone, where `take` puts them */
  void (*join)(int *argc, char **argv); /**< make one word of several, before argp; NULL: none */
  argp_parser_t take;                   /**< as argp calls it; state->input: the request */
  tx_status (*run)(MPI_Comm comm, const tx_request *request); /**< collective */
} tx_command;

/** Option for an array of argp: its name, key (a letter is its short form), argument or NULL, and text. */
#define TX_OPTION(name, key, argument, text)                                                       \
  { name, key, argument, 0, text, 0 }
#define TX_OPTION_END                                                                              \
  { NULL, 0, NULL, 0, NULL, 0 }
/** Settings over the values of a parameter file. */
#define TX_OPTION_SET                                                                              \
  TX_OPTION("set", 's', "KEY=VALUE", "set a parameter over the file's value; may be repeated")

/** Complain that an option does not take `arg`, and of what to give. Local. Return EINVAL. */
error_t tx_option_refuse(struct argp_state *state, const char *option, const char *arg,
                         const char *wanted);

/** Read a whole number from 1 to `most`. Local. Return 0, or EINVAL after a complaint. */
error_t tx_option_long(struct argp_state *state, const char *option, const char *arg, long most,
                       long *out);
error_t tx_option_int(struct argp_state *state, const char *option, const char *arg, int most,
                      int *out);

/** Read a number above 0. Local. Return 0, or EINVAL after a complaint. */
error_t tx_option_positive(struct argp_state *state, const char *option, const char *arg,
                           double *out);

/** Return whether a text is a finite number and nothing else; [out] x, 0 if not. Local. */
bool tx_option_number(const char *text, double *x);

/** Add a setting to the request, which borrows it. Local. Return 0, or EINVAL after a complaint. */
error_t tx_request_set(struct argp_state *state, const char *setting);

/** Require a parameter file. Local. Return 0, or EINVAL after a complaint. */
error_t tx_request_needs_file(struct argp_state *state);
