/* The largest stable time step of the scheme on flat space. */
#include "base/params_table.h"

#include <math.h>

#define PI 3.14159265358979323846

/* |R(z)|^2 of classical RK4, R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24. */
static double amplification(double re, double im) {
  double a = 1.0, b = 0.0; /* Horner: R = 1 + z (1 + z/2 (1 + z/3 (1 + z/4))) */
  for (int n = 4; n >= 1; n--) {
    double c = (re * a - im * b) / n, d = (re * b + im * a) / n;
    a = 1.0 + c, b = d;
  }
  return a * a + b * b;
}

/* Largest frequency times h of the linearised equations at wave number theta/h in every dimension.
 *
 * On flat space with alpha = 1 and beta = 0 the principal part splits into oscillators:
 * - lapse: d_t alpha = -2 K (1+log) or -K (harmonic) and d_t K = -D alpha, so omega^2 = 2 D or D;
 * - metric: omega^2 = D;
 * - shift: d_t^2 beta^i = (3/4) f (-D beta^i + (1/3) d_i d_k beta^k).
 *
 * D = 3 k2 is the symbol of minus the Laplacian. With t = theta, centred differences have
 * - k2 = (490 - 540 cos t + 54 cos 2t - 4 cos 3t)/180, up to 272/45 = 6.04,
 * - k1 = (90 sin t - 18 sin 2t + 2 sin 3t)/60, up to 1.586.
 *
 * The matrix -d_i d_k has k2 on its diagonal and k1^2 off it: its largest eigenvalue is k2 + 2 k1^2.
 *
 * The diagonal direction is the worst: its corner has the largest frequency of all, and as
 * sin^6(t/2) is convex in k2, nowhere is the damping weaker at the same frequency. With the real
 * scheme tests/science/test_cfl_limit.c finds noise stable 2% below the limit, unstable 2% above. */
static double frequency(const tx_params *p, double theta) {
  double k2 = (490 - 540 * cos(theta) + 54 * cos(2 * theta) - 4 * cos(3 * theta)) / 180;
  double k1 = (90 * sin(theta) - 18 * sin(2 * theta) + 2 * sin(3 * theta)) / 60;
  double omega2 = (p->gauge_slicing == TX_SLICING_ONE_PLUS_LOG ? 2.0 : 1.0) * 3 * k2;
  double f = p->gauge_lambda_f0 + p->gauge_lambda_f1;
  double shift2 = 0.75 * f * (3 * k2 + (k2 + 2 * k1 * k1) / 3);
  if (p->gauge_shift == TX_SHIFT_GAMMA_DRIVER && shift2 > omega2) omega2 = shift2;
  return sqrt(omega2);
}

/* Kreiss-Oliger dissipation, sigma/(64 h) (1 -6 15 -20 15 -6 1) a dimension, has the symbol
 * -(sigma/h) sin^6(theta/2). Its own limit is 3 sigma C = 2.785, where the negative real axis leaves
 * RK4's region of stability. With both, all z = C (-3 sigma sin^6(theta/2) +- i omega h) must lie
 * inside, |R(z)| <= 1. */
static bool stable(const tx_params *p, double cfl) {
  for (int n = 0; n <= 256; n++) {
    double theta = PI * n / 256, s = sin(theta / 2);
    double damping = 3 * p->evolution_dissipation * s * s * s * s * s * s;
    if (amplification(-cfl * damping, cfl * frequency(p, theta)) > 1 + 1e-9) return false;
  }
  return true;
}

double tx_param_cfl_limit(const tx_params *p) {
  double low = 0, high = 0;
  while (high < 4 && stable(p, high)) low = high, high += 1.0 / 128;
  for (int n = 0; n < 40; n++) {
    double middle = 0.5 * (low + high);
    if (stable(p, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}
