/* The end of a run: its summary, and how to go on with one that is not complete. */
#include <stdio.h>
#include "base/log.h"
#include "run/run_internal.h"
#include "report/summary.h"
#include "base/signals.h"
#include "base/text.h"

/* How it ended, as in summary.json. */
static const char *ending(const tx_run *run, tx_status status) {
  const tx_params *p = run->params;
  const int asked = run->sim->asked;
  if (status != TX_OK) return "error";
  if (!tx_run_continues(run)) return run->sim->t < p->run_t_end ? "run.max_steps" : "run.t_end";
  return asked > TX_ASK_SIGNAL ? tx_signal_name(asked - TX_ASK_SIGNAL) : "run.walltime";
}

/* Has grid.asc the grid of the last step? The one made after it, for a restart, has no fields. */
static bool grid_is_shown(const tx_results *r) {
  return r->complete && (r->params->output_slices_every > 0 || r->params->output_fields_every > 0);
}

static tx_status conclude(tx_run *run, tx_status status) {
  tx_json json = {0};
  tx_results r = {
      .params = run->params,
      .par_path = run->par_path,
      .sim = run->sim,
      .norms = tx_observed_norms(run->observers),
      .horizons = tx_observed_horizons(run->observers),
      .starts = run->starts,
      .ended = ending(run, status),
      .complete = status == TX_OK && !tx_run_continues(run),
      .broke_down = status != TX_OK,
  };
  tx_observed_waves waves;
  if (tx_observers_waves(run->observers, &waves)) {
    r.gw = waves.gw;
    r.fluxes = waves.fluxes;
  }
  if (!grid_is_shown(&r)) TX_TRY(tx_observe_grid(run->observers));
  TX_TRY(tx_sim_complete(run->sim)); /* a regrid may have come last */
  TX_TRY(tx_sim_algebraic(run->sim));
  TX_TRY(tx_run_times_now(run, &r.times));
  TX_TRY(tx_results_gather(&r));
  tx_results_json(&r, &json);
  tx_results_log(&r, tx_output_folder(run->output));
  if (!r.complete && !r.broke_down)
    tx_log("  restart   tendex run --restart %s      (on any number of ranks)",
           tx_output_folder(run->output));
  tx_status written = tx_agree(run->comm, json.text.status);
  TX_THEN(written, tx_output_summary(run->output, json.text.data));
  tx_text_free(&json.text);
  return written;
}

static tx_status evolve(tx_run *run) {
  int rank = 0;
  TX_MPI(MPI_Comm_rank(run->comm, &rank));
  tx_device_times device;
  TX_TRY(tx_device_gather(run->comm, &device));
  run->watch.worked_s = tx_device_busy(&device);
  run->watch.evolution_start_s = run->watch.saved_s = tx_now_s();
  tx_status status = tx_agree(run->comm, tx_signals_catch(rank == 0));
  while (status == TX_OK && tx_run_continues(run) && run->sim->asked < TX_ASK_WALLTIME)
    status = tx_run_advance(run);
  TX_KEEP(status, tx_sim_catch_up(run->sim, TX_WORK_PARTS)); /* a failure may have come before it */
  /* A run that broke down has results too. */
  if (status == TX_OK || status == TX_ERR_NUMERICS) TX_KEEP(status, conclude(run, status));
  tx_signals_release();
  return status;
}

tx_status tx_run_finish(tx_run *run, tx_status status) {
  TX_THEN(status, evolve(run));
  if (status != TX_OK) {
    tx_log_quiet(1); /* standard error gets it from the caller; this is for log.txt */
    tx_log("error: %s", tx_error_text());
    if (run && run->watch.saved_step >= 0)
      tx_log("the last checkpoint is of step %lld; restart from it with tendex run --restart %s",
             (long long)run->watch.saved_step, tx_output_folder(run->output));
  }
  tx_status closed = tx_run_destroy(run);
  return status != TX_OK ? status : closed;
}

tx_status tx_run_main(MPI_Comm comm, const tx_params *p, const char *par_path) {
  tx_run *run = NULL;
  tx_phase_reset();
  tx_status status = tx_run_create(comm, p, par_path, &run);
  return tx_run_finish(run, status);
}
