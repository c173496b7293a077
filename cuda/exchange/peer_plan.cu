/* Links, copies and outboxes of the channels that are connected together. */
#include "cuda/exchange/peer_plan.h"

#include <algorithm>

/* Bytes of a phase below which its messages are stored straight. */
enum { DIRECT_BYTES = 1 << 20 };

/* Tables of channels that were connected together, device. The last channel that is destroyed
 * frees them. */
struct tx_peer_tables {
  unsigned char *at;
  int users;
};

size_t tx_peer_flag_bytes(int size) {
  return ((size_t)(2 * size) * sizeof(tx_peer_flag) + 255) & ~(size_t)255;
}

tx_peer_flag *tx_peer_flag_at(const tx_peer_view *view, int size, int phase, int rank) {
  return reinterpret_cast<tx_peer_flag *>(view->at) + phase * size + rank;
}

double *tx_peer_sets_at(const tx_peer_view *view, int size) {
  return reinterpret_cast<double *>(view->at + tx_peer_flag_bytes(size));
}

static const tx_message *message_with(const tx_message *m, int n, int rank) {
  for (int i = 0; i < n; i++)
    if (m[i].rank == rank) return &m[i];
  return NULL;
}

/* Places where messages of a channel to a rank arrive there, points of a set; -1: none. */
struct peer_places {
  int64_t at[TX_CUDA_PHASES];
};

/* Exchange the places of messages with all ranks; there: [n][size]. */
static tx_status exchange_places(int n, tx_cuda_channel *const ch[], peer_places *there) {
  const size_t channels = (size_t)n, size = (size_t)ch[0]->size;
  std::vector<peer_places> here(size * channels, {{-1, -1}}), got(size * channels);
  for (size_t i = 0; i < channels; i++)
    for (int phase = 0; phase < ch[i]->n_phases; phase++) {
      const tx_cuda_phase *p = &ch[i]->phase[phase];
      for (int m = 0; m < p->n_from; m++)
        here[(size_t)p->from[m].rank * channels + i].at[phase] = p->from[m].at;
    }
  TX_MPI(MPI_Alltoall(here.data(), TX_CUDA_PHASES * n, MPI_INT64_T, got.data(), TX_CUDA_PHASES * n,
                      MPI_INT64_T, ch[0]->comm));
  for (size_t i = 0; i < channels; i++)
    for (size_t r = 0; r < size; r++) there[i * size + r] = got[r * channels + i];
  return TX_OK;
}

static void list_links(const tx_cuda_channel *ch, const tx_peer_view *view,
                       std::vector<tx_peer_link> *out) {
  for (int r = 0; r < ch->size; r++) {
    tx_peer_link l = {{NULL, NULL}, {NULL, NULL}, r};
    bool neighbour = false;
    if (view[r].far) continue;
    for (int phase = 0; phase < ch->n_phases; phase++) {
      const tx_cuda_phase *p = &ch->phase[phase];
      const bool to = message_with(p->to, p->n_to, r), from = message_with(p->from, p->n_from, r);
      const bool last = phase == ch->n_phases - 1;
      neighbour = neighbour || to || from;
      if (to || (last && neighbour))
        l.theirs[phase] = tx_peer_flag_at(&view[r], ch->size, phase, ch->rank);
      if (from || (last && neighbour))
        l.mine[phase] = tx_peer_flag_at(&view[ch->rank], ch->size, phase, r);
    }
    if (neighbour) out->push_back(l);
  }
}

/* List the messages of a phase to ranks in reach. Each rank begins with the next one, so that
 * not all send to the same. */
static tx_status list_copies(const tx_cuda_channel *ch, const tx_peer_view *view,
                             const peer_places *there, int phase, std::vector<tx_peer_copy> *out) {
  const tx_cuda_phase *p = &ch->phase[phase];
  int first = 0;
  while (first < p->n_to && p->to[first].rank < ch->rank) first++;
  for (int k = 0; k < p->n_to; k++) {
    const tx_message *m = &p->to[(first + k) % p->n_to];
    const tx_peer_view *v = &view[m->rank];
    if (v->far) continue;
    const int64_t at = there[m->rank].at[phase];
    TX_REQUIRE(v->at && at >= 0, TX_ERR_MESH, "rank %d does not expect the ghosts it is sent",
               m->rank);
    out->push_back({tx_peer_sets_at(v, ch->size), v->note[0], m->at, at, m->n});
  }
  return TX_OK;
}

/* Return the place where a message from point `at` of the send buffer is stored; those to ranks
 * out of reach stay in the buffer. */
static tx_cuda_outbox outbox_of(const tx_cuda_phase *p, const std::vector<tx_peer_copy> &copies,
                                int64_t at, int set) {
  for (const tx_peer_copy &c : copies)
    if (c.from == at) return {c.sets + set * c.set, c.to - c.from};
  return {p->send, 0};
}

