/* Generated: floating-point operations of a point in each of the generated files.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input hash: aefe6b8f4011f519 */
#pragma once

#define TX_BSSN_RHS_OPERATIONS 1488
#define TX_BSSN_CONSTRAINTS_OPERATIONS 1285
#define TX_BSSN_WEYL_OPERATIONS 1342
