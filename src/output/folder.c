/* The run folder: its name, its making, and what of an earlier run is in it. */
#include "output/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/line.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mpi_found.h"
#include "base/version.h"
#include "checkpoint/checkpoint.h"
#include "files/json.h"
#include "machine/compute.h"
#include "machine/machine.h"
#include "output/manifest.h"

/* The parameter file's name without its ending. */
static tx_status name_of_file(tx_params *p, const char *par_path) {
  char fault[160];
  const char *base = par_path ? strrchr(par_path, '/') : NULL;
  base = base ? base + 1 : par_path ? par_path : "";
  const char *dot = strrchr(base, '.');
  size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  TX_REQUIRE(n > 0 && n < sizeof p->run_name, TX_ERR_PARAM,
             "'%s' does not give a name for the run; set run.name", par_path ? par_path : "");
  memcpy(p->run_name, base, n);
  p->run_name[n] = '\0';
  tx_line_fault(p->run_name, fault, sizeof fault);
  TX_REQUIRE(!fault[0] && tx_params_is_name(p->run_name), TX_ERR_PARAM,
             "'%s' does not give a name for the run%s%s; set run.name", par_path,
             fault[0] ? ": " : "", fault);
  return TX_OK;
}

tx_status tx_output_names(tx_params *p, const char *par_path) {
  if (p->run_name[0] == '\0') TX_TRY(name_of_file(p, par_path));
  if (p->run_folder[0] != '\0') return TX_OK;
  int n = snprintf(p->run_folder, sizeof p->run_folder, "out/%s", p->run_name);
  TX_REQUIRE(n < (int)sizeof p->run_folder, TX_ERR_PARAM,
             "run.name: '%s' is too long; give a shorter one", p->run_name);
  return TX_OK;
}

/* The head of run.yaml: where the run comes from, or what it said and a note of this start. */
static tx_status run_yaml_head(const tx_output *out, const char *par_path, const char *note,
                               FILE *f) {
  char path[PATH_MAX], machine[512], date[64], line[1024], computes[300], mpi[64];
  int ranks = 1;
  if (note) {
    tx_output_path(out, path, "run.yaml");
    FILE *old = fopen(path, "r");
    if (!old) return tx_file_failed(path, strerror(errno));
    while (fgets(line, sizeof line, old) && line[0] == '#') fputs(line, f);
    fclose(old);
    fprintf(f, "# restarted %s\n\n", note);
    return TX_OK;
  }
  TX_MPI(MPI_Comm_size(out->comm, &ranks));
  tx_machine_text(machine, sizeof machine);
  tx_machine_date(date, sizeof date);
  fprintf(f, "# Parameters as used. `tendex run` takes this file.\n# from: %s\n# started: %s\n",
          par_path, date);
  tx_compute_text(computes, sizeof computes);
  tx_mpi_name(mpi, sizeof mpi);
  fprintf(f, "# version: %s\n# build: %s\n# machine: %s\n# ranks: %d, threads a rank: %d, %s\n",
          tx_version(), tx_build(), machine, ranks, tx_machine_threads(), mpi);
  fprintf(f, "# computes: %s\n\n", computes);
  return TX_OK;
}

static tx_status write_run_yaml(tx_output *out, const char *par_path, const char *note) {
  char path[PATH_MAX];
  char *text = NULL;
  size_t size = 0;
  tx_output_path(out, path, "run.yaml");
  FILE *f = open_memstream(&text, &size);
  if (!f) return tx_file_failed(path, strerror(errno));
  tx_status status = run_yaml_head(out, par_path, note, f);
  TX_KEEP(status, tx_params_write(out->params, f));
  if (fclose(f) != 0) TX_KEEP(status, tx_file_failed(path, strerror(errno)));
  if (status == TX_OK) tx_text_add(&out->yaml, "%s", text);
  TX_KEEP(status, out->yaml.status);
  TX_THEN(status, tx_file_replace(path, text, size));
  free(text);
  return status;
}

static tx_status record_checkpoint(const tx_output *out, int64_t step, double t) {
  char path[PATH_MAX];
  tx_json json = {0};
  tx_output_path(out, path, TX_LAST_CHECKPOINT);
  tx_json_open(&json, NULL, '{');
  tx_json_int(&json, "step", step);
  tx_json_real(&json, "t", t);
  tx_json_close(&json, '}');
  tx_status status = json.text.status;
  TX_THEN(status, tx_file_replace(path, json.text.data, json.text.length));
  tx_text_free(&json.text);
  return status;
}

