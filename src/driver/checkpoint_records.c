/* Named pieces of state in a checkpoint, and the modes file. */
#include "driver/checkpoint_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "driver/output_file.h"
#include "driver/output_internal.h"

#define MODES "modes"

/* Room for what HDF5 itself writes: of a record with its groups, a mode with the index of its chunks, and
 * the modes' attributes and group. */
#define RECORD_BYTES 2048
#define MODE_BYTES   8192
#define MODES_BYTES  65536

static size_t item_bytes(char kind) {
  return kind == 't' ? 1 : 8;
}

static hid_t item_type(char kind) {
  return kind == 'd' ? H5T_IEEE_F64LE : kind == 'i' ? H5T_STD_I64LE : H5T_STD_U8LE;
}

static hid_t item_memory(char kind) {
  return kind == 'd' ? H5T_NATIVE_DOUBLE : kind == 'i' ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
}

size_t tx_checkpoint_records_bytes(int n, const tx_record *records) {
  size_t bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += records[i].n * item_bytes(records[i].kind) + strlen(records[i].name) + RECORD_BYTES;
  return bytes;
}

static bool put(hid_t file, const char *name, const tx_record *r) {
  const hsize_t size = r->n;
  hid_t link = H5Pcreate(H5P_LINK_CREATE), plist = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, &size, NULL), set = H5I_INVALID_HID;
  if (link >= 0 && plist >= 0 && space >= 0 && H5Pset_create_intermediate_group(link, 1) >= 0 &&
      H5Pset_obj_track_times(plist, false) >= 0)
    set = H5Dcreate2(file, name, item_type(r->kind), space, link, plist, H5P_DEFAULT);
  bool ok = set >= 0;
  if (ok && r->n > 0)
    ok = H5Dwrite(set, item_memory(r->kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, r->data) >= 0;
  if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
  if (space >= 0) H5Sclose(space);
  if (plist >= 0) H5Pclose(plist);
  if (link >= 0) H5Pclose(link);
  return ok;
}

tx_status tx_checkpoint_put(hid_t file, const char *path, const char *group, int n,
                            const tx_record *records) {
  for (int i = 0; i < n; i++) {
    char name[256];
    int length = snprintf(name, sizeof name, "%s/%s", group, records[i].name);
    TX_REQUIRE(length < (int)sizeof name, TX_ERR_IO, "checkpoint: the name '%s' is too long",
               records[i].name);
    if (!put(file, name, &records[i])) return tx_h5_failed(path, name);
  }
  return TX_OK;
}

/* Open data set `name` of one dimension; *n its length. Invalid if it is not of that kind. */
static hid_t open_record(hid_t file, const char *name, char kind, hsize_t *n) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return set;
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  bool ok = type >= 0 && space >= 0 && H5Tequal(type, item_type(kind)) > 0 &&
            H5Sget_simple_extent_ndims(space) == 1 &&
            H5Sget_simple_extent_dims(space, n, NULL) == 1;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (ok) return set;
  H5Dclose(set);
  return H5I_INVALID_HID;
}

