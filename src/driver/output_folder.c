/* The run folder: its name, its making, and what of an earlier run is in it. */
#include "driver/output_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/version.h"
#include "driver/machine.h"

/* What a run writes, by folder. */
static const struct {
  const char *folder, *pattern;
} written[] = {
    {"", "log.txt"},
    {"", "run.yaml"},
    {"", "summary.json"},
    {"", "summary.json.part"},
    {"", "puncturetracker-pt_loc..asc"},
    {"", "hamiltonian.norm*.asc"},
    {"", "momentum_[xyz].norm*.asc"},
    {"", "connection_[xyz].norm*.asc"},
    {"", "constraints.asc"},
    {"", "energy.asc"},
    {"", "grid.asc"},
    {"waves", "mp_psi4.h5"},
    {"waves", "mp_psi4_l*_m*_r*.asc"},
    {"waves", "areal_radius.asc"},
    {"fields", "slices.xmf"},
    {"fields", "fields.xmf"},
    {"fields", "bad.xmf"},
    {"fields", "slices.[0-9]*.h5"},
    {"fields", "fields.[0-9]*.h5"},
    {"fields", "bad.[0-9]*.h5"},
    {"fields", "*.h5.part"},
};
static const char *const folders[] = {"", "waves", "fields"};

static bool is_ours(const char *folder, const char *name) {
  for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
    if (strcmp(written[i].folder, folder) == 0 && fnmatch(written[i].pattern, name, 0) == 0)
      return true;
  return false;
}

static tx_status clear_one(const char *path, const char *folder, bool remove_them, bool *found) {
  DIR *dir = opendir(path);
  if (!dir && errno == ENOENT) return TX_OK;
  TX_REQUIRE(dir, TX_ERR_IO, "cannot look into %s: %s", path, strerror(errno));
  tx_status status = TX_OK;
  for (struct dirent *e = readdir(dir); e && status == TX_OK; e = readdir(dir)) {
    if (!is_ours(folder, e->d_name)) continue;
    *found = true;
    char file[PATH_MAX];
    if (remove_them && (snprintf(file, sizeof file, "%s/%s", path, e->d_name) >= (int)sizeof file ||
                        unlink(file) != 0))
      status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__, "cannot remove %s/%s: %s", path,
                               e->d_name, strerror(errno));
  }
  closedir(dir);
  return status;
}

tx_status tx_output_clear(const char *folder, bool remove_them, bool *found) {
  *found = false;
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", folder, folders[i][0] ? "/" : "", folders[i]);
    TX_TRY(clear_one(path, folders[i], remove_them, found));
    if (remove_them && folders[i][0]) rmdir(path); /* stays if something else is in it */
  }
  return TX_OK;
}

tx_status tx_output_names(tx_params *p, const char *par_path) {
  if (p->run_name[0] == '\0') {
    const char *base = par_path ? strrchr(par_path, '/') : NULL;
    base = base ? base + 1 : par_path ? par_path : "";
    const char *dot = strrchr(base, '.');
    size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    TX_REQUIRE(n > 0 && n < sizeof p->run_name, TX_ERR_PARAM,
               "no name for the run can be made of '%s'; set run.name", par_path ? par_path : "");
    memcpy(p->run_name, base, n);
    p->run_name[n] = '\0';
  }
  if (p->run_folder[0] != '\0') return TX_OK;
  int n = snprintf(p->run_folder, sizeof p->run_folder, "out/%s", p->run_name);
  TX_REQUIRE(n < (int)sizeof p->run_folder, TX_ERR_PARAM, "run.name: '%s' is too long",
             p->run_name);
  return TX_OK;
}

void tx_output_path(const tx_output *out, char path[PATH_MAX], const char *format, ...) {
  va_list args;
  int n = snprintf(path, PATH_MAX, "%s/", out->folder);
  va_start(args, format);
  vsnprintf(path + n, PATH_MAX - (size_t)n, format, args);
  va_end(args);
}

