/* Brill waves: the Hamiltonian constraint of the conformal metric of brill_point.h on the octree, \Delta\psi + V
 * \psi = 0 with psi -> 1 at infinity. A solution that is positive everywhere, and so an initial slice, exists only
 * for amplitudes in a bounded interval (O Murchadha, 1993): at its ends the operator has an eigenvalue of 0, and
 * the mass grows without bound. */
#pragma once

#include "elliptic/ground.h"
#include "physics/initial_data/initial_data_point.h"

/** Collective. Solve on a forest made of `leaves`, the evolution's mesh. adm: energy and what the solve took [out]. u [out]: psi - 1
 *  on `leaves`, one variable; NULL: not wanted. Errors: TX_ERR_NUMERICS if the equation is not solved to the tolerance, or psi is
 *  not positive; those of tx_elliptic_ground_make. */
tx_status tx_elliptic_brill(const tx_mesh *leaves, const tx_elliptic_how *how, const tx_brill *wave,
                            tx_adm_numbers *adm, tx_field *u);
