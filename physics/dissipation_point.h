/* The Kreiss-Oliger dissipation sigma at one point. */
#pragma once

#include "base/types.h"
#include "physics/system.h"

/** Return sigma at the coordinates x, y, z on `level`: constant, or in levels outside of the wave zone
 *      sigma_outside min(1, r/R)^4,   R: where the level ends.
 *  With constant sigma the damping rate of a wave of number k, sigma h^5 k^6/64 per dimension, is 32 times as large
 *  where the spacing doubles, and this jump causes spurious reflections. With this sigma the rate is nearly a
 *  function of position alone if levels double their reach, and a wave is damped before it reaches a level where
 *  it is under-resolved. Measured: docs/studies/reflections.md. */
TX_HD static inline double tx_dissipation(const tx_system_params *p, int level, double x, double y,
                                          double z) {
  const double over = p->over_reach2[level];
  if (over == 0.0) return p->sigma;
  const double s = (x * x + y * y + z * z) * over, part = s < 1.0 ? s : 1.0;
  return p->sigma_outside * part * part;
}
