/* The checkpoints of a run: when, and what is in them beside the simulation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "run/run_internal.h"
#include "base/log.h"
#include "base/memory.h"
#include "files/record.h"
#include "machine/compute.h"
#include "machine/machine.h"

/* A step or a checkpoint may take so many times longer than the longest of its kind so far. */
#define SLOWER 1.5

/* Where none has been written yet: rate of the disk, bytes/s, and time for all else. */
#define DISK_BYTES_PER_S 5e7
#define FIRST_SAVE_S     2.0

/* Left for the end of the program, and for what of the time limit passed before its start: a share of it,
 * within bounds. */
#define MARGIN_SHARE   0.02
#define MARGIN_LEAST_S 2.0
#define MARGIN_MOST_S  180.0

static double field_bytes(const tx_run *run) {
  return (double)run->sim->points * run->sim->system->n_vars * (double)sizeof(double);
}

/* Time to allow for a checkpoint. */
static double save_s(const tx_run *run) {
  if (run->watch.save_most_s > 0.0) return SLOWER * run->watch.save_most_s;
  return FIRST_SAVE_S + field_bytes(run) / DISK_BYTES_PER_S;
}

/* Is there no time for another step after the coming one? */
static bool time_is_up(const tx_run *run, double now_s) {
  const double limit_s = 3600.0 * run->params->run_walltime;
  const double margin_s = fmin(MARGIN_MOST_S, fmax(MARGIN_LEAST_S, MARGIN_SHARE * limit_s));
  const double steps_s = 2.0 * SLOWER * run->watch.step_most_s;
  return limit_s > 0.0 && now_s + steps_s + save_s(run) + margin_s > limit_s;
}

int tx_run_ask(const tx_run *run) {
  const double now_s = tx_now_s(), apart_s = 60.0 * run->params->checkpoint_minutes;
  int rank = 0;
  if (MPI_Comm_rank(run->comm, &rank) != MPI_SUCCESS || rank != 0) return TX_ASK_NOTHING;
  if (time_is_up(run, now_s)) return TX_ASK_WALLTIME;
  return apart_s > 0.0 && now_s - run->watch.saved_s >= apart_s ? TX_ASK_CHECKPOINT
                                                                : TX_ASK_NOTHING;
}

bool tx_run_continues(const tx_run *run) {
  const tx_params *p = run->params;
  if (p->run_max_steps > 0 && run->sim->step >= p->run_max_steps) return false;
  return run->sim->t < p->run_t_end;
}

bool tx_run_saves(const tx_run *run, bool last) {
  const tx_params *p = run->params;
  const int64_t step = run->sim->step;
  if (step == 0) return false;
  return run->sim->asked >= TX_ASK_CHECKPOINT || (last && p->checkpoint_at_end) ||
         (p->checkpoint_every > 0 && step % p->checkpoint_every == 0);
}

/* Add what does not depend on whether the run goes further. */
static void clock_records(tx_run *run, tx_record_list *list) {
  tx_records_add(list, TX_RECORD_STEP, 'i', 1, &run->packed.step);
  tx_records_add(list, TX_RECORD_TIME, 'd', 1, &run->packed.t);
  tx_records_add(list, "run/starts", 'i', 1, &run->packed.starts);
  tx_records_add(list, "run/has_end", 'i', 1, &run->packed.has_end);
  tx_records_add(list, "run/seconds", 'd',
                 sizeof run->packed.seconds / sizeof run->packed.seconds[0], run->packed.seconds);
}

static void state_records(tx_run *run, tx_record_list *list) {
  for (int i = 0; i < tx_observers_count(); i++) tx_observers_records(run->observers, i, list);
}

