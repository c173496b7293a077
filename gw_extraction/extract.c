#include "gw_extraction/gw_internal.h"

#include <math.h>

/* Psi4 at all points of all spheres, their areas, mean expansions, turning and lapse, from the points that were sampled. */
static void unfold(tx_gw *gw, tx_gw_sphere *spheres) {
  const tx_lebedev *rule = &gw->rule;
  for (int r = 0; r < gw->info.n_radii; r++) {
    const double(*sum)[TX_PSI4_COLUMNS] =
        (const double(*)[TX_PSI4_COLUMNS])gw->sum + (size_t)r * (size_t)gw->info.n_used;
    double(*value)[2] = gw->value + (size_t)r * (size_t)rule->n;
    double area = 0.0, along_n = 0.0, along_s = 0.0, lapse = 0.0, turn[3] = {0.0, 0.0, 0.0};
    for (int p = 0; p < rule->n; p++) {
      const double *s = sum[gw->image[p]];
      value[p][0] = s[TX_PSI4_RE];
      value[p][1] = gw->sign[p] * s[TX_PSI4_IM];
      const double part = rule->w[p] * s[TX_PSI4_AREA];
      area += part;
      along_n += part * s[TX_PSI4_EXPANSION_N];
      along_s += part * s[TX_PSI4_EXPANSION_S];
      lapse += part * s[TX_PSI4_LAPSE];
      for (int i = 0; i < 3; i++) turn[i] += rule->w[p] * s[TX_PSI4_TURN_X + i];
    }
    spheres[r] = (tx_gw_sphere){.areal_radius = sqrt(area / (4.0 * M_PI)),
                                .expansion_n = along_n / area,
                                .expansion_s = along_s / area,
                                .lapse = lapse / area};
    /* An axial vector keeps its component along a reflected dimension, and has none across it. */
    for (int i = 0; i < 3; i++)
      if ((gw->reflect & ~(1 << i)) == 0) spheres[r].turn[i] = turn[i] / (4.0 * M_PI);
  }
}

tx_status tx_gw_extract(tx_gw *gw, tx_exec *x, const tx_field *u, double (*psi4)[2],
                        tx_gw_sphere *spheres) {
  size_t n = (size_t)gw->info.n_radii * (size_t)gw->info.n_used;
  TX_TRY(tx_exec_psi4(x, u, n, (const double(*)[3])gw->x, gw->sum));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, gw->sum, (int)(n * TX_PSI4_COLUMNS), MPI_DOUBLE, MPI_SUM,
                       tx_exec_mesh(x)->comm));
  for (size_t i = 0; i < n; i++)
    TX_REQUIRE(gw->sum[i][TX_PSI4_OWNERS] == 1.0, TX_ERR_MESH,
               "point (%g, %g, %g) of an extraction sphere was sampled by %g ranks", gw->x[i][0],
               gw->x[i][1], gw->x[i][2], gw->sum[i][TX_PSI4_OWNERS]);
  unfold(gw, spheres);
  tx_gw_project(gw, gw->info.n_radii, (const double(*)[2])gw->value, psi4);
  return TX_OK;
}
