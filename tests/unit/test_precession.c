/* Spins in any direction: effective-one-body equations against constants of the motion and closed forms, and momenta against
 * orbits under a post-Newtonian Hamiltonian in three dimensions that is written here. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "physics/initial_data/effective_waves.h"
#include "physics/initial_data/quasi_circular.h"
#include "support/cmocka.h"

#define PI 3.14159265358979323846

static const double chi1[3] = {0.5, -0.4, 0.2}, chi2[3] = {-0.3, 0.6, -0.1};

static void assert_near(double x, double y, double absolute) {
  if (fabs(x - y) <= absolute) return;
  fail_msg("%.17g is not %.17g to %g", x, y, absolute);
}

/* An eccentric orbit of bodies of these spins, body 1 the lighter one. */
static tx_eob_orbit orbit_of(const tx_eob *e, double r) {
  tx_eob_orbit o = {.r = r, .p_r = -0.01, .p_phi = 1.3 * sqrt(r), .axis = {0.0, 0.0, 1.0}};
  memcpy(o.chi, e->pair.chi, sizeof o.chi);
  return o;
}

static double energy_of(const tx_eob *e, const tx_eob_orbit *o) {
  const tx_eob here = tx_eob_at(e, o);
  return tx_eob_energy(&here, o->r, o->p_r, o->p_phi);
}

static void total_momentum(const tx_eob *e, const tx_eob_orbit *o, double *J) {
  const tx_pair *b = &e->pair;
  for (int i = 0; i < 3; i++)
    J[i] =
        e->nu * o->p_phi * o->axis[i] + b->m1 * b->m1 * o->chi[0][i] + b->m2 * b->m2 * o->chi[1][i];
}

/* What the equations of motion without losses change of energy, total angular momentum, spins' lengths and the axis' length in
 * 2000 M; and how far the axis goes. */
static void drift(double dt, double change[4], double *tilt) {
  const tx_pair b = tx_pair_make(10.0, 1.0 / 3.0, chi1, chi2);
  const tx_eob e = tx_eob_make(&b);
  tx_eob_orbit o = orbit_of(&e, 10.0);
  const tx_eob_orbit first = o;
  double before[3], after[3];
  for (int n = 0; n < (int)(2000.0 / dt); n++) tx_eob_step(&e, &o, dt, NULL);
  total_momentum(&e, &first, before);
  total_momentum(&e, &o, after);
  change[0] = fabs(energy_of(&e, &o) - energy_of(&e, &first));
  change[1] = change[2] = 0.0;
  for (int i = 0; i < 3; i++) change[1] = fmax(change[1], fabs(after[i] - before[i]));
  for (int a = 0; a < 2; a++)
    change[2] = fmax(
        change[2], fabs(tx_vec3_dot(o.chi[a], o.chi[a]) - tx_vec3_dot(first.chi[a], first.chi[a])));
  change[3] = fabs(tx_vec3_dot(o.axis, o.axis) - 1.0);
  *tilt = hypot(o.axis[0], o.axis[1]);
}

/** Energy, J, lengths of the spins and of the axis are constants to the error of the steps, fourth order and better, while the
 *  orbit's plane turns. Half a step leaves a sixteenth, or the noise of the difference quotients. */
static void constants_of_the_motion_stay(void **state) {
  double coarse[4], fine[4], tilt;
  drift(4.0, coarse, &tilt);
  drift(2.0, fine, &tilt);
  assert_true(tilt > 0.2);
  for (int i = 0; i < 4; i++) {
    if (fine[i] > coarse[i] / 14.0 + 1e-9) fail_msg("%d: %g, then %g", i, coarse[i], fine[i]);
    assert_true(fine[i] < 3e-6);
  }
}

static double at(const tx_eob *e, double r, double p_phi) {
  return tx_eob_energy(e, r, 0.0, p_phi);
}

/* Square of the radial over the orbital frequency of the circular orbit at r, less its terms to 3PN and those of spins along the
 * axis to next-to-next-to-leading order (tools/tendex/waves/inspiral/eccentricity_fit.py); *x = w^(2/3). */
