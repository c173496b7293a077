/* Length of the macro step, from the parameters alone. */
#pragma once

#include "params/params.h"

/** The level whose time step is the unit that steps are counted in, on a mesh whose finest level is `finest`: that one, or a
 *  finer one that went with grid.remnant_level, so that what is done every so many steps stays as often. Local. */
int tx_step_level(const tx_params *p, int finest);

/** Local time steps (evolution.time_steps levels): dt being the step of the level that steps are counted in, level
 *  l takes dt 2^min(that level - l, m), and all levels meet after the macro step, dt 2^m, and only then. Returns m
 *  for a mesh with levels `coarsest` to `finest`: the largest that evolution.macro_step allows, or what is chosen
 *  in its place; with one step for all that of the finest level, m = 0 if steps are counted in it. 2^m divides
 *  everything that is done every so many steps. Local. */
int tx_macro_levels(const tx_params *p, int finest, int coarsest);

/** Say what keeps that m from being larger, as text for "bounded by ..."; true if it is the number of steps between things
 *  that are done, and then with what would allow more. Local. */
bool tx_macro_bound(const tx_params *p, int finest, int coarsest, char *text, size_t size);

/** Return m as it would be if everything were done at intervals that 2^m divides. Local. */
int tx_macro_longest(const tx_params *p, int finest, int coarsest);

/** Steps between rows of the worldtubes, as given or chosen; 0: there are none. Local. */
int tx_worldtube_every(const tx_params *p);

/** Demands of a macro step that is given on stability and on cadences. */
tx_params_demands tx_macro_step_demands;
