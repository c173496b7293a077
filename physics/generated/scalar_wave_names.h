/* Generated: the names of physics/scalar_wave, the one system that a unit knows.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input: the Python files of physics/scalar_wave and what they import, hash of all f14d12527ad5e829. */
#pragma once

/* clang-format off */
#define TX_SYSTEM scalar_wave
/** Hash of the variables and the right-hand sides as they are written: checkpoints know the system by its name and this. */
#define TX_SYSTEM_DIGEST UINT64_C(0x3264e39b168591f9)
#define TX_SYSTEM_VARIABLES "physics/generated/scalar_wave_variables.def"
#define TX_SYSTEM_RHS "physics/generated/scalar_wave_rhs.inc"
#define TX_SYSTEM_ANALYSIS "physics/generated/scalar_wave_analysis.inc"
#define TX_SYSTEM_INITIAL "physics/generated/scalar_wave_initial.inc"
#define TX_SYSTEM_SHIFT_APART 0.0
#define TX_SYSTEM_QUANTITIES "physics/generated/scalar_wave_quantities.def"

typedef enum tx_variable {
  TX_VAR_U, TX_VAR_V, TX_VARS
} tx_variable;

typedef enum tx_analysis {
  TX_ANALYSIS_ENERGY, TX_ANALYSIS_FLUX0, TX_ANALYSIS_FLUX1, TX_ANALYSIS_FLUX2, TX_ANALYSES
} tx_analysis;

#define TX_SYSTEM_FLOORS(F)

enum { TX_OWN_AMPLITUDE, TX_OWN_WIDTH, TX_OWN_CENTRE, TX_OWN };
/** P(number, member of tx_params) of the system's own parameters; S(name, value): scalar inputs of the equations, p being a
 *  tx_system_params and h the spacing. */
#define TX_SYSTEM_PARAMETERS(P) P(TX_OWN_AMPLITUDE, scalar_wave_amplitude) \
  P(TX_OWN_WIDTH, scalar_wave_width) P(TX_OWN_CENTRE, scalar_wave_centre)
#define TX_SYSTEM_SCALARS(S) S(amplitude, p->own[TX_OWN_AMPLITUDE]) S(width, p->own[TX_OWN_WIDTH]) \
  S(centre, p->own[TX_OWN_CENTRE])


/** Floating-point operations of scalar_wave_rhs.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_RHS_OPERATIONS 4
#define TX_RHS_LOADS(V) V(U, 2) V(V, 0)

/** How many variables it needs with derivatives up to each order. */
#define TX_RHS_LOADS_0 1
#define TX_RHS_LOADS_1 0
#define TX_RHS_LOADS_2 1

/** Floating-point operations of scalar_wave_analysis.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_ANALYSIS_OPERATIONS 11
#define TX_ANALYSIS_LOADS(V) V(U, 1) V(V, 0)

/** How many variables it needs with derivatives up to each order. */
#define TX_ANALYSIS_LOADS_0 1
#define TX_ANALYSIS_LOADS_1 1
#define TX_ANALYSIS_LOADS_2 0

/** Variables of which right-hand sides need second derivatives, as bits. */
#define TX_RHS_MIXED 0x1u

/** S(name): the scalar inputs of the right-hand side that parameters give; those of TX_MORE; those that are
 *  worked out at the point. */
#define TX_RHS_SCALARS(S)
#define TX_RHS_MORE(S)

/** Slots of scalar_wave_rhs.inc in which a thread parks values (parking.py): N(name, slot); V(variable, slot) whose
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
#define TX_RHS_UPDATES(U) U(TX_VAR_V, TX_VAR_U, TX_VAR_V)
#define TX_RHS_ASKED(A)
#else
#define TX_RHS_SLOTS 0
#define TX_RHS_PARKED(N)
#define TX_RHS_WAITING(V)
#define TX_RHS_KEPT(V)
#define TX_RHS_AHEAD(V)
#define TX_RHS_UPDATES(U) U(TX_VAR_V, TX_VAR_U, TX_VAR_V)
#define TX_RHS_ASKED(A)
#endif

/** P(parameter): the factors, 0 or 1, of advections; V(variable, parameter): its equation has one, the others always
 *  have their advection. */
#define TX_ADVECTIONS(P)
#define TX_ADVECTED(V)
/* clang-format on */
