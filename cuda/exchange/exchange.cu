/* Halo exchange between GPUs: the order of events on the streams. */
#include "cuda/exchange/transport.h"

/* Halo of a plan. The slots are the sets of its channel; own points are there once. */
struct tx_cuda_halo {
  tx_cuda_channel ghosts;
  bool finished; /* all that waits for other ranks is enqueued */
  /* Recorded: regions of local octants are assembled; early sources are interpolated (compute). That all is there:
   * TX_CUDA_GHOSTS_READY. */
  cudaEvent_t assembled, early;
  uint64_t interior; /* stamp when the interior stage began, 0: not since the ghosts began */
  cudaEvent_t forked, staged, outer; /* see tx_cuda_stage_fork: begin; ends of its streams */
};

static void describe_halo(const tx_exec *x, tx_cuda_channel *ch) {
  const tx_mesh *mesh = x->mesh;
  const tx_ghost_plan *g = &mesh->ghosts;
  const tx_cuda *c = tx_cuda_of(x);
  ch->comm = mesh->comm;
  ch->rank = mesh->rank;
  ch->size = mesh->size;
  ch->max_vars = x->max_vars;
  ch->n_phases = mesh->level ? 1 : 2; /* a level's refinement boundary is filled by levels.cu */
  const tx_cuda_pack_plan *p = &c->pack_plan;
  ch->phase[0] = {p->send1_to,     p->recv1_from,  g->n_send1_to, g->n_recv1_from,
                  p->send1_points, TX_TAG_GHOSTS1, NULL,          NULL};
  if (!mesh->level)
    ch->phase[1] = {g->send2_to,     p->recv2_from,  g->n_send2_to, g->n_recv2_from,
                    g->send2_points, TX_TAG_GHOSTS2, NULL,          NULL};
  ch->points = p->received_points;
}

static size_t own_doubles(const tx_exec *x) {
  const tx_cuda *c = tx_cuda_of(x);
  return (size_t)(c->own_points + c->extra_points) * (size_t)x->max_vars;
}

static tx_status create_halo(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  TX_TRY(tx_alloc(1, sizeof *c->halo, "halo", &c->halo));
  tx_cuda_halo *h = c->halo;
  describe_halo(x, &h->ghosts);
  TX_TRY(tx_cuda_alloc(own_doubles(x) * sizeof(double), "ghost slots", &c->mesh.own));
  TX_CUDA(cudaEventCreateWithFlags(&h->assembled, cudaEventDisableTiming));
  TX_CUDA(cudaEventCreateWithFlags(&h->early, cudaEventDisableTiming));
  TX_CUDA(cudaEventCreateWithFlags(&h->forked, cudaEventDisableTiming));
  TX_CUDA(cudaEventCreateWithFlags(&h->staged, cudaEventDisableTiming));
  TX_CUDA(cudaEventCreateWithFlags(&h->outer, cudaEventDisableTiming));
  return TX_OK;
}

tx_status tx_cuda_halo_create(tx_exec *x) {
  TX_TRY(create_halo(x));
  tx_cuda_channel *ch = &tx_cuda_of(x)->halo->ghosts;
  TX_TRY(tx_cuda_channel_create(ch));
  tx_cuda_of(x)->mesh.slots = ch->received;
  return TX_OK;
}

tx_status tx_cuda_connect(int n, tx_exec *const x[]) {
  std::vector<tx_cuda_channel *> all;
  for (int i = 0; i < n; i++) {
    all.push_back(&tx_cuda_of(x[i])->halo->ghosts);
    tx_cuda_level_channels(x[i], &all);
  }
  return tx_cuda_channels_connect((int)all.size(), all.data());
}

void tx_cuda_halo_destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  tx_cuda_halo *h = c->halo;
  if (!h) return;
  tx_cuda_channel_destroy(&h->ghosts);
  tx_cuda_free(c->mesh.own);
  tx_cuda_event_destroy(h->assembled);
  tx_cuda_event_destroy(h->early);
  tx_cuda_event_destroy(h->forked);
  tx_cuda_event_destroy(h->staged);
  tx_cuda_event_destroy(h->outer);
  tx_free(h);
  c->halo = NULL;
}

