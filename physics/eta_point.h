/* The damping eta of the Gamma driver at one point. */
#pragma once

#include <math.h>
#include "base/types.h"
#include "physics/system.h"
#include "physics/enforce_point.h"

/** Smallest (1 - W^a)/a of the metric form; W = 1 - M/r gets there at 1000 M. */
#define TX_ETA_FAR 1e-3

/** Return exp(-t) for t >= 0 within 1e-13, by arithmetic that the compiler turns into vectors: the series
 *  of exp(-t/256), squared 8 times. Exactly 1 for t = 0, and 0 from t = 64 on. */
TX_HD static inline double tx_eta_decay(double t) {
  const double s = (t < 64.0 ? t : 64.0) * (1.0 / 256.0);
  double e = 1.0;
  for (int n = 12; n >= 1; n--) e = 1.0 - e * s * (1.0 / n);
  for (int n = 0; n < 8; n++) e *= e;
  return t < 64.0 ? e : 0.0;
}

/** Return the radial form, eta = (eta - eta_far) exp(-(r/eta_radius)^4) + eta_far, at r = |x|. */
TX_HD static inline double tx_eta_radial(const tx_system_params *p, double x, double y, double z) {
  const double over = 1.0 / p->eta_radius, s = (x * x + y * y + z * z) * over * over;
  return (p->eta - p->eta_far) * tx_eta_decay(s * s) + p->eta_far;
}

/** Return x^e, without the library where e is 1 or 2. */
TX_HD static inline double tx_eta_power(double x, double e) {
  return e == 1.0 ? x : e == 2.0 ? x * x : pow(x, e);
}

/** Return the metric form of arXiv:0912.3125 (eq. 4, a = 1, b = 2), with the powers of arXiv:1009.0292:
 *      eta = R0 sqrt(gt^ij d_i W d_j W)/(1 - W^a)^b,   W = sqrt(chi) = psi^-2.
 * With chi in the place of W eta would vanish at a puncture: on its stationary slice the areal
 * radius stays R = 1.31 m, so W = r/R is linear in r, chi quadratic, and it is R0 = 1.31 that makes
 * eta 1/m there. Far away W = 1 - M/r gives R0/M for a = 1, b = 2 (with chi: R0/(2 M)).
 * sqrt(gt^ij d_i W d_j W) is taken from d_i chi: chi is the smoother function at a puncture.
 * Two bounds: 1 - W^a stays above a TX_ETA_FAR, so that flat space has eta = 0 and waves on it, where
 * W passes 1, a finite one; and eta stays below p->eta_max, the stability limit of the time step.
 * gt: xx, xy, xz, yy, yz, zz. dchi: [3]. a, b: those of p, apart so that a caller may fix them. */
TX_HD static inline double tx_eta_metric(const tx_system_params *p, double a, double b,
                                         const double gt[6], double chi, const double dchi[3]) {
  double cof[6];
  const double det = tx_sym_cofactors(gt, cof);
  const double dd[6] = {dchi[0] * dchi[0], dchi[0] * dchi[1], dchi[0] * dchi[2],
                        dchi[1] * dchi[1], dchi[1] * dchi[2], dchi[2] * dchi[2]};
  const double slope2 = 0.25 * tx_sym_contract(cof, dd) / (det * chi);
  const double rest = 1.0 - tx_eta_power(sqrt(chi), a), least = a * TX_ETA_FAR;
  const double over = 1.0 / tx_eta_power(rest > least ? rest : least, b);
  const double eta = p->eta_R0 * sqrt(slope2) * over, most = p->eta_max;
  return eta < most ? eta : most;
}

/** Return eta of the form that p asks for, at the coordinates x. */
TX_HD static inline double tx_eta_point(const tx_system_params *p, const double x[3],
                                        const double gt[6], double chi, const double dchi[3]) {
  if (p->eta_form == TX_ETA_RADIAL) return tx_eta_radial(p, x[0], x[1], x[2]);
  if (p->eta_form == TX_ETA_METRIC) return tx_eta_metric(p, p->eta_a, p->eta_b, gt, chi, dchi);
  return p->eta;
}
