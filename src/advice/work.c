#include "advice/work.h"

#include <math.h>
#include "evolve/macro_step.h"

double tx_check_merged(const tx_check *c) {
  /* Without grid.remnant_level the delay has no effect on the run: it is the default, which is for a mass of 1. */
  const double unit = c->p->grid_remnant_level >= 0 ? 1.0 : tx_params_unit(c->p);
  const double end = c->dt * c->steps, from = c->merger + unit * c->p->grid_remnant_delay;
  return c->merger < 0.0 || from >= end ? 0.0 : 1.0 - from / end;
}

double tx_check_level_most(const tx_check *c, int level) {
  return ceil((double)c->macro.nodes[level] / c->ranks);
}

double tx_check_imbalance(const tx_check *c) {
  tx_lidx most = 0;
  for (int r = 0; r < c->ranks; r++)
    if (c->load[r].n_local > most) most = c->load[r].n_local;
  return most * (double)c->ranks / (double)c->mesh->n_global - 1.0;
}

double tx_check_work_imbalance(const tx_check *c) {
  double most = 0.0, all = 0.0;
  if (!c->macro.of_levels) return tx_check_imbalance(c);
  for (int l = 0; l < TX_LEVELS; l++) {
    most += (double)c->macro.steps[l] * tx_check_level_most(c, l);
    all += (double)c->macro.steps[l] * (double)c->macro.nodes[l];
  }
  return most * c->ranks / all - 1.0;
}

double tx_check_point_stages(const tx_check *c) {
  const double merged = tx_check_merged(c);
  return ((1.0 - merged) * c->grown + merged * c->remnant) * c->macro.octant_stages * TX_N3 *
         c->steps / ldexp(1.0, c->macro.m);
}

double tx_check_interval(const tx_check *c, double most) {
  const tx_mesh *mesh = c->mesh;
  int m = tx_macro_longest(c->p, mesh->level_highest, mesh->level_lowest);
  while (m > 0 && ldexp(1.0, m) > most) m--;
  return fmax(1.0, ldexp(floor(ldexp(most, -m)), m));
}