tx_status tx_checkpoint_get(hid_t file, const char *path, const char *group, int n,
                            const tx_record *records) {
  for (int i = 0; i < n; i++) {
    const tx_record *r = &records[i];
    char name[256];
    hsize_t found = 0;
    snprintf(name, sizeof name, "%s/%s", group, r->name);
    hid_t set = open_record(file, name, r->kind, &found);
    if (set < 0) return tx_checkpoint_unread(path, name);
    bool ok = found == r->n;
    if (ok && r->n > 0)
      ok = H5Dread(set, item_memory(r->kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, r->data) >= 0;
    H5Dclose(set);
    TX_REQUIRE(found == r->n, TX_ERR_IO, "the checkpoint %s has %llu values of '%s', not %zu", path,
               (unsigned long long)found, name, r->n);
    if (!ok) return tx_checkpoint_unread(path, name);
  }
  return TX_OK;
}

/* On one rank. */
static tx_status read_records(const char *path, int n, const tx_record *records) {
  hid_t file;
  TX_TRY(tx_checkpoint_open(path, &file));
  tx_status status = tx_checkpoint_get(file, path, "records", n, records);
  H5Fclose(file);
  return status;
}

tx_status tx_checkpoint_records(MPI_Comm comm, const char *path, int n, const tx_record *records) {
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  for (int i = 0; i < n; i++)
    if (records[i].n > INT_MAX / 8)
      status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__, "record '%s' is too long",
                               records[i].name);
  if (rank == 0 && status == TX_OK) status = read_records(path, n, records);
  TX_TRY(tx_agree(comm, status));
  for (int i = 0; i < n; i++)
    TX_MPI(MPI_Bcast(records[i].data, (int)(records[i].n * item_bytes(records[i].kind)), MPI_BYTE,
                     0, comm));
  return TX_OK;
}

static tx_status read_size(const char *path, const char *record, uint64_t *n) {
  hid_t file;
  hsize_t found = 0;
  char name[256];
  snprintf(name, sizeof name, "records/%s", record);
  TX_TRY(tx_checkpoint_open(path, &file));
  hid_t set = open_record(file, name, 't', &found);
  if (set >= 0) H5Dclose(set);
  H5Fclose(file);
  *n = found;
  return set >= 0 ? TX_OK : tx_checkpoint_unread(path, name);
}

tx_status tx_checkpoint_record_size(MPI_Comm comm, const char *path, const char *name, size_t *n) {
  int rank = 0;
  uint64_t found = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) status = read_size(path, name, &found);
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(&found, 1, MPI_UINT64_T, 0, comm));
  *n = (size_t)found;
  return TX_OK;
}

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
  return tx_checkpoint_open(modes_path, file);
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

static herr_t copy_object(hid_t group, const char *name, const H5L_info_t *info, void *data) {
  (void)info;
  return H5Ocopy(group, name, *(hid_t *)data, name, H5P_DEFAULT, H5P_DEFAULT);
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
static tx_status copy_modes(hid_t group, const char *part) {
  size_t bytes = 0;
  hid_t to = H5I_INVALID_HID;
  if (!copies_bytes(group, &bytes)) return tx_h5_failed(part, "looking through the checkpoint");
  TX_TRY(tx_checkpoint_create(part, bytes, 0, &to));
  bool ok = H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, copy_attribute, &to) >= 0 &&
            H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, copy_object, &to) >= 0;
  return tx_checkpoint_close(ok ? TX_OK : tx_h5_failed(part, "copying the modes"), part, to);
}

static tx_status remove_modes(const char *modes_path) {
  if (unlink(modes_path) == 0 || errno == ENOENT) return TX_OK;
  return tx_file_failed(modes_path, strerror(errno));
}

tx_status tx_checkpoint_restore_modes(const char *path, const char *modes_path) {
  char part[PATH_MAX];
  hid_t file;
  TX_REQUIRE(snprintf(part, sizeof part, "%s.part", modes_path) < (int)sizeof part, TX_ERR_IO,
             "%s: path too long", modes_path);
  TX_TRY(tx_checkpoint_open(path, &file));
  htri_t there = H5Lexists(file, MODES, H5P_DEFAULT);
  tx_status status = there >= 0 ? TX_OK : tx_checkpoint_unread(path, MODES);
  if (there > 0) {
    hid_t group = H5Gopen2(file, MODES, H5P_DEFAULT);
    status = group >= 0 ? copy_modes(group, part) : tx_checkpoint_unread(path, MODES);
    if (group >= 0) H5Gclose(group);
    if (status == TX_OK) status = tx_checkpoint_publish(part, modes_path);
    if (status != TX_OK) unlink(part);
  } else if (there == 0) {
    status = remove_modes(modes_path);
  }
  H5Fclose(file);
  return status;
}
