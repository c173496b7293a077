#include "physics/gauss_legendre.h"

#include <math.h>

enum { NEWTON_STEPS = 100 };

/* P_n(z), and its derivative by way of P_{n-1}. */
static double legendre(int n, double z, double *slope) {
  double p0 = 1.0, p1 = z;
  for (int k = 2; k <= n; k++) {
    double p2 = ((2 * k - 1) * z * p1 - (k - 1) * p0) / k;
    p0 = p1;
    p1 = p2;
  }
  *slope = n * (z * p1 - p0) / (z * z - 1.0);
  return p1;
}

void tx_gauss_legendre(int n, double *x, double *w) {
  for (int i = 0; i < (n + 1) / 2; i++) {
    const int middle = 2 * i + 1 == n;
    double z = middle ? 0.0 : cos(M_PI * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int step = 0; step < NEWTON_STEPS; step++) {
      double change = legendre(n, z, &slope) / slope;
      if (middle) break;
      z -= change;
      if (fabs(change) < 1e-15) break;
    }
    x[n - 1 - i] = -z;
    x[i] = z;
    w[i] = w[n - 1 - i] = 2.0 / ((1.0 - z * z) * slope * slope);
  }
}
