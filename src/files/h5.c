/* HDF5 files that can fail and leave HDF5 in order. */
#define _GNU_SOURCE
#include "files/h5.h"

#include <sys/mman.h>
#include <unistd.h>
#include "files/file.h"

/* Bytes of an empty file, at most. */
#define LEAST 8192

/* HDF5 ends a program that was built with another version, but not before its first file. */
static tx_status check_version(void) {
  unsigned major = 0, minor = 0, release = 0;
  const bool told = H5get_libversion(&major, &minor, &release) >= 0;
  TX_REQUIRE(
      told && major == H5_VERS_MAJOR && minor == H5_VERS_MINOR && release >= H5_VERS_RELEASE,
      TX_ERR_LIBRARY,
      "the HDF5 library found is version %u.%u.%u, and this program was built with %d.%d.%d: take "
      "the other one out of LD_LIBRARY_PATH, or build again (`ldd tendex' shows which is found)",
      major, minor, release, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
  H5check();
  return TX_OK;
}

tx_status tx_h5_start(void) {
  /* Files are closed by us, also after a failure: HDF5 would try again at exit and fail again. */
  TX_REQUIRE(H5dont_atexit() >= 0 && H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0,
             TX_ERR_LIBRARY, "HDF5 does not start");
  return check_version();
}

tx_status tx_h5_failed(const char *path, const char *what) {
  TX_FAIL(TX_ERR_IO,
          "cannot write %s: HDF5 failed (%s); is the disk full or the quota used up? Earlier "
          "output is intact",
          path, what);
}

/* An attribute of strings of any length, `space` being their shape; closes it. */
static tx_status write_strings(hid_t object, const char *path, const char *name, hid_t space,
                               H5T_cset_t characters, const char *const *values) {
  hid_t type = H5Tcopy(H5T_C_S1), attribute = H5I_INVALID_HID;
  bool ok = type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
            H5Tset_cset(type, characters) >= 0;
  if (ok) attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  ok = ok && attribute >= 0 && H5Awrite(attribute, type, values) >= 0;
  if (attribute >= 0) ok = H5Aclose(attribute) >= 0 && ok;
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return ok ? TX_OK : tx_h5_failed(path, name);
}

tx_status tx_h5_text(hid_t object, const char *path, const char *name, const char *value) {
  return write_strings(object, path, name, H5Screate(H5S_SCALAR), H5T_CSET_UTF8, &value);
}

tx_status tx_h5_texts(hid_t object, const char *path, const char *name, int n,
                      const char *const *values) {
  const hsize_t size = (hsize_t)n;
  return write_strings(object, path, name, H5Screate_simple(1, &size, NULL), H5T_CSET_ASCII,
                       values);
}

static tx_status write_number(hid_t object, const char *path, const char *name, hid_t type,
                              const void *value) {
  hid_t space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
  if (space >= 0) attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) ok = H5Aclose(attribute) >= 0 && ok;
  if (space >= 0) H5Sclose(space);
  return ok ? TX_OK : tx_h5_failed(path, name);
}

tx_status tx_h5_real(hid_t object, const char *path, const char *name, double value) {
  return write_number(object, path, name, H5T_NATIVE_DOUBLE, &value);
}

tx_status tx_h5_int(hid_t object, const char *path, const char *name, int64_t value) {
  return write_number(object, path, name, H5T_NATIVE_INT64, &value);
}

tx_status tx_h5_unread(const char *path, const char *what) {
  TX_FAIL(TX_ERR_IO, "cannot read '%s' of checkpoint %s: it is missing or has another shape", what,
          path);
}

static herr_t find_lock(unsigned n, const H5E_error2_t *error, void *found) {
  (void)n;
  if (error->min_num == H5E_CANTLOCKFILE) *(bool *)found = true;
  return 0;
}

/* To be called before HDF5 does anything else. */
static tx_status not_opened(const char *path, unsigned flags) {
  bool locked = false;
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_lock, &locked);
  TX_REQUIRE(!locked, TX_ERR_IO,
             "cannot open %s: HDF5 cannot lock it, as the environment variable "
             "HDF5_USE_FILE_LOCKING asks for; set that to FALSE",
             path);
  TX_REQUIRE(flags != H5F_ACC_RDONLY, TX_ERR_IO, "cannot open %s: HDF5 failed", path);
  return tx_h5_failed(path, flags == H5F_ACC_TRUNC ? "creating it" : "opening it");
}

