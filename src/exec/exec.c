/* Creation, and the operations that need nothing of other ranks. */
#include "exec/common.h"

#include <limits.h>

#include "base/memory.h"
#include "physics/initial_data/initial_data.h"

/* Counts of messages must fit into the int that MPI takes. */
static tx_status messages_check(const tx_message *m, int n, int max_vars) {
  for (int i = 0; i < n; i++)
    TX_REQUIRE(m[i].n * max_vars <= INT_MAX, TX_ERR_MESH,
               "a message of %lld times %d numbers is longer than MPI can count; use more ranks",
               (long long)m[i].n, max_vars);
  return TX_OK;
}

/* The plan of the coarser grid that the mesh names, and messages that MPI can count. */
static tx_status level_check(const tx_exec *x) {
  const tx_level_plan *level = x->mesh->level;
  const int points = x->max_vars * (TX_N3 / 8);
  if (!level) return TX_OK;
  TX_REQUIRE(level->coarser == (x->coarser ? x->coarser->mesh : NULL), TX_ERR_USAGE,
             "the plan of the grid of level %d is made with that of the next coarser grid",
             x->mesh->level_lowest);
  TX_REQUIRE(x->backend->stage_store, TX_ERR_USAGE, "backend %s does not know grids of levels",
             x->backend->name);
  TX_TRY(messages_check(level->send_to, level->n_send_to, points));
  return messages_check(level->receive_from, level->n_receive_from, points);
}

static tx_status create_local(tx_exec *x) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  TX_REQUIRE(x->max_vars >= 1 && x->max_vars <= TX_FIELD_VARS, TX_ERR_USAGE,
             "fields of %d variables: 1 to %d are possible", x->max_vars, TX_FIELD_VARS);
  TX_TRY(level_check(x));
  TX_TRY(messages_check(g->send1_to, g->n_send1_to, x->max_vars));
  TX_TRY(messages_check(g->recv1_from, g->n_recv1_from, x->max_vars));
  TX_TRY(messages_check(g->send2_to, g->n_send2_to, x->max_vars));
  TX_TRY(messages_check(g->recv2_from, g->n_recv2_from, x->max_vars));
  return TX_OK;
}

static tx_status create_sets(tx_exec *x) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  tx_lidx *all = NULL;
  TX_TRY(tx_alloc((size_t)x->mesh->n_local, sizeof *all, "octant lists", &all));
  for (tx_lidx b = 0; b < x->mesh->n_local; b++) all[b] = b;
  tx_status status = tx_set_create(x, x->mesh->n_local, all, &x->all);
  tx_free(all);
  TX_TRY(status);
  TX_TRY(tx_set_create(x, g->n_interior, g->interior, &x->interior));
  return tx_set_create(x, g->n_boundary, g->boundary, &x->boundary);
}

static tx_status begin(const tx_mesh *mesh, int max_vars, tx_exec *coarser, tx_exec **out) {
  tx_exec *x = NULL;
  tx_status status = tx_alloc(1, sizeof *x, "exec", &x);
  if (status == TX_OK) {
    x->mesh = mesh;
    x->max_vars = max_vars;
    x->backend = tx_exec_backend();
    x->coarser = coarser;
  }
  *out = x;
  return status;
}

static void destroy_all(int n, tx_exec *x[]) {
  for (int i = n - 1; i >= 0; i--) {
    tx_exec_destroy(x[i]);
    x[i] = NULL;
  }
}

static tx_status begin_on(int n, const tx_mesh *const mesh[], int max_vars, tx_exec *coarser,
                          tx_exec *out[]) {
  tx_status status = TX_OK;
  for (int i = 0; i < n; i++) out[i] = NULL;
  for (int i = 0; i < n; i++)
    TX_THEN(status, begin(mesh[i], max_vars, i > 0 ? out[i - 1] : coarser, &out[i]));
  status = tx_agree(mesh[0]->comm, status);
  if (status != TX_OK) destroy_all(n, out);
  return status;
}

tx_status tx_exec_begin(const tx_mesh *mesh, int max_vars, tx_exec **out) {
  return begin_on(1, &mesh, max_vars, NULL, out);
}

static tx_status end(int n, tx_exec *const x[]) {
  MPI_Comm comm = x[0]->mesh->comm;
  tx_status status = TX_OK;
  for (int i = 0; i < n; i++) TX_THEN(status, create_local(x[i]));
  TX_TRY(tx_agree(comm, status));
  TX_TRY(x[0]->backend->create(n, x));
  for (int i = 0; i < n; i++) TX_THEN(status, create_sets(x[i]));
  return tx_agree(comm, status);
}

tx_status tx_exec_end(tx_exec *x) {
  return end(1, &x);
}

