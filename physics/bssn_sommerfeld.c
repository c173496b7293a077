#include "physics/bssn.h"

#include <math.h>

#include "base/types.h"

/* One-sided first derivative, times 12 h, of degree 4, over 5 points `stride` apart into the
 * domain. In one and two dimensions the wave equation closed by it (ghosts of the interior stencils
 * extrapolated with degree 3 to 5) has no growing mode. */
TX_HD static inline double one_sided(const double *u, ptrdiff_t stride) {
  return -25.0 * u[0] + 48.0 * u[stride] - 36.0 * u[2 * stride] + 16.0 * u[3 * stride] -
         3.0 * u[4 * stride];
}

/* The centred stencil of degree 4, times 12 h, for the dimensions along the boundary. */
TX_HD static inline double centred(const double *u, ptrdiff_t stride) {
  return 8.0 * (u[stride] - u[-stride]) - (u[2 * stride] - u[-2 * stride]);
}

/* A point's stencils: its derivative along a dimension is one-sided near an outer face. */
typedef struct place {
  int at[3];     /* indices in the octant */
  int inward[3]; /* +1 or -1: one-sided that way; 0: centred */
  double x[3], over_r;
} place;

/* Distance, in points, within which the centred stencil would read ghosts across a face. */
enum { REACH = 2 };

static void place_set(place *p, double h, const double x0[3], unsigned faces, int i, int j, int k) {
  double r2 = 0.0;
  const int at[3] = {i, j, k};
  for (int d = 0; d < 3; d++) {
    p->at[d] = at[d];
    p->inward[d] = 0;
    if ((faces & TX_FACE_BIT(d, 0)) && at[d] < REACH) p->inward[d] = 1;
    if ((faces & TX_FACE_BIT(d, 1)) && at[d] >= TX_N - REACH) p->inward[d] = -1;
    p->x[d] = x0[d] + h * at[d];
    r2 += p->x[d] * p->x[d];
  }
  p->over_r = 1.0 / sqrt(r2);
}

/* The condition for one variable at one point. */
static double sommerfeld(const place *p, double over_12h, const double *u,
                         const tx_variable_info *info) {
  static const ptrdiff_t strides[3] = {1, TX_P, TX_P * TX_P};
  const double *at = u + TX_PATCH_AT(p->at[0], p->at[1], p->at[2]);
  double outward = 0.0;
  for (int d = 0; d < 3; d++) {
    const int s = p->inward[d];
    const double du = s ? s * one_sided(at, s * strides[d]) : centred(at, strides[d]);
    outward += p->x[d] * du;
  }
  return -info->speed * p->over_r * (outward * over_12h + info->falloff * (*at - info->infinity));
}

/* Whether a point is one of the outermost of an outer face. */
static int outermost(unsigned faces, int i, int j, int k) {
  const int at[3] = {i, j, k};
  for (int d = 0; d < 3; d++)
    if ((at[d] == 0 && (faces & TX_FACE_BIT(d, 0))) ||
        (at[d] == TX_N - 1 && (faces & TX_FACE_BIT(d, 1))))
      return 1;
  return 0;
}

void tx_bssn_sommerfeld_octant(double h, const double x0[3], unsigned outer_faces,
                               const double *__restrict patch, double *__restrict rhs) {
  const double over_12h = 1.0 / (12.0 * h);
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) {
        if (!outermost(outer_faces, i, j, k)) continue;
        place p;
        place_set(&p, h, x0, outer_faces, i, j, k);
        for (size_t v = 0; v < TX_VARS; v++)
          rhs[v * TX_N3 + (size_t)TX_AT(i, j, k)] =
              sommerfeld(&p, over_12h, patch + v * TX_P3, &tx_variables[v]);
      }
}
