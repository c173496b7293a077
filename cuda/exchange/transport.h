/* Transports: how ghosts, and octants at a regrid, are exchanged between GPUs. exchange.cu says when. */
#pragma once

#include "cuda/backend.cuh"

/** See tx_cuda_transport_limits; the piece is `usual` if there is no limit. Local. */
double tx_cuda_transport_patience(void);
int64_t tx_cuda_transport_direct(int64_t usual);
int64_t tx_cuda_transport_piece(int64_t usual);

/** One plan's part of the exchange. */
struct tx_cuda_halo {
  const struct tx_transport *transport; /**< NULL on one rank */
  bool alone;                           /**< nothing to send or to receive */
  bool finished;                        /**< all that waits for other ranks is enqueued */
  double *slots;                        /**< first set, of two where others write one set ahead */
  int64_t set;                          /**< doubles from one set to the other, 0: there is one */
  double *send[2];                      /**< buffers of phase 1 and 2; NULL if there are none */
  /** Of both phases for the first set of slots, then for the second; NULL: kernels write into the send buffer.
   *  Device, owned by the transport. */
  const tx_cuda_outbox *outbox[2];
  void *buffers;   /**< what tx_cuda_alloc gave for them */
  uint64_t number; /**< of exchanges begun */
  /** Recorded: all that reads slots or writes f is done; regions of local octants are assembled; early
   *  sources are interpolated (compute). That all is there: TX_CUDA_GHOSTS_READY. */
  cudaEvent_t written, assembled, early;
  uint64_t inner; /**< stamp when the inner stage began, 0: not since the ghosts began */
  cudaEvent_t forked, staged, edge; /**< see tx_cuda_stage_fork: begin; ends of its streams */
  void *state;                      /**< the transport's */
};

/** Phases are 0 and 1 here. All is enqueued on the halo stream unless `host` says otherwise. */
typedef struct tx_transport {
  const char *name;
  tx_transport_word word;
  /** Others write into the slots here: `create` provides them, two sets. */
  bool own_slots;
  /** `receive` makes the host wait. */
  bool host;
  /** Try it out: the text of the error says why it does not work. Collective. */
  tx_status (*start)(MPI_Comm comm);
  /** Local, also after a start that failed. */
  void (*stop)(void);
  /** What a plan needs; halo->transport's part. Collective, unlike `destroy`, which is given what `create` left. */
  tx_status (*create)(tx_exec *x);
  void (*destroy)(tx_exec *x);
  /** The values of a phase are packed in its send buffer, or stored where its outbox says; in phase 2 `early` has
   *  been waited for. NULL `receive`: `send` does both. */
  tx_status (*send)(tx_exec *x, int phase, int n_vars);
  tx_status (*receive)(tx_exec *x, int phase, int n_vars);
  /** See tx_backend.redistribute; in order with the compute stream. Collective. */
  tx_status (*redistribute)(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                            tx_field *out);
} tx_transport;

extern const tx_transport tx_transport_peer, tx_transport_nccl, tx_transport_mpi,
    tx_transport_staged;

/** `redistribute` through peer memory. */
tx_status tx_peer_redistribute(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                               tx_field *out);

/** The one in use. Local. */
const tx_transport *tx_cuda_transport_chosen(void);

/** Number of each rank of `comm` [out, size of comm] in the communicator of tx_cuda_transport_start. Local. */
tx_status tx_cuda_ranks(MPI_Comm comm, int *out);

/** Where message i of a transfer begins in `send_buffer`, octants. */
static inline int64_t tx_send_buffer_at(const tx_transfer *t, int i) {
  const int64_t at = t->send[i].at;
  return at < t->stay_from ? at : at - t->n_stay;
}
