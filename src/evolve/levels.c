#include "evolve/levels.h"

#include <math.h>
#include "base/memory.h"
#include "base/runge_kutta.h"
#include "base/timer.h"

/* A macro step under way. */
typedef struct macro_state {
  tx_levels *levels;
  const tx_macro_step *step;
  const tx_time_weight_tables *weights;
  tx_system_params physics;
  int level_of[TX_PUNCTURES_MAX]; /* number of the level that each puncture goes with */
  int parts, parts_due; /* of step->meanwhile: done; to be done before the finest level goes on */
  tx_status status;     /* the first failure here: every rank goes through all */
} macro_state;

/* Whether the step of a level needs what is still to be made: its own grid, or the next finer one, whose edge it makes. */
static bool needs_rest(const tx_levels *l, int level) {
  return l->leaves && level + 1 >= l->grids->kept;
}

/* Step of a level over the macro step: 2^-halvings. */
static int halvings(const macro_state *m, int level) {
  const int n = m->step->halvings - (m->levels->n - 1 - level);
  return n > 0 ? n : 0;
}

/* Punctures go with the level of the leaf that they begin in. */
static tx_status locate_punctures(macro_state *m) {
  const tx_tracker *tracker = m->step->tracker;
  const tx_level_grids *grids = m->levels->grids;
  for (int a = 0; a < tracker->n; a++) {
    const double *x = tracker->at[a].x;
    m->level_of[a] = tx_level_grids_locate(grids, x) - grids->lowest;
    TX_REQUIRE(m->level_of[a] >= 0, TX_ERR_MESH,
               "puncture %d at (%.10g, %.10g, %.10g) M lies outside the domain; raise grid.extent",
               a + 1, x[0], x[1], x[2]);
  }
  return TX_OK;
}

/* Let only punctures on this level move. */
static void choose_punctures(const macro_state *m, int level) {
  tx_tracker *tracker = m->step->tracker;
  tracker->still = 0;
  for (int a = 0; a < tracker->n; a++)
    if (m->level_of[a] != level) tracker->still |= 1u << a;
}

static tx_stage stage_of(const tx_levels *l, int level, int s, double dt) {
  const tx_field *state[4] = {l->u[level], l->y1[level], l->y2[level], l->y1[level]};
  tx_field *next[4] = {l->y1[level], l->y2[level], l->y1[level], NULL};
  return (tx_stage){
      .u = l->u[level],
      .y = state[s],
      .base_sum = s == 0 ? l->u[level] : l->sum[level],
      .sum = s == 3 ? l->u[level] : l->sum[level],
      .next = next[s],
      .dt_sum = tx_rk_weight[s] * dt,
      .dt_next = tx_rk_reach[s] * dt,
      .raw = true,
  };
}

/* The ghosts of a state of a level, and, if there is a finer one, stored stage k of that. `stage`: computed meanwhile. */
static void fill_and_compute(macro_state *m, int level, int k, tx_field *y, const tx_stage *stage) {
  tx_exec *x = m->levels->exec[level];
  const bool finer = level + 1 < m->levels->n;
  TX_KEEP(m->status, tx_ghosts_begin(x, y));
  if (stage) TX_KEEP(m->status, tx_exec_stage(x, tx_exec_interior(x), &m->physics, stage));
  TX_KEEP(m->status, tx_ghosts_end(x, y));
  if (finer) TX_KEEP(m->status, tx_stage_store_begin(m->levels->exec[level + 1], k, y));
  if (stage) TX_KEEP(m->status, tx_exec_stage(x, tx_exec_boundary(x), &m->physics, stage));
  if (finer) TX_KEEP(m->status, tx_stage_store_end(m->levels->exec[level + 1]));
}

/* One step of one level alone, from t, with the refinement boundary that `weights` makes; what its end is becomes the finer level's last edge
 * state. */
