/* The classical Runge-Kutta method of order 4. */
#pragma once

enum { TX_RK_STAGES = 4 };

/** Weights of the stages' slopes in the step. */
static const double tx_rk_weight[TX_RK_STAGES] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};

/** Distance of the next stage from the start, along the slope of this one, over the step; 0: there is no next stage. */
static const double tx_rk_reach[TX_RK_STAGES] = {0.5, 0.5, 1.0, 0.0};

/** Time of the stages since the start, over the step. */
static const double tx_rk_time[TX_RK_STAGES] = {0.0, 0.5, 0.5, 1.0};
