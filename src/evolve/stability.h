/* Time steps and damping rates at which the scheme is stable, from the parameters alone. */
#pragma once

#include "params/params.h"

/** The level that the finest octants reach whatever the data; wavelets may refine further. Local. */
int tx_level_reached(const tx_params *p);

/** Spacing of a level, M. Local. */
double tx_level_spacing(const tx_params *p, int level);

/** Time step of points with spacing h, evolution.cfl h; both in M. Local. */
double tx_time_step(const tx_params *p, double h);

/** The largest evolution.cfl at which RK4 is stable on flat space, for these gauges and dissipation. Local. */
double tx_cfl_limit(const tx_params *p);

/** Are steps of `cfl` times the spacing, M, stable with this dissipation, on flat space? Local. */
bool tx_step_is_stable(const tx_params *p, double sigma, double cfl, double spacing);

/** Largest product of a damping rate and the time step: RK4 needs less than 2.785, and 2.7 leaves room for dissipation. */
#define TX_ETA_DT 2.7

/** Largest stable damping eta [1/M] for the longest time step of the run. The limit of a level that takes 2^n of these steps at
 *  once is 2^-n of it. Local. */
double tx_eta_limit(const tx_params *p);

/** Return that limit for the step of `level`, which wavelets may have refined further. Local. */
double tx_eta_limit_of(const tx_params *p, int level);

/** The largest damping of the shift anywhere, 1/M: 0 without the Gamma driver; of the metric form as the initial data's
 *  holes have it. Local. */
double tx_eta_most(const tx_params *p);

/** The largest damping of constraints, 1/M. Local. */
double tx_constraint_damping(const tx_params *p);

/** The parameter that sets it, "" if none does. Local. */
const char *tx_constraint_damping_key(const tx_params *p);

/** Demands of the gauge and the time step on each other. */
tx_params_demands tx_stability_demands;
