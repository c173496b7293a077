#include "physics/pointwise.h"

const tx_pointwise_info tx_pointwises[TX_POINTWISES] = {
#define P(enumerator, name, a, b, c, d, gives, parameters, text)                                   \
  {#name, {a, b, c, d}, gives, parameters, text},
#include "physics/pointwise.def"
#undef P
};
