/* Functions of fields at a point: their names and shapes, from pointwise.def. */
#pragma once

/** Input fields and parameters that a function may have. */
#define TX_POINTWISE_FIELDS     4
#define TX_POINTWISE_PARAMETERS 1

typedef enum tx_pointwise {
#define P(enumerator, ...) TX_POINTWISE_##enumerator,
#include "physics/pointwise.def"
#undef P
  TX_POINTWISES
} tx_pointwise;

/** Numbers of inputs and outputs of a function. */
typedef struct tx_pointwise_info {
  const char *name;
  int takes
      [TX_POINTWISE_FIELDS]; /**< variables of each input field at once; 0: it has no such field */
  int gives;                 /**< variables of the output */
  int parameters;
  const char *text; /**< formula, of inputs f, g and the parameter p0 */
} tx_pointwise_info;

/** All functions, indexed by tx_pointwise. */
extern const tx_pointwise_info tx_pointwises[TX_POINTWISES];
