/* Time steps of levels: their grids, and whether they pay. */
#include <math.h>
#include "advice/check.h"
#include "evolve/macro_step.h"

/* Intervals that make the macro step so short that it takes so many times the work deserve a note. */
#define INTERVALS_MATTER 1.2

tx_status tx_check_count_levels(tx_check *c) {
  tx_level_grids *grids = NULL;
  tx_macro_of(c->p, c->mesh, &c->macro);
  if (!c->macro.of_levels) return TX_OK;
  TX_TRY(tx_level_grids_create(c->mesh, NULL, &grids));
  c->levels = grids->n;
  for (int i = 0; i < grids->n; i++) {
    const tx_mesh *grid = grids->grid[i];
    c->level_slots += (double)grid->ghosts.slot_points;
    c->level_boundary[grid->level_lowest] = (double)grid->level->boundary_points;
  }
  tx_level_grids_destroy(grids);
  return TX_OK;
}

/* Return the work in a time, up to a factor, with a macro step of 2^m of the steps that are counted. */
static double work_of(const tx_check *c, int m) {
  const int counted = tx_step_level(c->p, c->mesh->level_highest);
  double work = 0.0;
  for (int l = c->mesh->level_lowest; l <= c->mesh->level_highest; l++)
    work += ldexp((double)c->macro.nodes[l], -(counted - l < m ? counted - l : m));
  return work;
}

/* Note intervals that keep the macro step from being as long as it could be, and by how much that is more work. */
static void note_intervals(tx_check *c) {
  const int finest = c->mesh->level_highest, coarsest = c->mesh->level_lowest;
  const double more = work_of(c, c->macro.m) / work_of(c, tx_macro_longest(c->p, finest, coarsest));
  char bound[512];
  if (more < INTERVALS_MATTER) return;
  tx_macro_bound(c->p, finest, coarsest, bound, sizeof bound);
  tx_check_note(c,
                "intervals limit the macro step to %.4g M, which takes %.3g times the work of the "
                "longest one: %s",
                c->macro.step, more, bound);
}

tx_status tx_check_levels(tx_check *c) {
  const double gain = tx_macro_gain(&c->macro);
  if (!c->macro.of_levels) return TX_OK;
  if (gain >= 1.0)
    note_intervals(c);
  else
    tx_check_note(c,
                  "evolution.time_steps levels takes %.3g times the work of one time step for all "
                  "levels, as octants covered by finer levels are computed too: set "
                  "evolution.time_steps to global, or intervals that allow a longer macro step",
                  1.0 / gain);
  return TX_OK;
}
