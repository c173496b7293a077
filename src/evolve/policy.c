#include "evolve/policy.h"

#include <math.h>
#include <string.h>

int tx_policy_puncture_level(const tx_params *p, int a) {
  const int level = tx_params_hole_of(p, a).level;
  return level < 0 || level > p->grid_level_max ? p->grid_level_max : level;
}

void tx_focus_spread(tx_focus *focus) {
  for (int level = 0; level < TX_LEVELS; level++) focus->reach[level] = -1.0;
  if (!(focus->radius > 0.0)) return;
  focus->reach[focus->level] = focus->radius;
  for (int level = focus->level; level > 0; level--)
    focus->reach[level - 1] = focus->reach[level] * focus->growth;
}

void tx_policy_init(const tx_params *p, int n, const double (*x)[3], const int *level,
                    tx_policy *out) {
  memset(out, 0, sizeof *out);
  out->may_coarsen = true;
  out->level_min = p->grid_level_min;
  out->level_max = p->grid_level_max;
  out->n_focus = n;
  for (int a = 0; a < n; a++) {
    out->focus[a].level = level[a];
    out->focus[a].radius = tx_params_hole_of(p, a).radius;
    out->focus[a].growth = p->grid_bh_growth;
    for (int d = 0; d < 3; d++)
      out->focus[a].x[d] = (p->grid_reflect >> d) & 1 ? fabs(x[a][d]) : x[a][d];
    tx_focus_spread(&out->focus[a]);
  }
  out->ball = (tx_focus){
      .level = p->grid_ball_level, .radius = p->grid_ball_radius, .growth = p->grid_ball_growth};
  tx_focus_spread(&out->ball);
  out->wavelet_tol = p->grid_wavelet_tol;
  out->wavelet_tol_far = p->grid_wavelet_tol_far;
  out->wavelet_radius = p->grid_wavelet_radius;
  out->coarsen_below = p->grid_coarsen_below;
}

double tx_policy_ball_reach(const tx_params *p, int level) {
  double reach = p->grid_ball_radius;
  for (int n = p->grid_ball_level; n > level; n--) reach *= p->grid_ball_growth;
  return level > p->grid_level_min ? fmin(reach, p->grid_extent) : p->grid_extent;
}

double tx_box_distance(const double low[3], double size, const double x[3]) {
  double sum = 0.0;
  for (int d = 0; d < 3; d++) {
    const double below = low[d] - x[d], above = x[d] - (low[d] + size); /* one is not above 0 */
    if (below > 0.0) sum += below * below;
    if (above > 0.0) sum += above * above;
  }
  return sqrt(sum);
}

double tx_policy_tolerance(const tx_policy *policy, double r) {
  if (!(policy->wavelet_tol_far > policy->wavelet_tol) || !(policy->wavelet_radius > 0.0))
    return policy->wavelet_tol;
  double share = fmin(1.0, r / policy->wavelet_radius);
  return fmax(policy->wavelet_tol, share * policy->wavelet_tol_far);
}

/* Whether distances alone ask for more than an octant's level, and whether for as much or more where they are taken as shorter. A
 * level is asked for by whoever asks for a finer one, as reaches do not fall. */
static void ask_distances(const tx_policy *policy, const double low[3], double size, int level,
                          bool *more, bool *enough) {
  *more = level < policy->level_min;
  *enough = level <= policy->level_min;
  for (int a = 0; a <= policy->n_focus; a++) {
    const tx_focus *focus = a < policy->n_focus ? &policy->focus[a] : &policy->ball;
    const double distance = tx_box_distance(low, size, focus->x);
    if (level < policy->level_max) *more |= distance <= focus->reach[level + 1];
    *enough |= distance / TX_POLICY_MARGIN <= focus->reach[level];
  }
}

int8_t tx_policy_flag(const tx_policy *policy, const double low[3], double size, int level,
                      double error) {
  bool more, keep;
  if (level > policy->level_max) return policy->may_coarsen ? -1 : 0;
  ask_distances(policy, low, size, level, &more, &keep);
  if (policy->wavelet_tol > 0.0) {
    double r2 = 0.0;
    for (int d = 0; d < 3; d++) r2 += (low[d] + 0.5 * size) * (low[d] + 0.5 * size);
    double tolerance = tx_policy_tolerance(policy, sqrt(r2));
    more = more || error > tolerance;
    /* One level coarser the error of a smooth field is 2^6 times as large: it must be small there
     * too. */
    double coarser = error * (1 << TX_INTERP_POINTS);
    bool small = error < policy->coarsen_below * tolerance && coarser < tolerance;
    keep = keep || !small;
  }
  if (more && level < policy->level_max) return 1;
  return policy->may_coarsen && !keep ? -1 : 0;
}
