/* What includers of physics/generated/bssn_rhs.inc make of the parameters. */
#pragma once

#include "base/types.h"
#include "physics/bssn.h"

/** V(variable, order of the derivatives that it needs), in the order in which bssn_rhs.inc takes them. */
/* clang-format off */
#define TX_BSSN_LOADS(V) \
  V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) V(GT22, 2) V(GAMT0, 1) V(GAMT1, 1) \
  V(GAMT2, 1) V(CHI, 2) V(ALPHA, 2) V(K, 1) V(BETA0, 2) V(BETA1, 2) V(BETA2, 2) V(B0, 0) \
  V(B1, 0) V(B2, 0) V(AT00, 0) V(AT01, 0) V(AT02, 0) V(AT11, 0) V(AT12, 0) V(AT22, 0)
/* clang-format on */

/** Declares the scalar inputs of bssn_rhs.inc from a tx_bssn_params, all but eta (eta_point.h). */
#define TX_BSSN_SCALARS(p)                                                                         \
  const double lambda_f0 = (p)->lambda_f0, lambda_f1 = (p)->lambda_f1;                             \
  const double advect_Gt = (p)->advect_Gt, lapse_pull = (p)->lapse_pull;                           \
  const double shift_on = (p)->shift == TX_SHIFT_ZERO ? 0.0 : 1.0;                                 \
  const double lapse_c0 = (p)->slicing == TX_SLICING_HARMONIC ? 0.0 : 2.0;                         \
  const double lapse_c1 = (p)->slicing == TX_SLICING_HARMONIC ? 1.0 : 0.0

/** Factor, 0 or 1, of beta^k d_k u in the equation of variable v. */
TX_HD static inline double tx_bssn_advection(const tx_bssn_params *p, int v) {
  if (v == TX_VAR_ALPHA) return p->advect_lapse;
  if (v >= TX_VAR_BETA0 && v <= TX_VAR_BETA2) return p->advect_shift;
  if (v >= TX_VAR_B0 && v <= TX_VAR_B2) return p->advect_B;
  return 1.0;
}
