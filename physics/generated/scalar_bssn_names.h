/* Generated: the names of physics/scalar_bssn, the one system that a unit knows.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input: the Python files of physics/scalar_bssn and what they import, hash of all 76f49bc2d5d8fede. */
#pragma once

/* clang-format off */
#define TX_SYSTEM scalar_bssn
/** Hash of the variables and the right-hand sides as they are written: checkpoints know the system by its name and this. */
#define TX_SYSTEM_DIGEST UINT64_C(0x1b15659a6f7c594e)
#define TX_SYSTEM_VARIABLES "physics/generated/scalar_bssn_variables.def"
#define TX_SYSTEM_RHS "physics/generated/scalar_bssn_rhs.inc"
#define TX_SYSTEM_CONSTRAINTS "physics/generated/scalar_bssn_constraints.inc"
#define TX_SYSTEM_WEYL "physics/generated/scalar_bssn_weyl.inc"
#define TX_SYSTEM_INITIAL "physics/generated/scalar_bssn_initial.inc"
#define TX_SYSTEM_STABILITY "physics/generated/scalar_bssn_stability.inc"
#define TX_SYSTEM_SHIFT_APART 0.0
#define TX_SYSTEM_QUANTITIES "physics/generated/scalar_bssn_quantities.def"
#define TX_SYSTEM_ANALYSIS TX_SYSTEM_CONSTRAINTS

typedef enum tx_variable {
  TX_VAR_ALPHA, TX_VAR_BETA0, TX_VAR_BETA1, TX_VAR_BETA2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2,
  TX_VAR_CHI, TX_VAR_GT00, TX_VAR_GT01, TX_VAR_GT02, TX_VAR_GT11, TX_VAR_GT12, TX_VAR_GT22,
  TX_VAR_K, TX_VAR_AT00, TX_VAR_AT01, TX_VAR_AT02, TX_VAR_AT11, TX_VAR_AT12, TX_VAR_AT22,
  TX_VAR_GAMT0, TX_VAR_GAMT1, TX_VAR_GAMT2, TX_VAR_PHI, TX_VAR_PI, TX_VARS
} tx_variable;

#define TX_SYSTEM_LAPSE TX_VAR_ALPHA
#define TX_SYSTEM_SHIFT TX_VAR_BETA0
#define TX_SYSTEM_FACTOR TX_VAR_CHI
#define TX_SYSTEM_METRIC TX_VAR_GT00
#define TX_SYSTEM_CURVATURE TX_VAR_AT00
typedef enum tx_analysis {
  TX_ANALYSIS_H, TX_ANALYSIS_M0, TX_ANALYSIS_M1, TX_ANALYSIS_M2, TX_ANALYSIS_G0, TX_ANALYSIS_G1,
  TX_ANALYSIS_G2, TX_ANALYSIS_RHO, TX_ANALYSIS_S0, TX_ANALYSIS_S1, TX_ANALYSIS_S2, TX_ANALYSES
} tx_analysis;

#define TX_SYSTEM_FLOORS(F) F(ALPHA, alpha_floor) F(CHI, chi_floor)

enum { TX_OWN_HAMILTONIAN_DAMPING, TX_OWN_MASS, TX_OWN_SELF_INTERACTION, TX_OWN_ADM_MASS, TX_OWN_WIDTH, TX_OWN };
/** P(number, member of tx_params) of the system's own parameters; S(name, value): scalar inputs of the equations, p being a
 *  tx_system_params and h the spacing. */
#define TX_SYSTEM_PARAMETERS(P) P(TX_OWN_HAMILTONIAN_DAMPING, scalar_bssn_hamiltonian_damping) \
  P(TX_OWN_MASS, scalar_bssn_mass) P(TX_OWN_SELF_INTERACTION, scalar_bssn_self_interaction) \
  P(TX_OWN_ADM_MASS, scalar_bssn_adm_mass) P(TX_OWN_WIDTH, scalar_bssn_width)
#define TX_SYSTEM_SCALARS(S) \
  S(hamiltonian_damping, 4.0 * p->own[TX_OWN_HAMILTONIAN_DAMPING] * p->cfl * h) \
  S(mass, p->own[TX_OWN_MASS]) S(self_interaction, p->own[TX_OWN_SELF_INTERACTION]) \
  S(adm_mass, p->own[TX_OWN_ADM_MASS]) S(width, p->own[TX_OWN_WIDTH])

/** Variables that the metric and the extrinsic curvature are made of. */
enum { TX_ADM_FIRST = 7, TX_ADM_VARS = 14 };
/** The trace of the extrinsic curvature, V(variable) being a number of each. */
#define TX_SYSTEM_TRACE(V) (V(K))
/** The first variable of lapse, shift and what the Weyl tensor takes. */
enum { TX_SPHERE_FIRST = 0 };

