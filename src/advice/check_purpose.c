/* The purpose of a run: merger, horizons, dissipation. */
#include <math.h>
#include <stdio.h>
#include "advice/check.h"
#include "advice/radii.h"
#include "advice/work.h"

/* Earliest and latest merger over the estimated one. */
#define EARLIEST 0.9
#define LATEST   1.1

/* Kreiss-Oliger dissipation: the least that helps, and the usual one. */
#define DISSIPATION_LEAST 0.1
#define DISSIPATION_USUAL 0.4

/* Note an end before waves of the merger reach the spheres. */
static void note_end(tx_check *c) {
  const tx_params *p = c->p;
  const double unit = tx_params_unit(p);
  const double innermost = tx_innermost(&p->waves_radii), outermost = tx_outermost(&p->waves_radii);
  char seen[80] = "";
  if (c->merger < 0.0 || p->run_t_end >= EARLIEST * c->merger + innermost) return;
  if (innermost > 0.0)
    snprintf(seen, sizeof seen, " and r = %g M sees it %.3g M later", innermost, innermost);
  tx_check_note(
      c,
      "run.t_end %g M is too early to see the merger: the holes merge at about t = %.3g "
      "M%s; give run.t_end %g, which covers the ringdown",
      p->run_t_end, c->merger, seen,
      10.0 * unit *
          ceil(0.1 * (LATEST * c->merger + outermost + TX_CHECK_RINGDOWN * c->adm.energy) / unit));
}

/* Note an end before holes pass each other. */
static void note_approach(tx_check *c) {
  if (c->merger >= 0.0 || c->approach < 0.0 || c->p->run_t_end >= EARLIEST * c->approach) return;
  tx_check_note(
      c,
      "run.t_end %g M is before the holes are closest to each other, at about t = %.3g M: "
      "give a larger one",
      c->p->run_t_end, c->approach);
}

static void note_horizons(tx_check *c) {
  if (c->adm.n == 0 || c->p->horizons_every > 0) return;
  tx_check_note(c,
                "horizons.every 0: without horizons the masses and spins of the holes are not "
                "measured: give horizons.every %.0f, about 1 M",
                tx_check_interval(c, ceil(c->adm.energy / c->dt)));
}

/* Note weak dissipation, except on one level without punctures, where nothing makes noise at the grid scale. */
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

tx_status tx_check_purpose(tx_check *c) {
  note_end(c);
  note_approach(c);
  note_horizons(c);
  note_dissipation(c);
  return TX_OK;
}
