#include "run/run_internal.h"

#include "report/data_files.h"
#include "machine/tuning.h"
#include "base/log.h"
#include "base/memory.h"
#include "evolve/macro.h"
#include "machine/compute.h"

/* Steps between looks for values that are not finite, at most. */
#define CHECK_EVERY 8

/* Has a step that is so every so many steps come since step `before`? */
static bool passed(int64_t before, int64_t step, int every) {
  return step == 0 || step / every > before / every;
}

/* A line of the log; buffered rows are on disk before it. */
static tx_status show_progress(tx_run *run) {
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_status status = tx_output_flush(run->output);
  tx_phase_end(TX_PHASE_OUTPUT);
  TX_TRY(status);
  tx_progress_line(&run->progress, run->sim, tx_observed_norms(run->observers));
  return tx_agree(run->comm, tx_log_status());
}

/* Stop on a bad value, and show where it is. */
static tx_status check_state(tx_run *run) {
  tx_sim *sim = run->sim;
  tx_status status = tx_sim_check(sim);
  if (status == TX_ERR_NUMERICS)
    (void)tx_output_bad_place(run->output, sim->step, sim->t, sim->exec, sim->u);
  return status;
}

/* The macro step of a new grid, if it is another one. */
static void show_macro(const tx_run *run, double before) {
  const tx_sim *sim = run->sim;
  tx_macro macro;
  tx_macro_of(sim->params, sim->mesh, &macro);
  if (macro.of_levels && macro.step != before)
    tx_log("%8lld %10.4f macro step: %.6g M from now on, %lld time steps of %.6g M",
           (long long)sim->step, sim->t, macro.step, 1LL << macro.m, macro.dt);
}

/* The grid of the remnant from here on, if the holes have merged. */
static void look_for_merger(tx_run *run) {
  tx_sim *sim = run->sim;
  const tx_params *p = run->params;
  const tx_horizons *h = tx_observed_horizons(run->observers);
  const bool merged = h && tx_horizons_merged(h, sim->t, p->grid_remnant_delay);
  if (merged && !sim->merged && sim->mesh->level_highest > p->grid_remnant_level &&
      p->grid_remnant_level >= 0)
    tx_log(
        "%8lld %10.4f remnant: common horizon since t = %.4f M; the finest level is %d from now on",
        (long long)sim->step, sim->t, h->slot[tx_horizons_common(h)].first_seen,
        p->grid_remnant_level);
  sim->merged = merged;
}

static tx_status regrid(tx_run *run) {
  char levels[160];
  bool changed = false;
  tx_sim *sim = run->sim;
  look_for_merger(run);
  tx_macro before;
  tx_macro_of(sim->params, sim->mesh, &before);
  TX_TRY(tx_sim_regrid(sim, &changed));
  if (changed)
    tx_log("%8lld %10.4f regrid: %lld octant%s refined, %lld famil%s coarsened; now %.3f Mpoints, "
           "%s",
           (long long)sim->step, sim->t, (long long)sim->refined, sim->refined == 1 ? "" : "s",
           (long long)sim->coarsened, sim->coarsened == 1 ? "y" : "ies", (double)sim->points / 1e6,
           tx_levels_text(sim->mesh, levels, sizeof levels));
  show_macro(run, before.step);
  return TX_OK;
}

static tx_status do_what_is_asked(tx_run *run, tx_observer_set set, bool line) {
  TX_TRY(tx_observers_act(run->observers, set));
  return line ? show_progress(run) : TX_OK;
}

/* Act on what was deferred, in two parts: the first gap of a step is the longest. */
static tx_status do_late(void *with, int part) {
  tx_run *run = with;
  const tx_observer_set first = run->late & tx_observers_deferred(true);
  return part == 0 ? do_what_is_asked(run, first, false)
                   : do_what_is_asked(run, run->late & ~first, run->late_line);
}

/* Do everything that is due at the step that the simulation stands at, in this order: the state is
 * checked before anything is made of it; what is due only because the step is the last one comes after
 * all else, so that a restart can take it back; then the grid changes, after the last step too, as a
 * restart may add more, and a checkpoint comes last, when nothing is left to do before the next step. What a checkpoint or
 * the end does not wait for is done during the next step, or before the grid changes. `before`: the step that it stood at last. */
static tx_status do_what_is_due(tx_run *run, int64_t before) {
  const tx_params *p = run->params;
  tx_sim *sim = run->sim;
  const int64_t step = sim->step;
  const bool last = !tx_run_continues(run);
  const tx_observer_set all = tx_observers_due(run->observers, step, last);
  tx_observer_set now = tx_observers_due(run->observers, step, false), at_end = all & ~now;
  const bool new_grid = step > 0 && p->grid_regrid_every > 0 && step % p->grid_regrid_every == 0;
  const bool line = last || passed(before, step, p->output_log_every);
  const bool save = tx_run_saves(run, last);
  const bool ghosts = tx_observers_need_ghosts(all) || new_grid;
  bool line_now = line && !at_end;
  if (ghosts || line || save || passed(before, step, CHECK_EVERY) || sim->tracker.lost)
    TX_TRY(check_state(run));
  if (ghosts) TX_TRY(tx_agree(sim->comm, tx_ghosts_fill(sim->exec, sim->u)));
  if (!last && !save) {
    run->late = now & tx_observers_deferred(false);
    run->late_line = line_now;
    now &= ~run->late;
    line_now = false;
    tx_sim_defer(sim, (tx_work){do_late, run});
  }
  TX_TRY(do_what_is_asked(run, now, line_now));
  if (at_end && save) TX_TRY(tx_run_set_mark(run));
  if (at_end) TX_TRY(do_what_is_asked(run, at_end, line));
  if (new_grid) TX_TRY(regrid(run));
  return save ? tx_run_checkpoint(run) : TX_OK;
}

