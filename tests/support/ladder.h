/* The levels of a forest, each with its grid, plan and one field. Functions assert on errors; include cmocka.h. */
#pragma once

#include "exec/level.h"
#include "tests/support/exec_checks.h"

typedef struct tx_test_ladder {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh; /**< of leaves */
  tx_exec *leaves;
  tx_field *u; /**< of leaves */
  tx_level_grids *grids;
  int n;                  /**< levels */
  tx_exec *x[TX_LEVELS];  /**< coarsest first */
  tx_field *f[TX_LEVELS]; /**< of each level, NaN at first */
} tx_test_ladder;

/** Collective. Levels 1 to `high`, refined at random; `state`: fields of the evolved variables, else of tx_test_field. */
tx_test_ladder tx_test_ladder_random(MPI_Comm comm, tx_domain domain, int high, bool state);

/** Collective. The same with level low + r wherever an octant comes within radius[r] of x, for r = 0 .. n - 1. */
tx_test_ladder tx_test_ladder_ball(MPI_Comm comm, tx_domain domain, int low, int n,
                                   const double radius[], const double x[3], bool state);
void tx_test_ladder_destroy(tx_test_ladder *l);

/** Collective. Leaves from u, covered octants from the finer level. */
void tx_test_ladder_load(tx_test_ladder *l);

/** Poison the buffers of all plans. Local. */
void tx_test_ladder_poison(tx_test_ladder *l);

/** NaN into a field, or into the points of its planes alone. Local. */
void tx_test_blank(tx_field *f);
void tx_test_blank_planes(tx_field *f);

/** Whether point p of local octant b is on one of the planes of the level's grid. Local. */
bool tx_test_on_plane(const tx_mesh *grid, tx_lidx b, const int p[3]);