static double advance_left(double r, double sign, double *x) {
  const double one[3] = {0.0, 0.0, 0.5 * sign}, two[3] = {0.0, 0.0, 0.3 * sign};
  const double h = 0.01 * r;
  const tx_pair b = tx_pair_make(r, 0.4, one, two);
  const tx_eob e = tx_eob_make(&b);
  double low = 0.5 * sqrt(r), high = 2.0 * sqrt(r);
  for (int n = 0; n < 60; n++) {
    const double p = 0.5 * (low + high);
    if (8.0 * (at(&e, r + h, p) - at(&e, r - h, p)) >
        at(&e, r + 2.0 * h, p) - at(&e, r - 2.0 * h, p))
      low = p;
    else
      high = p;
  }
  const double w = tx_eob_by_p_phi(&e, r, 0.0, low), a = tx_eob_tortoise(&e, r), p = 1e-3;
  const double by_rr =
      (16.0 * (at(&e, r + h, low) + at(&e, r - h, low)) - at(&e, r + 2.0 * h, low) -
       at(&e, r - 2.0 * h, low) - 30.0 * at(&e, r, low)) /
      (12.0 * h * h);
  const double by_pp = tx_eob_by_p_r(&e, r, p, low) / p, nu = e.nu, y = cbrt(w * w);
  const double S = b.S1 + b.S2, T = nu * (b.chi1 + b.chi2);
  *x = y;
  return a * a * by_rr * by_pp / (w * w) -
         (1.0 - 6.0 * y + nu * (14.0 * y * y + (198.5 - 123.0 / 16.0 * PI * PI) * y * y * y) +
          (8.0 * S + 6.0 * T) * w - ((4.0 + 17.0 * nu) * S + (18.0 + 15.0 * nu) * T) * w * y -
          nu * ((1465.0 / 12.0 - 44.0 / 3.0 * nu) * S + (269.0 / 4.0 - 14.0 * nu) * T) * w * y * y);
}

/** What is linear in the spins, over x^(7/2). */
static double linear_left(double r) {
  double x, y, odd[2];
  for (int n = 0; n < 2; n++) {
    const double size = n == 0 ? 0.5 : 1.0;
    odd[n] = 0.5 * (advance_left(r, size, &x) - advance_left(r, -size, &y));
  }
  return (8.0 * odd[0] - odd[1]) / 3.0 / pow(x, 3.5);
}

/** The couplings, with their terms of the radial momentum, to next-to-next-to-leading order: the advance of the periastron is that of
 *  the ADM Hamiltonian (arXiv:0711.1048 eq. 4.11, 1104.3079 eq. 5), but for the order x^(9/2). Differences are of the
 *  energy alone and so wide that rounding shows in the fourth digit. */
static void periastra_advance_as_spins_say(void **state) {
  const double near = linear_left(14.0), middle = linear_left(28.0), far = linear_left(56.0);
  const double left = (8.0 * far - 6.0 * middle + near) / 3.0; /* without 1/r and 1/r^2 */
  if (!(fabs(left) < 0.05))
    fail_msg("%g x^(7/2); %g, %g, %g at 14, 28, 56 M", left, near, middle, far);
}

/** About the z axis by 90 degrees: everything turns, and nothing else happens. Rounding, which the compiler's contraction of products
 * turns too, is divided by the steps of numerical derivatives of the energy: 7e-9 of the phase with clang 16, none with gcc 12. */
