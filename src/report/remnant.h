/* Signs of spins, and energy and momentum of the remnant, for the log and the summary. */
#pragma once

#include "gw_extraction/fluxes.h"
#include "horizons/horizon.h"
#include "physics/initial_data/initial_data.h"

/** Energy, momentum and angular momentum of a hole that moves. */
typedef struct tx_moving_hole {
  double momentum[3];         /**< M */
  double energy;              /**< sqrt(mass^2 + momentum^2), M */
  double angular_momentum[3]; /**< spin, and centroid x momentum, M^2 */
} tx_moving_hole;

/** Find the motion of the remnant: its momentum is that of the data minus `radiated`, totals of fluxes
 *  [TX_FLUX_COUNT]; NULL: not known. Local. */
void tx_moving_hole_of(const tx_adm_numbers *adm, const tx_horizon *h, const double *radiated,
                       tx_moving_hole *out);

#define TX_SPIN_TEXT 96
/** Write a dimensionless spin of size `chi` along S (any unit): "-0.2000", below 0 where it points against the orbital angular momentum of the data,
 *  or along -z where there is none; one with a direction of its own as "0.5000, vector (0.3000, 0.0000, -0.4000)". Local. */
const char *tx_spin_text(const tx_adm_numbers *adm, double chi, const double S[3], int digits,
                         char text[TX_SPIN_TEXT]);
