/* Functions of vectors of points, element by element. */
#pragma once

#include <math.h>

#include "physics/simd.h"
#include "physics/system.h"

/** Which elements a condition holds for: all bits, or none. */
typedef long long tx_vec_mask __attribute__((vector_size(8 * TX_W)));

#define FUNCTION(name)                                                                             \
  static inline tx_vec tx_vec_##name(tx_vec v) {                                                   \
    tx_vec out;                                                                                    \
    for (int n = 0; n < TX_W; n++) out[n] = name(v[n]);                                            \
    return out;                                                                                    \
  }
FUNCTION(exp)
FUNCTION(log)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(tanh)
#undef FUNCTION

static inline tx_vec tx_vec_pow(tx_vec v, double power) {
  tx_vec out;
  for (int n = 0; n < TX_W; n++) out[n] = pow(v[n], power);
  return out;
}

/** Return coordinate d of the points from (i, j, k) of an octant on, along x. */
static inline tx_vec tx_row_coordinate(const tx_octant_place *place, int i, int j, int k, int d) {
  tx_vec x;
  for (int n = 0; n < TX_W; n++) x[n] = place->x0[d] + place->h * (d == 0 ? i + n : d == 1 ? j : k);
  return x;
}

/** Return `yes` where the condition holds and `no` elsewhere, whatever the other one is. */
static inline tx_vec tx_vec_where(tx_vec_mask holds, tx_vec yes, tx_vec no) {
  return (tx_vec)((holds & (tx_vec_mask)yes) | (~holds & (tx_vec_mask)no));
}

/** Return the smaller, or the larger, of two, as tx_point_min and tx_point_max. */
static inline tx_vec tx_vec_min(tx_vec a, tx_vec b) {
  return tx_vec_where((b < a) | (b != b), b, a);
}

static inline tx_vec tx_vec_max(tx_vec a, tx_vec b) {
  return tx_vec_where((b > a) | (b != b), b, a);
}
