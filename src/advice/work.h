/* Steps and point-stages of a run that is looked at, on grids that follow the holes. All functions are local. */
#pragma once

#include "advice/check.h"

/** Return the part of the run after the merger. */
double tx_check_merged(const tx_check *c);

/** Return the point-stages of the run, covered octants included, on grids that follow the holes. */
double tx_check_point_stages(const tx_check *c);

/** Return the octants of a level on the rank that has most of them. */
double tx_check_level_most(const tx_check *c, int level);

/** Return the octants of the largest rank over their mean, minus 1; and the same of the work of a rank. */
double tx_check_imbalance(const tx_check *c);
double tx_check_work_imbalance(const tx_check *c);

/** Return a number of steps to propose for an interval: at most `most`, at least one, and such that levels may take as long steps
 *  as they could. */
double tx_check_interval(const tx_check *c, double most);
