/* Algebra of fields: checks, and the numbers that ranks bring together. */
#include "exec/algebra.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exec/common.h"
#include "exec/exact_sum.h"
#include "exec/norm_point.h"

/* Exact sums of one variable. */
enum { SQUARES, INTEGRAL, SUM, SUMS };

/* Numbers that ranks reduce. numbers: for each of n sums how many octants had something that is not finite, then the
 * n exact sums, then that of the volume; all are added up at once. max: infinite where something was not finite. */
#define MOST_SUMS (TX_FIELD_VARS * SUMS)
typedef struct totals {
  int n;
  int64_t numbers[MOST_SUMS * (TX_EXACT_LIMBS + 1) + TX_EXACT_LIMBS];
  double max[TX_FIELD_VARS];
} totals;

/* Check a field of either precision. */
static tx_status check_any(const tx_exec *x, const tx_set *set, const tx_field *f,
                           const char *what) {
  TX_TRY(tx_set_check(x, set, what));
  return tx_field_check_any(x, f, what);
}

static tx_status check(const tx_exec *x, const tx_set *set, const tx_field *f, const char *what) {
  TX_TRY(tx_set_check(x, set, what));
  return tx_field_check_mesh(x, f, what);
}

/* A second field of the same mesh and shape. */
static tx_status check_alike(const tx_exec *x, const tx_field *f, const tx_field *g,
                             const char *what) {
  TX_TRY(tx_field_check_any(x, g, what));
  TX_TRY(tx_field_check_precision(f, g, what));
  TX_REQUIRE(f->n_vars == g->n_vars, TX_ERR_USAGE,
             "%s: a field has %d variables, another one %d; they must be equally many", what,
             f->n_vars, g->n_vars);
  return TX_OK;
}

tx_status tx_exec_fill(tx_exec *x, const tx_set *set, double value, tx_field *out) {
  TX_TRY(check_any(x, set, out, "fill"));
  tx_field_touch(out);
  tx_status status;
  TX_WORK(ALGEBRA, false, status, x->backend->fill(x, set, value, out));
  return status;
}

static tx_status combine(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out,
                         const char *what) {
  TX_TRY(check_any(x, set, out, what));
  TX_REQUIRE(c->n >= 1 && c->n <= TX_COMBINATION_FIELDS, TX_ERR_USAGE,
             "%s: %d fields, but 1 to %d can be combined", what, c->n, TX_COMBINATION_FIELDS);
  for (int i = 0; i < c->n; i++) TX_TRY(check_alike(x, out, c->f[i], what));
  tx_field_touch(out);
  tx_status status;
  TX_WORK(ALGEBRA, false, status, x->backend->combine(x, set, c, out));
  return status;
}

tx_status tx_exec_copy(tx_exec *x, const tx_set *set, const tx_field *f, tx_field *out) {
  return combine(x, set, &(tx_combination){1, {f}, {1.0}}, out, "copy");
}

tx_status tx_exec_combine(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out) {
  return combine(x, set, c, out, "linear combination");
}

/* Fields of a function have the same multiple of the variables that it takes or gives. */
static tx_status check_shapes(const tx_exec *x, const tx_pointwise_call *call,
                              const tx_field *out) {
  TX_REQUIRE((unsigned)call->function < TX_POINTWISES, TX_ERR_USAGE,
             "function number %d of %d functions at a point", (int)call->function,
             (int)TX_POINTWISES);
  const tx_pointwise_info *info = &tx_pointwises[call->function];
  const int times = out->n_vars / info->gives;
  TX_REQUIRE(times * info->gives == out->n_vars, TX_ERR_USAGE,
             "%s gives %d variables at once, the output has %d", info->name, info->gives,
             out->n_vars);
  for (int i = 0; i < TX_POINTWISE_FIELDS; i++) {
    const tx_field *f = call->in[i];
    TX_REQUIRE(!f == (info->takes[i] == 0), TX_ERR_USAGE, "%s: input field %d is %s", info->name, i,
               f ? "one too many" : "missing");
    if (!f) continue;
    TX_TRY(tx_field_check_any(x, f, info->name));
    TX_TRY(tx_field_check_precision(f, out, info->name));
    TX_REQUIRE(f->n_vars == times * info->takes[i], TX_ERR_USAGE,
               "%s: input field %d has %d variables, %d fit the %d of the output", info->name, i,
               f->n_vars, times * info->takes[i], out->n_vars);
  }
  return TX_OK;
}

tx_status tx_exec_pointwise(tx_exec *x, const tx_set *set, const tx_pointwise_call *call,
                            tx_field *out) {
  TX_TRY(check_any(x, set, out, "function at a point"));
  TX_TRY(check_shapes(x, call, out));
  tx_field_touch(out);
  tx_status status;
  TX_WORK(ALGEBRA, false, status, x->backend->pointwise(x, set, call, out));
  return status;
}

static tx_exact_sum *sum_of(totals *t, int i) {
  return (tx_exact_sum *)(t->numbers + t->n) + i;
}

/* For n sums and the volume, which comes last. */
static void totals_clear(totals *t, int n) {
  t->n = n;
  memset(t->numbers, 0, ((size_t)n + (size_t)(n + 1) * TX_EXACT_LIMBS) * sizeof *t->numbers);
  memset(t->max, 0, sizeof t->max);
}

