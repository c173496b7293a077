/* How long a pair on a quasi-circular orbit takes to merge: effective-one-body equations of motion. */
#include <math.h>
#include <stdbool.h>
#include "physics/initial_data/pair.h"
#include "physics/initial_data/quasi_circular.h"

#define PI 3.14159265358979323846

/* From this separation on the orbit is followed; further out it shrinks through circular orbits. */
#define FOLLOWED 16.0

/* Where separations are looked for, M. The post-Newtonian series of the momenta mean nothing further in. */
#define NEAREST  3.0
#define FARTHEST 200.0

/* Radii of the effective problem that a circular orbit is looked for at; a step, in radians of the first orbit. */
#define EOB_NEAREST 1.3
#define STEP        0.05

/* Of the difference quotients. */
#define SMALL 1e-5

/* A pair as one body about a deformed Kerr hole; masses add up to 1, momenta are over the reduced mass. */
typedef struct eob {
  const tx_pair *pair;
  double nu;
  double spin, test_spin; /* S = S1 + S2, S* = m2/m1 S1 + m1/m2 S2 */
  double kerr;            /* (chi1 m1 + chi2 m2)^2 */
  double n1, d[4];        /* A = (1 + n1 u) / (1 + sum_k d_k u^k) */
} eob;

typedef struct orbit {
  double r, p_r, p_phi, phi;
} orbit;

