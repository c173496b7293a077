/* What time steps of levels take: work, time and memory, estimated of the grids of levels on one rank. */
#include "advice/check.h"
#include "evolve/macro_step.h"

#include <math.h>
#include "evolve/reach.h"

/* Scratch copies of the state of the largest level. */
#define SCRATCH 3

/* A level on several ranks has more of what ranks exchange than its share of the leaves has, the more so the more ranks there
 * are: every level is cut by itself. */
#define CUTS(ranks) fmin(1.5, 1.0 + 0.2 * ((ranks)-1))

/* What takes turns is made larger when the grid changes, so that levels that change may grow. */
#define ROOM_TO_GROW (17.0 / 16.0)

/* So many times the work, by intervals that shorten the macro step, deserve a note. */
#define INTERVALS_MATTER 1.2

/* A grid has its size once a hole has gone so many radii of its finest level, in so many regrids. */
#define RADII 2.0
#define MOVES 4

tx_status tx_check_levels_count(tx_check *c) {
  tx_level_grids *grids = NULL;
  tx_macro_of(c->p, c->mesh, &c->macro);
  if (!c->macro.of_levels) return TX_OK;
  TX_TRY(tx_level_grids_create(c->mesh, NULL, &grids));
  c->levels = grids->n;
  for (int i = 0; i < grids->n; i++) {
    const tx_mesh *grid = grids->grid[i];
    c->level_slots += (double)grid->ghosts.slot_points;
    c->level_edges[grid->level_lowest] = (double)grid->level->boundary_points;
  }
  tx_level_grids_destroy(grids);
  return TX_OK;
}

/* Work in a time. */
static double work_rate(const tx_check *c, const tx_mesh *mesh) {
  tx_macro macro;
  tx_macro_of(c->p, mesh, &macro);
  return macro.octant_stages / macro.step;
}

/* Of hole a, by its momentum. */
static double speed_of(const tx_check *c, int a) {
  const double *P = c->adm.momentum[a];
  return sqrt(P[0] * P[0] + P[1] * P[1] + P[2] * P[2]) / c->adm.mass_adm[a];
}

/* The first of the holes has gone a radius of its finest level; 0: none moves. */
static double time_of_radius(const tx_check *c) {
  double time = INFINITY;
  for (int a = 0; a < c->adm.n; a++) {
    const double radius = tx_params_hole_of(c->p, a).radius, speed = speed_of(c, a);
    if (radius > 0.0 && speed > 0.0) time = fmin(time, radius / speed);
  }
  return isfinite(time) ? time : 0.0;
}

/* Octants behind a hole stay fine for a while, so that a grid grows in its first regrids. Holes go straight on, with the speed that
 * their momenta have. */
static tx_status follow(tx_check *c, tx_octree *tree) {
  const double time = time_of_radius(c) * RADII / MOVES;
  tx_policy policy = c->policy;
  policy.limit = NULL; /* the first grid was within it */
  tx_mesh *mesh = c->mesh, *now = NULL, *next = NULL;
  tx_status status = TX_OK;
  for (int i = 1; i <= MOVES && status == TX_OK; i++) {
    for (int a = 0; a < policy.n_punctures; a++) {
      double x[3];
      for (int d = 0; d < 3; d++) {
        const double momentum = c->adm.momentum[a][d];
        const double moved = momentum != 0.0 ? momentum / c->adm.mass_adm[a] * time * i : 0.0;
        x[d] = c->adm.position[a][d] + moved;
      }
      tx_policy_move(&policy, a, x);
    }
    status = tx_grid_follow(tree, mesh, &policy, &next);
    tx_mesh_destroy(now);
    mesh = now = next;
  }
  if (status == TX_OK) {
    c->grown = work_rate(c, now) / work_rate(c, c->mesh);
    c->larger = fmax(1.0, (double)now->n_global / (double)c->mesh->n_global);
  }
  tx_mesh_destroy(now);
  return status;
}

/* All holes at the origin, on the levels that are left. They were around it before; of what they leave fine near it, some stays:
 * the mean of none and all. */
static tx_status unite(tx_check *c, const tx_initial_data *id) {
  tx_policy policy = c->policy;
  tx_octree *tree = NULL;
  tx_mesh *none = NULL, *all = NULL;
  policy.limit = NULL;
  if (c->p->grid_remnant_level >= 0) policy.level_max = c->p->grid_remnant_level;
  for (int a = 0; a < policy.n_punctures; a++)
    tx_policy_move(&policy, a, (const double[3]){0.0, 0.0, 0.0});
  TX_TRY(tx_grid_build(MPI_COMM_SELF, c->p, id, &policy, &tree, &none));
  tx_policy_widen(&policy, TX_REACH_MARGIN);
  const tx_status status = tx_grid_follow(tree, none, &policy, &all);
  if (status == TX_OK)
    c->remnant = 0.5 * (work_rate(c, none) + work_rate(c, all)) / work_rate(c, c->mesh);
  tx_mesh_destroy(all);
  tx_mesh_destroy(none);
  tx_octree_destroy(tree);
  return status;
}

