#include "evolve/macro.h"
#include "evolve/macro_step.h"
#include "evolve/stability.h"

#include <math.h>
#include <string.h>

/* Stages of a time step. */
#define STAGES 4.0

static int least(int a, int b) {
  return a < b ? a : b;
}

void tx_macro_of(const tx_params *p, const tx_mesh *mesh, tx_macro *out) {
  const int finest = mesh->level_highest, coarsest = mesh->level_lowest;
  *out = (tx_macro){.of_levels = p->evolution_time_steps == TX_STEPS_LEVELS};
  out->m = tx_macro_levels(p, finest, coarsest);
  const int counted = tx_step_level(p, finest);
  out->dt = tx_time_step(p, tx_mesh_spacing(mesh, counted));
  out->step = ldexp(out->dt, out->m);
  if (out->of_levels)
    tx_level_nodes_count(mesh->level_count, out->nodes);
  else
    memcpy(out->nodes, mesh->level_count, sizeof out->nodes);
  const int of_finest = least(counted - finest, out->m);
  for (int l = coarsest; l <= finest; l++) {
    const int longer = out->of_levels ? least(counted - l, out->m) : of_finest;
    out->steps[l] = (int64_t)1 << (out->m - longer);
    out->octant_stages += STAGES * (double)out->steps[l] * (double)out->nodes[l];
    out->octant_stages_global += STAGES * ldexp((double)mesh->level_count[l], out->m - of_finest);
  }
}

double tx_macro_share(const tx_macro *macro, int level) {
  return STAGES * (double)macro->steps[level] * (double)macro->nodes[level] / macro->octant_stages;
}

double tx_macro_gain(const tx_macro *macro) {
  return macro->octant_stages_global / macro->octant_stages;
}

double tx_macro_remnant_gain(const tx_macro *macro, int level) {
  double share = 0.0;
  for (int l = 0; l <= level; l++) share += tx_macro_share(macro, l);
  return 1.0 / share;
}

int tx_macro_levels_from(int m, int64_t step) {
  int from = 0;
  while (from < m && step % ((int64_t)2 << from) == 0) from++;
  return from;
}
