/* The CPU backend: OpenMP over octants, one octant's patch at a time in a buffer of its thread. */
#include "exec/cpu/cpu.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "physics/initial_data/initial_data.h"
#include "exec/norm_point.h"

static void cpu_destroy(tx_exec *x) {
  tx_cpu *cpu = x->state;
  if (!cpu) return;
  tx_cpu_level_destroy(x);
  for (int t = 0; t < cpu->n_threads && cpu->thread; t++) {
    tx_free(cpu->thread[t].patch);
    tx_free(cpu->thread[t].block);
    tx_free(cpu->thread[t].work);
  }
  tx_free(cpu->lines);
  tx_free(cpu->thread);
  tx_free(cpu->slots);
  tx_free(cpu->send1);
  tx_free(cpu->send2);
  tx_free(cpu->requests);
  tx_free(cpu);
  x->state = NULL;
}

/* Return the points of the slots: the refinement boundary of a level's grid has a block of its own. */
static int64_t slot_points(const tx_mesh *mesh) {
  return mesh->level ? mesh->level->boundary_at : mesh->ghosts.slot_points;
}

static tx_status create_exchange(tx_exec *x) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  tx_cpu *cpu = x->state;
  size_t bytes = (size_t)x->max_vars * sizeof(double);
  const int64_t slots = slot_points(x->mesh);
  TX_TRY(tx_alloc((size_t)slots, bytes, "ghost slots", &cpu->slots));
  TX_TRY(tx_alloc((size_t)g->send1_points, bytes, "send buffers", &cpu->send1));
  TX_TRY(tx_alloc((size_t)g->send2_points, bytes, "send buffers", &cpu->send2));
  x->bytes += bytes * (size_t)(slots + g->send1_points + g->send2_points);
  size_t requests = (size_t)(g->n_recv1_from + g->n_recv2_from + g->n_send1_to + g->n_send2_to);
  TX_TRY(tx_alloc(requests, sizeof(MPI_Request), "send buffers", &cpu->requests));
  for (size_t i = 0; i < requests; i++) cpu->requests[i] = MPI_REQUEST_NULL;
  return TX_OK;
}

static tx_status create_local(tx_exec *x) {
  tx_cpu *cpu;
  TX_TRY(tx_alloc(1, sizeof *cpu, "thread buffers", &cpu));
  x->state = cpu;
  TX_TRY(create_exchange(x));
  if (x->mesh->level) TX_TRY(tx_cpu_level_create(x));
  TX_TRY(tx_cpu_lines_create(&cpu->lines));
  cpu->n_threads = omp_get_max_threads();
  TX_TRY(tx_alloc((size_t)cpu->n_threads, sizeof *cpu->thread, "thread buffers", &cpu->thread));
  size_t patch = (size_t)x->max_vars * TX_P3 + TX_CPU_PAD;
  size_t block =
      (size_t)(x->max_vars > TX_CPU_BLOCK_VARS ? x->max_vars : TX_CPU_BLOCK_VARS) * TX_N3;
  for (int t = 0; t < cpu->n_threads; t++) {
    tx_cpu_thread *thread = &cpu->thread[t];
    TX_TRY(tx_alloc(patch, sizeof(double), "thread buffers", &thread->patch));
    TX_TRY(tx_alloc(block, sizeof(double), "thread buffers", &thread->block));
  }
  x->bytes += (size_t)cpu->n_threads * (patch + block) * sizeof(double);
  return TX_OK;
}

static tx_status cpu_create(int n, tx_exec *const x[]) {
  tx_status status = TX_OK;
  for (int i = 0; i < n; i++) TX_THEN(status, create_local(x[i]));
  return tx_agree(x[0]->mesh->comm, status);
}

static tx_status cpu_alloc(size_t doubles, const char *what, double **out) {
  return tx_alloc(doubles, sizeof(double), what, out);
}

static void cpu_free(double *block) {
  tx_free(block);
}

static void cpu_forget(tx_field *f) {
  (void)f;
}

static tx_status cpu_octant(tx_field *f, tx_lidx b, double **out) {
  *out = tx_cpu_block(f, b);
  return TX_OK;
}

static tx_status cpu_views(tx_field *f, tx_lidx b, tx_lidx n, const double **out) {
  (void)n;
  *out = tx_cpu_block(f, b);
  return TX_OK;
}

