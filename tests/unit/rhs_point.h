/* The generated right-hand sides of the system whose names the includer knows, at one point in plain double precision, from jets as tx_system.psi4_at
 * takes them, the dissipation of each variable, and the coordinates x; the spacing is 1. */
#pragma once

#include "physics/functions_point.h"
#include "physics/octant/scalars.h"
#include "physics/eta_point.h"

static inline double rhs_point_advection(const tx_system_params *p, int v,
                                         const double jets[TX_VARS][10]) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += jets[TX_VAR_BETA0 + k][0] * jets[v][1 + k];
  return tx_rhs_advection(p, v) * sum;
}

static inline void rhs_point(const tx_system_params *p, const double jets[TX_VARS][10],
                             const double ko[TX_VARS], const double at[3], double rhs[TX_VARS]) {
  typedef double tx_real;
  double added[TX_VARS] = {0.0};
  const double gt[6] = {jets[TX_VAR_GT00][0], jets[TX_VAR_GT01][0], jets[TX_VAR_GT02][0],
                        jets[TX_VAR_GT11][0], jets[TX_VAR_GT12][0], jets[TX_VAR_GT22][0]};
  const double eta = tx_eta_point(p, at, gt, jets[TX_VAR_CHI][0], &jets[TX_VAR_CHI][1]);
#define S(name) const double name = tx_scalar_##name(p, 1.0);
  TX_RHS_SCALARS(S)
#undef S
#define TX_VALUE(v) jets[TX_VAR_##v][0]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)     jets[TX_VAR_##v][1 + (i)]
#define TX_DD(v, i, j) jets[TX_VAR_##v][4 + (i) * (5 - (i)) / 2 + (j)]
#define TX_ADV(v)      (rhs_point_advection(p, TX_VAR_##v, jets) + ko[TX_VAR_##v] + added[TX_VAR_##v])
#define TX_MORE(v, f, e)                                                                           \
  if ((f) != 0.0) added[TX_VAR_##v] += (f) * (e);
#define TX_STORE(v, e)   rhs[TX_VAR_##v] = e
#define TX_COORDINATE(d) at[d]
#define TX_TIME          p->time
#include "physics/define_point.h"
#include TX_SYSTEM_RHS
#include "physics/undefine.h"
}

/** The generated constraints at one point, and further analysis quantities behind them. */
static inline void constraints_point(const tx_system_params *p, const double jets[TX_VARS][10],
                                     double out[TX_ANALYSES]) {
  typedef double tx_real;
  (void)p; /* not every system asks for it */
#ifdef TX_ANALYSIS_SCALARS
#define S(name) const double name = tx_scalar_##name(p, 1.0);
  TX_ANALYSIS_SCALARS(S)
#undef S
#endif
#define TX_VALUE(v) jets[TX_VAR_##v][0]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)     jets[TX_VAR_##v][1 + (i)]
#define TX_DD(v, i, j) jets[TX_VAR_##v][4 + (i) * (5 - (i)) / 2 + (j)]
#define TX_STORE(v, e) out[TX_ANALYSIS_##v] = e
#include "physics/define_point.h"
#include TX_SYSTEM_CONSTRAINTS
#include "physics/undefine.h"
}
