/* Short simulations for tests of convergence and physics: parameters in, state and errors out. */
#pragma once

#include "evolve/sim.h"

/** Defaults for a periodic box [-1/2, 1/2)^3 with all octants on the level that has `points` points a
 *  dimension, harmonic slicing, zero shift, no dissipation, and a fixed time step dt, M. Local. */
void simulate_box(tx_params *p, int points, double dt, double t_end);

/** `levels` levels from grid.level_min on, each but that a cube about the origin of half the side of the coarser one's;
 *  each with its own time step, as long as that of the finest times a power of two. level_min must have four octants a
 *  dimension or more (on each side of the origin two). Local. */
void simulate_nested(tx_params *p, int levels);

/** Collective. First grid and data, then steps to t_end. Asserts on errors. The caller destroys it. */
tx_sim *simulate(const tx_params *p);

/** Collective. Steps on until t = t_end (which must be a parameter time). Asserts on errors. */
void simulate_to(tx_sim *sim, tx_params *p, double t_end);

/** Collective. Regrid as in a run with one puncture at x: the finest level within grid.bh_radius of x and nowhere
 *  else. Asserts on errors. */
void simulate_refine(tx_sim *sim, const double x[3]);

/** Whether a point counts; `with` is the caller's. */
typedef bool simulate_counts(const double x[3], const void *with);

/** Root mean square of variable v minus the exact solution of the data, over the volume of the points that count
 *  (NULL: all). One rank. */
double simulate_error(tx_sim *sim, int v, simulate_counts *counts, const void *with);

/** Values of variable v along the line y = z = lowest, on a mesh of one level: values[points]. One rank. */
void simulate_line(tx_sim *sim, int v, int points, double *values);

/** Base-2 logarithm of the ratio of errors on h and h/2. */
double convergence_order(double error_coarse, double error_fine);

/** Says an order of convergence, and whether it is within 0.5 of what is expected, which the caller asserts. */
bool convergence_as_expected(const char *what, double order, double expected);
