/* Device memory that the other processes of a host can reach: blocks that are kept, exported and opened once. */
#include "cuda/exchange/peer_memory.h"

#include <vector>

#include "cuda/exchange/transport.h"

/* Number of retired blocks that a rank announces at a time with each block. */
enum { DROPPED = 4 };

/* Message of a rank about one of its blocks. */
struct card {
  uint64_t number; /* 0: no block */
  uint64_t dropped[DROPPED];
  cudaIpcMemHandle_t handle;
  int64_t note[2];
  int32_t rank; /* among those that started */
};

/* Block of another rank that is open here. */
struct opened {
  int32_t rank;
  uint64_t number;
  void *at;
};

struct memory {
  std::vector<tx_peer_block *> blocks;
  std::vector<tx_peer_block *> dropped; /* too small, to be freed when nobody has them open */
  std::vector<opened> open;
  uint64_t last = 0, acquired = 0; /* number of the newest block; blocks given out so far */
  int rank = 0, size = 0;
};

static memory &state(void) {
  static memory *m = new memory;
  return *m;
}

static tx_status block_create(size_t bytes, tx_peer_block **out) {
  const size_t page = (size_t)2 << 20;
  tx_peer_block *b = NULL;
  TX_TRY(tx_alloc(1, sizeof *b, "halo", &b));
  b->bytes = (bytes + bytes / 4 + page - 1) / page * page;
  tx_status status = tx_cuda_alloc_exported(b->bytes, "ghost slots", &b->at);
  if (status != TX_OK) {
    tx_free(b);
    return status;
  }
  b->number = ++state().last;
  state().blocks.push_back(b);
  *out = b;
  TX_CUDA(cudaIpcGetMemHandle(&b->handle, b->at));
  return TX_OK;
}

/* Retire the free block that has just become too small, if there is one. */
static void drop_outgrown(size_t bytes) {
  std::vector<tx_peer_block *> &blocks = state().blocks;
  size_t largest = blocks.size();
  for (size_t i = 0; i < blocks.size(); i++)
    if (!blocks[i]->in_use && blocks[i]->bytes < bytes &&
        (largest == blocks.size() || blocks[i]->bytes > blocks[largest]->bytes))
      largest = i;
  if (largest == blocks.size()) return;
  state().dropped.push_back(blocks[largest]);
  blocks.erase(blocks.begin() + (ptrdiff_t)largest);
}

/* Retire free blocks that nobody took while all others were given out twice: sizes have changed. */
static void drop_idle(void) {
  memory &m = state();
  const uint64_t patience = 2 * m.blocks.size();
  std::vector<tx_peer_block *> kept;
  for (tx_peer_block *b : m.blocks)
    (!b->in_use && m.acquired - b->released > patience ? m.dropped : kept).push_back(b);
  m.blocks.swap(kept);
}

/* Return whether a block is free, large enough and not much too large: small channels leave
 * large blocks to large ones. */
static bool fits(const tx_peer_block *b, size_t bytes) {
  const size_t page = (size_t)2 << 20;
  return !b->in_use && b->bytes >= bytes && b->bytes <= 2 * bytes + page;
}

tx_status tx_peer_acquire(size_t bytes, tx_peer_block **out) {
  tx_peer_block *best = NULL;
  *out = NULL;
  for (tx_peer_block *b : state().blocks)
    if (fits(b, bytes) && (!best || b->bytes < best->bytes)) best = b;
  if (!best) {
    drop_outgrown(bytes);
    TX_TRY(block_create(bytes, &best));
  }
  best->in_use = true;
  state().acquired++;
  drop_idle();
  *out = best;
  return TX_OK;
}

void tx_peer_release(tx_peer_block *block) {
  if (!block) return;
  block->in_use = false;
  block->released = state().acquired;
}

static void block_destroy(tx_peer_block *b) {
  tx_cuda_free_exported(b->at);
  tx_free(b);
}

/* Close blocks that other ranks retire. */
static tx_status close_dropped(const card *c) {
  std::vector<opened> kept;
  tx_status status = TX_OK;
  for (const opened &o : state().open) {
    bool drop = false;
    for (int i = 0; i < DROPPED; i++)
      drop = drop || (o.rank == c->rank && o.number == c->dropped[i]);
    if (!drop) {
      kept.push_back(o);
      continue;
    }
    const cudaError_t code = cudaIpcCloseMemHandle(o.at);
    if (code != cudaSuccess)
      TX_KEEP(status, tx_cuda_error(code, "cudaIpcCloseMemHandle", __FILE__, __LINE__));
  }
  state().open.swap(kept);
  return status;
}