/* The variables named in output.variables. */
static tx_status choose_variables(const char *names, uint32_t *mask) {
  char copy[TX_STRING_MAX], *rest = NULL;
  *mask = 0;
  snprintf(copy, sizeof copy, "%s", names);
  for (char *w = strtok_r(copy, " ,\t", &rest); w; w = strtok_r(NULL, " ,\t", &rest)) {
    int v = tx_variable_find(w);
    bool all = strcmp(w, "all") == 0;
    if (v < 0 && !all) {
      char known[512] = "";
      for (int i = 0; i < TX_VARS; i++) {
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, " %s", tx_variables[i].name);
      }
      TX_FAIL(TX_ERR_PARAM, "output.variables: '%s' is not a variable; give some of%s, or all", w,
              known);
    }
    *mask |= all ? (uint32_t)((UINT64_C(1) << TX_VARS) - 1) : UINT32_C(1) << v;
  }
  TX_REQUIRE(*mask, TX_ERR_PARAM, "output.variables: names no variable; give some, or all");
  return TX_OK;
}

static tx_status write_run_yaml(const tx_output *out, const char *par_path, int ranks) {
  char path[PATH_MAX], machine[512], date[64];
  char *text = NULL;
  size_t size = 0;
  tx_machine_text(machine, sizeof machine);
  tx_machine_date(date, sizeof date);
  tx_output_path(out, path, "run.yaml");
  FILE *f = open_memstream(&text, &size);
  if (!f) return tx_file_failed(path, strerror(errno));
  fprintf(f, "# Parameters as used. `tendex run` takes this file.\n# from: %s\n# started: %s\n",
          par_path, date);
  fprintf(f, "# version: %s\n# build: %s\n# machine: %s\n# ranks: %d, threads a rank: %d\n",
          tx_version(), tx_build(), machine, ranks, tx_machine_threads());
  tx_status status = tx_params_write(out->params, f);
  if (fclose(f) != 0) TX_KEEP(status, tx_file_failed(path, strerror(errno)));
  if (status == TX_OK) status = tx_file_replace(path, text, size);
  free(text);
  return status;
}

static tx_status prepare_folder(tx_output *out, const char *par_path, int ranks) {
  char path[PATH_MAX];
  bool found = false;
  TX_TRY(tx_output_clear(out->folder, out->params->run_overwrite, &found));
  TX_REQUIRE(!found || out->params->run_overwrite, TX_ERR_IO,
             "there is a run in %s already; give another run.name or run.folder, or --overwrite to "
             "replace it",
             out->folder);
  TX_TRY(tx_folder_make(out->folder));
  tx_output_path(out, path, "log.txt");
  TX_TRY(tx_log_open(path));
  return write_run_yaml(out, par_path, ranks);
}

tx_status tx_output_create(MPI_Comm comm, const tx_params *p, const char *par_path,
                           tx_output **result) {
  tx_output *out = NULL;
  *result = NULL;
  int ranks = 1;
  TX_MPI(MPI_Comm_size(comm, &ranks));
  TX_TRY(tx_agree(comm, tx_alloc(1, sizeof *out, "output", &out)));
  out->comm = comm;
  out->params = p;
  out->modes.file = H5I_INVALID_HID;
  snprintf(out->folder, sizeof out->folder, "%s", p->run_folder);
  tx_status status = choose_variables(p->output_variables, &out->variables);
  if (MPI_Comm_rank(comm, &out->rank) != MPI_SUCCESS) status = TX_ERR_LIBRARY;
  if (status == TX_OK && out->rank == 0) status = prepare_folder(out, par_path, ranks);
  status = tx_agree(comm, status);
  if (status == TX_OK)
    *result = out;
  else
    tx_free(out);
  return status;
}

tx_status tx_output_destroy(tx_output *out) {
  if (!out) return TX_OK;
  tx_status status = TX_OK;
  if (out->rank == 0) {
    TX_KEEP(status, tx_mode_rows_flush(out));
    TX_KEEP(status, tx_modes_close(out));
    TX_KEEP(status, tx_log_status());
    tx_mode_rows_free(&out->mode_rows);
  }
  status = tx_agree(out->comm, status);
  tx_free(out);
  return status;
}

tx_status tx_output_flush(tx_output *out) {
  return tx_agree(out->comm, out->rank == 0 ? tx_mode_rows_flush(out) : TX_OK);
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
