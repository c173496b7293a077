/* Functions of one point that the language of equations has and C has not. */
#pragma once

#include <math.h>
#include "base/types.h"

/** Return the smaller, or the larger, of two numbers; NaN if either is. */
TX_HD static inline double tx_point_min(double a, double b) {
  return b < a || b != b ? b : a;
}

TX_HD static inline double tx_point_max(double a, double b) {
  return b > a || b != b ? b : a;
}
