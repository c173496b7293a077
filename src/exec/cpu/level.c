/* Grids of levels: stored stages, and injection into covered octants. */
#include "exec/cpu/cpu.h"

#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

static tx_cpu_level *level_of(const tx_exec *x) {
  return ((const tx_cpu *)x->state)->level;
}

static tx_status requests_create(size_t n, MPI_Request **out) {
  TX_TRY(tx_alloc(n, sizeof **out, "stored stages", out));
  for (size_t i = 0; i < n; i++) (*out)[i] = MPI_REQUEST_NULL;
  return TX_OK;
}

tx_status tx_cpu_level_create(tx_exec *x) {
  const tx_level_plan *plan = x->mesh->level;
  const size_t receives = (size_t)x->mesh->ghosts.n_recv2_from;
  const size_t vars = (size_t)x->max_vars * sizeof(double), child = TX_CPU_CHILD * vars;
  tx_cpu_level *level;
  TX_TRY(tx_alloc(1, sizeof *level, "stored stages", &level));
  ((tx_cpu *)x->state)->level = level;
  if (!x->coarser) return TX_OK;
  TX_TRY(tx_cpu_level_boundary_create(x->mesh, &level->boundary));
  const size_t points = (size_t)level->boundary.points;
  TX_TRY(requests_create(TX_STORED_STAGES * receives, &level->stage_requests));
  TX_TRY(
      requests_create((size_t)(plan->n_send_to + plan->n_receive_from), &level->inject_requests));
  level->part = (points * (size_t)x->max_vars + 31) & ~(size_t)31;
  TX_TRY(tx_alloc(points, vars, "ghost slots", &level->made));
  TX_TRY(tx_alloc((size_t)plan->n_send, child, "injected points", &level->sent));
  TX_TRY(tx_alloc((size_t)plan->n_receive, child, "injected points", &level->received));
  x->bytes += points * vars + (size_t)(plan->n_send + plan->n_receive) * child;
  return TX_OK;
}

/* All messages of stored stages, here and to the finer grid, are done. */
static tx_status settle(tx_exec *x) {
  tx_status status = tx_cpu_stage_sent(x);
  for (int k = 0; k < TX_STORED_STAGES && level_of(x)->stage_requests; k++)
    TX_KEEP(status, tx_cpu_stage_wait(x, k));
  return status;
}

size_t tx_cpu_stored_stages_doubles(const tx_exec *fine) {
  return TX_STORED_STAGES * level_of(fine)->part;
}

void tx_cpu_stored_stages_lend(tx_exec *fine, double *block) {
  tx_cpu_level *level = level_of(fine);
  (void)settle(fine);
  if (!level->lent) tx_free(level->states);
  level->states = block;
  level->lent = block != NULL;
}

/* Memory of stored stages, if there is none yet. */
static tx_status need_states(tx_exec *fine) {
  tx_cpu_level *level = level_of(fine);
  const size_t doubles = tx_cpu_stored_stages_doubles(fine);
  if (level->states) return TX_OK;
  TX_TRY(tx_alloc(doubles, sizeof(double), "stored stages", &level->states));
  fine->bytes += doubles * sizeof(double);
  return TX_OK;
}

void tx_cpu_level_destroy(tx_exec *x) {
  tx_cpu_level *level = level_of(x);
  if (!level) return;
  (void)settle(x);
  if (!level->lent) tx_free(level->states);
  tx_free(level->made);
  tx_cpu_level_boundary_destroy(&level->boundary);
  tx_free(level->sent);
  tx_free(level->received);
  tx_free(level->stage_requests);
  tx_free(level->inject_requests);
  tx_free(level);
}

tx_status tx_cpu_level_poison(tx_exec *x) {
  const tx_level_plan *plan = x->mesh->level;
  const tx_cpu_level *level = level_of(x);
  TX_TRY(settle(x));
  if (!x->coarser) return TX_OK;
  if (level->states) tx_cpu_poison_fill(level->states, (int64_t)tx_cpu_stored_stages_doubles(x));
  tx_cpu_poison_fill(level->made, x->max_vars * level->boundary.points);
  tx_cpu_poison_fill(level->sent, (int64_t)x->max_vars * plan->n_send * TX_CPU_CHILD);
  tx_cpu_poison_fill(level->received, (int64_t)x->max_vars * plan->n_receive * TX_CPU_CHILD);
  return TX_OK;
}

tx_status tx_cpu_stage_store(tx_exec *fine, int k, const tx_field *f, bool aside) {
  (void)aside;
  tx_exec *coarse = fine->coarser;
  TX_TRY(need_states(fine));
  tx_phase_begin(TX_PHASE_HALO);
  tx_status status = tx_cpu_stage_wait(fine, k);
  TX_THEN(status, tx_cpu_stage_sent(coarse));
  TX_THEN(status, tx_cpu_stage_receive(fine, k, f->n_vars));
  tx_phase_end(TX_PHASE_HALO);
  TX_TRY(status);
  tx_cpu_stage_interpolate(fine, k, f);
  return tx_cpu_stage_send(coarse, f->n_vars);
}

/* A combination of stored stages. */
typedef struct terms {
  int n;
  double c[TX_STORED_STAGES];
  const double *state[TX_STORED_STAGES];
} terms;

/* sum + c x, contracted where the processor can: the bits do not depend on how the compiler sees the sum. */
static inline double sum_add(double sum, double c, double x) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(c, x, sum);
#else
  return sum + c * x;
#endif
}

