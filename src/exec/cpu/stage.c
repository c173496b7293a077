/* The right-hand side and the update of a stage, octant by octant while it is in the cache. */
#include "exec/cpu/cpu.h"

/* Right-hand side of octant b from its ghosts, [TX_VARS][TX_N3]. */
static void rhs_octant(const tx_exec *x, const tx_bssn_params *p, const tx_field *u, tx_lidx b,
                       double *rhs) {
  tx_cpu_thread *t = tx_cpu_here(x);
  const int level = x->mesh->octant[b].level;
  tx_bssn_place place = {.h = tx_mesh_spacing(x->mesh, level),
                         .outer_faces = x->mesh->ghosts.outer[b],
                         .level = level};
  tx_mesh_origin(x->mesh, b, place.x0);
  tx_cpu_patch(x, u, b, t->patch);
  tx_bssn_rhs_octant(p, &place, t->patch, rhs, t->work);
  if (place.outer_faces) tx_bssn_sommerfeld_octant(&place, t->patch, rhs);
}

/* The update of octant b with k = [n_vars][TX_N3]. */
static void update_octant(const tx_stage *s, tx_lidx b, const double *restrict k) {
  size_t n = (size_t)s->u->n_vars * TX_N3;
  const double *base = tx_cpu_block(s->base_sum, b);
  double *sum = tx_cpu_block(s->sum, b);
#pragma omp simd
  for (size_t i = 0; i < n; i++) sum[i] = base[i] + s->dt_sum * k[i];
  if (!s->next) return;
  const double *restrict u = tx_cpu_block(s->u, b);
  double *restrict next = tx_cpu_block(s->next, b);
  for (size_t i = 0; i < n; i++) next[i] = u[i] + s->dt_next * k[i];
}

tx_status tx_cpu_stage(tx_exec *x, const tx_set *set, const tx_bssn_params *p,
                       const tx_stage *stage) {
  tx_field *result = stage->next ? stage->next : stage->sum;
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) {
    tx_cpu_thread *t = tx_cpu_here(x);
    rhs_octant(x, p, stage->y, set->octant[i], t->block);
    update_octant(stage, set->octant[i], t->block);
    double *block = tx_cpu_block(result, set->octant[i]);
    if (stage->raw && stage->next)
      tx_bssn_floors(p, TX_N3, TX_N3, block);
    else
      tx_bssn_enforce(p, TX_N3, TX_N3, block, t->diag);
  }
  return TX_OK;
}

tx_status tx_cpu_rhs(tx_exec *x, const tx_set *set, const tx_bssn_params *p, const tx_field *u,
                     tx_field *out) {
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++)
    rhs_octant(x, p, u, set->octant[i], tx_cpu_block(out, set->octant[i]));
  return TX_OK;
}

tx_status tx_cpu_update(tx_exec *x, const tx_set *set, const tx_field *k, const tx_stage *stage) {
  (void)x;
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < set->n; i++)
    update_octant(stage, set->octant[i], tx_cpu_block(k, set->octant[i]));
  return TX_OK;
}

tx_status tx_cpu_enforce(tx_exec *x, const tx_set *set, const tx_bssn_params *p, tx_field *u) {
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < set->n; i++)
    tx_bssn_enforce(p, TX_N3, TX_N3, tx_cpu_block(u, set->octant[i]), tx_cpu_here(x)->diag);
  return TX_OK;
}
