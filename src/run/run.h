/* The life of a run. */
#pragma once

#include "report/progress.h"
#include "report/summary.h"
#include "evolve/sim.h"
#include "observe/observer.h"
#include "output/output.h"

/** Clocks that say when to write a checkpoint and when to end. */
typedef struct tx_run_watch {
  double evolution_start_s;
  double saved_s;     /**< when the last checkpoint was there, or the evolution began */
  double step_most_s; /**< longest step of this start, or step 0; no checkpoint */
  double save_most_s; /**< longest checkpoint of this start */
  int64_t saved_step; /**< of the last checkpoint; -1: none */
  double worked_s;    /**< by the GPU before the evolution began */
} tx_run_watch;

/** How a run stood before what is written only because a step is the last one. A restart that goes further
 *  begins with this. */
typedef struct tx_run_mark {
  char *
      state; /**< owned: values of the records that depend on it, one after the other; NULL: no such step */
  char *files; /**< owned: of tx_output_list */
  size_t n_files;
} tx_run_mark;

/** A run: a simulation, what is measured of it and where that goes. Owns all but the parameters. */
typedef struct tx_run {
  MPI_Comm comm;
  const tx_params *params; /**< borrowed */
  const char *par_path;    /**< borrowed */
  tx_output *output;
  tx_sim *sim;
  tx_scene scene;          /**< what observers work on */
  tx_observers *observers; /**< what is measured and written */
  int64_t starts;          /**< how often the program was started for it */
  tx_run_times before;     /**< earlier starts, up to the checkpoint that this one began with */
  tx_run_watch watch;
  tx_progress progress;
  struct {
    int64_t step, starts, has_end;
    double t, seconds[TX_RUN_TIMES];
  } packed; /**< as a checkpoint has it */
  tx_run_mark mark;
  tx_observer_set late; /**< what is deferred to the next step (tx_sim_defer) */
  bool late_line;       /**< the same of a line of the log */
} tx_run;

/** Collective. Folder, first grid, initial data, and the outputs of time 0. Borrows p and par_path;
 *  run.name and run.folder of p are set. *out is owned by the caller. Errors: of all that it
 *  calls. */
tx_status tx_run_create(MPI_Comm comm, const tx_params *p, const char *par_path, tx_run **out);

/** Close files and free everything. Collective. Errors: TX_ERR_IO. */
tx_status tx_run_destroy(tx_run *run);

/** Is there anything left to do? Local. */
bool tx_run_continues(const tx_run *run);

/** Collective. One time step, with steps of levels a macro step, and everything that is due after it. Errors: TX_ERR_NUMERICS once the
 *  state is not finite, after the surroundings of the place are written. */
tx_status tx_run_advance(tx_run *run);

/** Collective. Go on with the run in `given`, from its newest good checkpoint, with the parameters that it
 *  has there and `n_set` changes "section.name=value" of those that may change. Begins again if there is no
 *  checkpoint; does nothing if the run is complete. Errors: TX_ERR_IO if there is no run or its checkpoints
 *  are all damaged; TX_ERR_PARAM. */
tx_status tx_run_restart_main(MPI_Comm comm, const char *given, int n_set, const char *const *set);

/** Collective. A whole run, to its end and its summary; a run that ends with TX_ERR_NUMERICS has
 *  one too. */
tx_status tx_run_main(MPI_Comm comm, const tx_params *p, const char *par_path);
