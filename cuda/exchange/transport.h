/* Transports: exchange of ghosts, and of octants at a regrid, between GPUs. exchange.cu has the
 * order of events. */
#pragma once

#include <vector>

#include "cuda/backend.cuh"

/** Return the limits of tx_cuda_transport_limits; the piece is `usual` if there is no limit.
 *  Local. */
double tx_cuda_transport_patience(void);
int64_t tx_cuda_transport_direct(int64_t usual);
int64_t tx_cuda_transport_piece(int64_t usual);

/** Messages of one phase of a channel: places in points, of the send buffer and of a set of
 *  received points. */
typedef struct tx_cuda_phase {
  const tx_message *to, *from; /**< borrowed, by rank */
  int n_to, n_from;
  int64_t points; /**< of the send buffer */
  tx_tag tag;
  double *send; /**< the buffer, device; NULL if nothing is sent */
  /** Outbox of each message for kernels, n_to entries for each set; NULL: kernels write into the send buffer. Device,
   *  owned by the transport. */
  const tx_cuda_outbox *outbox;
} tx_cuda_phase;

enum { TX_CUDA_PHASES = 2 };

/** Recurring exchange between the ranks of a plan: ghosts, or data from one level to the next.
 *  All ranks begin the same exchanges in the same order; each fills one set of received points.
 *  Its creator sets comm to `sets`. */
typedef struct tx_cuda_channel {
  MPI_Comm comm; /**< borrowed */
  int rank, size;
  int max_vars;
  int n_phases;
  tx_cuda_phase phase[TX_CUDA_PHASES];
  bool buffered;  /**< kernels write into send buffers, never straight to where messages go */
  int64_t points; /**< of a set: received ones, and all others in it */
  int sets;       /**< 0: as many as must take turns */

  const struct tx_transport *transport; /**< NULL on one rank */
  bool alone;                           /**< nothing to send or to receive */
  double *received;                     /**< first set, device */
  int64_t set;                          /**< doubles from one set to the next */
  int current;                          /**< set of the exchange under way */
  uint64_t number;                      /**< of exchanges begun */
  cudaStream_t stream; /**< of messages: the halo stream, but where a transport says otherwise */
  cudaEvent_t vacant;  /**< recorded: nobody here reads what was in the set that is filled next */
  void *buffers;       /**< from tx_cuda_alloc */
  void *state;         /**< the transport's */
  /** Hierarchical transports: messages to and from ranks out of reach, which share sets and send buffers. */
  struct tx_cuda_channel *far;
} tx_cuda_channel;

/** Table of a transport's functions. Phases are 0 and 1 here. All is enqueued on the channel's
 *  stream unless `host` says otherwise. */
typedef struct tx_transport {
  const char *name;
  tx_transport_word word;
  /** Other ranks write into the sets of received points, one exchange ahead: `create` provides them. */
  bool own_sets;
  /** `receive` makes the host wait. */
  bool host;
  /** Try it out: the text of the error says why it does not work. Collective. */
  tx_status (*start)(MPI_Comm comm);
  /** Local, also after a start that failed. */
  void (*stop)(void);
  /** Create the transport's part of a channel; `destroy` is given what `create` left. Local. */
  tx_status (*create)(tx_cuda_channel *ch);
  void (*destroy)(tx_cuda_channel *ch);
  /** Exchange addresses for n channels of one communicator, all created; NULL: none are needed. Collective. */
  tx_status (*connect)(int n, tx_cuda_channel *const ch[]);
  /** The values of a phase are in its send buffer, or stored where its outbox says, in the order of the halo stream. NULL
   *  `receive`: `send` does both. */
  tx_status (*send)(tx_cuda_channel *ch, int phase, int n_vars);
  tx_status (*receive)(tx_cuda_channel *ch, int phase, int n_vars);
  /** An empty exchange as a barrier: later stores to other ranks happen after their earlier work. NULL: this
   *  transport does not store to other ranks directly. */
  tx_status (*meet)(tx_cuda_channel *ch);
  /** See tx_backend.redistribute; in order with the compute stream. Collective. */
  tx_status (*redistribute)(tx_cuda_channel *ch, const tx_transfer *t, const double *send_buffer,
                            tx_field *out);
  /** Report a failure of other ranks or the network, if any; called by another thread; NULL: it cannot tell. Local. */
  bool (*trouble)(char *text, size_t size);
} tx_transport;

