/* What the parts of a run's life share. */
#pragma once

#include <limits.h>
#include "run/run.h"
#include "checkpoint/checkpoint.h"

/** A run that is restarted, from a checkpoint or from the beginning. */
typedef struct tx_restart {
  tx_resumption output;
  char path[PATH_MAX]; /**< of the checkpoint; "": none */
  char note[1024];
  const char *folder;
  int64_t step; /**< of the checkpoint */
  double t;
} tx_restart;

/** Names of the texts in a checkpoint: the parameters' values, and the list of files; and of its clock. */
#define TX_RECORD_PARAMETERS "run/parameters"
#define TX_RECORD_FILES      "run/files"
#define TX_RECORD_STEP       "run/step"
#define TX_RECORD_TIME       "run/time"

/** Before the names of what is otherwise at the end of a run. */
#define TX_RECORDS_END "end/"

/** Collective. Note how the run stands before what is written only because the step is the last one. */
tx_status tx_run_set_mark(tx_run *run);
void tx_run_mark_free(tx_run_mark *mark);

/** Collective. A run on a checkpoint. As tx_run_create, but nothing is put out. */
tx_status tx_run_resume(MPI_Comm comm, const tx_params *p, const char *par_path,
                        const tx_restart *from, tx_run **out);

/** Collective. Read back what a checkpoint holds beside the simulation, and rewind the output to it. */
tx_status tx_run_restore(tx_run *run, const tx_restart *from);

/** What this rank's clock asks for at the end of the coming step. Local. */
int tx_run_ask(const tx_run *run);

/** Is a checkpoint due after this step, `last` or not? Local. */
bool tx_run_saves(const tx_run *run, bool last);

/** Collective. Write one. */
tx_status tx_run_checkpoint(tx_run *run);

/** Collective. What the run took, all starts together, as of now. */
tx_status tx_run_times_now(tx_run *run, tx_run_times *out);

/** Collective. To the end and the summary; then free it all. `run` may be NULL, after a failure with
 *  `status`, which comes back then. */
tx_status tx_run_finish(tx_run *run, tx_status status);
