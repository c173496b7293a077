/* Modes of Psi4 in HDF5: one data set a mode and radius, rows t, Re, Im. */
#include "output/internal.h"

#include <stdio.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/version.h"

/* Rows that a data set grows by in the file. */
#define CHUNK_ROWS 128
/* Room for what HDF5 itself writes: of a data set, and of the file. */
#define META_BYTES 8192
#define FILE_BYTES 65536

static tx_status write_conventions(hid_t file, const char *path) {
  TX_TRY(tx_h5_text(file, path, "code_version", tx_version()));
  TX_TRY(tx_h5_text(file, path, "psi4_sign",
                    "psi4 = -(d2 h+/dt2 - i d2 hx/dt2) for outgoing waves, as WeylScal4 and SXS"));
  TX_TRY(
      tx_h5_text(file, path, "tetrad",
                 "Gram-Schmidt with the physical metric in the order phi, r, theta; m = (e_theta "
                 "+ i e_phi)/sqrt(2)"));
  TX_TRY(tx_h5_text(file, path, "harmonics",
                    "spin weight -2, arXiv:0709.0093 eq. II.7-8; psi4_lm = integral psi4 "
                    "conj(Y_lm) dOmega"));
  return tx_h5_int(file, path, "scaled_by_r", 0);
}

static tx_status create_dataset(hid_t file, const char *path, const char *name, hid_t *dataset) {
  const hsize_t size[2] = {0, 3}, most[2] = {H5S_UNLIMITED, 3}, chunk[2] = {CHUNK_ROWS, 3};
  hid_t space = H5Screate_simple(2, size, most), plist = H5Pcreate(H5P_DATASET_CREATE);
  bool ok = space >= 0 && plist >= 0 && H5Pset_chunk(plist, 2, chunk) >= 0 &&
            H5Pset_obj_track_times(plist, false) >= 0;
  if (ok)
    *dataset = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  ok = ok && *dataset >= 0;
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  return ok ? TX_OK : tx_h5_failed(path, name);
}

static void mode_name(const tx_gw_info *gw, int radius, int mode, char *name, size_t size) {
  int l, m;
  tx_gw_mode(mode, &l, &m);
  snprintf(name, size, "l%d_m%d_r%.2f", l, m, gw->radii[radius]);
}

static tx_status create_datasets(tx_modes_file *f, const char *path, const tx_gw_info *gw) {
  for (int r = 0; r < gw->n_radii; r++)
    for (int i = 0; i < gw->n_modes; i++) {
      char name[64];
      mode_name(gw, r, i, name, sizeof name);
      TX_TRY(create_dataset(f->file, path, name, &f->dataset[f->n]));
      f->n++;
    }
  return TX_OK;
}

