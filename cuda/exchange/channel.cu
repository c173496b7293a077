/* Channels: their buffers, and the set in use. */
#include "cuda/exchange/transport.h"

static bool has_messages(const tx_cuda_channel *ch) {
  int n = 0;
  for (int p = 0; p < ch->n_phases; p++) n += ch->phase[p].n_to + ch->phase[p].n_from;
  return n > 0;
}

/* Return the doubles of a number of points, rounded up to whole lines of memory. */
static int64_t room_of(const tx_cuda_channel *ch, int64_t points) {
  return (points * ch->max_vars + 31) & ~(int64_t)31;
}

/* Allocate sets, unless the transport provides them, and send buffers in one block. */
static tx_status create_buffers(tx_cuda_channel *ch, bool own_sets) {
  int64_t part[TX_CUDA_PHASES] = {}, sets = own_sets ? 0 : ch->sets * ch->set, all = sets;
  for (int p = 0; p < ch->n_phases && !ch->alone; p++) {
    part[p] = room_of(ch, ch->phase[p].points);
    all += part[p];
  }
  TX_TRY(tx_cuda_alloc((size_t)all * sizeof(double), "ghost slots", &ch->buffers));
  double *at = static_cast<double *>(ch->buffers);
  if (sets > 0) ch->received = at;
  at += sets;
  for (int p = 0; p < ch->n_phases; at += part[p++]) ch->phase[p].send = part[p] > 0 ? at : NULL;
  return TX_OK;
}

static tx_status create_channel(tx_cuda_channel *ch) {
  ch->alone = !has_messages(ch);
  ch->transport = ch->size > 1 ? tx_cuda_transport_chosen() : NULL;
  TX_REQUIRE(ch->size == 1 || ch->transport, TX_ERR_USAGE,
             "a plan of %d ranks, but the GPU was started by one rank alone", ch->size);
  const bool own_sets = !ch->alone && ch->transport->own_sets;
  if (ch->sets == 0) ch->sets = own_sets ? 2 : 1;
  ch->set = room_of(ch, ch->points);
  ch->stream = tx_cuda_stream.halo;
  TX_TRY(create_buffers(ch, own_sets));
  if (!ch->alone) TX_CUDA(cudaEventCreateWithFlags(&ch->vacant, cudaEventDisableTiming));
  return TX_OK;
}

tx_status tx_cuda_channel_create(tx_cuda_channel *ch) {
  TX_TRY(create_channel(ch));
  return ch->transport ? ch->transport->create(ch) : TX_OK;
}

tx_status tx_cuda_channels_connect(int n, tx_cuda_channel *const ch[]) {
  const tx_transport *transport = ch[0]->transport;
  return transport && transport->connect ? transport->connect(n, ch) : TX_OK;
}

void tx_cuda_channel_destroy(tx_cuda_channel *ch) {
  if (ch->transport) ch->transport->destroy(ch);
  if (ch->vacant) (void)cudaEventDestroy(ch->vacant);
  tx_cuda_free(ch->buffers);
}

void tx_cuda_channel_begin(tx_cuda_channel *ch, int set) {
  ch->number++;
  ch->current = set;
}

void tx_cuda_channel_turn(tx_cuda_channel *ch) {
  tx_cuda_channel_begin(ch, (int)((ch->number + 1) % (uint64_t)ch->sets));
}

tx_cuda_outputs tx_cuda_channel_outputs(const tx_cuda_channel *ch, int phase) {
  const tx_cuda_phase *p = &ch->phase[phase];
  return {p->send, p->outbox ? p->outbox + ch->current * p->n_to : NULL};
}

tx_status tx_cuda_channel_poison(const tx_cuda_channel *ch) {
  const size_t vars = (size_t)ch->max_vars;
  for (int set = 0; set < ch->sets && ch->received; set++)
    TX_TRY(tx_cuda_fill_nan(ch->received + set * ch->set, vars * (size_t)ch->points));
  for (int p = 0; p < ch->n_phases; p++)
    TX_TRY(tx_cuda_fill_nan(ch->phase[p].send, vars * (size_t)ch->phase[p].points));
  return TX_OK;
}
