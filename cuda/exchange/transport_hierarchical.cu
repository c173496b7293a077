/* Peer memory where ranks reach each other's GPUs, as on a host, and another transport between all other ranks. Peer memory
 * has the channel as it is and leaves out ranks out of reach; their messages are a channel of their own, `far`, which the
 * other transport has. It fills the same sets from the same send buffers, on a stream of its own, so that both go side by
 * side. All ranks enqueue both in the same order, so that neither waits for what comes later. */
#include <vector>

#include "cuda/exchange/peer_memory.h"
#include "cuda/exchange/transport.h"

static const tx_transport *between; /* groups of ranks */

static struct {
  cudaStream_t stream;
  cudaEvent_t packed, done;
} beside;

/* List the messages with ranks out of reach. To be freed. */
static tx_status far_messages(const tx_message *from, int n, const int *ranks, tx_message **out,
                              int *n_out) {
  tx_message *list = NULL;
  TX_TRY(tx_alloc((size_t)n, sizeof *list, "halo", &list));
  *n_out = 0;
  for (int i = 0; i < n; i++)
    if (!tx_peer_in_reach(ranks[from[i].rank])) list[(*n_out)++] = from[i];
  *out = list;
  return TX_OK;
}

/* Create the part of a channel between ranks out of reach, before peer memory provides the sets. */
static tx_status far_create(tx_cuda_channel *ch) {
  std::vector<int> ranks((size_t)ch->size);
  tx_cuda_channel *far = NULL;
  TX_TRY(tx_alloc(1, sizeof *far, "halo", &far));
  *far = *ch;
  far->transport = between;
  far->stream = beside.stream;
  for (int p = 0; p < TX_CUDA_PHASES; p++) far->phase[p].to = far->phase[p].from = NULL;
  ch->far = far;
  TX_TRY(tx_cuda_ranks(ch->comm, ranks.data()));
  far->alone = true;
  for (int p = 0; p < ch->n_phases; p++) {
    const tx_cuda_phase *all = &ch->phase[p];
    tx_message *to = NULL, *from = NULL;
    TX_TRY(far_messages(all->to, all->n_to, ranks.data(), &to, &far->phase[p].n_to));
    far->phase[p].to = to;
    TX_TRY(far_messages(all->from, all->n_from, ranks.data(), &from, &far->phase[p].n_from));
    far->phase[p].from = from;
    far->alone = far->alone && far->phase[p].n_to + far->phase[p].n_from == 0;
  }
  return TX_OK;
}

static tx_status hierarchical_create(tx_cuda_channel *ch) {
  TX_TRY(far_create(ch));
  TX_TRY(tx_transport_peer.create(ch));
  ch->far->received = ch->received;
  return between->create(ch->far);
}

/* Connect peer memory; the other transports exchange no addresses. */
static tx_status hierarchical_connect(int n, tx_cuda_channel *const ch[]) {
  return tx_transport_peer.connect(n, ch);
}

static void hierarchical_destroy(tx_cuda_channel *ch) {
  tx_cuda_channel *far = ch->far;
  if (far) {
    between->destroy(far);
    for (int p = 0; p < TX_CUDA_PHASES; p++) {
      tx_free(const_cast<tx_message *>(far->phase[p].to));
      tx_free(const_cast<tx_message *>(far->phase[p].from));
    }
    tx_free(far);
  }
  tx_transport_peer.destroy(ch);
}

/* Let later work of the halo stream wait for the messages enqueued beside it. */
static tx_status hierarchical_join(void) {
  TX_CUDA(cudaEventRecord(beside.done, beside.stream));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, beside.done, 0));
  return TX_OK;
}

static tx_status far_send(tx_cuda_channel *ch, int phase, int n_vars) {
  ch->far->number = ch->number;
  ch->far->current = ch->current;
  TX_CUDA(cudaEventRecord(beside.packed, tx_cuda_stream.halo));
  TX_CUDA(cudaStreamWaitEvent(beside.stream, beside.packed, 0));
  return between->send(ch->far, phase, n_vars);
}

static tx_status hierarchical_send(tx_cuda_channel *ch, int phase, int n_vars) {
  tx_status status = TX_OK;
  if (!ch->far->alone) status = far_send(ch, phase, n_vars);
  TX_KEEP(status, tx_transport_peer.send(ch, phase, n_vars));
  if (!ch->far->alone) TX_KEEP(status, hierarchical_join());
  return status;
}

