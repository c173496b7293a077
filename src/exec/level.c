/* Grids of levels: what is checked, agreed on and timed around the backend's operations. */
#include <string.h>

#include "exec/common.h"

tx_status tx_exec_create_levels(const tx_level_grids *grids, int first, int max_vars,
                                tx_exec *exec[]) {
  const tx_mesh *mesh[TX_LEVELS];
  const int n = grids->n - first;
  for (int i = 0; i < n; i++) mesh[i] = grids->grid[first + i];
  tx_exec *coarser = first > 0 ? exec[first - 1] : NULL;
  return n > 0 ? tx_exec_create_on(n, mesh, max_vars, coarser, &exec[first]) : TX_OK;
}

size_t tx_stored_stages_doubles(const tx_exec *fine) {
  return fine->coarser ? fine->backend->stored_stages_doubles(fine) : 0;
}

void tx_stored_stages_lend(tx_exec *fine, double *block) {
  memset(fine->stored_vars, 0, sizeof fine->stored_vars);
  if (fine->coarser) fine->backend->stored_stages_lend(fine, block);
}

static tx_status check_keep(const tx_exec *fine, int k, const tx_field *f) {
  TX_REQUIRE(fine->coarser, TX_ERR_USAGE,
             "the grid of level %d is the coarsest: it has no refinement boundary",
             fine->mesh->level_lowest);
  TX_REQUIRE(k >= 0 && k < TX_STORED_STAGES, TX_ERR_USAGE, "stored stage %d: there are 0 to %d", k,
             TX_STORED_STAGES - 1);
  TX_REQUIRE(f->n_vars <= fine->max_vars, TX_ERR_USAGE,
             "an stored stage of %d variables does not fit: the plan was made for up to %d",
             f->n_vars, fine->max_vars);
  return tx_field_check_ghosts_any(fine->coarser, f, "stored stage");
}

static tx_status keep(tx_exec *fine, int k, const tx_field *f, bool aside) {
  TX_TRY(check_keep(fine, k, f));
  fine->stored_vars[k] = f->n_vars;
  tx_status status;
  tx_phase_begin(TX_PHASE_GHOSTS);
  TX_WORK(BOUNDARIES, false, status, fine->backend->stage_store(fine, k, f, aside));
  tx_phase_end(TX_PHASE_GHOSTS);
  return status;
}

tx_status tx_stage_store_begin(tx_exec *fine, int k, const tx_field *f) {
  return keep(fine, k, f, true);
}

tx_status tx_stage_store_end(tx_exec *fine) {
  if (!fine->coarser || !fine->backend->stage_stored) return TX_OK;
  tx_phase_begin(TX_PHASE_GHOSTS);
  tx_status status = fine->backend->stage_stored(fine); /* it only waits */
  tx_phase_end(TX_PHASE_GHOSTS);
  return status;
}

tx_status tx_stage_store(tx_exec *fine, int k, const tx_field *f) {
  return keep(fine, k, f, false);
}

static tx_status check_make(const tx_exec *fine, const double c[TX_STORED_STAGES],
                            const tx_field *f) {
  bool some = false;
  TX_TRY(tx_field_check_any(fine, f, "edge"));
  TX_REQUIRE(fine->begun == 0, TX_ERR_USAGE, "edge: ghosts are still under way");
  for (int k = 0; k < TX_STORED_STAGES && fine->coarser; k++) {
    if (c[k] == 0.0) continue;
    some = true;
    TX_REQUIRE(fine->stored_vars[k] == f->n_vars, TX_ERR_USAGE,
               "stored stage %d of level %d has %d variables (0: it was not kept), the field %d", k,
               fine->mesh->level_lowest, fine->stored_vars[k], f->n_vars);
  }
  TX_REQUIRE(some || !fine->coarser, TX_ERR_USAGE,
             "all coefficients of the refinement boundary are 0");
  return TX_OK;
}

tx_status tx_level_boundary_make(tx_exec *fine, const double c[TX_STORED_STAGES], tx_field *f) {
  TX_TRY(check_make(fine, c, f));
  if (!fine->coarser) return TX_OK;
  tx_field_touch(f);
  fine->filled = 0; /* the slots no longer hold the refinement boundary of another field */
  tx_status status;
  tx_phase_begin(TX_PHASE_GHOSTS);
  TX_WORK(BOUNDARIES, false, status, fine->backend->level_boundary_make(fine, c, f));
  tx_phase_end(TX_PHASE_GHOSTS);
  fine->boundary_made = f->stamp;
  return status;
}

/* Fields of the evolution go on beyond outer faces, others have all their points. */
static tx_status outer_planes(tx_field *f) {
  return f->system ? tx_exec_outer_planes(f->x, f->x->all, f) : TX_OK;
}

