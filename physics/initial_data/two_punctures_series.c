#include "physics/initial_data/two_punctures_series.h"

#include <float.h>
#include <math.h>
#include "base/memory.h"
#include "physics/initial_data/two_punctures_point.h"

/* There only the axisymmetric part is left. */
void tx_series_foci(int n, const double *series, double u[2]) {
  u[0] = u[1] = 0.0;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) {
      const double c = (k % 2 ? 1.0 : -1.0) * series[k * n + l];
      u[0] += c;
      u[1] += l % 2 ? -c : c;
    }
}

/* d cos \eta = 2 (1 - B^2)/(1 + B^2)^2 dB, by Fejer's quadrature at the zeros of T_n. */
double tx_series_monopole(int n, const double *series) {
  double sum = 0.0;
  for (int j = 0; j < n; j++) {
    const double angle = M_PI * (2 * j + 1) / (2.0 * n), B2 = cos(angle) * cos(angle);
    double U = 0.0, weight = 2.0 / n;
    for (int k = 0; k < n; k++)
      for (int l = 0; l < n; l++) U += series[k * n + l] * cos(l * angle);
    for (int k = 1; 2 * k < n; k++) weight -= 4.0 / n * cos(2 * k * angle) / (4.0 * k * k - 1.0);
    sum -= weight * U * (1.0 - B2) / ((1.0 + B2) * (1.0 + B2));
  }
  return sum;
}

double tx_series_tail(int n, const double *series) {
  const int n_phi = n / 2, last = n_phi / 2;
  double tail[3][2] = {{0.0}};
  const double *c = series;
  for (int q = 0; q < n_phi; q++)
    for (int k = 0; k < n; k++)
      for (int l = 0; l < n; l++, c++) {
        const double size = fabs(*c);
        const int m = (q + 1) / 2;
        if (k >= n - 2) tail[0][n - 1 - k] += size;
        if (l >= n - 2) tail[1][n - 1 - l] += size;
        if (m >= last - 1) tail[2][last - m] += size;
      }
  double worst = 0.0;
  for (int i = 0; i < 3; i++) worst = fmax(worst, fmax(tail[i][0], tail[i][1]));
  return worst;
}

/* A row of the packed series: vector v of Fourier function q. */
typedef struct row {
  int n, q, v;
  const double *series;
} row;

static double coefficient(const row *r, int k, int lane) {
  const int l = r->v * TX_SPECTRAL_LANES + lane;
  return l < r->n ? r->series[(r->q * r->n + k) * r->n + l] : 0.0;
}

/* The even number of k that must be kept so that no vector left out is larger than `negligible`. */
static int kept(const row *r, double negligible) {
  for (int k = r->n - 1; k >= 0; k--) {
    double size = 0.0;
    for (int lane = 0; lane < TX_SPECTRAL_LANES; lane++) size += fabs(coefficient(r, k, lane));
    if (size > negligible) return k / 2 * 2 + 2;
  }
  return 0;
}

tx_status tx_series_pack(int n, const double *series, double negligible, size_t *count,
                         double **packed) {
  const int n_phi = n / 2, vectors = tx_spectral_vectors(n);
  const double largest = fabs(series[0]);
  const double each = fmax(negligible / (vectors * n_phi * n), 0.1 * DBL_EPSILON * largest);
  const size_t head = (size_t)tx_spectral_head(n, n_phi);
  *count = head;
  for (int v = 0; v < vectors; v++)
    for (int q = 0; q < n_phi; q++)
      *count += (size_t)(kept(&(row){n, q, v, series}, each) * TX_SPECTRAL_LANES);
  TX_TRY(tx_alloc(*count, sizeof(double), "initial data", packed));
  double *number = *packed, *to = *packed + head;
  for (int v = 0; v < vectors; v++)
    for (int q = 0; q < n_phi; q++) {
      const row r = {n, q, v, series};
      const int n_k = kept(&r, each);
      *number++ = n_k;
      for (int k = 0; k < n_k; k++)
        for (int lane = 0; lane < TX_SPECTRAL_LANES; lane++) *to++ = coefficient(&r, k, lane);
    }
  return TX_OK;
}