static void step_level(macro_state *m, int level, double t, double dt,
                       const tx_time_weights weights) {
  tx_levels *l = m->levels;
  tx_exec *x = l->exec[level];
  m->physics = *m->step->physics;
  m->physics.eta_max = ldexp(m->step->physics->eta_max, halvings(m, level) - m->step->halvings);
  for (int s = 0; s < 4; s++) {
    const tx_stage stage = stage_of(l, level, s, dt);
    tx_field *y = (tx_field *)stage.y;
    tx_system_params_at(&m->physics, t + tx_rk_time[s] * dt);
    if (level > 0) TX_KEEP(m->status, tx_level_boundary_make(x, weights[s], y));
    fill_and_compute(m, level, s, y, &stage);
    /* That of the stage before, of whichever level: see step.c. */
    TX_KEEP(m->status, tx_tracker_answer(m->step->tracker));
    if (s == 0) choose_punctures(m, level);
    tx_tracker_ask(m->step->tracker, s, dt, x, y);
  }
  if (level > 0) TX_KEEP(m->status, tx_level_boundary_make(x, weights[4], l->u[level]));
  if (level + 1 < l->n) fill_and_compute(m, level, 4, l->u[level], NULL);
  l->point_stages += 4.0 * (double)tx_exec_mesh(x)->n_global * TX_N3;
}

static void destroy_level(tx_levels *l, int level) {
  tx_field_destroy(l->u[level]);
  tx_exec_destroy(l->exec[level]);
  l->u[level] = NULL;
  l->exec[level] = NULL;
}

void tx_levels_rest(tx_levels *l) {
  if (!l) return;
  for (int i = 0; i < l->n; i++) {
    tx_field_destroy(l->sum[i]);
    tx_field_destroy(l->y1[i]);
    tx_field_destroy(l->y2[i]);
    l->sum[i] = l->y1[i] = l->y2[i] = NULL;
    if (l->exec[i]) tx_stored_stages_lend(l->exec[i], NULL);
  }
  for (int i = 0; i < 2; i++) {
    tx_exec_block_destroy(l->block[i]);
    l->block[i] = NULL;
  }
  l->doubles = l->second = 0;
}

/* A part of the memory that levels take turns with, doubles. */
typedef struct part {
  size_t at, doubles;
} part;

/* Parts of each level: the stored stages that it makes, its three states; and the size of all. */
typedef struct layout {
  part edges[TX_LEVELS], states[TX_LEVELS];
  size_t size;
} layout;

/* While a level steps, it needs its three states; the stored stages that it makes are needed until the next finer level has
 * stepped through the same time, and made others meanwhile. So stored stages lie one behind the other, coarsest first, and the
 * states of a level behind the last stored stages that it needs or makes: over those of finer levels, which have not begun. Of
 * levels 0 .. end - 1; where parts of a level lie does not depend on finer ones. */
static layout layout_of(const tx_levels *l, int end) {
  layout at = {.size = 0};
  size_t edges = 0;
  for (int i = 0; i < end; i++) {
    const size_t made = i + 1 < l->n ? tx_stored_stages_doubles(l->exec[i + 1]) : 0;
    const size_t states = 3 * tx_field_state_doubles(l->system, tx_level_grids_local(l->grids, i));
    at.edges[i] = (part){edges, made};
    edges += made;
    at.states[i] = (part){edges, states};
    if (edges + states > at.size) at.size = edges + states;
  }
  return at;
}

static bool fits(const tx_levels *l, const part *p) {
  return p->at + p->doubles <= l->doubles;
}

static double *place_of(const tx_levels *l, const part *p) {
  return fits(l, p) ? l->block[0] + p->at : l->block[1] + (p->at - l->second_at);
}

/* The second block, for what of levels from `first` on does not fit into the first one. */
static tx_status create_second(tx_levels *l, const layout *at, int first) {
  l->second_at = at->size;
  for (int i = first; i < l->n; i++) {
    const part *both[2] = {&at->edges[i], &at->states[i]};
    for (int k = 0; k < 2; k++)
      if (!fits(l, both[k]) && both[k]->at < l->second_at) l->second_at = both[k]->at;
  }
  l->second = at->size - l->second_at;
  return tx_exec_block_create(l->second, &l->block[1]);
}

