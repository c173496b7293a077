/* Bowen-York data of one or two punctures at a point, for gcc and nvcc. */
#pragma once

#include "physics/initial_data/adm_point.h"

/** Most points of the series in A or B, and lanes of a vector of its innermost loop. */
#define TX_SPECTRAL_MAX   128
#define TX_SPECTRAL_LANES 16

/** u as a spectral series in (A, B, phi) about the two foci:
 *      u = (A - 1) \sum_{klq} c_{klq} T_k(2A - 1) T_l(B) F_q(\phi),
 *  F = 1, cos \phi, sin \phi, cos 2\phi, ... A puncture is a focus; n_A = 0 stands for u = 0.
 *
 *  Vectors of LANES neighbouring l, n_B in all rounded up to whole vectors: `coefficients` begins with a
 *  number for every vector and every q, [vectors][n_phi], padded to whole vectors: the even number of k
 *  that matter there. These follow, [vectors][n_phi][k][LANES]. */
typedef struct tx_spectral {
  int n_A, n_B, n_phi;        /**< at most MAX, MAX, MAX/2 */
  double half_distance;       /**< of the foci, M */
  double centre[3];           /**< middle of the foci */
  double axis[3][3];          /**< unit vectors: from focus 2 to focus 1, and two across */
  const double *coefficients; /**< host or device, wherever the point is evaluated; borrowed */
} tx_spectral;

/** Everything that a point of the data needs; `u.coefficients` is its only pointer. */
typedef struct tx_bowen_york {
  int n;                         /**< punctures; of a series 1 or 2 */
  int lapse;                     /**< a tx_lapse */
  double mass[TX_PUNCTURES_MAX]; /**< bare */
  double position[TX_PUNCTURES_MAX][3], momentum[TX_PUNCTURES_MAX][3], spin[TX_PUNCTURES_MAX][3];
  tx_spectral u; /**< n_A = 0 where u comes from elsewhere, point by point */
} tx_bowen_york;

/** Where a point lies in the coordinates of the series: x = b cosh \xi cos \eta along the axis,
 *  \rho = b sinh \xi sin \eta across, A = tanh(\xi/2), B = tan(\pi/4 - \eta/2). */
typedef struct tx_spectral_coordinates {
  double A, one_minus_A, B, cos_phi, sin_phi;
} tx_spectral_coordinates;

/** Find the coordinates [out] of x, each to round-off also near the foci, on the axis, and far away. */
TX_HD static inline void tx_spectral_locate(const tx_spectral *s, const double *x,
                                            tx_spectral_coordinates *out) {
  double d[3], f[3];
  for (int i = 0; i < 3; i++) d[i] = x[i] - s->centre[i];
  for (int i = 0; i < 3; i++)
    f[i] = (s->axis[i][0] * d[0] + s->axis[i][1] * d[1] + s->axis[i][2] * d[2]) / s->half_distance;
  double rho2 = f[1] * f[1] + f[2] * f[2], rho = sqrt(rho2);
  out->cos_phi = rho > 0.0 ? f[1] / rho : 1.0;
  out->sin_phi = rho > 0.0 ? f[2] / rho : 0.0;
  /* sinh^2 \xi - sin^2 \eta = q, and their product is \rho^2. */
  double q = (fabs(f[0]) - 1.0) * (fabs(f[0]) + 1.0) + rho2, root = sqrt(q * q + 4.0 * rho2);
  double large = 0.5 * (fabs(q) + root), small = large > 0.0 ? rho2 / large : 0.0;
  double sinh2 = q >= 0.0 ? large : small, sin2 = q >= 0.0 ? small : large;
  double sinh_xi = sqrt(sinh2), cosh_xi = sqrt(1.0 + sinh2);
  double sin_eta = sqrt(sin2), cos_eta = f[0] / cosh_xi;
  out->A = sinh_xi / (1.0 + cosh_xi);
  out->one_minus_A = (1.0 + 1.0 / (cosh_xi + sinh_xi)) / (1.0 + cosh_xi);
  out->B = cos_eta / (1.0 + sin_eta);
}

/** Return the vectors of a series, and the numbers before its first coefficient. */
TX_HD static inline int tx_spectral_vectors(int n_B) {
  return (n_B + TX_SPECTRAL_LANES - 1) / TX_SPECTRAL_LANES;
}
TX_HD static inline int tx_spectral_head(int n_B, int n_phi) {
  int rows = tx_spectral_vectors(n_B) * n_phi;
  return (rows + TX_SPECTRAL_LANES - 1) / TX_SPECTRAL_LANES * TX_SPECTRAL_LANES;
}

/** Return the number of `coefficients`, to copy them to a device. */
TX_HD static inline size_t tx_spectral_count(const tx_spectral *s) {
  if (s->n_A == 0) return 0;
  size_t count = (size_t)tx_spectral_head(s->n_B, s->n_phi);
  for (int row = 0; row < tx_spectral_vectors(s->n_B) * s->n_phi; row++)
    count += (size_t)s->coefficients[row] * TX_SPECTRAL_LANES;
  return count;
}

