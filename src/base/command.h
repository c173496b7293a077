/* Commands of the program: the entry that each room exports of its own, and its options. */
#pragma once

#include <argp.h>
#include <mpi.h>
#include <stdbool.h>
#include "base/status.h"

/** Most settings on a command line. */
#define TX_REQUEST_SETTINGS 256

/** Kind of an option, and of what `to` points to. */
typedef enum tx_option_kind {
  TX_OPTION_FLAG,     /**< no argument; a bool that becomes true */
  TX_OPTION_TEXT,     /**< a const char *: a view of argv */
  TX_OPTION_INT,      /**< an int from 1 to `most` */
  TX_OPTION_LONG,     /**< a long from 1 to `most` */
  TX_OPTION_POSITIVE, /**< a double above 0 */
  TX_OPTION_SETTING,  /**< a setting of the request; to: NULL */
  TX_OPTION_OTHER,    /**< what `take` makes of the argument; to: NULL */
} tx_option_kind;

/** Option of a command. */
typedef struct tx_option {
  const char *name;
  int letter;                  /**< short form; 0: none */
  const char *argument, *text; /**< in the help; argument NULL: it has none */
  tx_option_kind kind;
  void *to;
  long most;
  error_t (*take)(struct argp_state *state, const char *arg);
  int flags; /**< of argp */
} tx_option;

#define TX_OPTION(name, letter, argument, text, kind, to, most)                                    \
  { name, letter, argument, text, TX_OPTION_##kind, to, most, NULL, 0 }
#define TX_OPTION_BY(name, argument, text, take)                                                   \
  { name, 0, argument, text, TX_OPTION_OTHER, NULL, 0, take, 0 }
#define TX_OPTION_END TX_OPTION(NULL, 0, NULL, NULL, FLAG, NULL, 0)
/** Settings over the values of a parameter file. */
#define TX_OPTION_SET                                                                              \
  TX_OPTION("set", 's', "KEY=VALUE", "set a parameter over the file's value; may be repeated",     \
            SETTING, NULL, 0)

struct tx_command;

/** Request of a command line: a command, and what several commands take. Texts are views of argv. */
typedef struct tx_request {
  const struct tx_command *command; /**< NULL: all that was asked for is printed */
  const tx_option *options;         /**< of the command and of all commands, while they are read */
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
  const char *help;         /**< before and, behind a \v, after the options, as argp takes it */
  const tx_option *options; /**< beside those of all commands; ended by TX_OPTION_END */
  bool takes_file;          /**< an argument is the parameter file */
  bool has_log;    /**< output goes to a file, too: standard output may fail to be written */
  void *own;       /**< values of the options */
  size_t own_size; /**< bytes, set to 0 before the options are read */
  void (*join)(int *argc, char **argv);       /**< make one word of several first; NULL: none */
  error_t (*check)(struct argp_state *state); /**< check what goes together; NULL: all does */
  tx_status (*run)(MPI_Comm comm, const tx_request *request); /**< collective */
} tx_command;

/** Take an option; state->input: the request. Local. Return 0, or EINVAL after a complaint. */
error_t tx_option_take(const tx_option *option, const char *arg, struct argp_state *state);

/** Complain that an option does not take `arg`, and of what to give. Local. Return EINVAL. */
error_t tx_option_refuse(struct argp_state *state, const char *option, const char *arg,
                         const char *wanted);

/** Return whether a text is a finite number and nothing else; [out] x, 0 if not. Local. */
bool tx_option_number(const char *text, double *x);

/** Read a whole number from 1 to `most`. Local. Return 0, or EINVAL after a complaint. */
error_t tx_option_long(struct argp_state *state, const char *option, const char *arg, long most,
                       long *out);

/** Add a setting to the request, which borrows it. Local. Return 0, or EINVAL after a complaint. */
error_t tx_request_set(struct argp_state *state, const char *setting);

/** Require a parameter file. Local. Return 0, or EINVAL after a complaint. */
error_t tx_request_needs_file(struct argp_state *state);
