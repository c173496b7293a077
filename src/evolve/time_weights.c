#include "evolve/time_weights.h"

/* Where the slope is linear in the state, y' = L y, with z = dt L of the coarser step: Y1 = 1, Y2 = 1 + z/2,
 * Y3 = 1 + z/2 + z^2/4, Y4 = 1 + z + z^2/2 + z^3/4, u1 = 1 + z + z^2/2 + z^3/6 + z^4/24 times u. They span all polynomials
 * of fourth degree, so that one combination is the finer level's stage state at time t = 0 or 1/2 up to z^4: exp(t z) times
 * 1, 1 + z/4, 1 + z/4 + z^2/16, 1 + z/2 + z^2/8 + z^3/32. What is not linear is off by up to 7/384 dt^3 f''(f, f) in the
 * state, f being the slope: it is of second order in how fast the state changes, where the linear terms are of first. The
 * other choice, no error in third order and up to 7/384 dt^4 f'f'f'f, does better for waves of amplitude 0.1 and worse for
 * weaker ones and for black holes. Errors near refinement boundaries over those of a global time step (gauge wave, 64
 * points): 1.10 here and 1.53 with the other choice for amplitude 0.01, 1.33 and 1.18 for 0.1. In QC-0 the momentum
 * constraint is 0 to 3% smaller here.
 *
 * 5/48 + 1/2 + 7/24 + 1/24 is rounded; the last bit of what follows it makes 1 of the row's sum. */
#define SIXTEENTH (1. / 16 + 0x1p-53)

const tx_time_weight_tables tx_time_weights_rk4 = {
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
            {1. / 2, 1. / 4, 1. / 4, 0, 0},
            {1. / 8, 1. / 2, 1. / 4, 1. / 8, 0},
            {5. / 48, 1. / 2, 7. / 24, 1. / 24, SIXTEENTH},
        },
    .second_half =
        {
            {5. / 48, 1. / 2, 7. / 24, 1. / 24, SIXTEENTH},
            {-11. / 48, 1. / 2, 11. / 24, 1. / 12, 3. / 16},
            {-1. / 24, 1. / 4, 1. / 3, 1. / 12, 3. / 8},
            {1. / 16, 0, -1. / 8, 0, 17. / 16},
            {0, 0, 0, 0, 1},
        },
};
