/* Quasi-circular momenta against published values and against what they must be by symmetry and far away. */
#include <math.h>

#include "physics/initial_data/quasi_circular.h"
#include "support/cmocka.h"

/* A spin along z. */
#define ALONG(chi) ((const double[3]){0.0, 0.0, chi})

static tx_quasi_circular pair(double separation, double ratio, double chi1, double chi2) {
  tx_quasi_circular q;
  tx_quasi_circular_momenta(separation, ratio, ALONG(chi1), ALONG(chi2), &q);
  return q;
}

static void assert_near(double x, double y, double relative) {
  if (fabs(x - y) <= relative * fabs(y)) return;
  fail_msg("%.17g is not %.17g to %g", x, y, relative);
}

/** Computed independently from 1702.00872 eq. 7 and 1810.00036 eq. A2: q = m2/m1, separation, p_t. */
static void tangential_momenta_are_the_published_ones(void **state) {
  static const double known[][3] = {{1, 12, .0850940927}, {1, 10, .0962578089},
                                    {2, 10, .0856591546}, {2, 8, .1004950323},
                                    {4, 8, .0726603850},  {1, 8, .1128452}};
  for (int n = 0; n < 6; n++)
    assert_near(pair(known[n][1], 1.0 / known[n][0], 0.0, 0.0).p_t, known[n][2],
                n < 5 ? 1e-9 : 1e-6);
}

/** p_t and p_r as an independent implementation of arXiv:1810.00036 has them: q = m2/m1, separation,
 *  chi1, chi2, p_t, p_r. */
static void spinning_pairs_have_the_published_momenta(void **state) {
  static const double known[][6] = {
      {1, 12, 0, 0, 0.0850940927209620, 0.0005398602170955123},
      {1.5, 10.8, -.6, .6, 0.0868556558764586, 0.0006770196671656516},
      {8, 11, .5, .5, 0.0345503689803291, 0.0000975735300199125},
      {4, 11, -.8, .8, 0.0558077537453816, 0.0002511426409814753},
  };
  for (int n = 0; n < 4; n++) {
    tx_quasi_circular q = pair(known[n][1], 1.0 / known[n][0], known[n][2], known[n][3]);
    assert_near(q.p_t, known[n][4], 1e-13);
    assert_near(q.p_r, known[n][5], 1e-13);
  }
  assert_near(pair(10.0, 1.0, 0.0, 0.0).p_r, 1.007872e-3, 2e-7); /* published, 3.5PN */
}

static void bodies_may_change_their_names(void **state) {
  for (int n = 0; n < 12; n++) {
    double ratio = 1.0 + 0.5 * (n % 6), D = 8.0 + n, chi1 = 0.1 * n - 0.6, chi2 = 0.5 - 0.07 * n;
    tx_quasi_circular q = pair(D, ratio, chi1, chi2), r = pair(D, 1.0 / ratio, chi2, chi1);
    assert_near(q.p_t, r.p_t, 1e-13);
    assert_near(q.p_r, r.p_r, 1e-13);
    assert_near(q.frequency, r.frequency, 1e-13);
    for (int a = 0; a < 2; a++) {
      assert_near(q.mass[a], r.mass[1 - a], 1e-15);
      for (int i = 0; i < 3; i++) {
        assert_true(fabs(q.position[a][i] + r.position[1 - a][i]) < 1e-13);
        assert_true(fabs(q.momentum[a][i] + r.momentum[1 - a][i]) < 1e-14);
        assert_true(fabs(q.spin[a][i] - r.spin[1 - a][i]) < 1e-14);
      }
    }
  }
}

