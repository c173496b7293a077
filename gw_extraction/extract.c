#include "gw_extraction/gw_internal.h"

#include <math.h>
#include <string.h>

#include "physics/bssn.h"

/* Area of a coordinate sphere over solid angle at x, dA = r^2 sqrt(gamma gamma^ij n_i n_j) dOmega
 * with n_i = x^i/r; gamma gamma^ij are the cofactors of gamma_ij = gt_ij/chi. */
static double area_element(const double jets[TX_VARS][10], const double x[3]) {
  double xx = jets[TX_VAR_GT00][0], xy = jets[TX_VAR_GT01][0], xz = jets[TX_VAR_GT02][0];
  double yy = jets[TX_VAR_GT11][0], yz = jets[TX_VAR_GT12][0], zz = jets[TX_VAR_GT22][0];
  double diagonal = (yy * zz - yz * yz) * x[0] * x[0] + (xx * zz - xz * xz) * x[1] * x[1] +
                    (xx * yy - xy * xy) * x[2] * x[2];
  double rest = (xz * yz - xy * zz) * x[0] * x[1] + (xy * yz - xz * yy) * x[0] * x[2] +
                (xy * xz - yz * xx) * x[1] * x[2];
  double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  return r * sqrt(diagonal + 2.0 * rest) / jets[TX_VAR_CHI][0];
}

/* Psi4 and area element of n sampled points, where this rank holds them. Adding 0 turns -0 into the +0
 * that a sum over several ranks gives. */
static void evaluate(const tx_gw *gw, size_t n, const double (*x)[3],
                     double (*sum)[TX_GW_COLUMNS]) {
  memset(sum, 0, n * sizeof *sum);
#pragma omp parallel for schedule(dynamic, 16)
  for (size_t i = 0; i < n; i++) {
    if (!gw->mine[i]) continue;
    const double(*jets)[10] = (const double(*)[10])gw->jets[i];
    tx_psi4_point(jets, x[i], sum[i] + TX_GW_PSI4_RE);
    sum[i][TX_GW_AREA] = area_element(jets, x[i]);
    sum[i][TX_GW_OWNERS] = 1.0;
    for (int c = 0; c < TX_GW_COLUMNS; c++) sum[i][c] += 0.0;
  }
}

/* Sample and evaluate all spheres, a batch at a time. */
static tx_status sample(tx_gw *gw, tx_exec *x, const tx_field *u) {
  size_t n_used = (size_t)gw->info.n_used;
  for (int r = 0; r < gw->info.n_radii; r += gw->batch) {
    int spheres = gw->info.n_radii - r < gw->batch ? gw->info.n_radii - r : gw->batch;
    size_t first = (size_t)r * n_used, n = (size_t)spheres * n_used;
    const double(*points)[3] = (const double(*)[3])gw->x + first;
    TX_TRY(tx_exec_sample(x, u, n, points, 10, (double *)gw->jets, gw->mine));
    evaluate(gw, n, points, gw->sum + first);
  }
  return TX_OK;
}

/* Psi4 at all points of all spheres, and the areal radii, from the points that were sampled. */
static void unfold(tx_gw *gw, double *areal_radius) {
  const tx_lebedev *rule = &gw->rule;
  for (int r = 0; r < gw->info.n_radii; r++) {
    const double(*sum)[TX_GW_COLUMNS] =
        (const double(*)[TX_GW_COLUMNS])gw->sum + (size_t)r * (size_t)gw->info.n_used;
    double(*value)[2] = gw->value + (size_t)r * (size_t)rule->n;
    double area = 0.0;
    for (int p = 0; p < rule->n; p++) {
      const double *s = sum[gw->image[p]];
      value[p][0] = s[TX_GW_PSI4_RE];
      value[p][1] = gw->sign[p] * s[TX_GW_PSI4_IM];
      area += rule->w[p] * s[TX_GW_AREA];
    }
    areal_radius[r] = sqrt(area / (4.0 * M_PI));
  }
}

tx_status tx_gw_extract(tx_gw *gw, tx_exec *x, const tx_field *u, double (*psi4)[2],
                        double *areal_radius) {
  size_t n = (size_t)gw->info.n_radii * (size_t)gw->info.n_used;
  TX_TRY(sample(gw, x, u));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, gw->sum, (int)(n * TX_GW_COLUMNS), MPI_DOUBLE, MPI_SUM,
                       tx_exec_mesh(x)->comm));
  for (size_t i = 0; i < n; i++)
    TX_REQUIRE(gw->sum[i][TX_GW_OWNERS] == 1.0, TX_ERR_MESH,
               "point (%g, %g, %g) of an extraction sphere was sampled by %g ranks", gw->x[i][0],
               gw->x[i][1], gw->x[i][2], gw->sum[i][TX_GW_OWNERS]);
  unfold(gw, areal_radius);
  tx_gw_project(gw, gw->info.n_radii, (const double(*)[2])gw->value, psi4);
  return TX_OK;
}
