/* Going on with a run: what its folder says of it, and from where. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "run/run_internal.h"
#include "evolve/demands.h"
#include "machine/tuning.h"
#include "base/line.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/version.h"
#include "files/json.h"
#include "files/record.h"
#include "machine/compute.h"
#include "machine/machine.h"

/* End of the run by summary.json; zeros where there is none. */
typedef struct last_end {
  int complete;
  double t, steps;
} last_end;

static double number_of(const char *json, const char *key) {
  const char *value = tx_json_find(json, key);
  return value ? strtod(value, NULL) : 0.0;
}

/* Rank 0. Read a file of the folder: the caller frees the text, which is NULL if there is none. */
static char *read_file(const char *folder, const char *name) {
  char path[PATH_MAX], *text = NULL;
  size_t room = 0;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX) return NULL;
  FILE *f = fopen(path, "r");
  if (!f) return NULL;
  if (getdelim(&text, &room, '\0', f) <= 0) {
    free(text);
    text = NULL;
  }
  fclose(f);
  return text;
}

/* Rank 0. A summary that is not there says that the run is not complete. */
static last_end read_summary(const char *folder) {
  last_end end = {0};
  char *text = read_file(folder, "summary.json");
  if (!text) return end;
  const char *complete = tx_json_find(text, "complete");
  end.complete = complete && strncmp(complete, "true", 4) == 0;
  end.t = number_of(text, "t");
  end.steps = number_of(text, "steps");
  free(text);
  return end;
}

static bool is_complete(const last_end *end, const tx_params *p) {
  return end->complete &&
         (end->t >= p->run_t_end || (p->run_max_steps > 0 && end->steps >= p->run_max_steps));
}

/* Rank 0. The folder holds a run, and no other program is at work there. */
static tx_status enter_folder(const char *folder, const char *yaml, tx_folder_lock **lock) {
  struct stat s;
  TX_REQUIRE(stat(folder, &s) == 0, TX_ERR_IO,
             "--restart %s: %s; give the folder of a run, e.g. out/head_on", folder,
             strerror(errno));
  TX_REQUIRE(S_ISDIR(s.st_mode), TX_ERR_IO, "--restart %s: not a folder; give the folder of a run",
             folder);
  TX_REQUIRE(stat(yaml, &s) == 0, TX_ERR_IO,
             "--restart %s: this folder holds no run, as run.yaml is missing; start one with "
             "tendex run FILE --set run.folder=%s",
             folder, folder);
  TX_REQUIRE(access(folder, W_OK) == 0, TX_ERR_IO,
             "--restart %s: cannot write into this folder: %s", folder, strerror(errno));
  return tx_folder_lock_take(folder, lock);
}

/* Collective. The parameters as the checkpoint has them: owned text. */
static tx_status saved_values(MPI_Comm comm, const tx_restart *from, char **values) {
  size_t n = 0;
  TX_TRY(tx_checkpoint_record_size(comm, from->path, TX_RECORD_PARAMETERS, &n));
  TX_TRY(tx_agree(comm, tx_alloc(n + 1, 1, "parameters of the checkpoint", values)));
  tx_record_list list = {0};
  tx_records_add(&list, TX_RECORD_PARAMETERS, 't', n, *values);
  tx_status status = tx_checkpoint_records(comm, from->path, &list);
  tx_records_free(&list);
  return status;
}

/* Collective. The values without this start's changes: of a run that begins again. */
static tx_status first_values(MPI_Comm comm, const char *yaml, char **values) {
  tx_params p;
  char *text = NULL;
  size_t n = 0;
  TX_TRY(tx_params_read(comm, yaml, 0, NULL, tx_evolve_demands, &p));
  FILE *f = open_memstream(&text, &n);
  tx_status status = f ? tx_params_values(&p, f) : TX_ERR_MEMORY;
  if (f && fclose(f) != 0 && status == TX_OK) status = TX_ERR_MEMORY;
  TX_KEEP(status, tx_alloc(n + 1, 1, "parameters of the run", values));
  if (status == TX_OK) memcpy(*values, text, n);
  free(text);
  return tx_agree(comm, status);
}

