/* Brill waves at a point, against their metric in cylindrical coordinates and differences of it. */
#include <math.h>

#include "physics/initial_data/initial_data.h"
#include "support/cmocka.h"

static const tx_brill wave = {.amplitude = 1.7, .width = 0.8};

static const double points[][3] = {{0.3, -0.4, 0.5}, {1e-3, 2e-3, -0.7}, {-1.1, 0.2, 0.0},
                                   {0.0, 0.9, 0.1},  {0.5, 0.5, -1.5},   {0.1, 0.0, 0.02}};
enum { POINTS = sizeof points / sizeof *points };

static double seed(const double x[3]) {
  const double s2 = wave.width * wave.width, rho2 = x[0] * x[0] + x[1] * x[1];
  return wave.amplitude * rho2 / s2 * exp(-(rho2 + x[2] * x[2]) / s2);
}

static double regular(const double x[3]) {
  return 0.2 / (1.0 + x[0] * x[0] + x[1] * x[1] + 2.0 * x[2] * x[2]);
}

/* \psi^4 (e^{2q} (e_\rho e_\rho + e_z e_z) + e_\phi e_\phi), off the axis. */
static void metric(const double x[3], double g[3][3]) {
  const double rho = hypot(x[0], x[1]), psi = 1.0 + regular(x), q = seed(x);
  const double e[3][3] = {
      {x[0] / rho, x[1] / rho, 0.0}, {-x[1] / rho, x[0] / rho, 0.0}, {0.0, 0.0, 1.0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      g[i][j] = pow(psi, 4.0) *
                (exp(2.0 * q) * (e[0][i] * e[0][j] + e[2][i] * e[2][j]) + e[1][i] * e[1][j]);
}

/* Weights of a derivative of order 6 at 1, 2, 3 spacings. */
static const double weights[] = {0.75, -0.15, 1.0 / 60.0};

static void variables_are_those_of_the_metric(void **state) {
  const double h = 1e-2 * 0.05;
  for (int n = 0; n < POINTS; n++) {
    tx_adm_point p = {.alpha = 1.0};
    double want[TX_VARS], got[TX_VARS];
    metric(points[n], p.gamma_dd);
    for (int d = 0; d < 3; d++)
      for (int m = -3; m <= 3; m++) {
        double x[3] = {points[n][0], points[n][1], points[n][2]}, g[3][3];
        if (m == 0) continue;
        x[d] += m * h;
        metric(x, g);
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            p.dgamma_ddd[d][i][j] +=
                (m > 0 ? 1.0 : -1.0) * weights[(m > 0 ? m : -m) - 1] * g[i][j] / h;
      }
    tx_adm_to_bssn_point(&p, want);
    tx_brill_point(&wave, points[n], regular(points[n]), got);
    for (int v = 0; v < TX_VARS; v++)
      if (!(fabs(got[v] - want[v]) < 1e-9))
        fail_msg("point %d: %s is %.12g, not %.12g", n, tx_bssn.variable[v].name, got[v], want[v]);
  }
}

/* Smooth on the axis: as just off it; flat far away. */
static void nothing_is_wrong_on_the_axis(void **state) {
  for (int n = 0; n < 4; n++) {
    const double on[3] = {0.0, 0.0, 0.4 * n}, off[3] = {1e-7, -2e-7, 0.4 * n};
    double u[TX_VARS], w[TX_VARS];
    tx_brill_point(&wave, on, 0.1, u);
    tx_brill_point(&wave, off, 0.1, w);
    for (int v = 0; v < TX_VARS; v++) assert_true(fabs(u[v] - w[v]) < 1e-5);
    assert_true(u[TX_VAR_GT00] == 1.0 && u[TX_VAR_GAMT0] == 0.0);
  }
  double far[TX_VARS], flat[TX_VARS];
  tx_brill_point(&wave, (const double[3]){30.0, 40.0, 0.0}, 0.0, far);
  tx_minkowski_point(flat);
  for (int v = 0; v < TX_VARS; v++) assert_true(far[v] == flat[v]);
}

static void the_potential_is_that_of_the_seed(void **state) {
  const double h = 1e-3;
  for (int n = 0; n < POINTS; n++) {
    const double rho = hypot(points[n][0], points[n][1]), z = points[n][2];
    const double at = seed((const double[3]){rho, 0.0, z});
    double sum = -4.0 * at;
    for (int m = -1; m <= 1; m += 2)
      sum += seed((const double[3]){rho + m * h, 0.0, z}) +
             seed((const double[3]){rho, 0.0, z + m * h});
    assert_true(fabs(tx_brill_potential(&wave, points[n]) - 0.25 * sum / (h * h)) < 5e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variables_are_those_of_the_metric),
      cmocka_unit_test(nothing_is_wrong_on_the_axis),
      cmocka_unit_test(the_potential_is_that_of_the_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
