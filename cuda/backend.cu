/* The backend's table of operations, the life of a plan, and fields as the host sees them. */
#include "cuda/backend.cuh"

/* Bytes of a plan's first scratch: enough for a time step. */
#define SCRATCH_AT_FIRST ((size_t)64 << 10)

/* Host copy of a field: all of it once the host has written to it, or a window of what it reads. */
struct host_copy {
  double *all;    /* [n_local][n_vars][TX_N3] */
  bool valid;     /* all is what the device has, or newer */
  bool newer;     /* written by the host since */
  double *window; /* page-locked, [TX_VIEW_OCTANTS][n_vars][TX_N3] */
  tx_lidx first, n;
};

static size_t field_bytes(const tx_field *f) {
  return (size_t)f->x->mesh->n_local * (size_t)f->n_vars * TX_N3 * sizeof(double);
}

/* Upload what the host wrote. */
static tx_status flush(const tx_field *f) {
  host_copy *h = static_cast<host_copy *>(f->host);
  if (!h || !h->newer) return TX_OK;
  TX_CUDA(cudaMemcpyAsync(f->data, h->all, field_bytes(f), cudaMemcpyHostToDevice,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  h->newer = false;
  return TX_OK;
}

template <class T> static tx_status values_of(const tx_field *f, tx_cuda_numbers<T> *out) {
  TX_TRY(flush(f));
  memset(out, 0, sizeof *out);
  out->data = reinterpret_cast<const T *>(f->data);
  out->n_vars = f->n_vars;
  for (int v = 0; v < f->n_vars; v++)
    for (int d = 0; d < 3; d++)
      if (f->parity[v][d] < 0) out->odd[v] |= (uint8_t)(1u << d);
  return TX_OK;
}

tx_status tx_cuda_values_of(const tx_field *f, tx_cuda_values *out) {
  return values_of(f, out);
}

tx_status tx_cuda_values_of(const tx_field *f, tx_cuda_singles *out) {
  return values_of(f, out);
}

static tx_status cuda_direct(const tx_field *f, bool write) {
  host_copy *h = static_cast<host_copy *>(f->host);
  TX_TRY(flush(f));
  if (!h || !write) return TX_OK;
  h->valid = false;
  h->n = 0;
  return TX_OK;
}

tx_status tx_cuda_target(tx_field *f, double **out) {
  *out = f->data;
  return cuda_direct(f, true);
}

tx_status tx_cuda_target(tx_field *f, float **out) {
  *out = reinterpret_cast<float *>(f->data);
  return cuda_direct(f, true);
}

/* Fetch all of the field, for the host to write to. */
static tx_status fetch_all(tx_field *f, host_copy *h) {
  if (h->valid) return TX_OK;
  if (!h->all) TX_TRY(tx_alloc(field_bytes(f), 1, "host copy of a field", &h->all));
  TX_CUDA(cudaMemcpyAsync(h->all, f->data, field_bytes(f), cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  h->valid = true;
  return TX_OK;
}

/* Fetch a window of the field that has at least `least` octants from b on. */
static tx_status fetch_window(const tx_field *f, host_copy *h, tx_lidx b, tx_lidx least) {
  const size_t block = (size_t)f->n_vars * TX_N3;
  if (b >= h->first && b + least <= h->first + h->n) return TX_OK;
  if (!h->window)
    TX_TRY(tx_cuda_host_alloc(TX_VIEW_OCTANTS * block * sizeof(double), "host view of a field",
                              &h->window));
  const tx_lidx left = f->x->mesh->n_local - b, n = left < TX_VIEW_OCTANTS ? left : TX_VIEW_OCTANTS;
  TX_CUDA(cudaMemcpyAsync(h->window, f->data + (size_t)b * block,
                          (size_t)n * block * sizeof(double), cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  h->first = b;
  h->n = n;
  return TX_OK;
}

static tx_status host_copy_of(tx_field *f, host_copy **out) {
  if (!f->host) {
    host_copy *made = NULL;
    TX_TRY(tx_alloc(1, sizeof *made, "host copy of a field", &made));
    f->host = made;
  }
  *out = static_cast<host_copy *>(f->host);
  return TX_OK;
}

static tx_status cuda_octant(tx_field *f, tx_lidx b, double **out) {
  host_copy *h;
  TX_TRY(host_copy_of(f, &h));
  TX_TRY(fetch_all(f, h));
  h->newer = true;
  *out = h->all + (size_t)b * (size_t)f->n_vars * TX_N3;
  return TX_OK;
}

static tx_status cuda_views(tx_field *f, tx_lidx b, tx_lidx n, const double **out) {
  const size_t block = (size_t)f->n_vars * TX_N3;
  host_copy *h;
  TX_TRY(host_copy_of(f, &h));
  if (h->valid) {
    *out = h->all + (size_t)b * block;
    return TX_OK;
  }
  TX_TRY(fetch_window(f, h, b, n));
  *out = h->window + (size_t)(b - h->first) * block;
  return TX_OK;
}

static tx_status cuda_put(tx_field *f, tx_lidx b, tx_lidx n, const double *values) {
  const size_t block = (size_t)f->n_vars * TX_N3;
  double *data;
  TX_TRY(tx_cuda_target(f, &data));
  TX_CUDA(cudaMemcpyAsync(data + (size_t)b * block, values, (size_t)n * block * sizeof *values,
                          cudaMemcpyHostToDevice, tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  return TX_OK;
}

static void cuda_forget(tx_field *f) {
  host_copy *h = static_cast<host_copy *>(f->host);
  if (!h) return;
  tx_free(h->all);
  tx_cuda_host_free(h->window);
  tx_free(h);
  f->host = NULL;
}

static tx_status cuda_alloc(size_t doubles, const char *what, double **out) {
  TX_TRY(tx_cuda_alloc(doubles * sizeof(double), what, out));
  if (doubles > 0)
    TX_CUDA(cudaMemsetAsync(*out, 0, doubles * sizeof(double), tx_cuda_stream.compute));
  return TX_OK;
}

static void cuda_free(double *block) {
  tx_cuda_free(block);
}

tx_status tx_cuda_scratch(tx_exec *x, size_t bytes) {
  tx_cuda *c = tx_cuda_of(x);
  if (bytes <= c->scratch_bytes) return TX_OK;
  bytes += bytes / 4;
  if (c->scratch) TX_TRY(tx_cuda_wait());
  tx_cuda_free(c->scratch);
  tx_cuda_host_free(c->numbers);
  c->scratch = c->numbers = NULL;
  c->scratch_bytes = 0;
  TX_TRY(tx_cuda_alloc_now(bytes, "numbers for the host", &c->scratch));
  TX_TRY(tx_cuda_host_alloc(bytes, "numbers from the GPU", &c->numbers));
  c->scratch_bytes = bytes;
  return TX_OK;
}

static tx_status create_plan(tx_exec *x) {
  tx_cuda *c = NULL;
  TX_TRY(tx_alloc(1, sizeof *c, "GPU plan", &c));
  x->state = c;
  for (int i = 0; i < TX_CUDA_READY; i++)
    TX_CUDA(cudaEventCreateWithFlags(&c->ready[i], cudaEventDisableTiming));
  TX_TRY(tx_cuda_alloc(2 * sizeof *c->algebraic, "numbers for the host", &c->algebraic));
  TX_CUDA(cudaMemsetAsync(c->algebraic, 0, 2 * sizeof *c->algebraic, tx_cuda_stream.compute));
  TX_TRY(tx_cuda_scratch(x, SCRATCH_AT_FIRST));
  TX_TRY(tx_cuda_pack_plan_create(x));
  TX_TRY(tx_cuda_interpolation_create(x));
  return tx_cuda_tables_create(x);
}

static tx_status create_on_rank(tx_exec *x) {
  const size_t before = tx_cuda_memory_in_use();
  TX_TRY(create_plan(x));
  TX_TRY(tx_cuda_halo_create(x));
  TX_TRY(tx_cuda_level_create(x));
  x->bytes += tx_cuda_memory_in_use() - before;
  return TX_OK;
}

static tx_status cuda_create(int n, tx_exec *const x[]) {
  tx_status status = TX_OK;
  for (int i = 0; i < n; i++) TX_THEN(status, create_on_rank(x[i]));
  TX_TRY(tx_agree(x[0]->mesh->comm, status));
  return tx_cuda_connect(n, x);
}

static void cuda_destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  if (!c) return;
  (void)tx_cuda_wait();
  tx_cuda_level_destroy(x);
  tx_cuda_halo_destroy(x);
  tx_cuda_interpolation_destroy(x);
  tx_cuda_tables_destroy(x);
  tx_cuda_pack_plan_destroy(x);
  tx_cuda_free(c->stored);
  tx_cuda_free(c->algebraic);
  tx_cuda_free(c->scratch);
  tx_cuda_host_free(c->numbers);
  for (int i = 0; i < TX_CUDA_READY; i++)
    if (c->ready[i]) (void)cudaEventDestroy(c->ready[i]);
  tx_free(c);
  x->state = NULL;
}

tx_status tx_cuda_fill_nan(double *p, size_t doubles) {
  /* All bits set is a NaN. */
  if (p && doubles > 0)
    TX_CUDA(cudaMemsetAsync(p, 0xff, doubles * sizeof *p, tx_cuda_stream.compute));
  return TX_OK;
}

static tx_status cuda_poison(tx_exec *x) {
  TX_TRY(tx_cuda_halo_poison(x));
  TX_TRY(tx_cuda_level_poison(x));
  return tx_cuda_wait();
}

const tx_backend tx_backend_cuda = {
    .name = "cuda",
    .share = 256,
    .create = cuda_create,
    .destroy = cuda_destroy,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .forget = cuda_forget,
    .set_create = tx_cuda_set_create,
    .set_destroy = tx_cuda_set_destroy,
    .octant = cuda_octant,
    .views = cuda_views,
    .put = cuda_put,
    .hash = tx_cuda_hash,
    .initial_data = tx_cuda_initial_data,
    .ghosts_begin = tx_cuda_ghosts_begin,
    .ghosts_end = tx_cuda_ghosts_end,
    .fetch = tx_cuda_fetch,
    .poison = cuda_poison,
    .stage = tx_cuda_stage,
    .rhs = tx_cuda_rhs,
    .update = tx_cuda_update,
    .enforce = tx_cuda_enforce,
    .outer_planes = tx_cuda_outer_planes,
    .algebraic = tx_cuda_algebraic,
    .check = tx_cuda_check,
    .analysis = tx_cuda_analysis,
    .constraints = tx_cuda_constraints,
    .wavelet = tx_cuda_wavelet,
    .fill = tx_cuda_fill,
    .combine = tx_cuda_combine,
    .pointwise = tx_cuda_pointwise,
    .dot = tx_cuda_dot,
    .norms = tx_cuda_norms,
    .sample = tx_cuda_sample,
    .sampled = tx_cuda_sampled,
    .psi4 = tx_cuda_psi4,
    .remap = tx_cuda_remap,
    .redistribute = tx_cuda_redistribute,
    .narrow = tx_cuda_narrow,
    .widen = tx_cuda_widen,
    .residual = tx_cuda_residual,
    .relax = tx_cuda_relax,
    .dissipate = tx_cuda_dissipate,
    .squares = tx_cuda_squares,
    .restrict_level = tx_cuda_restrict_level,
    .prolong = tx_cuda_prolong,
    .add_octants = tx_cuda_add_octants,
    .stored_stages_doubles = tx_cuda_stored_stages_doubles,
    .stored_stages_lend = tx_cuda_stored_stages_lend,
    .stage_store = tx_cuda_stage_store,
    .stage_stored = tx_cuda_stage_stored,
    .level_boundary_make = tx_cuda_level_boundary_make,
    .inject = tx_cuda_inject,
    .direct = cuda_direct,
    .prepare_store = tx_cuda_prepare_store,
    .scatter = tx_cuda_scatter,
    .wait = tx_cuda_wait,
};