tx_status tx_exec_create_on(int n, const tx_mesh *const mesh[], int max_vars, tx_exec *coarser,
                            tx_exec *out[]) {
  TX_TRY(begin_on(n, mesh, max_vars, coarser, out));
  const tx_status status = end(n, out);
  if (status != TX_OK) destroy_all(n, out);
  return status;
}

tx_status tx_exec_create(const tx_mesh *mesh, int max_vars, tx_exec **out) {
  return tx_exec_create_on(1, &mesh, max_vars, NULL, out);
}

void tx_exec_destroy(tx_exec *x) {
  if (!x) return;
  tx_set_destroy(x->all);
  tx_set_destroy(x->interior);
  tx_set_destroy(x->boundary);
  if (x->backend) x->backend->destroy(x);
  tx_free(x->points);
  tx_free(x->parts);
  tx_free(x);
}

const tx_mesh *tx_exec_mesh(const tx_exec *x) {
  return x->mesh;
}

tx_status tx_exec_wait(const tx_exec *x) {
  return x->backend->wait ? x->backend->wait() : TX_OK;
}

size_t tx_exec_bytes(const tx_exec *x) {
  return x->bytes;
}

tx_status tx_exec_initial_data(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                               tx_field *u) {
  return tx_exec_initial_data_given(x, set, id, &(tx_given_fields){NULL, NULL}, u);
}

/* A profile is evaluated on the host: the data of GPUs and CPUs are the same then, and no kernel is made of it. */
static tx_status fill_profile(const tx_exec *x, const tx_set *set, const tx_initial_data *id,
                              tx_field *u) {
  double *block = NULL;
  TX_TRY(tx_alloc((size_t)u->n_vars * TX_N3, sizeof *block, "initial data", &block));
  tx_status status = TX_OK;
  for (tx_lidx i = 0; i < set->n && status == TX_OK; i++) {
    const tx_lidx b = set->octant[i];
    double x0[3];
    tx_mesh_origin(x->mesh, b, x0);
    tx_initial_profile_octant(id, u->system, x0, tx_mesh_spacing(x->mesh, x->mesh->octant[b].level),
                              block);
    status = tx_field_put(u, b, 1, block);
  }
  tx_free(block);
  return status;
}

tx_status tx_exec_initial_data_given(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                                     const tx_given_fields *given, tx_field *u) {
  const tx_field *fields[] = {given->u, given->w};
  TX_TRY(tx_set_check(x, set, "initial data"));
  for (int i = 0; i < 2; i++) {
    if (!fields[i]) continue;
    TX_TRY(tx_field_check_mesh(x, fields[i], "initial data"));
    TX_REQUIRE(fields[i]->n_vars == 1, TX_ERR_USAGE,
               "initial data: %s has %d variables, where one is wanted", i == 0 ? "u" : "w",
               fields[i]->n_vars);
  }
  TX_TRY(tx_field_check_mesh(x, u, "initial data"));
  TX_TRY(tx_field_check_state(u, "initial data"));
  tx_initial_map map;
  const bool profile = id->type == TX_ID_PROFILE;
  TX_REQUIRE(!profile || u->system->initial_at, TX_ERR_USAGE, "the system %s has no profiles",
             u->system->name);
  if (!profile) TX_TRY(tx_initial_map_of(u->system, &map));
  tx_field_touch(u);
  tx_status status;
  tx_phase_begin(TX_PHASE_INITIAL_DATA);
  if (profile)
    status = fill_profile(x, set, id, u);
  else
    TX_WORK(INITIAL_DATA, false, status, x->backend->initial_data(x, set, id, &map, given, u));
  tx_phase_end(TX_PHASE_INITIAL_DATA);
  return status;
}

/* Ghosts of f are at hand, or, for octants that wait for nothing more, will be. */
static tx_status check_ready(const tx_exec *x, const tx_set *set, const tx_field *f,
                             const char *operation) {
  TX_TRY(tx_set_check(x, set, operation));
  if (set->interior && x->begun == f->stamp) return tx_field_check_mesh(x, f, operation);
  return tx_field_check_ghosts(x, f, operation);
}

tx_status tx_patches_fetch(tx_exec *x, const tx_set *set, const tx_field *f, uint32_t mask,
                           double *patches) {
  tx_status status;
  TX_TRY(tx_set_check(x, set, "patches"));
  TX_TRY(tx_field_check_ghosts(x, f, "patches"));
  TX_REQUIRE(f->n_vars >= 32 || mask >> f->n_vars == 0, TX_ERR_USAGE,
             "patches of variables up to number %d, but the field has %d", 31 - __builtin_clz(mask),
             f->n_vars);
  TX_WORK(SAMPLES, false, status, x->backend->fetch(x, set, f, mask, patches));
  return status;
}

