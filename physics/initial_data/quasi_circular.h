/* Momenta of black holes on quasi-circular orbits, from post-Newtonian theory. */
#pragma once

#include <stdbool.h>

/** A binary with the sum of its masses 1 on the x axis, centre of mass at the origin, orbiting
 *  counter-clockwise about z: puncture 1 at (separation m2, 0, 0), puncture 2 at (-separation m1, 0, 0),
 *  momenta (-p_r, p_t, 0) and (p_r, -p_t, 0). */
typedef struct tx_quasi_circular {
  double mass[2]; /**< ADM masses of the punctures, sum 1 */
  double position[2][3], momentum[2][3], spin[2][3];
  double p_t, p_r;  /**< tangential and radial momentum, p_r > 0 inwards */
  double frequency; /**< orbital angular frequency, 1/M, of spins off z on average over an orbit */
} tx_quasi_circular;

/** Compute the momenta of a quasi-circular orbit from separation (M), mass ratio m1/m2 and dimensionless spins at t = 0 in
 *  this frame, in which the orbital angular momentum sum x cross P is along z: p_t to 3.5PN (arXiv:1702.00872 eq. 7,
 *  1810.00036 eq. A2) and p_r from the loss of energy, for the spins' parts along z. Parts in the plane of the orbit enter
 *  at 2PN, with the oscillation at twice the orbital frequency that no choice of momenta avoids, and without one at the
 *  frequency of the orbit: docs/numerics.md. Local. */
void tx_quasi_circular_momenta(double separation, double mass_ratio, const double chi1[3],
                               const double chi2[3], tx_quasi_circular *out);

/** Return whether the series give a slow inspiral. The radial momentum grows inwards up to the last stable orbit, where
 *  they break down. Local. */
bool tx_quasi_circular_inspirals(double separation, double mass_ratio, const double chi1[3],
                                 const double chi2[3]);

/** Forecast of the inspiral of a quasi-circular binary until the common horizon: effective-one-body equations of motion
 *  (TEOBResumS, arXiv:1806.01772) from the circular orbit with the orbital angular momentum of the momenta above, up to the
 *  largest orbital frequency; spins and orbital plane precess. docs/numerics.md has what it says beside evolutions. time:
 *  M; where the orbit is not stable, both results are those of the last stable one. Local. */
typedef struct tx_inspiral_forecast {
  double time, orbits;
} tx_inspiral_forecast;
void tx_quasi_circular_forecast(double separation, double mass_ratio, const double chi1[3],
                                const double chi2[3], tx_inspiral_forecast *out);

/** Forecast the inspiral of a binary with this `share` of the orbital angular momentum of `orbit`, near 1. */
void tx_quasi_circular_forecast_of(const tx_quasi_circular *orbit, double share,
                                   tx_inspiral_forecast *out);

/** First function: return the separation of the last stable circular orbit, M, at least 3 M. Second function: the least
 *  separation at which the series above also give an inspiral. Local. */
double tx_quasi_circular_last_stable(double mass_ratio, const double chi1[3], const double chi2[3]);
double tx_quasi_circular_nearest(double mass_ratio, const double chi1[3], const double chi2[3]);

/** Return the separation of the orbit with this angular frequency, 1/M, or with this number of orbits to merger; 0 if it is
 *  below the least separation, or beyond 200 M. Local. */
double tx_quasi_circular_separation_at(double frequency, double mass_ratio, const double chi1[3],
                                       const double chi2[3]);
double tx_quasi_circular_separation_of(double orbits, double mass_ratio, const double chi1[3],
                                       const double chi2[3]);