/* Rank 0. Fail unless the folder records that the run has written no checkpoint. */
static tx_status check_never_saved(const char *folder) {
  char saved[100] = "may have been saved, as " TX_LAST_CHECKPOINT " is missing or damaged";
  char *record = read_file(folder, TX_LAST_CHECKPOINT);
  const bool known = record && tx_json_find(record, "step");
  const double step = known ? number_of(record, "step") : 0.0;
  if (known)
    snprintf(saved, sizeof saved, "was saved at step %.0f, t = %g M", step, number_of(record, "t"));
  free(record);
  TX_REQUIRE(known && step == 0.0, TX_ERR_IO,
             "the run in %s %s, but %s/checkpoints has no checkpoint; restore one, or start again: "
             "tendex run %s/run.yaml --set run.folder=%s --overwrite",
             folder, saved, folder, folder, folder);
  return TX_OK;
}

/* Collective. Nothing may be begun again that was saved, and then damaged or taken away. */
static tx_status check_nothing_saved(MPI_Comm comm, const char *folder, int skipped) {
  int rank = 0;
  if (skipped > 0) TX_TRY(tx_checkpoint_refuse_others(comm, folder));
  TX_REQUIRE(skipped == 0, TX_ERR_IO,
             "no checkpoint in %s/checkpoints is usable (%d found); restore an intact copy of one, "
             "or start again: tendex run %s/run.yaml --set run.folder=%s --overwrite",
             folder, skipped, folder, folder);
  TX_MPI(MPI_Comm_rank(comm, &rank));
  return tx_agree(comm, rank == 0 ? check_never_saved(folder) : TX_OK);
}

/* Collective. The newest good checkpoint and its clock; how many were no good. */
static tx_status find_checkpoint(MPI_Comm comm, tx_restart *from, int *skipped) {
  TX_TRY(tx_checkpoint_newest(comm, from->folder, from->path, sizeof from->path, skipped));
  if (!from->path[0]) return TX_OK;
  tx_record_list clock = {0};
  tx_records_add(&clock, TX_RECORD_STEP, 'i', 1, &from->step);
  tx_records_add(&clock, TX_RECORD_TIME, 'd', 1, &from->t);
  tx_status status = tx_checkpoint_records(comm, from->path, &clock);
  tx_records_free(&clock);
  return status;
}

/* Collective. May the run go on with these parameters? `changes` tells what is new. */
static tx_status check_parameters(MPI_Comm comm, const char *yaml, const tx_restart *from,
                                  const tx_params *p, char *changes, size_t size) {
  char *values = NULL;
  tx_status status =
      from->path[0] ? saved_values(comm, from, &values) : first_values(comm, yaml, &values);
  TX_THEN(status, tx_agree(comm, tx_params_check_change(values, p, changes, size)));
  tx_free(values);
  TX_TRY(status);
  TX_REQUIRE(
      from->t <= p->run_t_end, TX_ERR_PARAM,
      "run.t_end: %g M is before the checkpoint at t = %g M; give more, or leave it unchanged",
      p->run_t_end, from->t);
  return TX_OK;
}

static void make_note(MPI_Comm comm, tx_restart *from, const char *changes) {
  char date[64], where[128] = "from the beginning, as there is no checkpoint", computes[300];
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  tx_machine_date(date, sizeof date);
  if (from->path[0])
    snprintf(where, sizeof where, "from step %lld, t = %.10g M", (long long)from->step, from->t);
  tx_compute_text(computes, sizeof computes);
  snprintf(from->note, sizeof from->note, "%s; %s, version %s, %d rank%s x %d thread%s, %s%s%.400s",
           where, date, tx_version(), ranks, ranks == 1 ? "" : "s", tx_machine_threads(),
           tx_machine_threads() == 1 ? "" : "s", computes, changes[0] ? "; " : "", changes);
}

