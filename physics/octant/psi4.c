/* Psi4 at a point. */
#include "physics/octant/octant.h"

#ifdef TX_SYSTEM_WEYL
#include "physics/octant/sphere_point.h"

void TX_OF(psi4_at)(const double (*jets)[10], const double x[3], double psi4[2]) {
  tx_psi4_of_jets(jets, x, psi4);
}
#endif
