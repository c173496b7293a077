/* Expansions of a coordinate sphere about the origin at one of its points, from the jets of the unit's system. */
#pragma once

#include <math.h>
#include "base/types.h"

/** Compute tx_system.expansion_at, inline: the sphere through x, with s its unit normal in the slice, outwards, n that of
 *  the slice, to the future, and q^ij = gamma^ij - s^i s^j. [out] expansion[0] along n, q^ij nabla_i n_j = -q^ij K_ij; [1]
 *  along s, q^ij D_i s_j, 1/M. Their sum is the expansion of light that goes out (gr-qc/9508014). With u_i = x^i/r and s_i
 *  = u_i/N, N q^ij D_i s_j = q^ij (delta_ij/r - Gamma^k_ij u_k). At the centre as on the positive z axis, without 1/r. */
TX_HD static inline void tx_expansion_of_jets(const double (*jets)[10], const double x[3],
                                              double expansion[2]) {
  const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  const double over_r = r > 0.0 ? 1.0 / r : 0.0;
  const double normal[3] = {x[0] * over_r, x[1] * over_r, r > 0.0 ? x[2] * over_r : 1.0};
  const double *chi = jets[TX_SYSTEM_FACTOR];
  const double(*gt)[10] = jets + TX_SYSTEM_METRIC;
  const double xx = gt[0][0], xy = gt[1][0], xz = gt[2][0];
  const double yy = gt[3][0], yz = gt[4][0], zz = gt[5][0];
  const double cofactors[6] = {yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy,
                               xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy};
  const double scale =
      chi[0] / (xx * cofactors[0] + xy * cofactors[1] + xz * cofactors[2]); /* gamma^ij by it */
  double q[6], s[3] = {0.0, 0.0, 0.0}, square = 0.0;
#define TX_PAIR(i, j) ((i) <= (j) ? (i) * (5 - (i)) / 2 + (j) : (j) * (5 - (j)) / 2 + (i))
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) s[i] += scale * cofactors[TX_PAIR(i, j)] * normal[j];
    square += s[i] * normal[i];
  }
  const double N = sqrt(square);
  for (int i = 0; i < 3; i++) s[i] /= N;
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) q[TX_PAIR(i, j)] = scale * cofactors[TX_PAIR(i, j)] - s[i] * s[j];
#define TX_VALUE_OF(variable) jets[TX_VAR_##variable][0]
  const double K = TX_SYSTEM_TRACE(TX_VALUE_OF);
#undef TX_VALUE_OF
  double across = 0.0, along = (q[0] + q[3] + q[5]) * over_r / N;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double q_ij = q[TX_PAIR(i, j)];
      across += q_ij * jets[TX_SYSTEM_CURVATURE + TX_PAIR(i, j)][0];
      /* q^ij s^k (d_i gamma_jk - d_k gamma_ij / 2), d gamma = (d gt - gt d chi / chi) / chi */
      for (int k = 0; k < 3; k++) {
        const double *jk = gt[TX_PAIR(j, k)], *ij = gt[TX_PAIR(i, j)];
        const double first = jk[1 + i] - jk[0] * chi[1 + i] / chi[0];
        const double second = ij[1 + k] - ij[0] * chi[1 + k] / chi[0];
        along -= q_ij * s[k] * (first - 0.5 * second) / chi[0];
      }
    }
#undef TX_PAIR
  expansion[0] = -across / chi[0] - 2.0 * K / 3.0;
  expansion[1] = along;
}
