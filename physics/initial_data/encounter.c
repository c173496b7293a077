#include "physics/initial_data/encounter.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "physics/initial_data/effective_waves.h"

/* A step over the time in which the separation changes, or the orbit turns. */
#define STEP   0.01
#define NARROW 1e-5 /* a part of the radius, for a derivative */

/* Holes that fall to this radius of the effective body do not turn any more; their common horizon is seen so much later:
 * docs/numerics.md. */
#define FALLEN 2.2
#define SEEN   1.3

/* Holes that are not bound have left at this many times their first separation. */
#define LEFT 4.0

/* Radius of the effective body less the separation on circles, far out: gr-qc/9811091. */
#define OFFSET 1.0

/* Holes that are closer have a common horizon: those at rest below 0.58 M (Brill and Lindquist 1963, 1.53 bare masses). */
#define TOUCHING 0.58

/* Holes that are closer merge within about an orbit if they are bound: after this many periods of a circle. Those of QC-0 take 0.9,
 * those of par/bbh_generic.yaml 1.2. */
#define CLOSE         4.0
#define CLOSE_PERIODS 1.05

/* Steps that no orbit takes between turning points. */
#define STEPS_MOST 1000000

/* Plunges with less angular momentum over the reduced mass lose too little of it to matter. */
#define TURNING 2.0

/* Orbits, to lowest order, that are too many to follow. */
#define ORBITS_MOST 100.0

/* With losses: steps, the most of them. Inside of INNER the largest frequency has passed where it has fallen to this part; that is
 * so at NEAREST. */
#define SPIRAL_STEP  0.04
#define SPIRAL_STEPS 10000
#define INNER        5.0
#define PAST         0.9
#define NEAREST      1.3

/* Losses of eccentric orbits are too large by this part of the eccentricity squared; the most that it may matter in the time. */
#define EXCESS  5.0
#define MATTERS 0.1

/* The effective body in the plane of its orbit: radius, and momentum conjugate to the tortoise radius. */
typedef struct place {
  double r, p;
} place;

typedef struct motion {
  tx_eob e;
  double L, t; /* L over the reduced mass */
  place at;
} motion;

/** The difference quotient of tx_eob_by_r is too narrow for wide orbits. */
static place rate(const motion *m, place x) {
  const double a = tx_eob_tortoise(&m->e, x.r), h = NARROW * x.r;
  const double by_r =
      (tx_eob_energy(&m->e, x.r + h, x.p, m->L) - tx_eob_energy(&m->e, x.r - h, x.p, m->L)) /
      (2.0 * h);
  return (place){a * tx_eob_by_p_r(&m->e, x.r, x.p, m->L), -a * by_r};
}

static place moved(place x, double dt, place k) {
  return (place){x.r + dt * k.r, x.p + dt * k.p};
}

/** A step of the classical Runge-Kutta method. */
static void step(motion *m) {
  const place x = m->at, k1 = rate(m, x);
  const double dt = STEP * x.r / (fabs(k1.r) + 1.0 / sqrt(x.r));
  const place k2 = rate(m, moved(x, 0.5 * dt, k1)), k3 = rate(m, moved(x, 0.5 * dt, k2)),
              k4 = rate(m, moved(x, dt, k3));
  m->at.r += dt / 6.0 * (k1.r + 2.0 * (k2.r + k3.r) + k4.r);
  m->at.p += dt / 6.0 * (k1.p + 2.0 * (k2.p + k3.p) + k4.p);
  m->t += dt;
}

/** ADM energy less the masses of two punctures at rest, over the reduced mass: Brill and Lindquist 1963. */
static double energy_at_rest(const tx_pair *b, double r) {
  double m1 = b->m1, m2 = b->m2;
  for (int n = 0; n < 60; n++) {
    m1 = b->m1 / (1.0 + 0.5 * m2 / r);
    m2 = b->m2 / (1.0 + 0.5 * m1 / r);
  }
  return -m1 * m2 / (r * b->m1 * b->m2);
}

