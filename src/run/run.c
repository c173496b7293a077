#include "run/run_internal.h"

#include <math.h>

#include "report/data_files.h"
#include "machine/tuning.h"
#include "advice/worldtubes.h"
#include "base/log.h"
#include "base/memory.h"
#include "evolve/macro.h"
#include "machine/compute.h"

/* Steps between looks for values that are not finite, at most. */
#define CHECK_EVERY 8

/* Is something due at this step that is so every so many steps, and at the last one? Macro steps end at all of these. */
static bool due(int64_t step, int every, bool last) {
  return every > 0 && (last || step % every == 0);
}

/* The same of what may be late: has one of its steps come since step `before`? */
static bool passed(int64_t before, int64_t step, int every) {
  return step == 0 || step / every > before / every;
}

static tx_status create_extraction(tx_run *run) {
  const tx_params *p = run->params;
  tx_domain domain;
  tx_sim_domain(p, &domain);
  if (p->waves_worldtubes.n > 0) TX_TRY(tx_worldtubes_create(&domain, p, &run->worldtubes));
  if (p->waves_radii.n == 0) return TX_OK;
  TX_TRY(tx_gw_create(&domain, p->waves_radii.n, p->waves_radii.v, p->waves_l_max, p->waves_degree,
                      &run->gw));
  const tx_gw_info *gw = tx_gw_describe(run->gw);
  size_t radii = (size_t)gw->n_radii;
  TX_TRY(tx_alloc(radii * (size_t)gw->n_modes, sizeof *run->psi4, "modes of Psi4", &run->psi4));
  TX_TRY(tx_alloc(radii, sizeof *run->spheres, "modes of Psi4", &run->spheres));
  return tx_fluxes_create(gw->n_radii, gw->radii, gw->l_max, &run->fluxes);
}

static tx_status create_horizons(tx_run *run) {
  tx_domain domain;
  run->has_horizons = run->sim->tracker.n > 0 && run->params->horizons_every > 0;
  if (!run->has_horizons) return TX_OK;
  tx_sim_domain(run->params, &domain);
  return tx_horizons_create(run->params, &domain, run->sim->tracker.n, &run->horizons);
}

