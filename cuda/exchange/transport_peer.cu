/* Peer memory: the GPUs' copy engines copy messages from send buffer to where they are received, which leaves all
 * multiprocessors to the stage; then flags are raised there. Small messages are stored straight into the other GPU by
 * the kernels that pack them: kernels that wait for the link keep others from multiprocessors, but there is no copy to
 * be started.
 *
 * Sets of what is received take turns. With each phase a rank tells every neighbour the number of the exchange, and
 * waits for theirs; ranks are neighbours if anything goes from one to the other in any phase, so both agree on that, and
 * in the last phase flags go both ways. A rank that stores for exchange n has seen all neighbours' flags of the last phase
 * of n - 1. These were raised after all reading of exchange n - 2, in whose set it stores, and which nobody reads any
 * more: no other flags are needed, and nobody waits to be allowed to send. Where sets are not in turns, or are read for
 * longer, an exchange of nothing (`meet`) comes before the first one that stores over what was read. */
#include <vector>

#include "cuda/exchange/peer_plan.h"

/* Approximate rate of the GPU's clock; where it runs slower, patience is longer. */
#define CYCLES_A_SECOND 2e9

/* Lanes for large messages to several GPUs, copied side by side: one copy does not fill the
 * links. Waiting for the lanes would delay small messages. */
enum { LANES = 4, LANES_BYTES = 4 << 20 };
static struct {
  cudaStream_t stream[LANES];
  cudaEvent_t packed, copied[LANES];
} lanes;

/* Events on each stream that tx_cuda_wait waits for, recorded when a channel was last destroyed:
 * its blocks go to other channels when the work before them is done on all ranks. Later work
 * does not touch them, and is not waited for. */
enum { STREAMS = 3 };
static cudaEvent_t retired[STREAMS];

/* Report of a GPU that waited in vain, in page-locked host memory. */
struct peer_fault {
  int rank, phase; /* rank + 1; 0: none */
  tx_peer_flag number, seen;
  double seconds;
};

static volatile peer_fault *fault;

tx_status tx_cuda_transport_check(void) {
  TX_REQUIRE(!fault || fault->rank == 0, TX_ERR_LIBRARY,
             "ghosts of rank %d did not arrive within %g s (phase %d of exchange %llu; the last to "
             "arrive was %llu): the rank hangs or has ended, or peer memory does not work between "
             "these GPUs; try compute.transport: nccl or staged",
             fault->rank - 1, fault->seconds, fault->phase + 1, fault->number, fault->seen);
  return TX_OK;
}

/* Wait for a flag. Return false if it does not come within `patience` cycles, or another one did
 * not. */
static __device__ bool wait_for(const volatile tx_peer_flag *at, tx_peer_flag number,
                                long long patience, const volatile peer_fault *broken) {
  const long long start = clock64();
  for (unsigned spins = 1; *at < number; spins++) {
    __nanosleep(20);
    if (spins % 1024 == 0 && (broken->rank != 0 || clock64() - start > patience)) return false;
  }
  return true;
}

/* Tell all neighbours that the stores of earlier kernels there are complete, and wait for the
 * same from them. */
static __global__ void signal_and_wait(const tx_peer_link *links, int n, int phase,
                                       tx_peer_flag number, long long patience,
                                       volatile peer_fault *broken) {
  __threadfence_system();
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
    volatile tx_peer_flag *there = links[i].theirs[phase];
    if (there) *there = number;
  }
  __syncthreads();
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
    const volatile tx_peer_flag *here = links[i].mine[phase];
    if (!here || wait_for(here, number, patience, broken) || broken->rank != 0) continue;
    broken->phase = phase;
    broken->number = number;
    broken->seen = *here;
    broken->seconds = (double)patience / CYCLES_A_SECOND;
    broken->rank = links[i].rank + 1;
  }
  __threadfence_system();
}

static tx_status exchange_flags(const tx_peer_link *links, int n, int phase, tx_peer_flag number,
                                double seconds, cudaStream_t stream) {
  const long long cycles = (long long)(seconds * CYCLES_A_SECOND);
  TX_CUDA_RUN(signal_and_wait, n > 0 ? 1 : 0, 64, 0, stream, links, n, phase, number, cycles,
              fault);
  return TX_OK;
}

/* Wait until this rank no longer reads or writes blocks of destroyed channels. */
static tx_status wait_for_retired(void) {
  for (int i = 0; i < STREAMS; i++) TX_CUDA(cudaEventSynchronize(retired[i]));
  return TX_OK;
}

static void retire(void) {
  const cudaStream_t stream[STREAMS] = {tx_cuda_stream.halo, tx_cuda_stream.side,
                                        tx_cuda_stream.compute};
  for (int i = 0; i < STREAMS; i++)
    if (retired[i]) (void)cudaEventRecord(retired[i], stream[i]);
}

