/* `tendex bench --profile`: what each kernel of a GPU, or each kind of operation on the CPU, takes in time steps. */
#pragma once

#include "evolve/sim.h"
#include "exec/profile.h"
#include "files/json.h"

/** Time steps, and what may follow them. Of kernels those of rank 0, of operations the mean of the ranks. */
typedef struct tx_profile {
  bool kernels;   /**< of GPUs */
  int n, n_steps; /**< rows; the first n_steps are those of steps, the others of norms and waves */
  double point_stages; /**< a rank's, of the steps */
  double seconds;      /**< sum over the rows of the steps */
  tx_profile_row row[TX_PROFILE_ROWS];
} tx_profile;

/** Peaks of what computes, of one rank. */
typedef struct tx_roofs {
  double triad_bytes_per_s, fma_flop_per_s;
} tx_roofs;

/** Measure `steps` time steps, then norms of the constraints and Psi4 on a sphere where the system has them. GPUs run
 *  kernels one after the other meanwhile. Collective. */
tx_status tx_profile_measure(tx_sim *sim, int steps, tx_profile *p);

/** The table in the log. Local. */
void tx_profile_log(const tx_profile *p, const tx_roofs *roofs);
/** A member "profile". Local. */
void tx_profile_json(const tx_profile *p, const tx_roofs *roofs, tx_json *json);
