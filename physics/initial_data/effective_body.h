/* Two black holes as one body about a deformed Kerr hole: effective-one-body equations of motion, averaged over the orbit's
 * phase, so that they hold for spins in any direction. All functions are local. */
#pragma once

#include "physics/initial_data/pair.h"

/** The equations, for spins that stand as they do now; masses add up to 1. */
typedef struct tx_eob {
  tx_pair pair; /**< with the parts of the spins along the orbital angular momentum */
  double nu;
  double spin,
      test_spin; /**< S = S1 + S2, S* = m2/m1 S1 + m1/m2 S2 along the orbital angular momentum */
  double
      kerr; /**< square of the spin over mass of the deformed Kerr hole, averaged over the phase */
  double unequal, sum, difference; /**< m2 - m1, m2 chi2 + m1 chi1, m2 chi2 - m1 chi1 */
  double squares; /**< square of spins at next-to-leading order, of their parts along the axis */
  double next_coupling; /**< of the spin-orbit couplings, as the spins stand at first */
  double reaction;      /**< factor of what waves and horizons take: 1 */
  double quartic;       /**< factor of the term with p_r^4, which is of slow bodies: 1 */
} tx_eob;

/** Separation, its momentum and the orbital angular momentum over the reduced mass, angle from the start in the orbit's plane;
 *  direction of the orbital angular momentum, dimensionless spins of bodies 1 and 2. */
typedef struct tx_eob_orbit {
  double r, p_r, p_phi, phi;
  double axis[3], chi[2][3];
} tx_eob_orbit;

/** Return the equations of two bodies: the (1, 5) Pade approximant of A(u) to 4PN with the logarithms of 5PN and the
 *  calibrated a6 of arXiv:1506.08457, as in TEOBResumS (arXiv:1806.01772); spins of the pair, about z. */
tx_eob tx_eob_make(const tx_pair *b);

/** Return the same bodies with the spins and axis of `o`. */
tx_eob tx_eob_at(const tx_eob *e, const tx_eob_orbit *o);

/** Return the energy minus that of rest over the reduced mass; spin-orbit couplings to next-to-next-to-leading order, with
 *  their terms of p_r, arXiv:1406.6913 eq. 21, 22, and the calibrated next one of arXiv:1806.01772. Only e's parts of the
 *  spins count. */
double tx_eob_energy(const tx_eob *e, double r, double p_r, double p_phi);

/** Return the derivatives of the energy; the one by p_phi is the angular frequency. */
double tx_eob_by_r(const tx_eob *e, double r, double p_r, double p_phi);
double tx_eob_by_p_r(const tx_eob *e, double r, double p_r, double p_phi);
double tx_eob_by_p_phi(const tx_eob *e, double r, double p_r, double p_phi);

/** Return sqrt(A/B), AB = (r/r_c)^2 D of arXiv:1406.6913: p_r is conjugate to the tortoise radius; D as gr-qc/0005034. */
double tx_eob_tortoise(const tx_eob *e, double r);

/** Return the radius r_w with w^2 r_w^3 = 1 along circular orbits: arXiv:1406.6913. */
double tx_eob_kepler(const tx_eob *e, double r, double p_phi);

/** Compute rate [out], the angular velocities of spins 1 and 2, dE/dS_a. `e` as tx_eob_at has it. */
void tx_eob_precession(const tx_eob *e, const tx_eob_orbit *o, double rate[2][3]);

/** Torque of waves and horizons on an orbit, dp_phi/dt; w: dE/dp_phi. */
typedef double tx_eob_reaction(const tx_eob *e, const tx_eob_orbit *o, double w);

/** Advance an orbit by one step of the classical Runge-Kutta method. torque: tx_eob_torque, which takes energy and orbital
 *  angular momentum; NULL: energy, total angular momentum and lengths of the spins are constants. */
void tx_eob_step(const tx_eob *e, tx_eob_orbit *o, double dt, tx_eob_reaction *torque);
