/* Runs that are looked at and not done: `tendex check', and estimates for `tendex new'. */
#pragma once

#include "advice/budget.h"
#include "base/command.h"
#include "base/text.h"
#include "params/params.h"

/** Largest l of the modes that a grid is refined for, unless a higher one is asked for. */
#define TX_ADVICE_L 4

extern const tx_command tx_command_check;

/** Estimate of what a run takes. */
typedef struct tx_estimate {
  double points; /**< of the first grid */
  double steps, point_stages;
  double host_bytes, device_bytes; /**< at most a rank; of its GPU, if it has one */
  double wall_s;                   /**< on the machine */
  double h_finest, dt;             /**< M */
  int notes;
} tx_estimate;

/** Estimate a run of `p` on each of n machines as `tendex check --machine' does, [out] `out`, and log nothing beside warnings;
 *  notes on the first machine are added to `said`, a line each, NULL: not wanted. Local. Errors: as `tendex check'. */
tx_status tx_estimate_run(const tx_params *p, int n, const tx_budget *machines, tx_text *said,
                          tx_estimate *out);

/** Return the coordinate radius, M, of the horizon of a hole of this bare mass once the gauge has settled. Local. */
double tx_settled_radius(const tx_params *p, double mass);
