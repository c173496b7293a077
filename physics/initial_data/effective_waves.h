/* The waves of two bodies as one: the angular momentum that they take, from factorised multipoles. */
#pragma once

#include "physics/initial_data/effective_body.h"

/** Return dp_phi/dt, 1/M: minus the torque of waves and horizons over the reduced mass, for the parts of the spins along
 *  the orbital angular momentum. Multipoles to l = 5 are factorised as arXiv:0811.2069 has them: source, tail and the power
 *  l of an amplitude of 3PN, with the terms of a small body to 5PN; of spins arXiv:1406.6913 and next-to-leading squares.
 *  (2,2) has the correction for noncircular orbits of arXiv:1703.06814. `e` as tx_eob_at has it; w: dE/dp_phi. Local. */
double tx_eob_torque(const tx_eob *e, const tx_eob_orbit *o, double w);
