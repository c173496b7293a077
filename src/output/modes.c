/* Modes of Psi4 in HDF5: one data set a mode and radius, rows t, Re, Im. */
#include "output/internal.h"

#include <stdio.h>
#include "base/version.h"

/* Rows that a data set grows by in the file. */
#define CHUNK_ROWS 128

static tx_status write_conventions(hid_t file, const char *path) {
  TX_TRY(tx_h5_text(file, path, "code_version", tx_version()));
  TX_TRY(tx_h5_text(file, path, "psi4_sign",
                    "psi4 = -(d2 h+/dt2 - i d2 hx/dt2) for outgoing waves, as WeylScal4 and SXS"));
  TX_TRY(tx_h5_text(
      file, path, "tetrad",
      "r normal to the sphere, theta and phi orthonormal to it and symmetrically to each "
      "other, with the physical metric; m = (e_theta + i e_phi)/sqrt(2)"));
  TX_TRY(tx_h5_text(file, path, "harmonics",
                    "spin weight -2, arXiv:0709.0093 eq. II.7-8; psi4_lm = integral psi4 "
                    "conj(Y_lm) dOmega"));
  return tx_h5_int(file, path, "scaled_by_r", 0);
}

static void mode_name(const tx_gw_info *gw, int radius, int mode, char *name, size_t size) {
  int l, m;
  tx_gw_mode(mode, &l, &m);
  snprintf(name, size, "l%d_m%d_r%.2f", l, m, gw->radii[radius]);
}

static tx_status create_file(tx_h5_rows *f, const char *path, const tx_gw_info *gw) {
  TX_TRY(tx_h5_rows_reserve(f, path, 1, gw->n_radii * gw->n_modes));
  TX_TRY(write_conventions(f->file, path));
  for (int r = 0; r < gw->n_radii; r++)
    for (int i = 0; i < gw->n_modes; i++) {
      char name[64];
      mode_name(gw, r, i, name, sizeof name);
      TX_TRY(tx_h5_rows_add(f, path, name));
    }
  return tx_h5_rows_flush(f, path);
}

/* Rows of a data set, or -1. */
static int64_t rows_of(hid_t dataset) {
  hsize_t size[2] = {0, 0};
  hid_t space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset);
  bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
            H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[1] == 3;
  if (space >= 0) H5Sclose(space);
  return ok ? (int64_t)size[0] : -1;
}

/* A file of a run that is restarted: every mode is there, and all have as many rows. */
static tx_status continue_file(tx_h5_rows *f, const char *path, const tx_gw_info *gw) {
  for (int r = 0; r < gw->n_radii; r++)
    for (int i = 0; i < gw->n_modes; i++) {
      char name[64];
      mode_name(gw, r, i, name, sizeof name);
      hid_t dataset = H5Dopen2(f->file, name, H5P_DEFAULT);
      if (dataset >= 0) f->set[f->n++] = dataset;
      int64_t rows = rows_of(dataset);
      if (f->n == 1 && rows >= 0) f->rows = (hsize_t)rows;
      TX_REQUIRE(rows >= 0 && rows == (int64_t)f->rows, TX_ERR_IO,
                 "cannot go on in %s: mode %s has %lld rows, not %lld", path, name, (long long)rows,
                 (long long)f->rows);
    }
  return TX_OK;
}

static tx_status begin_file(tx_h5_rows *f, const char *path, const tx_gw_info *gw) {
  const bool anew = tx_file_is_new(path);
  f->columns = 3;
  f->chunk_rows = CHUNK_ROWS;
  TX_TRY(tx_h5_rows_begin(f, path, anew, gw->n_radii * gw->n_modes));
  return anew ? create_file(f, path, gw) : continue_file(f, path, gw);
}

/* The first mode stands for all. */
static herr_t first_rows(hid_t file, const char *name, const H5L_info_t *info, void *data) {
  (void)info;
  hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  *(int64_t *)data = rows_of(dataset);
  if (dataset >= 0) H5Dclose(dataset);
  return 1;
}

tx_status tx_modes_rows(tx_output *out, int64_t *rows) {
  const tx_h5_rows *f = &out->modes;
  char path[PATH_MAX];
  *rows = (int64_t)f->rows;
  if (f->file >= 0) return TX_OK;
  *rows = 0;
  tx_output_path(out, path, "waves/mp_psi4.h5");
  if (tx_file_is_new(path)) return TX_OK;
  hid_t file;
  TX_TRY(tx_h5_open(path, &file));
  bool ok =
      H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, first_rows, rows) >= 0 && *rows >= 0;
  H5Fclose(file);
  return ok ? TX_OK : tx_h5_failed(path, "reading how many rows there are");
}

tx_status tx_modes_look_after(tx_output *out) {
  char path[PATH_MAX], folder[PATH_MAX];
  bool gone = false;
  tx_output_path(out, path, "waves/mp_psi4.h5");
  tx_output_path(out, folder, "waves");
  TX_TRY(tx_h5_rows_look_after(out, &out->modes, path, folder, &gone));
  return gone ? tx_modes_close(out) : TX_OK; /* it is opened anew for the next row */
}

tx_status tx_modes_close(tx_output *out) {
  return tx_h5_rows_close(&out->modes, "waves/mp_psi4.h5");
}

tx_status tx_modes_append(tx_output *out, const tx_gw_info *gw, int n, const double (*rows)[3],
                          size_t room) {
  tx_h5_rows *f = &out->modes;
  char path[PATH_MAX];
  tx_output_path(out, path, "waves/mp_psi4.h5");
  TX_TRY(tx_modes_look_after(out));
  if (f->file < 0) TX_TRY(begin_file(f, path, gw));
  TX_TRY(tx_h5_rows_reserve(f, path, (hsize_t)n, f->n));
  for (int i = 0; i < f->n; i++)
    TX_TRY(tx_h5_rows_append(f, path, i, (hsize_t)n, (const double *)(rows + (size_t)i * room)));
  TX_TRY(tx_h5_rows_flush(f, path));
  f->rows += (hsize_t)n;
  return TX_OK;
}