/* Receive from ranks out of reach; peer memory makes the halo stream wait. */
static tx_status hierarchical_receive(tx_cuda_channel *ch, int phase, int n_vars) {
  if (ch->far->alone) return TX_OK;
  tx_status status = between->receive(ch->far, phase, n_vars);
  TX_KEEP(status, hierarchical_join());
  return status;
}

static tx_status hierarchical_meet(tx_cuda_channel *ch) {
  return tx_transport_peer.meet(ch);
}

static tx_status hierarchical_redistribute(tx_cuda_channel *ch, const tx_transfer *t,
                                           const double *send_buffer, tx_field *out) {
  std::vector<int> ranks((size_t)ch->size);
  tx_transfer part = *t;
  part.send = part.recv = NULL;
  tx_status status = tx_cuda_ranks(ch->comm, ranks.data());
  TX_THEN(status, far_messages(t->send, t->n_send, ranks.data(), &part.send, &part.n_send));
  TX_THEN(status, far_messages(t->recv, t->n_recv, ranks.data(), &part.recv, &part.n_recv));
  status = tx_agree(ch->comm, status);
  TX_THEN(status, between->redistribute(ch->far, &part, send_buffer, out));
  tx_free(part.send);
  tx_free(part.recv);
  status = tx_agree(ch->comm, status);
  TX_THEN(status, tx_transport_peer.redistribute(ch, t, send_buffer, out));
  return status;
}

static tx_status create_stream(void) {
  int low = 0, high = 0;
  TX_CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
  TX_CUDA(cudaStreamCreateWithPriority(&beside.stream, cudaStreamNonBlocking, high));
  TX_CUDA(cudaEventCreateWithFlags(&beside.packed, cudaEventDisableTiming));
  TX_CUDA(cudaEventCreateWithFlags(&beside.done, cudaEventDisableTiming));
  return TX_OK;
}

static tx_status hierarchical_start(MPI_Comm comm, const tx_transport *other) {
  between = other;
  tx_status status = tx_peer_start_groups(comm);
  TX_THEN(status, tx_agree(comm, create_stream()));
  TX_THEN(status, between->start(comm));
  return status;
}

static void hierarchical_stop(void) {
  between->stop();
  if (beside.stream) (void)cudaStreamDestroy(beside.stream);
  if (beside.packed) (void)cudaEventDestroy(beside.packed);
  if (beside.done) (void)cudaEventDestroy(beside.done);
  memset(&beside, 0, sizeof beside);
  tx_transport_peer.stop();
}

static bool hierarchical_trouble(char *text, size_t size) {
  return between->trouble && between->trouble(text, size);
}

static tx_status start_nccl(MPI_Comm comm) {
  return hierarchical_start(comm, &tx_transport_nccl);
}

static tx_status start_mpi(MPI_Comm comm) {
  return hierarchical_start(comm, &tx_transport_mpi);
}

static tx_status start_staged(MPI_Comm comm) {
  return hierarchical_start(comm, &tx_transport_staged);
}

/* Complete the table with the other transport's own entries; `host`: it needs the host between
 * send and receive. */
static constexpr tx_transport
hierarchical_table(const char *name, bool host, tx_status (*own_start)(MPI_Comm),
                   tx_status (*own_receive)(tx_cuda_channel *, int, int),
                   bool (*own_trouble)(char *, size_t)) {
  return {name,
          TX_TRANSPORT_HIERARCHICAL,
          true,
          host,
          own_start,
          hierarchical_stop,
          hierarchical_create,
          hierarchical_destroy,
          hierarchical_connect,
          hierarchical_send,
          own_receive,
          hierarchical_meet,
          hierarchical_redistribute,
          own_trouble};
}

const tx_transport tx_transport_peer_nccl = hierarchical_table(
    "peer memory within hosts, NCCL between them", false, start_nccl, NULL, hierarchical_trouble);
const tx_transport tx_transport_peer_mpi =
    hierarchical_table("peer memory within hosts, GPU-aware MPI between them", true, start_mpi,
                       hierarchical_receive, NULL);
const tx_transport tx_transport_peer_staged =
    hierarchical_table("peer memory within hosts, memory of the hosts between them", true,
                       start_staged, hierarchical_receive, NULL);
