/* Quadrupole gravitational waves on flat space, at one point and any time: in- and outgoing, at a
 * moment of time symmetry at t = 0, regular at the origin (the waves of Teukolsky, Phys. Rev. D 26,
 * 745, in Cartesian components).
 *
 * Let C_ij be a constant tracefree tensor, \chi = [f(t+r) - f(t-r)]/(2r) with f odd, and
 * D_ij = \delta_ij \nabla^2 - \partial_i\partial_j. Then
 *     even parity: h_ij = (D_ik D_jl - 1/2 D_ij D_kl) C_kl \chi
 *     odd parity:  h_ij = \epsilon_{(i|kl} \partial_k D_{j)m} C_lm \chi
 * are transverse, tracefree and solve the wave equation, and the curl of the even one is the odd
 * one of f''. The derivatives of \chi come as (r^{-1}\partial_r)^n \chi = I_n[f^{(2n+1)}],
 *     I_n[g](t, r) = 1/(2^{n+1} n!) \int_{-1}^{1} (1-s^2)^n g(t+rs) ds,
 * which is smooth at r = 0. Here f(u) = a (u/w) exp(-u^2/w^2); so f^{(k)}(u) = -a/2 w^{-k}
 * \phi_{k+1}(u/w) with \phi_n the n-th derivative of exp(-z^2). */
#pragma once

#include "physics/initial_data/adm_point.h"

/** A quadrupole wave. Its amplitude A: at t = 0 h_ij = A C_ij at the origin (even parity), or
 *  h_ij = A \epsilon_{(i|kl} x_k C_{l|j)}/w near it (odd). */
typedef struct tx_teukolsky {
  int odd;           /**< parity: 0 even (electric), 1 odd (magnetic) */
  double amplitude;  /**< A */
  double width;      /**< w */
  double C_dd[3][3]; /**< symmetric, tracefree */
} tx_teukolsky;

/** I_n[phi_j] for n = 0 .. 5, j = 0 .. 13; in use are j >= 6 and 2n + 2 <= j. */
#define TX_TEUKOLSKY_N 6
#define TX_TEUKOLSKY_J 14

/** Terms of the series below, and where in r/w the closed form takes over. */
#define TX_TEUKOLSKY_TERMS 24
#define TX_TEUKOLSKY_NEAR  1.0

/** Compute phi_0 .. phi_(n-1) [out] at z: phi_(k+1) = -2 z phi_k - 2 k phi_(k-1). */
TX_HD static inline void tx_gaussian_derivatives(double z, int n, double *phi) {
  phi[0] = exp(-z * z);
  phi[1] = -2.0 * z * phi[0];
  for (int k = 1; k + 1 < n; k++) phi[k + 1] = -2.0 * (z * phi[k] + (double)k * phi[k - 1]);
}

/** Compute the integrals near the origin: I_n[\phi_j] = \sum_k \phi_{j+2k}(T) \rho^{2k} / (2^k k! (2n+2k+1)!!). */
TX_HD static inline void tx_teukolsky_near(double T, double rho,
                                           double In[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J]) {
  double phi[TX_TEUKOLSKY_J + 2 * TX_TEUKOLSKY_TERMS];
  tx_gaussian_derivatives(T, TX_TEUKOLSKY_J + 2 * TX_TEUKOLSKY_TERMS, phi);
  double half_rho2 = 0.5 * rho * rho, first = 1.0;
  for (int n = 0; n < TX_TEUKOLSKY_N; n++) {
    first /= 2.0 * n + 1.0;
    for (int j = 0; j < TX_TEUKOLSKY_J; j++) In[n][j] = 0.0;
    double c = first;
    for (int k = 0; k < TX_TEUKOLSKY_TERMS; k++) {
      for (int j = 6; j < TX_TEUKOLSKY_J; j++) In[n][j] += c * phi[j + 2 * k];
      c *= half_rho2 / ((k + 1.0) * (2.0 * n + 2.0 * k + 3.0));
    }
  }
}

/** Compute the integrals elsewhere: I_0 and I_1 from their definition, then
 *  I_{n+2}[\phi_{j+2}] = (I_n[\phi_j] - (2n+3) I_{n+1}[\phi_j])/\rho^2 (the wave equation). */
