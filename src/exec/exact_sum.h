/* Sums of doubles that do not depend on the order of the terms: a fixed-point number wide enough for
 * every double (Kulisch). Sums of several ranks are added limb by limb. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/types.h"

/** 32 bits of the sum a limb, from 2^-1136 up; 2^31 terms before a limb can overflow. */
#define TX_EXACT_LIMBS 70
/** Exponent of the unit of the lowest limb; frexp goes down to -1073 - 53. */
#define TX_EXACT_LOWEST (-1136)

typedef struct tx_exact_sum {
  int64_t limb[TX_EXACT_LIMBS];
} tx_exact_sum;

/** Split x, finite, into limbs: part[i] to limb number `first` + i, which is returned. */
TX_HD static inline int tx_exact_sum_split(double x, int64_t part[3]) {
  int exponent;
  const int64_t mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
  const int shift = exponent - 53 - TX_EXACT_LOWEST, sign = mantissa < 0 ? -1 : 1;
  const uint64_t bits = (uint64_t)(mantissa * sign);
  const uint64_t low = (bits & 0xffffffffu) << (shift % 32), high = bits >> 32 << (shift % 32);
  const uint64_t middle = (low >> 32) + high;
  part[0] = sign * (int64_t)(low & 0xffffffffu);
  part[1] = sign * (int64_t)(middle & 0xffffffffu);
  part[2] = sign * (int64_t)(middle >> 32);
  return shift / 32;
}

/** Add x, which must be finite. Local. */
static inline void tx_exact_sum_add(tx_exact_sum *s, double x) {
  int64_t part[3];
  const int first = tx_exact_sum_split(x, part);
  for (int i = 0; i < 3 && first + i < TX_EXACT_LIMBS; i++) s->limb[first + i] += part[i];
}

/** Return the sum, within an ulp, the same for the same set of terms. Local. */
double tx_exact_sum_value(const tx_exact_sum *s);
