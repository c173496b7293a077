/* Reach of ranks into the memory of each other's GPUs: within a host, where the driver lets their
 * GPUs.
 *
 * For tests on one host, the environment variable TENDEX_HOST_GROUPS=n of rank 0 makes n
 * consecutive ranks one pretended host. */
#include <limits.h>

#include <vector>

#include "cuda/exchange/peer_memory.h"

/* Length of a GPU's name. */
enum { BUS_ID = 32 };

struct ranks {
  int rank, size;
  std::vector<int> host;    /* of each: the lowest rank there */
  std::vector<char> bus_id; /* of each one's GPU, "" if it is not known */
};

/* Return the groups: for each rank of the communicator that started, the first rank of its
 * group. */
static std::vector<int> &groups(void) {
  static std::vector<int> *all = new std::vector<int>;
  return *all;
}
static int own_rank;

bool tx_peer_in_reach(int rank) {
  return groups()[(size_t)rank] == groups()[(size_t)own_rank];
}

/* Number of ranks of a pretended host; 0: none are pretended. */
static int pretended;

tx_status tx_peer_pretend_hosts(MPI_Comm comm) {
  int rank = 0;
  char *end = NULL;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  const char *text = rank == 0 ? getenv("TENDEX_HOST_GROUPS") : NULL;
  const long n = text && *text ? strtol(text, &end, 10) : 0;
  if (end && (*end != '\0' || n < 1 || n > INT_MAX))
    status = tx_error_record(TX_ERR_PARAM, __FILE__, __LINE__,
                             "TENDEX_HOST_GROUPS is \"%s\", and must be the number of ranks of a "
                             "pretended host, 1 or more; outside of tests unset it",
                             text);
  status = tx_agree(comm, status);
  if (status != TX_OK) return status;
  pretended = (int)n;
  TX_MPI(MPI_Bcast(&pretended, 1, MPI_INT, 0, comm));
  return TX_OK;
}

static tx_status find_hosts(MPI_Comm comm, ranks *all) {
  MPI_Comm node, host;
  const int n = pretended > 0 ? pretended : all->size;
  int lowest = 0;
  TX_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  TX_MPI(MPI_Comm_split(node, all->rank / n, all->rank, &host));
  TX_MPI(MPI_Allreduce(&all->rank, &lowest, 1, MPI_INT, MPI_MIN, host));
  TX_MPI(MPI_Comm_free(&host));
  TX_MPI(MPI_Comm_free(&node));
  all->host.resize((size_t)all->size);
  TX_MPI(MPI_Allgather(&lowest, 1, MPI_INT, all->host.data(), 1, MPI_INT, comm));
  return TX_OK;
}

static tx_status find_ranks(MPI_Comm comm, ranks *all) {
  int device = 0;
  char own[BUS_ID] = "";
  TX_MPI(MPI_Comm_rank(comm, &all->rank));
  TX_MPI(MPI_Comm_size(comm, &all->size));
  if (cudaGetDevice(&device) == cudaSuccess) (void)cudaDeviceGetPCIBusId(own, BUS_ID, device);
  all->bus_id.resize((size_t)all->size * BUS_ID);
  TX_MPI(MPI_Allgather(own, BUS_ID, MPI_CHAR, all->bus_id.data(), BUS_ID, MPI_CHAR, comm));
  own_rank = all->rank;
  return find_hosts(comm, all);
}

/* Check that this rank's GPU reaches that of rank r, which is on this host. */
static tx_status check_gpu(const ranks *all, int r) {
  const char *id = &all->bus_id[(size_t)r * BUS_ID];
  int device = 0, other = 0, can = 0;
  TX_CUDA(cudaGetDevice(&device));
  const cudaError_t code = cudaDeviceGetByPCIBusId(&other, id);
  TX_REQUIRE(code == cudaSuccess, TX_ERR_LIBRARY,
             "the GPU of rank %d, %s, is hidden from other ranks (CUDA_VISIBLE_DEVICES, or one GPU "
             "a task of the batch system)",
             r, id);
  if (other == device) return TX_OK;
  TX_CUDA(cudaDeviceCanAccessPeer(&can, device, other));
  TX_REQUIRE(can, TX_ERR_LIBRARY, "GPU %d cannot reach the memory of GPU %d", device, other);
  return TX_OK;
}

static tx_status check_all(const ranks *all) {
  for (int host : all->host)
    TX_REQUIRE(host == all->host[0], TX_ERR_LIBRARY, "the ranks are on several hosts");
  for (int r = 0; r < all->size; r++) TX_TRY(check_gpu(all, r));
  return TX_OK;
}

tx_status tx_peer_reach_all(MPI_Comm comm) {
  ranks all = {};
  tx_status status = find_ranks(comm, &all);
  TX_THEN(status, check_all(&all));
  groups().assign((size_t)all.size, 0);
  return tx_agree(comm, status);
}

/* Divide ranks into groups: each joins the first group of which it reaches all members, and they
 * it; reach[a * size + b]: a reaches b. */
static void divide(const std::vector<char> &reach, int size) {
  std::vector<int> &group = groups();
  group.assign((size_t)size, -1);
  for (int r = 0; r < size; r++) {
    for (int first = 0; first < r && group[(size_t)r] < 0; first++) {
      bool all = group[(size_t)first] == first;
      for (int m = first; m < r && all; m++)
        if (group[(size_t)m] == first)
          all = reach[(size_t)r * size + m] && reach[(size_t)m * size + r];
      if (all) group[(size_t)r] = first;
    }
    if (group[(size_t)r] < 0) group[(size_t)r] = r;
  }
}

static tx_status find_groups(MPI_Comm comm, const ranks *all) {
  const size_t size = (size_t)all->size;
  std::vector<char> row(size, 0), reach(size * size);
  for (int r = 0; r < all->size; r++) {
    row[(size_t)r] =
        all->host[(size_t)r] == all->host[(size_t)all->rank] && check_gpu(all, r) == TX_OK;
    (void)cudaGetLastError();
  }
  tx_error_clear(); /* a GPU out of reach is no failure here */
  TX_MPI(MPI_Allgather(row.data(), all->size, MPI_CHAR, reach.data(), all->size, MPI_CHAR, comm));
  divide(reach, all->size);
  for (int r = 0; r < all->size; r++)
    if (groups()[(size_t)r] != r) return TX_OK;
  TX_FAIL(TX_ERR_LIBRARY, "no two ranks reach the memory of each other's GPUs");
}

tx_status tx_peer_reach_groups(MPI_Comm comm) {
  ranks all = {};
  tx_status status = tx_agree(comm, find_ranks(comm, &all));
  TX_THEN(status, find_groups(comm, &all));
  return tx_agree(comm, status);
}