TX_HD static inline void tx_teukolsky_far(double T, double rho,
                                          double In[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J]) {
  double out[TX_TEUKOLSKY_J], in[TX_TEUKOLSKY_J];
  tx_gaussian_derivatives(T - rho, TX_TEUKOLSKY_J, out);
  tx_gaussian_derivatives(T + rho, TX_TEUKOLSKY_J, in);
  for (int n = 0; n < TX_TEUKOLSKY_N; n++)
    for (int j = 0; j < TX_TEUKOLSKY_J; j++) In[n][j] = 0.0;
  for (int j = 2; j < TX_TEUKOLSKY_J; j++) In[0][j] = (in[j - 1] - out[j - 1]) / (2.0 * rho);
  for (int j = 4; j < TX_TEUKOLSKY_J; j++)
    In[1][j] = (0.5 * (in[j - 2] + out[j - 2]) - In[0][j - 2]) / (rho * rho);
  for (int n = 0; n + 2 < TX_TEUKOLSKY_N; n++)
    for (int j = 2 * n + 4; j + 2 < TX_TEUKOLSKY_J; j++)
      In[n + 2][j + 2] = (In[n][j] - (2.0 * n + 3.0) * In[n + 1][j]) / (rho * rho);
}

/** Compute I_n[phi_j] [out] at T = t/w and rho = r/w. */
TX_HD static inline void tx_teukolsky_integrals(double T, double rho,
                                                double In[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J]) {
  if (rho < TX_TEUKOLSKY_NEAR)
    tx_teukolsky_near(T, rho, In);
  else
    tx_teukolsky_far(T, rho, In);
}

/** Compute the metric of even parity, with v_i = C_ij x_j, s = v_i x_i, x in units of w:
 *      h_ij = C_ij a + (v_i x_j + v_j x_i) b + \delta_ij s c + x_i x_j s d.
 *  dt = 1: the time derivative times w. [out] h_dd, and dh_ddd (times w) unless NULL. */
TX_HD static inline void tx_teukolsky_even(const tx_teukolsky *wave, const double *x,
                                           const double In[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J], int dt,
                                           double h_dd[3][3], double dh_ddd[3][3][3]) {
  const double(*C)[3] = wave->C_dd;
  int j6 = 6 + dt, j8 = 8 + dt, j10 = 10 + dt, j12 = 12 + dt;
  double norm = -wave->amplitude / 48.0;
  double a = norm * (In[0][j6] - 2.0 * In[1][j6] + In[2][j6]), b = norm * (In[3][j8] - In[2][j8]);
  double c = norm * 0.5 * (In[3][j8] + In[2][j8]), d = norm * 0.5 * In[4][j10];
  double v[3], s = 0.0;
  for (int i = 0; i < 3; i++) {
    v[i] = C[i][0] * x[0] + C[i][1] * x[1] + C[i][2] * x[2];
    s += v[i] * x[i];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      h_dd[i][j] = C[i][j] * a + (v[i] * x[j] + v[j] * x[i]) * b + (i == j ? s * c : 0.0) +
                   x[i] * x[j] * s * d;
  if (!dh_ddd) return;

  /* r^{-1}\partial_r of the four coefficients. */
  double da = norm * (In[1][j8] - 2.0 * In[2][j8] + In[3][j8]),
         db = norm * (In[4][j10] - In[3][j10]);
  double dc = norm * 0.5 * (In[4][j10] + In[3][j10]), dd = norm * 0.5 * In[5][j12];
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double ik = i == k ? 1.0 : 0.0, jk = j == k ? 1.0 : 0.0, ij = i == j ? 1.0 : 0.0;
        dh_ddd[k][i][j] =
            C[i][j] * x[k] * da + (C[i][k] * x[j] + C[j][k] * x[i] + v[i] * jk + v[j] * ik) * b +
            (v[i] * x[j] + v[j] * x[i]) * x[k] * db + ij * (2.0 * v[k] * c + s * x[k] * dc) +
            (ik * x[j] + jk * x[i]) * s * d + x[i] * x[j] * (2.0 * v[k] * d + s * x[k] * dd);
      }
}

/** Return \epsilon_{ijk}. */
TX_HD static inline double tx_epsilon(int i, int j, int k) {
  return 0.5 * (double)((i - j) * (j - k) * (k - i));
}

/** Compute the metric of odd parity, with W_ij = \epsilon_{ikl} x_k C_lj, w_i = W_ij x_j, x in units of w:
 *      h_ij = W_(ij) p - w_(i x_j) q.
 *  Arguments as for even parity. */