#define ROUNDING 1e-7
static void a_turned_pair_does_the_same(void **state) {
  const double turned1[3] = {-chi1[1], chi1[0], chi1[2]}, turned2[3] = {-chi2[1], chi2[0], chi2[2]};
  const tx_pair b = tx_pair_make(10.0, 0.5, chi1, chi2),
                c = tx_pair_make(10.0, 0.5, turned1, turned2);
  const tx_eob e = tx_eob_make(&b), f = tx_eob_make(&c);
  tx_eob_orbit o = orbit_of(&e, 10.0), p = orbit_of(&f, 10.0);
  for (int n = 0; n < 300; n++) {
    tx_eob_step(&e, &o, 1.0, tx_eob_torque);
    tx_eob_step(&f, &p, 1.0, tx_eob_torque);
  }
  assert_near(o.r, p.r, ROUNDING);
  assert_near(o.phi, p.phi, ROUNDING);
  for (int a = 0; a < 3; a++) {
    const double *x = a < 2 ? o.chi[a] : o.axis, *y = a < 2 ? p.chi[a] : p.axis;
    assert_true(fabs(x[0]) > 1e-3);
    assert_near(y[0], -x[1], ROUNDING);
    assert_near(y[1], x[0], ROUNDING);
    assert_near(y[2], x[2], ROUNDING);
  }
  /* By 180 degrees also the line of the bodies is what it was. */
  const double half1[3] = {-chi1[0], -chi1[1], chi1[2]}, half2[3] = {-chi2[0], -chi2[1], chi2[2]};
  tx_quasi_circular q, r;
  tx_quasi_circular_momenta(9.0, 1.5, chi1, chi2, &q);
  tx_quasi_circular_momenta(9.0, 1.5, half1, half2, &r);
  assert_near(q.p_t, r.p_t, 1e-16);
  assert_near(q.p_r, r.p_r, 1e-16);
  tx_quasi_circular_momenta(9.0, 1.0 / 1.5, chi2, chi1, &r); /* the bodies change their names */
  assert_near(q.p_t, r.p_t, 1e-15);
  assert_near(q.p_r, r.p_r, 1e-15);
}

/** A small spin about a heavy body without one: geodetic precession, r^(-3/2) (1 - sqrt(1 - 3/r)) in the time of the far
 *  observer (de Sitter 1916); next-to-next-to-leading order leaves a relative error that falls as r^-3. */
