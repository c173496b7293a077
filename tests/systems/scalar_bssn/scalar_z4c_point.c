#include "scalar_z4c/scalar_z4c_names.h"

#include "systems/scalar_bssn/scalar_z4c_point.h"
#include "unit/rhs_point.h"

_Static_assert((int)TX_VARS == SCALAR_Z4C_VARS && (int)TX_VAR_THETA == SCALAR_Z4C_THETA,
               "as it says");
_Static_assert((int)TX_VAR_PHI == SCALAR_Z4C_PHI && (int)TX_VAR_PI == SCALAR_Z4C_PI, "as it says");
_Static_assert((int)TX_OWN_MASS == SCALAR_Z4C_MASS, "as it says");
_Static_assert((int)TX_OWN_SELF_INTERACTION == SCALAR_Z4C_MASS + 1, "as it says");

void scalar_z4c_rhs(const tx_system_params *p, const double jets[SCALAR_Z4C_VARS][10],
                    double rhs[SCALAR_Z4C_VARS]) {
  const double nothing[SCALAR_Z4C_VARS] = {0.0};
  rhs_point(p, jets, nothing, nothing, rhs);
}

void scalar_z4c_constraints(const tx_system_params *p, const double jets[SCALAR_Z4C_VARS][10],
                            double out[TX_CONSTRAINTS]) {
  constraints_point(p, jets, out);
}
