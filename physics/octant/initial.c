/* Profiles of initial data at a point. */
#include "physics/octant/octant.h"

#ifdef TX_SYSTEM_INITIAL
#include <math.h>
#include "physics/define_point.h"
#include "physics/functions_point.h"

typedef double tx_real;
#define TX_COORDINATE(dim)        (point[dim])
#define TX_STORE(variable, value) out[TX_NUMBER(variable)] = value

void TX_OF(initial_at)(const tx_system_params *p, int number, const double point[3], double *out) {
  (void)p, (void)point; /* not every profile asks for them */
  switch (number) {
#include TX_SYSTEM_INITIAL
  default:
    break;
  }
}
#endif