/* That hold so many rows of a data set. */
static hsize_t chunks_of(hsize_t rows) {
  return (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

/* Make sure that new rows of n data sets and what HDF5 writes with them fit, before HDF5 touches the file: it
 * cannot undo a write that fails half way. */
static tx_status reserve(const tx_modes_file *f, const char *path, hsize_t rows, size_t n) {
  const size_t chunks = (size_t)(chunks_of(f->rows + rows) - chunks_of(f->rows));
  return tx_file_reserve(path,
                         FILE_BYTES + n * chunks * (CHUNK_ROWS * 3 * sizeof(double) + META_BYTES));
}

/* Without a lock: the run keeps the file open, and others shall read it meanwhile. */
static hid_t open_unlocked(const char *path, bool anew) {
  hid_t file = H5I_INVALID_HID, access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_file_locking(access, false, true) >= 0)
    file = anew ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                : H5Fopen(path, H5F_ACC_RDWR, access);
  if (access >= 0) H5Pclose(access);
  return file;
}

static tx_status create_file(tx_modes_file *f, const char *path, const tx_gw_info *gw) {
  TX_TRY(reserve(f, path, 1, (size_t)gw->n_radii * (size_t)gw->n_modes));
  TX_TRY(write_conventions(f->file, path));
  TX_TRY(create_datasets(f, path, gw));
  if (H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0) return tx_h5_failed(path, "flushing it");
  return TX_OK;
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
static tx_status continue_file(tx_modes_file *f, const char *path, const tx_gw_info *gw) {
  for (int r = 0; r < gw->n_radii; r++)
    for (int i = 0; i < gw->n_modes; i++) {
      char name[64];
      mode_name(gw, r, i, name, sizeof name);
      hid_t dataset = H5Dopen2(f->file, name, H5P_DEFAULT);
      if (dataset >= 0) f->dataset[f->n++] = dataset;
      int64_t rows = rows_of(dataset);
      if (f->n == 1 && rows >= 0) f->rows = (hsize_t)rows;
      TX_REQUIRE(rows >= 0 && rows == (int64_t)f->rows, TX_ERR_IO,
                 "cannot go on in %s: mode %s has %lld rows, not %lld", path, name, (long long)rows,
                 (long long)f->rows);
    }
  return TX_OK;
}

static tx_status begin_file(tx_modes_file *f, const char *path, const tx_gw_info *gw) {
  const bool anew = tx_file_is_new(path);
  size_t n = (size_t)gw->n_radii * (size_t)gw->n_modes;
  TX_TRY(tx_alloc(n, sizeof *f->dataset, "modes file", &f->dataset));
  f->file = open_unlocked(path, anew);
  if (f->file < 0) return tx_h5_failed(path, anew ? "creating it" : "opening it");
  return anew ? create_file(f, path, gw) : continue_file(f, path, gw);
}

/* Rows `from` on, n of them. */
static tx_status append_rows(hid_t dataset, const char *path, hsize_t from, hsize_t n,
                             const double (*rows)[3]) {
  const hsize_t size[2] = {from + n, 3}, start[2] = {from, 0}, count[2] = {n, 3};
  if (H5Dset_extent(dataset, size) < 0) return tx_h5_failed(path, "extending a mode");
  hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(2, count, NULL);
  bool ok = space >= 0 && memory >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok ? TX_OK : tx_h5_failed(path, "writing a mode");
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
  const tx_modes_file *f = &out->modes;
  char path[PATH_MAX];
  *rows = (int64_t)f->rows;
  if (f->file >= 0) return TX_OK;
  *rows = 0;
  tx_output_path(out, path, "waves/mp_psi4.h5");
  if (tx_file_is_new(path)) return TX_OK;
  hid_t file = open_unlocked(path, false);
  bool ok = file >= 0 &&
            H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, first_rows, rows) >= 0 &&
            *rows >= 0;
  if (file >= 0) H5Fclose(file);
  return ok ? TX_OK : tx_h5_failed(path, "reading how many rows there are");
}

/* The descriptor that HDF5 has, or -1. */
static int descriptor_of(hid_t file) {
  int *fd = NULL;
  return H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&fd) >= 0 && fd ? *fd : -1;
}

tx_status tx_modes_look_after(tx_output *out) {
  tx_modes_file *f = &out->modes;
  char path[PATH_MAX], folder[PATH_MAX];
  const int fd = f->file >= 0 ? descriptor_of(f->file) : -1;
  tx_output_path(out, path, "waves/mp_psi4.h5");
  tx_output_path(out, folder, "waves");
  if (fd < 0 || tx_file_is_at(fd, path)) return TX_OK;
  TX_TRY(tx_output_look_after_log(out)); /* is the folder still ours? */
  if (H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0) return tx_h5_failed(path, "flushing it");
  TX_TRY(tx_folder_create(folder));
  TX_TRY(tx_file_put_back(fd, path));
  tx_warn("%s was removed or replaced while the run goes on; it is put back", path);
  return tx_modes_close(out); /* it is opened anew for the next row */
}

tx_status tx_modes_close(tx_output *out) {
  tx_modes_file *f = &out->modes;
  bool ok = true;
  if (f->file >= 0) {
    for (int i = 0; i < f->n; i++) ok = H5Dclose(f->dataset[i]) >= 0 && ok;
    ok = H5Fclose(f->file) >= 0 && ok;
    f->file = H5I_INVALID_HID;
  }
  tx_free(f->dataset);
  f->dataset = NULL;
  f->n = 0;
  return ok ? TX_OK : tx_h5_failed("waves/mp_psi4.h5", "closing it");
}

tx_status tx_modes_append(tx_output *out, const tx_gw_info *gw, int n, const double (*rows)[3],
                          size_t room) {
  tx_modes_file *f = &out->modes;
  char path[PATH_MAX];
  tx_output_path(out, path, "waves/mp_psi4.h5");
  TX_TRY(tx_modes_look_after(out));
  if (f->file < 0) TX_TRY(begin_file(f, path, gw));
  TX_TRY(reserve(f, path, (hsize_t)n, (size_t)f->n));
  for (int i = 0; i < f->n; i++)
    TX_TRY(append_rows(f->dataset[i], path, f->rows, (hsize_t)n, rows + (size_t)i * room));
  if (H5Fflush(f->file, H5F_SCOPE_GLOBAL) < 0) return tx_h5_failed(path, "flushing it");
  f->rows += (hsize_t)n;
  return TX_OK;
}
