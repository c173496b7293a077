/* Generated: floating-point operations of a point in each of the generated files.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input hash: 9b4194a9aca7e09a */
#pragma once

#define TX_BSSN_RHS_OPERATIONS 1483
#define TX_BSSN_CONSTRAINTS_OPERATIONS 1285
#define TX_BSSN_WEYL_OPERATIONS 1342
