/* How the holes move: bound or not, and when they merge, as far as that can be told. */
#include <math.h>
#include <stdio.h>
#include "advice/check.h"
#include "base/log.h"
#include "physics/initial_data/encounter.h"
#include "physics/initial_data/quasi_circular.h"

/* Orbits of less eccentricity are nearly circles. */
#define NEARLY 0.07

/* Spins across the orbit's axis that are less are rounding. */
#define ALONG 1e-6

/* Momenta below this part of that of a circular orbit are rounding. */
#define NOTHING 1e-6

/* Waves may bind holes whose energy is below this many times the estimated loss at the periastron. */
#define MAY_BIND 3.0

static double dot(const double *x, const double *y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void cross(const double *x, const double *y, double *out) {
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    out[d] = x[e] * y[f] - x[f] * y[e];
  }
}

/* Two holes in the frame of their centre of mass, in units of `mass`, the sum of their masses. */
typedef struct pair {
  double mass;
  tx_encounter_start start;
} pair;

/* Axes: along the line from the second to the first, in the orbit's plane across it, along the orbital angular momentum. */
static pair pair_of(const tx_adm_numbers *adm) {
  const double m1 = adm->mass_adm[0], m2 = adm->mass_adm[1], mass = m1 + m2;
  double apart[3], P[3], L[3], axis[3][3] = {{0.0}};
  for (int d = 0; d < 3; d++) {
    apart[d] = (adm->position[0][d] - adm->position[1][d]) / mass;
    P[d] = (m2 * adm->momentum[0][d] - m1 * adm->momentum[1][d]) / (mass * mass);
  }
  cross(apart, P, L);
  pair b = {.mass = mass, .start = {.mass_ratio = m1 / m2, .separation = sqrt(dot(apart, apart))}};
  tx_encounter_start *s = &b.start;
  const double least = NOTHING * m1 * m2 / (mass * mass * sqrt(s->separation));
  s->p_r = dot(apart, P) / s->separation;
  s->L = sqrt(dot(L, L));
  if (s->L < least * s->separation) s->L = 0.0;
  if (fabs(s->p_r) < least) s->p_r = 0.0;
  for (int d = 0; d < 3 && s->L > 0.0; d++) {
    axis[0][d] = apart[d] / s->separation;
    axis[2][d] = L[d] / s->L;
  }
  cross(axis[2], axis[0], axis[1]);
  for (int a = 0; a < 2; a++)
    for (int d = 0; d < 3; d++)
      s->chi[a][d] = dot(adm->spin[a], axis[d]) / (adm->mass_adm[a] * adm->mass_adm[a]);
  return b;
}

static bool precesses(const tx_encounter_start *s) {
  return fmax(hypot(s->chi[0][0], s->chi[0][1]), hypot(s->chi[1][0], s->chi[1][1])) > ALONG;
}

/* A wide orbit near a circle shrinks through circles: its merger is that of a quasi-circular pair. So
 * is that of a close one whose spins turn, whose separation oscillates about that of the mean orbit. */
static void shrink(const tx_encounter_start *s, tx_encounter *e) {
  tx_quasi_circular circular;
  tx_inspiral_forecast forecast;
  tx_quasi_circular_momenta(s->separation, s->mass_ratio, s->chi[0], s->chi[1], &circular);
  const double share = s->L / s->separation / circular.p_t;
  if (e->eccentricity >= NEARLY || fabs(share - 1.0) >= NEARLY) return;
  tx_quasi_circular_forecast_of(&circular, share, &forecast);
  e->merger = forecast.time;
  e->orbits = forecast.orbits;
}

static void say_orbit(const tx_check *c, const pair *b, const tx_encounter *e, tx_text *out) {
  const double m = b->mass;
  if (e->eccentricity < NEARLY)
    tx_text_add(out, "a bound orbit, nearly circular");
  else
    tx_text_add(out, "a bound orbit of eccentricity %.2g, from %.3g M to %.3g M", e->eccentricity,
                m * e->periastron.separation, m * e->apastron.separation);
  if (c->merger >= 0.0)
    tx_text_add(out, ": merger at about t = %.3g M, after %.2g orbits", c->merger, c->turns);
  else
    tx_text_add(out, ", the first periastron at t = %.3g M: the merger is not estimated",
                m * e->periastron.time);
}

