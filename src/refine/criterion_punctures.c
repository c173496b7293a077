/* Refinement by the distance to punctures. */
#include "base/memory.h"
#include "refine/reach.h"

typedef struct punctures {
  int n;
  tx_reach at[TX_PUNCTURES_MAX];
} punctures;

static bool active(const tx_policy *policy) {
  return policy->n_punctures > 0;
}

static tx_status prepare(const tx_policy *policy, const tx_grid_data *data, void **context) {
  punctures *all = NULL;
  (void)data;
  TX_TRY(tx_alloc(1, sizeof *all, "regrid", &all));
  *context = all;
  all->n = policy->n_punctures;
  for (int a = 0; a < all->n; a++) {
    const tx_policy_puncture *p = &policy->puncture[a];
    tx_reach_init(p->x, p->level, p->radius, policy->params->grid_bh_growth, &all->at[a]);
  }
  return TX_OK;
}

static int flag(const void *context, const tx_flag_octant *octant) {
  const punctures *all = context;
  int most = TX_MAY_COARSEN;
  for (int a = 0; a < all->n && most < TX_REFINE; a++) {
    const int asked = tx_reach_flag(&all->at[a], octant);
    if (asked > most) most = asked;
  }
  return most;
}

const tx_criterion tx_criterion_punctures = {
    .name = "punctures", .active = active, .prepare = prepare, .flag = flag};
