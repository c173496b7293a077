/* The metric at points of a surface, and the sum over ranks. */
#include <string.h>
#include "horizons/internal.h"

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

tx_status tx_search_intrinsic(tx_horizon_finder *f, const tx_metric_source *from) {
#pragma omp parallel for schedule(dynamic, 16)
  for (int i = 0; i < f->n_points; i++) {
    memset(f->intrinsic[i], 0, sizeof f->intrinsic[i]);
    if (!f->mine[i]) continue;
    tx_horizon_intrinsic(&f->metric[i], &f->jet[i], f->intrinsic[i]);
    for (int c = 0; c < TX_INTRINSIC_COLUMNS; c++) f->intrinsic[i][c] += 0.0; /* as above */
  }
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, f->intrinsic, f->n_points * TX_INTRINSIC_COLUMNS, MPI_DOUBLE,
                       MPI_SUM, from->comm));
  return TX_OK;
}
