/* Loaded into a program that has an MPI: the same MPI, of another version than other hosts have. */
#include <mpi.h>
#include <string.h>

int MPI_Get_library_version(char *version, int *length) {
  strcpy(version, "Open MPI v3.9.9, of another host");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
