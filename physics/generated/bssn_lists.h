/* Generated: lists of physics/bssn.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input: physics/bssn/system.py, hash of both e9bb6a2c18715f9a. */
#pragma once

/* clang-format off */
/** Floating-point operations of bssn_rhs.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_BSSN_RHS_OPERATIONS 1488
#define TX_BSSN_RHS_LOADS(V) V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) V(GT22, 2) \
  V(GAMT0, 1) V(GAMT1, 1) V(GAMT2, 1) V(CHI, 2) V(ALPHA, 2) V(K, 1) V(BETA0, 2) V(BETA1, 2) \
  V(BETA2, 2) V(B0, 0) V(B1, 0) V(B2, 0) V(AT00, 0) V(AT01, 0) V(AT02, 0) V(AT11, 0) V(AT12, 0) \
  V(AT22, 0)

/** Floating-point operations of bssn_constraints.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_BSSN_CONSTRAINTS_OPERATIONS 1285
#define TX_BSSN_CONSTRAINTS_LOADS(V) V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) \
  V(GT22, 2) V(GAMT0, 1) V(GAMT1, 1) V(GAMT2, 1) V(CHI, 2) V(K, 1) V(AT00, 1) V(AT01, 1) \
  V(AT02, 1) V(AT11, 1) V(AT12, 1) V(AT22, 1)

/** Floating-point operations of bssn_weyl.inc; V(variable, order of the derivatives that it needs), in the order
 *  in which it takes them. */
#define TX_BSSN_WEYL_OPERATIONS 1342
#define TX_BSSN_WEYL_LOADS(V) V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) V(GT22, 2) \
  V(GAMT0, 1) V(GAMT1, 1) V(GAMT2, 1) V(CHI, 2) V(AT00, 1) V(AT01, 1) V(AT02, 1) V(AT11, 1) \
  V(AT12, 1) V(AT22, 1)

/** P(parameter): the factors, 0 or 1, of advections; V(variable, parameter): its equation has one, the others always
 *  have their advection. */
#define TX_BSSN_ADVECTIONS(P) P(advect_lapse) P(advect_shift) P(advect_B)
#define TX_BSSN_ADVECTED(V) V(ALPHA, advect_lapse) V(BETA0, advect_shift) V(BETA1, advect_shift) \
  V(BETA2, advect_shift) V(B0, advect_B) V(B1, advect_B) V(B2, advect_B)
/* clang-format on */