/** Masses q/(1+q) and 1/(1+q), centre of mass and total momentum 0, orbit counter-clockwise about z. */
static void the_pair_is_where_it_should_be(void **state) {
  tx_quasi_circular q = pair(9.0, 1.5, 0.5, -0.3);
  assert_near(q.mass[0], 0.6, 1e-15);
  assert_near(q.mass[0] + q.mass[1], 1.0, 1e-15);
  assert_near(q.position[0][0] - q.position[1][0], 9.0, 1e-15);
  double Lz = 0.0;
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(q.mass[0] * q.position[0][i] + q.mass[1] * q.position[1][i]) < 1e-15);
    assert_true(q.momentum[0][i] + q.momentum[1][i] == 0.0);
  }
  for (int a = 0; a < 2; a++)
    Lz += q.position[a][0] * q.momentum[a][1] - q.position[a][1] * q.momentum[a][0];
  assert_near(Lz, 9.0 * q.p_t, 1e-14);
  assert_true(q.momentum[0][0] < 0.0 && q.momentum[1][0] > 0.0); /* towards each other */
  assert_near(q.spin[0][2], 0.5 * 0.36, 1e-14);
  assert_near(q.spin[1][2], -0.3 * 0.16, 1e-14);
}

/** Kepler: p_t = nu/sqrt(r), Omega = r^-3/2; quadrupole radiation: p_r = (64/5) nu^2/r^3; what is left
 *  out falls off as 1/r. */
static void far_away_they_are_newtonian(void **state) {
  for (int n = 0; n < 3; n++) {
    double ratio = 1.0 + n, nu = ratio / ((1.0 + ratio) * (1.0 + ratio)), off[2][3];
    for (int far = 0; far < 2; far++) {
      double r = far ? 1e5 : 1e4;
      tx_quasi_circular q = pair(r, ratio, 0.4, -0.7);
      off[far][0] = fabs(q.p_t * sqrt(r) / nu - 1.0);
      off[far][1] = fabs(q.frequency * r * sqrt(r) - 1.0);
      off[far][2] = fabs(q.p_r * r * r * r / (12.8 * nu * nu) - 1.0);
    }
    for (int i = 0; i < 3; i++) {
      assert_true(off[0][i] < 1e-3);
      assert_true(off[1][i] < 0.12 * off[0][i] && off[1][i] > 0.05 * off[0][i]);
    }
  }
}

static double time_of(double separation, double q, double chi1, double chi2) {
  tx_inspiral_forecast f;
  tx_quasi_circular_forecast(separation, q, ALONG(chi1), ALONG(chi2), &f);
  return f.time;
}

/** Evolutions of this code (RESULTS.md) within 1.5%, orbits of the punctures within 2.5%: q, separation over the sum of the masses,
 *  spins, orbital angular momentum over that of the circular orbit, time of the common horizon, orbits. */
static void the_forecast_is_that_of_evolutions(void **state) {
  static const double known[][7] = {
      {1, 10, 0, 0, 1, 909.6, 6.124}, {1, 8, 0, 0, 0.114 / 0.1128452, 442.0, 3.820},
      {2, 8, 0, 0, 1, 406.0, 3.690},  {2, 7.555, 0, 0, 1, 324.2, 3.196},
      {4, 8, 0, 0, 1, 491.0, 4.289},  {1.24, 8.689, 0.31, -0.46, 1, 518.5, 4.261}};
  for (int n = 0; n < 6; n++) {
    const double *k = known[n];
    const tx_quasi_circular orbit = pair(k[1], k[0], k[2], k[3]);
    tx_inspiral_forecast f;
    tx_quasi_circular_forecast_of(&orbit, k[4], &f);
    assert_near(f.time, k[5], 0.015);
    assert_near(f.orbits, k[6], 0.025);
  }
  assert_near(time_of(10.0, 1.0, 0.0, 0.0), 909.6, 0.015);
}

