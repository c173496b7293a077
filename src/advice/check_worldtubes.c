/* Worldtubes: refinement boundaries across them, the near zone, and the time between rows. */
#include <math.h>
#include <stdio.h>
#include "advice/check.h"
#include "evolve/macro_step.h"
#include "report/worldtubes.h"
#include "physics/initial_data/wave_zone.h"
#include "physics/lagrange_point.h"

/* Largest time between rows, over tx_params_unit, in which waves can be interpolated. */
#define APART_MOST 1.0

/* Radii that are tried, on either side, M, for one that no refinement boundary crosses. */
#define LOOKED_AT 100

tx_status tx_check_show_worldtubes(tx_check *c) {
  tx_worldtubes *w = NULL;
  if (c->p->waves_worldtubes.n == 0) return TX_OK;
  TX_TRY(tx_worldtubes_enclose(c->p, &c->adm));
  TX_TRY(tx_worldtubes_create(&c->mesh->domain, c->p, &w));
  tx_worldtubes_log(c->p, tx_worldtubes_describe(w), c->macro.dt);
  tx_worldtubes_destroy(w);
  return TX_OK;
}

static bool is_crossed(const tx_check *c, double inner, double outer, int *coarsest, int *finest) {
  const double origin[3] = {0.0, 0.0, 0.0};
  tx_levels_in_shell(c->mesh, origin, inner, outer, coarsest, finest);
  return *coarsest != *finest;
}

/* Find the radius next to r, and not below `least`, at which stencils stay on one level; 0 if there is none nearby. */
static double radius_beside(const tx_check *c, double r, double least) {
  int coarsest = 0, finest = 0;
  for (int k = 1; k <= LOOKED_AT; k++)
    for (int side = 1; side >= -1; side -= 2) {
      const double other = r + side * k;
      if (other < fmax(1.0, least) || other >= c->p->grid_extent ||
          is_crossed(c, other, other, &coarsest, &finest))
        continue;
      const double reach = TX_JET_POINTS / 2 * tx_mesh_spacing(c->mesh, coarsest);
      if (!is_crossed(c, fmax(0.0, other - reach), other + reach, &coarsest, &finest)) return other;
    }
  return 0.0;
}

static void note_boundaries(tx_check *c, double r, double least) {
  int coarsest = 0, finest = 0;
  char beside[48] = "";
  if (!is_crossed(c, r, r, &coarsest, &finest)) return;
  const double other = radius_beside(c, r, least);
  if (other > 0.0) snprintf(beside, sizeof beside, ", or r = %g M, which is free of them", other);
  tx_check_note(c,
                "refinement boundaries between levels %d and %d cross the worldtube r = %g M, and "
                "their spurious reflections would be extracted too: give grid.ball_level %d, "
                "grid.ball_radius %.0f%s",
                coarsest, finest, r, finest,
                ceil(r + TX_JET_POINTS / 2 * tx_mesh_spacing(c->mesh, finest)), beside);
}

tx_status tx_check_worldtubes(tx_check *c) {
  const tx_reals *radii = &c->p->waves_worldtubes;
  const double apart = tx_worldtube_every(c->p) * c->macro.dt;
  const char *what;
  const double far = tx_wave_zone(&c->adm, c->orbits, &what);
  if (radii->n == 0) return TX_OK;
  for (int i = 0; i < radii->n; i++) {
    const double r = radii->v[i];
    if (r < far) /* boundaries that cross it do not matter then */
      tx_check_note_near_zone(c, "waves.worldtubes", r, radius_beside(c, r, far));
    else
      note_boundaries(c, r, far);
  }
  if (apart > APART_MOST * tx_params_unit(c->p))
    tx_check_note(c,
                  "rows of the worldtubes are %.3g M apart, too far for waves that are "
                  "interpolated between them: give waves.worldtube_every 0",
                  apart);
  return TX_OK;
}
