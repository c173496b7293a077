/* From what a user wants to know of a binary to a complete parameter file: orbit, grid, radii, end, cadences. */
#pragma once

#include "advice/advice.h"
#include "params/settings.h"

/** Members of one convergence series: the same levels and radii, spacings 1 : 2/3 : 4/9. */
typedef enum tx_accuracy {
  TX_ACCURACY_COARSE,
  TX_ACCURACY_STANDARD,
  TX_ACCURACY_HIGH,
  TX_ACCURACIES
} tx_accuracy;

/** The wave zone reaches so much beyond its outermost sphere, M: its edge disturbs none. */
#define TX_PLAN_BEYOND 16.0
/** Spheres beyond the wave zone are so many times as far out as it, or not there. */
#define TX_PLAN_APART 1.4

/** "coarse", "standard", "high". */
extern const char *const tx_accuracy_names[TX_ACCURACIES];

/** A binary on a quasi-circular orbit, as it is asked for. Of orbits, separation and frequency one is above 0. */
typedef struct tx_wish {
  double q;          /**< mass of hole 1 over that of hole 2 */
  double chi[2][3];  /**< dimensionless spins */
  double orbits;     /**< until the merger */
  double separation; /**< M */
  double frequency;  /**< orbital angular frequency, 1/M */
  tx_accuracy accuracy;
  int n_set;
  const char *const *set; /**< parameters that are given, "section.name=value"; views */
} tx_wish;

/** What it becomes. */
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

/** Orbit and settings. Local. *out is to be freed, also on errors. Errors: TX_ERR_PARAM for orbits that are none, spins that
 *  punctures cannot have, and settings that are wrong, with the nearest that works. `path`: of the file, for messages. */
tx_status tx_plan_make(const tx_wish *wish, const char *path, tx_plan *out);
void tx_plan_free(tx_plan *plan);

/** The fewest orbits that a wish may have, a multiple of 0.1. Local. */
double tx_plan_fewest_orbits(const tx_wish *wish);

/** Whether spins have parts in the plane of the orbit. Local. */
bool tx_plan_precesses(const tx_plan *plan);

/** Settings of the grid: what tx_plan_make calls between orbit and cadences. Local. Errors: TX_ERR_PARAM if there are too few
 *  levels, with the accuracy that has enough. */
tx_status tx_plan_grid(tx_plan *plan);
/** Of everything that is done every so many steps, for the grid that is there. Local. */
void tx_plan_cadences(tx_plan *plan);

/** The file's text; `command`: that makes it; `said`: of the estimate's notes; `machine`: of the estimate. Local; errors in
 *  out->status. */
typedef struct tx_plan_head {
  const char *command, *path, *purpose; /**< purpose: a line before all, "" for none */
  const tx_budget *machine;             /**< NULL: none was named */
  tx_estimate on_gpu, on_cores, on_machine;
} tx_plan_head;
void tx_plan_text(const tx_plan *plan, const tx_plan_head *head, tx_text *out);