/* Extrapolate the outer planes of a field that an operation has written; f NULL: none. */
static tx_status extrapolate(tx_exec *x, const tx_set *set, tx_field *f) {
  const tx_face *low = x->mesh->domain.low;
  const bool outer = low[0] == TX_FACE_OUTER || low[1] == TX_FACE_OUTER || low[2] == TX_FACE_OUTER;
  return outer && f ? x->backend->outer_planes(x, set, f) : TX_OK;
}

tx_status tx_exec_outer_planes(tx_exec *x, const tx_set *set, tx_field *f) {
  TX_TRY(tx_set_check(x, set, "outer planes"));
  TX_TRY(tx_field_check_mesh(x, f, "outer planes"));
  TX_TRY(tx_field_check_polynomial(f, "outer planes"));
  tx_field_touch(f);
  tx_status status;
  TX_WORK(ENFORCE, false, status, extrapolate(x, set, f));
  return status;
}

static tx_status planes_of_stage(tx_exec *x, const tx_set *set, const tx_stage *stage) {
  TX_TRY(extrapolate(x, set, stage->next));
  return extrapolate(x, set, stage->sum);
}

/* All fields of a stage are states of one system, on this mesh, and those written differ. */
static tx_status stage_check(const tx_exec *x, const tx_stage *s) {
  const tx_field *field[] = {s->u, s->y, s->base_sum, s->sum, s->next};
  for (int i = 0; i < 5; i++) {
    if (!field[i]) continue;
    TX_TRY(tx_field_check_mesh(x, field[i], "stage"));
    TX_TRY(tx_field_check_state(field[i], "stage"));
    TX_REQUIRE(field[i]->system == s->u->system, TX_ERR_USAGE,
               "a stage works on states of one system, not of %s and %s", s->u->system->name,
               field[i]->system->name);
  }
  TX_REQUIRE(s->sum != s->y && s->next != s->y && s->sum != s->next &&
                 (s->sum != s->u || !s->next) && s->next != s->u && s->next != s->base_sum,
             TX_ERR_USAGE, "a stage cannot write into a field that it reads");
  return TX_OK;
}

tx_status tx_exec_stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                        const tx_stage *stage) {
  TX_TRY(tx_field_check_polynomial(stage->y, "stage"));
  TX_TRY(stage_check(x, stage));
  TX_TRY(check_ready(x, set, stage->y, "stage"));
  tx_field_touch(stage->sum);
  if (stage->next) tx_field_touch(stage->next);
  tx_status status;
  tx_phase_begin(TX_PHASE_RHS);
  TX_WORK(STAGE, false, status, x->backend->stage(x, set, p, stage));
  if (status == TX_OK) TX_WORK(STAGE, false, status, planes_of_stage(x, set, stage));
  tx_phase_end(TX_PHASE_RHS);
  return status;
}

tx_status tx_exec_update(tx_exec *x, const tx_set *set, const tx_field *k, const tx_stage *stage) {
  TX_TRY(stage_check(x, stage));
  TX_TRY(tx_set_check(x, set, "update"));
  TX_TRY(tx_field_check_mesh(x, k, "update"));
  tx_field_touch(stage->sum);
  if (stage->next) tx_field_touch(stage->next);
  tx_status status;
  TX_WORK(UPDATE, false, status, x->backend->update(x, set, k, stage));
  return status;
}

tx_status tx_exec_rhs(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                      tx_field *out) {
  TX_TRY(tx_field_check_polynomial(u, "right-hand side"));
  TX_TRY(check_ready(x, set, u, "right-hand side"));
  TX_TRY(tx_field_check_mesh(x, out, "right-hand side"));
  TX_TRY(tx_field_check_state(u, "right-hand side"));
  TX_REQUIRE(out->n_vars == u->n_vars && u != out, TX_ERR_USAGE,
             "a right-hand side takes two different fields of %d variables", u->n_vars);
  tx_field_touch(out);
  tx_status status;
  TX_WORK(RHS, false, status, x->backend->rhs(x, set, p, u, out));
  if (status == TX_OK) TX_WORK(RHS, false, status, extrapolate(x, set, out));
  return status;
}

tx_status tx_exec_enforce(tx_exec *x, const tx_set *set, const tx_system_params *p, tx_field *u) {
  TX_TRY(tx_set_check(x, set, "algebraic constraints"));
  TX_TRY(tx_field_check_mesh(x, u, "algebraic constraints"));
  TX_TRY(tx_field_check_state(u, "algebraic constraints"));
  tx_field_touch(u);
  tx_status status;
  TX_WORK(ENFORCE, false, status, x->backend->enforce(x, set, p, u));
  if (status == TX_OK) TX_WORK(ENFORCE, false, status, extrapolate(x, set, u));
  return status;
}
