/* Values and derivatives at points, from Lagrange stencils in the owner's patch. */
#include "exec/cpu.h"

#define POINTS 8
_Static_assert(POINTS <= TX_P && POINTS / 2 <= TX_K + 1, "stencils must fit into a patch");

/* Weights of the value, first and second derivative at s from nodes 0 .. POINTS-1
 * (Fornberg, Math. Comp. 51, 699). */
static void lagrange(double s, double w[3][POINTS]) {
  for (int d = 0; d < 3; d++)
    for (int j = 0; j < POINTS; j++) w[d][j] = 0.0;
  w[0][0] = 1.0;
  double c1 = 1.0, c4 = -s;
  for (int i = 1; i < POINTS; i++) {
    double c2 = 1.0, c5 = c4;
    c4 = i - s;
    for (int j = 0; j < i; j++) {
      double c3 = i - j;
      c2 *= c3;
      if (j == i - 1) {
        for (int d = 2; d > 0; d--) w[d][i] = c1 * (d * w[d - 1][i - 1] - c5 * w[d][i - 1]) / c2;
        w[0][i] = -c1 * c5 * w[0][i - 1] / c2;
      }
      for (int d = 2; d > 0; d--) w[d][j] = (c4 * w[d][j] - d * w[d - 1][j]) / c3;
      w[0][j] = c4 * w[0][j] / c3;
    }
    c1 = c2;
  }
}

/* A point's stencil: first point of the patch, weights [dimension][derivative][node]. */
typedef struct stencil {
  int first[3];
  double w[3][3][POINTS];
} stencil;

static void stencil_make(const tx_mesh *mesh, tx_lidx b, const double x[3], stencil *st) {
  double x0[3], h = tx_mesh_spacing(mesh, mesh->octant[b].level), scale[3] = {1.0, 1.0 / h, 0.0};
  scale[2] = scale[1] * scale[1];
  tx_mesh_origin(mesh, b, x0);
  for (int d = 0; d < 3; d++) {
    double s = (x[d] - x0[d]) / h;
    int cell = (int)s; /* s >= 0: the octant owns the point */
    if (cell > TX_N - 1) cell = TX_N - 1;
    st->first[d] = cell - (POINTS / 2 - 1);
    if (st->first[d] > TX_N + TX_K - POINTS) st->first[d] = TX_N + TX_K - POINTS;
    lagrange(s - st->first[d], st->w[d]);
    for (int a = 0; a < 3; a++)
      for (int j = 0; j < POINTS; j++) st->w[d][a][j] *= scale[a];
  }
}

/* Orders of differentiation along x, y, z of each entry of a jet, and the order (y, z) pairs are kept in. */
static const int ORDER[10][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                 {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2}};
static const int PAIR[3][3] = {{0, 1, 2}, {3, 4, -1}, {5, -1, -1}}; /* [order in y][order in z] */

/* Jet of one variable of a patch: contraction along y, then z, on rows along x, then x. */
static void jet_make(const stencil *st, const double *patch, int n_derivs, double *jet) {
  double rows[6][POINTS] = {{0.0}};
  const double *from = patch + TX_PATCH_AT(st->first[0], st->first[1], st->first[2]);
  for (int k = 0; k < POINTS; k++, from += TX_P * TX_P) {
    double ys[3][POINTS] = {{0.0}};
    for (int j = 0; j < POINTS; j++)
      for (int a = 0; a < 3; a++)
        for (int i = 0; i < POINTS; i++) ys[a][i] += st->w[1][a][j] * from[j * TX_P + i];
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < 3 - a; c++)
        for (int i = 0; i < POINTS; i++) rows[PAIR[a][c]][i] += st->w[2][c][k] * ys[a][i];
  }
  for (int e = 0; e < n_derivs; e++) {
    const double *row = rows[PAIR[ORDER[e][1]][ORDER[e][2]]], *w = st->w[0][ORDER[e][0]];
    jet[e] = 0.0;
    for (int i = 0; i < POINTS; i++) jet[e] += w[i] * row[i];
  }
}

/* Jets of one point in all variables; `patch` is its octant's. */
static void sample_point(const tx_field *f, const tx_sample *s, const tx_sample_point *point,
                         const double *patch) {
  stencil st;
  stencil_make(f->x->mesh, point->octant, point->x, &st);
  for (int v = 0; v < f->n_vars; v++) {
    double *jet = s->jets + (point->index * (size_t)f->n_vars + (size_t)v) * (size_t)s->n_derivs;
    jet_make(&st, patch + v * TX_P3, s->n_derivs, jet);
    double sign = tx_cpu_sign((const int8_t(*)[3])f->parity, v, point->mirror);
    for (int e = 0; e < s->n_derivs && point->mirror; e++) {
      jet[e] *= sign;
      for (int d = 0; d < 3; d++)
        if (point->mirror >> d & 1 && ORDER[e][d] % 2) jet[e] = -jet[e];
    }
  }
}

tx_status tx_cpu_sample(tx_exec *x, const tx_field *f, const tx_sample *s) {
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < s->n_mine; i++) {
    tx_lidx b = s->mine[i].octant;
    if (i > 0 && s->mine[i - 1].octant == b) continue; /* done by the first point of the octant */
    double *patch = tx_cpu_here(x)->patch;
    tx_cpu_patch(x, f, b, patch);
    for (size_t j = i; j < s->n_mine && s->mine[j].octant == b; j++)
      sample_point(f, s, &s->mine[j], patch);
  }
  return TX_OK;
}
