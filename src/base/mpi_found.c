#define _GNU_SOURCE
#include "base/mpi_found.h"

#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { NAME = 64 };

/* Return whether a word of a version's text is part of the name. */
static bool tells(const char *word) {
  return strcasecmp(word, "version") != 0 && strcasecmp(word, "version:") != 0 &&
         strcmp(word, ":") != 0;
}

void tx_mpi_shorten(const char *version, char *name, size_t size) {
  static const char cray[] = "MPI VERSION";
  char line[256], *rest = NULL;
  if (strncmp(version, cray, sizeof cray - 1) == 0) version += sizeof cray - 1;
  snprintf(line, sizeof line, "%.*s", (int)strcspn(version, ",\n("), version);
  if (strncmp(version, "Intel(R)", 8) == 0)
    snprintf(line, sizeof line, "Intel%.*s", (int)strcspn(version + 8, ",\n"), version + 8);
  size_t at = 0;
  name[0] = '\0';
  for (char *word = strtok_r(line, " \t", &rest); word && at + 1 < size;
       word = strtok_r(NULL, " \t", &rest)) {
    if (!tells(word)) continue;
    if (word[0] == 'v' && isdigit((unsigned char)word[1])) word++;
    at += (size_t)snprintf(name + at, size - at, "%s%s", at ? " " : "", word);
  }
}

void tx_mpi_name(char *name, size_t size) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (MPI_Get_library_version(version, &length) != MPI_SUCCESS) version[0] = '\0';
  tx_mpi_shorten(version[0] ? version : "an unknown MPI", name, size);
}

/* Return a loaded object's own function, not one of a library that it depends on; NULL if it has none. */
static void *own_function(const struct link_map *object, const char *name) {
  Dl_info info;
  void *handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
  void *function = handle ? dlsym(handle, name) : NULL;
  if (function && (!dladdr(function, &info) || strcmp(info.dli_fname, object->l_name) != 0))
    function = NULL;
  if (handle) dlclose(handle);
  return function;
}

/* Write the name of the MPI that an object is. Tools that watch MPI have functions MPI_..., and none PMPI_... Returns whether it
 * is one. */
static bool is_mpi(const struct link_map *object, char name[NAME]) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0, (*ask)(char *, int *) = NULL;
  if (!object->l_name[0] || !own_function(object, "PMPI_Init")) return false;
  void *found = own_function(object, "PMPI_Get_library_version");
  memcpy(&ask, &found, sizeof ask);
  if (!ask || ask(version, &length) != MPI_SUCCESS || !version[0]) strcpy(version, "an MPI");
  tx_mpi_shorten(version, name, NAME);
  return true;
}

tx_status tx_mpi_check_one(void) {
  const struct link_map *first = NULL, *program = NULL;
  char names[2][NAME], host[256] = "";
  void *self = dlopen(NULL, RTLD_LAZY);
  if (!self || dlinfo(self, RTLD_DI_LINKMAP, &program) != 0) return TX_OK;
  for (const struct link_map *o = program; o; o = o->l_next) {
    if (!is_mpi(o, names[first ? 1 : 0])) continue;
    if (gethostname(host, sizeof host - 1) != 0) strcpy(host, "this host");
    TX_REQUIRE(
        !first, TX_ERR_LIBRARY,
        "two MPIs are loaded on %s, %s (%s) and %s (%s): p4est or HDF5 was built with another one "
        "than this program "
        "(`ldd tendex' shows which libraries are found); build all with one",
        host, names[0], first->l_name, names[1], o->l_name);
    first = o;
  }
  return TX_OK;
}

tx_status tx_mpi_check_gpus(const char *version, tx_mpi_answer answer, const char *enabled) {
  char name[NAME];
  const bool cray = strcasestr(version, "cray") != NULL;
  tx_mpi_shorten(version, name, sizeof name);
  TX_REQUIRE(!cray || (enabled && atoi(enabled) == 1), TX_ERR_LIBRARY,
             "%s takes memory of GPUs only with MPICH_GPU_SUPPORT_ENABLED=1 in the environment",
             name);
  TX_REQUIRE(answer == TX_MPI_YES || (cray && answer == TX_MPI_CANNOT_SAY), TX_ERR_LIBRARY,
             answer == TX_MPI_NO
                 ? "%s takes no memory of GPUs: it was built without CUDA, or is told not to"
                 : "%s does not say whether it takes memory of GPUs",
             name);
  return TX_OK;
}
