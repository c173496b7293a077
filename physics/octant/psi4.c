/* Psi4 and the expansions of spheres at a point. */
#include "physics/octant/octant.h"

#ifdef TX_SYSTEM_WEYL
#include "physics/octant/expansion_point.h"
#include "physics/octant/sphere_point.h"

void TX_OF(psi4_at)(const double (*jets)[10], const double x[3], double psi4[2]) {
  tx_psi4_of_jets(jets, x, psi4);
}

void TX_OF(expansion_at)(const double (*jets)[10], const double x[3], double expansion[2]) {
  tx_expansion_of_jets(jets, x, expansion);
}
#endif
