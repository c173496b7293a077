/* How long a pair on a quasi-circular orbit takes to merge: effective-one-body equations of motion. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "physics/initial_data/effective_waves.h"
#include "physics/initial_data/quasi_circular.h"

/* From this separation on the orbit is followed, with spins that turn from the second one; further out it shrinks through
 * circular orbits. */
#define FOLLOWED         16.0
#define FOLLOWED_TURNING 30.0

/* Where separations are looked for, M. The post-Newtonian series of the momenta mean nothing further in. */
#define NEAREST  3.0
#define FARTHEST 200.0

/* Radii of the effective problem that a circular orbit is looked for at; a step, in radians of the first orbit. */
#define EOB_NEAREST 1.3
#define STEP        0.05

static double farthest_followed(const tx_pair *b) {
  bool turning = false;
  for (int a = 0; a < 2; a++) turning = turning || b->chi[a][0] != 0.0 || b->chi[a][1] != 0.0;
  return turning ? FOLLOWED_TURNING : FOLLOWED;
}

/** p_phi of the circular orbit, 20 where there is none. */
static double circular(const tx_eob *e, double r) {
  double low = 0.5, high = 20.0;
  for (int n = 0; n < 50; n++) {
    const double p = 0.5 * (low + high);
    if (tx_eob_by_r(e, r, 0.0, p) <= 0.0)
      high = p;
    else /* also inside of the horizon, where there is no energy */
      low = p;
  }
  return low;
}

/** The radius of least p_phi: no orbit inside of it is stable. */
static double last_stable(const tx_eob *e) {
  double low = EOB_NEAREST, high = 12.0;
  const double golden = 0.6180339887498949;
  while (high - low > 1e-5) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    if (circular(e, a) > circular(e, b))
      low = a;
    else
      high = b;
  }
  return 0.5 * (low + high);
}

static double frequency_of(const tx_eob *e, double r) {
  return tx_eob_by_p_phi(e, r, 0.0, circular(e, r));
}

/** The radius of the circular orbit with this p_phi, the last stable one if there is none. */
static double radius_of(const tx_eob *e, double p_phi) {
  double low = last_stable(e), high = 2.0 * farthest_followed(&e->pair);
  for (int n = 0; n < 50; n++) {
    const double r = 0.5 * (low + high);
    if (circular(e, r) < p_phi)
      low = r;
    else
      high = r;
  }
  return high;
}

/** On the way inwards: p_r of an orbit that stays circular. */
static tx_eob_orbit start(const tx_eob *e, double p_phi) {
  tx_eob_orbit o = {.r = radius_of(e, p_phi), .axis = {0.0, 0.0, 1.0}};
  memcpy(o.chi, e->pair.chi, sizeof o.chi);
  o.p_phi = circular(e, o.r);
  const double frequency = tx_eob_by_p_phi(e, o.r, 0.0, o.p_phi);
  const double rise = (circular(e, o.r + 1e-3) - circular(e, o.r - 1e-3)) / 2e-3;
  const double torque = -tx_eob_torque(e, &o, frequency);
  const double inertia = tx_eob_tortoise(e, o.r) * tx_eob_by_p_r(e, o.r, 1e-3, o.p_phi) / 1e-3;
  /* At the last stable orbit there is no rise: it begins as one a little further out. */
  o.p_r = -torque / fmax(rise, 0.02) / inertia;
  return o;
}

/** Up to the largest frequency. */
static void follow(const tx_eob *e, double p_phi, tx_inspiral_forecast *out) {
  tx_eob_orbit o = start(e, p_phi);
  const double frequency = tx_eob_by_p_phi(e, o.r, o.p_r, o.p_phi);
  double last = 0.0, w = frequency, t = 0.0;
  while (o.r > EOB_NEAREST && w >= last) {
    const double dt = STEP / fmax(w, frequency);
    tx_eob_step(e, &o, dt, tx_eob_torque);
    t += dt;
    last = w;
    const tx_eob here = tx_eob_at(e, &o);
    w = tx_eob_by_p_phi(&here, o.r, o.p_r, o.p_phi);
    if (t < 2.0 * M_PI / frequency) last = 0.0; /* the start rings a little */
  }
  out->time += t;
  out->orbits += o.phi / (2.0 * M_PI);
}

/** From far out to `to` through circular orbits; Simpson's rule in ln r. */
static void shrink(tx_pair b, double to, tx_inspiral_forecast *out) {
  enum { PARTS = 64 };
  const double from = b.r, part = log(from / to) / PARTS;
  for (int n = 0; n <= PARTS; n++) {
    b.r = to * exp(part * n);
    const double weight = (n == 0 || n == PARTS ? 1.0 : n % 2 ? 4.0 : 2.0) * part / 3.0;
    const double dt = weight * b.r / tx_pair_shrinking(&b);
    out->time += dt;
    out->orbits += dt * tx_pair_frequency(&b) / (2.0 * M_PI);
  }
}

