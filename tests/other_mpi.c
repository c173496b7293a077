/* Loaded into a program that has an MPI: a second one, as p4est or HDF5 brings it if it was built with another. */
#include <mpi.h>
#include <string.h>

int PMPI_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return MPI_ERR_OTHER;
}

int PMPI_Get_library_version(char *version, int *length) {
  strcpy(version, "Other MPI Version:\t7.1\nof 2026");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
