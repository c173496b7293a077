/* Steps in time of levels: how far each level steps, and what that takes. */
#pragma once

#include <stdbool.h>
#include "octree/level.h"
#include "params/params.h"

/** How the levels of a mesh go through a macro step, after which all of them meet. With one step for all it is the time
 *  step, and there are no shadows. */
typedef struct tx_macro {
  bool of_levels;  /**< each level takes its own steps, on the grid of its leaves and shadows */
  int m;           /**< the macro step has 2^m of the steps that are counted */
  double dt, step; /**< that step, of the level tx_params_step_level; macro step, M */
  tx_gidx nodes[TX_LEVELS];    /**< octants that are computed, by level */
  int64_t steps[TX_LEVELS];    /**< of a level in a macro step */
  double octant_stages;        /**< in a macro step: stages of all octants that are computed */
  double octant_stages_global; /**< those of one step for all levels, in the same time */
} tx_macro;

/** Local. */
void tx_macro_of(const tx_params *p, const tx_mesh *mesh, tx_macro *out);

/** Share of a level in the work of a macro step. Local. */
double tx_macro_share(const tx_macro *macro, int level);

/** By how much there is less to compute than with one step for all levels. Local. */
double tx_macro_gain(const tx_macro *macro);

/** With steps of levels: by how much there is less to compute without the levels above `level`. Local. */
double tx_macro_remnant_gain(const tx_macro *macro, int level);

/** What of 2^m steps may be taken from `step` on, 2^(what is returned), so that macro steps go on to end at multiples of
 *  2^m: less than m only where a run that stopped in between goes on with other steps. Local. */
int tx_macro_levels_from(int m, int64_t step);