/* channel.cu */
/** Create a channel's buffers and the transport's part; `destroy` is given what `create` left,
 *  also after an error. Local. Before the first exchange all channels are connected, many of one
 *  communicator at once. Collective. */
tx_status tx_cuda_channel_create(tx_cuda_channel *ch);
void tx_cuda_channel_destroy(tx_cuda_channel *ch);
tx_status tx_cuda_channels_connect(int n, tx_cuda_channel *const ch[]);
/** Begin the next exchange in the given set, or, where sets take turns, in the next one. Local. */
void tx_cuda_channel_begin(tx_cuda_channel *ch, int set);
void tx_cuda_channel_turn(tx_cuda_channel *ch);
/** Return the set of the exchange under way. Local. */
static inline double *tx_cuda_channel_set(const tx_cuda_channel *ch) {
  return ch->received + ch->current * ch->set;
}
/** Return the places to which kernels write what a phase of the exchange under way sends. Local. */
tx_cuda_outputs tx_cuda_channel_outputs(const tx_cuda_channel *ch, int phase);
/** Fill all buffers with NaN, in the order of the compute stream. Local. */
tx_status tx_cuda_channel_poison(const tx_cuda_channel *ch);

extern const tx_transport tx_transport_peer, tx_transport_nccl, tx_transport_mpi,
    tx_transport_staged;
/** Hierarchical transports: peer memory between ranks in reach of each other, another one
 *  between all other ranks. */
extern const tx_transport tx_transport_peer_nccl, tx_transport_peer_mpi, tx_transport_peer_staged;

/** Start peer memory between the ranks that reach each other; messages to and from others are left out. Collective. */
tx_status tx_peer_start_groups(MPI_Comm comm);

/** Redistribute octants through peer memory. */
tx_status tx_peer_redistribute(tx_cuda_channel *ch, const tx_transfer *t, const double *send_buffer,
                               tx_field *out);

/* levels.cu */
/** Append the channels of a plan with a coarser one. Local. */
void tx_cuda_level_channels(const tx_exec *x, std::vector<tx_cuda_channel *> *to);

/* watch.cu */
/** Start the watch: from now on the program ends, with a message, when a rank of this host does,
 *  when a failure of tx_cuda_watch_failed is not followed by an agreement to end, and when the
 *  transport has trouble. Collective; `stop` is local, also after a start that failed. Errors:
 *  TX_ERR_LIBRARY. */
tx_status tx_cuda_watch_start(MPI_Comm comm, const tx_transport *transport);
void tx_cuda_watch_stop(void);

/** Return the transport in use. Local. */
const tx_transport *tx_cuda_transport_chosen(void);

/** Find the number of each rank of `comm` [out, size of comm] in the communicator of
 *  tx_cuda_transport_start. Local. */
tx_status tx_cuda_ranks(MPI_Comm comm, int *out);

/** Return where message i of a transfer begins in `send_buffer`, octants. */
static inline int64_t tx_send_buffer_at(const tx_transfer *t, int i) {
  const int64_t at = t->send[i].at;
  return at < t->stay_from ? at : at - t->n_stay;
}

/** Append a list to the image of a block of tables, and return where it begins. Local. */
template <class T>
static size_t tx_cuda_append(std::vector<unsigned char> *to, const std::vector<T> &part) {
  const size_t at = to->size();
  to->resize((at + part.size() * sizeof(T) + 15) & ~(size_t)15);
  if (!part.empty()) memcpy(to->data() + at, part.data(), part.size() * sizeof(T));
  return at;
}

/** Destroy an event; NULL is fine. Local. */
static inline void tx_cuda_event_destroy(cudaEvent_t event) {
  if (event) (void)cudaEventDestroy(event);
}
