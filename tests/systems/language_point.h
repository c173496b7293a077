/* The equations of tests/systems/language at one point, for units that know the names of another system. */
#pragma once

#include "physics/system.h"

enum { LANGUAGE_VARS = 9, LANGUAGE_Q = 2 };

/** Of each variable the value, three first and six second derivatives. */
typedef const double (*language_jets)[10];

/** Right-hand sides at x: the generated ones, in plain double precision, and as written by hand. Both without advection. */
void language_rhs(const tx_system_params *p, const double x[3], language_jets j,
                  double rhs[LANGUAGE_VARS]);
void language_expect_rhs(const tx_system_params *p, const double x[3], language_jets j,
                         double rhs[LANGUAGE_VARS]);

/** Constraints at x, as written by hand. */
void language_expect_constraints(const tx_system_params *p, const double x[3], language_jets j,
                                 double out[TX_CONSTRAINTS]);
