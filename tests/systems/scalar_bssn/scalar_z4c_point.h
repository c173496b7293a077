/* The generated arithmetic of Z4c with a scalar field at one point: variables of Z4c, then phi and Pi. */
#pragma once

#include "physics/system.h"

enum { SCALAR_Z4C_VARS = 27, SCALAR_Z4C_THETA = 24, SCALAR_Z4C_PHI, SCALAR_Z4C_PI };
/* Its parameters in tx_system_params.own: kappa1, kappa2, mass, self_interaction. */
enum { SCALAR_Z4C_MASS = 2 };

void scalar_z4c_rhs(const tx_system_params *p, const double jets[SCALAR_Z4C_VARS][10],
                    double rhs[SCALAR_Z4C_VARS]);
void scalar_z4c_constraints(const tx_system_params *p, const double jets[SCALAR_Z4C_VARS][10],
                            double out[TX_CONSTRAINTS]);
