/* Punctures with momenta and spins, any number of them: the Hamiltonian constraint of Bowen-York data, and the equation of
 * their maximal lapse, on the octree.
 *
 * Conformally flat, maximal slice; psi = 1 + \sum m_a/(2 r_a) + u with \Delta u + (1/8) A_ij A^ij psi^-7 = 0 and u
 * -> 0 at infinity (gr-qc/9703066). The lapse is alpha = w/psi with \Delta w - (7/8) A_ij A^ij psi^-8 w = 0 and w
 * -> 1 at infinity (gr-qc/9708035). Solutions differ by the behaviour of w at punctures: w = 1 - \sum m_a/(2 r_a)
 * + ... gives alpha = -1 there, w = psi + ... gives 1. The regular w lies half way: it is between 0 and 1 by the
 * maximum principle, and alpha falls to 0 like r at punctures, as moving punctures need it. Without momenta and
 * spins it is 1, and alpha = 1/psi. */
#pragma once

#include "elliptic/ground.h"
#include "physics/initial_data/initial_data_point.h"

/** Input of a solve. */
typedef struct tx_elliptic_punctures_task {
  bool adm_masses; /**< masses below are ADM masses, reached by iterating bare masses */
  double mass[TX_PUNCTURES_MAX]; /**< M */
  int mass_steps;                /**< most steps to ADM masses, 0 for what is enough */
  tx_elliptic_how how;
} tx_elliptic_punctures_task;

/** Fields of one variable on the evolution's mesh; NULL: not wanted. */
typedef struct tx_elliptic_punctures_fields {
  tx_field *u, *w; /**< u; w - 1 */
} tx_elliptic_punctures_fields;

/** Collective. Solve on a forest made of `leaves`, the evolution's mesh. data: n, positions, momenta and spins are given; bare
 *  masses [out]. adm [out]: all of it. The lapse is solved for if its field is wanted. Errors: TX_ERR_NUMERICS if an
 *  equation is not solved to the tolerance, ADM masses are not reached, or spins come out
 *  larger than punctures can have; those of tx_elliptic_ground_make. */
tx_status tx_elliptic_punctures(const tx_mesh *leaves, const tx_elliptic_punctures_task *task,
                                tx_bowen_york *data, tx_adm_numbers *adm,
                                const tx_elliptic_punctures_fields *out);

/** Collective. Compute w - 1 [out] of data whose u is a series. adm: what the solve took [out]. Errors: as above. */
tx_status tx_elliptic_lapse(const tx_mesh *leaves, const tx_elliptic_how *how,
                            const tx_bowen_york *data, tx_adm_numbers *adm, tx_field *w);
