/* A refinement criterion: one entry of a table.
 *
 * A criterion is a file criterion_NAME.c with tx_criterion_NAME, and the line CRITERION(NAME) of criteria.def. An octant is
 * refined if any criterion asks for it, and may be coarsened if all allow it. The bounds of levels hold for all. */
#pragma once

#include "refine/policy.h"

/** An octant as criteria see it. */
typedef struct tx_flag_octant {
  tx_lidx b; /**< on this rank */
  int level;
  double low[3], size; /**< M */
} tx_flag_octant;

/** Flag of a criterion for an octant; of several the largest counts. */
enum { TX_MAY_COARSEN = -1, TX_KEEP = 0, TX_REFINE = 1 };

typedef struct tx_criterion {
  const char *name;
  bool needs_data; /**< prepare reads exec and u of the data */
  /** Whether there is anything to look at. Local. */
  bool (*active)(const tx_policy *policy);
  /** Make the context, one block of tx_alloc: all that flag takes. Collective if needs_data, else local. The status need
   *  not be agreed. */
  tx_status (*prepare)(const tx_policy *policy, const tx_grid_data *data, void **context);
  /** One of the above for an octant; threads call it for many at once. Local. */
  int (*flag)(const void *context, const tx_flag_octant *octant);
} tx_criterion;

#define CRITERION(name) extern const tx_criterion tx_criterion_##name;
#include "refine/criteria.def"
#undef CRITERION

enum {
#define CRITERION(name) TX_CRITERION_##name,
#include "refine/criteria.def"
#undef CRITERION
  TX_CRITERIA
};

/** The active criteria with their contexts, owned. */
typedef struct tx_criteria {
  const tx_policy *policy; /**< borrowed */
  int n;
  const tx_criterion *criterion[TX_CRITERIA];
  void *context[TX_CRITERIA];
} tx_criteria;

/** Prepare the active criteria. tx_criteria_end must follow, on errors too. Collective if tx_policy_needs_data, else local.
 *  Errors: as of tx_policy_flags, not agreed. */
tx_status tx_criteria_begin(const tx_policy *policy, const tx_grid_data *data, tx_criteria *out);
void tx_criteria_end(tx_criteria *criteria);

/** Flag of an octant by all criteria and the bounds of levels. Local. */
int tx_criteria_flag(const tx_criteria *criteria, const tx_flag_octant *octant);

/** Distance from the origin to which the wave zone asks for at least `level`, one below grid.ball_level or coarser,
 *  M: the outer boundary for the coarsest. Local. */
double tx_wave_zone_reach(const tx_params *p, int level);

/** Largest wavelet error allowed at radius r from the origin. Local. */
double tx_wavelet_tolerance(const tx_params *p, double r);

/** Flag of an octant with the wavelet error `error`, its centre at radius r from the origin. Local. */
int tx_wavelet_flag(const tx_params *p, double r, double error);