/** Conformally flat data hold no waves, and so no reaction to them, which begins when light has crossed the near zone, c/(2 w): there
 *  fields are standing ones (Thorne 1980, Rev. Mod. Phys. 52, 299, section IV). Until then the orbit does not shrink. */
static void silence(double frequency, tx_inspiral_forecast *out) {
  const double time = 0.5 / frequency;
  out->time += time;
  out->orbits += time * frequency / (2.0 * M_PI);
}

/** `share`: of the orbital angular momentum of the circular orbit. */
static void forecast(tx_pair b, double share, tx_inspiral_forecast *out) {
  const double followed = farthest_followed(&b);
  *out = (tx_inspiral_forecast){0.0, 0.0};
  b.r = tx_pair_mean_separation(&b);
  const double radius = b.r * share * share;
  double momentum = share * tx_pair_angular_momentum(&b);
  tx_pair first = b;
  first.r = radius;
  silence(tx_pair_frequency(&first), out);
  if (radius > followed) {
    b.r = radius;
    shrink(b, followed, out);
    b.r = followed;
    momentum = tx_pair_angular_momentum(&b);
  }
  b.r = fmax(b.r, NEAREST);
  const tx_eob e = tx_eob_make(&b);
  follow(&e, momentum / e.nu, out);
}

void tx_quasi_circular_forecast(double separation, double mass_ratio, const double chi1[3],
                                const double chi2[3], tx_inspiral_forecast *out) {
  forecast(tx_pair_make(separation, mass_ratio, chi1, chi2), 1.0, out);
}

void tx_quasi_circular_forecast_of(const tx_quasi_circular *orbit, double share,
                                   tx_inspiral_forecast *out) {
  double chi[2][3];
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++) chi[a][i] = orbit->spin[a][i] / (orbit->mass[a] * orbit->mass[a]);
  const double separation = orbit->position[0][0] - orbit->position[1][0];
  forecast(tx_pair_make(separation, orbit->mass[0] / orbit->mass[1], chi[0], chi[1]), share, out);
}

static double frequency_at(tx_pair b, double separation) {
  b.r = separation;
  b.r = tx_pair_mean_separation(&b);
  return tx_pair_frequency(&b);
}

/* Halve the interval of separations in which the frequency is the given one. */
static void bisect(const tx_pair *b, double frequency, double *low, double *high) {
  while (*high - *low > 1e-10 * *high) {
    const double r = 0.5 * (*low + *high);
    if (frequency_at(*b, r) > frequency)
      *low = r;
    else
      *high = r;
  }
}

double tx_quasi_circular_separation_at(double frequency, double mass_ratio, const double chi1[3],
                                       const double chi2[3]) {
  double low = tx_quasi_circular_nearest(mass_ratio, chi1, chi2), high = FARTHEST;
  const tx_pair b = tx_pair_make(low, mass_ratio, chi1, chi2);
  if (frequency_at(b, low) < frequency || frequency_at(b, high) > frequency) return 0.0;
  bisect(&b, frequency, &low, &high);
  return low;
}

double tx_quasi_circular_last_stable(double mass_ratio, const double chi1[3],
                                     const double chi2[3]) {
  const tx_pair b = tx_pair_make(NEAREST, mass_ratio, chi1, chi2);
  const tx_eob e = tx_eob_make(&b);
  const double frequency = frequency_of(&e, last_stable(&e));
  double low = NEAREST, high = 2.0 * FOLLOWED;
  bisect(&b, frequency, &low, &high);
  return high;
}

double tx_quasi_circular_nearest(double mass_ratio, const double chi1[3], const double chi2[3]) {
  double r = tx_quasi_circular_last_stable(mass_ratio, chi1, chi2);
  while (!tx_quasi_circular_inspirals(r, mass_ratio, chi1, chi2) && r < FOLLOWED) r += 0.01;
  return r;
}

double tx_quasi_circular_separation_of(double orbits, double mass_ratio, const double chi1[3],
                                       const double chi2[3]) {
  tx_inspiral_forecast f;
  double low = tx_quasi_circular_nearest(mass_ratio, chi1, chi2), high = FARTHEST;
  tx_quasi_circular_forecast(low, mass_ratio, chi1, chi2, &f);
  if (f.orbits > orbits) return 0.0;
  tx_quasi_circular_forecast(high, mass_ratio, chi1, chi2, &f);
  if (f.orbits < orbits) return 0.0;
  while (high - low > 1e-4 * high) {
    const double middle = high / low > 1.5 ? sqrt(low * high) : 0.5 * (low + high);
    tx_quasi_circular_forecast(middle, mass_ratio, chi1, chi2, &f);
    if (f.orbits < orbits)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}
