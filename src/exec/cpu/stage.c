/* The right-hand side and the update of a stage, octant by octant while it is in the cache. */
#include "exec/cpu/cpu.h"

#include "base/memory.h"
#include "physics/sommerfeld_point.h"

/* Variables whose patches are built together: few, so that they stay in a small cache. */
enum { VARS_AT_ONCE = 4 };

/* Regions beyond faces and, if `edges`, beyond edges, as bits, with the octant's own. */
static uint32_t regions_near(bool edges) {
  uint32_t regions = 0;
  for (int r = 0; r < 27; r++) {
    const int across = (r % 3 != 1) + (r / 3 % 3 != 1) + (r / 9 != 1);
    if (across <= 1 + edges) regions |= 1u << r;
  }
  return regions;
}

/* Compute the right-hand sides of an octant away from outer faces: build patches of a few variables at a time, and skip unused
 * ghosts. */
static void rhs_inside(const tx_cpu_thread *t, const tx_system_params *p,
                       const tx_octant_place *place, const tx_cpu_pieces *pieces, double *rhs) {
  const tx_system *system = pieces->f->system;
  const uint32_t regions[2] = {regions_near(false), regions_near(true)};
  const double *block = tx_cpu_block(pieces->f, pieces->octant);
  system->rhs_begin(p, place, 0, tx_system_shift(system, block), t->work);
  for (int first = 0, end = 0; first < system->n_vars; first = end) {
    const uint32_t edges = system->mixed >> first & 1;
    while (end < system->n_vars && end < first + VARS_AT_ONCE &&
           (system->mixed >> end & 1) == edges)
      end++;
    tx_cpu_patch_part(pieces, (tx_cpu_part){first, end - first, regions[edges]}, t->patch);
    for (int v = first; v < end; v++) system->rhs_take(v, t->patch + (v - first) * TX_P3, t->work);
  }
  system->rhs_end(rhs, t->work);
}

/* Right-hand side of octant b from its ghosts, [n_vars][TX_N3]. */
static void rhs_octant(const tx_exec *x, const tx_system_params *p, const tx_field *u, tx_lidx b,
                       double *rhs) {
  const tx_cpu_thread *t = tx_cpu_here(x);
  const tx_octant_place place = tx_cpu_place(x->mesh, b);
  tx_cpu_pieces pieces;
  tx_cpu_pieces_find(x, u, b, true, &pieces);
  if (TX_RHS_PLANES == TX_N && !place.outer_faces) {
    rhs_inside(t, p, &place, &pieces, rhs);
    return;
  }
  tx_cpu_patch_part(&pieces, (tx_cpu_part){0, u->n_vars, UINT32_MAX}, t->patch);
  tx_system_rhs(u->system, p, &place, t->patch, rhs, t->work);
  if (place.outer_faces) tx_system_sommerfeld(u->system, &place, t->patch, rhs);
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

/* Enforce the constraints at the points that are evolved: extrapolated ones would not tell how well they are kept. */
static void enforce_octant(const tx_exec *x, const tx_system *system, const tx_system_params *p,
                           tx_lidx b, double *block) {
  const unsigned outer = x->mesh->ghosts.outer[b];
  double *diag = tx_cpu_here(x)->diag;
  int first[3];
  for (int d = 0; d < 3; d++) first[d] = tx_outer_first(outer, d);
  if (first[0] + first[1] + first[2] == 0) {
    system->enforce(p, TX_N3, TX_N3, block, diag);
    return;
  }
  for (int k = first[2]; k < TX_N; k++)
    for (int j = first[1]; j < TX_N; j++)
      system->enforce(p, (size_t)(TX_N - first[0]), TX_N3, block + TX_AT(first[0], j, k), diag);
}

tx_status tx_cpu_work(tx_exec *x, const tx_system *system) {
  tx_cpu *cpu = x->state;
  const size_t need = system->scratch_bytes();
  if (need <= cpu->work_bytes) return TX_OK;
  for (int t = 0; t < cpu->n_threads; t++) {
    void **work = &cpu->thread[t].work;
    tx_free(*work);
    *work = NULL;
    x->bytes -= cpu->work_bytes;
  }
  cpu->work_bytes = 0;
  for (int t = 0; t < cpu->n_threads; t++)
    TX_TRY(tx_alloc(need, 1, "thread buffers", &cpu->thread[t].work));
  cpu->work_bytes = need;
  x->bytes += (size_t)cpu->n_threads * need;
  return TX_OK;
}

tx_status tx_cpu_stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                       const tx_stage *stage) {
  tx_field *result = stage->next ? stage->next : stage->sum;
  const tx_system *system = stage->y->system;
  TX_TRY(tx_cpu_work(x, system));
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) {
    tx_cpu_thread *t = tx_cpu_here(x);
    rhs_octant(x, p, stage->y, set->octant[i], t->block);
    update_octant(stage, set->octant[i], t->block);
    double *block = tx_cpu_block(result, set->octant[i]);
    if (stage->raw && stage->next)
      system->floors(p, TX_N3, TX_N3, block);
    else
      enforce_octant(x, system, p, set->octant[i], block);
  }
  return TX_OK;
}

tx_status tx_cpu_rhs(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                     tx_field *out) {
  TX_TRY(tx_cpu_work(x, u->system));
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

tx_status tx_cpu_enforce(tx_exec *x, const tx_set *set, const tx_system_params *p, tx_field *u) {
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < set->n; i++)
    enforce_octant(x, u->system, p, set->octant[i], tx_cpu_block(u, set->octant[i]));
  return TX_OK;
}
