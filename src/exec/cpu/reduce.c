/* Operations that look at fields and leave a few numbers. */
#include "exec/cpu/cpu.h"

#include <math.h>

#include "base/hash.h"
#include "exec/norm_point.h"
#include "physics/predictor_point.h"

/* Whether values and, for the variables in `positive`, signs are as they should be. */
static bool variable_good(const double *values, bool positive) {
  double sum = 0.0, least = positive ? INFINITY : 1.0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < TX_N3; i++) sum += 0.0 * values[i]; /* NaN for infinities too */
  if (positive) {
#pragma omp simd reduction(min : least)
    for (int i = 0; i < TX_N3; i++) least = values[i] < least ? values[i] : least;
  }
  return sum == 0.0 && least > 0.0;
}

tx_status tx_cpu_check(tx_exec *x, const tx_set *set, const tx_field *u, tx_lidx *octant, int *var,
                       int *point) {
  (void)x;
  tx_lidx bad = set->n;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (tx_lidx i = 0; i < set->n; i++)
    for (int v = 0; v < u->n_vars && i < bad; v++)
      if (!variable_good(tx_cpu_block(u, set->octant[i]) + v * TX_N3, u->positive >> v & 1))
        bad = i;
  *octant = bad < set->n ? set->octant[bad] : -1;
  if (*octant < 0) return TX_OK;
  for (int v = 0; v < u->n_vars; v++)
    for (int i = 0; i < TX_N3; i++) {
      double value = tx_cpu_block(u, *octant)[v * TX_N3 + i];
      if (isfinite(value) && (!(u->positive >> v & 1) || value > 0.0)) continue;
      *var = v;
      *point = i;
      return TX_OK;
    }
  return TX_OK;
}

/* Sums of one octant, point after point, from its analysis quantities, the first of which are the constraints
 * [TX_CONSTRAINTS][TX_N3]. */
static tx_norm_part norm_part(const tx_mesh *mesh, tx_lidx b, const tx_norms_of *of,
                              const double *constraints) {
  tx_norm_part part = {.weight = 0.0};
  tx_norm_weights w;
  tx_norm_weights_of(mesh, b, &w);
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) {
        const double weight = tx_norm_weight(&w, of, i, j, k);
        if (weight == 0.0) continue;
        double values[TX_CONSTRAINTS];
        for (int c = 0; c < TX_CONSTRAINTS; c++)
          values[c] = constraints[c * TX_N3 + TX_AT(i, j, k)];
        tx_norm_part_add(&part, weight, values);
      }
  return part;
}

tx_status tx_cpu_analysis(tx_exec *x, const tx_set *set, const tx_system_params *p,
                          const tx_field *u, tx_field *out) {
  TX_TRY(tx_cpu_work(x, u->system));
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) {
    const tx_lidx b = set->octant[i];
    tx_cpu_thread *t = tx_cpu_here(x);
    tx_cpu_patch(x, u, b, t->patch);
    const tx_octant_place place = tx_cpu_place(x->mesh, b);
    u->system->analysis(p, &place, t->patch, tx_cpu_block(out, b), t->work);
  }
  return TX_OK;
}

tx_status tx_cpu_constraints(tx_exec *x, const tx_set *set, const tx_field *u,
                             const tx_norms_of *of, tx_norm_part *parts) {
  TX_TRY(tx_cpu_work(x, u->system));
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) {
    const tx_lidx b = set->octant[i];
    tx_cpu_thread *t = tx_cpu_here(x);
    tx_cpu_patch(x, u, b, t->patch);
    const tx_octant_place place = tx_cpu_place(x->mesh, b);
    u->system->constraints(of->physics, &place, t->patch, t->block, t->work);
    parts[i] = norm_part(x->mesh, b, of, t->block);
  }
  return TX_OK;
}

/* Largest deviation along dimension d in one variable of a patch. */
static double deviation(const tx_predictor *p, const double *patch, int d) {
  const int stride = d == 0 ? 1 : d == 1 ? TX_P : TX_P * TX_P;
  double most = 0.0;
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 1; i < TX_N; i += 2) {
        const double *row = patch + (d == 0   ? TX_PATCH_AT(0, j, k)
                                     : d == 1 ? TX_PATCH_AT(j, 0, k)
                                              : TX_PATCH_AT(j, k, 0));
        most = tx_larger(most, fabs(tx_predictor_deviation(p, row, stride, i)));
      }
  return most;
}

tx_status tx_cpu_wavelet(tx_exec *x, const tx_set *set, const tx_field *u, uint32_t mask,
                         double *error) {
  const tx_predictor p = tx_predictor_make();
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) {
    double *patch = tx_cpu_here(x)->patch;
    tx_cpu_patch(x, u, set->octant[i], patch);
    error[i] = 0.0;
    for (int v = 0; v < u->n_vars; v++)
      for (int d = 0; d < 3 && mask >> v & 1; d++)
        error[i] = tx_larger(error[i], deviation(&p, patch + v * TX_P3, d));
  }
  return TX_OK;
}

tx_status tx_cpu_hash(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out) {
  const tx_mesh *mesh = x->mesh;
  size_t n = (size_t)f->n_vars * TX_N3;
  uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (tx_lidx o = 0; o < set->n; o++) {
    const tx_lidx b = set->octant[o];
    union {
      double value;
      uint64_t bits;
    } u;
    uint64_t at = (uint64_t)mesh->octant[b].index * n;
    const double *values = tx_cpu_block(f, b);
    for (size_t i = 0; i < n; i++) {
      u.value = values[i];
      sum += tx_scramble(u.bits + (at + i) * TX_HASH_STEP);
    }
  }
  *out = sum;
  return TX_OK;
}