/* The three states of levels first .. end - 1, and where the stored stages lie that they make. */
static tx_status create_scratch(tx_levels *l, const layout *at, int first, int end) {
  for (int i = first; i < end; i++) {
    const size_t doubles = at->states[i].doubles / 3;
    double *states = place_of(l, &at->states[i]);
    if (i + 1 < l->n) tx_stored_stages_lend(l->exec[i + 1], place_of(l, &at->edges[i]));
    TX_TRY(tx_field_create_state_in(l->exec[i], l->system, states, doubles, &l->sum[i]));
    TX_TRY(tx_field_create_state_in(l->exec[i], l->system, states + doubles, doubles, &l->y1[i]));
    TX_TRY(
        tx_field_create_state_in(l->exec[i], l->system, states + 2 * doubles, doubles, &l->y2[i]));
  }
  return TX_OK;
}

/* Memory for levels that are kept, but the last one, which steps when the next one is there; with room for the others, if they
 * are about as large as those before. */
static tx_status create_kept_scratch(tx_levels *l) {
  const int end = l->grids->kept - 1;
  if (end < 1) return TX_OK;
  const layout at = layout_of(l, end);
  l->doubles = at.size > l->enough ? at.size : l->enough;
  TX_TRY(tx_exec_block_create(l->doubles, &l->block[0]));
  return create_scratch(l, &at, 0, end);
}

/* Create the scratch copies of all other levels. */
static tx_status create_other_scratch(tx_levels *l) {
  const int first = l->grids->kept > 1 ? l->grids->kept - 1 : 0;
  const layout at = layout_of(l, l->n);
  l->enough = at.size + at.size / TX_LEVELS_GROWTH;
  TX_TRY(create_second(l, &at, first));
  return create_scratch(l, &at, first, l->n);
}

/* Leaves of levels from `first` on, then their covered octants, finest first. Those of the next coarser level have not changed: what
 * is prolonged or restricted there leaves coinciding points as they are. */
static tx_status load(tx_levels *l, int first, const tx_field *leaves) {
  tx_status status = tx_level_load_all(leaves, l->n - first, &l->exec[first], &l->u[first]);
  if (status != TX_OK) return status;
  for (int i = l->n - 1; i > first; i--)
    TX_KEEP(status, tx_level_inject(l->exec[i], l->u[i], l->u[i - 1]));
  return tx_agree(l->comm, status);
}

/* States of levels from `first` on, tables of all, scratch memory. Local. */
static tx_status create_states(tx_levels *l, int first) {
  for (int i = first; i < l->n; i++) TX_TRY(tx_field_create_state(l->exec[i], l->system, &l->u[i]));
  for (int i = 0; i < l->n; i++) TX_TRY(tx_level_prepare_store(l->exec[i]));
  return create_other_scratch(l);
}

/* Collective. All that begin() has left. */
static tx_status complete(tx_levels *l) {
  const int first = l->grids->kept;
  tx_phase_begin(TX_PHASE_REGRID);
  tx_status status = tx_level_grids_end(l->grids, l->mesh);
  TX_THEN(status, tx_exec_create_levels(l->grids, first, l->system->n_vars, l->exec));
  TX_THEN(status, tx_agree(l->comm, create_states(l, first)));
  TX_THEN(status, load(l, first, l->leaves));
  if (status == TX_OK) l->leaves = NULL;
  tx_phase_end(TX_PHASE_REGRID);
  return status;
}

/* Collective. What is kept can go on, the last level of it when the next one is there, whose edge it makes; the rest is made
 * when it is needed, if that comes later. */
static tx_status begin(tx_levels *l, const tx_mesh *mesh, const tx_field *leaves) {
  tx_level_grids *grids = NULL;
  TX_TRY(tx_level_grids_begin(mesh, l->grids, &grids));
  for (int i = l->n - 1; i >= grids->kept; i--) destroy_level(l, i);
  tx_level_grids_destroy(l->grids);
  l->grids = grids;
  l->n = grids->n;
  l->mesh = mesh;
  l->leaves = leaves;
  TX_TRY(tx_agree(l->comm, create_kept_scratch(l)));
  return needs_rest(l, 0) ? complete(l) : TX_OK;
}

