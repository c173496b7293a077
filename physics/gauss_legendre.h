/* Gauss-Legendre quadrature. */
#pragma once

/** Compute nodes x [out] [n], from 1 down to -1, and weights w [out] [n] for integrals over [-1, 1]; symmetric to the last
 *  bit, and 0 where n is odd. Local. */
void tx_gauss_legendre(int n, double *x, double *w);
