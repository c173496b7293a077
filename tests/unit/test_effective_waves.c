/* Torque of waves against post-Newtonian fluxes, and times to the merger against models that others have calibrated. */
#include <math.h>
#include <string.h>

#include "physics/initial_data/effective_waves.h"
#include "support/cmocka.h"

/* dE/dr to fourth order, by steps in which rounding does not show. */
static double by_r(const tx_eob *e, double r, double p_phi) {
  const double h = 2e-3 * r;
  const double near = tx_eob_energy(e, r + h, 0.0, p_phi) - tx_eob_energy(e, r - h, 0.0, p_phi);
  const double far =
      tx_eob_energy(e, r + 2.0 * h, 0.0, p_phi) - tx_eob_energy(e, r - 2.0 * h, 0.0, p_phi);
  return (8.0 * near - far) / (12.0 * h);
}

/* The circular orbit at r. */
static tx_eob_orbit circle(const tx_eob *e, double r, double *w) {
  tx_eob_orbit o = {.r = r, .axis = {0.0, 0.0, 1.0}};
  double low = 0.5 * sqrt(r), high = 2.0 * sqrt(r);
  memcpy(o.chi, e->pair.chi, sizeof o.chi);
  for (int n = 0; n < 60; n++) {
    o.p_phi = 0.5 * (low + high);
    if (by_r(e, r, o.p_phi) > 0.0)
      low = o.p_phi;
    else
      high = o.p_phi;
  }
  *w = (tx_eob_energy(e, r, 0.0, o.p_phi + 1e-3) - tx_eob_energy(e, r, 0.0, o.p_phi - 1e-3)) / 2e-3;
  return o;
}

static tx_eob bodies(double q, double chi1, double chi2) {
  const double one[3] = {0.0, 0.0, chi1}, two[3] = {0.0, 0.0, chi2};
  const tx_pair b = tx_pair_make(20.0, q, one, two);
  return tx_eob_make(&b);
}

/* Of the energy that is lost, over that of arXiv:1502.01747, less 1; *x = w^(2/3). */
static double left(double q, double chi1, double chi2, double r, double *x) {
  const tx_eob e = bodies(q, chi1, chi2);
  double w;
  const tx_eob_orbit o = circle(&e, r, &w);
  *x = cbrt(w * w);
  return -tx_eob_torque(&e, &o, w) * w * e.nu / tx_pair_energy_loss(&e.pair, w) - 1.0;
}

/** Without spins to 3.5PN, what is odd in spins to 2.5PN, squares to 2PN: what is left over the last power vanishes far away, to which a
 *  parabola in sqrt(x) leads, but for the parabola's own error, which hardly depends on the mass ratio: logarithms in the first. */
static void fluxes_are_those_of_post_newtonian_theory(void **state) {
  static const double ratios[] = {1.0, 1.5, 4.0, 30.0}, power[] = {3.5, 2.5, 2.0};
  static const double error[][2] = {{-8.0, -6.5}, {-0.085, -0.055}, {0.003, 0.013}};
  for (int n = 0; n < 4; n++) {
    double v[3], y[3][3];
    for (int k = 0; k < 3; k++) {
      double x;
      const double q = ratios[n], r = 25.0 * (1 << k), none = left(q, 0.0, 0.0, r, &x);
      const double up = left(q, 0.3, 0.2, r, &x), down = left(q, -0.3, -0.2, r, &x);
      const double parts[3] = {none, 0.5 * (up - down), 0.5 * (up + down) - none};
      v[k] = sqrt(x);
      for (int i = 0; i < 3; i++) y[i][k] = parts[i] / pow(x, power[i]);
    }
    for (int i = 0; i < 3; i++) {
      double far = 0.0;
      for (int k = 0; k < 3; k++) {
        const double a = v[(k + 1) % 3], b = v[(k + 2) % 3];
        far += y[i][k] * a * b / ((v[k] - a) * (v[k] - b));
      }
      if (!(far > error[i][0] && far < error[i][1]))
        fail_msg("q %g, %d: %g x^%g", ratios[n], i, far, power[i]);
    }
  }
}

/* From the circular orbit of frequency 0.0335 to the largest frequency; *between: from 0.04 to 0.08. */
static double until_merger(double q, double chi1, double chi2, double *between) {
  const tx_eob e = bodies(q, chi1, chi2);
  const double frequency = 0.0335;
  double low = 8.0, high = 20.0, w, t = 0.0, last = 0.0, from = 0.0, to = 0.0;
  for (int n = 0; n < 40; n++) {
    const double r = 0.5 * (low + high);
    circle(&e, r, &w);
    if (w > frequency)
      low = r;
    else
      high = r;
  }
  tx_eob_orbit o = circle(&e, low, &w), out = circle(&e, low + 1e-3, &w);
  const double rise = (out.p_phi - o.p_phi) / 1e-3;
  w = frequency;
  o.p_r = tx_eob_torque(&e, &o, w) / rise /
          (tx_eob_tortoise(&e, low) * tx_eob_by_p_r(&e, low, 1e-3, o.p_phi) / 1e-3);
  while (t < 100.0 || w >= last) {
    const double dt = 0.05 / w;
    tx_eob_step(&e, &o, dt, tx_eob_torque);
    t += dt;
    last = w;
    w = tx_eob_by_p_phi(&e, o.r, o.p_r, o.p_phi);
    if (last < 0.04 && w >= 0.04) from = t - dt * (w - 0.04) / (w - last);
    if (last < 0.08 && w >= 0.08) to = t - dt * (w - 0.08) / (w - last);
  }
  *between = to - from;
  return t;
}

/** Until |h22| is largest, 3 M before the orbital frequency is (arXiv:1806.01772), SEOBNRv4 (arXiv:1611.03703); and between two
 *  frequencies of h22, TEOBResumS, of which these are the equations. lalsimulation 6.2.1, SimInspiralChooseTDWaveform: 60 solar
 *  masses, dt = 1/65536 s, f_min = 0.0335/pi and 0.9 of it. */
static void mergers_are_those_of_calibrated_models(void **state) {
  static const double known[][5] = {{1, 0, 0, 511.1, 258.8},     {2, 0, 0, 548.0, 277.0},
                                    {4, 0, 0, 679.1, 339.2},     {1.24, .31, -.46, 508.4, 257.1},
                                    {1.5, .4, .4, 667.0, 340.3}, {1.5, -.4, -.4, 407.6, 199.0}};
  for (int n = 0; n < 6; n++) {
    const double *k = known[n];
    double between;
    const double t = until_merger(k[0], k[1], k[2], &between) - 3.0;
    if (!(fabs(t / k[3] - 1.0) < 0.0125)) fail_msg("%d: %g M are not %g M", n, t, k[3]);
    if (!(fabs(between / k[4] - 1.0) < 0.0085)) fail_msg("%d: %g M are not %g M", n, between, k[4]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fluxes_are_those_of_post_newtonian_theory),
      cmocka_unit_test(mergers_are_those_of_calibrated_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
