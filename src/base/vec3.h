/* Vectors of three components, with the Euclidean metric. Local. */
#pragma once

#include <math.h>

#include "base/types.h"

/** Return a . b. */
TX_HD static inline double tx_vec3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Return |a|. */
TX_HD static inline double tx_vec3_norm(const double a[3]) {
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/** Return |a - b|. */
TX_HD static inline double tx_vec3_distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

/** Store a x b in out, which is neither a nor b. */
TX_HD static inline void tx_vec3_cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}
