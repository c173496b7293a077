#include "exec/common.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void tx_field_touch(tx_field *f) {
  f->stamp = ++f->x->stamp;
}

tx_status tx_field_check_any(const tx_exec *x, const tx_field *f, const char *operation) {
  TX_REQUIRE(f->x == x, TX_ERR_MESH,
             "%s: the field lives on revision %llu of the mesh, the plan is for revision %llu; "
             "transfer the field first",
             operation, (unsigned long long)f->x->mesh->revision,
             (unsigned long long)x->mesh->revision);
  return TX_OK;
}

static tx_status check_double(const tx_field *f, const char *operation) {
  TX_REQUIRE(!f->single, TX_ERR_USAGE,
             "%s: the field is in single precision, which only multigrid takes; widen it first",
             operation);
  return TX_OK;
}

tx_status tx_field_check_mesh(const tx_exec *x, const tx_field *f, const char *operation) {
  TX_TRY(tx_field_check_any(x, f, operation));
  return check_double(f, operation);
}

tx_status tx_field_check_precision(const tx_field *f, const tx_field *g, const char *operation) {
  TX_REQUIRE(f->single == g->single, TX_ERR_USAGE,
             "%s: one field is in single precision, another one in double precision", operation);
  return TX_OK;
}

tx_status tx_field_check_ghosts(const tx_exec *x, const tx_field *f, const char *operation) {
  TX_TRY(tx_field_check_ghosts_any(x, f, operation));
  return check_double(f, operation);
}

tx_status tx_field_check_ghosts_any(const tx_exec *x, const tx_field *f, const char *operation) {
  TX_TRY(tx_field_check_any(x, f, operation));
  TX_REQUIRE(
      x->filled == f->stamp, TX_ERR_MESH,
      "%s: the ghosts at hand are not those of this field; call tx_ghosts_fill after its last "
      "change and before the ghosts of another field",
      operation);
  return TX_OK;
}

tx_status tx_field_check_polynomial(const tx_field *f, const char *operation) {
  TX_REQUIRE(!f->robin, TX_ERR_USAGE,
             "%s: variable %d falls off beyond outer faces; fields of the evolution go on as "
             "polynomials there",
             operation, __builtin_ctz(f->robin));
  return TX_OK;
}

tx_status tx_field_check_state(const tx_field *f, const char *operation) {
  TX_REQUIRE(f->system, TX_ERR_USAGE,
             "%s: the field of %d variables is no state of a system of equations", operation,
             f->n_vars);
  return TX_OK;
}

static tx_status check_var(const tx_field_var *var, int v) {
  for (int d = 0; d < 3; d++)
    TX_REQUIRE(var->parity[d] == 1 || var->parity[d] == -1, TX_ERR_USAGE,
               "variable %d of a field has parity %d in dimension %c: 1 and -1 are possible", v,
               var->parity[d], "xyz"[d]);
  TX_REQUIRE(var->outer == TX_OUTER_POLYNOMIAL ||
                 (var->outer == TX_OUTER_ROBIN && isfinite(var->infinity) && var->falloff > 0.0 &&
                  isfinite(var->falloff)),
             TX_ERR_USAGE,
             "variable %d of a field goes to %g like r^-%g: the value must be finite and the "
             "exponent above 0",
             v, var->infinity, var->falloff);
  return TX_OK;
}

/* Copies of the descriptions; what is there is freed by tx_field_destroy, also after an error. */
static tx_status describe(tx_field *f, const tx_field_var *vars) {
  TX_TRY(tx_alloc((size_t)f->n_vars, sizeof *f->var, "fields", &f->var));
  TX_TRY(tx_alloc((size_t)f->n_vars, sizeof *f->parity, "fields", &f->parity));
  for (int v = 0; v < f->n_vars; v++) {
    f->var[v] = vars ? vars[v] : (tx_field_var){.parity = {1, 1, 1}};
    TX_TRY(check_var(&f->var[v], v));
    memcpy(f->parity[v], f->var[v].parity, sizeof f->parity[v]);
    if (f->var[v].positive) f->positive |= 1u << v;
    if (f->var[v].outer == TX_OUTER_ROBIN) f->robin |= 1u << v;
  }
  return TX_OK;
}

static size_t field_doubles(const tx_field *f) {
  const size_t values = (size_t)f->x->mesh->n_local * (size_t)f->n_vars * TX_N3;
  return f->single ? values / 2 : values;
}

/* Where the contents live, lent by the caller, NULL: memory of its own; and their precision. */
typedef struct contents {
  double *block;
  bool single;
} contents;

static tx_status create(tx_exec *x, int n_vars, const tx_field_var *vars, contents c,
                        tx_field **out) {
  *out = NULL;
  TX_REQUIRE(n_vars >= 1 && n_vars <= x->max_vars, TX_ERR_USAGE,
             "a field of %d variables does not fit: the plan was made for up to %d", n_vars,
             x->max_vars);
  tx_field *f;
  TX_TRY(tx_alloc(1, sizeof *f, "fields", &f));
  f->x = x;
  f->n_vars = n_vars;
  f->data = c.block;
  f->lent = c.block != NULL;
  f->single = c.single;
  if (!f->lent) x->bytes += field_doubles(f) * sizeof(double);
  tx_status status = describe(f, vars);
  if (!f->lent) TX_THEN(status, x->backend->alloc(field_doubles(f), "fields", &f->data));
  if (status != TX_OK) {
    tx_field_destroy(f);
    return status;
  }
  tx_field_touch(f);
  *out = f;
  return TX_OK;
}