tx_cuda_outputs tx_cuda_ghost_outputs(const tx_exec *x, int phase) {
  return tx_cuda_channel_outputs(&tx_cuda_of(x)->halo->ghosts, phase - 1);
}

static tx_status poison_halo(const tx_exec *x) {
  TX_TRY(tx_cuda_wait());
  TX_TRY(tx_cuda_channel_poison(&tx_cuda_of(x)->halo->ghosts));
  TX_TRY(tx_cuda_fill_nan(tx_cuda_of(x)->mesh.own, own_doubles(x)));
  return tx_cuda_wait();
}

tx_status tx_cuda_halo_poison(tx_exec *x) {
  /* Nobody sends before all slots are poisoned. */
  return tx_agree(x->mesh->comm, poison_halo(x));
}

/* Fill the ghosts of one rank alone, all in order on one stream. */
static tx_status fill_alone(tx_exec *x, const tx_field *f) {
  TX_TRY(tx_cuda_assemble_local(x, f, tx_cuda_stream.compute));
  if (!x->mesh->level)
    TX_TRY(tx_cuda_interpolate(x, f, 0, x->mesh->ghosts.n_source, tx_cuda_stream.compute));
  TX_CUDA(cudaEventRecord(tx_cuda_of(x)->ready[TX_CUDA_GHOSTS_READY], tx_cuda_stream.compute));
  return TX_OK;
}

/* Begin the next exchange, with the other set of slots: a sender may be one exchange ahead of its receiver. */
static void begin_exchange(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  tx_cuda_halo *h = c->halo;
  tx_cuda_channel_turn(&h->ghosts);
  h->finished = false;
  h->interior = 0;
  c->mesh.slots = tx_cuda_channel_set(&h->ghosts);
}

/* Pack and send phase 1 as soon as f is there and nobody reads the slots any more. */
static tx_status send_phase1(tx_exec *x, const tx_field *f) {
  tx_cuda_channel *ch = &tx_cuda_of(x)->halo->ghosts;
  TX_CUDA(cudaEventRecord(ch->vacant, tx_cuda_stream.compute));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, ch->vacant, 0));
  TX_TRY(tx_cuda_pack(x, f, tx_cuda_stream.halo));
  return ch->transport->send(ch, 0, f->n_vars);
}

/* Fill the ghosts that need no messages. */
static tx_status fill_early(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_cuda_halo *h = tx_cuda_of(x)->halo;
  TX_TRY(tx_cuda_assemble_local(x, f, tx_cuda_stream.compute));
  if (x->mesh->level) return TX_OK;
  TX_CUDA(cudaEventRecord(h->assembled, tx_cuda_stream.compute));
  TX_TRY(tx_cuda_interpolate(x, f, 0, g->n_source_early, tx_cuda_stream.compute));
  TX_CUDA(cudaEventRecord(h->early, tx_cuda_stream.compute));
  return TX_OK;
}

static tx_status receive_ghosts(tx_exec *x, int phase, int n_vars) {
  tx_cuda_channel *ch = &tx_cuda_of(x)->halo->ghosts;
  return ch->transport->receive ? ch->transport->receive(ch, phase, n_vars) : TX_OK;
}

/* Fill the ghosts that need the messages of phase 1. */
static tx_status fill_late(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_cuda_halo *h = tx_cuda_of(x)->halo;
  TX_TRY(tx_cuda_assemble_received(x, f, tx_cuda_stream.halo));
  if (g->n_source == g->n_source_early) return TX_OK;
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, h->assembled, 0));
  return tx_cuda_interpolate(x, f, g->n_source_early, g->n_source, tx_cuda_stream.halo);
}

static tx_status send_phase2(tx_exec *x, const tx_field *f) {
  tx_cuda_halo *h = tx_cuda_of(x)->halo;
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, h->early, 0));
  return h->ghosts.transport->send(&h->ghosts, 1, f->n_vars);
}

static tx_status record_ready(const tx_exec *x) {
  TX_CUDA(cudaEventRecord(tx_cuda_of(x)->ready[TX_CUDA_GHOSTS_READY], tx_cuda_stream.halo));
  return TX_OK;
}

