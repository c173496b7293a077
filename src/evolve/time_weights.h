/* Interpolation in time at a refinement boundary, from the next coarser level, at each Runge-Kutta stage. */
#pragma once

#include "exec/level.h"

/** Coefficients of the stored stages. Rows 0 to 3: the refinement boundary at the stages of a step of the finer level; row 4: at the
 *  end of that step, within the coarser one. Columns: the coarser level's stage states Y1 .. Y4, with no constraints enforced on
 *  them, and the state u1 at the end of its step. */
typedef double tx_time_weights[5][TX_STORED_STAGES];

/** Coefficients for a finer step as long as the coarser one, and for each of two steps of half the length. */
typedef struct tx_time_weight_tables {
  tx_time_weights whole, first_half, second_half;
} tx_time_weight_tables;

/** Coefficients for classical Runge-Kutta steps. They give the finer level's stage states up to terms of fifth order in the step
 *  where the slope is linear in the state, of third order where it is not. */
extern const tx_time_weight_tables tx_time_weights_rk4;
