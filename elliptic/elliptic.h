/* Elliptic equations on the octree: \Delta u + S(c, u) = f for one function u that falls off like r^-n, solved on the
 * grids of all levels by multigrid.
 *
 * Unknown are the points of leaves, but for those on the boundary of a level's closed region: they are the coarser
 * level's (octree/level.h). Ghosts are those of the evolution on levels' grids, with centred stencils of 6 points. At every
 * unknown point the equation holds with centred differences; nothing else is matched where levels meet.
 *
 * A cycle linearises S about u, q = dS/du, and solves \Delta v + q v = f - S + q u by one V-cycle of the full approximation
 * scheme (Brandt, Math. Comp. 31, 333, 1977): Newton's method, with a cycle a step. Below finer levels the equation is that
 * linear one, with the mean of q over finer points: S varies faster than coarse points can tell, e.g. near a puncture. */
#pragma once

#include "exec/multigrid.h"
#include "physics/pointwise.h"

/** The equation. Coefficients c are fields of one variable each; the functions take them and then u. */
#define TX_ELLIPTIC_COEFFICIENTS 2
typedef struct tx_elliptic_equation {
  int coefficients;    /**< 0: S = 0, and source and slope are not read */
  tx_pointwise source; /**< S */
  tx_pointwise slope;  /**< dS/du */
  int order;           /**< of the differences: 2, 4 or 6 */
  double falloff;      /**< n > 0 */
} tx_elliptic_equation;

/** How a solve goes, and when it ends. */
typedef struct tx_elliptic_control {
  double tolerance; /**< of the residual's root mean square over the volume, over that of u = 0 */
  int cycles;       /**< at most */
  int before, after,
      coarsest; /**< relaxations before and after coarser levels, on the coarsest one */
} tx_elliptic_control;
tx_elliptic_control tx_elliptic_control_default(void);

/** One cycle of a solve; cycle 0 is the start. */
#define TX_ELLIPTIC_CYCLES 100
typedef struct tx_elliptic_residual {
  double l2, max; /**< root mean square over the volume; largest magnitude */
} tx_elliptic_residual;
typedef struct tx_elliptic_history {
  int cycles;
  tx_elliptic_residual residual[TX_ELLIPTIC_CYCLES + 1];
} tx_elliptic_history;

/** The levels of a forest, with u = 0, f = 0 and c = 0. */
typedef struct tx_elliptic tx_elliptic;

/** Collective. `leaves`: of a domain with outer faces beyond which u falls off, a mesh that stays as it is; borrowed. The caller
 *  owns *out. Errors: TX_ERR_USAGE for an equation that makes no sense, TX_ERR_MEMORY. */
tx_status tx_elliptic_create(const tx_mesh *leaves, const tx_elliptic_equation *equation,
                             tx_elliptic **out);
void tx_elliptic_destroy(tx_elliptic *e);

/** What is given at each point: coefficient number i, or f. Local. */
#define TX_ELLIPTIC_F (-1)
typedef double (*tx_elliptic_function)(const void *data, const double x[3]);
tx_status tx_elliptic_give(tx_elliptic *e, int i, tx_elliptic_function function, const void *data);

/** Collective. Cycles until the residual is within the tolerance. u starts from what it is. Errors: TX_ERR_NUMERICS, with the
 *  history, where the residual is not finite, falls by less than a factor of 2 in three cycles in a row, or is not within the
 *  tolerance after all cycles; the text says where it is largest. */
tx_status tx_elliptic_solve(tx_elliptic *e, const tx_elliptic_control *control,
                            tx_elliptic_history *history);

/** Collective. u to a field of one variable of the mesh of leaves. */
tx_status tx_elliptic_store(tx_elliptic *e, tx_field *leaves);

/** Unknown points over all ranks. Local. */
int64_t tx_elliptic_points(const tx_elliptic *e);