/* Create the sets, in a block that may still be read as that of a channel before. */
static tx_status peer_create(tx_cuda_channel *ch) {
  tx_peer_plan *p = NULL;
  const size_t flags = tx_peer_flag_bytes(ch->size);
  TX_TRY(tx_alloc(1, sizeof *p, "halo", &p));
  ch->state = p;
  if (ch->alone) return TX_OK;
  TX_TRY(tx_peer_acquire(flags + (size_t)(ch->sets * ch->set) * sizeof(double), &p->block));
  ch->received = reinterpret_cast<double *>(p->block->at + flags);
  return TX_OK;
}

/* Lower the flags of all blocks. Other ranks have waited, too, when they tell of their blocks. */
static tx_status lower_flags(int n, tx_cuda_channel *const ch[]) {
  TX_TRY(wait_for_retired());
  for (int i = 0; i < n; i++) {
    const tx_peer_plan *p = static_cast<const tx_peer_plan *>(ch[i]->state);
    if (p->block)
      TX_CUDA(
          cudaMemsetAsync(p->block->at, 0, tx_peer_flag_bytes(ch[i]->size), tx_cuda_stream.upload));
  }
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.upload));
  return TX_OK;
}

static tx_status peer_connect(int n, tx_cuda_channel *const ch[]) {
  const MPI_Comm comm = ch[0]->comm;
  std::vector<tx_peer_offer> offers;
  std::vector<tx_peer_view> view((size_t)n * (size_t)ch[0]->size);
  for (int i = 0; i < n; i++)
    offers.push_back({static_cast<const tx_peer_plan *>(ch[i]->state)->block, {ch[i]->set, 0}});
  tx_status status = lower_flags(n, ch);
  status = tx_peer_exchange_handles(comm, status, n, offers.data(), view.data());
  if (status != TX_OK) return status;
  return tx_agree(comm, tx_peer_tables_create(n, ch, view.data()));
}

static void peer_destroy(tx_cuda_channel *ch) {
  tx_peer_plan *p = static_cast<tx_peer_plan *>(ch->state);
  if (!p) return;
  retire();
  tx_peer_release(p->block);
  tx_peer_tables_leave(p->tables);
  for (int phase = 0; phase < TX_CUDA_PHASES; phase++) tx_free(p->copies[phase]);
  tx_free(p);
}

static tx_status copy_message(const tx_cuda_channel *ch, int phase, int i, int n_vars,
                              cudaStream_t stream) {
  const tx_peer_copy *c = &static_cast<const tx_peer_plan *>(ch->state)->copies[phase][i];
  TX_CUDA(cudaMemcpyAsync(c->sets + ch->current * c->set + n_vars * c->to,
                          ch->phase[phase].send + n_vars * c->from,
                          (size_t)(n_vars * c->n) * sizeof(double), cudaMemcpyDefault, stream));
  return TX_OK;
}

static tx_status copy_side_by_side(const tx_cuda_channel *ch, int phase, int n, int n_vars) {
  const int used = n < LANES ? n : LANES;
  TX_CUDA(cudaEventRecord(lanes.packed, tx_cuda_stream.halo));
  for (int i = 0; i < used; i++) TX_CUDA(cudaStreamWaitEvent(lanes.stream[i], lanes.packed, 0));
  for (int i = 0; i < n; i++) TX_TRY(copy_message(ch, phase, i, n_vars, lanes.stream[i % LANES]));
  for (int i = 0; i < used; i++) {
    TX_CUDA(cudaEventRecord(lanes.copied[i], lanes.stream[i]));
    TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, lanes.copied[i], 0));
  }
  return TX_OK;
}

static tx_status copy_messages(const tx_cuda_channel *ch, int phase, int n_vars) {
  const tx_peer_plan *p = static_cast<const tx_peer_plan *>(ch->state);
  const int n = p->n_copies[phase];
  int64_t points = 0;
  for (int i = 0; i < n; i++) points += p->copies[phase][i].n;
  if (n > 1 && points * n_vars * (int64_t)sizeof(double) >= tx_cuda_transport_direct(LANES_BYTES))
    return copy_side_by_side(ch, phase, n, n_vars);
  for (int i = 0; i < n; i++) TX_TRY(copy_message(ch, phase, i, n_vars, tx_cuda_stream.halo));
  return TX_OK;
}

static tx_status raise_flags(const tx_cuda_channel *ch, int phase) {
  const tx_peer_plan *p = static_cast<const tx_peer_plan *>(ch->state);
  return exchange_flags(p->links, p->n_links, phase, ch->number, tx_cuda_transport_patience(),
                        tx_cuda_stream.halo);
}

static tx_status peer_send(tx_cuda_channel *ch, int phase, int n_vars) {
  TX_TRY(copy_messages(ch, phase, n_vars));
  return raise_flags(ch, phase);
}

static tx_status peer_meet(tx_cuda_channel *ch) {
  ch->number++;
  return raise_flags(ch, ch->n_phases - 1);
}

static __global__ void store(const tx_cuda_outbox *to, int n, double value) {
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) to[i].base[to[i].shift] = value;
}

/* Try stores: every rank stores 1 + its number to all others in reach and raises its flag there;
 * check the values that arrived. */
