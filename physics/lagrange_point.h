/* Values and derivatives between grid points: Lagrange stencils of TX_JET_POINTS points a dimension. */
#pragma once

#include "base/grid.h"
#include "base/types.h"

/** Points of the stencil in each dimension. */
#define TX_JET_POINTS 8

/** Points so near to a grid point, in spacings, are on it. */
#define TX_LAGRANGE_ON 1e-9

static_assert(TX_JET_POINTS <= TX_P && TX_JET_POINTS / 2 <= TX_K + 1,
              "stencils must fit into a patch");

/** Return the weight of node j, of the nodes 0 .. n-1, in the polynomial's value at s = twice_s/2,
 *  \prod_{m \ne j} (s - m)/(j - m): the quotient of two whole numbers. */
TX_HD static inline TX_CONSTEXPR double tx_lagrange_weight(int n, int j, int twice_s) {
  double above = 1.0, below = 1.0;
  for (int m = 0; m < n; m++)
    if (m != j) {
      above *= twice_s - 2 * m;
      below *= 2 * (j - m);
    }
  return above / below;
}

/** Orders of differentiation along x, y, z of each entry of a jet of ten numbers: u, d_x, d_y, d_z, d_xx,
 *  d_xy, d_xz, d_yy, d_yz, d_zz. An initialiser of int [10][3]. */
#define TX_JET_ORDERS                                                                              \
  {                                                                                                \
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 2, 0},        \
        {0, 1, 1}, {0, 0, 2},                                                                      \
  }

/** Number of the pair of orders (y, z), at most 2 together, among six. An initialiser of int [3][3]. */
#define TX_JET_PAIRS                                                                               \
  { {0, 1, 2}, {3, 4, -1}, {5, -1, -1}, }

/** Compute the weights [out] of the value, first and second derivative at s from nodes 0 .. n-1, n at most TX_JET_POINTS,
 *  and 0 for the others (Fornberg, Math. Comp. 51, 699). */
TX_HD static inline void tx_lagrange_weights(double s, int n, double w[3][TX_JET_POINTS]) {
  for (int d = 0; d < 3; d++)
    for (int j = 0; j < TX_JET_POINTS; j++) w[d][j] = 0.0;
  w[0][0] = 1.0;
  double c1 = 1.0, c4 = -s;
  for (int i = 1; i < TX_JET_POINTS && i < n; i++) {
    double c2 = 1.0, c5 = c4;
    c4 = i - s;
    for (int j = 0; j < i; j++) {
      double c3 = i - j;
      c2 *= c3;
      if (j == i - 1) {
        for (int d = 2; d > 0; d--) w[d][i] = c1 * (d * w[d - 1][i - 1] - c5 * w[d][i - 1]) / c2;
        w[0][i] = -c1 * c5 * w[0][i - 1] / c2;
      }
      for (int d = 2; d > 0; d--) w[d][j] = (c4 * w[d][j] - d * w[d - 1][j]) / c3;
      w[0][j] = c4 * w[0][j] / c3;
    }
    c1 = c2;
  }
}

/** Return one dimension of a stencil in a patch of spacing h, for a point s >= 0 spacings above the octant's first
 *  point: weights [out] of the value, first and second derivative; returns the first of the points.
 *
 *  A mirror image has the mirrored stencil. Patches have a ghost too few for centred stencils in the octant's last cell: those
 *  of its first and last one are both off by one. At a grid point the stencil is centred on it, and has a point less. */
TX_HD static inline int tx_lagrange_line(double s, double h, double w[3][TX_JET_POINTS]) {
  const int lowest = 1 - TX_K, highest = TX_N + TX_K - TX_JET_POINTS, half = TX_JET_POINTS / 2 - 1;
  const int node = (int)(s + 0.5);
  const double off = s - node;
  int first = (int)s - half;
  if (first < lowest) first = lowest;
  if (first > highest) first = highest;
  if (node < TX_N && off < TX_LAGRANGE_ON && off > -TX_LAGRANGE_ON) {
    first = node - half < highest ? node - half : highest;
    tx_lagrange_weights(half + off, TX_JET_POINTS - 1, w);
    for (int d = 0; d < 3 && node - half > highest; d++) {
      for (int j = TX_JET_POINTS - 1; j > 0; j--) w[d][j] = w[d][j - 1];
      w[d][0] = 0.0;
    }
  } else {
    tx_lagrange_weights(s - first, TX_JET_POINTS, w);
  }
  const double scale[3] = {1.0, 1.0 / h, 1.0 / h * (1.0 / h)};
  for (int d = 0; d < 3; d++)
    for (int j = 0; j < TX_JET_POINTS; j++) w[d][j] *= scale[d];
  return first;
}