static tx_status find_horizons(tx_run *run) {
  tx_sim *sim = run->sim;
  TX_TRY(tx_horizons_find(&run->horizons, sim));
  tx_log_horizons(&run->horizons, sim);
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_status status = tx_output_horizons(run->output, sim->step, sim->t, &run->horizons);
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

static tx_status measure_norms(tx_run *run) {
  TX_TRY(tx_sim_norms(run->sim, &run->norms));
  run->has_norms = true;
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_status status = tx_output_norms(run->output, run->sim->step, run->sim->t, &run->norms);
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

/* What fluxes leave out, of m = 1: half of the orbit's frequency at the start, which takes 0.4% of the flux then and less later. The
 * orbit's is that of a circle about a hole of the ADM energy E with areal radius D + E, where D is the largest distance of
 * punctures: within 3% of runs from D = 2.3 to 12 M. 0 where nothing can orbit. */
static double slowest_wave(const tx_sim *sim) {
  const tx_tracker *tracker = &sim->tracker;
  double most = 0.0;
  for (int a = 0; a < tracker->n; a++)
    for (int b = 0; b < a; b++) {
      const double *x = tracker->at[a].x, *y = tracker->at[b].x;
      most = fmax(most, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
  const double energy = sim->adm.energy;
  return most > 0.0 && energy > 0.0 ? 0.5 * sqrt(energy / pow(most + energy, 3)) : 0.0;
}

static tx_status extract_waves(tx_run *run) {
  tx_sim *sim = run->sim;
  const double(*psi4)[2] = (const double(*)[2])run->psi4;
  tx_phase_begin(TX_PHASE_EXTRACTION);
  tx_status status = tx_gw_extract(run->gw, sim->exec, sim->u, run->psi4, run->spheres);
  if (run->fluxes.samples == 0) tx_fluxes_leave_out(&run->fluxes, slowest_wave(sim));
  TX_THEN(status, tx_agree(run->comm, tx_fluxes_add(&run->fluxes, sim->t, psi4)));
  tx_phase_end(TX_PHASE_EXTRACTION);
  TX_TRY(status);
  tx_phase_begin(TX_PHASE_OUTPUT);
  const tx_output_wave_rows rows = {tx_gw_describe(run->gw), psi4, run->spheres, &run->fluxes};
  status = tx_output_waves(run->output, sim->step, sim->t, &rows);
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

static tx_status write_worldtubes(tx_run *run) {
  tx_sim *sim = run->sim;
  tx_system_params physics = sim->physics;
  const double *rows = NULL;
  physics.lapse_pull = tx_lapse_pull(&physics, sim->t);
  tx_phase_begin(TX_PHASE_EXTRACTION);
  tx_status status = tx_worldtubes_sample(run->worldtubes, sim->exec, sim->u, &physics, &rows);
  tx_phase_end(TX_PHASE_EXTRACTION);
  TX_TRY(status);
  tx_phase_begin(TX_PHASE_OUTPUT);
  status = tx_output_worldtubes(run->output, sim->step, sim->t,
                                tx_worldtubes_describe(run->worldtubes), rows);
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

tx_status tx_run_show_grid(tx_run *run) {
  if (run->regrids_shown == run->sim->regrids) return TX_OK;
  TX_TRY(tx_output_grid(run->output, run->sim->t, run->sim->mesh));
  run->regrids_shown = run->sim->regrids;
  return TX_OK;
}

static tx_status write_fields(tx_run *run, bool slices, bool fields) {
  tx_sim *sim = run->sim;
  tx_status status = TX_OK;
  tx_phase_begin(TX_PHASE_OUTPUT);
  if (slices) status = tx_output_slices(run->output, sim->step, sim->t, sim->exec, sim->u);
  if (fields) TX_THEN(status, tx_output_fields(run->output, sim->step, sim->t, sim->exec, sim->u));
  TX_THEN(status, tx_run_show_grid(run));
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

static tx_status write_track(tx_run *run) {
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_status status =
      tx_output_punctures(run->output, run->sim->step, run->sim->t, &run->sim->tracker);
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

/* A line of the log; buffered rows are on disk before it. */
static tx_status show_progress(tx_run *run) {
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_status status = tx_output_flush(run->output);
  tx_phase_end(TX_PHASE_OUTPUT);
  TX_TRY(status);
  tx_progress_line(&run->progress, run->sim, run->has_norms ? &run->norms : NULL);
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
  const bool merged =
      run->has_horizons && tx_horizons_merged(&run->horizons, sim->t, p->grid_remnant_delay);
  if (merged && !sim->merged && sim->mesh->level_highest > p->grid_remnant_level &&
      p->grid_remnant_level >= 0)
    tx_log(
        "%8lld %10.4f remnant: common horizon since t = %.4f M; the finest level is %d from now on",
        (long long)sim->step, sim->t, run->horizons.first_seen[tx_horizons_common(&run->horizons)],
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

static tx_duties duties_of(const tx_run *run, bool last) {
  const tx_params *p = run->params;
  const int64_t step = run->sim->step;
  return (tx_duties){
      .track = run->sim->tracker.n > 0 && due(step, p->output_track_every, last),
      .norms = due(step, p->output_norms_every, last),
      .waves = run->gw && due(step, p->waves_every, last),
      .worldtubes = due(step, tx_params_worldtube_every(p), last),
      .horizons = run->has_horizons && due(step, p->horizons_every, last),
      .slices = due(step, p->output_slices_every, last),
      .fields = due(step, p->output_fields_every, last),
  };
}

/* Those of `all` that are not among `some`. */
static tx_duties duties_less(const tx_duties *all, const tx_duties *some) {
  return (tx_duties){
      .track = all->track && !some->track,
      .norms = all->norms && !some->norms,
      .waves = all->waves && !some->waves,
      .worldtubes = all->worldtubes && !some->worldtubes,
      .horizons = all->horizons && !some->horizons,
      .slices = all->slices && !some->slices,
      .fields = all->fields && !some->fields,
      .line = all->line && !some->line,
  };
}

static bool need_ghosts(const tx_duties *d) {
  return d->norms || d->waves || d->worldtubes || d->horizons || d->slices || d->fields;
}

static tx_status do_duties(tx_run *run, const tx_duties *d) {
  if (d->track) TX_TRY(write_track(run));
  if (d->norms) TX_TRY(measure_norms(run));
  if (d->waves) TX_TRY(extract_waves(run));
  if (d->worldtubes) TX_TRY(write_worldtubes(run));
  if (d->horizons) TX_TRY(find_horizons(run));
  if (d->slices || d->fields) TX_TRY(write_fields(run, d->slices, d->fields));
  return d->line ? show_progress(run) : TX_OK;
}

/* What keeps the host busy and asks a GPU little, of `all`: it may be done while that computes the next step. */
static tx_duties duties_beside(const tx_duties *all) {
  return (tx_duties){.track = all->track,
                     .waves = all->waves,
                     .worldtubes = all->worldtubes,
                     .horizons = all->horizons,
                     .line = all->line};
}

/* Horizons first: they take as long as all else that is late, and the first gap of a step is the longest. */
static tx_status do_late(void *with, int part) {
  tx_run *run = with;
  const tx_duties horizons = {.horizons = run->late.horizons},
                  others = duties_less(&run->late, &horizons);
  return do_duties(run, part == 0 ? &horizons : &others);
}

/* Everything that is due at the step that the simulation stands at, in this order: the state is
 * checked before anything is made of it; what is due only because the step is the last one comes after
 * all else, so that a restart can take it back; then the grid changes, after the last step too, as a
 * restart may add more, and a checkpoint comes last, when nothing is left to do before the next step. What a checkpoint or
 * the end does not wait for is done during the next step, or before the grid changes. `before`: where it stood last. */
static tx_status do_what_is_due(tx_run *run, int64_t before) {
  const tx_params *p = run->params;
  tx_sim *sim = run->sim;
  const int64_t step = sim->step;
  const bool last = !tx_run_continues(run);
  const tx_duties all = duties_of(run, last);
  tx_duties always = duties_of(run, false), at_end = duties_less(&all, &always);
  const bool ends = at_end.track || need_ghosts(&at_end);
  const bool new_grid = step > 0 && due(step, p->grid_regrid_every, false);
  const bool line = last || passed(before, step, p->output_log_every);
  const bool save = tx_run_saves(run, last);
  const bool ghosts = need_ghosts(&all) || new_grid;
  if (ghosts || line || save || passed(before, step, CHECK_EVERY) || sim->tracker.lost)
    TX_TRY(check_state(run));
  if (ghosts) TX_TRY(tx_agree(sim->comm, tx_ghosts_fill(sim->exec, sim->u)));
  always.line = line && !ends;
  at_end.line = line && ends;
  if (!last && !save) {
    run->late = duties_beside(&always);
    always = duties_less(&always, &run->late);
    tx_sim_defer(sim, (tx_work){do_late, run});
  }
  TX_TRY(do_duties(run, &always));
  if (ends && save) TX_TRY(tx_run_set_mark(run));
  if (ends) TX_TRY(do_duties(run, &at_end));
  if (new_grid) TX_TRY(regrid(run));
  return save ? tx_run_checkpoint(run) : TX_OK;
}

bool tx_run_continues(const tx_run *run) {
  const tx_params *p = run->params;
  if (p->run_max_steps > 0 && run->sim->step >= p->run_max_steps) return false;
  return run->sim->t < p->run_t_end;
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

/* What the log says of a run before its first step. */
static tx_status log_start(tx_run *run) {
  tx_log_grid(run->params, run->sim->mesh);
  if (run->gw) TX_TRY(tx_log_waves(tx_gw_describe(run->gw), run->sim->mesh));
  if (run->worldtubes)
    tx_worldtubes_log(run->params, tx_worldtubes_describe(run->worldtubes), run->sim->dt);
  tx_progress_start(&run->progress, run->sim);
  return TX_OK;
}

static tx_status begin(tx_run *run) {
  TX_TRY(tx_sim_create(run->comm, run->params, &run->sim));
  TX_TRY(tx_agree(run->comm, tx_worldtubes_enclose(run->params, &run->sim->adm)));
  TX_TRY(tx_agree(run->comm, create_horizons(run)));
  tx_log_data(run->params, &run->sim->adm, false);
  TX_TRY(tx_id_write_folder(run->comm, run->params, &run->sim->adm));
  run->regrids_shown = -1;
  TX_TRY(tx_run_show_grid(run));
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
  TX_TRY(tx_agree(run->comm, create_horizons(run)));
  TX_TRY(tx_run_restore(run, from));
  return log_start(run);
}

static tx_status open_folder(tx_run *run, const tx_restart *from) {
  int ranks = 1;
  TX_MPI(MPI_Comm_size(run->comm, &ranks));
  if (from)
    TX_TRY(tx_output_resume(run->comm, run->params, run->par_path, &from->output, &run->output));
  else
    TX_TRY(tx_output_create(run->comm, run->params, run->par_path, &run->output));
  if (from) tx_log(" ");
  tx_log_banner(run->params, run->par_path, ranks);
  tx_compute_log();
  tx_tuning_log(run->params);
  if (from) tx_log("  restart     %s", from->note);
  tx_log_domain(run->params);
  if (from && !from->path[0]) TX_TRY(tx_output_rewind(run->output, &from->output, "", 0));
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
  tx_status status = tx_agree(comm, create_extraction(run));
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
  tx_fluxes_destroy(&run->fluxes);
  tx_gw_destroy(run->gw);
  tx_worldtubes_destroy(run->worldtubes);
  tx_horizons_destroy(&run->horizons);
  tx_run_mark_free(&run->mark);
  tx_free(run->psi4);
  tx_free(run->spheres);
  tx_free(run);
  return status;
}
