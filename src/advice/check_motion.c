/* Motion of the holes: whether they are bound, and the predicted merger time, as far as that is known. */
#include <math.h>
#include <stdio.h>
#include "advice/check.h"
#include "base/vec3.h"
#include "base/log.h"
#include "physics/initial_data/binary.h"
#include "physics/initial_data/quasi_circular.h"

/* Orbits of less eccentricity are nearly circles. */
#define NEARLY 0.07

/* Smaller spins across the axis of the orbit are rounding. */
#define ALONG 1e-6

/* Waves may bind holes whose energy is below this many times the estimated loss at the periastron. */
#define MAY_BIND 3.0

static bool precesses(const tx_encounter_start *s) {
  return fmax(hypot(s->chi[0][0], s->chi[0][1]), hypot(s->chi[1][0], s->chi[1][1])) > ALONG;
}

/* Take the merger of a quasi-circular pair for a wide orbit near a circle, which shrinks through circles; and for a close one whose
 * spins precess, whose separation oscillates about that of the mean orbit. */
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

static void say_orbit(const tx_check *c, const tx_binary *b, const tx_encounter *e, tx_text *out) {
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

static void say_plunge(const tx_check *c, const tx_binary *b, const tx_encounter *e, tx_text *out) {
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

static void say_unbound(const tx_binary *b, const tx_encounter *e, tx_text *out) {
  if (e->kind == TX_ENCOUNTER_ESCAPE) {
    tx_text_add(out, "not bound, the holes move apart: no merger");
    return;
  }
  tx_text_add(out, "not bound, the holes pass each other at t = %.3g M, %.3g M apart: no merger",
              b->mass * e->periastron.time, b->mass * e->periastron.separation);
  if (e->energy < MAY_BIND * e->loss)
    tx_text_add(out, ", unless waves take enough energy to bind them");
}

static void follow_pair(tx_check *c, tx_text *out) {
  const tx_binary b = tx_binary_of(&c->adm);
  tx_encounter e;
  tx_encounter_find(&b.start, &e);
  if (e.kind == TX_ENCOUNTER_ORBIT && (e.merger < 0.0 || precesses(&b.start))) shrink(&b.start, &e);
  c->orbits = tx_binary_stays(&b, &e);
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
    moves = moves || tx_vec3_dot(adm->momentum[a], adm->momentum[a]) > 0.0;
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
