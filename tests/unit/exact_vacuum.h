/* Kerr's spacetime in coordinates that wobble in space and time: an exact solution without any
 * symmetry, with every BSSN variable and its jet to about 14 digits. In extended precision. */
#pragma once

#include "physics/bssn.h"

/** Mass 1 and spin parameter of the hole, which sits at the origin of the unwobbled coordinates. */
#define EXACT_SPIN 0.6

/** Jets of all variables at event x = (t, x, y, z); B^i is 0. */
void exact_jets(const double x[4], double jets[TX_VARS][10]);

/** Their time derivatives. */
void exact_dot(const double x[4], double dot[TX_VARS]);

/** Boyer-Lindquist r and cos(theta) of the event. */
void exact_position(const double x[4], double *r, double *cos_theta);
