/* Addresses of the channels of other ranks: where flags are raised, and where messages go. */
#pragma once

#include <vector>

#include "cuda/exchange/peer_memory.h"
#include "cuda/exchange/transport.h"

/* Flag: number of the exchange whose values have arrived. */
typedef unsigned long long tx_peer_flag;

/* Flags of a neighbour. */
struct tx_peer_link {
  tx_peer_flag *theirs
      [2]; /* to be raised there when values of a phase have been stored; NULL: none goes there */
  const tx_peer_flag *mine[2]; /* raised here by the neighbour; NULL: nothing comes */
  int rank;                    /* of the channel */
};

/* Message from a send buffer to another GPU; places and length in points. */
struct tx_peer_copy {
  double *sets; /* there, the first */
  int64_t set;  /* doubles from one to the next */
  int64_t from, to, n;
};

struct tx_peer_tables;

/** Peer memory's part of a channel. */
struct tx_peer_plan {
  tx_peer_block *block;
  tx_peer_tables *tables;
  const tx_peer_link *links; /* in `tables` */
  int n_links;
  tx_peer_copy *copies[TX_CUDA_PHASES]; /* NULL: stored straight */
  int n_copies[TX_CUDA_PHASES];
};

/** Return the parts of a channel's block: flags [2][size], then the sets. Local. */
size_t tx_peer_flag_bytes(int size);
tx_peer_flag *tx_peer_flag_at(const tx_peer_view *view, int size, int phase, int rank);
double *tx_peer_sets_at(const tx_peer_view *view, int size);

/** Create the tables of n channels of one communicator, of which the others offer view
 *  [n][size]: links, and copies or outboxes. Collective; returns the failure of this rank, for
 *  the caller to agree on. The last channel that leaves its tables frees them; NULL is fine.
 *  Local. */
tx_status tx_peer_tables_create(int n, tx_cuda_channel *const ch[], const tx_peer_view *view);
void tx_peer_tables_leave(tx_peer_tables *tables);
