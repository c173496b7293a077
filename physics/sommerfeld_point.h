/* The outer boundary's condition at one point. */
#pragma once

#include <stddef.h>
#include "base/types.h"
#include "physics/system.h"

/** Return the first derivative, times 12 h, of degree 4 over values `stride` apart, seen from u: inward = +1
 *  or -1 is one-sided over 5 points that way, 0 is centred. In one and two dimensions the wave
 *  equation closed by it (ghosts of the interior stencils extrapolated with degree 3 to 5) has no
 *  growing mode. */
TX_HD static inline double tx_sommerfeld_d1(const double *u, ptrdiff_t stride, int inward) {
  if (inward == 0) return 8.0 * (u[stride] - u[-stride]) - (u[2 * stride] - u[-2 * stride]);
  const ptrdiff_t s = inward * stride;
  return inward * (48.0 * (u[s] - u[0]) - 36.0 * (u[2 * s] - u[0]) + 16.0 * (u[3 * s] - u[0]) -
                   3.0 * (u[4 * s] - u[0]));
}

/** Evolved points from an outer face on at which tx_sommerfeld_d1 must be one-sided across it. */
#define TX_SOMMERFELD_REACH 2

/** Return the first point of an octant's row in dimension d that is evolved; faces: TX_FACE_BIT of its outer ones. Octants
 *  own their lower faces alone. So that both sides of the domain are alike, the plane on a lower outer face is extrapolated
 *  like the first ghosts beyond an upper one. */
TX_HD static inline int tx_outer_first(unsigned faces, int d) {
  return (faces & TX_FACE_BIT(d, 0)) != 0;
}

/** Return whether point `at` of a row is the outermost that is evolved. */
TX_HD static inline int tx_outermost(unsigned faces, int d, int at) {
  return (faces & TX_FACE_BIT(d, 0) && at == 1) || (faces & TX_FACE_BIT(d, 1) && at == TX_N - 1);
}

/** Return which way the derivative in dimension d must be one-sided at point `at` of a row. */
TX_HD static inline int tx_sommerfeld_inward(unsigned faces, int d, int at) {
  if (faces & TX_FACE_BIT(d, 0) && at < TX_SOMMERFELD_REACH + 1) return 1;
  if (faces & TX_FACE_BIT(d, 1) && at >= TX_N - TX_SOMMERFELD_REACH) return -1;
  return 0;
}

/** Return d_t u = -v (x^i d_i u + n (u - u_inf)) / r of a variable of value u, speed v, falloff n and value u_inf at
 *  infinity, given outward = 12 h x^i d_i u. */
TX_HD static inline double tx_sommerfeld_rate(double u, double outward, double over_12h,
                                              double over_r, double speed, double falloff,
                                              double infinity) {
  return -speed * over_r * (outward * over_12h + falloff * (u - infinity));
}

/** Return the rate at *u in memory; x: coordinates; strides and inward: of the three dimensions. */
TX_HD static inline double tx_sommerfeld_point(const double *u, const ptrdiff_t stride[3],
                                               const int inward[3], const double x[3],
                                               double over_12h, double over_r, double speed,
                                               double falloff, double infinity) {
  double outward = 0.0;
  for (int d = 0; d < 3; d++) outward += x[d] * tx_sommerfeld_d1(u, stride[d], inward[d]);
  return tx_sommerfeld_rate(*u, outward, over_12h, over_r, speed, falloff, infinity);
}
