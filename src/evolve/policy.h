/* Which level each octant should have: pure functions of parameters, positions and errors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/grid.h"
#include "params/params.h"

/** A place whose surroundings are refined: `level` within `radius` of x, one level less each time
 *  that the distance has grown by the factor `growth`. */
typedef struct tx_focus {
  double x[3];
  int level;
  double radius; /**< M; 0: no refinement */
  double growth; /**< at least 1; 1: no refinement beyond `radius` */
  /** tx_focus_spread: up to which distance each level is asked for, M; -1: nowhere. */
  double reach[TX_LEVELS];
} tx_focus;

/** The reach of all levels, when the rest has been set. Local. */
void tx_focus_spread(tx_focus *focus);

/** Everything that decides the level of an octant. */
typedef struct tx_policy {
  bool may_coarsen;
  int level_min,
      level_max; /**< finer octants are to be coarsened and coarser ones refined, whatever else asks */
  int n_focus;
  tx_focus focus[TX_PUNCTURES_MAX]; /**< punctures, mirrored into the domain */
  tx_focus ball;                    /**< around the origin, for the waves */
  double wavelet_tol, wavelet_tol_far, wavelet_radius, coarsen_below;
  const struct tx_grid_limit *limit; /**< what the grid must fit into, NULL: no limit; borrowed */
} tx_policy;

/** Factor by which distances are reduced when an octant is tested for coarsening, so that octants near a limiting
 *  radius do not change level back and forth. */
#define TX_POLICY_MARGIN 1.25

/** A regrid makes the grid for where moving punctures will be after this part of grid.regrid_every: from the middle of their
 *  levels they are then never further than they go in the larger of the two parts. */
#define TX_POLICY_AHEAD 0.5

/** The policy of parameters `p` with `n` punctures at x[n][3]; level[a] is puncture a's finest
 *  level. Local. */
void tx_policy_init(const tx_params *p, int n, const double (*x)[3], const int *level,
                    tx_policy *out);

/** Finest level of puncture a from the parameters. Local. */
int tx_policy_puncture_level(const tx_params *p, int a);

/** Distance from the origin to which the ball asks for at least `level`, one below grid.ball_level or coarser,
 *  M: the outer boundary for the coarsest. Local. */
double tx_policy_ball_reach(const tx_params *p, int level);

/** Distance from x to the closed box [low, low + size]^3, M. Local. */
double tx_box_distance(const double low[3], double size, const double x[3]);

/** Largest wavelet error allowed at radius r from the origin. Local. */
double tx_policy_tolerance(const tx_policy *policy, double r);

/** What an octant on `level` with the wavelet error `error` (not read if wavelet_tol is 0) wants:
 *  +1 to be refined, -1 that it may be coarsened, 0 neither. Local. */
int8_t tx_policy_flag(const tx_policy *policy, const double low[3], double size, int level,
                      double error);
