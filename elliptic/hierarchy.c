/* The levels of a forest with the fields of an elliptic equation, and what goes between them. */
#include <string.h>

#include "base/memory.h"
#include "elliptic/internal.h"

static tx_status check(const tx_elliptic_equation *q) {
  TX_REQUIRE(q->order == 2 || q->order == 4 || q->order == 6, TX_ERR_USAGE,
             "an elliptic equation with differences of order %d; there are 2, 4 and 6", q->order);
  TX_REQUIRE(
      q->falloff > 0.0, TX_ERR_USAGE,
      "the solution of an elliptic equation falls off like r^-%g; the exponent must be above 0",
      q->falloff);
  TX_REQUIRE(q->coefficients >= 0 && q->coefficients <= TX_ELLIPTIC_COEFFICIENTS, TX_ERR_USAGE,
             "an elliptic equation with %d coefficients; there are up to %d", q->coefficients,
             TX_ELLIPTIC_COEFFICIENTS);
  return TX_OK;
}

static tx_field_var even_var(const tx_elliptic *e) {
  return (tx_field_var){
      .parity = {1, 1, 1}, .outer = TX_OUTER_ROBIN, .falloff = e->equation.falloff};
}

tx_status tx_elliptic_field(const tx_elliptic *e, int l, tx_field **out) {
  const tx_field_var var = even_var(e);
  return tx_field_create(e->level[l].x, 1, &var, out);
}

tx_status tx_elliptic_field_single(const tx_elliptic *e, int l, tx_field **out) {
  const tx_field_var var = even_var(e);
  return tx_field_create_single(e->level[l].x, &var, out);
}

static tx_status create_fields(tx_elliptic *e, int i) {
  tx_elliptic_level *l = &e->level[i];
  tx_field **all[] = {&l->u, &l->before, &l->v, &l->p, &l->f, &l->q, &l->given, &l->cover};
  for (size_t m = 0; m < sizeof all / sizeof all[0]; m++) TX_TRY(tx_elliptic_field(e, i, all[m]));
  for (int m = 0; m < e->equation.coefficients; m++) TX_TRY(tx_elliptic_field(e, i, &l->c[m]));
  return TX_OK;
}

/* Leaves come first. */
static tx_status create_covered(tx_elliptic_level *l) {
  const tx_mesh *mesh = tx_exec_mesh(l->x);
  const tx_lidx n = mesh->n_local - mesh->n_leaf;
  tx_lidx *list = NULL;
  TX_TRY(tx_alloc((size_t)n, sizeof *list, "multigrid", &list));
  for (tx_lidx i = 0; i < n; i++) list[i] = mesh->n_leaf + i;
  const tx_status status = tx_set_create(l->x, n, list, &l->covered);
  tx_free(list);
  return status;
}

static tx_status create_levels(tx_elliptic *e) {
  MPI_Comm comm = e->leaves->comm;
  tx_exec *x[TX_LEVELS];
  TX_TRY(tx_level_grids_create_whole(e->leaves, tx_level_share(), &e->grids));
  TX_TRY(tx_exec_create_levels(e->grids, 0, 1, x));
  e->n = e->grids->n;
  for (int i = 0; i < e->n; i++) e->level[i].x = x[i];
  for (int i = 0; i < e->n; i++) {
    tx_elliptic_level *l = &e->level[i];
    if (i > 0) TX_TRY(tx_descender_create(l->x, &l->down));
    tx_status status = create_covered(l);
    TX_THEN(status, create_fields(e, i));
    TX_TRY(tx_agree(comm, status));
  }
  return TX_OK;
}

void tx_elliptic_ghosts(tx_elliptic *e, int l, tx_field *f, int state) {
  double c[TX_STORED_STAGES] = {0.0};
  c[state] = 1.0;
  if (l > 0) TX_KEEP(e->status, tx_level_boundary_make(e->level[l].x, c, f));
  TX_KEEP(e->status, tx_ghosts_fill(e->level[l].x, f));
}

