#include "refine/criterion.h"

#include "base/memory.h"

/* Up to so many octants are asked by one thread: beside a GPU the others sleep, and waking them takes longer. */
#define FLAGS_SERIAL 65536

static const tx_criterion *const table[TX_CRITERIA] = {
#define CRITERION(name) &tx_criterion_##name,
#include "refine/criteria.def"
#undef CRITERION
};

bool tx_policy_needs_data(const tx_policy *policy) {
  for (int i = 0; i < TX_CRITERIA; i++)
    if (table[i]->needs_data && table[i]->active(policy)) return true;
  return false;
}

/* Where criteria communicate, all ranks do or none. */
static tx_status prepare(tx_status status, const tx_criterion *criterion, const tx_policy *policy,
                         const tx_grid_data *data, void **context) {
  if (criterion->needs_data) {
    TX_REQUIRE(data->u, TX_ERR_USAGE, "the refinement criterion %s needs the state on the grid",
               criterion->name);
    status = tx_agree(data->mesh->comm, status);
  }
  TX_THEN(status, criterion->prepare(policy, data, context));
  return status;
}

tx_status tx_criteria_begin(const tx_policy *policy, const tx_grid_data *data, tx_criteria *out) {
  tx_status status = TX_OK;
  *out = (tx_criteria){.policy = policy};
  for (int i = 0; i < TX_CRITERIA; i++) {
    if (!table[i]->active(policy)) continue;
    out->criterion[out->n] = table[i];
    status = prepare(status, table[i], policy, data, &out->context[out->n]);
    out->n++;
  }
  return status;
}

void tx_criteria_end(tx_criteria *criteria) {
  for (int i = 0; i < criteria->n; i++) tx_free(criteria->context[i]);
  criteria->n = 0;
}

int tx_criteria_flag(const tx_criteria *criteria, const tx_flag_octant *octant) {
  const tx_policy *policy = criteria->policy;
  const int level = octant->level;
  const int least = policy->may_coarsen ? TX_MAY_COARSEN : TX_KEEP;
  if (level > policy->level_max) return least;
  if (level < policy->level_min && level < policy->level_max) return TX_REFINE;
  int flag = level <= policy->level_min ? TX_KEEP : least;
  for (int i = 0; i < criteria->n && flag < TX_REFINE; i++) {
    const int asked = criteria->criterion[i]->flag(criteria->context[i], octant);
    if (asked > flag) flag = asked;
  }
  return flag == TX_REFINE && level == policy->level_max ? TX_KEEP : flag;
}

tx_status tx_policy_flags(const tx_policy *policy, const tx_grid_data *data, int8_t **flag) {
  const tx_mesh *mesh = data->mesh;
  tx_criteria criteria;
  *flag = NULL;
  tx_status status = tx_criteria_begin(policy, data, &criteria);
  TX_KEEP(status, tx_alloc((size_t)mesh->n_local, sizeof **flag, "regrid", flag));
  const tx_lidx octants = status == TX_OK ? mesh->n_local : 0;
#pragma omp parallel for schedule(static) if (octants > FLAGS_SERIAL)
  for (tx_lidx b = 0; b < octants; b++) {
    tx_flag_octant octant = {.b = b, .level = mesh->octant[b].level};
    octant.size = tx_mesh_size(mesh, octant.level);
    tx_mesh_origin(mesh, b, octant.low);
    (*flag)[b] = (int8_t)tx_criteria_flag(&criteria, &octant);
  }
  tx_criteria_end(&criteria);
  return tx_agree(mesh->comm, status);
}
