#include "evolve/demands.h"

#include <stdio.h>
#include "base/grid.h"
#include "evolve/macro_step.h"
#include "evolve/stability.h"
#include "params/demand.h"

/* Octants have as many points as they were compiled with. */
static tx_status octant_demands(const tx_params *p, const tx_param_source *source) {
  char name[16] = "tendex";
  const int n = p->grid_octant_points;
  TX_DEMAND(n == 0 || n == 8 || n == 10 || n == 12 || n == 16, source, grid_octant_points,
            "there are programs with 8, 10, 12 and 16 points a side, none with %d", n);
  if (n != 8) snprintf(name, sizeof name, "tendex%d", n);
  TX_DEMAND(n == 0 || n == TX_N, source, grid_octant_points,
            "octants of this program have %d points a side, not %d: run %s instead (cmake --build "
            "FOLDER --target %s makes it)",
            TX_N, n, name, name);
  return TX_OK;
}

tx_status tx_evolve_demands(const tx_params *p, const tx_param_source *source) {
  TX_TRY(octant_demands(p, source));
  TX_TRY(tx_stability_demands(p, source));
  return tx_macro_step_demands(p, source);
}
