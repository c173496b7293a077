/* Sums of doubles that do not depend on the order of the terms: a fixed-point number wide enough for
 * every double (Kulisch). Sums of several ranks are added limb by limb. */
#pragma once

#include <stdint.h>

/** 32 bits of the sum a limb, from 2^-1136 up; 2^31 terms before a limb can overflow. */
#define TX_EXACT_LIMBS 70

typedef struct tx_exact_sum {
  int64_t limb[TX_EXACT_LIMBS];
} tx_exact_sum;

/** Add x, which must be finite. Local. */
void tx_exact_sum_add(tx_exact_sum *s, double x);

/** The sum, within an ulp, the same for the same set of terms. Local. */
double tx_exact_sum_value(const tx_exact_sum *s);