tx_status tx_field_create(tx_exec *x, int n_vars, const tx_field_var *vars, tx_field **out) {
  return create(x, n_vars, vars, (contents){NULL, false}, out);
}

tx_status tx_field_create_single(tx_exec *x, const tx_field_var *var, tx_field **out) {
  return create(x, 1, var, (contents){NULL, true}, out);
}

static tx_status create_state(tx_exec *x, const tx_system *system, double *block, tx_field **out) {
  tx_field_var vars[TX_SYSTEM_VARS];
  for (int v = 0; v < system->n_vars; v++) {
    const tx_variable_info *info = &system->variable[v];
    vars[v] = (tx_field_var){.positive = info->positive};
    memcpy(vars[v].parity, info->parity, sizeof vars[v].parity);
  }
  TX_TRY(create(x, system->n_vars, vars, (contents){block, false}, out));
  (*out)->system = system;
  return TX_OK;
}

tx_status tx_field_create_state(tx_exec *x, const tx_system *system, tx_field **out) {
  return create_state(x, system, NULL, out);
}

const tx_system *tx_field_system(const tx_field *f) {
  return f->system;
}

size_t tx_field_state_doubles(const tx_system *system, tx_lidx octants) {
  return (size_t)octants * (size_t)system->n_vars * TX_N3;
}

tx_status tx_field_create_state_in(tx_exec *x, const tx_system *system, double *block,
                                   size_t doubles, tx_field **out) {
  *out = NULL;
  const size_t need = tx_field_state_doubles(system, x->mesh->n_local);
  TX_REQUIRE(doubles >= need, TX_ERR_USAGE,
             "a block of %zu numbers is too small for a state of %zu on %d octants", doubles, need,
             x->mesh->n_local);
  return create_state(x, system, need > 0 ? block : NULL, out);
}

tx_status tx_exec_block_create(size_t doubles, double **out) {
  *out = NULL;
  return tx_exec_backend()->alloc(doubles, "fields", out);
}

void tx_exec_block_destroy(double *block) {
  tx_exec_backend()->free(block);
}

void tx_field_destroy(tx_field *f) {
  if (!f) return;
  f->x->backend->forget(f);
  if (!f->lent) {
    f->x->bytes -= field_doubles(f) * sizeof(double);
    f->x->backend->free(f->data);
  }
  tx_free(f->var);
  tx_free(f->parity);
  tx_free(f);
}

tx_status tx_field_octant(tx_field *f, tx_lidx b, double **out) {
  TX_TRY(check_double(f, "view"));
  return f->x->backend->octant(f, b, out);
}

tx_status tx_field_view(const tx_field *f, tx_lidx b, const double **out) {
  TX_TRY(check_double(f, "view"));
  return f->x->backend->views((tx_field *)f, b, 1, out);
}

tx_status tx_field_views(const tx_field *f, tx_lidx b, tx_lidx n, const double **out) {
  *out = NULL;
  TX_REQUIRE(n <= TX_VIEW_OCTANTS, TX_ERR_USAGE, "a view of %d octants: %d are possible", n,
             TX_VIEW_OCTANTS);
  TX_TRY(check_double(f, "view"));
  return f->x->backend->views((tx_field *)f, b, n, out);
}

tx_status tx_field_put(tx_field *f, tx_lidx b, tx_lidx n, const double *values) {
  TX_TRY(check_double(f, "values of octants"));
  return f->x->backend->put(f, b, n, values);
}

int tx_field_vars(const tx_field *f) {
  return f->n_vars;
}

void tx_field_swap(tx_field *a, tx_field *b) {
  double *data = a->data;
  void *host = a->host;
  uint64_t stamp = a->stamp;
  bool lent = a->lent;
  a->lent = b->lent;
  b->lent = lent;
  a->data = b->data;
  a->host = b->host;
  a->stamp = b->stamp;
  b->data = data;
  b->host = host;
  b->stamp = stamp;
}

static tx_status hash(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out) {
  tx_status status;
  TX_TRY(tx_set_check(x, set, "checksum"));
  TX_TRY(tx_field_check_mesh(x, f, "checksum"));
  TX_WORK(CHECKS, false, status, x->backend->hash(x, set, f, out));
  return status;
}

tx_status tx_exec_checksum(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out) {
  uint64_t part = 0;
  tx_status status = hash(x, set, f, &part);
  TX_MPI(MPI_Allreduce(&part, out, 1, MPI_UINT64_T, MPI_SUM, x->mesh->comm));
  return tx_agree(x->mesh->comm, status);
}

tx_status tx_field_checksum(const tx_field *f, uint64_t *out) {
  return tx_exec_checksum(f->x, f->x->all, f, out);
}
