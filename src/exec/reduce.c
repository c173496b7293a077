/* Reductions over all ranks. */
#include "exec/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/exact_sum.h"

tx_status tx_exec_algebraic(tx_exec *x, double out[2]) {
  double part[3] = {0.0, 0.0, 0.0}, most[3]; /* the third: whether anything was NaN */
  tx_status status = x->backend->algebraic(x, part);
  for (int i = 0; i < 2; i++)
    if (isnan(part[i])) {
      part[i] = 0.0;
      part[2] = 1.0;
    }
  TX_MPI(MPI_Allreduce(part, most, 3, MPI_DOUBLE, MPI_MAX, x->mesh->comm));
  for (int i = 0; i < 2; i++) out[i] = most[2] > 0.0 ? NAN : most[i];
  return tx_agree(x->mesh->comm, status);
}

/* This rank's part of tx_exec_check. */
static tx_status check_local(tx_exec *x, const tx_set *set, const tx_field *u, double time) {
  tx_lidx b;
  int v, point;
  TX_TRY(tx_set_check(x, set, "check"));
  TX_TRY(tx_field_check_mesh(x, u, "check"));
  tx_status status;
  TX_WORK(CHECKS, false, status, x->backend->check(x, set, u, &b, &v, &point));
  TX_TRY(status);
  if (b < 0) return TX_OK;
  const tx_octant *o = &x->mesh->octant[b];
  double x0[3], h = tx_mesh_spacing(x->mesh, o->level);
  const double *values;
  tx_mesh_origin(x->mesh, b, x0);
  TX_TRY(tx_field_view(u, b, &values));
  double value = values[v * TX_N3 + point];
  char name[32];
  snprintf(name, sizeof name, "variable %d", v);
  if (u->system) snprintf(name, sizeof name, "%s", u->system->variable[v].name);
  TX_FAIL(TX_ERR_NUMERICS,
          "%s = %g, %s, at x, y, z = %.10g, %.10g, %.10g on level %d at t = %.10g; the run is "
          "unstable: look at the fields around this point; try higher resolution there, a smaller "
          "evolution.cfl or more evolution.dissipation",
          name, value, isfinite(value) ? "which must be positive" : "not a finite number",
          x0[0] + point % TX_N * h, x0[1] + point / TX_N % TX_N * h,
          x0[2] + point / (TX_N * TX_N) * h, o->level, time);
}

tx_status tx_exec_check(tx_exec *x, const tx_set *set, const tx_field *u, double time) {
  tx_phase_begin(TX_PHASE_NORMS);
  tx_status status = tx_agree(x->mesh->comm, check_local(x, set, u, time));
  tx_phase_end(TX_PHASE_NORMS);
  return status;
}

/* Numbers that ranks add up: sums of squares, then the volume. */
typedef struct totals {
  tx_exact_sum sum[TX_CONSTRAINTS + 1];
  double max[TX_CONSTRAINTS];
  double bad[TX_CONSTRAINTS]; /* 1: something was not finite */
} totals;

static void totals_add(totals *t, const tx_norm_part *part) {
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    if (isfinite(part->squares[c])) {
      tx_exact_sum_add(&t->sum[c], part->squares[c]);
      t->max[c] = fmax(t->max[c], part->max[c]);
    } else {
      t->bad[c] = 1.0;
    }
  }
  tx_exact_sum_add(&t->sum[TX_CONSTRAINTS], part->weight);
}

static tx_status constraints_local(tx_exec *x, const tx_set *set, const tx_field *u,
                                   const tx_norms_of *of, totals *t) {
  tx_norm_part *parts;
  TX_TRY(tx_set_check(x, set, "constraints"));
  TX_TRY(tx_field_check_ghosts(x, u, "constraints"));
  TX_TRY(tx_field_check_polynomial(u, "constraints"));
  TX_TRY(tx_field_check_state(u, "constraints"));
  TX_REQUIRE(u->system->constraints, TX_ERR_USAGE, "the system %s has no constraints",
             u->system->name);
  TX_TRY(tx_alloc((size_t)set->n, sizeof *parts, "norms", &parts));
  tx_status status;
  TX_WORK(CONSTRAINTS, false, status, x->backend->constraints(x, set, u, of, parts));
  for (tx_lidx i = 0; i < set->n && status == TX_OK; i++) totals_add(t, &parts[i]);
  tx_free(parts);
  return status;
}

