/* Problems for the methods of the elliptic solver, and solves of them. Functions assert on errors; include cmocka.h. */
#pragma once

#include "tests/support/elliptic.h"

/** A problem with its grid and fields. */
typedef struct tx_test_elliptic_rig {
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x;
  tx_field *u;
  tx_elliptic *e;
  tx_elliptic_history history;
} tx_test_elliptic_rig;

/** Grid and equation of a problem, u = 0. Collective. */
tx_test_elliptic_rig tx_test_elliptic_on(MPI_Comm comm, const tx_test_problem *p);
void tx_test_elliptic_off(tx_test_elliptic_rig *r);

/** The default with this method and tolerance. */
tx_elliptic_control tx_test_elliptic_control(tx_elliptic_method method, double tolerance);
/** Solve, with a history that makes sense, and u stored. Collective. */
tx_test_elliptic_rig tx_test_elliptic_solve(MPI_Comm comm, const tx_test_problem *p,
                                            tx_elliptic_control control);
/** The last entry of the history. */
tx_elliptic_residual tx_test_elliptic_last(const tx_test_elliptic_rig *r);
/** Largest difference of two solutions over the largest value of the second. Collective. */
double tx_test_elliptic_difference(const tx_test_elliptic_rig *a, const tx_test_elliptic_rig *b);

/** Poisson's equation, \Delta u = f for u = (r^2 + 1)^{-1/2} about a point, on three levels. */
tx_test_problem tx_test_elliptic_poisson(void);
/** The Hamiltonian constraint of a binary with momenta and spins; and that of one hole that spins at the origin, in an
 *  octant of the domain, with leaves of levels 1 to `top` >= 1, eight octants each, or of level 0. */
tx_test_problem tx_test_elliptic_binary(void);
tx_test_problem tx_test_elliptic_one(int top);
/** \Delta u = f, of zero mean, in a uniform periodic box of [-1, 1) with so many points a dimension; and \Delta u + a (1 + u)^-7
 *  = f + a there, whose solution is unique for a > 0. */
tx_test_problem tx_test_elliptic_box(int points);
tx_test_problem tx_test_elliptic_box_with_source(int points, const double *a);
double tx_test_elliptic_unity(const void *unused, const double x[3]);
