/* Loaded into a program on one host: the first rank is alone on its host, and all others share another one. */
#include <mpi.h>

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
  int rank = 0;
  (void)type, (void)info;
  const int code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return code == MPI_SUCCESS ? MPI_Comm_split(comm, rank > 0, key, out) : code;
}