static tx_status check_inject(const tx_exec *fine, const tx_field *f, const tx_field *coarse) {
  TX_REQUIRE(fine->coarser, TX_ERR_USAGE,
             "the grid of level %d is the coarsest: there is none to inject into",
             fine->mesh->level_lowest);
  TX_TRY(tx_field_check_any(fine, f, "injection"));
  TX_TRY(tx_field_check_any(fine->coarser, coarse, "injection"));
  TX_TRY(tx_field_check_precision(f, coarse, "injection"));
  TX_REQUIRE(f->n_vars == coarse->n_vars && f->n_vars <= fine->coarser->max_vars, TX_ERR_USAGE,
             "injection from a field of %d variables into one of %d", f->n_vars, coarse->n_vars);
  return TX_OK;
}

tx_status tx_level_inject(tx_exec *fine, const tx_field *f, tx_field *coarse) {
  TX_TRY(check_inject(fine, f, coarse));
  tx_field_touch(coarse);
  tx_status status;
  tx_phase_begin(TX_PHASE_HALO);
  TX_WORK(RESTRICTION, false, status, fine->backend->inject(fine, f, coarse));
  TX_THEN(status, outer_planes(coarse));
  tx_phase_end(TX_PHASE_HALO);
  return status;
}

static tx_status check_move(const tx_field *from, const tx_field *to) {
  const tx_mesh *a = from->x->mesh, *b = to->x->mesh;
  TX_REQUIRE(from->n_vars == to->n_vars, TX_ERR_USAGE,
             "leaves of %d variables cannot become those of a field of %d", from->n_vars,
             to->n_vars);
  TX_REQUIRE(a->revision == b->revision, TX_ERR_MESH,
             "leaves of revision %llu of the mesh cannot go to revision %llu; make the grids of "
             "levels anew after each regrid",
             (unsigned long long)a->revision, (unsigned long long)b->revision);
  return TX_OK;
}

static tx_status direct(const tx_field *f, bool write) {
  return f->x->backend->direct ? f->x->backend->direct(f, write) : TX_OK;
}

/* Whether the two are of a level and of leaves. */
static tx_status check_sides(const tx_exec *level, const tx_field *f, const tx_field *leaves) {
  TX_REQUIRE(level->mesh->level && !leaves->x->mesh->level, TX_ERR_USAGE,
             "leaves go between the mesh of leaves and the grid of a level");
  return tx_field_check_mesh(level, f, "leaves of a level");
}

/* Octants that leave this rank. */
static tx_lidx leaving(const tx_transfer *t) {
  return t->n_remap - t->n_stay;
}

/* This rank's part before any leaves are loaded, or stored, but for memory; *most grows to the octants that leave it at a
 * time. */
static tx_status get_ready(tx_exec *level, const tx_field *f, const tx_field *leaves, bool load,
                           tx_lidx *most) {
  TX_TRY(check_sides(level, f, leaves));
  TX_TRY(load ? check_move(leaves, f) : check_move(f, leaves));
  TX_TRY(direct(f, load));
  if (!load) TX_TRY(tx_level_prepare_store(level));
  const tx_level_plan *plan = level->mesh->level;
  const tx_lidx n = leaving(load ? &plan->load : &plan->store);
  if (n > *most) *most = n;
  return TX_OK;
}

/* Collective. By the level's plan: that of the leaves may not be complete. */
static tx_status load(const tx_field *leaves, tx_exec *level, double *send_buffer, tx_field *f) {
  const tx_transfer *t = &level->mesh->level->load;
  tx_status status, moved;
  TX_WORK(REDISTRIBUTION, false, status, tx_transfer_remap(level, leaves, t, send_buffer, f->data));
  tx_field_touch(f);
  TX_WORK(REDISTRIBUTION, false, moved, level->backend->redistribute(level, t, send_buffer, f));
  TX_KEEP(status, moved); /* others wait for it, whatever failed before */
  TX_THEN(status, outer_planes(f));
  return status;
}

tx_status tx_level_load_all(const tx_field *leaves, int n, tx_exec *const level[],
                            tx_field *const f[]) {
  const tx_exec *x = leaves->x;
  double *send_buffer = NULL;
  tx_lidx most = 0;
  tx_status status = TX_OK;
  for (int i = 0; i < n; i++) TX_THEN(status, get_ready(level[i], f[i], leaves, true, &most));
  TX_THEN(status, x->backend->alloc((size_t)most * (size_t)leaves->n_vars * TX_N3,
                                    "redistributed octants", &send_buffer));
  status = tx_agree(x->mesh->comm, status); /* nobody sends to a rank that gave up */
  if (status == TX_OK) {
    for (int i = 0; i < n; i++) TX_KEEP(status, load(leaves, level[i], send_buffer, f[i]));
    status = tx_agree(x->mesh->comm, status);
  }
  x->backend->free(send_buffer);
  return status;
}

