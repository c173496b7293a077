/* Loaded before the C library: HDF5 says that it is an earlier version. */
#include <hdf5.h>

herr_t H5get_libversion(unsigned *major, unsigned *minor, unsigned *release) {
  *major = H5_VERS_MAJOR;
  *minor = H5_VERS_MINOR - 1;
  *release = 4;
  return 0;
}
