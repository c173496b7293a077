/* Vectors of three numbers. */
#pragma once

#include <math.h>

/** Return the scalar product of a and b. Local. */
static inline double tx_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** Return the length of a. Local. */
static inline double tx_length(const double a[3]) {
  return sqrt(tx_dot(a, a));
}

/** Set out to a x b; out is neither of them. Local. */
static inline void tx_cross(const double a[3], const double b[3], double out[3]) {
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    out[d] = a[e] * b[f] - a[f] * b[e];
  }
}
