/* Data sets of rows in an HDF5 file, to which a run adds while others may read it. */
#include "output/internal.h"

#include "base/log.h"
#include "base/memory.h"

/* Room for what HDF5 itself writes: of a data set, and of the file. */
#define META_BYTES 8192
#define FILE_BYTES 65536

/* That hold so many rows of a data set. */
static hsize_t chunks_of(const tx_h5_rows *f, hsize_t rows) {
  return (rows + f->chunk_rows - 1) / f->chunk_rows;
}

tx_status tx_h5_rows_reserve(const tx_h5_rows *f, const char *path, hsize_t rows, int n_sets) {
  const size_t chunks = (size_t)(chunks_of(f, f->rows + rows) - chunks_of(f, f->rows));
  const size_t chunk = (size_t)f->chunk_rows * (size_t)f->columns * sizeof(double);
  return tx_file_reserve(path, FILE_BYTES + (size_t)n_sets * chunks * (chunk + META_BYTES));
}

tx_status tx_h5_rows_begin(tx_h5_rows *f, const char *path, bool anew, int n_sets) {
  TX_TRY(tx_alloc((size_t)n_sets, sizeof *f->set, "data sets of rows", &f->set));
  f->n = 0;
  return anew ? tx_h5_begin(path, 0, &f->file) : tx_h5_continue(path, &f->file);
}

tx_status tx_h5_rows_add(tx_h5_rows *f, const char *path, const char *name) {
  const hsize_t columns = (hsize_t)f->columns, size[2] = {0, columns};
  const hsize_t most[2] = {H5S_UNLIMITED, columns}, chunk[2] = {f->chunk_rows, columns};
  hid_t space = H5Screate_simple(2, size, most), plist = H5Pcreate(H5P_DATASET_CREATE);
  hid_t set = H5I_INVALID_HID;
  bool ok = space >= 0 && plist >= 0 && H5Pset_chunk(plist, 2, chunk) >= 0 &&
            H5Pset_obj_track_times(plist, false) >= 0;
  if (ok)
    set = H5Dcreate2(f->file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  if (plist >= 0) H5Pclose(plist);
  if (space >= 0) H5Sclose(space);
  if (set < 0) return tx_h5_failed(path, name);
  f->set[f->n++] = set;
  return TX_OK;
}

tx_status tx_h5_rows_append(const tx_h5_rows *f, const char *path, int set, hsize_t n,
                            const double *rows) {
  const hsize_t columns = (hsize_t)f->columns, size[2] = {f->rows + n, columns};
  const hsize_t start[2] = {f->rows, 0}, count[2] = {n, columns};
  if (H5Dset_extent(f->set[set], size) < 0) return tx_h5_failed(path, "extending a data set");
  hid_t space = H5Dget_space(f->set[set]), memory = H5Screate_simple(2, count, NULL);
  bool ok = space >= 0 && memory >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
            H5Dwrite(f->set[set], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok ? TX_OK : tx_h5_failed(path, "writing rows");
}

tx_status tx_h5_rows_flush(const tx_h5_rows *f, const char *path) {
  if (f->file < 0 || H5Fflush(f->file, H5F_SCOPE_GLOBAL) >= 0) return TX_OK;
  return tx_h5_failed(path, "flushing it");
}

tx_status tx_h5_rows_close(tx_h5_rows *f, const char *path) {
  bool ok = true;
  if (f->file >= 0) {
    for (int i = 0; i < f->n; i++) ok = H5Dclose(f->set[i]) >= 0 && ok;
    ok = H5Fclose(f->file) >= 0 && ok;
    f->file = H5I_INVALID_HID;
  }
  tx_free(f->set);
  f->set = NULL;
  f->n = 0;
  return ok ? TX_OK : tx_h5_failed(path, "closing it");
}

tx_status tx_h5_rows_look_after(tx_output *out, const tx_h5_rows *f, const char *path,
                                const char *folder, bool *gone) {
  const int fd = f->file >= 0 ? tx_h5_descriptor(f->file) : -1;
  *gone = fd >= 0 && !tx_file_is_at(fd, path);
  if (!*gone) return TX_OK;
  TX_TRY(tx_output_look_after_log(out)); /* is the folder still ours? */
  TX_TRY(tx_h5_rows_flush(f, path));
  TX_TRY(tx_folder_create(folder));
  TX_TRY(tx_file_put_back(fd, path));
  tx_warn("%s was removed or replaced during the run; it is written again", path);
  return TX_OK;
}
