/* The expansion of a surface at one of its points, and how it changes with the surface. */
#pragma once

#include "physics/adm.h"

/** The surface r = h at a point. e[0] along theta, e[1] along phi: unit vectors, orthogonal to
 *  each other and to n in flat space. Derivatives of h on the unit sphere in this frame, second
 *  ones covariant. */
typedef struct tx_surface_jet {
  double n[3], e[2][3];
  double h, d[2], dd[3]; /**< dd: 11, 12, 22 */
} tx_surface_jet;

/** Quantities at a point that a search needs. */
typedef enum tx_horizon_column {
  TX_HORIZON_THETA,
  TX_HORIZON_BY_H,                        /**< d Theta / d h */
  TX_HORIZON_BY_D,                        /**< d Theta / d d[2] */
  TX_HORIZON_BY_DD = TX_HORIZON_BY_D + 2, /**< d Theta / d dd[3] */
  TX_HORIZON_RATE = TX_HORIZON_BY_DD + 3, /**< -2 over d Theta / d (dd 11 + dd 22), M^2 */
  TX_HORIZON_AREA,                        /**< physical area over solid angle, M^2 */
  TX_HORIZON_SPIN, /**< K_jk s^k, the part that lies in the surface: three components */
  TX_HORIZON_OWNERS = TX_HORIZON_SPIN + 3, /**< ranks that sampled the point: 1 */
  TX_HORIZON_COLUMNS
} tx_horizon_column;

/** Compute the columns of a point, [out] column, all but the owners. Not finite where the metric is not positive definite.
 *  Local. */
void tx_horizon_expansion(const tx_adm_jet *g, const tx_surface_jet *s,
                          double column[TX_HORIZON_COLUMNS]);
