#include "support/cmocka.h"
#include "tests/support/ladder.h"

#include <math.h>
#include <stdlib.h>

#include "exec/backend.h"
#include "physics/bssn.h"
#include "tests/support/octree_checks.h"

static double not_a_number(const void *data, int v, const double x[3]) {
  return (double)NAN;
}

void tx_test_blank(tx_field *f) {
  OK(tx_test_fill(f, not_a_number, NULL));
}

static tx_field *field_of(tx_exec *x, bool state) {
  tx_field *f = NULL;
  OK(state ? tx_field_create_state(x, &tx_bssn, &f) : tx_test_field(x, &f));
  tx_test_blank(f);
  return f;
}

/* Plans and fields of a forest. */
static tx_test_ladder climb(tx_test_ladder l, bool state) {
  const int n_vars = state ? TX_VARS : TX_TEST_VARS;
  OK(tx_exec_create(l.mesh, n_vars, &l.leaves));
  l.u = field_of(l.leaves, state);
  OK(tx_level_grids_create(l.mesh, NULL, &l.grids));
  l.n = l.grids->n;
  OK(tx_exec_create_levels(l.grids, 0, n_vars, l.x));
  for (int i = 0; i < l.n; i++) l.f[i] = field_of(l.x[i], state);
  return l;
}

tx_test_ladder tx_test_ladder_random(MPI_Comm comm, tx_domain domain, int high, bool state) {
  tx_test_ladder l = {.domain = domain};
  OK(tx_test_random_tree(comm, &domain, 70, 2, 1, high, &l.tree, &l.mesh));
  return climb(l, state);
}

tx_test_ladder tx_test_ladder_ball(MPI_Comm comm, tx_domain domain, int low, int n,
                                   const double radius[], const double x[3], bool state) {
  tx_test_ladder l = {.domain = domain};
  OK(tx_octree_create(comm, &domain, low, &l.tree));
  OK(tx_mesh_create(l.tree, &l.mesh));
  for (int r = 0; r < n; r++) {
    int8_t *flag = calloc((size_t)l.mesh->n_local + 1, 1);
    for (tx_lidx b = 0; b < l.mesh->n_local; b++)
      flag[b] = l.mesh->octant[b].level == low + r && tx_test_distance(l.mesh, b, x) < radius[r];
    OK(tx_test_adapt(l.tree, &l.mesh, flag, low, low + n, NULL));
    free(flag);
  }
  return climb(l, state);
}

void tx_test_ladder_destroy(tx_test_ladder *l) {
  for (int i = l->n - 1; i >= 0; i--) {
    tx_field_destroy(l->f[i]);
    tx_exec_destroy(l->x[i]);
  }
  tx_level_grids_destroy(l->grids);
  tx_field_destroy(l->u);
  tx_exec_destroy(l->leaves);
  tx_mesh_destroy(l->mesh);
  tx_octree_destroy(l->tree);
}

void tx_test_ladder_load(tx_test_ladder *l) {
  OK(tx_level_load_all(l->u, l->n, l->x, l->f));
  for (int i = l->n - 1; i > 0; i--) OK(tx_level_inject(l->x[i], l->f[i], l->f[i - 1]));
}

void tx_test_ladder_poison(tx_test_ladder *l) {
  OK(tx_test_poison(l->leaves));
  for (int i = 0; i < l->n; i++) OK(tx_test_poison(l->x[i]));
}

/* Found from the regions around the octant, not from the plan: some lower neighbour that the point touches is not on the
 * grid. */
bool tx_test_on_plane(const tx_mesh *grid, tx_lidx b, const int p[3]) {
  for (int r = 0; r < TX_REGION(0, 0, 0); r++) {
    const int dir[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
    bool touches = true;
    for (int d = 0; d < 3; d++) touches = touches && (dir[d] == 0 || (dir[d] < 0 && p[d] == 0));
    if (touches && grid->region[b][r].kind == TX_REGION_COARSER) return true;
  }
  return false;
}

void tx_test_blank_planes(tx_field *f) {
  const tx_mesh *grid = f->x->mesh;
  for (tx_lidx b = 0; b < grid->n_local; b++) {
    double *values;
    OK(tx_field_octant(f, b, &values));
    for (int i = 0; i < TX_N3; i++) {
      const int p[3] = {i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N)};
      for (int v = 0; v < f->n_vars && tx_test_on_plane(grid, b, p); v++)
        values[v * TX_N3 + i] = (double)NAN;
    }
  }
}