static tx_status try_stores(const tx_peer_view *view, int rank, int size) {
  std::vector<tx_peer_link> links;
  std::vector<tx_cuda_outbox> to;
  std::vector<unsigned char> image;
  std::vector<double> got((size_t)size);
  unsigned char *tables = NULL;
  for (int r = 0; r < size; r++) {
    if (r == rank || view[r].far) continue;
    tx_peer_flag *there = tx_peer_flag_at(&view[r], size, 0, rank),
                 *here = tx_peer_flag_at(&view[rank], size, 0, r);
    links.push_back({{there, NULL}, {here, NULL}, r});
    to.push_back({tx_peer_sets_at(&view[r], size), rank});
  }
  const int n = (int)links.size();
  if (n == 0) return TX_OK;
  const size_t at[2] = {tx_cuda_append(&image, links), tx_cuda_append(&image, to)};
  TX_TRY(tx_cuda_upload(image.data(), image.size(), "addresses of ghosts", &tables));
  TX_CUDA_RUN(store, 1, 64, 0, tx_cuda_stream.compute,
              reinterpret_cast<const tx_cuda_outbox *>(tables + at[1]), n, 1.0 + rank);
  TX_TRY(exchange_flags(reinterpret_cast<const tx_peer_link *>(tables + at[0]), n, 0, 1, 20.0,
                        tx_cuda_stream.compute));
  TX_CUDA(cudaMemcpyAsync(got.data(), tx_peer_sets_at(&view[rank], size),
                          (size_t)size * sizeof(double), cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  tx_cuda_free(tables);
  TX_TRY(tx_cuda_transport_check());
  for (int r = 0; r < size; r++)
    TX_REQUIRE(r == rank || view[r].far || got[(size_t)r] == 1.0 + r, TX_ERR_LIBRARY,
               "what rank %d stored on the GPU of rank %d did not arrive: %g, not %g", r, rank,
               got[(size_t)r], 1.0 + r);
  return TX_OK;
}

static tx_status create_trial(int size, tx_peer_block **out) {
  const size_t bytes = tx_peer_flag_bytes(size) + (size_t)size * sizeof(double);
  if (!fault) {
    peer_fault *made = NULL;
    TX_TRY(tx_cuda_host_alloc(sizeof *made, "halo", &made));
    fault = made;
  }
  TX_TRY(tx_peer_acquire(bytes, out));
  TX_CUDA(cudaMemsetAsync((*out)->at, 0, bytes, tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  return TX_OK;
}

static tx_status create_lanes(void) {
  int low = 0, high = 0;
  TX_CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
  TX_CUDA(cudaEventCreateWithFlags(&lanes.packed, cudaEventDisableTiming));
  for (int i = 0; i < STREAMS; i++)
    TX_CUDA(cudaEventCreateWithFlags(&retired[i], cudaEventDisableTiming));
  for (int i = 0; i < LANES; i++) {
    TX_CUDA(cudaStreamCreateWithPriority(&lanes.stream[i], cudaStreamNonBlocking, high));
    TX_CUDA(cudaEventCreateWithFlags(&lanes.copied[i], cudaEventDisableTiming));
  }
  return TX_OK;
}

static void destroy_lanes(void) {
  if (lanes.packed) (void)cudaEventDestroy(lanes.packed);
  for (int i = 0; i < LANES; i++) {
    if (lanes.stream[i]) (void)cudaStreamDestroy(lanes.stream[i]);
    if (lanes.copied[i]) (void)cudaEventDestroy(lanes.copied[i]);
  }
  for (int i = 0; i < STREAMS; i++)
    if (retired[i]) (void)cudaEventDestroy(retired[i]);
  memset(&lanes, 0, sizeof lanes);
  memset(retired, 0, sizeof retired);
}

/* Start peer memory between ranks in reach. */
static tx_status start_in_reach(MPI_Comm comm) {
  int rank = 0, size = 0;
  tx_peer_block *block = NULL;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &size));
  std::vector<tx_peer_view> view((size_t)size);
  tx_status status = tx_peer_memory_start(comm);
  TX_THEN(status, create_lanes());
  TX_THEN(status, create_trial(size, &block));
  const tx_peer_offer offer = {block, {0, 0}};
  status = tx_peer_exchange_handles(comm, status, 1, &offer, view.data());
  TX_THEN(status, tx_agree(comm, try_stores(view.data(), rank, size)));
  tx_peer_release(block);
  return status;
}

static tx_status peer_start(MPI_Comm comm) {
  tx_status status = tx_peer_reach_all(comm);
  TX_THEN(status, start_in_reach(comm));
  return status;
}

tx_status tx_peer_start_groups(MPI_Comm comm) {
  tx_status status = tx_peer_reach_groups(comm);
  TX_THEN(status, start_in_reach(comm));
  return status;
}

static void peer_stop(void) {
  destroy_lanes();
  tx_peer_memory_stop();
  tx_cuda_host_free(const_cast<peer_fault *>(fault));
  fault = NULL;
}

const tx_transport tx_transport_peer = {
    "peer memory",
    TX_TRANSPORT_PEER,
    true,
    false,
    peer_start,
    peer_stop,
    peer_create,
    peer_destroy,
    peer_connect,
    peer_send,
    NULL,
    peer_meet,
    tx_peer_redistribute,
    NULL,
};