void tx_elliptic_edge(tx_elliptic *e, int l, int state) {
  tx_elliptic_ghosts(e, l, e->level[l].u, state);
  if (l + 1 == e->n) return;
  TX_KEEP(e->status, tx_stage_store(e->level[l + 1].x, TX_ELLIPTIC_EDGE_U, e->level[l].u));
}

void tx_elliptic_restrict(tx_elliptic *e, int l, tx_field *f, tx_field *to) {
  const tx_elliptic_level *fine = &e->level[l];
  tx_elliptic_ghosts(e, l, f, TX_ELLIPTIC_EDGE_ZERO);
  TX_KEEP(e->status, tx_level_restrict(fine->down, f, fine->p, to));
}

void tx_elliptic_pointwise(tx_elliptic *e, int l, const tx_pointwise_call *call, tx_field *out) {
  TX_KEEP(e->status, tx_exec_pointwise(e->level[l].x, tx_exec_all(e->level[l].x), call, out));
}

void tx_elliptic_cover(tx_elliptic *e, int l, const tx_pointwise_call *call, tx_field *out) {
  TX_KEEP(e->status, tx_exec_pointwise(e->level[l].x, e->level[l].covered, call, out));
}

/* Planes of the finer level may be of another state: what they would be injected to is not covered. */
void tx_elliptic_complete(tx_elliptic *e) {
  for (int l = e->n - 1; l > 0; l--) {
    const tx_elliptic_level *fine = &e->level[l], *coarse = &e->level[l - 1];
    const tx_pointwise_call call = {
        TX_POINTWISE_COVERED, {coarse->u, coarse->p, coarse->cover}, {0.0}};
    TX_KEEP(e->status, tx_level_inject(fine->x, fine->u, coarse->p));
    tx_elliptic_cover(e, l - 1, &call, coarse->u);
  }
  for (int l = 0; l < e->n; l++) tx_elliptic_edge(e, l, TX_ELLIPTIC_EDGE_U);
}

/* A field of a level becomes `value` everywhere. */
static void fill(tx_elliptic *e, int l, double value, tx_field *f) {
  TX_KEEP(e->status, tx_exec_fill(e->level[l].x, tx_exec_all(e->level[l].x), value, f));
}

/* Edges of zeros; then what covers what, from the finest level on: ones are weighted as residuals will be, and injected. */
static void cover(tx_elliptic *e) {
  for (int l = 0; l + 1 < e->n; l++) {
    tx_elliptic_ghosts(e, l, e->level[l].u, TX_ELLIPTIC_EDGE_ZERO);
    for (int k = TX_ELLIPTIC_EDGE_U; k <= TX_ELLIPTIC_EDGE_ZERO; k++)
      TX_KEEP(e->status, tx_stage_store(e->level[l + 1].x, k, e->level[l].u));
  }
  for (int l = e->n - 1; l > 0; l--) {
    const tx_elliptic_level *fine = &e->level[l], *coarse = &e->level[l - 1];
    const tx_pointwise_call over = {TX_POINTWISE_QUOTIENT, {coarse->before, coarse->p}, {1e-3}};
    fill(e, l, 1.0, fine->v);
    fill(e, l - 1, 0.0, coarse->before);
    fill(e, l - 1, 0.0, coarse->p);
    tx_elliptic_restrict(e, l, fine->v, coarse->p);
    TX_KEEP(e->status, tx_level_inject(fine->x, fine->v, coarse->before));
    TX_KEEP(e->status, tx_exec_pointwise(coarse->x, tx_exec_all(coarse->x), &over, coarse->cover));
  }
}

void tx_elliptic_blank(tx_elliptic *e, int l) {
  const tx_elliptic_level *at = &e->level[l];
  const double zero[TX_STORED_STAGES] = {[TX_ELLIPTIC_EDGE_ZERO] = 1.0};
  const tx_pointwise_call call = {TX_POINTWISE_UNCOVERED, {at->v, at->cover}, {0.0}};
  if (l > 0) TX_KEEP(e->status, tx_level_boundary_make(at->x, zero, at->v));
  tx_elliptic_pointwise(e, l, &call, at->v);
}