/** The radius of an effective body at rest with this energy, without spins. */
static double radius_at_rest(const tx_pair *b, double r) {
  tx_pair still = *b;
  memset(still.chi, 0, sizeof still.chi);
  const tx_eob e = tx_eob_make(&still);
  const double energy = energy_at_rest(b, r);
  double low = FALLEN, high = r + 3.0;
  for (int n = 0; n < 60; n++) {
    const double middle = 0.5 * (low + high);
    if (tx_eob_energy(&e, middle, 0.0, 0.0) < energy)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/** Coordinates of punctures are those of ADM to first post-Newtonian order. Free bodies go as fast in both at any momentum: then the
 *  momentum of the effective body is that of a body over the reduced mass, times the energy E, and gamma its energy. */
static motion start_of(const tx_encounter_start *s) {
  const tx_pair b = tx_pair_make(s->separation, s->mass_ratio, s->chi[0], s->chi[1]);
  motion m = {.e = tx_eob_make(&b)};
  const double nu = m.e.nu, r = s->separation;
  const double radial = s->p_r * s->p_r, p2 = radial + s->L * s->L / (r * r);
  const double e1 = sqrt(b.m1 * b.m1 + p2), e2 = sqrt(b.m2 * b.m2 + p2), E = e1 + e2;
  const double gamma = (E * E - b.m1 * b.m1 - b.m2 * b.m2) / (2.0 * nu);
  const double along = p2 > 0.0 ? radial / p2 : 0.0;
  m.L = s->L / nu;
  const double slow = fmax(0.0, 1.0 - p2 * r / (nu * nu)); /* 1 at rest, 0 on circles */
  const double at_rest = radius_at_rest(&b, r), other = r + OFFSET + 0.5 * nu + 0.25 / r;
  m.at.r = slow * at_rest + (1.0 - slow) * other -
           r * (1.0 - along * e1 * e2 / (nu * gamma * E) - (1.0 - along) / E);
  m.e.quartic = pow(gamma, -4.0); /* the term stays small for fast bodies */
  m.at.p = s->p_r / nu * E * tx_eob_tortoise(&m.e, m.at.r);
  return m;
}

/** The turning point between two steps. */
static tx_encounter_turn turn(const motion *m, place before, double t) {
  const double part = before.p / (before.p - m->at.p);
  return (tx_encounter_turn){.separation = before.r + part * (m->at.r - before.r) - OFFSET,
                             .time = t + part * (m->t - t)};
}

/** A pair that starts with p_r = 0 is at a turning point. */
static void start_turning(const motion *m, tx_encounter *out) {
  const tx_encounter_turn here = {.separation = m->at.r - OFFSET, .time = 0.0};
  if (m->at.p != 0.0) return;
  if (rate(m, m->at).p > 0.0)
    out->periastron = here;
  else
    out->apastron = here;
}

/** Without losses. */
static void follow(motion m, tx_encounter *out) {
  const double far = LEFT * m.at.r;
  const bool bound = out->energy < 0.0;
  start_turning(&m, out);
  for (int n = 0; n < STEPS_MOST; n++) {
    const place before = m.at;
    const double t = m.t;
    const bool passed = out->periastron.time >= 0.0;
    if (passed && (!bound || out->apastron.time >= 0.0)) return;
    if (!bound && before.r > far && before.p > 0.0) return;
    step(&m);
    if (!(m.at.r > FALLEN)) {
      out->kind = TX_ENCOUNTER_PLUNGE;
      out->merger = m.t + SEEN;
      return;
    }
    if (before.p < 0.0 && m.at.p >= 0.0) out->periastron = turn(&m, before, t);
    if (before.p > 0.0 && m.at.p <= 0.0) out->apastron = turn(&m, before, t);
  }
}

/** With losses, up to the largest frequency, where the light ring is crossed. Data hold no waves, and the reaction to them begins
 *  when light has crossed the near zone: tx_quasi_circular_forecast. True if that took few enough steps. */
static bool spiral(const motion *m, double reaction, tx_encounter *out) {
  tx_eob e = m->e;
  tx_eob_orbit o = {.r = m->at.r, .p_r = m->at.p, .p_phi = m->L, .axis = {0.0, 0.0, 1.0}};
  memcpy(o.chi, e.pair.chi, sizeof o.chi);
  e.reaction = reaction;
  const double silent = 0.5 / tx_eob_by_p_phi(&e, o.r, o.p_r, o.p_phi);
  double t = 0.0, most = 0.0;
  for (int n = 0; n < SPIRAL_STEPS; n++) {
    const tx_eob here = tx_eob_at(&e, &o);
    const double w = tx_eob_by_p_phi(&here, o.r, o.p_r, o.p_phi);
    const double v = tx_eob_by_p_r(&here, o.r, o.p_r, o.p_phi) * tx_eob_tortoise(&here, o.r);
    if (w > most || v > 0.0) {
      most = w;
      out->merger = t;
      out->orbits = o.phi / (2.0 * M_PI);
    }
    if (o.r < NEAREST || (o.r < INNER && w < PAST * most)) return true;
    const double dt = SPIRAL_STEP * o.r / (fabs(v) + 1.0 / sqrt(o.r));
    tx_eob_step(&e, &o, dt, t >= silent ? tx_eob_torque : NULL);
    t += dt;
  }
  return false;
}

/** The losses are those of circles; on eccentric orbits they are too large by a part that is known roughly. The result is one if that
 *  matters little. */
static void find_merger(const motion *m, tx_encounter *out) {
  const double part = EXCESS * out->eccentricity * out->eccentricity;
  tx_encounter fast = *out, slow = *out;
  if (!spiral(m, 1.0, &fast) || !spiral(m, 1.0 / (1.0 + part), &slow)) return;
  if (slow.merger - fast.merger > MATTERS * fast.merger) return;
  out->merger = 0.5 * (fast.merger + slow.merger);
  out->orbits = 0.5 * (fast.orbits + slow.orbits);
}

static void describe(const motion *m, tx_encounter *out) {
  const double near = out->periastron.separation, far = out->apastron.separation;
  if (out->kind == TX_ENCOUNTER_PLUNGE) return;
  if (out->periastron.time < 0.0) {
    out->kind = TX_ENCOUNTER_ESCAPE;
    return;
  }
  out->loss = 85.0 * M_PI / (12.0 * sqrt(2.0)) * m->e.nu * m->e.nu * pow(near, -3.5);
  if (out->kind == TX_ENCOUNTER_ORBIT)
    out->eccentricity = (far - near) / (far + near + 2.0 * OFFSET);
}

void tx_encounter_find(const tx_encounter_start *start, tx_encounter *out) {
  tx_encounter_start s = *start;
  if (!(s.L > 0.0)) memset(s.chi, 0, sizeof s.chi);
  const motion m = start_of(&s);
  const double energy = m.e.nu * tx_eob_energy(&m.e, m.at.r, m.at.p, m.L);
  *out = (tx_encounter){.kind = energy < 0.0 ? TX_ENCOUNTER_ORBIT : TX_ENCOUNTER_PASS,
                        .energy = energy,
                        .merger = -1.0,
                        .periastron.time = -1.0,
                        .apastron.time = -1.0};
  if (s.separation < TOUCHING) {
    out->kind = TX_ENCOUNTER_PLUNGE;
    out->merger = 0.0;
    return;
  }
  follow(m, out);
  describe(&m, out);
  /* The radius of a fast pair is not its separation and OFFSET: so that turning points at the start are there. */
  const double coordinate = s.separation / (m.at.r - OFFSET);
  out->periastron.separation *= coordinate;
  out->apastron.separation *= coordinate;
  const double orbits = pow(m.L, 5.0) / (64.0 * M_PI * m.e.nu); /* Peters 1964 */
  if (energy < 0.0 && m.L > TURNING && orbits < ORBITS_MOST) find_merger(&m, out);
  if (out->kind != TX_ENCOUNTER_ORBIT || out->merger >= 0.0 || s.separation >= CLOSE) return;
  out->kind = TX_ENCOUNTER_CLOSE;
  out->orbits = CLOSE_PERIODS;
  out->merger = CLOSE_PERIODS * 2.0 * M_PI * s.separation * sqrt(s.separation);
}
