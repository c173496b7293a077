#include "advice/machine.h"

#include <math.h>
#include "advice/memory.h"
#include "advice/work.h"
#include "octree/octree.h"

/* Stages of a time step. */
#define STAGES 4

void tx_check_set_machine(tx_check *c, const tx_budget *machine) {
  c->machine = machine;
  c->gpu = machine->gpu;
  c->ranks = machine->gpu ? machine->count : 1;
  c->threads = machine->gpu ? 1 : machine->count;
}

/* Count the steps of levels in a macro step, up to a finest level. */
static double level_steps(const tx_macro *macro, int finest) {
  double all = 0.0;
  for (int l = 0; l <= finest; l++)
    if (macro->nodes[l] > 0) all += (double)macro->steps[l];
  return all;
}

double tx_check_machine_s(const tx_check *c) {
  const tx_budget *b = c->machine;
  const tx_params *p = c->p;
  const double merged = tx_check_merged(c);
  const int left = p->grid_remnant_level < 0 ? TX_LEVELS - 1 : p->grid_remnant_level;
  double launches = c->steps;
  if (c->macro.of_levels)
    launches *= ((1.0 - merged) * level_steps(&c->macro, TX_LEVELS - 1) +
                 merged * level_steps(&c->macro, left)) /
                ldexp(1.0, c->macro.m);
  const double points_s =
      tx_check_point_stages(c) * (1.0 + tx_check_work_imbalance(c)) / (b->speed * b->count);
  return b->start_s + b->other * (STAGES * launches * b->launch_s + points_s);
}

void tx_check_set_found(tx_check *c) {
  tx_estimate *e = &c->found;
  *e = (tx_estimate){.points = (double)c->mesh->n_global * TX_N3,
                     .steps = c->steps,
                     .point_stages = tx_check_point_stages(c),
                     .wall_s = c->wall_s,
                     .h_finest = tx_mesh_spacing(c->mesh, c->mesh->level_highest),
                     .dt = c->dt,
                     .notes = c->notes};
  for (int r = 0; r < c->ranks; r++) {
    e->host_bytes = fmax(e->host_bytes, tx_check_rank_bytes(c, &c->load[r]));
    e->device_bytes = fmax(e->device_bytes, tx_check_device_bytes(c, &c->load[r]));
  }
}