static tx_status totals_reduce(MPI_Comm comm, totals *t) {
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, t->sum, (TX_CONSTRAINTS + 1) * TX_EXACT_LIMBS, MPI_INT64_T,
                       MPI_SUM, comm));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, t->max, 2 * TX_CONSTRAINTS, MPI_DOUBLE, MPI_MAX, comm));
  return TX_OK;
}
_Static_assert(offsetof(totals, bad) == offsetof(totals, max) + sizeof(double[TX_CONSTRAINTS]),
               "max and bad are reduced together");

tx_status tx_exec_constraints(tx_exec *x, const tx_set *set, const tx_field *u,
                              const tx_norms_of *of, tx_norms *out) {
  tx_phase_begin(TX_PHASE_NORMS);
  totals t = {.max = {0.0}};
  tx_status status = constraints_local(x, set, u, of, &t);
  TX_KEEP(status, totals_reduce(x->mesh->comm, &t));
  double volume = tx_exact_sum_value(&t.sum[TX_CONSTRAINTS]);
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    double squares = tx_exact_sum_value(&t.sum[c]);
    out->l2[c] = t.bad[c] > 0.0 ? NAN : volume > 0.0 ? sqrt(squares / volume) : 0.0;
    out->max[c] = t.bad[c] > 0.0 ? NAN : t.max[c];
  }
  status = tx_agree(x->mesh->comm, status);
  tx_phase_end(TX_PHASE_NORMS);
  return status;
}

tx_status tx_exec_wavelet(tx_exec *x, const tx_set *set, const tx_field *u, uint32_t mask,
                          double *error) {
  TX_TRY(tx_set_check(x, set, "wavelet error"));
  TX_TRY(tx_field_check_ghosts(x, u, "wavelet error"));
  tx_status status;
  TX_WORK(WAVELETS, false, status, x->backend->wavelet(x, set, u, mask, error));
  return status;
}

/* Fold a point into the domain. */
static tx_status point_fold(const tx_domain *domain, const double x[3], tx_sample_point *p) {
  p->mirror = 0;
  for (int d = 0; d < 3; d++) {
    double low = domain->low[d] == TX_FACE_REFLECT ? 0.0 : -domain->extent, high = domain->extent;
    double y = x[d];
    if (domain->low[d] == TX_FACE_REFLECT && y < 0.0) {
      y = -y;
      p->mirror |= (uint8_t)(1u << d);
    }
    if (domain->low[d] == TX_FACE_PERIODIC) {
      y -= floor((y - low) / (high - low)) * (high - low);
      if (y >= high) y = low; /* a hair below `low`, rounded */
    }
    TX_REQUIRE(y >= low && y < high, TX_ERR_MESH,
               "point (%.10g, %.10g, %.10g) lies outside the domain, which ends at %g in dimension "
               "%c; give smaller radii or a larger grid.extent",
               x[0], x[1], x[2], y < low ? low : high, "xyz"[d]);
    p->x[d] = y;
  }
  return TX_OK;
}

