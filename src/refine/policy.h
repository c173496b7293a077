/* Policy of a grid's refinement: parameters, bounds of levels, and the places of punctures. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "exec/exec.h"
#include "params/params.h"

/** A puncture that the grid is refined around. */
typedef struct tx_policy_puncture {
  double x[3];   /**< M, mirrored into the domain */
  int level;     /**< finest around it */
  double radius; /**< of that level, M; 0: no refinement */
} tx_policy_puncture;

/** Everything that decides the level of an octant, but for the data on the grid. Plain data. */
typedef struct tx_policy {
  const tx_params *params; /**< borrowed */
  bool may_coarsen;
  int level_min,
      level_max; /**< finer octants are to be coarsened and coarser ones refined, whatever else asks */
  int n_punctures;
  tx_policy_puncture puncture[TX_PUNCTURES_MAX];
  const struct tx_grid_limit *limit; /**< what the grid must fit into, NULL: no limit; borrowed */
} tx_policy;

/** A grid that is asked for its flags, and the state on it; borrowed. */
typedef struct tx_grid_data {
  const tx_mesh *mesh;
  tx_exec *exec;     /**< it and u: NULL if tx_policy_needs_data is false */
  const tx_field *u; /**< ghosts filled */
} tx_grid_data;

/** A regrid makes the grid for where moving punctures will be after this part of grid.regrid_every: from the middle of their
 *  levels they are then never further than they go in the larger of the two parts. */
#define TX_POLICY_AHEAD 0.5

/** The policy of parameters `p` with `n` punctures at x[n][3]; level[a] is puncture a's finest
 *  level. Borrows `p`. Local. */
void tx_policy_init(const tx_params *p, int n, const double (*x)[3], const int *level,
                    tx_policy *out);

/** Put puncture a at x. Local. */
void tx_policy_move(tx_policy *policy, int a, const double x[3]);

/** Multiply the radii around the punctures by `factor`. Local. */
void tx_policy_widen(tx_policy *policy, double factor);

/** Finest level of puncture a from the parameters. Local. */
int tx_policy_puncture_level(const tx_params *p, int a);

/** Whether a criterion looks at the state on the grid. Local. */
bool tx_policy_needs_data(const tx_policy *policy);

/** Refinement flags of the octants of this rank, by all criteria (criterion.h): 1 refine, -1 may coarsen, 0 neither.
 *  *flag: [out] [n_local], the caller frees it with tx_free. Collective. Errors: TX_ERR_USAGE for a criterion that needs a
 *  state that is not there; those of the criteria. */
tx_status tx_policy_flags(const tx_policy *policy, const tx_grid_data *data, int8_t **flag);