/* Without locks, which some file systems do not have, and which would keep readers out. */
static hid_t make_access(void) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_file_locking(access, false, true) >= 0) return access;
  if (access >= 0) H5Pclose(access);
  return H5I_INVALID_HID;
}

static tx_status open_with(const char *path, unsigned flags, hid_t access, size_t user_block,
                           hid_t *file) {
  tx_status status = TX_OK;
  *file = H5I_INVALID_HID;
  hid_t plist = H5Pcreate(H5P_FILE_CREATE);
  if (plist >= 0 && access >= 0 && H5Pset_userblock(plist, user_block) >= 0)
    *file = flags == H5F_ACC_TRUNC ? H5Fcreate(path, flags, plist, access)
                                   : H5Fopen(path, flags, access);
  if (*file < 0) status = not_opened(path, flags);
  if (plist >= 0) H5Pclose(plist);
  if (access >= 0) H5Pclose(access);
  return status;
}

tx_status tx_h5_open(const char *path, hid_t *file) {
  return open_with(path, H5F_ACC_RDONLY, make_access(), 0, file);
}

tx_status tx_h5_continue(const char *path, hid_t *file) {
  return open_with(path, H5F_ACC_RDWR, make_access(), 0, file);
}

tx_status tx_h5_begin(const char *path, size_t user_block, hid_t *file) {
  *file = H5I_INVALID_HID;
  /* HDF5 reports that it failed, the system why; then HDF5 cuts the file to nothing. */
  TX_TRY(tx_file_append(path, "", 0));
  TX_TRY(tx_file_reserve(path, user_block + LEAST));
  return open_with(path, H5F_ACC_TRUNC, make_access(), user_block, file);
}

/* Values of data sets go straight to the disk, so that what fails fails there, not when the data set is closed. */
static hid_t make_straight_access(void) {
  hid_t access = make_access();
  if (access < 0 || H5Pset_sieve_buf_size(access, 0) >= 0) return access;
  H5Pclose(access);
  return H5I_INVALID_HID;
}

tx_status tx_h5_create(const char *path, size_t bytes, size_t user_block, hid_t *file) {
  *file = H5I_INVALID_HID;
  /* Once before HDF5 knows of it, and again because HDF5 cuts the file to nothing. */
  TX_TRY(tx_file_append(path, "", 0));
  TX_TRY(tx_file_reserve(path, bytes + user_block));
  TX_TRY(open_with(path, H5F_ACC_TRUNC, make_straight_access(), user_block, file));
  tx_status status = tx_file_reserve(path, bytes + user_block);
  if (status == TX_OK) return TX_OK;
  status = tx_h5_close(status, path, *file);
  *file = H5I_INVALID_HID;
  return status;
}

int tx_h5_descriptor(hid_t file) {
  int *fd = NULL;
  return H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&fd) >= 0 && fd ? *fd : -1;
}

/* Turn the descriptor that HDF5 writes to into one of a file in memory. */
static bool turn_away(hid_t file) {
  const int fd = tx_h5_descriptor(file), memory = memfd_create("checkpoint", MFD_CLOEXEC);
  bool ok = memory >= 0 && fd >= 0 && dup2(memory, fd) >= 0;
  if (memory >= 0) close(memory);
  return ok;
}

/* HDF5 cannot close a file that it cannot finish, and would bring the program down at its end: after a
 * failure it finishes a file in memory. */
tx_status tx_h5_close(tx_status status, const char *path, hid_t file) {
  if (file < 0) return status;
  if (status == TX_OK && H5Fflush(file, H5F_SCOPE_GLOBAL) < 0)
    status = tx_h5_failed(path, "flushing it");
  bool closed = (status == TX_OK || turn_away(file)) && H5Fclose(file) >= 0;
  return closed || status != TX_OK ? status : tx_h5_failed(path, "closing it");
}