tx_status tx_levels_create(const tx_mesh *mesh, const tx_field *leaves, tx_levels **out) {
  tx_levels *l = NULL;
  *out = NULL;
  TX_TRY(tx_agree(mesh->comm, tx_alloc(1, sizeof *l, "levels", &l)));
  l->comm = mesh->comm;
  l->system = tx_field_system(leaves);
  tx_phase_begin(TX_PHASE_REGRID);
  tx_status status = begin(l, mesh, leaves);
  tx_phase_end(TX_PHASE_REGRID);
  if (status == TX_OK)
    *out = l;
  else
    tx_levels_destroy(l);
  return status;
}

tx_status tx_levels_renew(tx_levels *l, const tx_mesh *mesh, const tx_field *leaves) {
  tx_phase_begin(TX_PHASE_REGRID);
  tx_levels_rest(l);
  const tx_status status = begin(l, mesh, leaves);
  tx_phase_end(TX_PHASE_REGRID);
  return status;
}

void tx_levels_destroy(tx_levels *l) {
  if (!l) return;
  tx_levels_rest(l);
  for (int i = l->n - 1; i >= 0; i--) destroy_level(l, i);
  tx_level_grids_destroy(l->grids);
  tx_free(l);
}

/* Before a level steps: what it needs and is still to be made, and what is done meanwhile; neither is part of a time step.
 * False if there is no level to step, on all ranks. */
static bool prepare(macro_state *m, int level) {
  const bool rest = needs_rest(m->levels, level);
  const bool meanwhile = m->parts < m->parts_due && m->step->meanwhile && level + 1 == m->levels->n;
  if (!rest && !meanwhile) return true;
  tx_step_end();
  if (rest) TX_KEEP(m->status, complete(m->levels));
  for (; meanwhile && m->parts < m->parts_due; m->parts++)
    TX_KEEP(m->status, m->step->meanwhile(m->step->with, m->parts));
  tx_step_begin();
  return !m->levels->leaves;
}

/* This level and all finer ones go on by dt. */
static void advance(macro_state *m, int level, double t, double dt, const tx_time_weights weights) {
  tx_levels *l = m->levels;
  if (!prepare(m, level)) return;
  step_level(m, level, t, dt, weights);
  if (level + 1 == l->n) return;
  if (halvings(m, level + 1) == halvings(m, level)) {
    advance(m, level + 1, t, dt, m->weights->whole);
  } else {
    advance(m, level + 1, t, 0.5 * dt, m->weights->first_half);
    if (halvings(m, level) == 0) m->parts_due = TX_MEANWHILE_PARTS; /* the second half begins */
    advance(m, level + 1, t + 0.5 * dt, 0.5 * dt, m->weights->second_half);
  }
  if (l->leaves) return; /* there are no finer levels: they could not be made */
  TX_KEEP(m->status, tx_level_inject(l->exec[level + 1], l->u[level + 1], l->u[level]));
}

tx_status tx_levels_step(tx_levels *levels, const tx_macro_step *step) {
  macro_state m = {.levels = levels, .step = step, .weights = step->weights};
  if (!m.weights) m.weights = &tx_time_weights_rk4;
  m.parts_due = step->halvings > 0 ? 1 : TX_MEANWHILE_PARTS;
  m.status = locate_punctures(&m);
  tx_step_begin();
  advance(&m, 0, step->t, step->dt, m.weights->whole);
  TX_KEEP(m.status, tx_tracker_answer(step->tracker));
  tx_step_end();
  step->tracker->still = 0;
  return tx_agree(levels->comm, m.status);
}

tx_status tx_levels_store(tx_levels *l, tx_field *leaves) {
  const bool second = l->second > l->doubles; /* the larger block */
  const tx_store all = {l->n, l->exec, l->u, l->block[second], second ? l->second : l->doubles};
  return tx_level_store_all(&all, leaves);
}

tx_status tx_levels_algebraic(tx_levels *l, double out[2]) {
  out[0] = out[1] = 0.0;
  for (int i = 0; i < l->n; i++) {
    double since[2] = {0.0, 0.0};
    TX_TRY(tx_exec_algebraic(l->exec[i], since));
    for (int c = 0; c < 2; c++)
      if (!(since[c] <= out[c])) out[c] = since[c];
  }
  return TX_OK;
}
