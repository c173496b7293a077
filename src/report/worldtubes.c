#include "report/worldtubes.h"

#include <math.h>
#include <stdio.h>
#include "report/text.h"
#include "base/vec3.h"
#include "base/log.h"
#include "evolve/macro_step.h"
#include "physics/initial_data/binary.h"
#include "physics/initial_data/wave_zone.h"

/* A hole's coordinate radius stays below its mass. */
tx_status tx_worldtubes_enclose(const tx_params *p, const tx_adm_numbers *adm) {
  for (int i = 0; i < p->waves_worldtubes.n; i++)
    for (int a = 0; a < adm->n; a++) {
      const double distance = tx_vec3_norm(adm->position[a]), reach = distance + adm->mass_adm[a];
      const char *what;
      if (p->waves_worldtubes.v[i] > reach) continue;
      const double far = tx_wave_zone(adm, tx_binary_orbits(adm), &what);
      TX_FAIL(
          TX_ERR_PARAM,
          "waves.worldtubes: the worldtube of radius %g M does not enclose puncture %d, of "
          "mass %.4g M, %.6g M from the origin; give radii above %.3g M, %s, better above 100 M",
          p->waves_worldtubes.v[i], a + 1, adm->mass_adm[a], distance, far, what);
    }
  return TX_OK;
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
         p->waves_worldtube_every > 0 ? "as given" : "chosen", tx_file_bytes_text(bytes, row),
         tx_file_bytes_text(bytes / (every * dt), per),
         tx_file_bytes_text(bytes * (1.0 + floor(p->run_t_end / (every * dt))), all), p->run_t_end);
}
