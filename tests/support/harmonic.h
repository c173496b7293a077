/* Single values of spin-weighted harmonics. */
#pragma once

#include <math.h>
#include "gw_extraction/harmonics.h"

/** Compute y = _sY_lm, real and imaginary part, in the direction of the unit vector n; phi = 0 on the axis. Needs cmocka.h. */
static inline void tx_test_harmonic(int s, int l, int m, const double n[3], double y[2]) {
  tx_harmonics *h;
  assert_int_equal(tx_harmonics_create(s, l, &h), TX_OK);
  double theta[256], phi = atan2(n[1], n[0]);
  tx_harmonics_theta(h, m, n[2], hypot(n[0], n[1]), theta);
  const double value = theta[l - tx_harmonics_lowest(h, m)];
  y[0] = value * cos(m * phi);
  y[1] = value * sin(m * phi);
  tx_harmonics_destroy(h);
}
