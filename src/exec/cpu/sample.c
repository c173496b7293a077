/* Values and derivatives at points, from Lagrange stencils in the owner's patch. */
#include "exec/cpu/cpu.h"

#include "physics/lagrange_point.h"

#define POINTS TX_JET_POINTS

/* A point's stencil: first point of the patch, weights [dimension][derivative][node]. */
typedef struct stencil {
  int first[3];
  double w[3][3][POINTS];
} stencil;

static void stencil_make(const tx_mesh *mesh, tx_lidx b, const double x[3], stencil *st) {
  double x0[3], h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  tx_mesh_origin(mesh, b, x0);
  for (int d = 0; d < 3; d++) st->first[d] = tx_lagrange_line((x[d] - x0[d]) / h, h, st->w[d]);
}

static const int ORDER[10][3] = TX_JET_ORDERS;
static const int PAIR[3][3] = TX_JET_PAIRS;

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

/* Jets [n_vars][n_derivs] of one point in the variables of `s`; `patch` is theirs, of its octant. */
static void jets_make(const tx_field *f, const tx_sample *s, const tx_sample_point *point,
                      const double *patch, double *jets) {
  stencil st;
  stencil_make(f->x->mesh, point->octant, point->x, &st);
  for (int v = 0; v < s->vars.n; v++) {
    double *jet = jets + v * s->n_derivs;
    jet_make(&st, patch + v * TX_P3, s->n_derivs, jet);
    double sign = tx_cpu_sign((const int8_t(*)[3])f->parity, s->vars.first + v, point->mirror);
    for (int e = 0; e < s->n_derivs && point->mirror; e++) {
      jet[e] *= sign;
      for (int d = 0; d < 3; d++)
        if (point->mirror >> d & 1 && ORDER[e][d] % 2) jet[e] = -jet[e];
    }
  }
}

/* Operation on a point, number `i` of the sample; `patch` is of its octant. */
typedef void (*point_function)(const tx_field *f, const tx_sample *s, size_t i,
                               const double *patch);

/* All points, octant by octant. */
static void points_visit(tx_exec *x, const tx_field *f, const tx_sample *s, point_function visit) {
  const tx_cpu_part part = {s->vars.first, s->vars.n, UINT32_MAX};
#pragma omp parallel for schedule(dynamic)
  for (size_t i = 0; i < s->n_mine; i++) {
    tx_lidx b = s->mine[i].octant;
    if (i > 0 && s->mine[i - 1].octant == b) continue; /* done by the first point of the octant */
    double *patch = tx_cpu_here(x)->patch;
    tx_cpu_pieces pieces;
    tx_cpu_pieces_find(x, f, b, true, &pieces);
    tx_cpu_patch_part(&pieces, part, patch);
    for (size_t j = i; j < s->n_mine && s->mine[j].octant == b; j++) visit(f, s, j, patch);
  }
}

static void point_jets(const tx_field *f, const tx_sample *s, size_t i, const double *patch) {
  size_t jet = (size_t)s->vars.n * (size_t)s->n_derivs;
  jets_make(f, s, &s->mine[i], patch, s->jets + s->mine[i].index * jet);
}

tx_status tx_cpu_sample(tx_exec *x, const tx_field *f, const tx_sample *s) {
  points_visit(x, f, s, point_jets);
  return TX_OK;
}

static void point_psi4(const tx_field *f, const tx_sample *s, size_t i, const double *patch) {
  double jets[TX_SYSTEM_VARS][10] = {{0.0}};
  jets_make(f, s, &s->mine[i], patch, jets[s->vars.first]);
  tx_cpu_psi4_point(f->system, (const double(*)[10])jets, s->at[s->mine[i].index],
                    s->psi4[s->mine[i].index]);
}

tx_status tx_cpu_psi4(tx_exec *x, const tx_field *u, const tx_sample *s) {
  points_visit(x, u, s, point_psi4);
  return TX_OK;
}
