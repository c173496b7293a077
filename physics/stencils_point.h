/* Finite differences of order TX_FD_ORDER and Kreiss-Oliger dissipation of order 2 TX_KO - 1 at one point.
 *
 * The sums are macros over d[m-1] = u(+m) - u(-m) and s[m-1] = u(+m) + u(-m), m = 1..TX_K, so that
 * they serve a double, a vector of doubles and a GPU thread alike. Differences come first: data
 * that are even about the point give a first derivative of exactly 0, and constants of few digits a
 * second derivative and a dissipation of exactly 0. Weights: Fornberg (1988), Math. Comp. 51, 699.
 */
#pragma once

#include "base/grid.h"
#include "base/types.h"
#include "base/schemes.h"

#if TX_FD_ORDER == 4
#define TX_D1_SUM(d)    (8.0 * (d)[0] - (d)[1])
#define TX_D2_SUM(u, s) ((16.0 * (s)[0] - (s)[1]) - 30.0 * (u))
#define TX_D1_DIVISOR   12.0
#define TX_D2_DIVISOR   12.0
#elif TX_FD_ORDER == 6
#define TX_D1_SUM(d)    (((d)[2] - 9.0 * (d)[1]) + 45.0 * (d)[0])
#define TX_D2_SUM(u, s) ((((s)[2] - 13.5 * (s)[1]) + 135.0 * (s)[0]) - 245.0 * (u))
#define TX_D1_DIVISOR   60.0
#define TX_D2_DIVISOR   90.0
#elif TX_FD_ORDER == 8
#define TX_D1_SUM(d) (((32.0 * (d)[2] - 3.0 * (d)[3]) - 168.0 * (d)[1]) + 672.0 * (d)[0])
#define TX_D2_SUM(u, s)                                                                            \
  ((((128.0 * (s)[2] - 9.0 * (s)[3]) - 1008.0 * (s)[1]) + 8064.0 * (s)[0]) - 14350.0 * (u))
#define TX_D1_DIVISOR 840.0
#define TX_D2_DIVISOR 5040.0
#else
#error "stencils for this TX_FD_ORDER are not written down"
#endif

#if TX_KO == 3
#define TX_KO_SUM(u, s) ((((s)[2] - 6.0 * (s)[1]) + 15.0 * (s)[0]) - 20.0 * (u))
#elif TX_KO == 4
#define TX_KO_SUM(u, s) ((((8.0 * (s)[2] - (s)[3]) - 28.0 * (s)[1]) + 56.0 * (s)[0]) - 70.0 * (u))
#else
#error "dissipation for this TX_KO is not written down"
#endif

/* The derivative that advects. Upwinded: a stencil of order 2 TX_KO - 2 with one point more on the side from which the shift beta
 * brings values (arXiv:0706.0740). Its part that is odd about the point is TX_ADV_SUM, its even part a multiple of the undivided
 * dissipation, so that beta D u TX_D1_DIVISOR h = beta TX_ADV_SUM(d) + |beta| TX_ADV_EVEN TX_KO_SUM(u, s). */
#if !TX_UPWINDED
#define TX_ADV_SUM(d) TX_D1_SUM(d)
#define TX_ADV_EVEN   0.0
#elif TX_FD_ORDER == 4 && TX_KO == 3
#define TX_ADV_SUM(d) ((0.5 * (d)[2] - 3.0 * (d)[1]) + 10.5 * (d)[0])
#define TX_ADV_EVEN   0.5
#elif TX_FD_ORDER == 6 && TX_KO == 4
#define TX_ADV_SUM(d) (((4.0 * (d)[2] - 0.5 * (d)[3]) - 16.0 * (d)[1]) + 52.0 * (d)[0])
#define TX_ADV_EVEN   0.5
#else
#error "upwinded stencils of this TX_FD_ORDER need dissipation of the order after it"
#endif

/** Factors that turn the sums into derivatives: d_x u = TX_D1_SCALE(h) * TX_D1_SUM(d), and so on.
 * The dissipation is sigma/2^(2 TX_KO) h^(2 TX_KO - 1) d^(2 TX_KO) u with the sign that damps. */
#define TX_D1_SCALE(h)        (1.0 / (TX_D1_DIVISOR * (h)))
#define TX_D2_SCALE(h)        (1.0 / (TX_D2_DIVISOR * (h) * (h)))
#define TX_KO_SCALE(sigma, h) ((sigma) / ((double)(1 << (2 * TX_KO)) * (h)))

/** Return the first derivative, times TX_D1_DIVISOR h, of values `stride` apart. */
TX_HD static inline double tx_stencil_d1(const double *u, ptrdiff_t stride) {
  double d[TX_K];
  for (int m = 0; m < TX_K; m++) d[m] = u[(m + 1) * stride] - u[-(m + 1) * stride];
  return TX_D1_SUM(d);
}

/** Return the second derivative, times TX_D2_DIVISOR h^2, of values `stride` apart. */
TX_HD static inline double tx_stencil_d2(const double *u, ptrdiff_t stride) {
  double s[TX_K];
  for (int m = 0; m < TX_K; m++) s[m] = u[(m + 1) * stride] + u[-(m + 1) * stride];
  return TX_D2_SUM(u[0], s);
}
