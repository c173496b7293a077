#include "physics/generated/z4c_names.h"

#include "physics/octant/weyl_point.h"
#include "rhs_point.h"
#include "z4c_point.h"

_Static_assert((int)TX_VARS == Z4C_VARS && (int)TX_VAR_THETA == Z4C_THETA, "as z4c_point.h says");
_Static_assert((int)TX_OWN_KAPPA1 == Z4C_KAPPA1 && (int)TX_OWN_KAPPA2 == Z4C_KAPPA2, "as it says");

void z4c_rhs(const tx_system_params *p, const double jets[Z4C_VARS][10], const double ko[Z4C_VARS],
             const double x[3], double rhs[Z4C_VARS]) {
  rhs_point(p, jets, ko, x, rhs);
}

void z4c_constraints(const double jets[Z4C_VARS][10], double out[TX_CONSTRAINTS]) {
  constraints_point(NULL, jets, out);
}

void z4c_weyl(const double jets[Z4C_VARS][10], double E[6], double B[6]) {
  tx_weyl_point(jets, (const double[3]){0.0}, E, B);
}

const char *z4c_name(int v) {
  static const char *const names[] = {
#define V(enumerator, name, ...) #name,
#include "physics/generated/z4c_variables.def"
#undef V
  };
  return names[v];
}
