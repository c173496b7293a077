/* The copy of the modes file in a checkpoint. */
#include "checkpoint/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "files/file.h"
#include "files/h5.h"

#define MODES "modes"

/* Room for what HDF5 itself writes: of a mode with the index of its chunks, and of the modes' attributes and group. */
#define MODE_BYTES  8192
#define MODES_BYTES 65536

/* Add the room that a copy of a data set takes, with the index of its chunks. */
static herr_t add_bytes(hid_t group, const char *name, const H5L_info_t *info, void *data) {
  (void)info;
  hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
  if (set < 0) return -1;
  hsize_t bytes = H5Dget_storage_size(set);
  *(size_t *)data += (size_t)(bytes + bytes / 16) + MODE_BYTES;
  return H5Dclose(set);
}

static bool copies_bytes(hid_t group, size_t *bytes) {
  *bytes = MODES_BYTES;
  return H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, add_bytes, bytes) >= 0;
}

/* The modes file, for reading. *file is invalid if there is none. */
static tx_status open_modes(const char *modes_path, hid_t *file) {
  *file = H5I_INVALID_HID;
  if (!modes_path || (access(modes_path, F_OK) != 0 && errno == ENOENT)) return TX_OK;
  return tx_h5_open(modes_path, file);
}

tx_status tx_checkpoint_modes_bytes(const char *modes_path, size_t *bytes) {
  hid_t modes;
  *bytes = 0;
  TX_TRY(open_modes(modes_path, &modes));
  if (modes < 0) return TX_OK;
  bool ok = copies_bytes(modes, bytes);
  H5Fclose(modes);
  return ok ? TX_OK : tx_h5_failed(modes_path, "looking through it");
}

tx_status tx_checkpoint_put_modes(hid_t file, const char *path, const char *modes_path) {
  hid_t modes;
  TX_TRY(open_modes(modes_path, &modes));
  if (modes < 0) return TX_OK;
  bool ok = H5Ocopy(modes, "/", file, MODES, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  H5Fclose(modes);
  return ok ? TX_OK : tx_h5_failed(path, "copying the modes");
}

/* Where modes go, and how many rows of them. */
typedef struct modes_target {
  hid_t file;
  hsize_t rows;
} modes_target;

/* Rows that are more are left out. */
static bool cut_rows(hid_t file, const char *name, hsize_t rows) {
  hsize_t size[2] = {0, 0};
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = set >= 0 ? H5Dget_space(set) : H5I_INVALID_HID;
  bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
            H5Sget_simple_extent_dims(space, size, NULL) == 2;
  if (ok && size[0] > rows) {
    size[0] = rows;
    ok = H5Dset_extent(set, size) >= 0;
  }
  if (space >= 0) H5Sclose(space);
  if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
  return ok;
}

static herr_t copy_object(hid_t group, const char *name, const H5L_info_t *info, void *data) {
  const modes_target *to = data;
  (void)info;
  if (H5Ocopy(group, name, to->file, name, H5P_DEFAULT, H5P_DEFAULT) < 0) return -1;
  return cut_rows(to->file, name, to->rows) ? 0 : -1;
}

/* An attribute of any type, strings of any length among them. */
static herr_t copy_attribute(hid_t group, const char *name, const H5A_info_t *info, void *data) {
  char value[512];
  hid_t from = H5Aopen(group, name, H5P_DEFAULT), to = H5I_INVALID_HID;
  hid_t type = from >= 0 ? H5Aget_type(from) : H5I_INVALID_HID;
  hid_t space = from >= 0 ? H5Aget_space(from) : H5I_INVALID_HID;
  bool fits = info->data_size <= sizeof value && type >= 0 && H5Tget_size(type) <= sizeof value &&
              space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
  bool ok = fits && H5Aread(from, type, value) >= 0;
  if (ok) {
    to = H5Acreate2(*(hid_t *)data, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    ok = to >= 0 && H5Awrite(to, type, value) >= 0;
    if (to >= 0) ok = H5Aclose(to) >= 0 && ok;
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, value);
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (from >= 0) H5Aclose(from);
  return ok ? 0 : -1;
}

/* Into a new file `part`, which is closed again. */
static tx_status copy_modes(hid_t group, int64_t rows, const char *part) {
  size_t bytes = 0;
  modes_target to = {.file = H5I_INVALID_HID, .rows = (hsize_t)rows};
  if (!copies_bytes(group, &bytes)) return tx_h5_failed(part, "looking through the checkpoint");
  TX_TRY(tx_h5_create(part, bytes, 0, &to.file));
  bool ok =
      H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, copy_attribute, &to.file) >= 0 &&
      H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, copy_object, &to) >= 0;
  return tx_h5_close(ok ? TX_OK : tx_h5_failed(part, "copying the modes"), part, to.file);
}

static tx_status remove_modes(const char *modes_path) {
  if (unlink(modes_path) == 0 || errno == ENOENT) return TX_OK;
  return tx_file_failed(modes_path, strerror(errno));
}

tx_status tx_checkpoint_restore_modes(const char *path, const char *modes_path, int64_t rows) {
  char part[PATH_MAX];
  hid_t file;
  TX_REQUIRE(snprintf(part, sizeof part, "%s.part", modes_path) < (int)sizeof part, TX_ERR_IO,
             "%s: path too long", modes_path);
  TX_TRY(tx_h5_open(path, &file));
  htri_t there = H5Lexists(file, MODES, H5P_DEFAULT);
  tx_status status = there >= 0 ? TX_OK : tx_h5_unread(path, MODES);
  if (there > 0 && rows > 0) {
    hid_t group = H5Gopen2(file, MODES, H5P_DEFAULT);
    status = group >= 0 ? copy_modes(group, rows, part) : tx_h5_unread(path, MODES);
    if (group >= 0) H5Gclose(group);
    TX_THEN(status, tx_file_publish(part, modes_path));
    if (status != TX_OK) unlink(part);
  } else if (there >= 0) {
    status = remove_modes(modes_path);
  }
  H5Fclose(file);
  return status;
}
