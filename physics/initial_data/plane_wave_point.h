/* Plane waves at one point and any time: the gauge wave and the linear gravitational wave of the
 * "Apples with Apples" tests (gr-qc/0305023). */
#pragma once

#include "physics/initial_data/adm_point.h"

/** A sine wave along a coordinate axis, towards larger coordinates. */
typedef struct tx_plane_wave {
  int axis;          /**< 0, 1, 2 */
  double amplitude;  /**< A, below 1 */
  double wavelength; /**< of one period */
} tx_plane_wave;

/** Return H = A sin(2 pi (x - t)/wavelength) and its derivative [out] along the axis, which is -dH/dt. */
TX_HD static inline double tx_plane_wave_value(const tx_plane_wave *w, double t, const double *x,
                                               double *dH) {
  double k = 2.0 * 3.14159265358979323846 / w->wavelength;
  double phase = k * (x[w->axis] - t);
  *dH = w->amplitude * k * cos(phase);
  return w->amplitude * sin(phase);
}

/** Evaluate ds^2 = (1 - H)(-dt^2 + dx^2) + dy^2 + dz^2, flat space in harmonic slicing with zero shift: all
 *  TX_VARS variables [out] u at time t, exact. */
TX_HD static inline void tx_gauge_wave_point(const tx_plane_wave *w, double t, const double *x,
                                             double *u) {
  double dH, H = tx_plane_wave_value(w, t, x, &dH);
  int a = w->axis;
  tx_adm_point p;
  tx_adm_flat_point(&p);
  p.alpha = sqrt(1.0 - H);
  p.gamma_dd[a][a] = 1.0 - H;
  p.dgamma_ddd[a][a][a] = -dH;
  p.K_dd[a][a] = -0.5 * dH / p.alpha; /* -\partial_t\gamma_{xx} / (2\alpha) */
  tx_adm_to_bssn_point(&p, u);
}

/** Evaluate ds^2 = -dt^2 + dx^2 + (1 + H) dy^2 + (1 - H) dz^2, cyclic in the axis: all TX_VARS variables
 *  [out] u at time t, a solution up to O(A^2). */
TX_HD static inline void tx_linear_wave_point(const tx_plane_wave *w, double t, const double *x,
                                              double *u) {
  double dH, H = tx_plane_wave_value(w, t, x, &dH);
  int a = w->axis, b = (a + 1) % 3, c = (a + 2) % 3;
  tx_adm_point p;
  tx_adm_flat_point(&p);
  p.gamma_dd[b][b] += H;
  p.gamma_dd[c][c] -= H;
  p.dgamma_ddd[a][b][b] = dH;
  p.dgamma_ddd[a][c][c] = -dH;
  p.K_dd[b][b] = 0.5 * dH; /* -\partial_t\gamma_{yy} / 2 */
  p.K_dd[c][c] = -0.5 * dH;
  tx_adm_to_bssn_point(&p, u);
}
