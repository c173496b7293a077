/* The Kreiss-Oliger dissipation sigma at one point. */
#pragma once

#include "base/types.h"
#include "physics/system.h"

/** sigma at the coordinates x, y, z on `level`: constant, or in levels outside of the wave zone
 *      sigma_outside min(1, r/R)^4,   R: where the level ends.
 *  With constant sigma the rate at which a wave of number k is damped, sigma h^5 k^6/64 a dimension, falls
 *  to 1/32 where the spacing doubles, and that step throws waves back. Like this it is nearly a
 *  function of the place alone if levels double their reach, and takes a wave away before it comes to
 *  where it has too few points to go on. Measured: docs/studies/reflections.md. */
TX_HD static inline double tx_dissipation(const tx_system_params *p, int level, double x, double y,
                                          double z) {
  const double over = p->over_reach2[level];
  if (over == 0.0) return p->sigma;
  const double s = (x * x + y * y + z * z) * over, part = s < 1.0 ? s : 1.0;
  return p->sigma_outside * part * part;
}
