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

/** Weights of the rows of an octant along each dimension, and where they are; host. */
typedef struct tx_norm_weights {
  double x0[3], h, row[3][TX_N];
} tx_norm_weights;
static inline void tx_norm_weights_of(const tx_mesh *mesh, tx_lidx b, tx_norm_weights *w) {
  const unsigned coarser = tx_mesh_coarser_below(mesh, b);
  w->h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  tx_mesh_origin(mesh, b, w->x0);
  for (int d = 0; d < 3; d++) {
    const bool reflected = mesh->domain.low[d] == TX_FACE_REFLECT,
               begins = mesh->octant[b].x[d] == 0;
    for (int i = 0; i < TX_N; i++)
      w->row[d][i] = tx_norm_counts(coarser, d, i)
                         ? tx_norm_images(reflected, begins, mesh->ghosts.outer[b], d, i)
                         : 0.0;
  }
}

/** Return the volume of a point of the octant; 0 if it does not count, or lies in a ball that norms leave out. Host. */
static inline double tx_norm_weight(const tx_norm_weights *w, const tx_norms_of *of, int i, int j,
                                    int k) {
  const double h = w->h, weight = w->row[0][i] * w->row[1][j] * w->row[2][k] * h * h * h;
  const double x[3] = {w->x0[0] + i * h, w->x0[1] + j * h, w->x0[2] + k * h};
  for (int a = 0; a < of->n_balls; a++)
    if (tx_ball_holds(&of->balls[a], x)) return 0.0;
  return weight;
}

/** Add a point of so much volume, with these constraints, which may be the first of more numbers. */
TX_HD static inline void tx_norm_part_add(tx_norm_part *part, double weight,
                                          const double values[TX_CONSTRAINTS]) {
  part->weight += weight;
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    part->squares[c] += weight * values[c] * values[c];
    part->max[c] = tx_larger(part->max[c], fabs(values[c]));
  }
}
