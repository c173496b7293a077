/* Derivatives of point functions by 8th-order centred differences: a reference for tests. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include "physics/initial_data/initial_data.h"

/** Weight of offset p = -4 .. 4 in the first difference, spacing 1. */
static inline double difference_1(int p) {
  static const double w[5] = {0.0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  return p < 0 ? -w[-p] : w[p];
}

/** Weight of offset p in the second difference. */
static inline double difference_2(int p) {
  static const double w[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  return w[abs(p)];
}

/** n values [out] of some quantity at time t and point x. */
typedef void point_function(const tx_initial_data *id, double t, const double *x, double *values);

/** Most values of a point function. */
#define VALUES 32

/** Per value: itself, d_t, d_x, d_y, d_z, and at DD(a, b) its second derivatives in a, b = 0 .. 3.
 */
typedef double jet[15];
#define DD(a, b) (5 + ((a) < (b) ? (a) * (7 - (a)) / 2 + (b) : (b) * (7 - (b)) / 2 + (a)))

/** Jets [out, n] of f in time and space by differences of spacing e. */
static inline void differences(point_function *f, int n, const tx_initial_data *id, double t,
                               const double *x, double e, jet *out) {
  memset(out, 0, (size_t)n * sizeof *out);
  for (int a = 0; a < 4; a++)
    for (int b = a; b < 4; b++)
      for (int p = -4; p <= 4; p++)
        for (int q = -4; q <= 4; q++) {
          if (a == b ? q != 0 : p == 0 || q == 0) continue;
          double at[4] = {t, x[0], x[1], x[2]}, values[VALUES];
          at[a] += p * e;
          if (a != b) at[b] += q * e;
          f(id, at[0], at + 1, values);
          double w = a == b ? difference_2(p) : difference_1(p) * difference_1(q);
          for (int v = 0; v < n; v++) {
            out[v][DD(a, b)] += w / (e * e) * values[v];
            if (a == b) out[v][1 + a] += difference_1(p) / e * values[v];
            if (a == 0 && b == 0 && p == 0) out[v][0] = values[v];
          }
        }
}
