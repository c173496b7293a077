/* The evolved variables: names and properties, from the description of their system. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum tx_variable {
#define V(enumerator, ...) TX_VAR_##enumerator,
#include "physics/generated/bssn_variables.def"
#undef V
  TX_VARS
} tx_variable;

/** What the mesh and the outer boundary need to know of a variable. */
typedef struct tx_variable_info {
  const char *name; /**< as in output files */
  int8_t parity[3]; /**< +1 even, -1 odd under reflection of x, y, z */
  double infinity;  /**< value at infinity */
  double falloff;   /**< n of u - u_inf ~ r^-n at the outer boundary */
  double speed;     /**< characteristic speed at the outer boundary */
  bool positive;    /**< a floor keeps it so */
  bool watched;     /**< where it has structure, wavelets refine the grid */
  const char *text; /**< description */
} tx_variable_info;

/** All variables, indexed by tx_variable. */
extern const tx_variable_info tx_variables[TX_VARS];

/** Index of the variable called `name`, or -1. Local. */
int tx_variable_find(const char *name);
