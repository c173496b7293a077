/* How fast this program is on this machine, in whole time steps on a refined grid of its own. */
#pragma once

#include "driver/sim.h"

/** Collective. Parameters [out] of a grid of `levels` levels around two holes with about `points`
 *  points. */
tx_status tx_speed_params(MPI_Comm comm, int levels, double points, tx_params *p);

/** Collective. Seconds [out] of the fastest of `goes` calls of `run`, as the slowest rank sees them. */
tx_status tx_speed_measure(tx_sim *sim, tx_status (*run)(tx_sim *sim), int goes, double *seconds);

/** Collective. Point-stages a second of processor time [out] of the slowest rank, each stepping a grid of
 *  about 100,000 points of its own with the threads it has, all at the same time; takes a second or two. */
tx_status tx_speed_calibrate(MPI_Comm comm, double *speed, int64_t *points);
