/* Redistribution of octants through peer memory: each rank offers its send buffer in windows, of which the
 * others fetch their part. */
#include <vector>

#include "cuda/exchange/peer_memory.h"
#include "cuda/exchange/transport.h"

struct window_redistribution {
  const tx_cuda_channel *ch;
  const tx_transfer *t;
  const double *send_buffer;
  tx_field *out;
  int64_t block, total;      /* doubles: of an octant, of the send buffer */
  std::vector<int64_t> from; /* begin of this rank's part in each send buffer */
  std::vector<tx_peer_view>
      view; /* note: doubles of the rank's send buffer, of a window; 0: nothing is sent */
  tx_peer_block *window;
};

static tx_status exchange_offsets(window_redistribution *m) {
  std::vector<int64_t> to((size_t)m->ch->size, 0);
  m->from.resize(to.size());
  for (int i = 0; i < m->t->n_send; i++)
    to[(size_t)m->t->send[i].rank] = tx_send_buffer_at(m->t, i) * m->block;
  TX_MPI(MPI_Alltoall(to.data(), 1, MPI_INT64_T, m->from.data(), 1, MPI_INT64_T, m->ch->comm));
  return TX_OK;
}

/* Copy window number n of the send buffer to where others can fetch it. */
static tx_status offer_window(const window_redistribution *m, int64_t n) {
  const tx_peer_view *own = &m->view[(size_t)m->ch->rank];
  const int64_t at = n * own->note[1], left = m->total - at;
  if (left <= 0) return TX_OK;
  const int64_t doubles = left < own->note[1] ? left : own->note[1];
  TX_CUDA(cudaMemcpyAsync(own->at, m->send_buffer + at, (size_t)doubles * sizeof(double),
                          cudaMemcpyDeviceToDevice, tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  return TX_OK;
}

/* Fetch this rank's part of window number n of every rank. */
static tx_status fetch_window(const window_redistribution *m, int64_t n) {
  for (int i = 0; i < m->t->n_recv; i++) {
    const tx_message *r = &m->t->recv[i];
    const tx_peer_view *v = &m->view[(size_t)r->rank];
    if (v->far) continue;
    const int64_t begin = m->from[(size_t)r->rank], end = begin + r->n * m->block;
    const int64_t low = n * v->note[1], high = low + v->note[1];
    const int64_t first = begin > low ? begin : low, last = end < high ? end : high;
    if (first >= last) continue;
    TX_CUDA(cudaMemcpyAsync(m->out->data + r->at * m->block + (first - begin),
                            reinterpret_cast<const double *>(v->at) + (first - low),
                            (size_t)(last - first) * sizeof(double), cudaMemcpyDefault,
                            tx_cuda_stream.compute));
  }
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  return TX_OK;
}

static tx_status exchange_windows(window_redistribution *m) {
  const MPI_Comm comm = m->ch->comm;
  int64_t windows = 0;
  for (const tx_peer_view &v : m->view)
    if (v.note[0] > 0 && (v.note[0] + v.note[1] - 1) / v.note[1] > windows)
      windows = (v.note[0] + v.note[1] - 1) / v.note[1];
  tx_status status = tx_agree(comm, exchange_offsets(m));
  for (int64_t n = 0; n < windows && status == TX_OK; n++) {
    status = tx_agree(comm, offer_window(m, n));
    TX_THEN(status, tx_agree(comm, fetch_window(m, n)));
  }
  return status;
}

tx_status tx_peer_redistribute(tx_cuda_channel *ch, const tx_transfer *t, const double *send_buffer,
                               tx_field *out) {
  window_redistribution m = {ch, t,  send_buffer, out, (int64_t)out->n_vars * TX_N3,
                             0,  {}, {},          NULL};
  for (int i = 0; i < t->n_send; i++) m.total += t->send[i].n * m.block;
  m.view.resize((size_t)ch->size);
  const int64_t most = tx_cuda_transport_piece((int64_t)1 << 23);
  tx_peer_offer offer = {NULL, {m.total, m.total < most ? m.total : most}};
  tx_status status = TX_OK;
  if (m.total > 0) status = tx_peer_acquire((size_t)offer.note[1] * sizeof(double), &m.window);
  offer.block = m.window;
  status = tx_peer_exchange_handles(ch->comm, status, 1, &offer, m.view.data());
  TX_THEN(status, exchange_windows(&m));
  tx_peer_release(m.window);
  return status;
}
