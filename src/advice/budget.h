/* A machine and the time there is on it: "2 cores, 1 day", "2 H200, 30 min". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"

/** Machine, its speed and memory, and the time on it. */
typedef struct tx_budget {
  int count; /**< cores, or GPUs with a rank each */
  bool gpu;
  char name[16];       /**< "core", "H200", ... */
  double speed;        /**< of one, point-stages/s where the grid is large; 0: not known */
  double launch_s;     /**< that a stage of a level takes whatever its size */
  double other;        /**< all of a run over its steps */
  double start_s;      /**< until the first step */
  double memory_bytes; /**< of one GPU, or of the host; 0: not known */
  double seconds;      /**< 0: not given */
} tx_budget;

/** Read a budget: parts between commas, a machine first, then a time and memory (of a GPU, or of the host) if they are to be given.
 *  `option`: for messages; `speed`: of one, in place of the known one, 0: none. Local. Errors: TX_ERR_PARAM. */
tx_status tx_budget_parse(const char *option, const char *text, double speed, tx_budget *out);

/** Return the page that has the speeds of known GPUs, or of cores. Local. */
const char *tx_budget_page(bool gpu);

/** Write "2 H200", "1 core" into `text`. Local. */
void tx_budget_machine_text(const tx_budget *budget, char *text, size_t size);
