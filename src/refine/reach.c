#include "refine/reach.h"

#include <math.h>
#include <string.h>

void tx_reach_init(const double x[3], int level, double radius, double growth, tx_reach *out) {
  memcpy(out->x, x, sizeof out->x);
  for (int l = 0; l <= TX_LEVELS; l++) out->of[l] = -1.0;
  if (!(radius > 0.0)) return;
  out->of[level] = radius;
  for (int l = level; l > 0; l--) out->of[l - 1] = out->of[l] * growth;
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

/* A finer level reaches no farther than a coarser one. */
int tx_reach_flag(const tx_reach *reach, const tx_flag_octant *octant) {
  const double distance = tx_box_distance(octant->low, octant->size, reach->x);
  if (distance <= reach->of[octant->level + 1]) return TX_REFINE;
  return distance / TX_REACH_MARGIN <= reach->of[octant->level] ? TX_KEEP : TX_MAY_COARSEN;
}
