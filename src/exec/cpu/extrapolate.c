/* Ghosts beyond the outer boundary. */
#include "exec/cpu/cpu.h"

#include "physics/extrapolate_point.h"
#include "physics/robin_point.h"

/* Ghosts beyond the point or row of n points at `edge`; `in` points inwards. */
static inline __attribute__((always_inline)) void row(const tx_outer_weights *e, double *edge,
                                                      ptrdiff_t in, int n) {
  for (int g = 0; g < TX_K; g++) {
    double *restrict to = edge - (g + 1) * in;
    for (int i = 0; i < n; i++) {
      double sum = e->w[g][0] * edge[i];
      for (int j = 1; j < TX_OUTER_POINTS; j++) sum += e->w[g][j] * edge[j * in + i];
      to[i] = sum;
    }
  }
}

/* One face of dimension d. Rows along x are complete when y and z come; of y and z, what is filled is
 * low .. high - 1. */
static void face(const tx_outer_weights *e, int d, int side, const int low[3], const int high[3],
                 double *patch) {
  const int edge = side ? TX_N - 1 : 0, sign = side ? -1 : 1;
  if (d == 0)
    for (int k = low[2]; k < high[2]; k++)
      for (int j = low[1]; j < high[1]; j++) {
        double *p = patch + TX_PATCH_AT(edge, j, k);
        side ? row(e, p, -1, 1) : row(e, p, 1, 1);
      }
  else if (d == 1)
    for (int k = low[2]; k < high[2]; k++)
      row(e, patch + TX_PATCH_AT(-TX_K, edge, k), sign * TX_P, TX_P);
  else
    for (int j = low[1]; j < high[1]; j++)
      row(e, patch + TX_PATCH_AT(-TX_K, j, edge), sign * TX_P * TX_P, TX_P);
}

/* Find the part of a patch, low .. high - 1, that is filled when dimension d comes. */
static void filled(unsigned outer, int d, int low[3], int high[3]) {
  for (int e = 0; e < 3; e++) {
    low[e] = e >= d && outer & TX_FACE_BIT(e, 0) ? 0 : -TX_K;
    high[e] = e >= d && outer & TX_FACE_BIT(e, 1) ? TX_N : TX_N + TX_K;
  }
}

void tx_cpu_extrapolate(unsigned outer, int n_vars, double *patch) {
  const tx_outer_weights e = tx_outer_weights_make();
  for (int d = 0; d < 3; d++) {
    int low[3], high[3];
    filled(outer, d, low, high);
    for (int side = 0; side < 2; side++)
      for (int v = 0; v < n_vars && outer & TX_FACE_BIT(d, side); v++)
        face(&e, d, side, low, high, patch + v * TX_P3);
  }
}

/* The plane on the lower face of dimension d of one variable of an octant. */
static void plane(const tx_outer_weights *e, int d, double *u) {
  static const int stride[3] = {1, TX_N, TX_N * TX_N};
  const int a = stride[d == 0 ? 1 : 0], b = stride[d == 2 ? 1 : 2], in = stride[d];
  for (int j = 0; j < TX_N; j++)
    for (int i = 0; i < TX_N; i++) {
      double *p = u + j * b + i * a, sum = e->w[0][0] * p[in];
      for (int n = 1; n < TX_OUTER_POINTS; n++) sum += e->w[0][n] * p[(n + 1) * in];
      *p = sum;
    }
}

tx_status tx_cpu_outer_planes(tx_exec *x, const tx_set *set, tx_field *f) {
  const tx_outer_weights e = tx_outer_weights_make();
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < set->n; i++) {
    const tx_lidx b = set->octant[i];
    for (int d = 0; d < 3; d++)
      for (int v = 0; v < f->n_vars && x->mesh->ghosts.outer[b] & TX_FACE_BIT(d, 0); v++)
        plane(&e, d, tx_cpu_block(f, b) + (size_t)v * TX_N3);
  }
  return TX_OK;
}

/* The octant and the variable. */
typedef struct robin {
  tx_robin law;
  double x0[3], h;
  unsigned outer;
} robin;

/* The line of dimension d through patch point `at`, the outermost one inside of the face. */
static void robin_line(const robin *r, int d, int side, const int at[3], double *patch) {
  const ptrdiff_t stride = d == 0 ? 1 : d == 1 ? TX_P : TX_P * TX_P, in = side ? -stride : stride;
  tx_robin_line line = {
      .x = r->x0[d] + at[d] * r->h, .step = side ? -r->h : r->h, .on_face = !side};
  double *edge = patch + TX_PATCH_AT(at[0], at[1], at[2]), inside[TX_OUTER_POINTS];
  for (int e = 0; e < 3; e++) {
    const double x = r->x0[e] + at[e] * r->h;
    if (e != d) line.rho2 += x * x;
  }
  for (int j = 0; j < TX_OUTER_POINTS; j++) inside[j] = edge[j * in];
  for (int g = 0; g < TX_K; g++) edge[-(g + 1) * in] = tx_robin_ghost(&r->law, &line, g, inside);
}

static void robin_face(const robin *r, int d, int side, double *patch) {
  const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
  int low[3], high[3], at[3];
  filled(r->outer, d, low, high);
  at[d] = side ? TX_N - 1 : 0;
  for (at[b] = low[b]; at[b] < high[b]; at[b]++)
    for (at[a] = low[a]; at[a] < high[a]; at[a]++) robin_line(r, d, side, at, patch);
}

void tx_cpu_robin(const tx_mesh *mesh, tx_lidx b, const tx_field_var *var, double *patch) {
  robin r = {.law = {var->infinity, var->falloff},
             .h = tx_mesh_spacing(mesh, mesh->octant[b].level),
             .outer = mesh->ghosts.outer[b]};
  tx_mesh_origin(mesh, b, r.x0);
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 2; side++)
      if (r.outer & TX_FACE_BIT(d, side)) robin_face(&r, d, side, patch);
}
