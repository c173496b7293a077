/* `tendex bench --profile': times of each kernel of a GPU, or of each kind of operation on the CPU, in time steps. */
#pragma once

#include "bench/row.h"
#include "evolve/sim.h"
#include "files/json.h"

/** Measure `steps` time steps, then norms of the constraints and Psi4 on a sphere where the system has them. GPUs run
 *  kernels one after the other meanwhile. Collective. */
tx_status tx_profile_measure(tx_sim *sim, int steps, tx_profile *p);

/** Log the table. Local. */
void tx_profile_log(const tx_profile *p, const tx_roofs *roofs);
/** Write a member "profile". Local. */
void tx_profile_json(const tx_profile *p, const tx_roofs *roofs, tx_json *json);
