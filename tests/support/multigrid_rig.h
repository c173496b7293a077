/* The levels of a forest for tests of multigrid, with noise in their fields. */
#pragma once

#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/algebra.h"
#include "exec/backend.h"
#include "exec/multigrid.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

enum { U, F, Q, P, OUT, FIELDS };

/* The levels of a forest from 0 on, with plans and fields of one variable. */
typedef struct rig {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh;
  tx_level_grids *grids;
  int n;
  tx_exec *x[TX_LEVELS];
  tx_descender *down[TX_LEVELS];
  tx_field *f[TX_LEVELS][FIELDS];
} rig;

static inline rig rig_of(MPI_Comm comm, int domain, tx_outer outer, int8_t parity) {
  rig r = {.domain = tx_test_domain(domain)};
  const tx_field_var var = {.parity = {parity, parity, parity}, .outer = outer, .falloff = 1.5};
  OK(tx_test_random_tree(comm, &r.domain, 23, 1, 1, 2, &r.tree, &r.mesh));
  OK(tx_level_grids_create_whole(r.mesh, 1, &r.grids));
  r.n = r.grids->n;
  OK(tx_exec_create_levels(r.grids, 0, 2, r.x));
  for (int l = 0; l < r.n; l++) {
    if (l > 0) OK(tx_descender_create(r.x[l], &r.down[l]));
    for (int i = 0; i < FIELDS; i++) OK(tx_field_create(r.x[l], 1, &var, &r.f[l][i]));
    OK(tx_test_poison(r.x[l]));
  }
  return r;
}

static inline rig rig_on(MPI_Comm comm, int domain, tx_outer outer) {
  return rig_of(comm, domain, outer, 1);
}

static inline void rig_off(rig *r) {
  for (int l = r->n - 1; l >= 0; l--) {
    for (int i = 0; i < FIELDS; i++) tx_field_destroy(r->f[l][i]);
    tx_descender_destroy(r->down[l]);
    tx_exec_destroy(r->x[l]);
  }
  tx_level_grids_destroy(r->grids);
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

/* Noise between -1 and 1, of other bits for each field, and -2 to 0 for the potential. */
typedef struct noise {
  const tx_domain *domain;
  int number;
} noise;

static inline double noise_value(const void *data, int v, const double x[3]) {
  const noise *n = data;
  const double bits = ldexp(tx_test_noise_value(n->domain, v, x), 5 * n->number);
  return bits - 2.0 * round(bits / 2.0) - (n->number == Q);
}

static inline double not_a_number(const void *data, int v, const double x[3]) {
  (void)data, (void)v, (void)x;
  return (double)NAN;
}

/* The edge of a field, from that of the coarser level, which has its ghosts; then its own ghosts. */
static inline void fill_ghosts(rig *r, int l, int i) {
  const double c[TX_STORED_STAGES] = {1.0};
  if (l > 0) {
    OK(tx_stage_store(r->x[l], 0, r->f[l - 1][i]));
    OK(tx_level_boundary_make(r->x[l], c, r->f[l][i]));
  }
  OK(tx_ghosts_fill(r->x[l], r->f[l][i]));
}

static inline void make_noise(rig *r, int l) {
  for (int i = 0; i < FIELDS; i++)
    OK(tx_test_fill(r->f[l][i], noise_value, &(noise){&r->domain, i}));
  fill_ghosts(r, l, U);
}

/* All octants, or every second one. */
static inline tx_set *set_of(tx_exec *x, int step) {
  const tx_lidx n = tx_exec_mesh(x)->n_local;
  tx_lidx *list = malloc(((size_t)n + 1) * sizeof *list), count = 0;
  tx_set *set = NULL;
  for (tx_lidx b = 0; b < n; b += step) list[count++] = b;
  OK(tx_set_create(x, count, list, &set));
  free(list);
  return set;
}

static inline double *copy_of(tx_field *f) {
  const tx_lidx n = tx_exec_mesh(f->x)->n_local;
  double *copy = malloc(((size_t)n + 1) * TX_N3 * sizeof *copy);
  for (tx_lidx b = 0; b < n; b++) {
    const double *view;
    OK(tx_field_view(f, b, &view));
    memcpy(copy + (size_t)b * TX_N3, view, TX_N3 * sizeof *view);
  }
  return copy;
}

static inline void assert_near(double got, long double want, long double scale) {
  if (!(fabsl((long double)got - want) <= 1e-14L * scale))
    fail_msg("%.17g, not %.17Lg (of %.3Lg)", got, want, scale);
}
