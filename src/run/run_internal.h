/* Types and functions shared by the files of src/run. */
#pragma once

#include <limits.h>
#include "run/run.h"
#include "checkpoint/checkpoint.h"

/** Source of a restart: a checkpoint, or the beginning. */
typedef struct tx_restart {
  tx_resumption output;
  char path[PATH_MAX]; /**< of the checkpoint; "": none */
  char note[1024];
  const char *folder;
  int64_t step; /**< of the checkpoint */
  double t;
} tx_restart;

/** Names of records of a checkpoint: the parameters' values, the list of files, step and time. */
#define TX_RECORD_PARAMETERS "run/parameters"
#define TX_RECORD_FILES      "run/files"
#define TX_RECORD_STEP       "run/step"
#define TX_RECORD_TIME       "run/time"

/** Prefix of the records that differ at the end of a run. */
#define TX_RECORDS_END "end/"

/** Collective. Note the state of the run before output that is written only because the step is the last one. */
tx_status tx_run_set_mark(tx_run *run);
void tx_run_mark_free(tx_run_mark *mark);

/** Collective. Create a run from a checkpoint, as tx_run_create does, without output. */
tx_status tx_run_resume(MPI_Comm comm, const tx_params *p, const char *par_path,
                        const tx_restart *from, tx_run **out);

/** Collective. Read the records of a checkpoint besides those of the simulation, and rewind the output to it. */
tx_status tx_run_restore(tx_run *run, const tx_restart *from);

/** Return the request of this rank's clock for the end of the coming step, TX_ASK_... Local. */
int tx_run_ask(const tx_run *run);

/** Tell whether a checkpoint is due after this step; `last`: it is the last one. Local. */
bool tx_run_saves(const tx_run *run, bool last);

/** Collective. Write a checkpoint. */
tx_status tx_run_checkpoint(tx_run *run);

/** Collective. Sum the times of the run so far, all starts together. */
tx_status tx_run_times_now(tx_run *run, tx_run_times *out);

/** Collective. Run to the end, write the summary and free the run. `run` may be NULL after a failure with
 *  `status`, which is returned then. */
tx_status tx_run_finish(tx_run *run, tx_status status);