static tx_status open_block(const card *c, unsigned char **out) {
  memory &m = state();
  for (const opened &o : m.open)
    if (o.rank == c->rank && o.number == c->number) {
      *out = static_cast<unsigned char *>(o.at);
      return TX_OK;
    }
  opened o = {c->rank, c->number, NULL};
  TX_CUDA(cudaIpcOpenMemHandle(&o.at, c->handle, cudaIpcMemLazyEnablePeerAccess));
  m.open.push_back(o);
  *out = static_cast<unsigned char *>(o.at);
  return TX_OK;
}

/* Open the blocks of all ranks; cards: [size][n]. */
static tx_status open_all(const card *cards, int rank, int size, int n, const tx_peer_offer *mine,
                          tx_peer_view *view) {
  for (int r = 0; r < size; r++)
    for (int i = 0; i < n; i++) {
      const card *c = &cards[r * n + i];
      tx_peer_view *v = &view[i * size + r];
      if (r != rank) TX_TRY(close_dropped(c));
      v->at = NULL;
      v->far = !tx_peer_in_reach(c->rank);
      memcpy(v->note, c->note, sizeof v->note);
      if (c->number == 0 || v->far) continue;
      if (r == rank)
        v->at = mine[i].block->at;
      else
        TX_TRY(open_block(c, &v->at));
    }
  return TX_OK;
}

/* Fill this rank's cards. */
static void fill_cards(int n, const tx_peer_offer *mine, size_t n_dropped, card *out) {
  const memory &m = state();
  memset(out, 0, (size_t)n * sizeof *out);
  for (int i = 0; i < n; i++) {
    out[i].rank = m.rank;
    if (!mine[i].block) continue;
    out[i].number = mine[i].block->number;
    out[i].handle = mine[i].block->handle;
    memcpy(out[i].note, mine[i].note, sizeof out[i].note);
  }
  for (size_t k = 0; k < n_dropped; k++)
    out[k / DROPPED].dropped[k % DROPPED] = m.dropped[k]->number;
}

static tx_status gather_cards(MPI_Comm comm, int n, const card *mine, card *all) {
  const int bytes = n * (int)sizeof *mine;
  TX_MPI(MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm));
  return TX_OK;
}

tx_status tx_peer_exchange_handles(MPI_Comm comm, tx_status status, int n,
                                   const tx_peer_offer mine[], tx_peer_view *view) {
  memory &m = state();
  int rank = 0, size = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &size));
  std::vector<card> own((size_t)n), cards((size_t)n * (size_t)size);
  const std::vector<tx_peer_offer> none((size_t)n);
  /* Every rank that may have a block open must hear that it goes. */
  size_t n_dropped = size == m.size ? m.dropped.size() : 0;
  if (n_dropped > (size_t)n * DROPPED) n_dropped = (size_t)n * DROPPED;
  const tx_peer_offer *offers = status == TX_OK ? mine : none.data();
  fill_cards(n, offers, n_dropped, own.data());
  TX_TRY(gather_cards(comm, n, own.data(), cards.data()));
  TX_KEEP(status, open_all(cards.data(), rank, size, n, offers, view));
  status = tx_agree(comm, status);
  for (size_t k = 0; k < n_dropped; k++) block_destroy(m.dropped[k]);
  m.dropped.erase(m.dropped.begin(), m.dropped.begin() + (ptrdiff_t)n_dropped);
  return status;
}

tx_status tx_peer_memory_start(MPI_Comm comm) {
  memory &m = state();
  TX_MPI(MPI_Comm_rank(comm, &m.rank));
  TX_MPI(MPI_Comm_size(comm, &m.size));
  return TX_OK;
}

void tx_peer_memory_stop(void) {
  memory &m = state();
  for (const opened &o : m.open) (void)cudaIpcCloseMemHandle(o.at);
  m.open.clear();
  for (tx_peer_block *b : m.blocks) block_destroy(b);
  m.blocks.clear();
  for (tx_peer_block *b : m.dropped) block_destroy(b);
  m.dropped.clear();
}