/* List the outboxes of all messages of a phase, set by set, in their order. */
static void list_outboxes(const tx_cuda_channel *ch, int phase,
                          const std::vector<tx_peer_copy> &copies,
                          std::vector<tx_cuda_outbox> *out) {
  const tx_cuda_phase *p = &ch->phase[phase];
  for (int set = 0; set < ch->sets; set++)
    for (int i = 0; i < p->n_to; i++) out->push_back(outbox_of(p, copies, p->to[i].at, set));
}

/* Return whether a phase is stored straight. */
static bool is_direct(const tx_cuda_channel *ch, const std::vector<tx_peer_copy> &copies) {
  int64_t points = 0;
  for (const tx_peer_copy &c : copies) points += c.n;
  return !ch->buffered &&
         points * ch->max_vars * (int64_t)sizeof(double) < tx_cuda_transport_direct(DIRECT_BYTES);
}

static tx_status store_copies(tx_peer_plan *p, int phase, const std::vector<tx_peer_copy> &copies) {
  TX_TRY(tx_alloc(copies.size(), sizeof *p->copies[phase], "halo", &p->copies[phase]));
  p->n_copies[phase] = (int)copies.size();
  std::copy(copies.begin(), copies.end(), p->copies[phase]);
  return TX_OK;
}

/* Places of a channel's tables in the block of all. */
struct table_places {
  size_t links, boxes[TX_CUDA_PHASES];
  bool direct[TX_CUDA_PHASES]; /* there are boxes */
};

static tx_status list_tables(const tx_cuda_channel *ch, const tx_peer_view *view,
                             const peer_places *there, std::vector<unsigned char> *image,
                             table_places *out) {
  tx_peer_plan *p = static_cast<tx_peer_plan *>(ch->state);
  std::vector<tx_peer_link> links;
  if (!p->block) return TX_OK;
  list_links(ch, view, &links);
  p->n_links = (int)links.size();
  out->links = tx_cuda_append(image, links);
  for (int phase = 0; phase < ch->n_phases; phase++) {
    std::vector<tx_peer_copy> copies;
    std::vector<tx_cuda_outbox> boxes;
    TX_TRY(list_copies(ch, view, there, phase, &copies));
    if (is_direct(ch, copies))
      list_outboxes(ch, phase, copies, &boxes);
    else
      TX_TRY(store_copies(p, phase, copies));
    out->direct[phase] = !boxes.empty();
    out->boxes[phase] = tx_cuda_append(image, boxes);
  }
  return TX_OK;
}

static void use_tables(tx_cuda_channel *ch, tx_peer_tables *tables, const table_places *at) {
  tx_peer_plan *p = static_cast<tx_peer_plan *>(ch->state);
  if (!p->block) return;
  p->tables = tables;
  tables->users++;
  p->links = reinterpret_cast<const tx_peer_link *>(tables->at + at->links);
  for (int phase = 0; phase < ch->n_phases; phase++)
    if (at->direct[phase])
      ch->phase[phase].outbox =
          reinterpret_cast<const tx_cuda_outbox *>(tables->at + at->boxes[phase]);
}

void tx_peer_tables_leave(tx_peer_tables *tables) {
  if (!tables || --tables->users > 0) return;
  tx_cuda_free(tables->at);
  tx_free(tables);
}

/* Create the tables of n channels; view, there: [n][size]. */
static tx_status create_peer_tables(int n, tx_cuda_channel *const ch[], const tx_peer_view *view,
                                    const peer_places *there) {
  const int size = ch[0]->size;
  std::vector<unsigned char> image;
  std::vector<table_places> places((size_t)n);
  tx_peer_tables *tables = NULL;
  for (int i = 0; i < n; i++)
    TX_TRY(list_tables(ch[i], view + i * size, there + i * size, &image, &places[(size_t)i]));
  if (image.empty()) return TX_OK;
  TX_TRY(tx_alloc(1, sizeof *tables, "halo", &tables));
  const tx_status status =
      tx_cuda_upload(image.data(), image.size(), "addresses of ghosts", &tables->at);
  if (status != TX_OK) {
    tx_cuda_free(tables->at);
    tx_free(tables);
    return status;
  }
  for (int i = 0; i < n; i++) use_tables(ch[i], tables, &places[(size_t)i]);
  return TX_OK;
}

tx_status tx_peer_tables_create(int n, tx_cuda_channel *const ch[], const tx_peer_view *view) {
  std::vector<peer_places> there((size_t)n * (size_t)ch[0]->size);
  TX_TRY(exchange_places(n, ch, there.data()));
  return create_peer_tables(n, ch, view, there.data());
}
