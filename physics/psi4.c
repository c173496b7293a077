#include "physics/bssn.h"

#include "physics/sphere_point.h"
#include "physics/stencils_point.h"

void tx_psi4_point(const double jets[TX_VARS][10], const double x[3], double psi4[2]) {
  tx_psi4_of_jets(jets, x, psi4);
}

void tx_bssn_jet(double h, const double *patch_v, int i, int j, int k, double jet[10]) {
  static const ptrdiff_t stride[3] = {1, TX_P, TX_P * TX_P};
  const double *u = patch_v + TX_PATCH_AT(i, j, k);
  const double d1 = TX_D1_SCALE(h), d2 = TX_D2_SCALE(h);
  jet[0] = u[0];
  for (int a = 0, n = 4; a < 3; a++) {
    jet[1 + a] = d1 * tx_stencil_d1(u, stride[a]);
    jet[n++] = d2 * tx_stencil_d2(u, stride[a]);
    for (int b = a + 1; b < 3; b++) jet[n++] = d1 * d1 * tx_stencil_d11(u, stride[a], stride[b]);
  }
}