/* Points with an equation: those that are not covered, nor planes, whose v is 0 after this. */
static void count(tx_elliptic *e) {
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    const tx_set *all = tx_exec_all(at->x);
    tx_field_norm norm;
    fill(e, l, 1.0, at->v);
    tx_elliptic_blank(e, l);
    TX_KEEP(e->status, tx_exec_norms(at->x, all, at->v, &norm, NULL));
    e->points += (int64_t)norm.sum;
  }
}

tx_status tx_elliptic_create(const tx_mesh *leaves, const tx_elliptic_equation *equation,
                             tx_elliptic **out) {
  tx_elliptic *e = NULL;
  *out = NULL;
  TX_TRY(check(equation));
  tx_status status = tx_agree(leaves->comm, tx_alloc(1, sizeof *e, "multigrid", &e));
  if (status == TX_OK) {
    e->leaves = leaves;
    e->equation = *equation;
    status = create_levels(e);
  }
  if (status == TX_OK) {
    cover(e);
    count(e);
    status = tx_agree(leaves->comm, e->status);
  }
  if (status == TX_OK)
    *out = e;
  else
    tx_elliptic_destroy(e);
  return status;
}

static void destroy_level(tx_elliptic_level *l) {
  tx_set_destroy(l->covered);
  tx_field *all[] = {l->u, l->before, l->v, l->p, l->f, l->q, l->given, l->cover};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tx_field_destroy(all[i]);
  for (int i = 0; i < TX_ELLIPTIC_COEFFICIENTS; i++) tx_field_destroy(l->c[i]);
  for (int i = 0; i < TX_ELLIPTIC_SINGLES; i++) tx_field_destroy(l->single[i]);
  tx_descender_destroy(l->down);
  tx_exec_destroy(l->x);
}

void tx_elliptic_destroy(tx_elliptic *e) {
  if (!e) return;
  for (int l = e->n - 1; l >= 0; l--) destroy_level(&e->level[l]);
  tx_level_grids_destroy(e->grids);
  tx_free(e);
}

static void give_octant(const tx_mesh *mesh, tx_lidx b, tx_elliptic_function function,
                        const void *data, double *values) {
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  double x0[3];
  tx_mesh_origin(mesh, b, x0);
  for (int n = 0; n < TX_N3; n++) {
    const double x[3] = {x0[0] + n % TX_N * h, x0[1] + n / TX_N % TX_N * h,
                         x0[2] + n / (TX_N * TX_N) * h};
    values[n] = function(data, x);
  }
}

/* As many octants at once as views take. */
static tx_status give_level(const tx_elliptic_level *l, tx_field *f, tx_elliptic_function function,
                            const void *data) {
  const tx_mesh *mesh = tx_exec_mesh(l->x);
  double *values = NULL;
  TX_TRY(tx_alloc((size_t)TX_VIEW_OCTANTS * TX_N3, sizeof *values, "elliptic grid", &values));
  tx_status status = TX_OK;
  for (tx_lidx first = 0; first < mesh->n_local; first += TX_VIEW_OCTANTS) {
    const tx_lidx left = mesh->n_local - first, n = left < TX_VIEW_OCTANTS ? left : TX_VIEW_OCTANTS;
#pragma omp parallel for schedule(static)
    for (tx_lidx i = 0; i < n; i++)
      give_octant(mesh, first + i, function, data, values + (size_t)i * TX_N3);
    TX_THEN(status, tx_field_put(f, first, n, values));
  }
  tx_free(values);
  return status;
}

tx_status tx_elliptic_give(tx_elliptic *e, int i, tx_elliptic_function function, const void *data) {
  TX_REQUIRE(i >= TX_ELLIPTIC_F && i < e->equation.coefficients, TX_ERR_USAGE,
             "coefficient %d of an elliptic equation that has %d", i, e->equation.coefficients);
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    TX_TRY(give_level(at, i == TX_ELLIPTIC_F ? at->given : at->c[i], function, data));
  }
  return TX_OK;
}

tx_status tx_elliptic_store(tx_elliptic *e, tx_field *leaves) {
  for (int l = 0; l < e->n; l++)
    TX_TRY(tx_level_store(e->level[l].x, e->level[l].u, NULL, 0, leaves));
  return TX_OK;
}
