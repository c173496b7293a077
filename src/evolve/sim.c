#include "evolve/sim.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "base/timer.h"
#include "refine/criterion.h"
#include "evolve/data.h"
#include "evolve/macro_step.h"
#include "evolve/stability.h"

int tx_sim_halvings(const tx_params *p, const tx_mesh *mesh) {
  return tx_macro_levels(p, mesh->level_highest, mesh->level_lowest);
}

double tx_sim_full_step(const tx_params *p, const tx_mesh *mesh) {
  return tx_time_step(p, tx_mesh_spacing(mesh, tx_step_level(p, mesh->level_highest)));
}

/* Largest distance of the grid's centre ahead of a puncture, over the radius of its finest level. */
#define AHEAD_MOST 0.5

/* Extrapolate the position of puncture a for the grid. */
static void expect(const tx_sim *sim, int a, double x[3]) {
  const tx_puncture *p = &sim->tracker.at[a];
  const double most = AHEAD_MOST * tx_params_hole_of(sim->params, a).radius;
  double time = TX_POLICY_AHEAD * sim->params->grid_regrid_every * sim->dt;
  const double way = time * sqrt(p->v[0] * p->v[0] + p->v[1] * p->v[1] + p->v[2] * p->v[2]);
  if (way > most) time *= most / way;
  for (int d = 0; d < 3; d++) x[d] = p->x[d] + time * p->v[d];
}

void tx_sim_policy(const tx_sim *sim, tx_policy *out) {
  double x[TX_PUNCTURES_MAX][3];
  for (int a = 0; a < sim->tracker.n; a++) expect(sim, a, x[a]);
  tx_policy_init(sim->params, sim->tracker.n, (const double(*)[3])x, sim->puncture_level, out);
  if (sim->merged && sim->params->grid_remnant_level >= 0)
    out->level_max = sim->params->grid_remnant_level;
  out->limit = &sim->limit;
}

/* Finest level of each puncture of the data: puncture 1 of the parameters may be missing. */
static void puncture_levels(const tx_params *p, const tx_adm_numbers *adm, int *level) {
  bool first_missing = adm->n == 1 && !(p->initial_data_bhN_mass[0] > 0.0);
  for (int a = 0; a < adm->n; a++) level[a] = tx_policy_puncture_level(p, first_missing ? 1 : a);
}

void tx_policy_start(const tx_params *p, const tx_adm_numbers *adm, tx_policy *out) {
  int level[TX_PUNCTURES_MAX];
  puncture_levels(p, adm, level);
  tx_policy_init(p, adm->n, (const double(*)[3])adm->position, level, out);
}

static void place_punctures(tx_sim *sim) {
  tx_initial_data_adm(sim->id, &sim->adm);
  tx_tracker_init(&sim->tracker, sim->adm.n, (const double(*)[3])sim->adm.position);
  puncture_levels(sim->params, &sim->adm, sim->puncture_level);
}

static tx_status fill_initial_state(tx_sim *sim, const tx_given_fields *given) {
  const tx_set *all = tx_exec_all(sim->exec);
  TX_TRY(tx_field_create_state(sim->exec, sim->system, &sim->u));
  TX_TRY(tx_exec_initial_data_given(sim->exec, all, sim->id, given, sim->u));
  return tx_exec_enforce(sim->exec, all, &sim->physics, sim->u);
}

static tx_status create_initial_state(tx_sim *sim) {
  const tx_field_var even = {.parity = {1, 1, 1}};
  tx_data_fields given = {NULL, NULL};
  tx_status status = TX_OK;
  tx_phase_begin(TX_PHASE_INITIAL_DATA);
  if (tx_params_on_grid(sim->params))
    status = tx_agree(sim->comm, tx_field_create(sim->exec, 1, &even, &given.u));
  if (tx_params_lapse_on_grid(sim->params))
    TX_THEN(status, tx_agree(sim->comm, tx_field_create(sim->exec, 1, &even, &given.w)));
  TX_THEN(status, tx_data_solve(sim->params, sim->mesh, sim->id, &given));
  tx_initial_data_adm(sim->id, &sim->adm);
  TX_THEN(status,
          tx_agree(sim->comm, fill_initial_state(sim, &(tx_given_fields){given.u, given.w})));
  if (sim->data_only)
    sim->regular = given.u;
  else
    tx_field_destroy(given.u);
  tx_field_destroy(given.w);
  tx_phase_end(TX_PHASE_INITIAL_DATA);
  return status;
}

static tx_status create_data(tx_sim *sim) {
  TX_TRY(tx_data_create(sim->comm, sim->params, &sim->id));
  place_punctures(sim);
  return TX_OK;
}

