/* Transport by NCCL: one group of sends and receives a phase, in order on the stream. */
#include "cuda/exchange/transport.h"

#ifdef TX_HAVE_NCCL

#include <nccl.h>

#include <vector>

/* NCCL's part of a channel: its ranks in the communicator. */
struct nccl_plan {
  int *ranks;
};

static ncclComm_t world;

static tx_status nccl_error(ncclResult_t code, const char *call, const char *file, int line) {
  return tx_error_record(TX_ERR_LIBRARY, file, line, "NCCL: %s from %s: %s",
                         ncclGetErrorString(code), call, ncclGetLastError(world));
}

#define TX_NCCL(call)                                                                              \
  do {                                                                                             \
    ncclResult_t tx_nccl_code_ = (call);                                                           \
    if (tx_nccl_code_ != ncclSuccess) return nccl_error(tx_nccl_code_, #call, __FILE__, __LINE__); \
  } while (0)

/* List of messages, the doubles of a unit, and the address of the first one. */
template <class T> struct messages {
  const tx_message *list;
  int n;
  size_t unit;
  T *base;
};

/* Exchange one group. Message i leaves from out.base + at(i) units and arrives at in.base + its
 * own place. */
template <class At>
static tx_status exchange(const nccl_plan *p, const messages<const double> &out, const At &at,
                          const messages<double> &in, cudaStream_t stream) {
  if (out.n + in.n == 0) return TX_OK;
  TX_NCCL(ncclGroupStart());
  for (int i = 0; i < out.n; i++)
    TX_NCCL(ncclSend(out.base + (size_t)at(i) * out.unit, (size_t)out.list[i].n * out.unit,
                     ncclDouble, p->ranks[out.list[i].rank], world, stream));
  for (int i = 0; i < in.n; i++)
    TX_NCCL(ncclRecv(in.base + (size_t)in.list[i].at * in.unit, (size_t)in.list[i].n * in.unit,
                     ncclDouble, p->ranks[in.list[i].rank], world, stream));
  TX_NCCL(ncclGroupEnd());
  return TX_OK;
}

static tx_status nccl_send(tx_cuda_channel *ch, int phase, int n_vars) {
  const tx_cuda_phase *p = &ch->phase[phase];
  const size_t unit = (size_t)n_vars;
  const messages<const double> out = {p->to, p->n_to, unit, p->send};
  const messages<double> in = {p->from, p->n_from, unit, tx_cuda_channel_set(ch)};
  const auto at = [&](int i) { return out.list[i].at; };
  return exchange(static_cast<const nccl_plan *>(ch->state), out, at, in, ch->stream);
}

static tx_status nccl_redistribute(tx_cuda_channel *ch, const tx_transfer *t,
                                   const double *send_buffer, tx_field *out) {
  const size_t block = (size_t)out->n_vars * TX_N3;
  const auto at = [&](int i) { return tx_send_buffer_at(t, i); };
  const messages<const double> send = {t->send, t->n_send, block, send_buffer};
  const messages<double> receive = {t->recv, t->n_recv, block, out->data};
  return exchange(static_cast<const nccl_plan *>(ch->state), send, at, receive,
                  tx_cuda_stream.compute);
}

static tx_status nccl_create(tx_cuda_channel *ch) {
  nccl_plan *p = NULL;
  TX_TRY(tx_alloc(1, sizeof *p, "halo", &p));
  ch->state = p;
  TX_TRY(tx_alloc((size_t)ch->size, sizeof *p->ranks, "halo", &p->ranks));
  return tx_cuda_ranks(ch->comm, p->ranks);
}

static void nccl_destroy(tx_cuda_channel *ch) {
  nccl_plan *p = static_cast<nccl_plan *>(ch->state);
  if (!p) return;
  tx_free(p->ranks);
  tx_free(p);
}

/* Length of the names of a GPU and its host. */
enum { ID = 32 + MPI_MAX_PROCESSOR_NAME };

/* Check that no other rank uses this rank's GPU: NCCL wants a GPU for each rank, and says little
 * when two share one. */
static tx_status check_alone(MPI_Comm comm, int rank, int size) {
  int device = 0, length = 0;
  char own[ID] = "";
  std::vector<char> ids((size_t)size * ID);
  if (cudaGetDevice(&device) == cudaSuccess) (void)cudaDeviceGetPCIBusId(own, 32, device);
  TX_MPI(MPI_Get_processor_name(own + 32, &length));
  TX_MPI(MPI_Allgather(own, ID, MPI_CHAR, ids.data(), ID, MPI_CHAR, comm));
  for (int r = 0; r < rank; r++)
    TX_REQUIRE(memcmp(&ids[(size_t)r * ID], own, ID) != 0, TX_ERR_LIBRARY,
               "ranks %d and %d share a GPU (%s), which NCCL refuses", r, rank, own);
  return TX_OK;
}

/* Send each rank's number around the ring. */
static tx_status nccl_try_ring(int rank, int size) {
  double *both = NULL, got[2] = {1.0 + rank, 0.0};
  TX_TRY(tx_cuda_upload(got, sizeof got, "halo", &both));
  TX_NCCL(ncclGroupStart());
  TX_NCCL(ncclSend(both, 1, ncclDouble, (rank + 1) % size, world, tx_cuda_stream.compute));
  TX_NCCL(
      ncclRecv(both + 1, 1, ncclDouble, (rank + size - 1) % size, world, tx_cuda_stream.compute));
  TX_NCCL(ncclGroupEnd());
  TX_CUDA(cudaMemcpyAsync(got, both, sizeof got, cudaMemcpyDeviceToHost, tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  tx_cuda_free(both);
  TX_REQUIRE(got[1] == 1.0 + (rank + size - 1) % size, TX_ERR_LIBRARY,
             "a trial message did not arrive: %g, not %d", got[1], 1 + (rank + size - 1) % size);
  return TX_OK;
}

static tx_status nccl_begin(MPI_Comm comm, int rank, int size) {
  ncclUniqueId id;
  memset(&id, 0, sizeof id);
  tx_status status = TX_OK;
  const ncclResult_t code = rank == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  if (code != ncclSuccess) status = nccl_error(code, "ncclGetUniqueId", __FILE__, __LINE__);
  status = tx_agree(comm, status);
  if (status != TX_OK) return status;
  TX_MPI(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm));
  TX_NCCL(ncclCommInitRank(&world, size, id, rank));
  return TX_OK;
}

static tx_status nccl_start(MPI_Comm comm) {
  int rank = 0, size = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &size));
  tx_status status = tx_agree(comm, check_alone(comm, rank, size));
  TX_THEN(status, tx_agree(comm, nccl_begin(comm, rank, size)));
  TX_THEN(status, tx_agree(comm, nccl_try_ring(rank, size)));
  return status;
}

