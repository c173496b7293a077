/* Named pieces of state as data sets of one dimension. */
#include "files/record.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "files/h5.h"

/* Room for what HDF5 itself writes of a record with its groups. */
#define RECORD_BYTES 2048

size_t tx_record_item_bytes(char kind) {
  return kind == 't' ? 1 : 8;
}

static hid_t item_type(char kind) {
  return kind == 'd' ? H5T_IEEE_F64LE : kind == 'i' ? H5T_STD_I64LE : H5T_STD_U8LE;
}

static hid_t item_memory(char kind) {
  return kind == 'd' ? H5T_NATIVE_DOUBLE : kind == 'i' ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
}

size_t tx_records_bytes(int n, const tx_record *records) {
  size_t bytes = 0;
  for (int i = 0; i < n; i++)
    bytes += records[i].n * tx_record_item_bytes(records[i].kind) + strlen(records[i].name) +
             RECORD_BYTES;
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

tx_status tx_records_put(hid_t file, const char *path, const char *group, int n,
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

tx_status tx_records_get(hid_t file, const char *path, const char *group, int n,
                         const tx_record *records) {
  for (int i = 0; i < n; i++) {
    const tx_record *r = &records[i];
    char name[256];
    hsize_t found = 0;
    snprintf(name, sizeof name, "%s/%s", group, r->name);
    hid_t set = open_record(file, name, r->kind, &found);
    if (set < 0) return tx_h5_unread(path, name);
    bool ok = found == r->n;
    if (ok && r->n > 0)
      ok = H5Dread(set, item_memory(r->kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, r->data) >= 0;
    H5Dclose(set);
    TX_REQUIRE(found == r->n, TX_ERR_IO, "the checkpoint %s has %llu values of '%s', not %zu", path,
               (unsigned long long)found, name, r->n);
    if (!ok) return tx_h5_unread(path, name);
  }
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

void tx_records_add(tx_record_list *list, const char *name, char kind, size_t n, void *data) {
  if (list->n == TX_RECORDS_MOST) return;
  char *own = list->name[list->n];
  snprintf(own, sizeof list->name[0], "%s%s", list->prefix ? list->prefix : "", name);
  list->at[list->n++] = (tx_record){.name = own, .kind = kind, .n = n, .data = data};
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
