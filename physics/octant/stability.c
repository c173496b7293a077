/* Modes of the linearised equations, for the limit of time steps. */
#include "physics/octant/octant.h"

#ifdef TX_SYSTEM_STABILITY
#include <math.h>

#include "physics/functions_point.h"
#include "physics/octant/scalars.h"

void TX_OF(modes)(const tx_system_params *p, double spacing, double k1, double k2, tx_modes *out) {
  typedef double tx_real;
  (void)spacing, (void)k1, (void)k2; /* not every system asks for all */
  *out = (tx_modes){.by = -1};
#define TX_STORE(member, e) out->member = e
#include "physics/define_point.h"
#include TX_SYSTEM_STABILITY
#include "physics/undefine.h"
}
#endif