tx_status tx_run_times_now(tx_run *run, tx_run_times *out) {
  const double *before = (const double *)&run->before;
  const bool gpu = tx_compute_get()->gpu;
  tx_device_times device;
  int ranks = 1;
  TX_MPI(MPI_Comm_size(run->comm, &ranks));
  TX_TRY(tx_device_gather(run->comm, &device));
  TX_TRY(tx_phase_gather(run->comm, out->phase_mean_s, out->phase_max_s, &out->wall_s));
  out->evolution_s = tx_now_s() - run->watch.evolution_start_s;
  out->core_s = out->evolution_s * ranks * tx_machine_threads();
  out->step_s = gpu ? device.step_s : tx_step_seconds();
  out->device_evolution_s = gpu ? out->evolution_s : 0.0;
  out->device_busy_s = tx_device_busy(&device) - run->watch.worked_s;
  memcpy(out->device_s, device.phase_s, sizeof out->device_s);
  for (size_t i = 0; i < TX_RUN_TIMES; i++) ((double *)out)[i] += before[i];
  return TX_OK;
}

static tx_status pack_clock(tx_run *run) {
  tx_run_times now;
  TX_TRY(tx_run_times_now(run, &now));
  memcpy(run->packed.seconds, &now, sizeof now);
  run->packed.step = run->sim->step;
  run->packed.t = run->sim->t;
  run->packed.starts = run->starts;
  run->packed.has_end = run->mark.state != NULL;
  return TX_OK;
}

void tx_run_mark_free(tx_run_mark *mark) {
  tx_free(mark->state);
  tx_free(mark->files);
  *mark = (tx_run_mark){0};
}

/* A packed copy of a list's items: the caller owns *packed. */
static tx_status copy_records(const tx_record_list *list, char **packed) {
  TX_TRY(list->status);
  TX_TRY(tx_alloc(tx_records_packed_bytes(list), 1, "state before the last rows", packed));
  tx_records_pack(list, *packed);
  return TX_OK;
}

tx_status tx_run_set_mark(tx_run *run) {
  tx_run_mark *mark = &run->mark;
  tx_record_list live = {0};
  tx_run_mark_free(mark);
  TX_TRY(tx_observers_save(run->observers));
  TX_TRY(tx_output_list(run->output, &mark->files, &mark->n_files));
  state_records(run, &live);
  tx_status status = copy_records(&live, &mark->state);
  tx_records_free(&live);
  return tx_agree(run->comm, status);
}

/* State and files as a run begins with that goes further, and, where they are others, as they are at the end. */
static void stage_records(tx_run *run, size_t n_files, char *files, tx_record_list *list) {
  tx_run_mark *mark = &run->mark;
  tx_record_list live = {0};
  state_records(run, &live);
  if (mark->state) {
    tx_records_add_packed(list, &live, mark->state);
    tx_records_add(list, TX_RECORD_FILES, 't', mark->n_files, mark->files);
    list->prefix = TX_RECORDS_END;
  }
  state_records(run, list);
  tx_records_add(list, TX_RECORD_FILES, 't', n_files, files);
  list->prefix = NULL;
  tx_records_free(&live);
}

/* The parameters' values as text, for the check of a restart. */
static tx_status values_text(const tx_params *p, char **text, size_t *n) {
  FILE *f = open_memstream(text, n);
  TX_REQUIRE(f, TX_ERR_MEMORY, "no memory for the text of the parameters");
  tx_status status = tx_params_values(p, f);
  if (fclose(f) != 0 && status == TX_OK) status = TX_ERR_MEMORY;
  return status;
}

static tx_status write(tx_run *run, char *values, size_t n_values) {
  char modes[PATH_MAX], *files = NULL;
  size_t n_files = 0;
  tx_record_list list = {0};
  struct stat s;
  TX_TRY(pack_clock(run));
  TX_TRY(tx_observers_save(run->observers));
  TX_TRY(tx_output_list(run->output, &files, &n_files));
  clock_records(run, &list);
  tx_records_add(&list, TX_RECORD_PARAMETERS, 't', n_values, values);
  stage_records(run, n_files, files, &list);
  const char *folder = tx_output_folder(run->output);
  bool has_modes = snprintf(modes, sizeof modes, "%s/waves/mp_psi4.h5", folder) < PATH_MAX &&
                   stat(modes, &s) == 0;
  const tx_checkpoint_content content = {
      .records = &list,
      .modes_path = has_modes ? modes : NULL,
  };
  tx_status status = tx_checkpoint_write(folder, run->params->checkpoint_keep, run->sim, &content);
  tx_records_free(&list);
  tx_free(files);
  return status;
}

