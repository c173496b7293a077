/* The nonlinear equation of two punctures on a collocation grid. */
#pragma once

#include "physics/initial_data/two_punctures_operator.h"
#include "physics/initial_data/two_punctures_point.h"

/** r_1 r_2 \nabla^2 u + source (psi_0 + u)^-7 = 0 at the points of the grid. */
typedef struct tx_puncture_equation {
  const tx_collocation *grid; /**< borrowed */
  double *source;             /**< [size]: r_1 r_2 \bar A_ij \bar A^ij / 8 */
  double *psi0;               /**< [size]: 1 + \sum m_a/(2 r_a) */
  double *work;               /**< scratch memory of the solver */
} tx_puncture_equation;

/** Allocate for `grid` and fill in the source from the foci, momenta and spins of `data`. Local. Errors:
 *  TX_ERR_MEMORY. */
tx_status tx_puncture_equation_create(const tx_collocation *grid, const tx_bowen_york *data,
                                      tx_puncture_equation *e);
void tx_puncture_equation_destroy(tx_puncture_equation *e);

/** Set psi0 from the masses of `data`. Local. */
void tx_puncture_equation_masses(tx_puncture_equation *e, const tx_bowen_york *data);

/** Solve for the modes u [inout], from a start that need not be near; *steps [inout] counts the steps of
 *  Newton's method. Local. Errors: TX_ERR_NUMERICS if it does not converge, TX_ERR_MEMORY. */
tx_status tx_puncture_equation_solve(tx_puncture_equation *e, double *u, int *steps);

/** Find the largest residual [out] of the equation at the points, over its largest source. Local. */
tx_status tx_puncture_equation_residual(tx_puncture_equation *e, const double *u, double *residual);
