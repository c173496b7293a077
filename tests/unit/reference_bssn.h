/* A slow, plain and independent implementation of the equations of docs/numerics.md at one point, for comparison
 * with the generated code: index loops, and the Ricci tensor, covariant derivatives and Weyl tensor
 * from the *physical* metric gamma_ij = gt_ij / chi. Jets are those of tx_system.psi4_at. */
#pragma once

#include "physics/bssn.h"

/** Right-hand sides at x, where the spacing is 1; `ko` is the dissipation to be added to each. */
void reference_rhs(const tx_system_params *p, const double jets[TX_VARS][10],
                   const double ko[TX_VARS], const double x[3], double rhs[TX_VARS]);

/** H, M^i, G^i; At must be tracefree. */
void reference_constraints(const double jets[TX_VARS][10], double out[TX_CONSTRAINTS]);

/** E_ij and B_ij. */
void reference_weyl(const double jets[TX_VARS][10], double E[3][3], double B[3][3]);

/** Value and derivatives of order 4, 6 or 8 at a patch's point by direct sums over all points of the stencils. */
void reference_jet(double h, int order, const double *patch_v, int i, int j, int k, double jet[10]);

/** beta^k d_k of order 4 or 6 with one point more on the side that beta points to, from which it brings values. */
double reference_upwind(double h, int order, const double beta[3], const double *patch_v, int i,
                        int j, int k);

/** Dissipation of order 5 or 7 at a patch's point, summed over the dimensions in the bit mask `dims`. */
double reference_ko(double h, int order, double sigma, unsigned dims, const double *patch_v, int i,
                    int j, int k);
