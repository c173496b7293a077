/* Records as data sets, by way of packed copies. */
#include "files/record_file.h"

#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "files/h5.h"

/* Room for what HDF5 itself writes of a record with its groups. */
#define RECORD_BYTES 2048

static hid_t item_type(char kind) {
  return kind == 'd' ? H5T_IEEE_F64LE : kind == 't' ? H5T_STD_U8LE : H5T_STD_I64LE;
}

static hid_t item_memory(char kind) {
  return kind == 'd' ? H5T_NATIVE_DOUBLE : kind == 't' ? H5T_NATIVE_UINT8 : H5T_NATIVE_INT64;
}

size_t tx_records_bytes(const tx_record_list *list) {
  size_t bytes = 0;
  for (int i = 0; i < list->n; i++)
    bytes += tx_record_bytes(&list->at[i]) + strlen(list->at[i].name) + RECORD_BYTES;
  return bytes;
}

static bool put(hid_t file, const char *name, const tx_record *r, const void *packed) {
  const hsize_t size = tx_record_items(r);
  hid_t link = H5Pcreate(H5P_LINK_CREATE), plist = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, &size, NULL), set = H5I_INVALID_HID;
  if (link >= 0 && plist >= 0 && space >= 0 && H5Pset_create_intermediate_group(link, 1) >= 0 &&
      H5Pset_obj_track_times(plist, false) >= 0)
    set = H5Dcreate2(file, name, item_type(r->kind), space, link, plist, H5P_DEFAULT);
  bool ok = set >= 0;
  if (ok && size > 0)
    ok = H5Dwrite(set, item_memory(r->kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0;
  if (set >= 0) ok = H5Dclose(set) >= 0 && ok;
  if (space >= 0) H5Sclose(space);
  if (plist >= 0) H5Pclose(plist);
  if (link >= 0) H5Pclose(link);
  return ok;
}

static tx_status put_record(hid_t file, const char *path, const char *group, const tx_record *r) {
  char name[256];
  void *packed = NULL;
  const int length = snprintf(name, sizeof name, "%s/%s", group, r->name);
  TX_REQUIRE(length < (int)sizeof name, TX_ERR_IO, "checkpoint: the name '%s' is too long",
             r->name);
  TX_TRY(tx_alloc(tx_record_bytes(r), 1, "records", &packed));
  tx_record_pack(r, packed);
  const bool ok = put(file, name, r, packed);
  tx_free(packed);
  return ok ? TX_OK : tx_h5_failed(path, name);
}

tx_status tx_records_put(hid_t file, const char *path, const char *group,
                         const tx_record_list *list) {
  TX_TRY(list->status);
  for (int i = 0; i < list->n; i++) TX_TRY(put_record(file, path, group, &list->at[i]));
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

static tx_status get(hid_t set, const char *path, const char *name, const tx_record *r) {
  void *packed = NULL;
  TX_TRY(tx_alloc(tx_record_bytes(r), 1, "records", &packed));
  const bool ok = tx_record_items(r) == 0 ||
                  H5Dread(set, item_memory(r->kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) >= 0;
  if (ok) tx_record_unpack(r, packed);
  tx_free(packed);
  return ok ? TX_OK : tx_h5_unread(path, name);
}

static tx_status get_record(hid_t file, const char *path, const char *group, const tx_record *r) {
  char name[256];
  hsize_t found = 0;
  snprintf(name, sizeof name, "%s/%s", group, r->name);
  hid_t set = open_record(file, name, r->kind, &found);
  if (set < 0) return tx_h5_unread(path, name);
  tx_status status = TX_OK;
  if (found != tx_record_items(r))
    status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__,
                             "the checkpoint %s has %llu values of '%s', not %zu", path,
                             (unsigned long long)found, name, tx_record_items(r));
  TX_THEN(status, get(set, path, name, r));
  H5Dclose(set);
  return status;
}

tx_status tx_records_get(hid_t file, const char *path, const char *group,
                         const tx_record_list *list) {
  TX_TRY(list->status);
  for (int i = 0; i < list->n; i++) TX_TRY(get_record(file, path, group, &list->at[i]));
  return TX_OK;
}

tx_status tx_records_length(hid_t file, const char *path, const char *group, const char *name,
                            char kind, size_t *n) {
  hsize_t found = 0;
  char full[256];
  snprintf(full, sizeof full, "%s/%s", group, name);
  hid_t set = open_record(file, full, kind, &found);
  if (set < 0) return tx_h5_unread(path, full);
  H5Dclose(set);
  *n = (size_t)found;
  return TX_OK;
}

bool tx_records_exist(hid_t file, const char *group, const char *name) {
  char path[160] = "", part[160];
  snprintf(part, sizeof part, "%s/%s", group, name);
  /* HDF5 asks for each link of the path in turn. */
  for (char *rest = part, *word; (word = strsep(&rest, "/"));) {
    const size_t n = strlen(path);
    snprintf(path + n, sizeof path - n, "%s%s", n > 0 ? "/" : "", word);
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return false;
  }
  return true;
}
