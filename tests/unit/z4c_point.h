/* The generated arithmetic of Z4c at one point, for units that know the names of another system. Jets as tx_system.psi4_at takes
 * them. Variables are those of BSSN in their order, Khat in the place of K, and Theta. */
#pragma once

#include "physics/system.h"

enum { Z4C_VARS = 25, Z4C_THETA = 24 };
/* Its parameters in tx_system_params.own. */
enum { Z4C_KAPPA1, Z4C_KAPPA2 };

/** Right-hand sides at x; `ko` is the dissipation to be added to each. */
void z4c_rhs(const tx_system_params *p, const double jets[Z4C_VARS][10], const double ko[Z4C_VARS],
             const double x[3], double rhs[Z4C_VARS]);
void z4c_constraints(const double jets[Z4C_VARS][10], double out[TX_CONSTRAINTS]);
/** xx, xy, xz, yy, yz, zz. */
void z4c_weyl(const double jets[Z4C_VARS][10], double E[6], double B[6]);
/** Name of a variable in files. */
const char *z4c_name(int v);
