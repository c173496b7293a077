/* Psi4 of the linear Teukolsky wave, exact at finite radius. */
#pragma once

#include "physics/initial_data/initial_data_point.h"

/** Compute Psi4 of the linear solution at (t, r) over C_ij mbar^i mbar^j: [out] real and imaginary part.
 *
 *  E_ij = -1/2 \partial_t^2 h_ij, B_ij = -1/2 curl(\partial_t h)_ij; of h_ij only the terms in C_ij
 *  (even) and W_ij (odd) survive mbar^i mbar^j, and W_ij mbar^i mbar^j = -i r C_ij mbar^i mbar^j
 * since mbar x rhat = -i mbar. Exact at any r: both the out- and the ingoing part. */
static inline void tx_test_teukolsky_radial(const tx_teukolsky *wave, double t, double r,
                                            double psi4[2]) {
  double In[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J], w = wave->width, rho = r / w;
  tx_teukolsky_integrals(t / w, rho, In);
  if (wave->odd) {
    psi4[0] = 0.0;
    psi4[1] = -wave->amplitude / (64.0 * w * w) *
              (rho * (In[1][8] - In[2][8]) - (In[0][7] - 2.0 * In[1][7] + In[2][7]));
  } else {
    psi4[0] = -wave->amplitude / (96.0 * w * w) *
              (rho * (In[1][9] - In[2][9]) - (In[0][8] - 2.0 * In[1][8] + In[2][8]));
    psi4[1] = 0.0;
  }
}

/** Compute C_ij mbar^i mbar^j = \sum_m c_m {}_{-2}Y_{2m} (arXiv:0709.0093, eq. II.7-8): [out] c_m. */
static inline void tx_test_teukolsky_mode(const double C_dd[3][3], int m, double c[2]) {
  double k = 2.0 * sqrt(M_PI / 5.0);
  switch (m) {
  case 0:
    c[0] = k * sqrt(1.5) * C_dd[2][2];
    c[1] = 0.0;
    break;
  case 1:
  case -1:
    c[0] = -(double)m * k * C_dd[0][2];
    c[1] = k * C_dd[1][2];
    break;
  default:
    c[0] = 0.5 * k * (C_dd[0][0] - C_dd[1][1]);
    c[1] = (m > 0 ? -k : k) * C_dd[0][1];
    break;
  }
}

/** Compute mode psi4_2m [out] re, im of a Teukolsky wave at coordinate radius r and time t, m = -2 .. 2:
 * the linear Weyl scalar in the tetrad of tx_system.psi4_at and the harmonics of arXiv:0709.0093, exact at finite r. Local. All
 * other l are 0. For other data: 0. */
static inline void tx_test_teukolsky_psi4(const tx_initial_data *id, double t, double r, int m,
                                          double psi4[2]) {
  psi4[0] = psi4[1] = 0.0;
  if (id->type != TX_ID_TEUKOLSKY || m < -2 || m > 2) return;
  double c[2], f[2];
  tx_test_teukolsky_mode(id->teukolsky.C_dd, m, c);
  tx_test_teukolsky_radial(&id->teukolsky, t, r, f);
  psi4[0] = c[0] * f[0] - c[1] * f[1];
  psi4[1] = c[0] * f[1] + c[1] * f[0];
}
