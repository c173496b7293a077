/* Punctures with momenta and spins, any number of them: the Hamiltonian constraint of Bowen-York data on the octree.
 *
 * Conformally flat, maximal slice; psi = 1 + \sum m_a/(2 r_a) + u with \Delta u + (1/8) A_ij A^ij psi^-7 = 0 and u -> 0 at infinity
 * (gr-qc/9703066). */
#pragma once

#include "elliptic/elliptic.h"
#include "physics/initial_data/initial_data_point.h"

/** What is asked for. */
typedef struct tx_elliptic_punctures_task {
  bool adm_masses; /**< masses below are ADM masses, reached by iterating bare masses */
  double mass[TX_PUNCTURES_MAX]; /**< M */
  int order;                     /**< of the differences */
  double reach;     /**< of the equation's domain, over that of the evolution, at least */
  int extra_levels; /**< at each puncture with spin, where u is not smooth */
  tx_elliptic_control control;
  /** Told of each solve, of one for each step to ADM masses, also of one that fails; NULL: nobody. */
  void (*record)(void *to, const tx_elliptic_history *history);
  void *to;
} tx_elliptic_punctures_task;

/** Collective. Solve on a forest made of `leaves`, the evolution's mesh. data: n, positions, momenta and spins are given; bare
 *  masses [out]. adm [out]: all of it. u [out]: on `leaves`, one variable; NULL: not wanted. Errors: TX_ERR_NUMERICS if the
 *  equation is not solved to the tolerance, ADM masses are not reached, or spins come out
 *  larger than punctures can have; those of tx_elliptic_forest_create and _create. */
tx_status tx_elliptic_punctures(const tx_mesh *leaves, const tx_elliptic_punctures_task *task,
                                tx_bowen_york *data, tx_adm_numbers *adm, tx_field *u);
