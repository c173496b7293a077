/* Growth of a grid whose holes move, and its size once they have merged. */
#include <math.h>
#include "advice/check.h"
#include "base/vec3.h"
#include "refine/reach.h"

/* A grid has its size once a hole has moved by so many radii of its finest level, in so many regrids. */
#define RADII 2.0
#define MOVES 4

/* Return the work in a time. */
static double work_rate(const tx_check *c, const tx_mesh *mesh) {
  tx_macro macro;
  tx_macro_of(c->p, mesh, &macro);
  return macro.octant_stages / macro.step;
}

/* Return the speed of hole a, from its momentum. */
static double speed_of(const tx_check *c, int a) {
  return tx_vec3_norm(c->adm.momentum[a]) / c->adm.mass_adm[a];
}

/* Return the time after which the first of the holes has moved by a radius of its finest level; 0: none moves. */
static double time_of_radius(const tx_check *c) {
  double time = INFINITY;
  for (int a = 0; a < c->adm.n; a++) {
    const double radius = tx_params_hole_of(c->p, a).radius, speed = speed_of(c, a);
    if (radius > 0.0 && speed > 0.0) time = fmin(time, radius / speed);
  }
  return isfinite(time) ? time : 0.0;
}

/* Regrid as holes go straight on with the speed of their momenta: octants behind a hole stay fine for a while, so that a grid
 * grows in its first regrids. */
static tx_status follow(tx_check *c) {
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
    status = tx_grid_follow(c->tree, mesh, &policy, &next);
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

/* Put all holes at the origin, on the levels of the remnant. They were around it before, and some of the octants that they refined
 * near it stay: take the mean of none and all. */
static tx_status unite(tx_check *c) {
  tx_policy policy = c->policy;
  tx_octree *tree = NULL;
  tx_mesh *none = NULL, *all = NULL;
  policy.limit = NULL;
  if (c->p->grid_remnant_level >= 0) policy.level_max = c->p->grid_remnant_level;
  for (int a = 0; a < policy.n_punctures; a++)
    tx_policy_move(&policy, a, (const double[3]){0.0, 0.0, 0.0});
  TX_TRY(tx_grid_build(MPI_COMM_SELF, c->p, c->id, &policy, &tree, &none));
  tx_policy_widen(&policy, TX_REACH_MARGIN);
  const tx_status status = tx_grid_follow(tree, none, &policy, &all);
  if (status == TX_OK)
    c->remnant = 0.5 * (work_rate(c, none) + work_rate(c, all)) / work_rate(c, c->mesh);
  tx_mesh_destroy(all);
  tx_mesh_destroy(none);
  tx_octree_destroy(tree);
  return status;
}

tx_status tx_check_changes(tx_check *c) {
  c->grown = c->remnant = c->larger = 1.0;
  if (c->p->grid_regrid_every == 0 || tx_policy_needs_data(&c->policy)) return TX_OK;
  TX_TRY(follow(c));
  return c->adm.n == 2 ? unite(c) : TX_OK;
}
