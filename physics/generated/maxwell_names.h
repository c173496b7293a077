/* Generated: the names of physics/maxwell, the one system that a unit knows.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input: the Python files of physics/maxwell and what they import, hash of all 54ca09073c5e876a. */
#pragma once

/* clang-format off */
#define TX_SYSTEM maxwell
/** Hash of the variables and the right-hand sides as they are written: checkpoints know the system by its name and this. */
#define TX_SYSTEM_DIGEST UINT64_C(0xa81c653e76b46048)
#define TX_SYSTEM_VARIABLES "physics/generated/maxwell_variables.def"
#define TX_SYSTEM_RHS "physics/generated/maxwell_rhs.inc"
#define TX_SYSTEM_ANALYSIS "physics/generated/maxwell_analysis.inc"
#define TX_SYSTEM_INITIAL "physics/generated/maxwell_initial.inc"
#define TX_SYSTEM_SHIFT_APART 0.0
#define TX_SYSTEM_QUANTITIES "physics/generated/maxwell_quantities.def"

typedef enum tx_variable {
  TX_VAR_E0, TX_VAR_E1, TX_VAR_E2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2, TX_VAR_PSI, TX_VAR_PHI,
  TX_VARS
} tx_variable;

typedef enum tx_analysis {
  TX_ANALYSIS_DIVE, TX_ANALYSIS_DIVB, TX_ANALYSIS_ENERGY, TX_ANALYSIS_POYNTING0,
  TX_ANALYSIS_POYNTING1, TX_ANALYSIS_POYNTING2, TX_ANALYSES
} tx_analysis;

#define TX_SYSTEM_FLOORS(F)

enum { TX_OWN_KAPPA, TX_OWN_AMPLITUDE, TX_OWN_WIDTH, TX_OWN_WAVELENGTH, TX_OWN };
/** P(number, member of tx_params) of the system's own parameters; S(name, value): scalar inputs of the equations, p being a
 *  tx_system_params and h the spacing. */
#define TX_SYSTEM_PARAMETERS(P) P(TX_OWN_KAPPA, maxwell_kappa) \
  P(TX_OWN_AMPLITUDE, maxwell_amplitude) P(TX_OWN_WIDTH, maxwell_width) \
  P(TX_OWN_WAVELENGTH, maxwell_wavelength)
#define TX_SYSTEM_SCALARS(S) S(kappa, p->own[TX_OWN_KAPPA]) S(amplitude, p->own[TX_OWN_AMPLITUDE]) \
  S(width, p->own[TX_OWN_WIDTH]) S(wavelength, p->own[TX_OWN_WAVELENGTH])


/** Floating-point operations of maxwell_rhs.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_RHS_OPERATIONS 28
#define TX_RHS_LOADS(V) V(E0, 1) V(E1, 1) V(E2, 1) V(B0, 1) V(B1, 1) V(B2, 1) V(PSI, 1) V(PHI, 1)

/** How many variables it needs with derivatives up to each order. */
#define TX_RHS_LOADS_0 0
#define TX_RHS_LOADS_1 8
#define TX_RHS_LOADS_2 0

/** Floating-point operations of maxwell_analysis.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_ANALYSIS_OPERATIONS 25
#define TX_ANALYSIS_LOADS(V) V(E0, 1) V(E1, 1) V(E2, 1) V(B0, 1) V(B1, 1) V(B2, 1)

/** How many variables it needs with derivatives up to each order. */
#define TX_ANALYSIS_LOADS_0 0
#define TX_ANALYSIS_LOADS_1 6
#define TX_ANALYSIS_LOADS_2 0

/** Variables of which right-hand sides need second derivatives, as bits. */
#define TX_RHS_MIXED 0x0u

/** S(name): the scalar inputs of the right-hand side that parameters give; those of TX_MORE; those that are
 *  worked out at the point. */
#define TX_RHS_SCALARS(S) S(kappa)
#define TX_RHS_MORE(S)

/** Slots of maxwell_rhs.inc in which a thread parks values (parking.py): N(name, slot); V(variable, slot) whose
 *  advection waits for its right-hand side, and this for the update; V(variable, slot) whose value is kept; V(variable,
 *  slot, slot) of which the update adds to two values that were asked for ahead, for the sum and the next state.
 *  U(last, variables...): they are updated together, once `last`, one of them, has its right-hand side. A(last,
 *  variables...): what their update adds to is asked for after the update of `last`. Of kernels for GPUs with little
 *  shared memory (TX_SMALL), whose values are read again and not kept, and of the others. */
#ifdef TX_SMALL
#define TX_RHS_SLOTS 7
#define TX_RHS_PARKED(N)
#define TX_RHS_WAITING(V) V(E0, 0) V(E1, 1) V(E2, 2) V(B0, 3) V(B1, 4) V(B2, 5) V(PSI, 6)
#define TX_RHS_KEPT(V)
#define TX_RHS_AHEAD(V)
#define TX_RHS_UPDATES(U) \
  U(TX_VAR_PHI, TX_VAR_E0, TX_VAR_E1, TX_VAR_E2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2, TX_VAR_PSI, TX_VAR_PHI)
#define TX_RHS_ASKED(A)
#else
#define TX_RHS_SLOTS 7
#define TX_RHS_PARKED(N)
#define TX_RHS_WAITING(V) V(E0, 0) V(E1, 1) V(E2, 2) V(B0, 3) V(B1, 4) V(B2, 5) V(PSI, 6)
#define TX_RHS_KEPT(V)
#define TX_RHS_AHEAD(V)
#define TX_RHS_UPDATES(U) \
  U(TX_VAR_PHI, TX_VAR_E0, TX_VAR_E1, TX_VAR_E2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2, TX_VAR_PSI, TX_VAR_PHI)
#define TX_RHS_ASKED(A)
#endif

/** P(parameter): the factors, 0 or 1, of advections; V(variable, parameter): its equation has one, the others always
 *  have their advection. */
#define TX_ADVECTIONS(P)
#define TX_ADVECTED(V)
/* clang-format on */
