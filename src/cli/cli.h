/* The command line. */
#pragma once

#include "base/command.h"

/** Commands of the program, in the order of `tendex --help'; NULL ends them. */
extern const tx_command *const tx_commands[];

/** Read the command line; what it asks to print goes to standard output, wrong use to standard
 *  error, both only if `prints`. Local, the same on all ranks. Errors: TX_ERR_USAGE, said
 *  already. */
tx_status tx_cli_parse(int argc, char **argv, bool prints, tx_request *request);
