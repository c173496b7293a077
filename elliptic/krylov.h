/* Inside the elliptic solver: vectors of unknown points, and the linear equation of a Newton step.
 *
 * A vector has a field a level, of which unknown points count; where it says *clean*, other points are 0. Inner products
 * are \int a b dV, one of both being clean, in exact sums: the same bits on any number of ranks. */
#pragma once

#include "elliptic/solver.h"

typedef struct tx_elliptic_vector {
  tx_field *at[TX_LEVELS]; /**< owned; NULL until the vector is needed */
} tx_elliptic_vector;

/** A solve by Krylov's method. With (\Delta + q) d = r about the solution u so far: d is looked for, u + d is the next one. */
typedef struct tx_krylov_solve {
  tx_elliptic *e;
  const tx_elliptic_control *control;
  tx_elliptic_history *history;
  int iterations; /**< so far */
  double l2;      /**< of r */
  double gain;    /**< that of what is left over that of r at which an iteration ends */
  tx_elliptic_vector solution; /**< u so far, while e's u is of use to the iteration */
  tx_elliptic_vector basis[TX_ELLIPTIC_VECTORS + 1]; /**< clean */
  tx_elliptic_vector direction[TX_ELLIPTIC_VECTORS];
} tx_krylov_solve;

/** Make a vector, unless it is there. Collective. Errors: TX_ERR_MEMORY, on all ranks. */
tx_status tx_krylov_make(tx_krylov_solve *k, tx_elliptic_vector *v);

/** Return the fields of the levels as a vector: u; v, where tx_krylov_apply leaves what it makes. Views. */
tx_elliptic_vector tx_krylov_u(const tx_elliptic *e);
tx_elliptic_vector tx_krylov_v(const tx_elliptic *e);

/** Return \int a b dV. Collective. */
double tx_krylov_dot(tx_elliptic *e, const tx_elliptic_vector *a, const tx_elliptic_vector *b);
/** Set to = a from + to. */
void tx_krylov_add(tx_elliptic *e, double a, const tx_elliptic_vector *from,
                   const tx_elliptic_vector *to);
/** Set to = a from. */
void tx_krylov_scale(tx_elliptic *e, double a, const tx_elliptic_vector *from,
                     const tx_elliptic_vector *to);

/** Set u to an approximate solution of (\Delta + q) u = b, b clean. f is overwritten. */
void tx_krylov_precondition(tx_krylov_solve *k, const tx_elliptic_vector *b);
/** Compute v = -(\Delta + q) u, clean. f is overwritten. */
void tx_krylov_apply(tx_elliptic *e);
/** Count an iteration that left a residual of `left` times that of r. Returns whether to end here. */
bool tx_krylov_step(tx_krylov_solve *k, double left);

/** Solve the linear equation, from r in v: solution += d, as far as gain, iterations and vectors allow. Collective. Errors:
 *  TX_ERR_MEMORY, TX_ERR_NUMERICS. */
tx_status tx_krylov_gmres(tx_krylov_solve *k);
