#include "evolve/edge_table.h"

/* With D_i = dt k_i of the coarser step and U RK4's dense output of third order, U', U'' its derivatives times dt, dt^2, and
 * F = 4 (D3 - D2), the stage states of a step of half the length are y1 = U, y2 = U + U'/4,
 * y3 = U + U'/4 + U''/16 + (U''' - F)/128, y4 = U + U'/2 + U''/8 + (U''' + F)/64 at its start, up to terms of fourth order.
 * All coefficients are exact. */
const tx_edge_tables tx_edge_tables_rk4 = {
    .whole =
        {
            {1, 0, 0, 0, 0},
            {0, 1, 0, 0, 0},
            {0, 0, 1, 0, 0},
            {0, 0, 0, 1, 0},
            {0, 0, 0, 0, 1},
        },
    .first_half =
        {
            {1, 0, 0, 0, 0},
            {1. / 2, 1. / 2, 0, 0, 0},
            {7. / 16, 1. / 4, 3. / 8, 1. / 8, -3. / 16},
            {0, 1. / 2, 1. / 2, 3. / 8, -3. / 8},
            {0, 1. / 2, 1. / 2, 1. / 4, -1. / 4},
        },
    .second_half =
        {
            {0, 1. / 2, 1. / 2, 1. / 4, -1. / 4},
            {-3. / 8, 1. / 2, 3. / 4, 3. / 8, -1. / 4},
            {-1. / 16, 1. / 4, 3. / 8, 1. / 8, 5. / 16},
            {0, 0, 0, 1. / 8, 7. / 8},
            {0, 0, 0, 0, 1},
        },
};
