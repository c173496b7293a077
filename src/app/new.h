/* What the files of `tendex new' share. All functions are local: one process does all of it. */
#pragma once

#include "app/cli.h"
#include "app/plan.h"
#include "app/templates.h"

/** A plan and what it takes. */
typedef struct tx_draft {
  tx_plan plan;                             /**< owned */
  tx_estimate on_gpu, on_cores, on_machine; /**< an H200, two cores, the machine of the budget */
  tx_text notes;                            /**< of `tendex check', a line each; owned */
} tx_draft;

/** Plan a wish and look at it. *out is to be freed, also on errors. Errors: of tx_plan_make and tx_check_estimate. */
tx_status tx_draft_make(const tx_wish *wish, const tx_budget *budget, const char *path,
                        tx_draft *out);
void tx_draft_free(tx_draft *draft);

/** The best accuracy that fits, or, if `accuracy` is not NULL, that one. Errors: TX_ERR_PARAM if none fits, with what would. */
tx_status tx_draft_fit(tx_wish *wish, const tx_budget *budget, const char *accuracy,
                       const char *path, tx_draft *out);

/** Write the parameter file, and what it is as JSON, and tell of it. `budget` NULL: none. Errors: TX_ERR_IO. */
tx_status tx_new_write(const tx_draft *draft, const tx_cli *cli, const tx_budget *budget,
                       const char *path, const char *purpose);
