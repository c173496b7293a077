/* A pair of black holes on circular orbits in post-Newtonian theory: what the files about quasi-circular data share. */
#pragma once

/** As the formulae see it: G = c = m1 + m2 = 1, body 2 the heavier one, spins along z, ADM coordinates. */
typedef struct tx_pair {
  double m1, m2, q; /**< q = m2/m1 */
  double chi1, chi2, S1, S2;
  double r; /**< separation */
} tx_pair;

/** From the mass ratio m1/m2 of bodies in any order. Local. */
tx_pair tx_pair_make(double separation, double mass_ratio, double chi1, double chi2);

/** Orbital angular frequency to 3.5PN: arXiv:1810.00036 eq. A1. Local. */
double tx_pair_frequency(const tx_pair *b);

/** Energy that waves and horizons take a time on a circular orbit of this frequency, to 4PN in spins: arXiv:1502.01747,
 *  0709.0093. Local. */
double tx_pair_energy_loss(const tx_pair *b, double frequency);

/** -dr/dt: energy that is lost over dE/dr of circular orbits, to 3.5PN; good far outside of the last stable orbit. Local. */
double tx_pair_shrinking(const tx_pair *b);
