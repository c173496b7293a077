/* Demands of the evolution on parameters. */
#pragma once

#include "params/params.h"

/** Demand the program's octants, stable time steps, and what a macro step that is given asks for: every command hands this to tx_params_read. Local.
 *  Errors: TX_ERR_PARAM. */
tx_params_demands tx_evolve_demands;