static void say_plunge(const tx_check *c, const pair *b, const tx_encounter *e, tx_text *out) {
  const tx_encounter_start *s = &b->start;
  const bool bound = e->energy < 0.0;
  if (s->L > 0.0)
    tx_text_add(out, "a plunge, %swith too little angular momentum %s", bound ? "" : "not bound, ",
                bound ? "for an orbit" : "to pass each other");
  else
    tx_text_add(out, "a head-on collision%s",
                s->p_r == 0.0 ? " from rest"
                : bound       ? ""
                              : ", not bound");
  if (e->apastron.time > 0.0)
    tx_text_add(out, "; the holes move apart first, to %.3g M at t = %.3g M",
                b->mass * e->apastron.separation, b->mass * e->apastron.time);
  tx_text_add(out, ": merger at about t = %.3g M", c->merger);
}

static void say_close(const tx_check *c, tx_text *out) {
  tx_text_add(out,
              "a bound pair, closer than post-Newtonian theory reaches: merger within about an "
              "orbit, at about t = %.2g M",
              c->merger);
}

static void say_unbound(const pair *b, const tx_encounter *e, tx_text *out) {
  if (e->kind == TX_ENCOUNTER_ESCAPE) {
    tx_text_add(out, "not bound, the holes move apart: no merger");
    return;
  }
  tx_text_add(out, "not bound, the holes pass each other at t = %.3g M, %.3g M apart: no merger",
              b->mass * e->periastron.time, b->mass * e->periastron.separation);
  if (e->energy < MAY_BIND * e->loss)
    tx_text_add(out, ", unless waves take enough energy to bind them");
}

static bool stays(const pair *b, const tx_encounter *e) {
  return b->start.L > 0.0 && e->kind != TX_ENCOUNTER_PASS && e->kind != TX_ENCOUNTER_ESCAPE;
}

bool tx_check_orbits(const tx_adm_numbers *adm) {
  if (adm->n != 2) return false;
  const pair b = pair_of(adm);
  tx_encounter e;
  tx_encounter_find(&b.start, &e);
  return stays(&b, &e);
}

static void follow_pair(tx_check *c, tx_text *out) {
  const pair b = pair_of(&c->adm);
  tx_encounter e;
  tx_encounter_find(&b.start, &e);
  if (e.kind == TX_ENCOUNTER_ORBIT && (e.merger < 0.0 || precesses(&b.start))) shrink(&b.start, &e);
  c->orbits = stays(&b, &e);
  c->turns = e.orbits;
  if (e.merger >= 0.0) c->merger = b.mass * e.merger;
  if (e.periastron.time >= 0.0) c->approach = b.mass * e.periastron.time;
  if (e.kind == TX_ENCOUNTER_ORBIT)
    say_orbit(c, &b, &e, out);
  else if (e.kind == TX_ENCOUNTER_CLOSE)
    say_close(c, out);
  else if (e.kind == TX_ENCOUNTER_PLUNGE)
    say_plunge(c, &b, &e, out);
  else
    say_unbound(&b, &e, out);
  tx_text_add(out, "\n              post-Newtonian binding energy %.3g M", b.mass * e.energy);
  if (b.start.L > 0.0)
    tx_text_add(out, ", orbital angular momentum %.3g M^2", b.mass * b.mass * b.start.L);
}

/* Tell the energy of more than two holes, and no more: how three bodies move is chaotic. */
static void sum_up(const tx_check *c, tx_text *out) {
  const tx_adm_numbers *adm = &c->adm;
  double energy = adm->energy;
  bool moves = false;
  for (int a = 0; a < adm->n; a++) {
    energy -= adm->mass_adm[a];
    moves = moves || dot(adm->momentum[a], adm->momentum[a]) > 0.0;
  }
  tx_text_add(out, "%d holes%s", adm->n, moves ? "" : " at rest");
  if (energy != 0.0) /* that of data which are not solved for is not known */
    tx_text_add(out, ", %s: ADM energy minus their ADM masses %.3g M",
                energy < 0.0 ? "bound" : "not bound as a whole", energy);
  tx_text_add(out, "; mergers are not estimated");
}

tx_status tx_check_motion(tx_check *c) {
  tx_text text = {.data = NULL};
  c->merger = c->approach = -1.0;
  c->turns = 0.0;
  c->orbits = false;
  if (c->adm.n < 2) return TX_OK;
  if (c->adm.n == 2)
    follow_pair(c, &text);
  else
    sum_up(c, &text);
  const tx_status status = text.status;
  if (status == TX_OK) tx_log("  motion      %s", text.data);
  tx_text_free(&text);
  return status;
}
