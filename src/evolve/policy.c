#include "evolve/policy.h"

#include <math.h>
#include <string.h>
#include "base/grid.h"

int tx_policy_puncture_level(const tx_params *p, int a) {
  int level = a == 0 ? p->grid_bh1_level : p->grid_bh2_level;
  return level < 0 || level > p->grid_level_max ? p->grid_level_max : level;
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
    out->focus[a].radius = p->grid_bh_radius;
    out->focus[a].growth = p->grid_bh_growth;
    for (int d = 0; d < 3; d++)
      out->focus[a].x[d] = (p->grid_reflect >> d) & 1 ? fabs(x[a][d]) : x[a][d];
  }
  out->ball = (tx_focus){
      .level = p->grid_ball_level, .radius = p->grid_ball_radius, .growth = p->grid_ball_growth};
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
    double below = low[d] - x[d], above = x[d] - (low[d] + size);
    double gap = fmax(0.0, fmax(below, above));
    sum += gap * gap;
  }
  return sqrt(sum);
}

/* `least`, or what a focus asks for at a distance if that is finer. */
static int focus_level(const tx_focus *focus, double distance, int least) {
  if (!(focus->radius > 0.0)) return least;
  int level = focus->level;
  for (double reach = focus->radius; distance > reach && level > least; reach *= focus->growth)
    level--;
  return level > least ? level : least;
}

int tx_policy_distance_level(const tx_policy *policy, const double low[3], double size,
                             double margin) {
  int level = policy->level_min;
  for (int a = 0; a < policy->n_focus; a++) {
    const tx_focus *focus = &policy->focus[a];
    level = focus_level(focus, tx_box_distance(low, size, focus->x) / margin, level);
  }
  level = focus_level(&policy->ball, tx_box_distance(low, size, policy->ball.x) / margin, level);
  return level < policy->level_max ? level : policy->level_max;
}

double tx_policy_tolerance(const tx_policy *policy, double r) {
  if (!(policy->wavelet_tol_far > policy->wavelet_tol) || !(policy->wavelet_radius > 0.0))
    return policy->wavelet_tol;
  double share = fmin(1.0, r / policy->wavelet_radius);
  return fmax(policy->wavelet_tol, share * policy->wavelet_tol_far);
}

int8_t tx_policy_want(const tx_policy *policy, const double low[3], double size, int level,
                      double error) {
  int least = tx_policy_distance_level(policy, low, size, 1.0);
  int keep = tx_policy_distance_level(policy, low, size, TX_POLICY_MARGIN);
  if (policy->wavelet_tol > 0.0) {
    double r2 = 0.0;
    for (int d = 0; d < 3; d++) r2 += (low[d] + 0.5 * size) * (low[d] + 0.5 * size);
    double tolerance = tx_policy_tolerance(policy, sqrt(r2));
    if (error > tolerance && least <= level) least = level + 1;
    /* One level coarser the error of a smooth field is 2^6 times as large: it must be small there
     * too. */
    double coarser = error * (1 << TX_INTERP_POINTS);
    bool small = error < policy->coarsen_below * tolerance && coarser < tolerance;
    if (!small && keep < level) keep = level;
  }
  if (level < least && level < policy->level_max) return 1;
  return policy->may_coarsen && level > keep && level > policy->level_min ? -1 : 0;
}
