/* The metric at points of a surface from the evolved variables, and the sum over ranks. */
#include <math.h>
#include <string.h>
#include "horizons/internal.h"
#include "physics/variables.h"

static const int PAIR[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};   /* of a symmetric tensor */
static const int SECOND[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}}; /* in a jet of 10 */

/* Component v / chi and its first derivatives: [out] q[4]; second ones along n of the first:
 * [out] dn_dq. */
static void over_chi(const double v[10], const double chi[10], const double n[3], double q[4],
                     double dn_dq[3]) {
  q[0] = v[0] / chi[0];
  for (int k = 0; k < 3; k++) q[1 + k] = (v[1 + k] - q[0] * chi[1 + k]) / chi[0];
  for (int k = 0; k < 3; k++) {
    dn_dq[k] = 0.0;
    for (int l = 0; l < 3; l++)
      dn_dq[k] += n[l] * (v[SECOND[k][l]] - q[0] * chi[SECOND[k][l]] - q[1 + k] * chi[1 + l] -
                          q[1 + l] * chi[1 + k]);
    dn_dq[k] /= chi[0];
  }
}

static double along(const double n[3], const double d[3]) {
  return n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
}

/* gamma_ij = gt_ij / chi, K_ij = At_ij / chi + gamma_ij K / 3. */
static void physical(const double u[TX_SURFACE_VARS][10], const double n[3], tx_adm_jet *out) {
  const double *chi = u[TX_VAR_CHI - TX_SURFACE_FIRST], *K = u[TX_VAR_K - TX_SURFACE_FIRST];
  const double(*gt_dd)[10] = &u[TX_VAR_GT00 - TX_SURFACE_FIRST];
  const double(*At_dd)[10] = &u[TX_VAR_AT00 - TX_SURFACE_FIRST];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) {
      double g[4], dn_dg[3], A[4], dn_dA[3];
      over_chi(gt_dd[PAIR[i][j]], chi, n, g, dn_dg);
      over_chi(At_dd[PAIR[i][j]], chi, n, A, dn_dA);
      out->gamma_dd[i][j] = out->gamma_dd[j][i] = g[0];
      for (int k = 0; k < 3; k++) {
        out->dgamma_ddd[k][i][j] = out->dgamma_ddd[k][j][i] = g[1 + k];
        out->dn_dgamma_ddd[k][i][j] = out->dn_dgamma_ddd[k][j][i] = dn_dg[k];
      }
      out->K_dd[i][j] = out->K_dd[j][i] = A[0] + g[0] * K[0] / 3.0;
      out->dn_K_dd[i][j] = out->dn_K_dd[j][i] =
          along(n, A + 1) + (along(n, g + 1) * K[0] + g[0] * along(n, K + 1)) / 3.0;
    }
}

typedef struct field_source {
  tx_horizon_finder *f;
  tx_exec *x;
  const tx_field *u;
} field_source;

static tx_status sample_field(void *context, size_t n, const double (*x)[3],
                              const double (*normal)[3], tx_adm_jet *jets, bool *mine) {
  const field_source *s = context;
  const tx_var_range vars = {TX_SURFACE_FIRST, TX_SURFACE_VARS};
  TX_TRY(tx_exec_sample(s->x, s->u,
                        &(tx_probe){.n = n,
                                    .points = x,
                                    .vars = vars,
                                    .n_derivs = 10,
                                    .jets = (double *)s->f->state,
                                    .mine = mine}));
#pragma omp parallel for schedule(dynamic, 16)
  for (size_t i = 0; i < n; i++)
    if (mine[i]) physical((const double(*)[10])s->f->state[i], normal[i], &jets[i]);
  return TX_OK;
}

/* Columns of the points of this rank, zeros for the others. Adding 0 turns -0 into the +0 that a
 * sum over several ranks gives. */
static void evaluate_mine(tx_horizon_finder *f) {
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < f->n_points; i++) {
    memset(f->column[i], 0, sizeof f->column[i]);
    if (!f->mine[i]) continue;
    tx_horizon_expansion(&f->metric[i], &f->jet[i], f->column[i]);
    f->column[i][TX_HORIZON_OWNERS] = 1.0;
    for (int c = 0; c < TX_HORIZON_COLUMNS; c++) f->column[i][c] += 0.0;
  }
}

tx_status tx_search_evaluate(tx_horizon_finder *f, const tx_metric_source *from) {
  TX_TRY(from->sample(from->context, (size_t)f->n_points, (const double(*)[3])f->x,
                      (const double(*)[3])f->normal, f->metric, f->mine));
  evaluate_mine(f);
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, f->column, f->n_points * TX_HORIZON_COLUMNS, MPI_DOUBLE,
                       MPI_SUM, from->comm));
  for (int i = 0; i < f->n_points; i++)
    TX_REQUIRE(f->column[i][TX_HORIZON_OWNERS] == 1.0, TX_ERR_MESH,
               "point (%g, %g, %g) of a horizon was sampled by %g ranks", f->x[i][0], f->x[i][1],
               f->x[i][2], f->column[i][TX_HORIZON_OWNERS]);
  return TX_OK;
}

/* The mesh must be that of the finder, or points would be taken for mirrored that are not. */
static tx_status same_domain(const tx_domain *a, const tx_domain *b) {
  bool same = a->extent == b->extent && tx_domain_row(a) == tx_domain_row(b);
  for (int d = 0; d < 3; d++) same = same && a->low[d] == b->low[d] && a->high[d] == b->high[d];
  TX_REQUIRE(same, TX_ERR_MESH,
             "the horizon finder was made for another domain (extent %g M) than the mesh (extent "
             "%g M)",
             a->extent, b->extent);
  return TX_OK;
}

tx_status tx_horizon_find_around(tx_horizon_finder *f, tx_exec *x, const tx_field *u,
                                 const tx_surface *guess, const tx_horizon_points *inside,
                                 tx_horizon *out) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  TX_TRY(same_domain(&f->domain, &mesh->domain));
  TX_REQUIRE(tx_field_vars(u) == TX_VARS, TX_ERR_MESH,
             "a horizon needs the %d evolved variables, not a field of %d", TX_VARS,
             tx_field_vars(u));
  field_source source = {.f = f, .x = x, .u = u};
  tx_metric_source from = {.comm = mesh->comm,
                           .spacing = tx_mesh_spacing(mesh, mesh->level_highest),
                           .sample = sample_field,
                           .context = &source};
  return tx_search(f, &from, guess, inside->n, inside->x, out);
}

tx_status tx_horizon_find(tx_horizon_finder *f, tx_exec *x, const tx_field *u,
                          const tx_surface *guess, tx_horizon *out) {
  return tx_horizon_find_around(f, x, u, guess, &(tx_horizon_points){0, NULL}, out);
}