tx_status tx_run_advance(tx_run *run) {
  tx_run_watch *watch = &run->watch;
  const double start_s = tx_now_s(), saving_s = tx_phase_seconds(TX_PHASE_CHECKPOINT);
  run->sim->asked = tx_run_ask(run);
  const int64_t before = run->sim->step;
  TX_TRY(tx_sim_step(run->sim));
  TX_TRY(do_what_is_due(run, before));
  const double took_s = tx_now_s() - start_s - (tx_phase_seconds(TX_PHASE_CHECKPOINT) - saving_s);
  if (took_s > watch->step_most_s) watch->step_most_s = took_s;
  return TX_OK;
}

/* Tell in the log what a run is, before its first step. */
static tx_status log_start(tx_run *run) {
  tx_log_grid(run->params, run->sim->mesh);
  TX_TRY(tx_observers_describe(run->observers));
  tx_progress_start(&run->progress, run->sim);
  return TX_OK;
}

static tx_status begin(tx_run *run) {
  TX_TRY(tx_sim_create(run->comm, run->params, &run->sim));
  run->scene.sim = run->sim;
  TX_TRY(tx_observers_check(run->observers));
  tx_log_data(run->params, &run->sim->adm, false);
  TX_TRY(tx_id_write_folder(run->comm, run->params, &run->sim->adm));
  TX_TRY(tx_observe_grid(run->observers));
  TX_TRY(log_start(run));
  const double start_s = tx_now_s();
  TX_TRY(do_what_is_due(run, 0));
  /* Everything is due at step 0: a step that has it all will take longer than that. */
  run->watch.step_most_s = tx_now_s() - start_s;
  return TX_OK;
}

/* All that was due at the checkpoint's step was done before it was written. */
static tx_status restore(tx_run *run, const tx_restart *from) {
  TX_TRY(tx_checkpoint_restore(run->comm, run->params, from->path, &run->sim));
  run->scene.sim = run->sim;
  TX_TRY(tx_run_restore(run, from));
  return log_start(run);
}

static tx_status open_folder(tx_run *run, const tx_restart *from) {
  const tx_manifest *files = tx_observers_files();
  int ranks = 1;
  TX_MPI(MPI_Comm_size(run->comm, &ranks));
  if (from)
    TX_TRY(tx_output_resume(run->comm, run->params, run->par_path, files, &from->output,
                            &run->output));
  else
    TX_TRY(tx_output_create(run->comm, run->params, run->par_path, files, &run->output));
  run->scene.output = run->output;
  if (from) tx_log(" ");
  tx_log_banner(run->params, run->par_path, ranks);
  tx_compute_log();
  tx_tuning_log(run->params);
  if (from) tx_log("  restart     %s", from->note);
  tx_log_domain(run->params);
  if (from && !from->path[0]) TX_TRY(tx_output_rewind(run->output, &from->output, ""));
  return TX_OK;
}

static tx_status create(MPI_Comm comm, const tx_params *p, const char *par_path,
                        const tx_restart *from, tx_run **out) {
  tx_run *run = NULL;
  *out = NULL;
  TX_TRY(tx_agree(comm, tx_alloc(1, sizeof *run, "run", &run)));
  run->comm = comm;
  run->params = p;
  run->par_path = par_path;
  run->starts = 1;
  run->watch.saved_step = -1;
  run->scene = (tx_scene){.comm = comm, .params = p};
  tx_status status = tx_agree(comm, tx_observers_create(&run->scene, &run->observers));
  run->scene.observers = run->observers;
  TX_THEN(status, open_folder(run, from));
  TX_THEN(status, from && from->path[0] ? restore(run, from) : begin(run));
  if (status == TX_OK)
    *out = run;
  else
    (void)tx_run_destroy(run);
  return status;
}

tx_status tx_run_create(MPI_Comm comm, const tx_params *p, const char *par_path, tx_run **out) {
  return create(comm, p, par_path, NULL, out);
}

tx_status tx_run_resume(MPI_Comm comm, const tx_params *p, const char *par_path,
                        const tx_restart *from, tx_run **out) {
  return create(comm, p, par_path, from, out);
}

tx_status tx_run_destroy(tx_run *run) {
  if (!run) return TX_OK;
  tx_sim_destroy(run->sim);
  tx_status status = tx_output_destroy(run->output);
  tx_observers_destroy(run->observers);
  tx_run_mark_free(&run->mark);
  tx_free(run);
  return status;
}