static void a_small_spin_precesses_as_de_sitter_says(void **state) {
  double off[2];
  for (int n = 0; n < 2; n++) {
    const double r = n ? 24.0 : 12.0, small[3] = {1e-3, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
    const tx_pair b = tx_pair_make(r, 1e-7, small, none);
    const tx_eob e = tx_eob_make(&b);
    tx_eob_orbit o = {.r = r, .p_phi = r / sqrt(r - 3.0), .axis = {0.0, 0.0, 1.0}};
    double rate[2][3];
    memcpy(o.chi, b.chi, sizeof o.chi);
    tx_eob_precession(&e, &o, rate);
    const double geodetic = (1.0 - sqrt(1.0 - 3.0 / r)) / (r * sqrt(r));
    assert_near(rate[0][0] / geodetic, 0.0, 1e-4);
    assert_near(rate[0][1] / geodetic, 0.0, 1e-4);
    off[n] = fabs(rate[0][2] / geodetic - 1.0);
  }
  assert_true(off[0] < 5e-3);
  assert_true(off[1] < off[0] / 6.0);
}

/** A light body about a Kerr hole, nearly on a circle: L, and the radial frequency over the orbital one, of geodesics (Bardeen, Press
 *  and Teukolsky 1972; Kato 1990), w_r^2 = Omega^2 (1 - 6/r + 8 a r^(-3/2) - 3 a^2/r^2). */
static void a_light_body_swings_as_about_kerr(void **state) {
  static const double kerr[][2] = {{0.0, 8.0}, {0.9, 4.0}, {0.9, 8.0}, {-0.9, 12.0}, {0.5, 6.0}};
  for (int n = 0; n < 5; n++) {
    const double a = kerr[n][0], r = kerr[n][1], h = 1e-2, root = sqrt(r);
    const double spin[3] = {0.0, 0.0, a}, none[3] = {0.0, 0.0, 0.0};
    const tx_pair b = tx_pair_make(r, 1e-7, none, spin);
    const tx_eob e = tx_eob_make(&b);
    const double L =
        (r * r - 2.0 * a * root + a * a) / (root * sqrt(r * r - 3.0 * r + 2.0 * a * root));
    assert_near(tx_eob_by_r(&e, r, 0.0, L), 0.0, 1e-8);
    const double stiffness =
        (tx_eob_by_r(&e, r + h, 0.0, L) - tx_eob_by_r(&e, r - h, 0.0, L)) / (2.0 * h);
    const double softness = tx_eob_by_p_r(&e, r, 1e-3, L) / 1e-3;
    const double w_r = tx_eob_tortoise(&e, r) * sqrt(stiffness * softness);
    const double known = sqrt(1.0 - 6.0 / r + 8.0 * a / (r * root) - 3.0 * a * a / (r * r));
    assert_near(w_r / tx_eob_by_p_phi(&e, r, 0.0, L), known, 1e-4);
  }
}

/** (a.d)(a.d) 1/|x| by differences: twice the energy of the spins over nu, gr-qc/0103018. */
static double dipole_energy(const double *a, double r, double phi) {
  const double h = 1e-3 * r, x[3] = {r * cos(phi), r * sin(phi), 0.0},
               length = sqrt(tx_vec3_dot(a, a));
  double value[3];
  for (int n = 0; n < 3; n++) {
    double y[3];
    for (int i = 0; i < 3; i++) y[i] = x[i] + (n - 1) * h * a[i] / length;
    value[n] = 1.0 / sqrt(tx_vec3_dot(y, y));
  }
  return length * length * (value[0] - 2.0 * value[1] + value[2]) / (h * h);
}

/** Energy that is even in the spins, on a circular orbit far away: spin-spin, with its sign. Spins along the axis lower it,
 *  those across raise it half as much. */
static void spins_attract_and_repel_as_dipoles(void **state) {
  static const double spins[3][2][3] = {{{0.6, 0.1, 0.0}, {0.3, -0.5, 0.0}},
                                        {{0.0, 0.0, 0.5}, {0.0, 0.0, 0.7}},
                                        {{0.5, 0.0, 0.4}, {0.2, 0.3, 0.5}}};
  for (int n = 0; n < 3; n++) {
    const double r = 400.0, none[3] = {0.0, 0.0, 0.0};
    const tx_pair b = tx_pair_make(r, 0.5, spins[n][0], spins[n][1]);
    const tx_pair c = tx_pair_make(r, 0.5, none, none);
    tx_pair d = b;
    double a[3], mean = 0.0;
    for (int k = 0; k < 6; k++) d.chi[k / 3][k % 3] *= -1.0;
    const tx_eob e = tx_eob_make(&b), f = tx_eob_make(&c), g = tx_eob_make(&d);
    const double even =
        0.5 * (tx_eob_energy(&e, r, 0.0, sqrt(r)) + tx_eob_energy(&g, r, 0.0, sqrt(r))) -
        tx_eob_energy(&f, r, 0.0, sqrt(r));
    tx_pair_spin(&b, a);
    for (int k = 0; k < 12; k++) mean += dipole_energy(a, r, 2.0 * PI * k / 12) / 12.0;
    assert_near(even / (0.5 * mean), 1.0, 0.03);
    assert_true(n != 1 || mean < 0.0);
    assert_true(n != 0 || mean > 0.0);
  }
}

/* Two bodies under Newton's law, spin-orbit and spin-spin couplings at leading order (gr-qc/0103018 eq. 2.51 ff.): x, p of the
 * relative motion, spins 1 and 2, of masses m and 1 - m. */
typedef struct motion {
  double x[3], p[3], S[2][3];
} motion;

#define PARTS ((int)(sizeof(motion) / sizeof(double)))

static double energy(const motion *o, double m) {
  const double nu = m * (1.0 - m), r = sqrt(tx_vec3_dot(o->x, o->x)), r3 = r * r * r;
  double L[3], effective[3], a[3];
  tx_vec3_cross(o->x, o->p, L);
  for (int i = 0; i < 3; i++) {
    effective[i] =
        (2.0 + 1.5 * (1.0 - m) / m) * o->S[0][i] + (2.0 + 1.5 * m / (1.0 - m)) * o->S[1][i];
    a[i] = o->S[0][i] / m + o->S[1][i] / (1.0 - m);
  }
  const double along = tx_vec3_dot(a, o->x) / r;
  return 0.5 * tx_vec3_dot(o->p, o->p) / nu - nu / r + tx_vec3_dot(L, effective) / r3 +
         0.5 * nu / r3 * (3.0 * along * along - tx_vec3_dot(a, a));
}

static void gradient(const motion *o, double m, double *out) {
  for (int k = 0; k < PARTS; k++) {
    const double h = k < 3 ? 1e-3 : 1e-4;
    motion more = *o, less = *o;
    ((double *)&more)[k] += h;
    ((double *)&less)[k] -= h;
    out[k] = (energy(&more, m) - energy(&less, m)) / (2.0 * h);
  }
}

static motion slope(const motion *o, double m) {
  double d[PARTS];
  motion k;
  gradient(o, m, d);
  for (int i = 0; i < 3; i++) {
    k.x[i] = d[3 + i];
    k.p[i] = -d[i];
  }
  for (int a = 0; a < 2; a++) tx_vec3_cross(d + 6 + 3 * a, o->S[a], k.S[a]);
  return k;
}

static motion moved(const motion *o, double dt, const motion *k) {
  motion out;
  for (int i = 0; i < PARTS; i++)
    ((double *)&out)[i] = ((const double *)o)[i] + dt * ((const double *)k)[i];
  return out;
}

static void step(motion *o, double m, double dt) {
  const motion k1 = slope(o, m), o2 = moved(o, 0.5 * dt, &k1), k2 = slope(&o2, m);
  const motion o3 = moved(o, 0.5 * dt, &k2), k3 = slope(&o3, m);
  const motion o4 = moved(o, dt, &k3), k4 = slope(&o4, m);
  *o = moved(o, dt / 6.0, &k1);
  *o = moved(o, dt / 3.0, &k2);
  *o = moved(o, dt / 3.0, &k3);
  *o = moved(o, dt / 6.0, &k4);
}

/* dr/dt: even in nothing but the motion. */
static double radial_speed(const motion *o, double m) {
  const motion k = slope(o, m);
  return tx_vec3_dot(o->x, k.x) / sqrt(tx_vec3_dot(o->x, o->x));
}

#define SEPARATION 100.0
#define STEPS      200

/* dE/dr at constant orbital angular momentum, x = (r, 0, 0), p = (0, p_t, 0). */
static double by_r(const motion *o, double m) {
  const double h = 1e-3, L = o->x[0] * o->p[1];
  motion more = *o, less = *o;
  more.x[0] += h;
  less.x[0] -= h;
  more.p[1] = L / more.x[0];
  less.p[1] = L / less.x[0];
  return (energy(&more, m) - energy(&less, m)) / (2.0 * h);
}

/* Tangential momentum of the circular orbit if spins have only their parts along z. */
static double circular(motion o, double m) {
  double low = 0.5 * m * (1.0 - m) / sqrt(SEPARATION), high = 4.0 * low;
  for (int a = 0; a < 2; a++) o.S[a][0] = o.S[a][1] = 0.0;
  for (int n = 0; n < 60; n++) {
    o.p[1] = 0.5 * (low + high);
    if (by_r(&o, m) > 0.0)
      low = o.p[1];
    else
      high = o.p[1];
  }
  return low;
}

/* The oscillation of the separation at the frequency of the orbit, over the separation: 4 orbits' dr/dt against the
 * orbit's phase. `change`: of the momentum along x and y from that of spins along z. */
static double eccentricity(const double spin[2][3], double m, const double change[2]) {
  motion o = {.x = {SEPARATION, 0.0, 0.0}};
  double c = 0.0, s = 0.0;
  for (int i = 0; i < 3; i++) {
    o.S[0][i] = m * m * spin[0][i];
    o.S[1][i] = (1.0 - m) * (1.0 - m) * spin[1][i];
  }
  o.p[1] = circular(o, m) + change[1];
  o.p[0] = change[0];
  const double w = o.p[1] / (m * (1.0 - m) * SEPARATION), dt = 2.0 * PI / w / STEPS;
  for (int n = 0; n < 4 * STEPS; n++) {
    const double v = radial_speed(&o, m) / (4 * STEPS);
    c += 2.0 * v * cos(w * n * dt);
    s += 2.0 * v * sin(w * n * dt);
    step(&o, m, dt);
  }
  return hypot(c, s) / (w * SEPARATION);
}

/** Momenta for spins in the plane have less of the oscillation at the orbit's frequency than those for spins along z, and than
 *  those of dr/dt = d^2r/dt^2 = 0 at t = 0, which arXiv:1702.00872 has: a tenth. What is left is of the next order, 1/r of it. */
static void momenta_are_those_of_the_least_eccentricity(void **state) {
  static const double spins[4][2][3] = {{{0.7, 0.0, 0.0}, {0.5, 0.0, 0.0}},
                                        {{0.0, 0.7, 0.0}, {0.0, 0.5, 0.0}},
                                        {{0.5, 0.5, 0.2}, {0.4, 0.3, -0.3}},
                                        {{0.6, -0.3, 0.3}, {0.0, 0.0, 0.5}}};
  for (int n = 0; n < 4; n++) {
    const double ratio = n < 3 ? 1.0 : 1.0 / 1.5, m = ratio / (1.0 + ratio), none[2] = {0.0, 0.0};
    double a[3];
    const tx_pair b = tx_pair_make(SEPARATION, ratio, spins[n][0], spins[n][1]);
    tx_quasi_circular full, aligned;
    tx_quasi_circular_momenta(SEPARATION, ratio, spins[n][0], spins[n][1], &full);
    tx_quasi_circular_momenta(SEPARATION, ratio, (const double[3]){0.0, 0.0, spins[n][0][2]},
                              (const double[3]){0.0, 0.0, spins[n][1][2]}, &aligned);
    const double change[2] = {aligned.p_r - full.p_r, full.p_t - aligned.p_t};
    tx_pair_spin(&b, a);
    const double at_once[2] = {0.0, m * (1.0 - m) * pow(SEPARATION, -2.5) *
                                        (0.75 * a[1] * a[1] - 1.5 * a[0] * a[0])};
    const double least = eccentricity(spins[n], m, change);
    const double before = eccentricity(spins[n], m, none),
                 other = eccentricity(spins[n], m, at_once);
    assert_true(before > 5e-6);
    assert_true(least < 0.1 * before && least < 0.1 * other);
  }
}

/** Spins that precess take as long as those that stand still do, on average: a pair whose spins begin in the plane merges between
 *  those along and against the axis, and near the one without spins. */
static void the_forecast_is_between_those_of_aligned_spins(void **state) {
  static const double flat[2][3] = {{0.7, 0.0, 0.0}, {0.0, 0.7, 0.0}}, none[3] = {0.0, 0.0, 0.0};
  const double up[3] = {0.0, 0.0, 0.7}, down[3] = {0.0, 0.0, -0.7};
  tx_inspiral_forecast f, none_f, up_f, down_f;
  tx_quasi_circular_forecast(10.0, 1.5, none, none, &none_f);
  tx_quasi_circular_forecast(10.0, 1.5, up, none, &up_f);
  tx_quasi_circular_forecast(10.0, 1.5, down, none, &down_f);
  for (int n = 0; n < 2; n++) {
    tx_quasi_circular_forecast(10.0, 1.5, flat[n], none, &f);
    assert_true(f.time > down_f.time && f.time < up_f.time);
    assert_near(f.time / none_f.time, 1.0, 0.05);
    assert_true(f.time != none_f.time);
  }
  /* Far away, where it is not followed, it joins. */
  tx_inspiral_forecast out, in;
  tx_quasi_circular_forecast(30.5, 1.5, chi1, chi2, &out);
  tx_quasi_circular_forecast(29.5, 1.5, chi1, chi2, &in);
  const double rate = (out.time - in.time) / (5.0 / 64.0 * 27000.0 / 0.24);
  assert_near(rate, 1.0, 0.3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constants_of_the_motion_stay),
      cmocka_unit_test(periastra_advance_as_spins_say),
      cmocka_unit_test(a_turned_pair_does_the_same),
      cmocka_unit_test(a_small_spin_precesses_as_de_sitter_says),
      cmocka_unit_test(a_light_body_swings_as_about_kerr),
      cmocka_unit_test(spins_attract_and_repel_as_dipoles),
      cmocka_unit_test(momenta_are_those_of_the_least_eccentricity),
      cmocka_unit_test(the_forecast_is_between_those_of_aligned_spins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
