/* The speed of this program on this machine, in whole time steps on a refined grid of its own. */
#pragma once

#include "evolve/sim.h"

/** Collective. Make the parameters [out] of a grid of `levels` levels around two holes with about `points` points. */
tx_status tx_speed_params(MPI_Comm comm, int levels, double points, tx_params *p);

/** Collective. Make of such parameters those of a system without the variables of holes (TX_HAS_GRAVITY): its profile `name` on a grid
 *  of the same levels, refined around the origin. */
tx_status tx_speed_params_profile(MPI_Comm comm, const char *name, double points, tx_params *p);

/** Collective. Scale the refined balls of p, data in closed form, so that its first grid has about `points`
 *  points. */
tx_status tx_speed_scale(MPI_Comm comm, double points, tx_params *p);

/** Collective. Make of the parameters of a run those of a grid like its own that takes no solver: two
 *  punctures become Brill-Lindquist data of the same places and bare masses; and scale it, unless `points`
 *  is 0. Errors: TX_ERR_PARAM for a grid that has nothing to scale; those of tx_data_create_preview. */
tx_status tx_speed_params_of(MPI_Comm comm, double points, tx_params *p);

/** Collective. Measure the seconds [out] a call of `run`, as the slowest rank sees them: the fastest of `goes` series of
 *  `calls` calls, each up to the end of all that they began. */
tx_status tx_speed_measure(tx_sim *sim, tx_status (*run)(tx_sim *sim), int goes, int calls,
                           double *seconds);

/** Take a time step and move the punctures back, so that the grid stays good for any number of steps. Collective. */
tx_status tx_speed_step(tx_sim *sim);

/** Make a stage as in the middle of a step, with so short a step that any number of them changes nothing; it takes the scratch
 *  copies of one step for all levels. Second function: do that stage, for all octants, without its ghosts. Local. */
tx_stage tx_speed_middle_stage(tx_sim *sim);
tx_status tx_speed_stage(tx_sim *sim);

/** Collective. Measure the point-stages a second of processor time, or of a GPU, [out] of the slowest rank, each stepping a
 *  grid of about 100,000 points (on a GPU 25,000 a multiprocessor) of its own with the threads it has, all at the same
 *  time; takes a second or two. */
tx_status tx_speed_calibrate(MPI_Comm comm, double *speed, int64_t *points);

/** Return the bytes and operations a point of a whole stage: bytes as the mean of the four stages (the state, u and the sum in, the
 *  sum and the next state out, where they differ). Local. */
double tx_speed_stage_bytes(const tx_system *system);
double tx_speed_stage_flops(const tx_system *system);