/* Report an error of the communicator: a rank that ended closes its connections. */
static bool nccl_trouble(char *text, size_t size) {
  ncclResult_t code = ncclSuccess;
  if (ncclCommGetAsyncError(world, &code) != ncclSuccess) return false;
  if (code == ncclSuccess || code == ncclInProgress) return false;
  snprintf(text, size, "NCCL: %s", ncclGetErrorString(code));
  return true;
}

static void nccl_stop(void) {
  if (world) (void)ncclCommDestroy(world);
  world = NULL;
}

const tx_transport tx_transport_nccl = {
    "NCCL",
    TX_TRANSPORT_NCCL,
    false,
    false,
    nccl_start,
    nccl_stop,
    nccl_create,
    nccl_destroy,
    NULL,
    nccl_send,
    NULL,
    NULL,
    nccl_redistribute,
    nccl_trouble,
};

#else

static tx_status nccl_start(MPI_Comm comm) {
  (void)comm;
  TX_FAIL(TX_ERR_LIBRARY, "this program was built without it");
}

static void nccl_stop(void) {}

const tx_transport tx_transport_nccl = {
    "NCCL",     TX_TRANSPORT_NCCL,
    false,      false,
    nccl_start, nccl_stop,
    NULL,       NULL,
    NULL,       NULL,
    NULL,       NULL,
    NULL,       NULL,
};

#endif