/* Collective. Where the run restarts; *done: there is nothing to do. */
static tx_status prepare(MPI_Comm comm, const char *yaml, const tx_params *p, tx_restart *from,
                         bool *done) {
  char changes[600];
  last_end end = {0};
  int rank = 0, skipped = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) end = read_summary(from->folder);
  TX_MPI(MPI_Bcast(&end, (int)sizeof end, MPI_BYTE, 0, comm));
  TX_TRY(find_checkpoint(comm, from, &skipped));
  *done = is_complete(&end, p);
  TX_TRY(check_parameters(comm, yaml, from, p, changes, sizeof changes));
  if (*done) {
    tx_log("the run in %s is complete: t = %g M after %.0f steps; to extend it, raise run.t_end or "
           "run.max_steps: tendex run --restart %s --set run.t_end=...",
           from->folder, end.t, end.steps, from->folder);
    return TX_OK;
  }
  TX_REQUIRE(
      from->path[0] || skipped || !end.complete, TX_ERR_IO,
      "the run in %s is complete and left no checkpoint to restart from (checkpoint.at_end); start "
      "again: tendex run %s/run.yaml --set run.folder=%s --overwrite",
      from->folder, from->folder, from->folder);
  if (!from->path[0]) TX_TRY(check_nothing_saved(comm, from->folder, skipped));
  TX_TRY(tx_compute_start(comm, p));
  TX_TRY(tx_tuning_apply(comm));
  make_note(comm, from, changes);
  from->output.checkpoint = from->path;
  from->output.note = from->note;
  return TX_OK;
}

static tx_status restart(MPI_Comm comm, const char *yaml, const tx_params *p, tx_restart *from) {
  bool done = false;
  tx_run *run = NULL;
  tx_phase_reset();
  tx_status status = prepare(comm, yaml, p, from, &done);
  if (status != TX_OK || done) {
    tx_folder_lock_release(from->output.lock);
    return status;
  }
  status = tx_run_resume(comm, p, yaml, from, &run);
  return tx_run_finish(run, status);
}

/* The folder as given, without slashes at its end. */
static tx_status name_folder(const char *given, char folder[TX_STRING_MAX]) {
  char fault[160];
  size_t n = strlen(given);
  tx_line_fault(given, fault, sizeof fault);
  TX_REQUIRE(!fault[0], TX_ERR_PARAM, "--restart '%.80s': %s; rename the folder", given, fault);
  while (n > 1 && given[n - 1] == '/') n--;
  TX_REQUIRE(n > 0 && n < TX_STRING_MAX, TX_ERR_PARAM,
             "--restart '%.80s': a folder's path must have 1 to %d bytes", given,
             TX_STRING_MAX - 1);
  snprintf(folder, TX_STRING_MAX, "%.*s", (int)n, given);
  return TX_OK;
}

/* A run goes on where it is, under its name. */
static tx_status check_settings(const char *folder, int n_set, const char *const *set) {
  static const char key[] = "run.folder=", name[] = "run.name=";
  for (int i = 0; i < n_set; i++)
    TX_REQUIRE(
        strncmp(set[i], name, strlen(name)) != 0 &&
            (strncmp(set[i], key, strlen(key)) != 0 || strcmp(set[i] + strlen(key), folder) == 0),
        TX_ERR_PARAM,
        "--set %s: a restart continues in %s; leave this out, or move the folder first", set[i],
        folder);
  return TX_OK;
}

tx_status tx_run_restart_main(MPI_Comm comm, const char *given, int n_set, const char *const *set) {
  char folder[TX_STRING_MAX], yaml[TX_STRING_MAX + 16];
  tx_params p;
  int rank = 0;
  tx_restart from = {.folder = folder};
  TX_TRY(tx_agree(comm, name_folder(given, folder)));
  TX_TRY(tx_agree(comm, check_settings(folder, n_set, set)));
  snprintf(yaml, sizeof yaml, "%s/run.yaml", folder);
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_TRY(tx_agree(comm, rank == 0 ? enter_folder(folder, yaml, &from.output.lock) : TX_OK));
  tx_status status = tx_params_read(comm, yaml, n_set, set, tx_evolve_demands, &p);
  if (status != TX_OK) {
    tx_folder_lock_release(from.output.lock);
    return status;
  }
  /* The folder may have been moved, and what it holds is not to be replaced. */
  snprintf(p.run_folder, sizeof p.run_folder, "%s", folder);
  p.run_overwrite = false;
  return restart(comm, yaml, &p, &from);
}
