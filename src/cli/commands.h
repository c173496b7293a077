/* Commands of the command line's own room. */
#pragma once

#include "base/command.h"

extern const tx_command tx_command_id;
