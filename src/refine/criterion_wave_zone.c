/* Refinement of the wave zone: by the distance from the origin. */
#include <math.h>
#include "base/memory.h"
#include "refine/reach.h"

double tx_wave_zone_reach(const tx_params *p, int level) {
  double reach = p->grid_ball_radius;
  for (int n = p->grid_ball_level; n > level; n--) reach *= p->grid_ball_growth;
  return level > p->grid_level_min ? fmin(reach, p->grid_extent) : p->grid_extent;
}

static bool active(const tx_policy *policy) {
  return policy->params->grid_ball_radius > 0.0;
}

static tx_status prepare(const tx_policy *policy, const tx_grid_data *data, void **context) {
  static const double origin[3] = {0.0, 0.0, 0.0};
  const tx_params *p = policy->params;
  tx_reach *reach = NULL;
  (void)data;
  TX_TRY(tx_alloc(1, sizeof *reach, "regrid", &reach));
  *context = reach;
  tx_reach_init(origin, p->grid_ball_level, p->grid_ball_radius, p->grid_ball_growth, reach);
  return TX_OK;
}

static int flag(const void *context, const tx_flag_octant *octant) {
  return tx_reach_flag(context, octant);
}

const tx_criterion tx_criterion_wave_zone = {
    .name = "wave zone", .active = active, .prepare = prepare, .flag = flag};
