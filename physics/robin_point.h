/* Ghosts beyond the outer boundary for what falls off like r^-n: w = r^n (u - u_inf) is reflected evenly. */
#pragma once

#include <math.h>

#include "physics/extrapolate_point.h"

/** Value of a variable at infinity, and its falloff: u - u_inf ~ r^-n. */
typedef struct tx_robin {
  double infinity, falloff;
} tx_robin;

/** A line across an outer face. */
typedef struct tx_robin_line {
  double
      rho2; /**< square of the distance from the axis through the origin along which the line runs */
  double x;     /**< coordinate of the outermost point inside */
  double step;  /**< to the next one inwards, with its sign */
  bool on_face; /**< the outermost point inside lies on the face; else the first ghost does */
} tx_robin_line;

/** Return (r / r')^n of the points `i` and `to` steps inwards. */
TX_HD static inline double tx_robin_ratio(const tx_robin *law, const tx_robin_line *line, int i,
                                          int to) {
  const double from = line->x + i * line->step, there = line->x + to * line->step;
  const double ratio2 = (line->rho2 + from * from) / (line->rho2 + there * there);
  if (law->falloff == 1.0) return sqrt(ratio2);
  return law->falloff == 2.0 ? ratio2 : pow(ratio2, 0.5 * law->falloff);
}

/** Return the weight, times 147, of the value i + 1 points from the face in the value on it whose one-sided derivative of
 *  order 6 vanishes. */
TX_HD static inline double tx_robin_weight(int i) {
  return i == 0   ? 360.0
         : i == 1 ? -450.0
         : i == 2 ? 400.0
         : i == 3 ? -225.0
         : i == 4 ? 72.0
                  : -10.0;
}
static_assert(TX_OUTER_POINTS == 6, "the weights are those of six points");

/** Return where ghost g + 1 is reflected from: the point so many steps inwards; -1: it lies on the face itself, and comes
 *  from all TX_OUTER_POINTS points. */
TX_HD static inline int tx_robin_source(const tx_robin_line *line, int g) {
  return line->on_face ? g + 1 : g - 1;
}

/** Return the ghost g + 1 from the points 0, 1, ... inside. */
TX_HD static inline double tx_robin_ghost(const tx_robin *law, const tx_robin_line *line, int g,
                                          const double inside[TX_OUTER_POINTS]) {
  const int source = tx_robin_source(line, g), to = -(g + 1);
  if (source >= 0)
    return law->infinity + tx_robin_ratio(law, line, source, to) * (inside[source] - law->infinity);
  double sum = 0.0;
  for (int i = 0; i < TX_OUTER_POINTS; i++)
    sum += tx_robin_weight(i) * tx_robin_ratio(law, line, i, to) * (inside[i] - law->infinity);
  return law->infinity + sum / 147.0;
}
