#include "evolve/demands.h"

#include "evolve/macro_step.h"
#include "evolve/stability.h"

tx_status tx_evolve_demands(const tx_params *p, const tx_param_source *source) {
  TX_TRY(tx_stability_demands(p, source));
  return tx_macro_step_demands(p, source);
}
