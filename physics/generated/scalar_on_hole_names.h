/* Generated: the names of physics/scalar_on_hole, the one system that a unit knows.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input: the Python files of physics/scalar_on_hole and what they import, hash of all e5e12cd62db818c7. */
#pragma once

/* clang-format off */
#define TX_SYSTEM scalar_on_hole
/** Hash of the variables and the right-hand sides as they are written: checkpoints know the system by its name and this. */
#define TX_SYSTEM_DIGEST UINT64_C(0x7491b62556c12abb)
#define TX_SYSTEM_VARIABLES "physics/generated/scalar_on_hole_variables.def"
#define TX_SYSTEM_RHS "physics/generated/scalar_on_hole_rhs.inc"
#define TX_SYSTEM_ANALYSIS "physics/generated/scalar_on_hole_analysis.inc"
#define TX_SYSTEM_INITIAL "physics/generated/scalar_on_hole_initial.inc"
#define TX_SYSTEM_SHIFT_APART 0.0
#define TX_SYSTEM_QUANTITIES "physics/generated/scalar_on_hole_quantities.def"

typedef enum tx_variable {
  TX_VAR_PHI, TX_VAR_PI, TX_VARS
} tx_variable;

typedef enum tx_analysis {
  TX_ANALYSIS_ENERGY, TX_ANALYSIS_MOMENTUM0, TX_ANALYSIS_MOMENTUM1, TX_ANALYSIS_MOMENTUM2,
  TX_ANALYSES
} tx_analysis;

#define TX_SYSTEM_FLOORS(F)

enum { TX_OWN_MASS, TX_OWN_MONOPOLE, TX_OWN_DIPOLE, TX_OWN_RADIUS, TX_OWN_WIDTH, TX_OWN };
/** P(number, member of tx_params) of the system's own parameters; S(name, value): scalar inputs of the equations, p being a
 *  tx_system_params and h the spacing. */
#define TX_SYSTEM_PARAMETERS(P) P(TX_OWN_MASS, scalar_on_hole_mass) \
  P(TX_OWN_MONOPOLE, scalar_on_hole_monopole) P(TX_OWN_DIPOLE, scalar_on_hole_dipole) \
  P(TX_OWN_RADIUS, scalar_on_hole_radius) P(TX_OWN_WIDTH, scalar_on_hole_width)
#define TX_SYSTEM_SCALARS(S) S(mass, p->own[TX_OWN_MASS]) S(monopole, p->own[TX_OWN_MONOPOLE]) \
  S(dipole, p->own[TX_OWN_DIPOLE]) S(radius, p->own[TX_OWN_RADIUS]) S(width, p->own[TX_OWN_WIDTH])


/** Floating-point operations of scalar_on_hole_rhs.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_RHS_OPERATIONS 37
#define TX_RHS_LOADS(V) V(PHI, 2) V(PI, 1)

/** How many variables it needs with derivatives up to each order. */
#define TX_RHS_LOADS_0 0
#define TX_RHS_LOADS_1 1
#define TX_RHS_LOADS_2 1

/** Floating-point operations of scalar_on_hole_analysis.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_ANALYSIS_OPERATIONS 23
#define TX_ANALYSIS_LOADS(V) V(PHI, 1) V(PI, 0)

/** How many variables it needs with derivatives up to each order. */
#define TX_ANALYSIS_LOADS_0 1
#define TX_ANALYSIS_LOADS_1 1
#define TX_ANALYSIS_LOADS_2 0

/** S(name): the scalar inputs of the analysis quantities, which parameters give. */
#define TX_ANALYSIS_SCALARS(S) S(mass)

/** Variables of which right-hand sides need second derivatives, as bits. */
#define TX_RHS_MIXED 0x1u

/** S(name): the scalar inputs of the right-hand side that parameters give; those of TX_MORE; those that are
 *  worked out at the point. */
#define TX_RHS_SCALARS(S) S(mass)
#define TX_RHS_MORE(S)

/** Slots of scalar_on_hole_rhs.inc in which a thread parks values (parking.py): N(name, slot); V(variable, slot) whose
 *  advection waits for its right-hand side, and this for the update; V(variable, slot) whose value is kept; V(variable,
 *  slot, slot) of which the update adds to two values that were asked for ahead, for the sum and the next state.
 *  U(last, variables...): they are updated together, once `last`, one of them, has its right-hand side. A(last,
 *  variables...): what their update adds to is asked for after the update of `last`. Of kernels for GPUs with little
 *  shared memory (TX_SMALL), whose values are read again and not kept, and of the others. */
#ifdef TX_SMALL
#define TX_RHS_SLOTS 0
#define TX_RHS_PARKED(N)
#define TX_RHS_WAITING(V)
#define TX_RHS_KEPT(V)
#define TX_RHS_AHEAD(V)
#define TX_RHS_UPDATES(U) U(TX_VAR_PI, TX_VAR_PHI, TX_VAR_PI)
#define TX_RHS_ASKED(A)
#else
#define TX_RHS_SLOTS 0
#define TX_RHS_PARKED(N)
#define TX_RHS_WAITING(V)
#define TX_RHS_KEPT(V)
#define TX_RHS_AHEAD(V)
#define TX_RHS_UPDATES(U) U(TX_VAR_PI, TX_VAR_PHI, TX_VAR_PI)
#define TX_RHS_ASKED(A)
#endif

/** P(parameter): the factors, 0 or 1, of advections; V(variable, parameter): its equation has one, the others always
 *  have their advection. */
#define TX_ADVECTIONS(P)
#define TX_ADVECTED(V)
/* clang-format on */