/* Numbers first .. end - 1, with the number of terms known to the compiler. */
static inline __attribute__((always_inline)) void combine_n(int n, const terms *t, int64_t first,
                                                            int64_t end, double *restrict to) {
#pragma omp simd
  for (int64_t i = first; i < end; i++) {
    double sum = t->c[0] * t->state[0][i];
    for (int m = 1; m < n; m++) sum = sum_add(sum, t->c[m], t->state[m][i]);
    to[i] = sum;
  }
}

static void combine_part(const terms *t, int64_t first, int64_t end, double *to) {
  switch (t->n) {
#define N(n)                                                                                       \
  case n:                                                                                          \
    combine_n(n, t, first, end, to);                                                               \
    break;
    N(1)
    N(2)
    N(3)
    N(4)
    N(5)
#undef N
  }
}
_Static_assert(TX_STORED_STAGES == 5, "a case for each number of terms");

static void combine(const terms *t, int64_t n, double *to) {
  enum { PART = 4096 };
#pragma omp parallel for schedule(static)
  for (int64_t first = 0; first < n; first += PART)
    combine_part(t, first, first + PART < n ? first + PART : n, to);
}

/* Copy planes from the refinement boundary; those of an octant, which may share points, one after the other. */
static void planes_place(const tx_exec *fine, tx_field *f) {
  const tx_level_plan *plan = fine->mesh->level;
  const tx_cpu_level *level = level_of(fine);
  const int8_t(*parity)[3] = (const int8_t(*)[3])f->parity;
#pragma omp parallel for schedule(static)
  for (tx_lidx first = 0; first < plan->n_plane; first++) {
    const tx_slab *s = &plan->plane[first];
    if (first > 0 && s[-1].dst == s->dst) continue;
    for (tx_lidx i = first; i < plan->n_plane && plan->plane[i].dst == s->dst; i++) {
      const tx_slab *p = &plan->plane[i];
      const tx_cpu_cut *cut = &level->boundary.plane[i];
      const tx_cpu_box to = tx_cpu_box_in(f, p->dst, TX_AT(p->lo[0], p->lo[1], p->lo[2]));
      const double *values = level->made + f->n_vars * cut->at;
      tx_cpu_box_copy(p->n, f->n_vars, parity, tx_cpu_source_cut(cut, values), to);
    }
  }
}

tx_status tx_cpu_level_boundary_make(tx_exec *fine, const double c[TX_STORED_STAGES], tx_field *f) {
  const tx_cpu_level *level = level_of(fine);
  terms t = {.n = 0};
  tx_status status = TX_OK;
  tx_phase_begin(TX_PHASE_HALO);
  for (int k = 0; k < TX_STORED_STAGES; k++) {
    if (c[k] == 0.0) continue;
    TX_KEEP(status, tx_cpu_stage_wait(fine, k));
    t.state[t.n] = tx_cpu_stored_stage(level, k);
    t.c[t.n++] = c[k];
  }
  tx_phase_end(TX_PHASE_HALO);
  TX_TRY(status);
  combine(&t, f->n_vars * level->boundary.points, level->made);
  planes_place(fine, f);
  return TX_OK;
}

/* The points of a child that coincide with its parent's, [n_vars][TX_CPU_CHILD]. */
static const tx_slab every_second = {
    .kind = TX_SLAB_INJECT, .n = {TX_N / 2, TX_N / 2, TX_N / 2}, .step = {2, 2, 2}};

/* The points of a parent that child `number` injects into. */
static tx_cpu_box corner_of(const tx_field *coarse, const tx_descent *d) {
  const int x = d->number & 1, y = d->number >> 1 & 1, z = d->number >> 2;
  const int half = TX_N / 2;
  return tx_cpu_box_in(coarse, d->parent, TX_AT(x * half, y * half, z * half));
}

static void children_pack(const tx_exec *fine, const tx_field *f) {
  const tx_level_plan *plan = fine->mesh->level;
  const size_t child = (size_t)f->n_vars * TX_CPU_CHILD;
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < plan->n_send; i++) {
    const tx_cpu_box to = {.p = level_of(fine)->sent + (size_t)i * child,
                           .var = TX_CPU_CHILD,
                           .z = TX_N / 2 * (TX_N / 2),
                           .y = TX_N / 2};
    tx_cpu_slab_copy(&every_second, NULL, f, plan->send[i].child, to);
  }
}

/* One child from the buffer. */
static void child_unpack(const double *dense, int n_vars, tx_cpu_box to) {
  const tx_slab child = {.n = {TX_N / 2, TX_N / 2, TX_N / 2}};
  tx_cpu_box_copy(child.n, n_vars, NULL, tx_cpu_source_dense(&child, dense), to);
}

tx_status tx_cpu_inject(tx_exec *fine, const tx_field *f, tx_field *coarse) {
  const tx_level_plan *plan = fine->mesh->level;
  const size_t child = (size_t)f->n_vars * TX_CPU_CHILD;
  children_pack(fine, f);
  TX_TRY(tx_cpu_children_begin(fine, f->n_vars));
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < plan->n_descent; i++)
    tx_cpu_slab_copy(&every_second, NULL, f, plan->descent[i].child,
                     corner_of(coarse, &plan->descent[i]));
  TX_TRY(tx_cpu_children_end(fine));
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < plan->n_receive; i++)
    child_unpack(level_of(fine)->received + (size_t)i * child, f->n_vars,
                 corner_of(coarse, &plan->receive[i]));
  return TX_OK;
}

tx_status tx_cpu_scatter(tx_exec *level, const double *blocks, tx_lidx first, tx_lidx n,
                         tx_field *f) {
  const tx_lidx *to = level->mesh->level->leaf + first;
  const size_t block = (size_t)f->n_vars * TX_N3;
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < n; i++)
    memcpy(tx_cpu_block(f, to[i]), blocks + (size_t)i * block, block * sizeof *blocks);
  return TX_OK;
}
