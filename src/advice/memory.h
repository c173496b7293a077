/* Memory of a run that is looked at. All functions are local. */
#pragma once

#include "advice/check.h"

/** Return the bytes of all variables of a point. */
double tx_check_state_bytes(const tx_check *c);

/** Return the bytes that a rank with this load holds at most: fields, ghosts, tables, buffers of threads. */
double tx_check_rank_bytes(const tx_check *c, const tx_rank_load *load);

/** Return the bytes of its GPU that a rank with this load needs at most, without those that the driver takes. */
double tx_check_device_bytes(const tx_check *c, const tx_rank_load *load);
