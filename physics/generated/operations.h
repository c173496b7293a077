/* Generated: floating-point operations of a point in each of the generated files.
 * Generator: physics/codegen/generate.py. Do not edit.
 * Input hash: bc2f52db5d90f208 */
#pragma once

#define TX_BSSN_RHS_OPERATIONS 1477
#define TX_BSSN_CONSTRAINTS_OPERATIONS 1279
#define TX_BSSN_WEYL_OPERATIONS 1336
