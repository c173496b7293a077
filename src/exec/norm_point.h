/* Norms, of the constraints and of fields: what a point adds to them. */
#pragma once

#include <math.h>

#include "exec/backend.h"

/** Return the larger of two magnitudes; NaN if either is. */
TX_HD static inline double tx_larger(double most, double value) {
  return value <= most || most != most ? most : value;
}

/** Return the number of images of point i of a row of an octant in dimension d: 2 where the domain is reflected, but 1 on
 *  the plane of reflection, where the octant may begin; 0 within one spacing of an outer face in `outer`, seen from either
 *  side. */
TX_HD static inline double tx_norm_images(bool reflected, bool begins, unsigned outer, int d,
                                          int i) {
  if (outer & TX_FACE_BIT(d, 0) && i < 2) return 0.0;
  if (outer & TX_FACE_BIT(d, 1) && i == TX_N - 1) return 0.0;
  return reflected && !(begins && i == 0) ? 2.0 : 1.0;
}

/** Return whether point i of a row of an octant counts in norms of the constraints: not on the boundary of its level's region
 *  (`coarser_below`: tx_mesh_coarser_below), where derivatives are of what is interpolated, whichever side of the region. */
TX_HD static inline bool tx_norm_counts(unsigned coarser_below, int d, int i) {
  return i > 0 || !(coarser_below >> d & 1u);
}

/** Return whether x lies in the ball. */
TX_HD static inline bool tx_ball_holds(const tx_ball *ball, const double x[3]) {
  double r2 = 0.0;
  for (int d = 0; d < 3; d++) r2 += (x[d] - ball->centre[d]) * (x[d] - ball->centre[d]);
  return r2 < ball->radius * ball->radius;
}

/** Add a point of so much volume, with these constraints. */
TX_HD static inline void tx_norm_part_add(tx_norm_part *part, double weight,
                                          const double values[TX_CONSTRAINTS]) {
  part->weight += weight;
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    part->squares[c] += weight * values[c] * values[c];
    part->max[c] = tx_larger(part->max[c], fabs(values[c]));
  }
}
