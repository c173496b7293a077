/* Metric, shift and lapse at a point, and how they change along a direction and in time. */
#include "physics/octant/octant.h"

#ifdef TX_SYSTEM_METRIC
#include <math.h>

#include "physics/functions_point.h"
#include "physics/octant/scalars.h"

/* beta^k d_k of a variable, times its switch. */
static double advection(const tx_system_params *p, const double (*jets)[10], int v) {
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += jets[TX_SYSTEM_SHIFT + k][0] * jets[v][1 + k];
  return tx_rhs_advection(p, v) * sum;
}

/* The generated right-hand sides, without dissipation and without what is in proportion to the spacing. Those of lapse, shift,
 * chi and gt_ij take first derivatives alone; the others, which go with them, are not looked at. */
static void right_hand_sides(const tx_system_params *p, const double at[3],
                             const double (*jets)[10], double *rhs) {
  (void)at; /* not every system asks for it */
  typedef double tx_real;
#ifdef TX_RHS_ETA
  const double eta = 0.0; /* in the equations of B^i alone */
#endif
#define S(name) const double name = tx_scalar_##name(p, 0.0);
  TX_RHS_SCALARS(S)
#undef S
#define TX_VALUE(v) jets[TX_VAR_##v][0]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)       jets[TX_VAR_##v][1 + (i)]
#define TX_DD(v, i, j)   jets[TX_VAR_##v][4 + (i) * (5 - (i)) / 2 + (j)]
#define TX_ADV(v)        advection(p, jets, TX_VAR_##v)
#define TX_MORE(v, f, e) (void)(f);
#define TX_STORE(v, e)   rhs[TX_VAR_##v] = e
#define TX_COORDINATE(d) at[d]
#define TX_TIME          p->time
#include "physics/define_point.h"
#include TX_SYSTEM_RHS
#include "physics/undefine.h"
}

/* Derivative of v / chi, both being given with theirs. */
static double over_chi(double v, double dv, double chi, double dchi) {
  return (dv - v / chi * dchi) / chi;
}

static double along(const double n[3], const double jet[4]) {
  return n[0] * jet[1] + n[1] * jet[2] + n[2] * jet[3];
}

void TX_OF(metric_at)(const tx_system_params *p, const double x[3], const double (*u)[4],
                      const double n[3], tx_metric_jet *out) {
  double jets[TX_VARS][10] = {{0.0}}, rhs[TX_VARS];
  for (int v = 0; v < TX_VARS; v++)
    for (int m = 0; m < 4; m++) jets[v][m] = u[v][m];
  right_hand_sides(p, x, (const double(*)[10])jets, rhs);
  const double *factor = u[TX_SYSTEM_FACTOR], chi = factor[0];
  for (int c = 0; c < 6; c++) {
    const int v = TX_SYSTEM_METRIC + c;
    out->value[c] = u[v][0] / chi;
    out->dn[c] = over_chi(u[v][0], along(n, u[v]), chi, along(n, factor));
    out->dt[c] = over_chi(u[v][0], rhs[v], chi, rhs[TX_SYSTEM_FACTOR]);
  }
  for (int c = 6; c < TX_METRIC_PARTS; c++) {
    const int v = c < TX_METRIC_LAPSE ? TX_SYSTEM_SHIFT + c - TX_METRIC_SHIFT : TX_SYSTEM_LAPSE;
    out->value[c] = u[v][0];
    out->dn[c] = along(n, u[v]);
    out->dt[c] = rhs[v];
  }
}
#endif
