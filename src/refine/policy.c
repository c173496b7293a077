#include "refine/policy.h"

#include <math.h>
#include <string.h>

int tx_policy_puncture_level(const tx_params *p, int a) {
  const int level = tx_params_hole_of(p, a).level;
  return level < 0 || level > p->grid_level_max ? p->grid_level_max : level;
}

void tx_policy_move(tx_policy *policy, int a, const double x[3]) {
  for (int d = 0; d < 3; d++)
    policy->puncture[a].x[d] = (policy->params->grid_reflect >> d) & 1 ? fabs(x[d]) : x[d];
}

void tx_policy_widen(tx_policy *policy, double factor) {
  for (int a = 0; a < policy->n_punctures; a++) policy->puncture[a].radius *= factor;
}

void tx_policy_init(const tx_params *p, int n, const double (*x)[3], const int *level,
                    tx_policy *out) {
  memset(out, 0, sizeof *out);
  out->params = p;
  out->may_coarsen = true;
  out->level_min = p->grid_level_min;
  out->level_max = p->grid_level_max;
  out->n_punctures = n;
  for (int a = 0; a < n; a++) {
    out->puncture[a].level = level[a];
    out->puncture[a].radius = tx_params_hole_of(p, a).radius;
    tx_policy_move(out, a, x[a]);
  }
}
