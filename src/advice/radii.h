/* Smallest and largest of a list of radii. */
#pragma once

#include <math.h>
#include "params/params.h"

/** Return the innermost of some radii, 0 without any. Local. */
static inline double tx_innermost(const tx_reals *radii) {
  double r = radii->n > 0 ? radii->v[0] : 0.0;
  for (int i = 1; i < radii->n; i++) r = fmin(r, radii->v[i]);
  return r;
}

/** Return the outermost of some radii, 0 without any. Local. */
static inline double tx_outermost(const tx_reals *radii) {
  double r = 0.0;
  for (int i = 0; i < radii->n; i++) r = fmax(r, radii->v[i]);
  return r;
}
