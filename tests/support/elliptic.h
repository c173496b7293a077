/* Elliptic equations in tests: forests about centres, problems, their solutions. Functions of rigs assert on errors; include
 * cmocka.h. */
#pragma once

#include "elliptic/elliptic.h"
#include "physics/initial_data/two_punctures.h"

/** A forest: level l + 1, from `low` to `top`, wherever an octant of level l comes within radius 2^(top - 1 - l) of a centre. */
typedef struct tx_test_balls {
  tx_domain domain;
  int low, top, n;
  double radius, centre[8][3];
} tx_test_balls;

/** Collective. The caller owns both. */
tx_status tx_test_balls_create(MPI_Comm comm, const tx_test_balls *balls, tx_octree **tree,
                               tx_mesh **mesh);

/** A problem: the equation, f, and coefficients, if it has them. `backend` NULL: the one in use. */
typedef struct tx_test_problem {
  tx_test_balls balls;
  tx_elliptic_equation equation;
  tx_elliptic_function f, c[TX_ELLIPTIC_COEFFICIENTS]; /**< f NULL: 0 */
  const void *data;
  tx_elliptic_control control;
} tx_test_problem;

/** Its solution on the leaves of all ranks, in the order of the curve. */
typedef struct tx_test_solution {
  tx_status status; /**< of the solve */
  tx_elliptic_history history;
  int64_t points;
  tx_domain domain;
  tx_gidx n;
  tx_octant *octant; /**< [n] */
  double *u;         /**< [n][TX_N3] */
} tx_test_solution;

/** Collective. Fails where anything but the solve fails; release what it gives with tx_test_solution_free. */
tx_status tx_test_solve(MPI_Comm comm, const tx_test_problem *p, tx_test_solution *out);
void tx_test_solution_free(tx_test_solution *s);

/** Coordinates of point number i of octant number b, and the level's spacing. Local. */
double tx_test_solution_place(const tx_test_solution *s, tx_gidx b, int i, double x[3]);

/** Coefficients a and b of the Hamiltonian constraint; data: a tx_bowen_york. a is 0 at the punctures. */
double tx_test_puncture_a(const void *data, const double x[3]);
double tx_test_puncture_b(const void *data, const double x[3]);

/** That equation with differences of this order. */
tx_elliptic_equation tx_test_hamiltonian(int order);

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
/** \Delta u - u = f in a uniform periodic box of [-1, 1) with so many points a dimension; and \Delta u + a (1 + u)^-7 = f + a
 *  there, whose solution is unique for a > 0. */
tx_test_problem tx_test_elliptic_box(int points);
