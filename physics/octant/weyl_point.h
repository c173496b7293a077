/* Electric and magnetic parts of the Weyl tensor at one point, in vacuum. */
#pragma once

#include <math.h>
#include "physics/functions_point.h"

/** Compute E_ij and B_ij of the physical metric at a point, in the order xx, xy, xz, yy, yz, zz, from the variables'
 *  jets. */
TX_HD static inline void tx_weyl_point(const double (*jets)[10], const double at[3], double E[6],
                                       double B[6]) {
  typedef double tx_real;
  enum { E00, E01, E02, E11, E12, E22, B00, B01, B02, B11, B12, B22 };
  double out[12];
  (void)at; /* not every system asks for it */
#define TX_VALUE(v) jets[TX_VAR_##v][0]
#define TX_LOAD0(v)
#define TX_LOAD1(v)
#define TX_LOAD2(v)
#define TX_D(v, i)       jets[TX_VAR_##v][1 + (i)]
#define TX_DD(v, i, j)   jets[TX_VAR_##v][4 + (i) * (5 - (i)) / 2 + (j)]
#define TX_STORE(v, e)   out[v] = e
#define TX_COORDINATE(d) at[d]
#include "physics/define_point.h"
#include TX_SYSTEM_WEYL
#include "physics/undefine.h"
  for (int c = 0; c < 6; c++) {
    E[c] = out[E00 + c];
    B[c] = out[B00 + c];
  }
}
