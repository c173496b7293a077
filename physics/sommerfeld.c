#include "physics/system.h"

#include <math.h>

#include "physics/sommerfeld_point.h"

/* A point of an octant: where it is, and in which dimensions its stencils are one-sided. */
typedef struct place {
  int inward[3];
  double x[3], over_r;
} place;

/* Returns whether the point is evolved, and one of the outermost that are. */
static int place_set(place *p, const tx_octant_place *octant, const int at[3]) {
  const unsigned faces = octant->outer_faces;
  int outermost = 0, evolved = 1;
  double r2 = 0.0;
  for (int d = 0; d < 3; d++) {
    outermost |= tx_outermost(faces, d, at[d]);
    evolved &= at[d] >= tx_outer_first(faces, d);
    p->inward[d] = tx_sommerfeld_inward(faces, d, at[d]);
    p->x[d] = octant->x0[d] + octant->h * at[d];
    r2 += p->x[d] * p->x[d];
  }
  p->over_r = 1.0 / sqrt(r2);
  return outermost && evolved;
}

void tx_system_sommerfeld(const tx_system *system, const tx_octant_place *octant,
                          const double *__restrict patch, double *__restrict rhs) {
  static const ptrdiff_t stride[3] = {1, TX_P, TX_P * TX_P};
  const double over_12h = 1.0 / (12.0 * octant->h);
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) {
        place p;
        if (!place_set(&p, octant, (const int[3]){i, j, k})) continue;
        const double *u = patch + TX_PATCH_AT(i, j, k);
        double *out = rhs + TX_AT(i, j, k);
        for (int v = 0; v < system->n_vars; v++, u += TX_P3, out += TX_N3) {
          const tx_variable_info *info = &system->variable[v];
          *out = tx_sommerfeld_point(u, stride, p.inward, p.x, over_12h, p.over_r, info->speed,
                                     info->falloff, info->infinity);
        }
      }
}