tx_status tx_output_saved(tx_output *out, int64_t step, double t) {
  return tx_agree(out->comm, out->rank == 0 ? record_checkpoint(out, step, t) : TX_OK);
}

static tx_status require_no_run(const tx_output *out) {
  bool found = false;
  TX_TRY(tx_series_clear(out->files, out->folder, false, &found));
  TX_REQUIRE(!found, TX_ERR_IO,
             "%s already holds a run; continue it with tendex run --restart %s, replace it with "
             "--overwrite, or give another run.name or run.folder",
             out->folder, out->folder);
  return TX_OK;
}

/* Nothing of another run is left; one that is still at work is not disturbed. */
static tx_status empty_folder(tx_output *out) {
  bool found = false;
  if (!out->params->run_overwrite) return require_no_run(out);
  TX_TRY(tx_series_clear(out->files, out->folder, false, &found));
  if (!found) return TX_OK;
  TX_TRY(tx_folder_lock_take(out->folder, &out->lock));
  tx_status status = tx_series_clear(out->files, out->folder, true, &found);
  tx_folder_lock_release(out->lock);
  out->lock = NULL;
  return status;
}

static tx_status prepare_folder(tx_output *out, const char *par_path) {
  char log[PATH_MAX];
  TX_TRY(empty_folder(out));
  TX_TRY(tx_folder_create(out->folder));
  tx_output_path(out, log, "log.txt");
  TX_TRY(tx_folder_lock_take(out->folder, &out->lock));
  TX_TRY(require_no_run(out)); /* one may have begun just before */
  TX_TRY(tx_log_open(log));
  TX_TRY(record_checkpoint(out, 0, 0.0)); /* before run.yaml, which makes this a run to restart */
  return write_run_yaml(out, par_path, NULL);
}

static tx_status resume_folder(tx_output *out, const char *par_path, const tx_resumption *from) {
  char log[PATH_MAX];
  out->lock = from->lock;
  tx_output_path(out, log, "log.txt");
  TX_TRY(tx_log_open(log));
  return write_run_yaml(out, par_path, from->note);
}

static tx_status create(MPI_Comm comm, const tx_params *p, const char *par_path,
                        const tx_manifest *files, const tx_resumption *from, tx_output **result) {
  tx_output *out = NULL;
  *result = NULL;
  TX_TRY(tx_agree(comm, tx_alloc(1, sizeof *out, "output", &out)));
  out->comm = comm;
  out->params = p;
  out->files = files;
  out->system = tx_system_of(p);
  out->modes.file = H5I_INVALID_HID;
  snprintf(out->folder, sizeof out->folder, "%s", p->run_folder);
  tx_status status = TX_OK;
  if (p->output_slices_every > 0 ||
      p->output_fields_every > 0) /* else its default counts for nothing */
    status = tx_output_choose(out->system, "output.variables", p->output_variables, &out->variables,
                              &out->quantities);
  if (MPI_Comm_rank(comm, &out->rank) != MPI_SUCCESS) status = TX_ERR_LIBRARY;
  if (out->rank == 0)
    TX_THEN(status, from ? resume_folder(out, par_path, from) : prepare_folder(out, par_path));
  status = tx_agree(comm, status);
  if (status == TX_OK) {
    *result = out;
  } else {
    tx_folder_lock_release(out->lock);
    tx_text_free(&out->yaml);
    tx_free(out);
  }
  return status;
}

tx_status tx_output_create(MPI_Comm comm, const tx_params *p, const char *par_path,
                           const tx_manifest *files, tx_output **out) {
  return create(comm, p, par_path, files, NULL, out);
}

tx_status tx_output_resume(MPI_Comm comm, const tx_params *p, const char *par_path,
                           const tx_manifest *files, const tx_resumption *from, tx_output **out) {
  return create(comm, p, par_path, files, from, out);
}

static tx_status restore_modes(const tx_output *out, const char *checkpoint, int64_t rows) {
  char path[PATH_MAX];
  if (checkpoint[0] && out->params->waves_radii.n > 0) {
    tx_output_path(out, path, "waves"); /* the user may have taken it away */
    TX_TRY(tx_folder_create(path));
  }
  tx_output_path(out, path, "waves/mp_psi4.h5");
  if (checkpoint[0]) return tx_checkpoint_restore_modes(checkpoint, path, rows);
  TX_REQUIRE(unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR, TX_ERR_IO,
             "cannot remove %s: %s", path, strerror(errno));
  return TX_OK;
}

