/* Solver for data of a grid of the evolution: the forest of an equation, its levels, and a field that looks at the
 * solution. */
#pragma once

#include "elliptic/elliptic.h"
#include "elliptic/forest.h"

/** How data are solved for. */
typedef struct tx_elliptic_how {
  int order;        /**< of the differences */
  double reach;     /**< of the equation's domain, over that of the evolution, at least */
  int extra_levels; /**< where the solution is not smooth: at each puncture with spin */
  tx_elliptic_control control;
  /** Told of each solve, also of one that fails; NULL: nobody. */
  void (*record)(void *to, const char *equation, const tx_elliptic_history *history);
  void *to;
} tx_elliptic_how;

typedef struct tx_elliptic_ground {
  const tx_elliptic_how *how; /**< borrowed */
  const tx_mesh *leaves;      /**< of the evolution; borrowed */
  tx_elliptic_forest *forest;
  tx_elliptic *e;
  tx_exec *x;  /**< of the forest's leaves */
  tx_field *u; /**< there: the solution, with ghosts, after a solve */
} tx_elliptic_ground;

/** Collective. Create the solver, with finer levels at n spots. Release *out with tx_elliptic_ground_free, also after a
 *  failure. Errors: those of tx_elliptic_forest_create and tx_elliptic_create. */
tx_status tx_elliptic_ground_make(const tx_mesh *leaves, const tx_elliptic_how *how,
                                  const tx_elliptic_equation *equation,
                                  const tx_elliptic_spot *spots, int n, tx_elliptic_ground *out);
void tx_elliptic_ground_free(tx_elliptic_ground *g);

/** Collective. Solve to a tolerance; u starts from what it is. residual [out]: what is left, over that of u = 0; its steps are
 *  added to *steps. Errors: as tx_elliptic_solve. */
tx_status tx_elliptic_ground_solve(tx_elliptic_ground *g, double tolerance, double *residual,
                                   int *steps);

/** Collective. Sample u at n points [out]. */
tx_status tx_elliptic_ground_sample(const tx_elliptic_ground *g, size_t n, const double (*x)[3],
                                    double *u);
/** Collective. Measure C [out] of u = C/r + O(r^-2) far away. */
tx_status tx_elliptic_ground_monopole(const tx_elliptic_ground *g, double *monopole);
/** Collective. Copy u to a field of one variable of the evolution's mesh. */
tx_status tx_elliptic_ground_embed(const tx_elliptic_ground *g, tx_field *u);