/** Peters (1964), far away; one piece joins the other; spins along the orbit's axis hold it up; in any order. */
static void the_forecast_goes_as_it_must(void **state) {
  assert_near(time_of(1000.0, 3.0, 0.0, 0.0), 5.0 / 256.0 * 1e12 * 16.0 / 3.0, 0.02);
  const double slope = (time_of(16.001, 4.0, 0.3, 0.1) - time_of(15.999, 4.0, 0.3, 0.1)) / 0.002;
  assert_near(slope, (time_of(15.99, 4.0, 0.3, 0.1) - time_of(15.49, 4.0, 0.3, 0.1)) / 0.5, 0.25);
  assert_true(time_of(10.0, 1.0, 0.5, 0.5) > 1.2 * time_of(10.0, 1.0, 0.0, 0.0));
  assert_true(time_of(10.0, 1.0, -0.5, -0.5) < 0.8 * time_of(10.0, 1.0, 0.0, 0.0));
  assert_near(time_of(9.0, 3.0, 0.4, -0.2), time_of(9.0, 1.0 / 3.0, -0.2, 0.4), 1e-9);
}

static double frequency_of(double separation, double q, double chi1, double chi2) {
  return pair(separation, q, chi1, chi2).frequency;
}

/** About a hole that is much heavier: Omega M = 1/(r^(3/2) + a) at the last stable orbit of Kerr, Bardeen, Press and
 *  Teukolsky (1972), eq. 2.16 and 2.21. Spins along the orbit's axis move it inwards. */
static void the_last_stable_orbit_is_that_of_kerr(void **state) {
  static const double kerr[][2] = {{0.0, 6.0}, {-0.5, 7.554585}, {-0.9, 8.717352}};
  for (int n = 0; n < 3; n++) {
    const double a = kerr[n][0], q = 1e5,
                 D = tx_quasi_circular_last_stable(q, ALONG(a), ALONG(0.0));
    assert_near(frequency_of(D, q, a, 0.0), 1.0 / (pow(kerr[n][1], 1.5) + a), 1e-3);
  }
  assert_true(tx_quasi_circular_last_stable(1.0, ALONG(-0.8), ALONG(-0.8)) >
              tx_quasi_circular_last_stable(1.0, ALONG(-0.4), ALONG(-0.4)));
}

/** Separations that are looked for have what was asked for; those that are not there are 0. */
static void separations_are_found(void **state) {
  tx_inspiral_forecast f;
  for (int n = 0; n < 4; n++) {
    const double orbits = 2.0 + 6.0 * n, w = 0.06 / (1.0 + n);
    const double D = tx_quasi_circular_separation_of(orbits, 2.0, ALONG(0.3), ALONG(-0.2));
    tx_quasi_circular_forecast(D, 2.0, ALONG(0.3), ALONG(-0.2), &f);
    assert_near(f.orbits, orbits, 0.01);
    assert_near(frequency_of(tx_quasi_circular_separation_at(w, 2.0, ALONG(0.3), ALONG(-0.2)), 2.0,
                             0.3, -0.2),
                w, 1e-8);
  }
  assert_true(tx_quasi_circular_separation_of(0.1, 1.0, ALONG(0.0), ALONG(0.0)) == 0.0);
  assert_true(tx_quasi_circular_separation_of(1e5, 1.0, ALONG(0.0), ALONG(0.0)) == 0.0);
  assert_true(tx_quasi_circular_separation_at(0.2, 1.0, ALONG(0.0), ALONG(0.0)) == 0.0);
  assert_true(tx_quasi_circular_separation_at(1e-5, 1.0, ALONG(0.0), ALONG(0.0)) == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangential_momenta_are_the_published_ones),
      cmocka_unit_test(spinning_pairs_have_the_published_momenta),
      cmocka_unit_test(bodies_may_change_their_names),
      cmocka_unit_test(the_pair_is_where_it_should_be),
      cmocka_unit_test(far_away_they_are_newtonian),
      cmocka_unit_test(the_forecast_is_that_of_evolutions),
      cmocka_unit_test(the_forecast_goes_as_it_must),
      cmocka_unit_test(the_last_stable_orbit_is_that_of_kerr),
      cmocka_unit_test(separations_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
