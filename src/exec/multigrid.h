/* Operations of multigrid on the grids of levels (octree/level.h) besides the algebra of fields: the residual of a
 * Helmholtz equation with variable potential, \Delta u + q u = f, its relaxation, a dissipation, restriction and
 * prolongation.
 *
 * Fields have one variable each, and those of an operation, if it does not say otherwise, the same precision.
 * Errors, of all: TX_ERR_MESH for a set or a field of another plan, or for ghosts that are not there; TX_ERR_USAGE
 * for a field of more than one variable, an order that does not exist, or an output that is also an input whose
 * neighbours are read. */
#pragma once

#include "exec/exact_sum.h"
#include "exec/level.h"
#include "physics/semi_iteration_point.h"

/** Sums of a field of one variable: squares, each point as often as it has mirror images, and the largest magnitude. */
typedef struct tx_squares {
  tx_exact_sum sum;
  double max;
} tx_squares;

/** Local. Create a field of one variable, all 0, stored in single precision, which halves memory and bandwidth. Its ghosts
 *  and refinement boundary are exchanged, and its octants interpolated, in double precision. It is accepted by the operations
 *  that multigrid needs: ghosts, boundaries, injection, fill, copy, combination, pointwise functions, and the operations
 *  below except dissipation and norms; others refuse it (TX_ERR_USAGE). Errors as tx_field_create. */
tx_status tx_field_create_single(tx_exec *x, const tx_field_var *var, tx_field **out);

/** Compute out = a f, out being single, f not. Local. */
tx_status tx_exec_narrow(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);
/** Add a f to out in double precision, f being single, out not. Local. */
tx_status tx_exec_widen(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);

/** The equation \Delta u + q u = f with differences of this order. */
typedef struct tx_helmholtz {
  int order; /**< 2, 4 or 6 */
  const tx_field *q, *f;
} tx_helmholtz;

/** Compute r = f - \Delta u - q u; with `covered`, which may be NULL: 0 where that is not 0, and on planes. r is not u.
 *  Needs ghosts of u. Local. */
tx_status tx_exec_residual(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                           const tx_field *u, const tx_field *covered, tx_field *r);

/** A step of a Chebyshev semi-iteration with Jacobi's preconditioner: with d the diagonal of \Delta + q,
 *      out = u + alpha (u - out) + beta (f - \Delta u - q u) / d,
 *  where out holds the previous u and is not read for alpha = 0; on planes out = u. out is not u. Needs ghosts of u.
 *  Local. */
typedef struct tx_relaxation {
  double alpha, beta;
  const tx_field *u;
  tx_field *out;
} tx_relaxation;
tx_status tx_exec_relax(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                        const tx_relaxation *step);

/** Run a complete semi-iteration on a level (physics/semi_iteration_point.h). The refinement boundary of u is the combination
 *  `edge` of stored stages, which is not read on the coarsest level. *u and *other may be swapped afterwards; the values of
 *  *other are scratch. Collective. Returns the failure of this rank. */
tx_status tx_level_relax(tx_exec *x, const tx_helmholtz *equation, const tx_semi_iteration *c,
                         const double edge[TX_STORED_STAGES], tx_field **u, tx_field **other);

/** Add dissipation, out += sigma / (64 h) \sum_d \delta_d^6 u: Kreiss-Oliger dissipation of order 5, u_t = sigma h^5 / 64
 *  \sum_d d_d^6 u (Kreiss and Oliger, GARP 10, 1973), with the star's seven points a dimension. out is not u. Needs ghosts
 *  of u. Local. */
tx_status tx_exec_dissipate(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                            tx_field *out);

/** Compute the root mean square, over the volume of the coarsest field, and largest magnitude of a function given by n fields
 *  on n levels, coarsest first. Each field must be 0 where a finer one counts, and on planes. The same on any
 *  number of ranks; both are NaN if any value is. Collective. The status is agreed. */
tx_status tx_level_norms(int n, tx_field *const f[], double *l2, double *max);

/** Return the recommended `share` of tx_level_grids_create_whole: with fewer octants per rank, communication costs more than
 *  it saves. Local. */
tx_lidx tx_level_share(void);

/** Plan of restriction and prolongation between a level and the next coarser one, for grids of
 *  tx_level_grids_create_whole. Collective. The caller owns *out, and destroys it before the plan of the level. */
typedef struct tx_descender tx_descender;
tx_status tx_descender_create(tx_exec *fine, tx_descender **out);
void tx_descender_destroy(tx_descender *d);

/** Restrict r by full weighting, the mean over the 27 points around with weights 1/8, 1/16, 1/32, 1/64, to the coinciding points
 *  of `to`, a field of the coarser plan; its other points keep their values. `scratch` is a field of this plan. Needs ghosts of r. Collective. Returns the failure of this
 *  rank. */
tx_status tx_level_restrict(tx_descender *d, const tx_field *r, tx_field *scratch, tx_field *to);

/** Add the prolongation of v to u, u += P v: v, of the coarser plan, is prolonged to all octants of the fine one with
 *  centred stencils of 6 points. Planes of u are invalid afterwards. Needs ghosts of v. Collective. Returns the failure of
 *  this rank. */
tx_status tx_level_prolong(tx_descender *d, const tx_field *v, tx_field *u);