/** lane[l] += F \sum_k T[k] c[k][l] for an even number n_k of k. */
#ifdef __CUDACC__
TX_HD static inline void tx_spectral_row(double F, const double *T, int n_k, const double *c,
                                         double *lane) {
  double sum[TX_SPECTRAL_LANES] = {0.0};
  for (int k = 0; k < n_k; k++)
    for (int l = 0; l < TX_SPECTRAL_LANES; l++) sum[l] += T[k] * c[k * TX_SPECTRAL_LANES + l];
  for (int l = 0; l < TX_SPECTRAL_LANES; l++) lane[l] += F * sum[l];
}
#else
typedef double tx_lanes __attribute__((vector_size(8 * TX_SPECTRAL_LANES), aligned(8), may_alias));
static inline void tx_spectral_row(double F, const double *T, int n_k, const double *c,
                                   double *lane) {
  const tx_lanes *from = (const tx_lanes *)c;
  tx_lanes even = {0.0}, odd = {0.0};
  for (int k = 0; k < n_k; k += 2) {
    even += T[k] * from[k];
    odd += T[k + 1] * from[k + 1];
  }
  *(tx_lanes *)lane += F * (even + odd);
}
#endif

/** Compute T_0 .. T_(n-1) [out] at x, n at least 2. */
TX_HD static inline void tx_chebyshev(double x, int n, double *T) {
  T[0] = 1.0;
  T[1] = x;
  for (int k = 2; k < n; k++) T[k] = 2.0 * x * T[k - 1] - T[k - 2];
}

/** Compute 1, cos phi, sin phi, cos 2 phi, ..., n of them [out]. */
TX_HD static inline void tx_fourier(double cos_phi, double sin_phi, int n, double *F) {
  double re = 1.0, im = 0.0;
  F[0] = 1.0;
  for (int q = 1; q < n; q += 2) {
    double next = re * cos_phi - im * sin_phi;
    im = im * cos_phi + re * sin_phi;
    re = next;
    F[q] = re;
    if (q + 1 < n) F[q + 1] = im;
  }
}

/** Return u at x. Its cost is that of the series: at most n_A n_B n_phi multiplications. */
TX_HD static inline double tx_spectral_point(const tx_spectral *s, const double *x) {
  if (s->n_A == 0) return 0.0;
  tx_spectral_coordinates at;
  tx_spectral_locate(s, x, &at);
  double T_A[TX_SPECTRAL_MAX], T_B[TX_SPECTRAL_MAX], F[TX_SPECTRAL_MAX / 2];
  int vectors = tx_spectral_vectors(s->n_B);
  tx_chebyshev(at.A - at.one_minus_A, s->n_A, T_A);
  tx_chebyshev(at.B, vectors * TX_SPECTRAL_LANES, T_B);
  tx_fourier(at.cos_phi, at.sin_phi, s->n_phi, F);
  const double *kept = s->coefficients, *c = kept + tx_spectral_head(s->n_B, s->n_phi);
  double sum = 0.0;
  for (int v = 0; v < vectors; v++) {
    double lane[TX_SPECTRAL_LANES] = {0.0};
    for (int q = 0; q < s->n_phi; q++) {
      int n_k = (int)*kept++;
      tx_spectral_row(F[q], T_A, n_k, c, lane);
      c += n_k * TX_SPECTRAL_LANES;
    }
    for (int l = 0; l < TX_SPECTRAL_LANES; l++) sum += lane[l] * T_B[v * TX_SPECTRAL_LANES + l];
  }
  return -at.one_minus_A * sum;
}

/** Add the Bowen-York curvature of one puncture to [inout] A_dd (xx, xy, xz, yy, yz, zz), at the
 *  offset d from it, r its length:
 *      3/(2 r^2) (P_i n_j + P_j n_i - (\delta_ij - n_i n_j) P.n)
 *    + 3/r^3 ((S x n)_i n_j + (S x n)_j n_i). */
TX_HD static inline void tx_bowen_york_add(const double *momentum, const double *spin,
                                           const double *d, double r, double *A_dd) {
  double n[3], w[3];
  for (int i = 0; i < 3; i++) n[i] = d[i] / r;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    w[i] = spin[j] * n[k] - spin[k] * n[j];
  }
  double Pn = momentum[0] * n[0] + momentum[1] * n[1] + momentum[2] * n[2];
  double by_P = 1.5 / (r * r), by_S = 3.0 / (r * r * r);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double delta = i == j ? 1.0 : 0.0;
      A_dd[tx_symmetric_at(i, j)] +=
          by_P * (momentum[i] * n[j] + momentum[j] * n[i] - (delta - n[i] * n[j]) * Pn) +
          by_S * (w[i] * n[j] + w[j] * n[i]);
    }
}

/** Compute all TX_VARS variables [out] u at x, where the regular part of psi is 1 + regular, and w that of a maximal lapse;
 *  chi is 0, not NaN, exactly at a puncture. */
TX_HD static inline void tx_bowen_york_point_of(const tx_bowen_york *b, const double *x,
                                                double regular, double w, double *u) {
  double A_dd[6] = {0.0}, sum = 0.0;
  for (int a = 0; a < b->n; a++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = x[i] - b->position[a][i];
    double r = fmax(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 1e-90);
    sum += 0.5 * b->mass[a] / r;
    tx_bowen_york_add(b->momentum[a], b->spin[a], d, r, A_dd);
  }
  double psi = 1.0 + sum + regular;
  double psi_m2 = 1.0 / (psi * psi);
  tx_minkowski_point(u);
  u[TX_VAR_CHI] = psi_m2 * psi_m2;
  u[TX_VAR_ALPHA] = tx_puncture_lapse(b->lapse, psi_m2, sum, w);
  for (int ij = 0; ij < 6; ij++) u[TX_VAR_AT00 + ij] = psi_m2 * psi_m2 * psi_m2 * A_dd[ij];
}