static void totals_add(totals *t, int i, double term) {
  if (isfinite(term))
    tx_exact_sum_add(sum_of(t, i), term);
  else
    t->numbers[i] = 1;
}

static tx_status totals_reduce(MPI_Comm comm, totals *t) {
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, t->numbers, t->n + (t->n + 1) * TX_EXACT_LIMBS, MPI_INT64_T,
                       MPI_SUM, comm));
  return TX_OK;
}

static double totals_value(totals *t, int i) {
  return i < t->n && t->numbers[i] > 0 ? NAN : tx_exact_sum_value(sum_of(t, i));
}

/* Room for the parts of n octants and variables. */
static tx_status parts_room(tx_exec *x, size_t n) {
  if (n <= x->max_parts) return TX_OK;
  TX_TRY(tx_realloc(n, sizeof *x->parts, "norms", &x->parts));
  x->bytes += (n - x->max_parts) * sizeof *x->parts;
  x->max_parts = n;
  return TX_OK;
}

/* Volume of a point of octant b. */
static double point_volume(const tx_mesh *mesh, tx_lidx b) {
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  return h * h * h;
}

/* Points of octant b, each as often as it has mirror images. */
static double octant_points(const tx_mesh *mesh, tx_lidx b) {
  double points = 1.0;
  for (int d = 0; d < 3; d++) {
    const bool reflected = mesh->domain.low[d] == TX_FACE_REFLECT;
    double row = 0.0;
    for (int i = 0; i < TX_N; i++)
      row += tx_norm_images(reflected, mesh->octant[b].x[d] == 0, 0, d, i);
    points *= row;
  }
  return points;
}

static tx_status dot_local(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                           totals *t) {
  TX_TRY(check(x, set, f, "dot product"));
  TX_TRY(check_alike(x, f, g, "dot product"));
  TX_TRY(parts_room(x, (size_t)set->n * (size_t)f->n_vars));
  double *parts = (double *)x->parts;
  tx_status status;
  TX_WORK(ALGEBRA, false, status, x->backend->dot(x, set, f, g, parts));
  TX_TRY(status);
  for (tx_lidx i = 0; i < set->n; i++) {
    const double volume = point_volume(x->mesh, set->octant[i]);
    for (int v = 0; v < f->n_vars; v++) totals_add(t, v, volume * *parts++);
  }
  return TX_OK;
}

tx_status tx_exec_dot(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                      double *out) {
  totals t;
  tx_phase_begin(TX_PHASE_NORMS);
  totals_clear(&t, f->n_vars);
  tx_status status = dot_local(x, set, f, g, &t);
  TX_KEEP(status, totals_reduce(x->mesh->comm, &t));
  for (int v = 0; v < f->n_vars; v++) out[v] = totals_value(&t, v);
  status = tx_agree(x->mesh->comm, status);
  tx_phase_end(TX_PHASE_NORMS);
  return status;
}

static tx_status norms_local(tx_exec *x, const tx_set *set, const tx_field *f, totals *t) {
  TX_TRY(check(x, set, f, "norms"));
  TX_TRY(parts_room(x, (size_t)set->n * (size_t)f->n_vars));
  tx_status status;
  TX_WORK(ALGEBRA, false, status, x->backend->norms(x, set, f, x->parts));
  TX_TRY(status);
  const tx_field_part *part = x->parts;
  for (tx_lidx i = 0; i < set->n; i++) {
    const double volume = point_volume(x->mesh, set->octant[i]);
    for (int v = 0; v < f->n_vars; v++, part++) {
      totals_add(t, v * SUMS + SQUARES, volume * part->squares);
      totals_add(t, v * SUMS + INTEGRAL, volume * part->integral);
      totals_add(t, v * SUMS + SUM, part->sum);
      t->max[v] = isfinite(part->max) ? fmax(t->max[v], part->max) : INFINITY;
    }
    tx_exact_sum_add(sum_of(t, t->n), volume * octant_points(x->mesh, set->octant[i]));
  }
  return TX_OK;
}

static tx_status norms_reduce(MPI_Comm comm, int n_vars, totals *t) {
  TX_TRY(totals_reduce(comm, t));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, t->max, n_vars, MPI_DOUBLE, MPI_MAX, comm));
  return TX_OK;
}

tx_status tx_exec_norms(tx_exec *x, const tx_set *set, const tx_field *f, tx_field_norm *out,
                        double *volume) {
  totals t;
  tx_phase_begin(TX_PHASE_NORMS);
  totals_clear(&t, SUMS * f->n_vars);
  tx_status status = norms_local(x, set, f, &t);
  TX_KEEP(status, norms_reduce(x->mesh->comm, f->n_vars, &t));
  const double all = totals_value(&t, t.n);
  for (int v = 0; v < f->n_vars; v++) {
    const double squares = totals_value(&t, v * SUMS + SQUARES);
    out[v].l2 = all > 0.0 ? sqrt(squares / all) : 0.0;
    out[v].max = isfinite(t.max[v]) ? t.max[v] : NAN;
    out[v].integral = totals_value(&t, v * SUMS + INTEGRAL);
    out[v].sum = totals_value(&t, v * SUMS + SUM);
  }
  if (volume) *volume = all;
  status = tx_agree(x->mesh->comm, status);
  tx_phase_end(TX_PHASE_NORMS);
  return status;
}
