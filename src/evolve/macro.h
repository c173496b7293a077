/* Local time steps: the step of each level, and the work of a macro step. */
#pragma once

#include <stdbool.h>
#include "octree/level.h"
#include "params/params.h"

/** How the levels of a mesh divide a macro step, after which all are synchronised. With one time step for all
 *  levels it is that step, and there are no covered octants. */
typedef struct tx_macro {
  bool
      of_levels; /**< each level takes its own steps, on the grid of its leaves and covered octants */
  int m;         /**< the macro step has 2^m of the steps that are counted */
  double dt, step;             /**< that step, of the level tx_step_level; macro step, M */
  tx_gidx nodes[TX_LEVELS];    /**< octants that are computed, by level */
  int64_t steps[TX_LEVELS];    /**< of a level in a macro step */
  double octant_stages;        /**< in a macro step: stages of all octants that are computed */
  double octant_stages_global; /**< those of one step for all levels, in the same time */
} tx_macro;

/** Local. */
void tx_macro_of(const tx_params *p, const tx_mesh *mesh, tx_macro *out);

/** Share of a level in the work of a macro step. Local. */
double tx_macro_share(const tx_macro *macro, int level);

/** Work with one time step for all levels, over the work of this macro step. Local. */
double tx_macro_gain(const tx_macro *macro);

/** With local time steps: work of a macro step, over its work without the levels finer than `level`. Local. */
double tx_macro_remnant_gain(const tx_macro *macro, int level);

/** Largest n <= m such that 2^n steps may be taken from `step` on and macro steps still end at multiples of 2^m. It
 *  is less than m only after a restart between such multiples. Local. */
int tx_macro_levels_from(int m, int64_t step);
