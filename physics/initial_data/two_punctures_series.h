/* Estimates from the coefficients of a series of n points, [n/2][k in A][l in B], of u = (A - 1) U. */
#pragma once

#include <stddef.h>
#include "base/status.h"

/** Compute u at the foci [out], A = 0, B = +-1. Local. */
void tx_series_foci(int n, const double *series, double u[2]);

/** Return lim r u over the half distance of the foci: the mean of -U over the sphere A = 1. Local. */
double tx_series_monopole(int n, const double *series);

/** Estimate what the terms beyond the last add to u at most, judged by the last two in each direction. Local. */
double tx_series_tail(int n, const double *series);

/** Pack the coefficients in the order of tx_spectral, without those at the ends of rows that add up to less than
 *  `negligible`. [out] *count, *packed, owned by the caller. Local. Errors: TX_ERR_MEMORY. */
tx_status tx_series_pack(int n, const double *series, double negligible, size_t *count,
                         double **packed);
