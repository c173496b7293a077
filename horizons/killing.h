/* Spin by approximate Killing vectors: the rotations of least shear of a surface. */
#pragma once

#include "horizons/internal.h"

typedef struct tx_killing_spin {
  bool good; /**< the vectors can be told from the next one, and J is finite */
  double J;  /**< M^2, not negative */
  double
      shear[2]; /**< of the vectors, the largest, and of the next one: \oint \sigma_AB \sigma^AB dA
                      over \oint \xi^2 dA times A/4 pi; 0 and 2 on a round sphere; NaN without a solution */
} tx_killing_spin;

/** Local, the same on all ranks. Create work space for finders of so many points and of l_max; the caller owns it.
 *  Errors: TX_ERR_MEMORY. */
tx_status tx_killing_create(int points, int l_max, tx_killing **out);
void tx_killing_destroy(tx_killing *k);

/** Local, the same on all ranks and for any number of threads. Measure the spin of the surface of `f`, whose columns, also
 *  `intrinsic`, are known, and its area, M^2. At most one mirror: more leave no spin. Errors: TX_ERR_MEMORY. */
tx_status tx_killing_measure(tx_killing *k, const tx_horizon_finder *f, double area,
                             tx_killing_spin *out);
