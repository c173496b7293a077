#include "exec/exact_sum.h"

/* Limbs of sign * s with all but the highest in [0, 2^32); returns what is carried out of the highest,
 * negative if the sum is. */
static int64_t carry(const tx_exact_sum *s, int sign, int64_t limb[TX_EXACT_LIMBS]) {
  int64_t over = 0;
  for (int i = 0; i < TX_EXACT_LIMBS; i++) {
    int64_t t = sign * s->limb[i] + over;
    limb[i] = t & 0xffffffff;
    over = (t - limb[i]) / ((int64_t)1 << 32);
  }
  return over;
}

double tx_exact_sum_value(const tx_exact_sum *s) {
  int64_t limb[TX_EXACT_LIMBS];
  int sign = carry(s, 1, limb) < 0 ? -1 : 1;
  if (sign < 0) carry(s, -1, limb);
  int top = TX_EXACT_LIMBS - 1;
  while (top > 0 && limb[top] == 0) top--;
  double value = 0.0; /* 96 bits below the highest set limb's end: at least 65 of the sum */
  for (int i = top > 2 ? top - 2 : 0; i <= top; i++)
    value += ldexp((double)limb[i], TX_EXACT_LOWEST + 32 * i);
  return sign * value;
}
