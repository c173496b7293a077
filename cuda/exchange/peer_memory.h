/* Device memory that the other processes of a host can open (CUDA IPC). */
#pragma once

#include "cuda/device.cuh"

/** A block of this rank's GPU. Blocks are kept when they are released, so that regrids, which make a plan
 *  every few seconds, seldom allocate, export or open anything. */
typedef struct tx_peer_block {
  unsigned char *at; /**< device, 256-byte aligned */
  size_t bytes;
  uint64_t number; /**< from 1, never used again */
  cudaIpcMemHandle_t handle;
  bool in_use;
  uint64_t released; /**< when: blocks that had been acquired by then */
} tx_peer_block;

/** View of another rank's block. */
typedef struct tx_peer_view {
  unsigned char *at; /**< NULL: the rank offers none, or is out of reach */
  bool far;          /**< the rank is out of reach */
  int64_t note[2];   /**< sent along by the rank */
} tx_peer_view;

/** Acquire memory for at least `bytes`: the smallest released block that is large enough and not
 *  much larger, or a new one with room to grow, in place of the one that was outgrown. Blocks
 *  that nobody took for a long time are retired. To be released. Local. Errors: TX_ERR_MEMORY,
 *  TX_ERR_LIBRARY. */
tx_status tx_peer_acquire(size_t bytes, tx_peer_block **out);
/** Release a block; NULL is fine. Local. */
void tx_peer_release(tx_peer_block *block);

/** Block that this rank offers to the others, with a note. */
typedef struct tx_peer_offer {
  const tx_peer_block *block; /**< NULL: none */
  int64_t note[2];
} tx_peer_offer;

/** Exchange handles: every rank offers n blocks, and those of all others are opened here; view [n][size of comm], valid as long
 *  as the blocks are in use there. Fails on all ranks if a `status` is not TX_OK. Collective. */
tx_status tx_peer_exchange_handles(MPI_Comm comm, tx_status status, int n,
                                   const tx_peer_offer mine[], tx_peer_view *view);

/** Read how many ranks are to be one pretended host, for tests. Collective. Errors: TX_ERR_PARAM. */
tx_status tx_peer_pretend_hosts(MPI_Comm comm);
/** Find out that all ranks of `comm` reach the memory of each other's GPUs; errors
 *  TX_ERR_LIBRARY name those that do not. Or divide them into groups that do; an error if no two
 *  ranks do. Collective. */
tx_status tx_peer_reach_all(MPI_Comm comm);
tx_status tx_peer_reach_groups(MPI_Comm comm);
/** Return whether this rank and another one, by number in that communicator, reach each other's
 *  memory. Local. */
bool tx_peer_in_reach(int rank);

/** Start without blocks; they are told apart by the numbers of their ranks in `comm`, which has
 *  all. Local. */
tx_status tx_peer_memory_start(MPI_Comm comm);
/** Close all open blocks and free this rank's. Local. */
void tx_peer_memory_stop(void);