/* Counts and time step that follow from the mesh; operations on it. */
static tx_status attach_mesh(tx_sim *sim) {
  TX_TRY(tx_exec_create(sim->mesh, tx_system_fields(sim->system), &sim->exec));
  sim->points = sim->points_most = sim->mesh->n_global * TX_N3;
  sim->dt = tx_sim_full_step(sim->params, sim->mesh);
  sim->halvings = tx_sim_halvings(sim->params, sim->mesh);
  return TX_OK;
}

static tx_status build(tx_sim *sim) {
  TX_TRY(create_data(sim));
  tx_policy policy;
  tx_sim_policy(sim, &policy);
  TX_TRY(tx_grid_build(sim->comm, sim->params, sim->id, &policy, &sim->tree, &sim->mesh));
  TX_TRY(attach_mesh(sim));
  return create_initial_state(sim);
}

static tx_status build_on(tx_sim *sim) {
  TX_TRY(tx_mesh_create(sim->tree, &sim->mesh));
  TX_TRY(create_data(sim));
  TX_TRY(attach_mesh(sim));
  return tx_agree(sim->comm, tx_field_create_state(sim->exec, sim->system, &sim->u));
}

tx_status tx_sim_check_memory(MPI_Comm comm, const tx_params *p) {
  tx_grid_limit limit;
  tx_domain domain;
  tx_sim_domain(p, &domain);
  TX_TRY(tx_grid_limit_of_fields(comm, tx_system_of(p), tx_step_copies(p), &limit));
  return tx_agree(comm, tx_grid_limit_check(&limit, tx_domain_octants(&domain, p->grid_level_min)));
}

/* copies of the state that there must be room for; DATA_ONLY: one, and nothing will be evolved. */
#define DATA_ONLY 0
static tx_status create(MPI_Comm comm, const tx_params *p, tx_octree *tree, double copies,
                        tx_sim **out) {
  tx_sim *sim = NULL;
  *out = NULL;
  tx_status status = tx_agree(comm, tx_alloc(1, sizeof *sim, "simulation", &sim));
  if (status != TX_OK) {
    tx_free(sim);
    tx_octree_destroy(tree);
    return status;
  }
  sim->comm = comm;
  sim->params = p;
  sim->tree = tree;
  sim->data_only = copies == DATA_ONLY;
  status = tx_agree(comm, tx_system_check(p));
  if (status == TX_OK) {
    sim->system = tx_system_of(p);
    tx_sim_physics(p, &sim->physics);
  }
  TX_THEN(status,
          tx_grid_limit_of_fields(comm, sim->system, sim->data_only ? 1 : copies, &sim->limit));
  TX_THEN(status, tree ? build_on(sim) : build(sim));
  if (status == TX_OK)
    *out = sim;
  else
    tx_sim_destroy(sim);
  return status;
}

tx_status tx_sim_create(MPI_Comm comm, const tx_params *p, tx_sim **out) {
  return create(comm, p, NULL, tx_step_copies(p), out);
}

tx_status tx_sim_create_data(MPI_Comm comm, const tx_params *p, tx_sim **out) {
  return create(comm, p, NULL, DATA_ONLY, out);
}

tx_status tx_sim_create_on(MPI_Comm comm, const tx_params *p, tx_octree *tree, tx_sim **out) {
  return create(comm, p, tree, tx_step_copies(p), out);
}

void tx_sim_destroy(tx_sim *sim) {
  if (!sim) return;
  tx_levels_destroy(sim->levels);
  tx_field_destroy(sim->u);
  tx_field_destroy(sim->regular);
  tx_field_destroy(sim->sum);
  tx_field_destroy(sim->y1);
  tx_field_destroy(sim->y2);
  tx_exec_destroy(sim->exec);
  tx_mesh_destroy(sim->mesh);
  tx_octree_destroy(sim->tree);
  tx_initial_data_destroy(sim->id);
  tx_free(sim);
}

/* Numbers of the initial data that a solution on the first grid brought. */
static void adm_records(tx_adm_numbers *adm, tx_record_list *list) {
  static const tx_member solution[] = {
      TX_MEMBER(tx_adm_numbers, energy),   TX_MEMBER(tx_adm_numbers, residual),
      TX_MEMBER(tx_adm_numbers, cycles),   TX_MEMBER(tx_adm_numbers, mass_bare),
      TX_MEMBER(tx_adm_numbers, mass_adm),
  };
  static const tx_members members = TX_MEMBERS(tx_adm_numbers, solution);
  tx_records_add_members(list, "initial_data/", &members, adm, 1);
}

void tx_sim_records(tx_sim *sim, tx_record_list *list) {
  static const tx_member clock[] = {
      TX_MEMBER(tx_sim, step),
      TX_MEMBER(tx_sim, step_since),
      TX_MEMBER(tx_sim, t),
      TX_MEMBER(tx_sim, t_since),
      TX_MEMBER(tx_sim, dt),
      TX_MEMBER(tx_sim, points_most),
      TX_MEMBER(tx_sim, regrids),
      TX_MEMBER(tx_sim, refined),
      TX_MEMBER(tx_sim, coarsened),
      TX_MEMBER(tx_sim, algebraic),
      TX_MEMBER(tx_sim, point_stages),
      TX_MEMBER(tx_sim, point_stages_global),
  };
  static const tx_members members = TX_MEMBERS(tx_sim, clock);
  tx_records_add_members(list, "", &members, sim, 1);
  adm_records(&sim->adm, list);
  tx_tracker_records(&sim->tracker, list);
}

