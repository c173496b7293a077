/* The BSSN equations. Their variables are also those that initial data are given in. */
#pragma once

#include "physics/generated/bssn_names.h"
#include "physics/system.h"

extern const tx_system tx_bssn;
