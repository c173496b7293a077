#include "physics/generated/scalar_bssn_names.h"

#include "physics/octant/weyl_point.h"
#include "systems/scalar_bssn/scalar_bssn_point.h"
#include "unit/rhs_point.h"

_Static_assert((int)TX_VARS == SCALAR_VARS, "as scalar_bssn_point.h says");
_Static_assert((int)TX_VAR_PHI == SCALAR_PHI && (int)TX_VAR_PI == SCALAR_PI, "as it says");
_Static_assert((int)TX_ANALYSES == SCALAR_QUANTITIES, "as it says");
_Static_assert((int)TX_ANALYSIS_RHO == SCALAR_RHO && (int)TX_ANALYSIS_S0 == SCALAR_S, "as it says");
_Static_assert((int)TX_OWN_HAMILTONIAN_DAMPING == SCALAR_DAMPING, "as it says");
_Static_assert((int)TX_OWN_MASS == SCALAR_MASS, "as it says");
_Static_assert((int)TX_OWN_SELF_INTERACTION == SCALAR_SELF_INTERACTION, "as it says");

void scalar_rhs(const tx_system_params *p, const double jets[SCALAR_VARS][10], const double x[3],
                double rhs[SCALAR_VARS]) {
  const double ko[SCALAR_VARS] = {0.0};
  rhs_point(p, jets, ko, x, rhs);
}

void scalar_constraints(const tx_system_params *p, const double jets[SCALAR_VARS][10],
                        double out[SCALAR_QUANTITIES]) {
  constraints_point(p, jets, out);
}

void scalar_weyl(const double jets[SCALAR_VARS][10], double E[6], double B[6]) {
  tx_weyl_point(jets, (const double[3]){0.0}, E, B);
}