tx_status tx_output_restore_modes(tx_output *out, const char *checkpoint, int64_t rows) {
  return tx_agree(out->comm, out->rank == 0 ? restore_modes(out, checkpoint, rows) : TX_OK);
}

tx_status tx_output_rewind(tx_output *out, const tx_resumption *from, const char *list) {
  tx_status status = TX_OK;
  if (out->rank == 0) {
    status = tx_series_resume(out->files, out->folder, list);
    if (!from->checkpoint[0]) TX_THEN(status, restore_modes(out, "", 0));
  }
  return tx_agree(out->comm, status);
}

/* Write run.yaml again if it is gone: without it there is no restart. */
static tx_status look_after_yaml(tx_output *out) {
  char path[PATH_MAX];
  tx_output_path(out, path, "run.yaml");
  if (!out->yaml.data || access(path, F_OK) == 0 || errno != ENOENT) return TX_OK;
  TX_TRY(tx_file_replace(path, out->yaml.data, out->yaml.length));
  tx_warn("%s was removed or replaced during the run; it is written again", path);
  return TX_OK;
}

tx_status tx_output_look_after(tx_output *out) {
  TX_TRY(tx_output_look_after_log(out));
  TX_TRY(look_after_yaml(out));
  TX_TRY(tx_modes_look_after(out));
  return tx_series_watch(out->files, out->folder, &out->sums);
}

tx_status tx_output_list(tx_output *out, char **list, size_t *n) {
  tx_text text = {0};
  uint64_t length = 0;
  tx_status status = TX_OK;
  *list = NULL;
  if (out->rank == 0) {
    status = tx_output_look_after(out);
    TX_THEN(status, tx_mode_buffer_flush(out));
    TX_THEN(status, tx_worldtubes_close(out));
    TX_THEN(status, tx_series_list(out->files, out->folder, &out->sums, &text));
    length = text.length;
  }
  status = tx_agree(out->comm, status);
  if (status == TX_OK) {
    TX_MPI(MPI_Bcast(&length, 1, MPI_UINT64_T, 0, out->comm));
    status = tx_agree(out->comm, tx_alloc(length + 1, 1, "list of the run's files", list));
  }
  if (status == TX_OK) {
    if (length > 0 && out->rank == 0) memcpy(*list, text.data, length);
    TX_MPI(MPI_Bcast(*list, (int)length, MPI_CHAR, 0, out->comm));
    *n = length;
  }
  tx_text_free(&text);
  return status;
}

tx_status tx_output_destroy(tx_output *out) {
  if (!out) return TX_OK;
  tx_status status = TX_OK;
  if (out->rank == 0) {
    if (!out->lost) TX_KEEP(status, tx_mode_buffer_flush(out));
    TX_KEEP(status, tx_modes_close(out));
    TX_KEEP(status, tx_worldtubes_close(out));
    TX_KEEP(status, tx_log_status());
    tx_mode_buffer_free(&out->mode_buffer);
    tx_free(out->worldtubes.row);
    tx_series_sums_free(&out->sums);
    tx_text_free(&out->yaml);
  }
  status = tx_agree(out->comm, status);
  tx_folder_lock_release(out->lock);
  tx_free(out);
  return status;
}

tx_status tx_output_modes_rows(tx_output *out, int64_t *rows) {
  *rows = 0;
  tx_status status = TX_OK;
  if (out->rank == 0) {
    status = tx_mode_buffer_flush(out);
    TX_THEN(status, tx_modes_rows(out, rows));
  }
  TX_TRY(tx_agree(out->comm, status));
  TX_MPI(MPI_Bcast(rows, 1, MPI_INT64_T, 0, out->comm));
  return TX_OK;
}

tx_status tx_output_flush(tx_output *out) {
  tx_status status = TX_OK;
  if (out->rank == 0) {
    status = tx_output_look_after(out);
    TX_THEN(status, tx_mode_buffer_flush(out));
    TX_THEN(status, tx_worldtubes_flush(out));
  }
  return tx_agree(out->comm, status);
}

tx_status tx_output_summary(tx_output *out, const char *text) {
  tx_status status = TX_OK;
  if (out->rank == 0) {
    char path[PATH_MAX];
    tx_output_path(out, path, "summary.json");
    status = tx_file_replace(path, text, strlen(text));
  }
  return tx_agree(out->comm, status);
}

const char *tx_output_folder(const tx_output *out) {
  return out->folder;
}
