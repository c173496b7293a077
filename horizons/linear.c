#include <math.h>
#include "horizons/internal.h"

/* Row of the largest pivot in column k at or below row k. */
static int pivot_row(int n, const double *a, int k) {
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(a[(size_t)i * (size_t)n + (size_t)k]) > fabs(a[(size_t)best * (size_t)n + (size_t)k]))
      best = i;
  return best;
}

static void swap_rows(int n, double *a, double *b, int i, int k) {
  for (int j = 0; j < n; j++) {
    double t = a[(size_t)i * (size_t)n + (size_t)j];
    a[(size_t)i * (size_t)n + (size_t)j] = a[(size_t)k * (size_t)n + (size_t)j];
    a[(size_t)k * (size_t)n + (size_t)j] = t;
  }
  double t = b[i];
  b[i] = b[k];
  b[k] = t;
}

int tx_linear_solve(int n, double *a, double *b) {
  int sign = 1;
  for (int k = 0; k < n; k++) {
    int best = pivot_row(n, a, k);
    if (best != k) {
      swap_rows(n, a, b, best, k);
      sign = -sign;
    }
    const double *top = a + (size_t)k * (size_t)n;
    if (!isfinite(top[k]) || top[k] == 0.0) return 0;
    if (top[k] < 0.0) sign = -sign;
#pragma omp parallel for schedule(static) if (n - k > 128)
    for (int i = k + 1; i < n; i++) {
      double *row = a + (size_t)i * (size_t)n, factor = row[k] / top[k];
      for (int j = k + 1; j < n; j++) row[j] -= factor * top[j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *row = a + (size_t)k * (size_t)n;
    for (int j = k + 1; j < n; j++) b[k] -= row[j] * b[j];
    b[k] /= row[k];
    if (!isfinite(b[k])) return 0;
  }
  return sign;
}
