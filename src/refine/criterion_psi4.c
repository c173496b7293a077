/* Refinement where waves are: by r |Psi4|. */
#include <math.h>
#include "base/memory.h"
#include "refine/criterion.h"

/* Psi4 is taken at so many grid points along each side of an octant, none of them on the axis. */
#define SIDE   4
#define POINTS (SIDE * SIDE * SIDE)

/* An octant may be coarsened where r |Psi4| is below this part of the tolerance. */
#define CALM 0.5

typedef struct waves {
  double tol;
  double largest[]; /* r |Psi4| in each octant, 1/M */
} waves;

/* Points of an octant. x: [POINTS] */
static void put_points(const tx_mesh *mesh, tx_lidx b, double (*x)[3]) {
  const double step = tx_mesh_size(mesh, mesh->octant[b].level) / SIDE;
  double low[3];
  tx_mesh_origin(mesh, b, low);
  for (int i = 0; i < POINTS; i++) {
    const int at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
    for (int d = 0; d < 3; d++) x[i][d] = low[d] + step * (at[d] + 0.5);
  }
}

static double largest(const double (*x)[3], const double (*psi4)[TX_PSI4_COLUMNS]) {
  double most = 0.0;
  for (int i = 0; i < POINTS; i++) {
    const double r = sqrt(x[i][0] * x[i][0] + x[i][1] * x[i][1] + x[i][2] * x[i][2]);
    most = fmax(most, r * hypot(psi4[i][TX_PSI4_RE], psi4[i][TX_PSI4_IM]));
  }
  return most;
}

static bool active(const tx_policy *policy) {
  return policy->params->grid_psi4_tol > 0.0;
}

static tx_status prepare(const tx_policy *policy, const tx_grid_data *data, void **context) {
  const tx_mesh *mesh = data->mesh;
  const size_t octants = (size_t)mesh->n_local, points = octants * POINTS;
  double(*x)[3] = NULL, (*psi4)[TX_PSI4_COLUMNS] = NULL;
  waves *w = NULL;
  tx_status status = tx_alloc(1, sizeof *w + octants * sizeof *w->largest, "regrid", &w);
  *context = w;
  TX_KEEP(status, tx_alloc(points, sizeof *x, "regrid", &x));
  TX_KEEP(status, tx_alloc(points, sizeof *psi4, "regrid", &psi4));
  status = tx_agree(mesh->comm, status);
  if (status == TX_OK) {
    w->tol = policy->params->grid_psi4_tol;
    for (tx_lidx b = 0; b < mesh->n_local; b++) put_points(mesh, b, x + (size_t)b * POINTS);
    status = tx_exec_psi4(data->exec, data->u, points, (const double(*)[3])x, psi4);
    for (size_t b = 0; b < octants; b++)
      w->largest[b] = largest((const double(*)[3])x + b * POINTS,
                              (const double(*)[TX_PSI4_COLUMNS])psi4 + b * POINTS);
  }
  tx_free(x);
  tx_free(psi4);
  return status;
}

static int flag(const void *context, const tx_flag_octant *octant) {
  const waves *w = context;
  const double found = w->largest[octant->b];
  return found > w->tol ? TX_REFINE : found < CALM * w->tol ? TX_MAY_COARSEN : TX_KEEP;
}

const tx_criterion tx_criterion_psi4 = {
    .name = "psi4", .needs_data = true, .active = active, .prepare = prepare, .flag = flag};
