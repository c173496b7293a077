/* Elliptic equations on the octree: \Delta u + S(c, u) = f for one function u that falls off like r^-n, solved on the
 * grids of all levels by multigrid, by Newton's method with Krylov's, or by hyperbolic relaxation.
 *
 * Unknowns are the points of leaves, except those on the boundary of a level's closed region, which belong to the
 * coarser level (octree/level.h). Ghosts are those of the evolution on the grids of levels, with centred stencils
 * of 6 points. At every unknown point the equation holds with centred differences; refinement boundaries have no
 * other matching condition.
 *
 * A cycle linearises S about u, q = dS/du, and solves \Delta v + q v = f - S + q u by one V-cycle of the full
 * approximation scheme (Brandt, Math. Comp. 31, 333, 1977): Newton's method, with one cycle per step. On covered octants
 * the equation is that linear one, with the mean of q over finer points, as S is under-resolved on coarse levels,
 * e.g. near a puncture.
 *
 * In mixed precision a cycle solves \Delta d + q d = r, with the residual r of double precision, from d = 0, in
 * single precision; then u += d in double precision: iterative refinement (Wilkinson, Rounding Errors in Algebraic
 * Processes, 1963), whose solution is that of double precision, as r is. The error of a cycle in single precision,
 * some 1e-7 of d, is negligible, as a cycle reduces the residual by a factor of about ten only.
 *
 * Krylov: inexact Newton steps, whose tolerances are those of Eisenstat and Walker (SIAM J. Sci. Comput. 17, 16,
 * 1996, choice 2). The linear equation goes to flexible GMRES (Saad, SIAM J. Sci. Comput. 14, 461, 1993), which
 * needs no symmetry, with a cycle on its right.
 *
 * Relaxation (Assumpcao et al., arXiv:2111.02424; arXiv:2501.14030): u_t = v - eta u + KO(u), v_t = c^2 (\Delta u
 * + S - f), RK4, c = h / h_min on each level and one time step for all, KO times c too. In the stationary state
 * the equation holds for any eta and KO. */
#pragma once

#include "exec/multigrid.h"
#include "physics/pointwise.h"

/** The equation. Coefficients c are fields of one variable each; the functions take them and then u. */
#define TX_ELLIPTIC_COEFFICIENTS 2
typedef struct tx_elliptic_equation {
  const char
      *name; /**< in messages, "the equation of ..."; NULL: the elliptic equation. Borrowed */
  const char *remedy;  /**< the same, if it is not solved: "give ..."; NULL: what helps all */
  int coefficients;    /**< 0: S = 0, and source and slope are not read */
  tx_pointwise source; /**< S */
  tx_pointwise slope;  /**< dS/du */
  int order;           /**< of the differences: 2, 4 or 6 */
  double falloff;      /**< n > 0 */
} tx_elliptic_equation;

/** Method and stopping criteria of a solve. */
#define TX_ELLIPTIC_VECTORS 30
typedef struct tx_elliptic_control {
  tx_elliptic_method method;
  tx_precision precision; /**< of cycles: of multigrid and as preconditioners */
  bool log;               /**< progress to the log, a line a second at most */
  double tolerance; /**< of the residual's root mean square over the volume, over that of u = 0 */
  int cycles;       /**< at most, or iterations of Krylov's method */
  int before, after,
      coarsest;   /**< relaxations before and after coarser levels, on the coarsest one */
  int vectors;    /**< FGMRES: 1 to TX_ELLIPTIC_VECTORS until it starts anew; each is two fields */
  int steps;      /**< of relaxation, at most */
  double courant; /**< relaxation: dt / h_min; stable below 0.66 for differences of order 6 */
  double damping; /**< eta TX_N h_min */
  double dissipation; /**< sigma; without, grids of several levels grow */
} tx_elliptic_control;
tx_elliptic_control tx_elliptic_control_default(void);

/** A step of a solve: a cycle, an iteration, or some steps of relaxation; entry 0 is the start. When all entries
 *  are used, every second one is dropped, so that a history covers any number of steps. */
#define TX_ELLIPTIC_CYCLES 200
typedef struct tx_elliptic_residual {
  int step;   /**< cycles, iterations or steps of relaxation so far */
  double l2;  /**< root mean square over the volume; within Newton steps as FGMRES knows it */
  double max; /**< largest magnitude; 0 within Newton steps, where it is not known */
  double
      evaluations; /**< of the operator so far, per unknown point; on covered octants and the coarsest grids too */
  double time_s; /**< so far, on this rank */
} tx_elliptic_residual;
typedef struct tx_elliptic_history {
  int cycles;   /**< number of the last entry */
  int newton;   /**< Newton steps, of Krylov's method */
  double scale; /**< the l2 residual of u = 0 */
  tx_elliptic_residual residual[TX_ELLIPTIC_CYCLES + 1];
} tx_elliptic_history;

/** The levels of a forest, with u = 0, f = 0 and c = 0. */
typedef struct tx_elliptic tx_elliptic;

/** Collective. Create the levels of an equation. `leaves`: a mesh that stays as it is, borrowed; u falls off beyond outer
 *  faces. Without outer faces and with S = 0, u is determined up to a constant, and exists only if the mean of f is 0:
 *  otherwise a solve fails. The caller owns *out. Errors: TX_ERR_USAGE for an invalid equation, TX_ERR_MEMORY. */
tx_status tx_elliptic_create(const tx_mesh *leaves, const tx_elliptic_equation *equation,
                             tx_elliptic **out);
void tx_elliptic_destroy(tx_elliptic *e);

/** Return the name of the equation. Local. */
const char *tx_elliptic_name(const tx_elliptic *e);

/** Collective. Change to another equation on the same levels, of the same order and falloff. Its one coefficient is
 *  `coefficient`, a function of the coefficients of the present equation and of u; then u = 0 and f = 0. Errors:
 *  TX_ERR_USAGE for other equations. */
tx_status tx_elliptic_change(tx_elliptic *e, tx_pointwise coefficient,
                             const tx_elliptic_equation *next);

/** Set coefficient number i, or f, at each point. Local. */
#define TX_ELLIPTIC_F (-1)
typedef double (*tx_elliptic_function)(const void *data, const double x[3]);
tx_status tx_elliptic_give(tx_elliptic *e, int i, tx_elliptic_function function, const void *data);

/** Collective. Solve until the residual is within the tolerance, starting from the present u. Errors: TX_ERR_USAGE for an
 *  invalid control; TX_ERR_MEMORY; TX_ERR_NUMERICS, with the history, where the residual is not finite, falls by less than
 *  a factor of 2 in three cycles or Newton steps in a row or in 125 TX_N steps of relaxation, or is not within the
 *  tolerance after all steps; the text says where it is largest. */
tx_status tx_elliptic_solve(tx_elliptic *e, const tx_elliptic_control *control,
                            tx_elliptic_history *history);

/** Collective. Copy u to a field of one variable on the mesh of leaves. */
tx_status tx_elliptic_store(tx_elliptic *e, tx_field *leaves);

/** Collective. Copy u to all points of `mesh`, a grid of the evolution: u is a field of one variable there, and
 *  `f`, the forest of e, was made for this grid. Errors: TX_ERR_MESH if it is another grid. */
typedef struct tx_elliptic_forest tx_elliptic_forest;
tx_status tx_elliptic_embed(tx_elliptic *e, const tx_elliptic_forest *f, const tx_mesh *mesh,
                            tx_field *u);
