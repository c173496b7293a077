/* A plan: a complete parameter file for a binary, with orbit, grid, radii, end and intervals. */
#pragma once

#include "plan/wish.h"
#include "advice/advice.h"
#include "params/settings.h"

/** Width of the wave-zone refinement region beyond its outermost sphere, M: its refinement boundary disturbs none. */
#define TX_PLAN_BEYOND 16.0
/** Least radius of spheres beyond the wave zone, over that of the zone. */
#define TX_PLAN_APART 1.4

/** Plan of a run for a wish. */
typedef struct tx_plan {
  tx_wish wish;
  tx_settings *settings;   /**< owned */
  double mass[2], size[2]; /**< M: ADM masses, their sum 1; the same times sqrt(1 - chi^2) */
  double separation, frequency, orbits, merger; /**< M, 1/M, until the merger, M */
  double last_spin;                             /**< expected a/m of the remnant */
  double zone;  /**< M: radius of the outermost sphere in the wave zone */
  double tube;  /**< M: radius of the outermost worldtube that is asked for, 0 without any */
  double t_end; /**< M */
} tx_plan;

/** Make a plan: orbit and settings. Local. *out is to be freed, also on errors. Errors: TX_ERR_PARAM for orbits that are none, spins that
 *  punctures cannot have, and settings that are wrong, with the nearest that works. `path`: of the file, for messages. */
tx_status tx_plan_make(const tx_wish *wish, const char *path, tx_plan *out);
void tx_plan_free(tx_plan *plan);

/** Return the fewest orbits that a wish may have, a multiple of 0.1. Local. */
double tx_plan_fewest_orbits(const tx_wish *wish);

/** Put the settings of the grid; tx_plan_make calls this between orbit and cadences. Local. Errors: TX_ERR_PARAM if there are too few
 *  levels, with the accuracy that has enough. */
tx_status tx_plan_grid(tx_plan *plan);
/** Put the intervals of everything that is done every so many steps, for the grid of the plan. Local. */
void tx_plan_cadences(tx_plan *plan);

/** Head of the text of a plan. Borrows all. */
typedef struct tx_plan_head {
  const char *command;        /**< that makes the file again */
  const char *path, *purpose; /**< purpose: a line before all, "" for none */
  const tx_budget *machine;   /**< NULL: none was named */
  tx_estimate on_gpu, on_cores, on_machine;
} tx_plan_head;

/** Write the text of the file. Local; errors in out->status. */
void tx_plan_text(const tx_plan *plan, const tx_plan_head *head, tx_text *out);
