/* When the holes merge, and notes on whether the run shows it. */
#include "app/check.h"

#include <math.h>
#include <stdio.h>
#include "physics/initial_data/quasi_circular.h"

#define PI 3.14159265358979323846

/* Orbits with an angular momentum this close to the circular one shrink like circles of their own; lower ones fall in sooner. */
#define CIRCULAR 0.03

/* Mergers are not earlier than this part of what is estimated, and not later than that. */
#define EARLIEST 0.9
#define LATEST   1.1

/* Kreiss-Oliger dissipation: the least that helps, and the usual one. */
#define DISSIPATION_LEAST 0.1
#define DISSIPATION_USUAL 0.4

static double dot(const double *x, const double *y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* Two holes about each other: their total mass, distance, orbital angular momentum; axes along the line from the second to the
 * first, in the orbit's plane across it, and along the orbital angular momentum. */
typedef struct orbit {
  double mass, distance, L, axis[3][3];
} orbit;

static orbit orbit_of(const tx_adm_numbers *adm) {
  orbit o = {.mass = adm->mass_adm[0] + adm->mass_adm[1]};
  double apart[3], L[3] = {0.0, 0.0, 0.0};
  for (int d = 0; d < 3; d++) apart[d] = adm->position[0][d] - adm->position[1][d];
  for (int a = 0; a < 2; a++)
    for (int d = 0; d < 3; d++) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      L[d] += adm->position[a][e] * adm->momentum[a][f] - adm->position[a][f] * adm->momentum[a][e];
    }
  o.distance = sqrt(dot(apart, apart));
  o.L = sqrt(dot(L, L));
  for (int d = 0; d < 3 && o.L > 0.0; d++) {
    o.axis[0][d] = apart[d] / o.distance;
    o.axis[2][d] = L[d] / o.L;
  }
  for (int d = 0; d < 3; d++) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    o.axis[1][d] = o.axis[2][e] * o.axis[0][f] - o.axis[2][f] * o.axis[0][e];
  }
  return o;
}

void tx_check_merger(tx_check *c) {
  const tx_adm_numbers *adm = &c->adm;
  c->merger = -1.0;
  c->turns = 0.0;
  if (adm->n != 2) return;
  const orbit o = orbit_of(adm);
  const double r = o.distance / o.mass, ratio = adm->mass_adm[0] / adm->mass_adm[1];
  double chi[2][3];
  for (int a = 0; a < 2; a++)
    for (int d = 0; d < 3; d++)
      chi[a][d] = dot(adm->spin[a], o.axis[d]) / (adm->mass_adm[a] * adm->mass_adm[a]);
  tx_quasi_circular circular;
  tx_quasi_circular_momenta(r, ratio, chi[0], chi[1], &circular);
  const double share = o.L / (o.distance * o.mass) / circular.p_t;
  if (share < 1.0 - CIRCULAR) {
    c->merger = o.mass * PI / sqrt(8.0) * r * sqrt(r); /* two bodies at rest */
    return;
  }
  tx_inspiral_forecast forecast;
  tx_quasi_circular_forecast_of(&circular, fmin(share, 1.0 + CIRCULAR), &forecast);
  c->merger = o.mass * forecast.time;
  c->turns = forecast.orbits;
}

/* The merger should happen, and be seen. */
static void note_end(tx_check *c) {
  const tx_params *p = c->p;
  const double unit = tx_params_unit(p);
  double innermost = 0.0, outermost = 0.0;
  char seen[80] = "";
  tx_check_radii(c, &innermost, &outermost);
  if (c->merger < 0.0 || p->run_t_end >= EARLIEST * c->merger + innermost) return;
  if (innermost > 0.0)
    snprintf(seen, sizeof seen, " and r = %g M sees it %.3g M later", innermost, innermost);
  tx_check_note(c,
                "run.t_end %g M is too early to see the merger: the holes merge at about t = %.3g "
                "M%s; give run.t_end %g, which covers the ringdown",
                p->run_t_end, c->merger, seen,
                10.0 * unit *
                    ceil(0.1 * ((LATEST * c->merger + outermost) / unit + TX_CHECK_RINGDOWN)));
}

static void note_horizons(tx_check *c) {
  if (c->adm.n == 0 || c->p->horizons_every > 0) return;
  tx_check_note(c,
                "horizons.every 0: without horizons the masses and spins of the holes are not "
                "measured: give horizons.every %.0f, about 1 M",
                tx_check_interval(c, ceil(c->adm.energy / c->dt)));
}

/* On one level without punctures nothing makes noise of the grid's frequency. */
static void note_dissipation(tx_check *c) {
  const double sigma = c->p->evolution_dissipation;
  if (sigma >= DISSIPATION_LEAST) return;
  if (c->adm.n == 0 && c->mesh->level_lowest == c->mesh->level_highest) return;
  tx_check_note(c,
                "evolution.dissipation %g: noise at the grid scale from %srefinement boundaries "
                "%s: give evolution.dissipation %g",
                sigma, c->adm.n > 0 ? "punctures and " : "",
                sigma > 0.0 ? "grows" : "is not damped and grows", DISSIPATION_USUAL);
}

void tx_check_purpose(tx_check *c) {
  note_end(c);
  note_horizons(c);
  note_dissipation(c);
}
