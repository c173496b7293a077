/* Analysis quantities of a state, and norms of any field by volume. */
#include "exec/common.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exec/exact_sum.h"
#include "exec/norm_point.h"

static tx_status check_some(const tx_system *system) {
  TX_REQUIRE(system->n_analyses > 0, TX_ERR_USAGE, "the system %s has no analysis quantities",
             system->name);
  return TX_OK;
}

tx_status tx_field_create_analysis(tx_exec *x, const tx_system *system, tx_field **out) {
  tx_field_var vars[TX_SYSTEM_VARS];
  *out = NULL;
  TX_TRY(check_some(system));
  for (int a = 0; a < system->n_analyses; a++) {
    vars[a] = (tx_field_var){.positive = false};
    memcpy(vars[a].parity, system->quantity[a].parity, sizeof vars[a].parity);
  }
  return tx_field_create(x, system->n_analyses, vars, out);
}

tx_status tx_exec_analysis(tx_exec *x, const tx_system_params *physics, const tx_field *u,
                           tx_field *out) {
  TX_TRY(tx_field_check_ghosts(x, u, "analysis"));
  TX_TRY(tx_field_check_polynomial(u, "analysis"));
  TX_TRY(tx_field_check_state(u, "analysis"));
  TX_TRY(tx_field_check_mesh(x, out, "analysis"));
  TX_TRY(check_some(u->system));
  TX_REQUIRE(out->n_vars == u->system->n_analyses && out != u, TX_ERR_USAGE,
             "the %d analysis quantities of the system %s do not fit a field of %d variables",
             u->system->n_analyses, u->system->name, out->n_vars);
  tx_field_touch(out);
  tx_status status;
  TX_WORK(CONSTRAINTS, false, status, x->backend->analysis(x, x->all, physics, u, out));
  return status;
}

/* Numbers that ranks add up: sums of squares, then the volume; then largest magnitudes, and whether something was not finite. */
typedef struct totals {
  tx_exact_sum sum[TX_SYSTEM_VARS + 1];
  double max[2 * TX_SYSTEM_VARS];
} totals;

/* Add one variable of an octant, point after point. */
static void add_variable(const tx_norm_weights *w, const tx_norms_of *of, const double *values,
                         totals *t, int v) {
  double squares = 0.0, most = 0.0;
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) {
        const double weight = tx_norm_weight(w, of, i, j, k), value = values[TX_AT(i, j, k)];
        if (weight == 0.0) continue;
        squares += weight * value * value;
        most = tx_larger(most, fabs(value));
      }
  if (isfinite(squares)) {
    tx_exact_sum_add(&t->sum[v], squares);
    t->max[v] = fmax(t->max[v], most);
  } else {
    t->max[TX_SYSTEM_VARS + v] = 1.0;
  }
}

static double volume_of(const tx_norm_weights *w, const tx_norms_of *of) {
  double volume = 0.0;
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) volume += tx_norm_weight(w, of, i, j, k);
  return volume;
}

static tx_status add_octants(tx_exec *x, const tx_field *f, const tx_norms_of *of, totals *t) {
  const tx_mesh *mesh = x->mesh;
  const double *values = NULL;
  TX_TRY(tx_field_check_mesh(x, f, "norms"));
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const tx_lidx at = b % TX_VIEW_OCTANTS, left = mesh->n_local - b;
    tx_norm_weights w;
    if (at == 0)
      TX_TRY(tx_field_views(f, b, left < TX_VIEW_OCTANTS ? left : TX_VIEW_OCTANTS, &values));
    tx_norm_weights_of(mesh, b, &w);
    tx_exact_sum_add(&t->sum[TX_SYSTEM_VARS], volume_of(&w, of));
    for (int v = 0; v < f->n_vars; v++)
      add_variable(&w, of, values + ((size_t)at * (size_t)f->n_vars + (size_t)v) * TX_N3, t, v);
  }
  return TX_OK;
}

static tx_status totals_reduce(MPI_Comm comm, totals *t) {
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, t->sum, (TX_SYSTEM_VARS + 1) * TX_EXACT_LIMBS, MPI_INT64_T,
                       MPI_SUM, comm));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, t->max, 2 * TX_SYSTEM_VARS, MPI_DOUBLE, MPI_MAX, comm));
  return TX_OK;
}

tx_status tx_exec_volume_norms(tx_exec *x, const tx_field *f, const tx_norms_of *of, double *l2,
                               double *max) {
  totals *t = NULL;
  tx_phase_begin(TX_PHASE_NORMS);
  tx_status status = tx_agree(x->mesh->comm, tx_alloc(1, sizeof *t, "norms", &t));
  if (status == TX_OK) {
    status = add_octants(x, f, of, t);
    TX_KEEP(status, totals_reduce(x->mesh->comm, t));
    const double volume = tx_exact_sum_value(&t->sum[TX_SYSTEM_VARS]);
    for (int v = 0; v < f->n_vars; v++) {
      const bool bad = t->max[TX_SYSTEM_VARS + v] > 0.0;
      const double squares = tx_exact_sum_value(&t->sum[v]);
      l2[v] = bad ? NAN : volume > 0.0 ? sqrt(squares / volume) : 0.0;
      max[v] = bad ? NAN : t->max[v];
    }
    status = tx_agree(x->mesh->comm, status);
  }
  tx_free(t);
  tx_phase_end(TX_PHASE_NORMS);
  return status;
}