/** Floating-point operations of scalar_bssn_rhs.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_RHS_OPERATIONS 1648
#define TX_RHS_LOADS(V) V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) V(GT22, 2) \
  V(GAMT0, 1) V(GAMT1, 1) V(GAMT2, 1) V(CHI, 2) V(ALPHA, 2) V(PHI, 2) V(PI, 0) V(K, 1) V(BETA0, 2) \
  V(BETA1, 2) V(BETA2, 2) V(B0, 0) V(B1, 0) V(B2, 0) V(AT00, 0) V(AT01, 0) V(AT02, 0) V(AT11, 0) \
  V(AT12, 0) V(AT22, 0)

/** How many variables it needs with derivatives up to each order. */
#define TX_RHS_LOADS_0 10
#define TX_RHS_LOADS_1 4
#define TX_RHS_LOADS_2 12

/** Floating-point operations of scalar_bssn_constraints.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_ANALYSIS_OPERATIONS 1311
#define TX_ANALYSIS_LOADS(V) V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) V(GT22, 2) \
  V(GAMT0, 1) V(GAMT1, 1) V(GAMT2, 1) V(CHI, 2) V(K, 1) V(AT00, 1) V(AT01, 1) V(AT02, 1) \
  V(AT11, 1) V(AT12, 1) V(AT22, 1) V(PHI, 1) V(PI, 0)

/** How many variables it needs with derivatives up to each order. */
#define TX_ANALYSIS_LOADS_0 1
#define TX_ANALYSIS_LOADS_1 11
#define TX_ANALYSIS_LOADS_2 7

/** S(name): the scalar inputs of the analysis quantities, which parameters give. */
#define TX_ANALYSIS_SCALARS(S) S(mass) S(self_interaction)

/** Floating-point operations of scalar_bssn_weyl.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_WEYL_OPERATIONS 1325
#define TX_WEYL_LOADS(V) V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) V(GT22, 2) \
  V(GAMT0, 1) V(GAMT1, 1) V(GAMT2, 1) V(CHI, 2) V(AT00, 1) V(AT01, 1) V(AT02, 1) V(AT11, 1) \
  V(AT12, 1) V(AT22, 1) V(PHI, 1) V(PI, 0)

/** How many variables it needs with derivatives up to each order. */
#define TX_WEYL_LOADS_0 1
#define TX_WEYL_LOADS_1 10
#define TX_WEYL_LOADS_2 7

/** Variables of which right-hand sides need second derivatives, as bits. */
#define TX_RHS_MIXED 0x1003f8fu

/** S(name): the scalar inputs of the right-hand side that parameters give; those of TX_MORE; those that are
 *  worked out at the point. */
#define TX_RHS_SCALARS(S) S(lambda_f0) S(lambda_f1) S(lapse_c0) S(lapse_c1) S(lapse_pull) \
  S(shift_on) S(advect_Gt) S(hamiltonian_damping) S(mass) S(self_interaction)
#define TX_RHS_MORE(S) S(hamiltonian_damping)
#define TX_RHS_ETA

/** Slots of scalar_bssn_rhs.inc in which a thread parks values (parking.py): N(name, slot); V(variable, slot) whose
 *  advection waits for its right-hand side, and this for the update; V(variable, slot) whose value is kept; V(variable,
 *  slot, slot) of which the update adds to two values that were asked for ahead, for the sum and the next state.
 *  U(last, variables...): they are updated together, once `last`, one of them, has its right-hand side. A(last,
 *  variables...): what their update adds to is asked for after the update of `last`. Of kernels for GPUs with little
 *  shared memory (TX_SMALL), whose values are read again and not kept, and of the others. */
#ifdef TX_SMALL
#define TX_RHS_SLOTS 24
#define TX_RHS_PARKED(N) N(Rt_dd00, 6) N(Rt_dd01, 7) N(Rt_dd02, 8) N(Rt_dd11, 9) N(Rt_dd12, 10) \
  N(Rt_dd22, 11) N(Gamd_u0, 12) N(Gamd_u1, 13) N(Gamd_u2, 14) N(Gamt_ddd100, 6) N(Gamt_ddd101, 7) \
  N(Gamt_ddd102, 8) N(Gamt_ddd111, 9) N(Gamt_ddd112, 10) N(Gamt_ddd122, 11) N(Gamt_ddd200, 15) \
  N(Gamt_ddd201, 16) N(Gamt_ddd202, 17) N(Gamt_ddd211, 18) N(Gamt_ddd212, 19) N(Gamt_ddd222, 20) \
  N(advGamt_u0, 18) N(advGamt_u1, 19) N(advGamt_u2, 20) N(eta, 22) N(S_dd00, 6) N(S_dd01, 7) \
  N(S_dd02, 8) N(S_dd11, 9) N(S_dd12, 10) N(S_dd22, 11)
#define TX_RHS_WAITING(V) V(GT00, 0) V(GT01, 1) V(GT02, 2) V(GT11, 3) V(GT12, 4) V(GT22, 5) \
  V(GAMT0, 15) V(GAMT1, 16) V(GAMT2, 17) V(CHI, 21) V(ALPHA, 23)
#define TX_RHS_KEPT(V)
#define TX_RHS_AHEAD(V) V(B0, 12, 13) V(B1, 14, 15) V(B2, 16, 17) V(AT00, 12, 13) V(AT01, 14, 15) \
  V(AT02, 16, 17) V(AT11, 18, 19) V(AT12, 20, 21) V(AT22, 22, 23)
