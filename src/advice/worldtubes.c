#include "advice/worldtubes.h"

#include <math.h>
#include <stdio.h>
#include "evolve/macro_step.h"
#include "report/progress.h"
#include "base/log.h"
#include "physics/lagrange_point.h"

/* Rows that are further apart are too few to interpolate waves between them, over tx_params_unit. */
#define APART_MOST 1.0

/* Radii that are looked at for one that no boundary crosses, on either side, M. */
#define LOOKED_AT 100

static double norm(const double *x) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* A hole's coordinate radius stays below its mass. */
tx_status tx_worldtubes_enclose(const tx_params *p, const tx_adm_numbers *adm) {
  for (int i = 0; i < p->waves_worldtubes.n; i++)
    for (int a = 0; a < adm->n; a++) {
      const double distance = norm(adm->position[a]), reach = distance + adm->mass_adm[a];
      const char *what;
      if (p->waves_worldtubes.v[i] > reach) continue;
      const double far = tx_check_wave_zone(adm, tx_check_orbits(adm), &what);
      TX_FAIL(
          TX_ERR_PARAM,
          "waves.worldtubes: the worldtube of radius %g M does not enclose puncture %d, of "
          "mass %.4g M, %.6g M from the origin; give radii above %.3g M, %s, better above 100 M",
          p->waves_worldtubes.v[i], a + 1, adm->mass_adm[a], distance, far, what);
    }
  return TX_OK;
}

static const char *bytes_text(double bytes, char text[32]) {
  const char *unit[] = {"kB", "MB", "GB", "TB"};
  int u = 0;
  bytes /= 1e3;
  for (; bytes >= 999.5 && u < 3; u++) bytes /= 1e3;
  snprintf(text, 32, "%.3g %s", bytes, unit[u]);
  return text;
}

void tx_worldtubes_log(const tx_params *p, const tx_worldtube_info *info, double dt) {
  char row[32], per[32], all[32], radii[256] = "";
  const int every = tx_worldtube_every(p);
  const double bytes = 8.0 * info->n_radii * TX_WORLDTUBE_SETS * (info->n_columns + 1.0);
  int used = 0;
  for (int r = 0; r < info->n_radii && used < (int)sizeof radii; r++)
    used +=
        snprintf(radii + used, sizeof radii - (size_t)used, "%s%g", r ? ", " : "", info->radii[r]);
  tx_log("  worldtubes  r = %s M: %s, l = 0 to %d, %d points per sphere, %d of them sampled", radii,
         info->form == TX_WORLDTUBE_MODAL ? "modal" : "nodal", info->l_max,
         info->n_theta * info->n_phi, info->n_used);
  tx_log("              a row every %d step%s, %.4g M, %s; %s per row, %s per M, %s to t = %g M",
         every, every == 1 ? "" : "s", every * dt,
         p->waves_worldtube_every > 0 ? "as given" : "chosen", bytes_text(bytes, row),
         bytes_text(bytes / (every * dt), per),
         bytes_text(bytes * (1.0 + floor(p->run_t_end / (every * dt))), all), p->run_t_end);
}

tx_status tx_check_show_worldtubes(const tx_check *c) {
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

/* The radius next to r, and not below `least`, at which stencils stay on one level; 0 if there is none nearby. */
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

void tx_check_worldtubes(tx_check *c) {
  const tx_reals *radii = &c->p->waves_worldtubes;
  const double apart = tx_worldtube_every(c->p) * c->macro.dt;
  const char *what;
  const double far = tx_check_wave_zone(&c->adm, c->orbits, &what);
  if (radii->n == 0) return;
  for (int i = 0; i < radii->n; i++) {
    const double r = radii->v[i];
    if (r < far) /* boundaries that cross it do not matter then */
      tx_check_near_zone(c, "waves.worldtubes", r, radius_beside(c, r, far));
    else
      note_boundaries(c, r, far);
  }
  if (apart > APART_MOST * tx_params_unit(c->p))
    tx_check_note(c,
                  "rows of the worldtubes are %.3g M apart, too far for waves that are "
                  "interpolated between them: give waves.worldtube_every 0",
                  apart);
}
