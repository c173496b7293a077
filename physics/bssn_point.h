/* What includers of physics/generated/bssn_rhs.inc make of the parameters. */
#pragma once

#include "base/types.h"
#include "physics/bssn.h"
#include "physics/generated/bssn_lists.h"

/** Declares the scalar inputs of bssn_rhs.inc from a tx_bssn_params, all but eta (eta_point.h). */
#define TX_BSSN_SCALARS(p)                                                                         \
  const double lambda_f0 = (p)->lambda_f0, lambda_f1 = (p)->lambda_f1;                             \
  const double advect_Gt = (p)->advect_Gt, lapse_pull = (p)->lapse_pull;                           \
  const double shift_on = (p)->shift == TX_SHIFT_ZERO ? 0.0 : 1.0;                                 \
  const double lapse_c0 = (p)->slicing == TX_SLICING_HARMONIC ? 0.0 : 2.0;                         \
  const double lapse_c1 = (p)->slicing == TX_SLICING_HARMONIC ? 1.0 : 0.0

/** Factor, 0 or 1, of beta^k d_k u in the equation of variable v. */
TX_HD static inline double tx_bssn_advection(const tx_bssn_params *p, int v) {
  switch (v) {
#define V(variable, parameter)                                                                     \
  case TX_VAR_##variable:                                                                          \
    return p->parameter;
    TX_BSSN_ADVECTED(V)
#undef V
  default:
    return 1.0;
  }
}
