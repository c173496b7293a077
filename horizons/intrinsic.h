/* The metric and the connection of a surface at one of its points, in the frame of the unit sphere. */
#pragma once

#include "horizons/expansion.h"

/** Components along e[0] and e[1] of a tx_surface_jet, on the unit sphere. */
typedef enum tx_intrinsic_column {
  TX_INTRINSIC_METRIC,                               /**< q_AB: 11, 12, 22, M^2 */
  TX_INTRINSIC_CONNECTION = TX_INTRINSIC_METRIC + 3, /**< C^1_AB, C^2_AB: 11, 12, 22 each; the
                                                       surface's connection less the sphere's */
  TX_INTRINSIC_COLUMNS = TX_INTRINSIC_CONNECTION + 6
} tx_intrinsic_column;

/** Compute how the points of the surface move along e[0] and e[1]: [out] X[2][3], d x^i / d e_A, M. Local. */
void tx_surface_tangents(const tx_surface_jet *s, double X[2][3]);

/** Compute the intrinsic columns of a point, [out] column. Not finite where the metric is not positive definite. Local. */
void tx_horizon_intrinsic(const tx_adm_jet *g, const tx_surface_jet *s,
                          double column[TX_INTRINSIC_COLUMNS]);
