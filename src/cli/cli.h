/* The command line. */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "plan/new.h"

#define TX_CLI_SET_MAX   256
#define TX_CLI_PROBE_MAX 4096

typedef enum tx_command {
  TX_COMMAND_NONE, /**< everything asked for was printed */
  TX_COMMAND_RUN,
  TX_COMMAND_CHECK,
  TX_COMMAND_BENCH,
  TX_COMMAND_ID,
  TX_COMMAND_TUNE,
  TX_COMMAND_NEW
} tx_command;

/** What the user asked for. */
typedef struct tx_cli {
  tx_command command;
  const char *par_path; /**< view of argv */
  char par_shown[4096]; /**< the same as output shows it, tx_line_show */
  int n_set;
  const char *set[TX_CLI_SET_MAX]; /**< "key=value", views of argv */
  bool overwrite, quiet;           /**< run: replace the folder; new: replace the file */
  const char *restart; /**< run: folder of the run to go on with; NULL: none. View of argv */
  int threads; /**< OpenMP threads a rank; 0: as OMP_NUM_THREADS says, or the cores shared out */
  int check_ranks;     /**< check: ranks that the run will have; 0: as many as now */
  bool strict;         /**< check: notes are failures */
  double check_speed;  /**< check, new: point-stages a second a core; 0: measured */
  const char *machine; /**< check: that the run will have, "2 H200"; NULL: not said. View of argv */
  tx_new_options want; /**< new, but for what other commands have too */
  int bench_levels, bench_steps;
  long bench_points; /**< 0: not given */
  bool bench_profile;
  const char *bench_pipeline; /**< of --pipeline, "gather" or "patch"; NULL: both */
  char words[2][80];          /**< settings of `set` that options stand for */
  const char *json;           /**< bench, id, new: results as JSON; NULL: none */
  const char *bbh;            /**< id: TwoPunctures.bbh to write; NULL: none */
  int n_probe;                /**< id: points where u is wanted */
  double probe[TX_CLI_PROBE_MAX][3];
} tx_cli;

/** Read the command line; what it asks to print goes to standard output, wrong use to standard
 *  error, both only if `prints`. Local, the same on all ranks. Errors: TX_ERR_USAGE, said
 *  already. */
tx_status tx_cli_parse(int argc, char **argv, bool prints, tx_cli *cli);
