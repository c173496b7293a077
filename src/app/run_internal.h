/* What the parts of a run's life share. */
#pragma once

#include <limits.h>
#include "app/run.h"
#include "checkpoint/checkpoint.h"

/** A run that goes on, or begins again. */
typedef struct tx_restart {
  tx_resumption output;
  char path[PATH_MAX]; /**< of the checkpoint; "": none */
  char note[1024];
  const char *folder;
  int64_t step; /**< of the checkpoint */
  double t;
} tx_restart;

/** Pieces of state that go into a checkpoint beside the simulation. */
#define TX_RUN_RECORDS 32
typedef struct tx_record_list {
  int n;
  tx_record at[TX_RUN_RECORDS];
} tx_record_list;

/** Names of the texts in a checkpoint: the parameters' values, and the list of files; and of its clock. */
#define TX_RECORD_PARAMETERS "run/parameters"
#define TX_RECORD_FILES      "run/files"
#define TX_RECORD_STEP       "run/step"
#define TX_RECORD_TIME       "run/time"

/** What each line of the log has that tells of a checkpoint. */
#define TX_LOG_CHECKPOINT " checkpoint: checkpoints/checkpoint."

/** Add `n` items at `data`, which stays the owner's, under a name (a literal). Local. */
void tx_records_add(tx_record_list *list, const char *name, char kind, size_t n, void *data);

/** All of a run that is written from and read back into its place. Local. */
void tx_run_records(tx_run *run, tx_record_list *list);

/** Collective. A run on a checkpoint. As tx_run_create, but nothing is put out. */
tx_status tx_run_resume(MPI_Comm comm, const tx_params *p, const char *par_path,
                        const tx_restart *from, tx_run **out);

/** Collective. Read back what a checkpoint holds beside the simulation, and rewind the output to it. */
tx_status tx_run_recall(tx_run *run, const tx_restart *from);

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

/** Collective. Octants as rows of grid.asc, if the grid is another than in the rows before. */
tx_status tx_run_show_grid(tx_run *run);