tx_status tx_level_prepare_store(tx_exec *level) {
  return level->backend->prepare_store ? level->backend->prepare_store(level) : TX_OK;
}

/* Numbers first .. end - 1 of the leaves that are stored, from octants that follow each other. */
static tx_status scatter(tx_exec *level, const double *octants, tx_lidx first, tx_lidx end,
                         tx_field *leaves) {
  return level->backend->scatter(level, octants, first, end - first, leaves);
}

/* Numbers of leaves that are stored, if some of them come from other ranks. */
static tx_lidx arriving(const tx_level_plan *plan) {
  return plan->n_stored > plan->store.n_stay ? plan->n_stored : 0;
}

/* Leaves that came from other ranks to `arrived`, those that stayed straight from f. */
static tx_status scatter_all(tx_exec *level, const tx_field *f, const tx_field *arrived,
                             tx_field *leaves) {
  const tx_level_plan *plan = level->mesh->level;
  const tx_transfer *t = &plan->store;
  const tx_lidx end = t->stay_to + t->n_stay;
  const size_t block = (size_t)f->n_vars * TX_N3;
  TX_TRY(scatter(level, f->data + (size_t)t->stay_from * block, t->stay_to, end, leaves));
  if (t->stay_to > 0) TX_TRY(scatter(level, arrived->data, 0, t->stay_to, leaves));
  if (end == plan->n_stored) return TX_OK;
  return scatter(level, arrived->data + (size_t)end * block, end, plan->n_stored, leaves);
}

/* Collective. Leaves from other ranks through `arrived`, which has room for all. */
static tx_status store(tx_exec *level, const tx_field *f, double *send_buffer, tx_field *arrived,
                       tx_field *leaves) {
  const tx_transfer *t = &level->mesh->level->store;
  tx_status status = tx_transfer_remap(level, f, t, send_buffer, NULL);
  /* Others wait for it, whatever failed before. */
  TX_KEEP(status, level->backend->redistribute(level, t, send_buffer, arrived));
  TX_THEN(status, scatter_all(level, f, arrived, leaves));
  return status;
}

/* Scratch memory for leaves that leave and for those that arrive, for which there may be room. */
static tx_status store_memory(const tx_field *leaves, const tx_lidx most[2], size_t room,
                              double **send_buffer, double **own) {
  const size_t block = (size_t)leaves->n_vars * TX_N3;
  const tx_backend *backend = leaves->x->backend;
  TX_TRY(backend->alloc((size_t)most[0] * block, "redistributed octants", send_buffer));
  if ((size_t)most[1] * block <= room) return TX_OK;
  return backend->alloc((size_t)most[1] * block, "redistributed octants", own);
}

static tx_status store_all(const tx_store *s, tx_field *leaves) {
  const tx_exec *x = leaves->x;
  double *send_buffer = NULL, *own = NULL;
  tx_lidx most[2] = {0, 0}; /* that leave, that arrive */
  tx_status status = TX_OK;
  for (int i = 0; i < s->n; i++) {
    TX_THEN(status, get_ready(s->level[i], s->f[i], leaves, false, &most[0]));
    if (status == TX_OK && arriving(s->level[i]->mesh->level) > most[1])
      most[1] = arriving(s->level[i]->mesh->level);
  }
  TX_THEN(status, store_memory(leaves, most, s->room ? s->doubles : 0, &send_buffer, &own));
  status = tx_agree(x->mesh->comm, status); /* nobody sends to a rank that gave up */
  if (status == TX_OK) {
    tx_field arrived = {.x = leaves->x, .n_vars = leaves->n_vars, .lent = true};
    arrived.data = own ? own : s->room;
    tx_field_touch(leaves);
    for (int i = 0; i < s->n; i++) {
      tx_status stored;
      TX_WORK(REDISTRIBUTION, false, stored,
              store(s->level[i], s->f[i], send_buffer, &arrived, leaves));
      TX_KEEP(status, stored);
    }
    status = tx_agree(x->mesh->comm, status);
  }
  x->backend->free(send_buffer);
  x->backend->free(own);
  return status;
}

tx_status tx_level_store_all(const tx_store *s, tx_field *leaves) {
  tx_phase_begin(TX_PHASE_HALO);
  const tx_status status = store_all(s, leaves);
  tx_phase_end(TX_PHASE_HALO);
  return status;
}

tx_status tx_level_store(tx_exec *level, tx_field *f, double *room, size_t doubles,
                         tx_field *leaves) {
  return tx_level_store_all(&(tx_store){1, &level, &f, room, doubles}, leaves);
}
