#include "elliptic/ground.h"

#include <math.h>

tx_status tx_elliptic_ground_make(const tx_mesh *leaves, const tx_elliptic_how *how,
                                  const tx_elliptic_equation *equation,
                                  const tx_elliptic_spot *spots, int n, tx_elliptic_ground *out) {
  const tx_field_var even = {
      .parity = {1, 1, 1}, .outer = TX_OUTER_ROBIN, .falloff = equation->falloff};
  *out = (tx_elliptic_ground){.how = how, .leaves = leaves};
  TX_TRY(tx_elliptic_forest_create(leaves, how->reach, n, spots, &out->forest));
  TX_TRY(tx_elliptic_create(out->forest->mesh, equation, &out->e));
  TX_TRY(tx_exec_create(out->forest->mesh, 1, &out->x));
  return tx_agree(leaves->comm, tx_field_create(out->x, 1, &even, &out->u));
}

void tx_elliptic_ground_free(tx_elliptic_ground *g) {
  tx_field_destroy(g->u);
  tx_exec_destroy(g->x);
  tx_elliptic_destroy(g->e);
  tx_elliptic_forest_destroy(g->forest);
}

tx_status tx_elliptic_ground_solve(tx_elliptic_ground *g, double tolerance, double *residual,
                                   int *steps) {
  tx_elliptic_control control = g->how->control;
  tx_elliptic_history history;
  control.tolerance = tolerance;
  const tx_status status = tx_elliptic_solve(g->e, &control, &history);
  if (g->how->record) g->how->record(g->how->to, tx_elliptic_name(g->e), &history);
  TX_TRY(status);
  const tx_elliptic_residual *last = &history.residual[history.cycles];
  *residual = history.scale > 0.0 ? last->l2 / history.scale : 0.0;
  *steps += last->step;
  TX_TRY(tx_elliptic_store(g->e, g->u));
  return tx_agree(g->leaves->comm, tx_ghosts_fill(g->x, g->u));
}

tx_status tx_elliptic_ground_sample(const tx_elliptic_ground *g, size_t n, const double (*x)[3],
                                    double *u) {
  const tx_probe probe = {.n = n, .points = x, .vars = {0, 0}, .n_derivs = 1, .jets = u};
  TX_TRY(tx_exec_sample(g->x, g->u, &probe));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, u, (int)n, MPI_DOUBLE, MPI_SUM, g->leaves->comm));
  return TX_OK;
}

/* Collective. The mean of u over a sphere about the origin, by a rule that is exact up to l = 5 (Abramowitz and Stegun,
 * 25.4.65, for the sphere: 6 points of weight 1/15 on the axes, 8 of 3/40 between). */
static tx_status sphere_mean(const tx_elliptic_ground *g, double r, double *mean) {
  enum { AXES = 6, CORNERS = 8, ALL = AXES + CORNERS };
  double x[ALL][3] = {{0.0}}, u[ALL];
  for (int n = 0; n < AXES; n++) x[n][n / 2] = n % 2 ? -r : r;
  for (int n = 0; n < CORNERS; n++)
    for (int d = 0; d < 3; d++) x[AXES + n][d] = (n >> d & 1 ? -r : r) / sqrt(3.0);
  TX_TRY(tx_elliptic_ground_sample(g, ALL, (const double(*)[3])x, u));
  *mean = 0.0;
  for (int n = 0; n < ALL; n++) *mean += u[n] * (n < AXES ? 1.0 / 15.0 : 3.0 / 40.0);
  return TX_OK;
}

/* Two radii tell C from the next power. */
tx_status tx_elliptic_ground_monopole(const tx_elliptic_ground *g, double *monopole) {
  const double far = 0.5 * g->forest->mesh->domain.extent;
  double outer, inner;
  TX_TRY(sphere_mean(g, far, &outer));
  TX_TRY(sphere_mean(g, 0.5 * far, &inner));
  *monopole = 2.0 * far * outer - 0.5 * far * inner;
  return TX_OK;
}

tx_status tx_elliptic_ground_embed(const tx_elliptic_ground *g, tx_field *u) {
  return tx_elliptic_embed(g->e, g->forest, g->leaves, u);
}