static int by_octant(const void *a, const void *b) {
  const tx_sample_point *p = a, *q = b;
  if (p->octant != q->octant) return p->octant < q->octant ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

/* The points of this rank, by octant, into x->points; how many into *n_mine. */
static tx_status points_sort(tx_exec *x, size_t n, const double (*points)[3], size_t *n_mine) {
  if (n > x->max_points) {
    TX_TRY(tx_realloc(n, sizeof *x->points, "sampled points", &x->points));
    x->bytes += (n - x->max_points) * sizeof *x->points;
    x->max_points = n;
  }
  *n_mine = 0;
  for (size_t i = 0; i < n; i++) {
    tx_sample_point p = {.index = i};
    TX_TRY(point_fold(&x->mesh->domain, points[i], &p));
    p.octant = tx_mesh_locate(x->mesh, p.x);
    if (p.octant >= 0) x->points[(*n_mine)++] = p;
  }
  qsort(x->points, *n_mine, sizeof *x->points, by_octant);
  return TX_OK;
}

/* The points among `points` that are this rank's. */
static tx_status sample_begin(tx_exec *x, const tx_field *f, size_t n, const double (*points)[3],
                              tx_sample *s) {
  TX_REQUIRE(!x->asking, TX_ERR_USAGE, "a sample of this plan is still under way");
  TX_TRY(tx_field_check_ghosts(x, f, "sample"));
  TX_TRY(points_sort(x, n, points, &s->n_mine));
  s->mine = x->points;
  return TX_OK;
}

static tx_status sample_local(tx_exec *x, const tx_field *f, const tx_probe *probe, tx_sample *s) {
  TX_REQUIRE(s->n_derivs == 1 || s->n_derivs == 4 || s->n_derivs == 10, TX_ERR_USAGE,
             "a jet of %d numbers: 1, 4 or 10 are possible", s->n_derivs);
  TX_REQUIRE(s->vars.first >= 0 && s->vars.n >= 1 && s->vars.n <= f->n_vars - s->vars.first,
             TX_ERR_USAGE, "a sample of %d variables from number %d on, but the field has %d",
             s->vars.n, s->vars.first, f->n_vars);
  TX_TRY(sample_begin(x, f, probe->n, probe->points, s));
  for (size_t i = 0; i < s->n_mine && probe->mine; i++) probe->mine[s->mine[i].index] = true;
  tx_status status;
  TX_WORK(SAMPLES, true, status, x->backend->sample(x, f, s));
  return status;
}

/* All ranks end alike. */
static tx_status sample_agree(const tx_exec *x, tx_status status) {
  tx_phase_begin(TX_PHASE_WAIT);
  status = tx_agree(x->mesh->comm, status);
  tx_phase_end(TX_PHASE_WAIT);
  return status;
}

void tx_exec_sample_begin(tx_exec *x, const tx_field *f, const tx_probe *probe) {
  tx_sample s = {.vars = probe->vars, .n_derivs = probe->n_derivs, .jets = probe->jets};
  if (s.vars.n == 0) s.vars = (tx_range){0, f->n_vars};
  memset(s.jets, 0, probe->n * (size_t)s.vars.n * (size_t)s.n_derivs * sizeof *s.jets);
  if (probe->mine) memset(probe->mine, 0, probe->n * sizeof *probe->mine);
  const tx_status status = sample_local(x, f, probe, &s);
  if (!x->asking) x->asked = s;
  x->asking = true;
  x->asked_status = status;
}

tx_status tx_exec_sample_end(tx_exec *x) {
  tx_status status = x->asked_status;
  if (x->backend->sampled) TX_THEN(status, x->backend->sampled(x, &x->asked));
  x->asking = false;
  return status;
}

tx_status tx_exec_sample(tx_exec *x, const tx_field *f, const tx_probe *probe) {
  tx_exec_sample_begin(x, f, probe);
  return sample_agree(x, tx_exec_sample_end(x));
}

static tx_status psi4_local(tx_exec *x, const tx_field *u, size_t n, tx_sample *s) {
  TX_TRY(tx_field_check_state(u, "Psi4"));
  s->vars = u->system->sphere;
  TX_REQUIRE(s->vars.n > 0, TX_ERR_USAGE, "the system %s has no Psi4", u->system->name);
  TX_TRY(sample_begin(x, u, n, s->at, s));
  tx_status status;
  TX_WORK(PSI4, true, status, x->backend->psi4(x, u, s));
  return status;
}

tx_status tx_exec_psi4(tx_exec *x, const tx_field *u, size_t n, const double (*points)[3],
                       double (*values)[TX_PSI4_COLUMNS]) {
  tx_sample s = {.n_derivs = 10, .at = points, .psi4 = values};
  memset(values, 0, n * sizeof *values);
  return sample_agree(x, psi4_local(x, u, n, &s));
}