tx_status tx_run_checkpoint(tx_run *run) {
  const double start_s = tx_now_s();
  char *values = NULL;
  size_t n = 0;
  tx_phase_begin(TX_PHASE_CHECKPOINT);
  tx_status status = tx_agree(run->comm, values_text(run->params, &values, &n));
  TX_THEN(status, write(run, values, n));
  TX_THEN(status, tx_output_saved(run->output, run->sim->step, run->sim->t));
  tx_phase_end(TX_PHASE_CHECKPOINT);
  free(values);
  TX_TRY(status);
  tx_run_watch *watch = &run->watch;
  watch->saved_s = tx_now_s();
  watch->saved_step = run->sim->step;
  const double took_s = watch->saved_s - start_s;
  if (took_s > watch->save_most_s) watch->save_most_s = took_s;
  tx_log("%8lld %10.4f checkpoint: checkpoints/checkpoint.%07lld.h5, %.1f MB of fields, in %.2f s",
         (long long)run->sim->step, run->sim->t, (long long)run->sim->step, field_bytes(run) / 1e6,
         took_s);
  return tx_agree(run->comm, tx_log_status());
}

/* Which of the two states: a run that is at its end keeps what is written there only. */
static const char *choose_stage(const tx_run *run) {
  if (!run->packed.has_end) return NULL;
  if (!tx_run_continues(run)) return TX_RECORDS_END;
  tx_log(
      "  restart     rows and fields written at the end, step %lld, are removed: the run continues",
      (long long)run->packed.step);
  return NULL;
}

/* Read all that was added to the list, and free it. */
static tx_status read_all(tx_run *run, const char *path, tx_record_list *list) {
  tx_status status = tx_checkpoint_records(run->comm, path, list);
  tx_records_free(list);
  return status;
}

/* Read the state of an observer, if it has one that the checkpoint has too. */
static tx_status read_observer(tx_run *run, const char *path, tx_record_list *list) {
  bool has = false;
  TX_TRY(tx_agree(run->comm, list->status));
  if (list->n == 0) return TX_OK;
  TX_TRY(tx_checkpoint_has_record(run->comm, path, list->at[0].name, &has));
  return has ? tx_checkpoint_records(run->comm, path, list) : TX_OK;
}

/* Others begin anew. */
static tx_status read_state(tx_run *run, const char *path, const char *prefix) {
  tx_status status = TX_OK;
  for (int i = 0; i < tx_observers_count() && status == TX_OK; i++) {
    tx_record_list list = {.prefix = prefix};
    tx_observers_records(run->observers, i, &list);
    status = read_observer(run, path, &list);
    tx_records_free(&list);
  }
  return status;
}

static tx_status rewind_files(tx_run *run, const tx_restart *from, const char *prefix) {
  char name[TX_RECORD_NAME], *files = NULL;
  size_t n = 0;
  tx_record_list list = {0};
  snprintf(name, sizeof name, "%s%s", prefix ? prefix : "", TX_RECORD_FILES);
  TX_TRY(tx_checkpoint_record_size(run->comm, from->path, name, &n));
  TX_TRY(tx_agree(run->comm, tx_alloc(n + 1, 1, "list of the run's files", &files)));
  tx_records_add(&list, name, 't', n, files);
  tx_status status = read_all(run, from->path, &list);
  TX_THEN(status, tx_output_rewind(run->output, &from->output, files));
  TX_THEN(status, tx_observers_resume(run->observers, from->path));
  tx_free(files);
  return status;
}

tx_status tx_run_restore(tx_run *run, const tx_restart *from) {
  tx_record_list clock = {0};
  clock_records(run, &clock);
  TX_TRY(read_all(run, from->path, &clock));
  const char *prefix = choose_stage(run);
  TX_TRY(read_state(run, from->path, prefix));
  memcpy(&run->before, run->packed.seconds, sizeof run->before);
  run->starts = run->packed.starts + 1;
  run->watch.saved_step = from->step;
  TX_TRY(rewind_files(run, from, prefix));
  return tx_output_saved(run->output, from->step, from->t);
}
