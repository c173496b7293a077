/* The command `tendex run'. */
#pragma once

#include "base/command.h"

extern const tx_command tx_command_run;
