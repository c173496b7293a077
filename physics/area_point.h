/* The area of a coordinate sphere at one point. */
#pragma once

#include <math.h>
#include "base/types.h"

/** Return the area of a coordinate sphere over solid angle at x, dA = r^2 sqrt(gamma gamma^ij n_i n_j) dOmega
 *  with n_i = x^i/r; gamma gamma^ij are the cofactors of gamma_ij = gt_ij/chi. gt: xx, xy, xz, yy, yz, zz, the first
 *  number of each. */
TX_HD static inline double tx_area_element_point(const double (*gt)[10], double chi,
                                                 const double x[3]) {
  double xx = gt[0][0], xy = gt[1][0], xz = gt[2][0];
  double yy = gt[3][0], yz = gt[4][0], zz = gt[5][0];
  double diagonal = (yy * zz - yz * yz) * x[0] * x[0] + (xx * zz - xz * xz) * x[1] * x[1] +
                    (xx * yy - xy * xy) * x[2] * x[2];
  double rest = (xz * yz - xy * zz) * x[0] * x[1] + (xy * yz - xz * yy) * x[0] * x[2] +
                (xy * xz - yz * xx) * x[1] * x[2];
  double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  return r * sqrt(diagonal + 2.0 * rest) / chi;
}
