#include "physics/variables.h"

#include <string.h>

const tx_variable_info tx_variables[TX_VARS] = {
#define V(enumerator, name, px, py, pz, infinity, falloff, speed, positive, watched, text)         \
  {#name, {px, py, pz}, infinity, falloff, speed, positive, watched, text},
#include "physics/generated/bssn_variables.def"
#undef V
};

int tx_variable_find(const char *name) {
  for (int v = 0; v < TX_VARS; v++)
    if (strcmp(name, tx_variables[v].name) == 0) return v;
  return -1;
}
