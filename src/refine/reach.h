/* Refinement by distance from a point: up to which distance each level reaches. */
#pragma once

#include "base/grid.h"
#include "refine/criterion.h"

/** Factor by which distances are reduced when an octant is tested for coarsening, so that octants near a limiting
 *  radius do not change level back and forth. */
#define TX_REACH_MARGIN 1.25

/** Distances from x to which octants of each level reach, M; -1: the level is not asked for. */
typedef struct tx_reach {
  double x[3];
  double of[TX_LEVELS + 1];
} tx_reach;

/** `level` within `radius` (M; 0: nowhere) of x, one level less each time that the distance has grown by the factor `growth`
 *  (1: none beyond). Local. */
void tx_reach_init(const double x[3], int level, double radius, double growth, tx_reach *out);

/** Flag of an octant by its distance. Local. */
int tx_reach_flag(const tx_reach *reach, const tx_flag_octant *octant);

/** Distance from x to the closed box [low, low + size]^3, M. Local. */
double tx_box_distance(const double low[3], double size, const double x[3]);