#define TX_RHS_UPDATES(U) U(TX_VAR_PI, TX_VAR_PHI, TX_VAR_PI) U(TX_VAR_K, TX_VAR_ALPHA, TX_VAR_K) \
  U(TX_VAR_GT22, TX_VAR_GT00, TX_VAR_GT01, TX_VAR_GT02, TX_VAR_GT11, TX_VAR_GT12, TX_VAR_GT22) \
  U(TX_VAR_BETA2, TX_VAR_CHI, TX_VAR_GAMT0, TX_VAR_GAMT1, TX_VAR_GAMT2, TX_VAR_BETA0, TX_VAR_BETA1, TX_VAR_BETA2) \
  U(TX_VAR_B2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2) \
  U(TX_VAR_AT22, TX_VAR_AT00, TX_VAR_AT01, TX_VAR_AT02, TX_VAR_AT11, TX_VAR_AT12, TX_VAR_AT22)
#define TX_RHS_ASKED(A) A(TX_VAR_BETA2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2) \
  A(TX_VAR_B2, TX_VAR_AT00, TX_VAR_AT01, TX_VAR_AT02, TX_VAR_AT11, TX_VAR_AT12, TX_VAR_AT22)
#else
#define TX_RHS_SLOTS 30
#define TX_RHS_PARKED(N) N(Rt_dd00, 12) N(Rt_dd01, 13) N(Rt_dd02, 14) N(Rt_dd11, 15) \
  N(Rt_dd12, 16) N(Rt_dd22, 17) N(Gamd_u0, 18) N(Gamd_u1, 19) N(Gamd_u2, 20) N(Gamt_ddd100, 12) \
  N(Gamt_ddd101, 13) N(Gamt_ddd102, 14) N(Gamt_ddd111, 15) N(Gamt_ddd112, 16) N(Gamt_ddd122, 17) \
  N(Gamt_ddd200, 21) N(Gamt_ddd201, 22) N(Gamt_ddd202, 23) N(Gamt_ddd211, 24) N(Gamt_ddd212, 25) \
  N(Gamt_ddd222, 26) N(advGamt_u0, 24) N(advGamt_u1, 25) N(advGamt_u2, 26) N(eta, 28) \
  N(S_dd00, 12) N(S_dd01, 13) N(S_dd02, 14) N(S_dd11, 15) N(S_dd12, 16) N(S_dd22, 17)
#define TX_RHS_WAITING(V) V(GT00, 6) V(GT01, 7) V(GT02, 8) V(GT11, 9) V(GT12, 10) V(GT22, 11) \
  V(GAMT0, 21) V(GAMT1, 22) V(GAMT2, 23) V(CHI, 27) V(ALPHA, 29)
#define TX_RHS_KEPT(V) V(GT00, 0) V(GT01, 1) V(GT02, 2) V(GT11, 3) V(GT12, 4) V(GT22, 5)
#define TX_RHS_AHEAD(V) V(B0, 0, 1) V(B1, 2, 3) V(B2, 4, 5) V(AT00, 0, 1) V(AT01, 2, 3) \
  V(AT02, 4, 5) V(AT11, 18, 19) V(AT12, 20, 21) V(AT22, 22, 23)
#define TX_RHS_UPDATES(U) U(TX_VAR_PI, TX_VAR_PHI, TX_VAR_PI) U(TX_VAR_K, TX_VAR_ALPHA, TX_VAR_K) \
  U(TX_VAR_GT22, TX_VAR_GT00, TX_VAR_GT01, TX_VAR_GT02, TX_VAR_GT11, TX_VAR_GT12, TX_VAR_GT22) \
  U(TX_VAR_BETA2, TX_VAR_CHI, TX_VAR_GAMT0, TX_VAR_GAMT1, TX_VAR_GAMT2, TX_VAR_BETA0, TX_VAR_BETA1, TX_VAR_BETA2) \
  U(TX_VAR_B2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2) \
  U(TX_VAR_AT22, TX_VAR_AT00, TX_VAR_AT01, TX_VAR_AT02, TX_VAR_AT11, TX_VAR_AT12, TX_VAR_AT22)
#define TX_RHS_ASKED(A) A(TX_VAR_BETA2, TX_VAR_B0, TX_VAR_B1, TX_VAR_B2) \
  A(TX_VAR_B2, TX_VAR_AT00, TX_VAR_AT01, TX_VAR_AT02, TX_VAR_AT11, TX_VAR_AT12, TX_VAR_AT22)
#endif

/** P(parameter): the factors, 0 or 1, of advections; V(variable, parameter): its equation has one, the others always
 *  have their advection. */
#define TX_ADVECTIONS(P) P(advect_lapse) P(advect_shift) P(advect_B)
#define TX_ADVECTED(V) V(ALPHA, advect_lapse) V(BETA0, advect_shift) V(BETA1, advect_shift) \
  V(BETA2, advect_shift) V(B0, advect_B) V(B1, advect_B) V(B2, advect_B)
/* clang-format on */
