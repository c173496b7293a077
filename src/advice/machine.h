/* Estimates of a run on a machine that is described, not measured. All functions are local. */
#pragma once

#include "advice/check.h"

/** Set ranks and threads on a machine: a rank a GPU; one rank with all cores. */
void tx_check_set_machine(tx_check *c, const tx_budget *machine);

/** Return the seconds of the whole run on the machine of the check. */
double tx_check_machine_s(const tx_check *c);

/** Set the estimate, when all else is known. */
void tx_check_set_found(tx_check *c);
