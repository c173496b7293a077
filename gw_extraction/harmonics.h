/* Spin-weighted spherical harmonics
 *   _sY_lm(theta, phi) = (-1)^s sqrt((2 l + 1)/(4 pi)) d^l_{m,-s}(theta) e^{i m phi}
 * with the d^l_{ms} of the Goldberg sum, arXiv:0709.0093 eq. II.7-8. For s = 0 they are the usual
 * Y_lm with the Condon-Shortley phase. They are computed by the recurrence of the Wigner functions
 * in l, which loses nothing at any l. */
#pragma once

#include "base/status.h"

/** All _sY_lm of one s up to l_max, ready to be evaluated. */
typedef struct tx_harmonics tx_harmonics;

/** Local. Create tables of harmonics. Errors: TX_ERR_PARAM unless |s| <= l_max <= 200; TX_ERR_MEMORY. */
tx_status tx_harmonics_create(int s, int l_max, tx_harmonics **out);
void tx_harmonics_destroy(tx_harmonics *h);

/** Return the lowest l at azimuthal number m: max(|m|, |s|). Local. */
int tx_harmonics_lowest(const tx_harmonics *h, int m);

/** Compute y[l - lowest] = _sY_lm(theta, 0) for l = lowest .. l_max. z, rho: [in] cos(theta), sin(theta).
 *  Local. The values at (m, z) and (-m, -z) agree to the last bit, up to their sign. */
void tx_harmonics_theta(const tx_harmonics *h, int m, double z, double rho, double *y);
