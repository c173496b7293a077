/* Linked into the programs of a sanitizer build: plug-ins of MPI stay loaded, so that the leaks they
 * leave behind carry their names, which lsan.supp knows. */
#include <dlfcn.h>

int dlclose(void *module) {
  (void)module;
  return 0;
}
