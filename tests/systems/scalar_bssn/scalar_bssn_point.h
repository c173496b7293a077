/* The generated arithmetic of BSSN with a scalar field at one point, for units that know the names of another system. Jets as
 * tx_system.psi4_at takes them. Variables are those of BSSN in their order, phi and Pi. */
#pragma once

#include "physics/system.h"

enum { SCALAR_VARS = 26, SCALAR_PHI = 24, SCALAR_PI = 25 };
/* Its analysis quantities: the constraints, rho and S_i. */
enum { SCALAR_RHO = TX_CONSTRAINTS, SCALAR_S, SCALAR_QUANTITIES = SCALAR_S + 3 };
/* Its parameters in tx_system_params.own. */
enum { SCALAR_DAMPING, SCALAR_MASS, SCALAR_SELF_INTERACTION };

/** Right-hand sides at x, where the spacing is 1. */
void scalar_rhs(const tx_system_params *p, const double jets[SCALAR_VARS][10], const double x[3],
                double rhs[SCALAR_VARS]);
void scalar_constraints(const tx_system_params *p, const double jets[SCALAR_VARS][10],
                        double out[SCALAR_QUANTITIES]);
/** xx, xy, xz, yy, yz, zz. */
void scalar_weyl(const double jets[SCALAR_VARS][10], double E[6], double B[6]);
