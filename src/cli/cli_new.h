/* The options of `tendex new'. */
#pragma once

#include <argp.h>
#include "cli/cli.h"

enum {
  TX_CLI_NEW_OUTPUT = 'o',
  TX_CLI_NEW_Q = 512,
  TX_CLI_NEW_CHI1,
  TX_CLI_NEW_CHI2,
  TX_CLI_NEW_ORBITS,
  TX_CLI_NEW_SEPARATION,
  TX_CLI_NEW_FREQUENCY,
  TX_CLI_NEW_ACCURACY,
  TX_CLI_NEW_BUDGET,
  TX_CLI_NEW_LIST,
  TX_CLI_NEW_TEMPLATE,
};

#define TX_CLI_NEW_OPTIONS                                                                         \
  {"q", TX_CLI_NEW_Q, "Q", 0, "mass ratio, hole 1 over hole 2, 1/32 to 32", 0},                    \
      {"chi1",                                                                                     \
       TX_CLI_NEW_CHI1,                                                                            \
       "S",                                                                                        \
       0,                                                                                          \
       "dimensionless spin of hole 1: one number, along z, or x y z; below 0.92 (default 0)",      \
       0},                                                                                         \
      {"chi2", TX_CLI_NEW_CHI2, "S", 0, "dimensionless spin of hole 2", 0},                        \
      {"orbits", TX_CLI_NEW_ORBITS, "N", 0, "number of orbits until the merger", 0},               \
      {"separation",                                                                               \
       TX_CLI_NEW_SEPARATION,                                                                      \
       "D",                                                                                        \
       0,                                                                                          \
       "in place of --orbits: coordinate separation at t = 0 [M]",                                 \
       0},                                                                                         \
      {"frequency",                                                                                \
       TX_CLI_NEW_FREQUENCY,                                                                       \
       "W",                                                                                        \
       0,                                                                                          \
       "in place of --orbits: orbital angular frequency at t = 0 [1/M], half that of the (2,2) "   \
       "wave",                                                                                     \
       0},                                                                                         \
      {"accuracy",                                                                                 \
       TX_CLI_NEW_ACCURACY,                                                                        \
       "A",                                                                                        \
       0,                                                                                          \
       "coarse, standard (default) or high; all: three files, FILE_coarse and so on",              \
       0},                                                                                         \
      {"budget",                                                                                   \
       TX_CLI_NEW_BUDGET,                                                                          \
       "B",                                                                                        \
       0,                                                                                          \
       "machine and wall-clock time, e.g. \"2 cores, 1 day\", \"2 H200, 30 min\", \"64 cores, "    \
       "250 GB, "                                                                                  \
       "12 h\": chooses the best accuracy that fits, or says what would fit",                      \
       0},                                                                                         \
      {"template",                                                                                 \
       TX_CLI_NEW_TEMPLATE,                                                                        \
       "NAME",                                                                                     \
       0,                                                                                          \
       "start from a template of --list; other options override it",                               \
       0},                                                                                         \
      {"list", TX_CLI_NEW_LIST, NULL, 0, "list the templates", 0}, {                               \
    "output", TX_CLI_NEW_OUTPUT, "FILE", 0, "parameter file to write", 0                           \
  }

/** Make one word of "--chi1 0 0 0.4", and of "--chi1 -0.4", which argp would take for an option. Local. */
void tx_cli_new_join(int *argc, char **argv);

/** One of these options, else ARGP_ERR_UNKNOWN. Local. */
error_t tx_cli_new_option(int key, const char *arg, struct argp_state *state, tx_new_options *out);

/** What goes together. Local. */
error_t tx_cli_new_check(const tx_new_options *want, struct argp_state *state);
