/* A pair of black holes on circular orbits in post-Newtonian theory: what the files about quasi-circular data share. */
#pragma once

/** Euler's constant. */
#define TX_EULER 0.57721566490153286061

/** As the formulae see it: G = c = m1 + m2 = 1, body 2 the heavier one, the orbital angular momentum along z, one body on
 *  the x axis; ADM coordinates. */
typedef struct tx_pair {
  double m1, m2, q;          /**< q = m2/m1 */
  double chi[2][3];          /**< dimensionless spins of bodies 1 and 2 */
  double chi1, chi2, S1, S2; /**< along the orbital angular momentum; S = m^2 chi */
  double r;                  /**< separation; for spins off z that of the mean orbit */
} tx_pair;

/** Return the pair of mass ratio m1/m2 of bodies in any order. Local. */
tx_pair tx_pair_make(double separation, double mass_ratio, const double chi1[3],
                     const double chi2[3]);

/** Let chi1, chi2, S1, S2 be the parts of the spins b->chi along the unit vector `axis`. Local. */
void tx_pair_project(tx_pair *b, const double axis[3]);

/** Compute the spin of the hole that attracts like both, over the mass: S1/m1 + S2/m2; Damour 2001, gr-qc/0103018. Local. */
void tx_pair_spin(const tx_pair *b, double a[3]);

/** Return the separation of the mean orbit, about which that of spins off z oscillates and is now b->r; docs/numerics.md.
 *  Local. */
double tx_pair_mean_separation(const tx_pair *b);

/** Return the orbital angular frequency to 3.5PN: arXiv:1810.00036 eq. A1; of spins off z the mean at 2PN. Local. */
double tx_pair_frequency(const tx_pair *b);

/** Return the orbital angular momentum to 3.5PN: arXiv:1810.00036 eq. A2; of spins off z the mean at 2PN. Local. */
double tx_pair_angular_momentum(const tx_pair *b);

/** Return the energy that waves and horizons take a time on a circular orbit of this frequency, to 4PN in spins:
 *  arXiv:1502.01747, 0709.0093; of spins off z the parts along it. Local. */
double tx_pair_energy_loss(const tx_pair *b, double frequency);

/** Return -dr/dt: energy loss over dE/dr of circular orbits, to 3.5PN; good far outside of the last stable orbit. Local. */
double tx_pair_shrinking(const tx_pair *b);