/** Solve a 4 x 4 system, of which the pivots are not small. */
static void solve(double a[4][4], double b[4], double x[4]) {
  for (int k = 0; k < 4; k++)
    for (int i = k + 1; i < 4; i++) {
      const double f = a[i][k] / a[k][k];
      for (int j = k; j < 4; j++) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  for (int i = 3; i >= 0; i--) {
    x[i] = b[i];
    for (int j = i + 1; j < 4; j++) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
}

/** The (1, 4) Pade approximant of A(u) = 1 - 2u + 2 nu u^3 + a4 nu u^4 + a5 u^5 (gr-qc/0005034 to 3PN), with a5 = 60 nu
 *  (arXiv:0706.3732). */
static eob make_eob(const tx_pair *b) {
  const double nu = b->m1 * b->m2;
  const double c[6] = {1.0,      -2.0, 0.0, 2.0 * nu, nu * (94.0 / 3.0 - 41.0 / 32.0 * PI * PI),
                       60.0 * nu};
  double m[4][4], right[4], a = b->m1 * b->chi1 + b->m2 * b->chi2;
  eob e = {.pair = b, .nu = nu, .kerr = a * a};
  e.spin = b->S1 + b->S2;
  e.test_spin = b->m2 / b->m1 * b->S1 + b->m1 / b->m2 * b->S2;
  for (int k = 0; k < 4; k++) {
    for (int j = 0; j < 4; j++) m[k][j] = k + 1 - j >= 0 ? c[k + 1 - j] : 0.0;
    right[k] = -c[k + 2];
  }
  solve(m, right, e.d);
  e.n1 = c[1] + e.d[0];
  return e;
}

/** A and its radius of centrifugal forces, with spins as arXiv:1406.6913 eq. 19, 20 at leading order. */
static double potential(const eob *e, double r, double *u_c) {
  const double u = 1.0 / r, v = 1.0 / sqrt(r * r + e->kerr * (1.0 + 2.0 * u));
  const double below = 1.0 + v * (e->d[0] + v * (e->d[1] + v * (e->d[2] + v * e->d[3])));
  *u_c = v;
  return (1.0 + e->n1 * v) / below * (1.0 + 2.0 * v) / (1.0 + 2.0 * u);
}

/** sqrt(A/B): what p_r is conjugate to is the tortoise radius; D as gr-qc/0005034. */
static double tortoise(const eob *e, double r) {
  double v;
  const double A = potential(e, r, &v);
  return A * sqrt(1.0 + 6.0 * e->nu * v * v + 2.0 * (26.0 - 3.0 * e->nu) * e->nu * v * v * v) * r *
         v;
}

/** The energy less that of rest over the reduced mass, (sqrt(1 + 2 nu (H_eff - 1)) - 1) / nu; spin-orbit couplings to next-to-next-to-leading order, arXiv:1406.6913 eq. 21, 22. */
static double hamiltonian(const eob *e, double r, double p_r, double p_phi) {
  const double nu = e->nu;
  double v;
  const double A = potential(e, r, &v);
  const double own =
      2.0 / r * v * v / (1.0 + 5.0 / 16.0 * nu * v + (51.0 / 8.0 + 41.0 / 256.0 * nu) * nu * v * v);
  const double test =
      1.5 * v * v * v /
      (1.0 + (0.75 + 0.5 * nu) * v + (27.0 / 16.0 + 29.0 / 4.0 * nu + 3.0 / 8.0 * nu * nu) * v * v);
  const double kinetic = p_phi * p_phi + 2.0 * nu * (4.0 - 3.0 * nu) * pow(p_r, 4);
  const double effective =
      sqrt(p_r * p_r + A * (1.0 + kinetic * v * v)) + p_phi * (own * e->spin + test * e->test_spin);
  return 2.0 * (effective - 1.0) / (1.0 + sqrt(1.0 + 2.0 * nu * (effective - 1.0)));
}

static double by_r(const eob *e, double r, double p_r, double p_phi) {
  return (hamiltonian(e, r + SMALL, p_r, p_phi) - hamiltonian(e, r - SMALL, p_r, p_phi)) /
         (2.0 * SMALL);
}

static double by_p_r(const eob *e, double r, double p_r, double p_phi) {
  return (hamiltonian(e, r, p_r + SMALL, p_phi) - hamiltonian(e, r, p_r - SMALL, p_phi)) /
         (2.0 * SMALL);
}

/** The angular frequency. */
static double by_p_phi(const eob *e, double r, double p_r, double p_phi) {
  return (hamiltonian(e, r, p_r, p_phi + SMALL) - hamiltonian(e, r, p_r, p_phi - SMALL)) /
         (2.0 * SMALL);
}

/** p_phi of the circular orbit, 20 where there is none. */
static double circular(const eob *e, double r) {
  double low = 0.5, high = 20.0;
  for (int n = 0; n < 50; n++) {
    const double p = 0.5 * (low + high);
    if (by_r(e, r, 0.0, p) > 0.0)
      low = p;
    else
      high = p;
  }
  return low;
}

/** The radius of least p_phi: no orbit inside of it is stable. */
static double last_stable(const eob *e) {
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

static double frequency_of(const eob *e, double r) {
  return by_p_phi(e, r, 0.0, circular(e, r));
}

/** The radius of the circular orbit of this frequency, the last stable one if it would be inside. */
static double radius_of(const eob *e, double frequency) {
  double low = last_stable(e), high = 2.0 * FOLLOWED;
  for (int n = 0; n < 50; n++) {
    const double r = 0.5 * (low + high);
    if (frequency_of(e, r) > frequency)
      low = r;
    else
      high = r;
  }
  return high;
}

static orbit slope(const eob *e, const orbit *o) {
  const double a = tortoise(e, o->r), w = by_p_phi(e, o->r, o->p_r, o->p_phi);
  return (orbit){a * by_p_r(e, o->r, o->p_r, o->p_phi), -a * by_r(e, o->r, o->p_r, o->p_phi),
                 -tx_pair_energy_loss(e->pair, w) / w / e->nu, w};
}

static orbit moved(const orbit *o, double dt, const orbit *k) {
  return (orbit){o->r + dt * k->r, o->p_r + dt * k->p_r, o->p_phi + dt * k->p_phi,
                 o->phi + dt * k->phi};
}

/** A step of the classical Runge-Kutta method. */
static void step(const eob *e, orbit *o, double dt) {
  const orbit k1 = slope(e, o);
  const orbit o2 = moved(o, 0.5 * dt, &k1), k2 = slope(e, &o2);
  const orbit o3 = moved(o, 0.5 * dt, &k2), k3 = slope(e, &o3);
  const orbit o4 = moved(o, dt, &k3), k4 = slope(e, &o4);
  *o = moved(o, dt / 6.0, &k1);
  *o = moved(o, dt / 3.0, &k2);
  *o = moved(o, dt / 3.0, &k3);
  *o = moved(o, dt / 6.0, &k4);
}

/** On the way inwards: p_r of an orbit that stays circular. */
static orbit start(const eob *e, double frequency) {
  orbit o = {.r = radius_of(e, frequency)};
  o.p_phi = circular(e, o.r);
  const double rise = (circular(e, o.r + 1e-3) - circular(e, o.r - 1e-3)) / 2e-3;
  const double torque = tx_pair_energy_loss(e->pair, frequency) / frequency / e->nu;
  const double inertia = tortoise(e, o.r) * by_p_r(e, o.r, 1e-3, o.p_phi) / 1e-3;
  /* At the last stable orbit there is no rise: it begins as one a little further out. */
  o.p_r = -torque / fmax(rise, 0.02) / inertia;
  return o;
}

/** Up to the largest frequency. */
static void follow(const eob *e, double frequency, tx_inspiral_forecast *out) {
  orbit o = start(e, frequency);
  double last = 0.0, w = frequency, t = 0.0;
  while (o.r > EOB_NEAREST && w >= last) {
    const double dt = STEP / fmax(w, frequency);
    step(e, &o, dt);
    t += dt;
    last = w;
    w = by_p_phi(e, o.r, o.p_r, o.p_phi);
    if (t < 2.0 * PI / frequency) last = 0.0; /* the start rings a little */
  }
  out->time += t;
  out->orbits += o.phi / (2.0 * PI);
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
    out->orbits += dt * tx_pair_frequency(&b) / (2.0 * PI);
  }
}

void tx_quasi_circular_forecast(double separation, double mass_ratio, double chi1, double chi2,
                                tx_inspiral_forecast *out) {
  tx_pair b = tx_pair_make(separation, mass_ratio, chi1, chi2);
  *out = (tx_inspiral_forecast){0.0, 0.0};
  if (separation > FOLLOWED) {
    shrink(b, FOLLOWED, out);
    b.r = FOLLOWED;
  }
  b.r = fmax(b.r, NEAREST);
  const eob e = make_eob(&b);
  follow(&e, tx_pair_frequency(&b), out);
}

double tx_quasi_circular_separation_at(double frequency, double mass_ratio, double chi1,
                                       double chi2) {
  double low = tx_quasi_circular_nearest(mass_ratio, chi1, chi2), high = FARTHEST;
  tx_pair b = tx_pair_make(low, mass_ratio, chi1, chi2);
  if (tx_pair_frequency(&b) < frequency) return 0.0;
  b.r = high;
  if (tx_pair_frequency(&b) > frequency) return 0.0;
  while (high - low > 1e-10 * high) {
    b.r = 0.5 * (low + high);
    if (tx_pair_frequency(&b) > frequency)
      low = b.r;
    else
      high = b.r;
  }
  return low;
}

double tx_quasi_circular_last_stable(double mass_ratio, double chi1, double chi2) {
  tx_pair b = tx_pair_make(NEAREST, mass_ratio, chi1, chi2);
  const eob e = make_eob(&b);
  const double frequency = frequency_of(&e, last_stable(&e));
  double low = NEAREST, high = 2.0 * FOLLOWED;
  while (high - low > 1e-10 * high) {
    b.r = 0.5 * (low + high);
    if (tx_pair_frequency(&b) > frequency)
      low = b.r;
    else
      high = b.r;
  }
  return high;
}

double tx_quasi_circular_nearest(double mass_ratio, double chi1, double chi2) {
  double r = tx_quasi_circular_last_stable(mass_ratio, chi1, chi2);
  while (!tx_quasi_circular_inspirals(r, mass_ratio, chi1, chi2) && r < FOLLOWED) r += 0.01;
  return r;
}

double tx_quasi_circular_separation_of(double orbits, double mass_ratio, double chi1, double chi2) {
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