static tx_status cpu_put(tx_field *f, tx_lidx b, tx_lidx n, const double *values) {
  memcpy(tx_cpu_block(f, b), values, (size_t)n * (size_t)f->n_vars * TX_N3 * sizeof *values);
  return TX_OK;
}

static tx_status cpu_poison(tx_exec *x) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  tx_cpu *cpu = x->state;
  if (cpu->level) TX_TRY(tx_cpu_level_poison(x));
  tx_cpu_poison_fill(cpu->slots, x->max_vars * slot_points(x->mesh));
  tx_cpu_poison_fill(cpu->send1, x->max_vars * g->send1_points);
  tx_cpu_poison_fill(cpu->send2, x->max_vars * g->send2_points);
  for (int t = 0; t < cpu->n_threads; t++)
    tx_cpu_poison_fill(cpu->thread[t].patch, x->max_vars * TX_P3 + TX_CPU_PAD);
  return TX_OK;
}

static tx_status cpu_initial_data(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                                  const tx_initial_map *map, const tx_given_fields *given,
                                  tx_field *u) {
#pragma omp parallel for schedule(dynamic)
  for (tx_lidx i = 0; i < set->n; i++) {
    const tx_lidx b = set->octant[i];
    const double h = tx_mesh_spacing(x->mesh, x->mesh->octant[b].level);
    tx_initial_at first = {.given = {given->u ? tx_cpu_block(given->u, b) : NULL,
                                     given->w ? tx_cpu_block(given->w, b) : NULL}};
    tx_mesh_origin(x->mesh, b, first.x);
    tx_initial_data_octant(id, map, &first, h, tx_cpu_block(u, b));
  }
  return TX_OK;
}

/* Largest of the threads since the last call; NaN if any is. */
static tx_status cpu_algebraic(tx_exec *x, double out[2]) {
  tx_cpu *cpu = x->state;
  out[0] = out[1] = 0.0;
  for (int t = 0; t < cpu->n_threads; t++)
    for (int i = 0; i < 2; i++) {
      out[i] = tx_larger(out[i], cpu->thread[t].diag[i]);
      cpu->thread[t].diag[i] = 0.0;
    }
  return TX_OK;
}

const tx_backend tx_backend_cpu = {
    .name = "cpu",
    .share = 8,
    .create = cpu_create,
    .destroy = cpu_destroy,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .forget = cpu_forget,
    .octant = cpu_octant,
    .views = cpu_views,
    .put = cpu_put,
    .hash = tx_cpu_hash,
    .initial_data = cpu_initial_data,
    .ghosts_begin = tx_cpu_ghosts_begin,
    .ghosts_end = tx_cpu_ghosts_end,
    .fetch = tx_cpu_fetch,
    .poison = cpu_poison,
    .stage = tx_cpu_stage,
    .rhs = tx_cpu_rhs,
    .update = tx_cpu_update,
    .enforce = tx_cpu_enforce,
    .outer_planes = tx_cpu_outer_planes,
    .algebraic = cpu_algebraic,
    .check = tx_cpu_check,
    .analysis = tx_cpu_analysis,
    .constraints = tx_cpu_constraints,
    .wavelet = tx_cpu_wavelet,
    .fill = tx_cpu_fill,
    .combine = tx_cpu_combine,
    .pointwise = tx_cpu_pointwise,
    .dot = tx_cpu_dot,
    .norms = tx_cpu_norms,
    .sample = tx_cpu_sample,
    .psi4 = tx_cpu_psi4,
    .remap = tx_cpu_remap,
    .redistribute = tx_cpu_redistribute,
    .narrow = tx_cpu_narrow,
    .widen = tx_cpu_widen,
    .residual = tx_cpu_residual,
    .relax = tx_cpu_relax,
    .dissipate = tx_cpu_dissipate,
    .squares = tx_cpu_squares,
    .restrict_level = tx_cpu_restrict_level,
    .prolong = tx_cpu_prolong_level,
    .add_octants = tx_cpu_add_octants,
    .stored_stages_doubles = tx_cpu_stored_stages_doubles,
    .stored_stages_lend = tx_cpu_stored_stages_lend,
    .stage_store = tx_cpu_stage_store,
    .level_boundary_make = tx_cpu_level_boundary_make,
    .inject = tx_cpu_inject,
    .scatter = tx_cpu_scatter,
};
