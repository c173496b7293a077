/* Refinement by the wavelet error of the state. */
#include <math.h>
#include "base/memory.h"
#include "refine/criterion.h"

typedef struct wavelets {
  const tx_params *params;
  double error[]; /* of each octant */
} wavelets;

double tx_wavelet_tolerance(const tx_params *p, double r) {
  if (!(p->grid_wavelet_tol_far > p->grid_wavelet_tol) || !(p->grid_wavelet_radius > 0.0))
    return p->grid_wavelet_tol;
  const double share = fmin(1.0, r / p->grid_wavelet_radius);
  return fmax(p->grid_wavelet_tol, share * p->grid_wavelet_tol_far);
}

int tx_wavelet_flag(const tx_params *p, double r, double error) {
  const double tolerance = tx_wavelet_tolerance(p, r);
  /* One level coarser the error of a smooth field is 2^6 times as large: it must be small there
   * too. */
  const double coarser = error * (1 << TX_INTERP_POINTS);
  if (error > tolerance) return TX_REFINE;
  return error < p->grid_coarsen_below * tolerance && coarser < tolerance ? TX_MAY_COARSEN
                                                                          : TX_KEEP;
}

/* Variables whose wavelet error is looked at, as bits. */
static uint32_t watched(const tx_system *system) {
  uint32_t mask = 0;
  for (int v = 0; v < system->n_vars; v++) mask |= (uint32_t)system->variable[v].watched << v;
  return mask;
}

static bool active(const tx_policy *policy) {
  return policy->params->grid_wavelet_tol > 0.0;
}

static tx_status prepare(const tx_policy *policy, const tx_grid_data *data, void **context) {
  const size_t octants = (size_t)data->mesh->n_local;
  wavelets *w = NULL;
  TX_TRY(tx_alloc(1, sizeof *w + octants * sizeof *w->error, "regrid", &w));
  *context = w;
  w->params = policy->params;
  return tx_exec_wavelet(data->exec, tx_exec_all(data->exec), data->u,
                         watched(tx_field_system(data->u)), w->error);
}

static int flag(const void *context, const tx_flag_octant *octant) {
  const wavelets *w = context;
  double r2 = 0.0;
  for (int d = 0; d < 3; d++) {
    const double x = octant->low[d] + 0.5 * octant->size;
    r2 += x * x;
  }
  return tx_wavelet_flag(w->params, sqrt(r2), w->error[octant->b]);
}

const tx_criterion tx_criterion_wavelets = {
    .name = "wavelets", .needs_data = true, .active = active, .prepare = prepare, .flag = flag};
