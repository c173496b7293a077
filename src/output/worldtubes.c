/* Worldtubes in HDF5, a file a sphere, as SpECTRE reads them: data sets of rows, time and columns.
 *
 * A file holds the rows between two checkpoints, and never changes afterwards: a restart keeps files of before its checkpoint
 * and removes later ones, so that no row is missing or there twice. */
#include "output/internal.h"

#include <string.h>
#include "base/memory.h"
#include "base/version.h"

/* Rows that a data set grows by: readers take rows one by one. */
#define CHUNK_ROWS 4

/* The name of a column in the legend, for HDF5, and how it is kept there. */
#define LEGEND_BYTES (TX_WORLDTUBE_NAME + 32)

static tx_status write_conventions(hid_t file, const char *path, const tx_worldtube_info *info,
                                   double radius) {
  const bool modal = info->form == TX_WORLDTUBE_MODAL;
  TX_TRY(tx_h5_text(file, path, "code_version", tx_version()));
  TX_TRY(tx_h5_real(file, path, "radius", radius));
  TX_TRY(tx_h5_int(file, path, "l_max", info->l_max));
  TX_TRY(tx_h5_text(file, path, "form", modal ? "modal" : "nodal"));
  TX_TRY(tx_h5_text(file, path, "time_derivatives",
                    "right-hand sides of the evolved equations at fixed coordinates"));
  if (modal)
    return tx_h5_text(file, path, "harmonics",
                      "Y_lm with the Condon-Shortley phase; f_lm = integral f conj(Y_lm) dOmega; l "
                      "ascending, m descending (DescendingM: True)");
  return tx_h5_text(
      file, path, "points",
      "Gauss-Legendre in cos(theta) from the north pole on, phi = 2 pi j / (2 l_max + "
      "1), which varies fastest");
}

static tx_status write_legend(hid_t set, const char *path, const tx_worldtube_info *info,
                              int number) {
  const int n = info->n_columns + 1;
  char(*name)[TX_WORLDTUBE_NAME] = NULL;
  const char **legend = NULL;
  tx_status status = tx_alloc((size_t)n, sizeof *name, "legend", &name);
  TX_KEEP(status, tx_alloc((size_t)n, sizeof *legend, "legend", &legend));
  for (int i = 0; i < n && status == TX_OK; i++) {
    legend[i] = name[i];
    if (i == 0)
      strcpy(name[i], "time");
    else
      tx_worldtube_column_name(info, number, i - 1, name[i]);
  }
  TX_THEN(status, tx_h5_texts(set, path, "Legend", n, legend));
  tx_free(legend);
  tx_free(name);
  return status;
}

static tx_status create_file(tx_h5_rows *f, const char *path, const tx_worldtube_info *info,
                             double radius) {
  f->columns = info->n_columns + 1;
  f->chunk_rows = CHUNK_ROWS;
  f->rows = 0;
  TX_TRY(tx_h5_rows_begin(f, path, true, TX_WORLDTUBE_SETS));
  TX_TRY(tx_file_reserve(path, (size_t)TX_WORLDTUBE_SETS * (size_t)f->columns * LEGEND_BYTES));
  TX_TRY(tx_h5_rows_reserve(f, path, 1, TX_WORLDTUBE_SETS));
  TX_TRY(write_conventions(f->file, path, info, radius));
  for (int set = 0; set < TX_WORLDTUBE_SETS; set++) {
    char name[TX_WORLDTUBE_NAME + 4];
    tx_worldtube_set_name(set, name);
    strcat(name, ".dat");
    TX_TRY(tx_h5_rows_add(f, path, name));
    TX_TRY(write_legend(f->set[set], path, info, set));
  }
  return TX_OK;
}

/* Files of the rows from this step on. */
static tx_status create_files(tx_output *out, int64_t step, const tx_worldtube_info *info) {
  tx_worldtube_files *files = &out->worldtubes;
  char folder[PATH_MAX];
  tx_output_path(out, folder, "worldtubes");
  TX_TRY(tx_folder_create(folder));
  if (!files->row)
    TX_TRY(tx_alloc((size_t)info->n_columns + 1, sizeof *files->row, "worldtubes", &files->row));
  for (int r = 0; r < info->n_radii; r++) {
    tx_output_path(out, files->path[r], "worldtubes/%07lld.CceR%04.0f.h5", (long long)step,
                   info->radii[r]);
    files->at[r] = (tx_h5_rows){.file = H5I_INVALID_HID};
    files->n = r + 1;
    TX_TRY(create_file(&files->at[r], files->path[r], info, info->radii[r]));
  }
  return TX_OK;
}

/* Files that are gone are put back, and the next row begins new ones. */
static tx_status look_after(tx_output *out) {
  tx_worldtube_files *files = &out->worldtubes;
  char folder[PATH_MAX];
  bool gone = false, any = false;
  tx_output_path(out, folder, "worldtubes");
  for (int r = 0; r < files->n; r++) {
    TX_TRY(tx_h5_rows_look_after(out, &files->at[r], files->path[r], folder, &gone));
    any = any || gone;
  }
  return any ? tx_worldtubes_close(out) : TX_OK;
}

static tx_status append(tx_output *out, int64_t step, double t, const tx_worldtube_info *info,
                        const double *rows) {
  tx_worldtube_files *files = &out->worldtubes;
  const size_t columns = (size_t)info->n_columns;
  TX_TRY(look_after(out));
  if (files->n == 0) TX_TRY(create_files(out, step, info));
  for (int r = 0; r < files->n; r++) {
    tx_h5_rows *f = &files->at[r];
    TX_TRY(tx_h5_rows_reserve(f, files->path[r], 1, f->n));
    files->row[0] = t;
    for (int set = 0; set < f->n; set++, rows += columns) {
      memcpy(files->row + 1, rows, columns * sizeof *rows);
      TX_TRY(tx_h5_rows_append(f, files->path[r], set, 1, files->row));
    }
    f->rows++;
  }
  return TX_OK;
}

tx_status tx_output_worldtubes(tx_output *out, int64_t step, double t,
                               const tx_worldtube_info *info, const double *rows) {
  tx_status status = TX_OK;
  if (out->rank == 0) status = append(out, step, t, info, rows);
  return tx_agree(out->comm, status);
}

tx_status tx_worldtubes_flush(tx_output *out) {
  TX_TRY(look_after(out));
  for (int r = 0; r < out->worldtubes.n; r++)
    TX_TRY(tx_h5_rows_flush(&out->worldtubes.at[r], out->worldtubes.path[r]));
  return TX_OK;
}

tx_status tx_worldtubes_close(tx_output *out) {
  tx_worldtube_files *files = &out->worldtubes;
  tx_status status = TX_OK;
  for (int r = 0; r < files->n; r++)
    TX_KEEP(status, tx_h5_rows_close(&files->at[r], files->path[r]));
  files->n = 0;
  return status;
}