/* Enqueue all that waits for other ranks, and all that they wait for, even after a failure. */
static tx_status finish_exchange(tx_exec *x, const tx_field *f) {
  tx_status status = receive_ghosts(x, 0, f->n_vars);
  TX_KEEP(status, fill_late(x, f));
  if (!x->mesh->level) {
    TX_KEEP(status, send_phase2(x, f));
    TX_KEEP(status, receive_ghosts(x, 1, f->n_vars));
  }
  TX_KEEP(status, record_ready(x));
  tx_cuda_of(x)->halo->finished = true;
  return status;
}

static tx_status ghosts_begin(tx_exec *x, const tx_field *f) {
  const tx_cuda_halo *h = tx_cuda_of(x)->halo;
  if (h->ghosts.alone) return fill_alone(x, f);
  TX_TRY(tx_cuda_transport_check());
  begin_exchange(x);
  TX_TRY(send_phase1(x, f));
  TX_TRY(fill_early(x, f));
  return h->ghosts.transport->host ? TX_OK : finish_exchange(x, f);
}

tx_status tx_cuda_ghosts_begin(tx_exec *x, const tx_field *f) {
  return tx_cuda_watch_failed(ghosts_begin(x, f));
}

static tx_status ghosts_end(tx_exec *x, const tx_field *f) {
  const tx_cuda *c = tx_cuda_of(x);
  if (c->halo->ghosts.alone) return TX_OK;
  if (!c->halo->finished) TX_TRY(finish_exchange(x, f));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.compute, c->ready[TX_CUDA_GHOSTS_READY], 0));
  return TX_OK;
}

tx_status tx_cuda_ghosts_end(tx_exec *x, const tx_field *f) {
  return tx_cuda_watch_failed(ghosts_end(x, f));
}

tx_status tx_cuda_stage_fork(tx_exec *x, const tx_set *set, const tx_stage *stage,
                             tx_cuda_fork *out) {
  const tx_cuda *c = tx_cuda_of(x);
  tx_cuda_halo *h = c->halo;
  const cudaStream_t compute = tx_cuda_stream.compute;
  *out = {compute, compute};
  if (h->ghosts.alone) return TX_OK;
  /* The callers have stamped the fields that this stage writes; no other operation has since that of x->interior. */
  const uint64_t own = stage->next ? 2 : 1;
  const bool after_interior =
      set == x->boundary && h->interior > 0 && x->stamp == h->interior + own;
  h->interior = set == x->interior ? x->stamp : 0;
  cudaEvent_t begin = c->ready[TX_CUDA_GHOSTS_READY];
  if (after_interior) {
    out->stage = tx_cuda_stream.boundary;
    TX_CUDA(cudaStreamWaitEvent(out->stage, begin, 0));
  }
  if (tx_cuda_set_of(set)->n_outer == 0) return TX_OK;
  out->boundary = tx_cuda_stream.outer;
  if (!after_interior) {
    begin = h->forked;
    TX_CUDA(cudaEventRecord(begin, compute));
  }
  TX_CUDA(cudaStreamWaitEvent(out->boundary, begin, 0));
  return TX_OK;
}

tx_status tx_cuda_stage_join(tx_exec *x, const tx_cuda_fork *fork) {
  const tx_cuda_halo *h = tx_cuda_of(x)->halo;
  if (fork->stage != tx_cuda_stream.compute) {
    TX_CUDA(cudaEventRecord(h->staged, fork->stage));
    TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.compute, h->staged, 0));
  }
  if (fork->boundary != tx_cuda_stream.compute) {
    TX_CUDA(cudaEventRecord(h->outer, fork->boundary));
    TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.compute, h->outer, 0));
  }
  return TX_OK;
}

tx_status tx_cuda_redistribute(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                               tx_field *out) {
  tx_cuda_channel *ch = &tx_cuda_of(x)->halo->ghosts;
  if (!ch->transport) return TX_OK;
  return tx_cuda_watch_failed(ch->transport->redistribute(ch, t, send_buffer, out));
}