TX_HD static inline void tx_teukolsky_odd(const tx_teukolsky *wave, const double *x,
                                          const double In[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J], int dt,
                                          double h_dd[3][3], double dh_ddd[3][3][3]) {
  const double(*C)[3] = wave->C_dd;
  int j6 = 6 + dt, j8 = 8 + dt, j10 = 10 + dt;
  double norm = -wave->amplitude / 32.0;
  double p = norm * (In[1][j6] - In[2][j6]), q = norm * In[3][j8];
  double v[3], w[3], W[3][3], dW[3][3][3]; /* dW[k][i][j] = \partial_k W_ij = \epsilon_{ikl} C_lj */
  for (int i = 0; i < 3; i++) v[i] = C[i][0] * x[0] + C[i][1] * x[1] + C[i][2] * x[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++) {
        dW[k][i][j] = 0.0;
        for (int l = 0; l < 3; l++) dW[k][i][j] += tx_epsilon(i, k, l) * C[l][j];
      }
      W[i][j] = dW[0][i][j] * x[0] + dW[1][i][j] * x[1] + dW[2][i][j] * x[2];
    }
  for (int i = 0; i < 3; i++) w[i] = W[i][0] * x[0] + W[i][1] * x[1] + W[i][2] * x[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      h_dd[i][j] = 0.5 * (W[i][j] + W[j][i]) * p - 0.5 * (w[i] * x[j] + w[j] * x[i]) * q;
  if (!dh_ddd) return;

  double dp = norm * (In[2][j8] - In[3][j8]), dq = norm * In[4][j10];
  for (int k = 0; k < 3; k++) {
    double dw[3];
    for (int i = 0; i < 3; i++) {
      dw[i] = W[i][k];
      for (int l = 0; l < 3; l++) dw[i] += tx_epsilon(i, k, l) * v[l];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double ik = i == k ? 1.0 : 0.0, jk = j == k ? 1.0 : 0.0;
        dh_ddd[k][i][j] = 0.5 * ((dW[k][i][j] + dW[k][j][i]) * p + (W[i][j] + W[j][i]) * x[k] * dp -
                                 (dw[i] * x[j] + dw[j] * x[i] + w[i] * jk + w[j] * ik) * q -
                                 (w[i] * x[j] + w[j] * x[i]) * x[k] * dq);
      }
  }
}

/** Compute the linear solution at (t, x): [out] h_dd, its derivatives dh_ddd (derivative index first), and
 * its time derivative dt_h_dd. */
TX_HD static inline void tx_teukolsky_metric(const tx_teukolsky *wave, double t, const double *x,
                                             double h_dd[3][3], double dh_ddd[3][3][3],
                                             double dt_h_dd[3][3]) {
  double In[TX_TEUKOLSKY_N][TX_TEUKOLSKY_J], xi[3], w = wave->width;
  for (int i = 0; i < 3; i++) xi[i] = x[i] / w;
  double rho = sqrt(xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2]);
  tx_teukolsky_integrals(t / w, rho, In);
  if (wave->odd) {
    tx_teukolsky_odd(wave, xi, In, 0, h_dd, dh_ddd);
    tx_teukolsky_odd(wave, xi, In, 1, dt_h_dd, NULL);
  } else {
    tx_teukolsky_even(wave, xi, In, 0, h_dd, dh_ddd);
    tx_teukolsky_even(wave, xi, In, 1, dt_h_dd, NULL);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      dt_h_dd[i][j] /= w;
      for (int k = 0; k < 3; k++) dh_ddd[k][i][j] /= w;
    }
}

/** Evaluate \gamma_ij = \delta_ij + h_ij, K_ij = -1/2 \partial_t h_ij, \alpha = 1: all TX_VARS variables
 * [out] u at time t, a solution up to O(A^2). */
TX_HD static inline void tx_teukolsky_point(const tx_teukolsky *wave, double t, const double *x,
                                            double *u) {
  double h_dd[3][3], dt_h_dd[3][3];
  tx_adm_point p;
  tx_adm_flat_point(&p);
  tx_teukolsky_metric(wave, t, x, h_dd, p.dgamma_ddd, dt_h_dd);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      p.gamma_dd[i][j] += h_dd[i][j];
      p.K_dd[i][j] = -0.5 * dt_h_dd[i][j];
    }
  tx_adm_to_bssn_point(&p, u);
}