tx_status tx_check_changes(tx_check *c, const tx_initial_data *id, tx_octree *tree) {
  c->grown = c->remnant = c->larger = 1.0;
  if (c->p->grid_regrid_every == 0 || tx_policy_needs_data(&c->policy)) return TX_OK;
  TX_TRY(follow(c, tree));
  return c->adm.n == 2 ? unite(c, id) : TX_OK;
}

double tx_check_merged(const tx_check *c) {
  /* Without grid.remnant_level the delay has no effect on the run: it is the default, which is for a mass of 1. */
  const double unit = c->p->grid_remnant_level >= 0 ? 1.0 : tx_params_unit(c->p);
  const double end = c->dt * c->steps, from = c->merger + unit * c->p->grid_remnant_delay;
  return c->merger < 0.0 || from >= end ? 0.0 : 1.0 - from / end;
}

/* Octants of a level on the rank that has most of them. */
static double most_of(const tx_check *c, int level) {
  return ceil((double)c->macro.nodes[level] / c->ranks);
}

double tx_check_levels_octants(const tx_check *c) {
  double all = 0.0;
  for (int l = 0; l < TX_LEVELS; l++) all += most_of(c, l);
  return all;
}

double tx_check_levels_fields(const tx_check *c) {
  return tx_check_state_bytes(c) * TX_N3 * tx_check_levels_octants(c);
}

/* As src/evolve/levels.c lays them out: stored stages one behind the other, the scratch copies of a level behind those that it
 * makes. Leaves from other ranks arrive there too, on their way to the mesh of leaves. */
double tx_check_levels_stepping(const tx_check *c, double overlap) {
  double edges = 0.0, most = 0.0;
  for (int l = 0; l < TX_LEVELS; l++) {
    if (l + 1 < TX_LEVELS) edges += TX_STORED_STAGES * c->level_edges[l + 1] / (overlap * c->ranks);
    if (most_of(c, l) > 0.0) most = fmax(most, edges + SCRATCH * TX_N3 * most_of(c, l));
  }
  if (c->p->grid_regrid_every > 0) most *= ROOM_TO_GROW;
  return tx_check_state_bytes(c) * most;
}

double tx_check_levels_ghosts(const tx_check *c, double overlap) {
  return c->level_slots / (overlap * c->ranks);
}

double tx_check_levels_exchanged(const tx_check *c, int64_t points) {
  if (c->ranks == 1) return 0.0;
  return CUTS(c->ranks) * (double)points * tx_check_levels_octants(c) * c->ranks /
         (double)c->mesh->n_global;
}

/* Work in a time with a macro step of 2^m of the steps that are counted, but for a factor. */
static double work_of(const tx_check *c, int m) {
  const int counted = tx_step_level(c->p, c->mesh->level_highest);
  double work = 0.0;
  for (int l = c->mesh->level_lowest; l <= c->mesh->level_highest; l++)
    work += ldexp((double)c->macro.nodes[l], -(counted - l < m ? counted - l : m));
  return work;
}

/* Intervals keep the macro step from being as long as it could be: by how much that is more work, and which would not. */
static void note_intervals(tx_check *c) {
  const int finest = c->mesh->level_highest, coarsest = c->mesh->level_lowest;
  const double more = work_of(c, c->macro.m) / work_of(c, tx_macro_longest(c->p, finest, coarsest));
  char bound[512];
  if (more < INTERVALS_MATTER) return;
  tx_macro_bound(c->p, finest, coarsest, bound, sizeof bound);
  tx_check_note(c,
                "intervals limit the macro step to %.4g M, which takes %.3g times the work of the "
                "longest one: %s",
                c->macro.step, more, bound);
}

void tx_check_levels(tx_check *c) {
  const double gain = tx_macro_gain(&c->macro);
  if (!c->macro.of_levels) return;
  if (gain >= 1.0) {
    note_intervals(c);
    return;
  }
  tx_check_note(c,
                "evolution.time_steps levels takes %.3g times the work of one time step for all "
                "levels, as octants covered by finer levels are computed too: set "
                "evolution.time_steps to global, or intervals that allow a longer macro step",
                1.0 / gain);
}

double tx_check_interval(const tx_check *c, double most) {
  const tx_mesh *mesh = c->mesh;
  int m = tx_macro_longest(c->p, mesh->level_highest, mesh->level_lowest);
  while (m > 0 && ldexp(1.0, m) > most) m--;
  return fmax(1.0, ldexp(floor(ldexp(most, -m)), m));
}

double tx_check_point_stages(const tx_check *c) {
  const double merged = tx_check_merged(c);
  return ((1.0 - merged) * c->grown + merged * c->remnant) * c->macro.octant_stages * TX_N3 *
         c->steps / ldexp(1.0, c->macro.m);
}

double tx_check_work_imbalance(const tx_check *c) {
  double most = 0.0, all = 0.0;
  if (!c->macro.of_levels) return tx_check_imbalance(c);
  for (int l = 0; l < TX_LEVELS; l++) {
    most += (double)c->macro.steps[l] * most_of(c, l);
    all += (double)c->macro.steps[l] * (double)c->macro.nodes[l];
  }
  return most * c->ranks / all - 1.0;
}