tx_status tx_sim_complete(tx_sim *sim) {
  if (!sim->incomplete) return TX_OK;
  tx_phase_begin(TX_PHASE_REGRID);
  tx_status status = tx_mesh_end(sim->mesh);
  TX_THEN(status, tx_exec_end(sim->exec));
  TX_THEN(status,
          tx_agree(sim->comm, tx_exec_outer_planes(sim->exec, tx_exec_all(sim->exec), sim->u)));
  tx_phase_end(TX_PHASE_REGRID);
  sim->incomplete = status != TX_OK;
  return status;
}

/* Balls around the punctures that norms leave out. */
static int balls_of(const tx_sim *sim, tx_ball balls[TX_PUNCTURES_MAX]) {
  const int n = sim->params->output_norms_exclude > 0.0 ? sim->tracker.n : 0;
  for (int a = 0; a < n; a++) {
    memcpy(balls[a].centre, sim->tracker.at[a].x, sizeof balls[a].centre);
    balls[a].radius = sim->params->output_norms_exclude;
  }
  return n;
}

tx_status tx_sim_norms(tx_sim *sim, tx_norms *out) {
  tx_ball balls[TX_PUNCTURES_MAX];
  const int n = balls_of(sim, balls);
  tx_system_params physics = sim->physics;
  tx_system_params_at(&physics, sim->t);
  TX_TRY(tx_sim_complete(sim));
  tx_phase_begin(TX_PHASE_NORMS);
  tx_status status = tx_exec_constraints(sim->exec, tx_exec_all(sim->exec), sim->u,
                                         &(tx_norms_of){&physics, n, balls}, out);
  tx_phase_end(TX_PHASE_NORMS);
  return status;
}

tx_status tx_sim_analysis(tx_sim *sim, tx_field **out) {
  tx_system_params physics = sim->physics;
  tx_system_params_at(&physics, sim->t);
  *out = NULL;
  TX_TRY(tx_sim_complete(sim));
  tx_phase_begin(TX_PHASE_NORMS);
  tx_status status = tx_field_create_analysis(sim->exec, sim->system, out);
  TX_THEN(status, tx_exec_analysis(sim->exec, &physics, sim->u, *out));
  status = tx_agree(sim->comm, status);
  tx_phase_end(TX_PHASE_NORMS);
  if (status != TX_OK) tx_field_destroy(*out);
  if (status != TX_OK) *out = NULL;
  return status;
}

tx_status tx_sim_volume_norms(tx_sim *sim, const tx_field *f, double *l2, double *max) {
  tx_ball balls[TX_PUNCTURES_MAX];
  const int n = balls_of(sim, balls);
  TX_TRY(tx_sim_complete(sim));
  return tx_exec_volume_norms(sim->exec, f, &(tx_norms_of){NULL, n, balls}, l2, max);
}

tx_status tx_sim_algebraic(tx_sim *sim) {
  double since[2] = {0.0, 0.0};
  if (!sim->levels && sim->incomplete)
    return TX_OK; /* a regrid asked last, and there was no step since */
  TX_TRY(sim->levels ? tx_levels_algebraic(sim->levels, since)
                     : tx_exec_algebraic(sim->exec, since));
  for (int i = 0; i < 2; i++)
    if (!(since[i] <= sim->algebraic[i])) sim->algebraic[i] = since[i];
  return TX_OK;
}

void tx_sim_defer(tx_sim *sim, tx_work work) {
  sim->deferred = work;
  sim->parts_left = TX_WORK_PARTS;
}

tx_status tx_sim_catch_up(tx_sim *sim, int parts) {
  const tx_work *work = &sim->deferred;
  tx_status status = TX_OK;
  while (sim->parts_left > TX_WORK_PARTS - parts) {
    const int part = TX_WORK_PARTS - sim->parts_left--;
    TX_THEN(status, work->run(work->with, part));
  }
  return status;
}

tx_status tx_sim_check(tx_sim *sim) {
  TX_TRY(tx_sim_complete(sim));
  tx_phase_begin(TX_PHASE_DEVICE);
  tx_status status = tx_agree(sim->comm, tx_exec_wait(sim->exec));
  tx_phase_end(TX_PHASE_DEVICE);
  TX_TRY(status);
  tx_phase_begin(TX_PHASE_NORMS);
  status = tx_exec_check(sim->exec, tx_exec_all(sim->exec), sim->u, sim->t);
  tx_phase_end(TX_PHASE_NORMS);
  return status;
}
