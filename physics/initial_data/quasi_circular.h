/* Momenta of black holes on quasi-circular orbits, from post-Newtonian theory. */
#pragma once

/** A binary with the sum of its masses 1 on the x axis, centre of mass at the origin, orbiting
 *  counter-clockwise about z: puncture 1 at (separation m2, 0, 0), puncture 2 at (-separation m1, 0, 0),
 *  momenta (-p_r, p_t, 0) and (p_r, -p_t, 0). */
typedef struct tx_quasi_circular {
  double mass[2]; /**< ADM masses of the punctures, sum 1 */
  double position[2][3], momentum[2][3], spin[2][3];
  double p_t, p_r;  /**< tangential and radial momentum */
  double frequency; /**< orbital angular frequency, 1/M */
} tx_quasi_circular;

/** From separation (M), mass ratio m1/m2 and dimensionless spins: p_t to 3.5PN (arXiv:1702.00872 eq. 7,
 *  1810.00036 eq. A2), p_r from the loss of energy. Momenta see only the spins along z. Local. */
void tx_quasi_circular_momenta(double separation, double mass_ratio, const double chi1[3],
                               const double chi2[3], tx_quasi_circular *out);

/** Time until a pair on a quasi-circular orbit merges, about, in M as above: r / (4 |dr/dt|), which is exact where
 *  |dr/dt| goes as r^-3, with dr/dt of 3.5PN, and the plunge. Pairs without spins that started at 6.5 to 10 M
 *  merged up to 8% later. Spins along z. Local. */
double tx_quasi_circular_time(double separation, double mass_ratio, double chi1, double chi2);
