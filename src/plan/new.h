/* `tendex new': its options, drafts of a plan, and files. All functions but the first are local: one process does all of it. */
#pragma once

#include "plan/plan.h"
#include "plan/templates.h"

/** Options of `tendex new' beside those of all commands; numbers that are not given are 0, texts NULL. Views of argv. */
typedef struct tx_new_options {
  double q, chi[2][3], orbits, separation, frequency;
  bool has_chi[2], list;
  const char *accuracy, *budget, *name, *output; /**< name: of the template */
  bool overwrite;                                /**< replace the file */
  double speed;                                  /**< point-stages a second a core; 0: measured */
  const char *json;                              /**< file for results; NULL: none */
} tx_new_options;

extern const tx_command tx_command_new;

/** Write a parameter file for what is asked for, or list what there are templates for. Collective. Errors: TX_ERR_PARAM if that
 *  cannot be had, with the nearest that can; TX_ERR_IO. */
tx_status tx_new_main(MPI_Comm comm, const tx_request *request);

/** Plan, and estimates of its run. */
typedef struct tx_draft {
  tx_plan plan;                             /**< owned */
  tx_estimate on_gpu, on_cores, on_machine; /**< an H200, two cores, the machine of the budget */
  tx_text notes;                            /**< of `tendex check', a line each; owned */
} tx_draft;

/** Plan a wish and look at it. *out is to be freed, also on errors. Errors: of tx_plan_make and tx_check_estimate. */
tx_status tx_draft_make(const tx_wish *wish, const tx_budget *budget, const char *path,
                        tx_draft *out);
void tx_draft_free(tx_draft *draft);

/** Make the draft of the best accuracy that fits, or, if `accuracy` is not NULL, that one. Errors: TX_ERR_PARAM if none fits, with what would. */
tx_status tx_draft_fit(tx_wish *wish, const tx_budget *budget, const char *accuracy,
                       const char *path, tx_draft *out);

/** Write the parameter file, and what it is as JSON, and tell of it. `budget` NULL: none. Errors: TX_ERR_IO. */
tx_status tx_new_write(const tx_draft *draft, const tx_new_options *options,
                       const tx_budget *budget, const char *path, const char *purpose);
