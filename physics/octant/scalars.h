/* Constants that the right-hand sides of the unit's system derive from the parameters. */
#pragma once

#include "base/types.h"
#include "physics/system.h"

/* Scalar inputs of right-hand sides by name, whichever a system asks for (TX_RHS_SCALARS), where the spacing is h. */
#define SCALAR(name, value)                                                                        \
  TX_HD static inline double tx_scalar_##name(const tx_system_params *p, double h) {               \
    (void)p, (void)h;                                                                              \
    return value;                                                                                  \
  }
SCALAR(lambda_f0, p->lambda_f0)
SCALAR(lambda_f1, p->lambda_f1)
SCALAR(advect_Gt, p->advect_Gt)
SCALAR(lapse_pull, p->lapse_pull)
SCALAR(lapse_c0, p->slicing == TX_SLICING_HARMONIC ? 0.0 : 2.0)
SCALAR(lapse_c1, p->slicing == TX_SLICING_HARMONIC ? 1.0 : 0.0)
SCALAR(shift_on, p->shift == TX_SHIFT_ZERO ? 0.0 : 1.0)
TX_SYSTEM_SCALARS(SCALAR)
#undef SCALAR

/** Return the factor, 0 or 1, of beta^k d_k u in the equation of variable v. */
TX_HD static inline double tx_rhs_advection(const tx_system_params *p, int v) {
  (void)p; /* not every system asks for it */
  switch (v) {
#define V(variable, parameter)                                                                     \
  case TX_VAR_##variable:                                                                          \
    return p->parameter;
    TX_ADVECTED(V)
#undef V
  default:
    return 1.0;
  }
}
