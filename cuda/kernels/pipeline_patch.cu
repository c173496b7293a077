/* The pipeline `patch`, a backend of its own: octant to patch into an array, then right-hand side, update and
 * enforcement, each a kernel. It has the bits of the backend that reads ghosts in place, and is kept as the measure of
 * what an array of patches costs. */
#include "cuda/kernels/patches.cuh"
#include "cuda/kernels/update.cuh"

/* Right-hand sides, [n_local][n_vars][TX_N3] in device memory. */
static tx_status rates(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *y,
                       double *rhs) {
  const tx_cuda_system *system;
  tx_cuda_stage_work work = {};
  TX_TRY(tx_cuda_system_of(y, &system));
  work.rhs = rhs;
  TX_TRY(tx_cuda_values_of(y, &work.y));
  TX_TRY(tx_cuda_patches_fill(x, set, y));
  TX_TRY(system->stage_of_patches(x, set, p, &work, tx_cuda_stream.compute));
  return system->boundary(x, set, p, &work, tx_cuda_stream.compute);
}

static tx_status stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                       const tx_stage *s) {
  const tx_cuda_system *system;
  double *k = tx_cuda_of(x)->rates, *result;
  TX_TRY(tx_cuda_system_of(s->y, &system));
  TX_TRY(rates(x, set, p, s->y, k));
  TX_TRY(tx_cuda_update_values(x, set, k, s));
  TX_TRY(tx_cuda_target(s->next ? s->next : s->sum, &result));
  return system->enforce(x, set, p, s->raw && s->next, result);
}

static tx_status rhs(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                     tx_field *out) {
  double *to;
  TX_TRY(tx_cuda_target(out, &to));
  return rates(x, set, p, u, to);
}

static tx_status create_arrays(tx_exec *x) {
  TX_TRY(tx_cuda_patches_create(x));
  return tx_cuda_alloc((size_t)x->mesh->n_local * (size_t)x->max_vars * TX_N3 * sizeof(double),
                       "right-hand sides", &tx_cuda_of(x)->rates);
}

static tx_status create(int n, tx_exec *const x[]) {
  tx_status status = TX_OK;
  TX_TRY(tx_backend_cuda.create(n, x));
  for (int i = 0; i < n; i++) {
    const size_t before = tx_cuda_memory_in_use();
    TX_THEN(status, create_arrays(x[i]));
    x[i]->bytes += tx_cuda_memory_in_use() - before;
  }
  return tx_agree(x[0]->mesh->comm, status);
}

static void destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  if (c) {
    (void)tx_cuda_wait();
    tx_cuda_free(c->rates);
    tx_cuda_patches_destroy(x);
  }
  tx_backend_cuda.destroy(x);
}

/* Also contents with the stamp of the patches at hand may be new: views of octants write without one. */
static tx_status ghosts_begin(tx_exec *x, const tx_field *f) {
  tx_cuda_patches_forget(x);
  return tx_backend_cuda.ghosts_begin(x, f);
}

static tx_status poison(tx_exec *x) {
  TX_TRY(tx_backend_cuda.poison(x));
  TX_TRY(tx_cuda_patches_poison(x));
  return tx_cuda_wait();
}

static tx_backend backend(void) {
  tx_backend b = tx_backend_cuda;
  b.create = create;
  b.destroy = destroy;
  b.ghosts_begin = ghosts_begin;
  b.patch = tx_cuda_patches_patch;
  b.patches = tx_cuda_patches_fill;
  b.poison = poison;
  b.stage = stage;
  b.rhs = rhs;
  return b;
}

const tx_backend tx_backend_cuda_patch = backend();
