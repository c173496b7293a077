/* Psi4 at one point of a sphere about the origin, from the jets of the unit's system. */
#pragma once

#include "physics/octant/weyl_point.h"
#include "physics/psi4_point.h"

/** Compute tx_system.psi4_at, inline. */
TX_HD static inline void tx_psi4_of_jets(const double (*jets)[10], const double x[3],
                                         double psi4[2]) {
  double g[6], E[6], B[6];
  tx_weyl_point(jets, x, E, B);
  for (int c = 0; c < 6; c++) g[c] = jets[TX_SYSTEM_METRIC + c][0] / jets[TX_SYSTEM_FACTOR][0];
  tx_psi4_project(g, E, B, x, psi4);
}
