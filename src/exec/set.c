#include "exec/set.h"

#include <string.h>
#include "base/memory.h"
#include "exec/common.h"

/* Marks the octants of the list in seen [n_local]. */
static tx_status mark(const tx_mesh *mesh, tx_lidx n, const tx_lidx *octant, bool *seen) {
  for (tx_lidx i = 0; i < n; i++) {
    const tx_lidx b = octant[i];
    TX_REQUIRE(b >= 0 && b < mesh->n_local, TX_ERR_USAGE,
               "a set of octants names number %d, but this rank has 0 to %d", b, mesh->n_local - 1);
    TX_REQUIRE(!seen[b], TX_ERR_USAGE, "a set of octants names number %d twice", b);
    seen[b] = true;
  }
  return TX_OK;
}

static tx_status check(const tx_mesh *mesh, tx_lidx n, const tx_lidx *octant) {
  bool *seen = NULL;
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof *seen, "octant lists", &seen));
  tx_status status = mark(mesh, n, octant, seen);
  tx_free(seen);
  return status;
}

/* Find whether all octants are interior ones. */
static tx_status find_interior(tx_set *set) {
  const tx_mesh *mesh = set->x->mesh;
  const tx_ghost_plan *g = &mesh->ghosts;
  bool *boundary = NULL;
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof *boundary, "octant lists", &boundary));
  for (tx_lidx i = 0; i < g->n_boundary; i++) boundary[g->boundary[i]] = true;
  set->interior = true;
  for (tx_lidx i = 0; i < set->n; i++) set->interior = set->interior && !boundary[set->octant[i]];
  tx_free(boundary);
  return TX_OK;
}

static tx_status fill(tx_set *set, const tx_lidx *octant) {
  TX_TRY(tx_alloc((size_t)set->n, sizeof *set->octant, "octant lists", &set->octant));
  if (set->n > 0) memcpy(set->octant, octant, (size_t)set->n * sizeof *octant);
  TX_TRY(find_interior(set));
  return set->x->backend->set_create ? set->x->backend->set_create(set) : TX_OK;
}

tx_status tx_set_create(tx_exec *x, tx_lidx n, const tx_lidx *octant, tx_set **out) {
  tx_set *set = NULL;
  *out = NULL;
  TX_TRY(check(x->mesh, n, octant));
  TX_TRY(tx_alloc(1, sizeof *set, "octant lists", &set));
  set->x = x;
  set->n = n;
  tx_status status = fill(set, octant);
  if (status == TX_OK) {
    *out = set;
  } else {
    tx_set_destroy(set);
  }
  return status;
}

void tx_set_destroy(tx_set *set) {
  if (!set) return;
  if (set->x->backend->set_destroy) set->x->backend->set_destroy(set);
  tx_free(set->octant);
  tx_free(set);
}

tx_lidx tx_set_count(const tx_set *set) {
  return set->n;
}

const tx_lidx *tx_set_octants(const tx_set *set) {
  return set->octant;
}

const tx_set *tx_exec_all(const tx_exec *x) {
  return x->all;
}

const tx_set *tx_exec_interior(const tx_exec *x) {
  return x->interior;
}

const tx_set *tx_exec_boundary(const tx_exec *x) {
  return x->boundary;
}

tx_status tx_set_check(const tx_exec *x, const tx_set *set, const char *operation) {
  TX_REQUIRE(set, TX_ERR_USAGE, "%s: the plan is not complete: tx_exec_end must come first",
             operation);
  TX_REQUIRE(set->x == x, TX_ERR_MESH,
             "%s: the set of octants belongs to revision %llu of the mesh, the plan is for "
             "revision %llu; make it anew after each regrid",
             operation, (unsigned long long)set->x->mesh->revision,
             (unsigned long long)x->mesh->revision);
  return TX_OK;
}
