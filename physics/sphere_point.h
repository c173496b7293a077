/* What waves are extracted from, at one point of a sphere about the origin, from the jets of the evolved
 * variables. Jets as in tx_psi4_point; lapse, shift and B are not used. */
#pragma once

#include <math.h>
#include "physics/psi4_point.h"
#include "physics/variables.h"
#include "physics/weyl_point.h"

/** The first variable that is used; all behind it are. */
#define TX_SPHERE_FIRST TX_VAR_CHI

/** tx_psi4_point, inline. */
TX_HD static inline void tx_psi4_of_jets(const double jets[TX_VARS][10], const double x[3],
                                         double psi4[2]) {
  double g[6], E[6], B[6];
  tx_weyl_point(jets, E, B);
  for (int c = 0; c < 6; c++) g[c] = jets[TX_VAR_GT00 + c][0] / jets[TX_VAR_CHI][0];
  tx_psi4_project(g, E, B, x, psi4);
}

/** Area of a coordinate sphere over solid angle at x, dA = r^2 sqrt(gamma gamma^ij n_i n_j) dOmega
 *  with n_i = x^i/r; gamma gamma^ij are the cofactors of gamma_ij = gt_ij/chi. */
TX_HD static inline double tx_area_element_point(const double jets[TX_VARS][10],
                                                 const double x[3]) {
  double xx = jets[TX_VAR_GT00][0], xy = jets[TX_VAR_GT01][0], xz = jets[TX_VAR_GT02][0];
  double yy = jets[TX_VAR_GT11][0], yz = jets[TX_VAR_GT12][0], zz = jets[TX_VAR_GT22][0];
  double diagonal = (yy * zz - yz * yz) * x[0] * x[0] + (xx * zz - xz * xz) * x[1] * x[1] +
                    (xx * yy - xy * xy) * x[2] * x[2];
  double rest = (xz * yz - xy * zz) * x[0] * x[1] + (xy * yz - xz * yy) * x[0] * x[2] +
                (xy * xz - yz * xx) * x[1] * x[2];
  double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  return r * sqrt(diagonal + 2.0 * rest) / jets[TX_VAR_CHI][0];
}
