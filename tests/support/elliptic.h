/* Elliptic equations in tests: forests about centres, solutions that are gathered, coefficients of two punctures. */
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
