/* Exchange between levels: stored stages from the next coarser grid, and children's points to
 * it. */
#include <vector>

#include "cuda/exchange/transport.h"

/* Exchange of a level's plan with the next coarser one.
 *
 * Stored stages have two parts: points sent by other ranks are the sets of a channel, set k of
 * E_k; those interpolated here lie by themselves, where this rank alone writes. All is
 * interpolated on a stream of its own, beside the coarser level's stage; points for other ranks
 * go into a send buffer, messages on the halo stream. A rank stores into the sets of others, so
 * that before the first state of a step all neighbours must have read those of the step before:
 * an empty exchange says so. */
struct tx_cuda_level {
  tx_cuda_channel stages, children;
  tx_message *stages_from; /* as recv2_from of the ghost plan, places within a state */
  tx_message *children_to, *children_from; /* of the level plan, in points */
  int64_t received;     /* points of a state that come from other ranks: the first ones */
  double *here;         /* the parts of the states that are interpolated here; NULL: not yet */
  bool lent;            /* `here` is the caller's */
  int64_t ghost_points; /* the first ones, which ghosts are read from; the rest is for planes */
  const tx_cuda_copy *planes; /* from a state to own points; device, as the lists below */
  const tx_cuda_child *descent, *sent, *arrived;
  void *tables;
  /* Combination that the own points hold, and its number of variables; 0: none. */
  double made_of[TX_STORED_STAGES];
  int made_vars;
  /* Recorded: a combination is made (compute); a state is interpolated (kept); sent (halo); state k has arrived; children
   * have (halo). */
  cudaEvent_t made, interpolated, gone, arrived_state[TX_STORED_STAGES], arrived_children;
  /* Exchanges of states, counted: so far, of which state k came last with, and up to which the compute stream has waited. */
  int64_t exchanges, exchange_of[TX_STORED_STAGES], awaited;
};

static tx_status scale_messages(const tx_message *from, int n, int64_t scale, int64_t shift,
                                tx_message **out) {
  TX_TRY(tx_alloc((size_t)n, sizeof **out, "halo", out));
  for (int i = 0; i < n; i++)
    (*out)[i] = {from[i].rank, scale * from[i].at + shift, scale * from[i].n};
  return TX_OK;
}

static tx_status describe_level(const tx_exec *x, tx_cuda_level *l) {
  const tx_mesh *mesh = x->mesh;
  const tx_level_plan *plan = mesh->level;
  const tx_ghost_plan *g = &mesh->ghosts, *coarse = &x->coarser->mesh->ghosts;
  TX_TRY(scale_messages(g->recv2_from, g->n_recv2_from, 1, -plan->boundary_at, &l->stages_from));
  TX_TRY(scale_messages(plan->send_to, plan->n_send_to, TX_CUDA_CHILD, 0, &l->children_to));
  TX_TRY(scale_messages(plan->receive_from, plan->n_receive_from, TX_CUDA_CHILD, 0,
                        &l->children_from));
  for (int i = 0; i < g->n_recv2_from; i++) l->received += g->recv2_from[i].n;
  l->ghost_points = l->received + tx_cuda_of(x)->interpolated_by.ghost_points;
  tx_cuda_channel *both[2] = {&l->stages, &l->children};
  for (tx_cuda_channel *ch : both) {
    ch->comm = mesh->comm;
    ch->rank = mesh->rank;
    ch->size = mesh->size;
    ch->max_vars = x->max_vars;
    ch->n_phases = 1;
  }
  l->stages.phase[0] = {coarse->send2_to,
                        l->stages_from,
                        coarse->n_send2_to,
                        g->n_recv2_from,
                        coarse->send2_points,
                        TX_TAG_STAGE,
                        NULL,
                        NULL};
  l->stages.buffered = true;
  l->stages.points = l->received;
  l->stages.sets = TX_STORED_STAGES;
  l->children.phase[0] = {l->children_to,
                          l->children_from,
                          plan->n_send_to,
                          plan->n_receive_from,
                          (int64_t)plan->n_send * TX_CUDA_CHILD,
                          TX_TAG_INJECT,
                          NULL,
                          NULL};
  l->children.points = (int64_t)plan->n_receive * TX_CUDA_CHILD;
  return TX_OK;
}

/* List the children of descents; `to`, messages of them, says in which message each lies. */
static std::vector<tx_cuda_child> children_of(const tx_descent *list, tx_lidx n,
                                              const tx_message *to) {
  std::vector<tx_cuda_child> out;
  int message = 0;
  for (tx_lidx i = 0; i < n; i++) {
    while (to && i >= to[message].at + to[message].n) message++;
    out.push_back({list[i].child, list[i].parent, i, (int16_t)message, list[i].number});
  }
  return out;
}

/* Return the copy of a slab that fills a plane, from a state to the octant's points. */
static tx_cuda_copy plane_copy(const tx_cuda *c, const tx_slab *s) {
  tx_cuda_copy copy = tx_cuda_copy_from_stages(c, s);
  copy.to = (int64_t)s->dst * TX_N3;
  copy.to_offset = TX_AT(s->lo[0], s->lo[1], s->lo[2]);
  copy.to_y = TX_N;
  copy.to_z = TX_N * TX_N;
  copy.to_var = TX_N3;
  return copy;
}

static tx_status create_level_tables(const tx_exec *x, tx_cuda_level *l) {
  const tx_level_plan *plan = x->mesh->level;
  std::vector<tx_cuda_copy> planes;
  std::vector<unsigned char> image;
  for (tx_lidx i = 0; i < plan->n_plane; i++)
    planes.push_back(plane_copy(tx_cuda_of(x), &plan->plane[i]));
  const size_t at[4] = {
      tx_cuda_append(&image, planes),
      tx_cuda_append(&image, children_of(plan->descent, plan->n_descent, NULL)),
      tx_cuda_append(&image, children_of(plan->send, plan->n_send, plan->send_to)),
      tx_cuda_append(&image, children_of(plan->receive, plan->n_receive, NULL))};
  TX_TRY(tx_cuda_upload(image.data(), image.size(), "tables of levels", &l->tables));
  unsigned char *there = static_cast<unsigned char *>(l->tables);
  l->planes = reinterpret_cast<const tx_cuda_copy *>(there + at[0]);
  l->descent = reinterpret_cast<const tx_cuda_child *>(there + at[1]);
  l->sent = reinterpret_cast<const tx_cuda_child *>(there + at[2]);
  l->arrived = reinterpret_cast<const tx_cuda_child *>(there + at[3]);
  return TX_OK;
}

static tx_status create_level(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  TX_TRY(tx_alloc(1, sizeof *c->level, "halo", &c->level));
  tx_cuda_level *l = c->level;
  TX_TRY(describe_level(x, l));
  TX_TRY(create_level_tables(x, l));
  cudaEvent_t *events[4] = {&l->made, &l->interpolated, &l->gone, &l->arrived_children};
  for (cudaEvent_t *e : events) TX_CUDA(cudaEventCreateWithFlags(e, cudaEventDisableTiming));
  for (int k = 0; k < TX_STORED_STAGES; k++)
    TX_CUDA(cudaEventCreateWithFlags(&l->arrived_state[k], cudaEventDisableTiming));
  return TX_OK;
}

tx_status tx_cuda_level_create(tx_exec *x) {
  if (!x->coarser) return TX_OK;
  TX_TRY(create_level(x));
  TX_TRY(tx_cuda_channel_create(&tx_cuda_of(x)->level->stages));
  return tx_cuda_channel_create(&tx_cuda_of(x)->level->children);
}

void tx_cuda_level_channels(const tx_exec *x, std::vector<tx_cuda_channel *> *to) {
  tx_cuda_level *l = tx_cuda_of(x)->level;
  if (!l) return;
  to->push_back(&l->stages);
  to->push_back(&l->children);
}

void tx_cuda_level_destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  tx_cuda_level *l = c->level;
  if (!l) return;
  tx_cuda_channel_destroy(&l->stages);
  tx_cuda_channel_destroy(&l->children);
  tx_cuda_event_destroy(l->made);
  tx_cuda_event_destroy(l->interpolated);
  tx_cuda_event_destroy(l->gone);
  tx_cuda_event_destroy(l->arrived_children);
  for (int k = 0; k < TX_STORED_STAGES; k++) tx_cuda_event_destroy(l->arrived_state[k]);
  if (!l->lent) tx_cuda_free(l->here);
  tx_cuda_free(l->tables);
  tx_free(l->stages_from);
  tx_free(l->children_to);
  tx_free(l->children_from);
  tx_free(l);
  c->level = NULL;
}

/* Return the doubles of the part of a state that is interpolated here, rounded up to whole lines
 * of memory. */
static size_t part_doubles(const tx_exec *x) {
  const tx_cuda *c = tx_cuda_of(x);
  const int64_t points = c->own_points - c->level->received;
  return ((size_t)points * (size_t)x->max_vars + 31) & ~(size_t)31;
}

size_t tx_cuda_stored_stages_doubles(const tx_exec *fine) {
  return TX_STORED_STAGES * part_doubles(fine);
}

void tx_cuda_stored_stages_lend(tx_exec *fine, double *block) {
  tx_cuda_level *l = tx_cuda_of(fine)->level;
  if (!l->lent) tx_cuda_free(l->here);
  l->here = block;
  l->lent = block != NULL;
  l->made_vars = 0;
}

/* Allocate memory for interpolated states, if there is none yet. */
static tx_status need_here(const tx_exec *fine) {
  tx_cuda_level *l = tx_cuda_of(fine)->level;
  if (l->here) return TX_OK;
  return tx_cuda_alloc_now(tx_cuda_stored_stages_doubles(fine) * sizeof(double), "stored stages",
                           &l->here);
}

static tx_cuda_stored_stage state_of(const tx_exec *fine, int k) {
  const tx_cuda_level *l = tx_cuda_of(fine)->level;
  return {l->stages.received + k * l->stages.set, l->here + (size_t)k * part_doubles(fine)};
}

static tx_status poison_level(const tx_exec *x) {
  const tx_cuda_level *l = tx_cuda_of(x)->level;
  TX_TRY(tx_cuda_wait());
  tx_cuda_of(x)->level->made_vars = 0;
  if (l->here) TX_TRY(tx_cuda_fill_nan(l->here, tx_cuda_stored_stages_doubles(x)));
  TX_TRY(tx_cuda_channel_poison(&tx_cuda_of(x)->level->stages));
  TX_TRY(tx_cuda_channel_poison(&tx_cuda_of(x)->level->children));
  return tx_cuda_wait();
}

tx_status tx_cuda_level_poison(tx_exec *x) {
  if (!x->coarser) return TX_OK;
  return tx_agree(x->mesh->comm, poison_level(x));
}

static tx_status receive_points(tx_cuda_channel *ch, int n_vars) {
  return ch->transport->receive ? ch->transport->receive(ch, 0, n_vars) : TX_OK;
}

/* Wait, before state k is interpolated, until the send buffer is free and, where others store
 * here unasked, until all have read the states before. */
static tx_status stage_prepare(tx_cuda_level *l, int k) {
  tx_cuda_channel *ch = &l->stages;
  TX_CUDA(cudaEventRecord(ch->vacant, tx_cuda_stream.kept));
  if (k == 0 && ch->transport->meet) {
    TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, ch->vacant, 0));
    TX_TRY(ch->transport->meet(ch));
  }
  tx_cuda_channel_begin(ch, k);
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.kept, l->gone, 0));
  return TX_OK;
}

static tx_status stage_exchange(tx_cuda_level *l, int k, int n_vars) {
  tx_cuda_channel *ch = &l->stages;
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, l->interpolated, 0));
  tx_status status = ch->transport->send(ch, 0, n_vars);
  TX_KEEP(status, receive_points(ch, n_vars));
  TX_CUDA(cudaEventRecord(l->gone, tx_cuda_stream.halo));
  TX_CUDA(cudaEventRecord(l->arrived_state[k], tx_cuda_stream.halo));
  l->exchange_of[k] = ++l->exchanges;
  return status;
}

/* Wait until the ghosts that a state is interpolated from are filled, and the state before it is
 * no longer read. */
static tx_status wait_for_ghosts(const tx_exec *fine, const tx_cuda_level *l) {
  const cudaEvent_t ready = tx_cuda_of(fine->coarser)->ready[TX_CUDA_GHOSTS_READY];
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.kept, ready, 0));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.kept, l->made, 0));
  return TX_OK;
}

static tx_status record_interpolated(const tx_cuda_level *l) {
  TX_CUDA(cudaEventRecord(l->interpolated, tx_cuda_stream.kept));
  return TX_OK;
}

/* Store a state on one rank without overlap: on the stream that f was made on. */
static tx_status keep_alone(tx_exec *fine, int k, const tx_field *f) {
  return tx_cuda_interpolate_stage(fine->coarser, f, state_of(fine, k).here, {},
                                   tx_cuda_stream.compute);
}

static tx_status stage_store(tx_exec *fine, int k, const tx_field *f, bool aside) {
  tx_cuda_level *l = tx_cuda_of(fine)->level;
  tx_cuda_channel *ch = &l->stages;
  tx_status status = TX_OK;
  if (!ch->alone) TX_TRY(tx_cuda_transport_check());
  l->made_vars = 0;
  TX_TRY(need_here(fine));
  if (ch->alone && !aside) return keep_alone(fine, k, f);
  TX_TRY(wait_for_ghosts(fine, l));
  if (!ch->alone) status = stage_prepare(l, k);
  TX_KEEP(status, tx_cuda_interpolate_stage(fine->coarser, f, state_of(fine, k).here,
                                            tx_cuda_channel_outputs(ch, 0), tx_cuda_stream.kept));
  TX_KEEP(status, record_interpolated(l));
  if (!ch->alone) TX_KEEP(status, stage_exchange(l, k, f->n_vars));
  if (!aside) TX_KEEP(status, tx_cuda_stage_stored(fine));
  return status;
}

tx_status tx_cuda_stage_store(tx_exec *fine, int k, const tx_field *f, bool aside) {
  return tx_cuda_watch_failed(stage_store(fine, k, f, aside));
}

tx_status tx_cuda_stage_stored(tx_exec *fine) {
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.compute, tx_cuda_of(fine)->level->interpolated, 0));
  return TX_OK;
}

/* Let the compute stream wait until the states of a combination have arrived. They arrive in
 * order: waiting for the last one, once, is enough. */
static tx_status await_states(tx_cuda_level *l, const double c[TX_STORED_STAGES]) {
  int last = -1;
  for (int k = 0; k < TX_STORED_STAGES; k++)
    if (c[k] != 0.0 && (last < 0 || l->exchange_of[k] > l->exchange_of[last])) last = k;
  if (last < 0 || l->exchange_of[last] <= l->awaited) return TX_OK;
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.compute, l->arrived_state[last], 0));
  l->awaited = l->exchange_of[last];
  return TX_OK;
}

tx_status tx_cuda_level_boundary_make(tx_exec *fine, const double c[TX_STORED_STAGES],
                                      tx_field *f) {
  const tx_level_plan *plan = fine->mesh->level;
  tx_cuda_level *l = tx_cuda_of(fine)->level;
  tx_cuda_stored_stage state[TX_STORED_STAGES];
  double *data = NULL;
  float *single = NULL;
  const bool there = l->made_vars == f->n_vars && memcmp(l->made_of, c, sizeof l->made_of) == 0;
  for (int k = 0; k < TX_STORED_STAGES; k++) state[k] = state_of(fine, k);
  TX_TRY(await_states(l, c));
  TX_TRY(f->single ? tx_cuda_target(f, &single) : tx_cuda_target(f, &data));
  const tx_cuda_level_boundary_parts parts = {f->n_vars,   there ? 0 : l->ghost_points,
                                              l->received, tx_cuda_of(fine)->mesh.own,
                                              l->planes,   plan->n_plane,
                                              data,        single};
  TX_TRY(tx_cuda_combine_states(c, state, &parts, tx_cuda_stream.compute));
  TX_CUDA(cudaEventRecord(l->made, tx_cuda_stream.compute));
  memcpy(l->made_of, c, sizeof l->made_of);
  l->made_vars = f->n_vars;
  return TX_OK;
}

static tx_status send_children(tx_exec *fine, const tx_field *f) {
  tx_cuda_level *l = tx_cuda_of(fine)->level;
  tx_cuda_channel *ch = &l->children;
  TX_TRY(tx_cuda_transport_check());
  TX_CUDA(cudaEventRecord(ch->vacant, tx_cuda_stream.compute));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.halo, ch->vacant, 0));
  tx_cuda_channel_turn(ch);
  tx_status status = tx_cuda_children_pack(l->sent, fine->mesh->level->n_send, f,
                                           tx_cuda_channel_outputs(ch, 0), tx_cuda_stream.halo);
  TX_KEEP(status, ch->transport->send(ch, 0, f->n_vars));
  return status;
}

static tx_status receive_children(tx_exec *fine, tx_field *coarse) {
  tx_cuda_level *l = tx_cuda_of(fine)->level;
  TX_TRY(receive_points(&l->children, coarse->n_vars));
  TX_CUDA(cudaEventRecord(l->arrived_children, tx_cuda_stream.halo));
  TX_CUDA(cudaStreamWaitEvent(tx_cuda_stream.compute, l->arrived_children, 0));
  return tx_cuda_children_unpack(l->arrived, fine->mesh->level->n_receive,
                                 tx_cuda_channel_set(&l->children), coarse, tx_cuda_stream.compute);
}

static tx_status restrict_level(tx_exec *fine, const tx_set *sent, const tx_field *r,
                                tx_field *scratch, tx_field *coarse) {
  const tx_cuda_level *l = tx_cuda_of(fine)->level;
  tx_status status = TX_OK;
  if (!l->children.alone) {
    status = tx_cuda_full_weight(fine, sent, r, scratch);
    TX_KEEP(status, send_children(fine, scratch));
  }
  TX_KEEP(status, tx_cuda_children_weight(l->descent, fine->mesh->level->n_descent, r, coarse));
  if (!l->children.alone) TX_KEEP(status, receive_children(fine, coarse));
  return status;
}

tx_status tx_cuda_restrict_level(tx_exec *fine, const tx_set *sent, const tx_field *r,
                                 tx_field *scratch, tx_field *coarse) {
  return tx_cuda_watch_failed(restrict_level(fine, sent, r, scratch, coarse));
}

tx_status tx_cuda_prolong(tx_exec *fine, const tx_field *v, tx_field *u) {
  return tx_cuda_children_prolong(tx_cuda_of(fine)->level->descent, fine->mesh->level->n_descent, v,
                                  u);
}

static tx_status inject(tx_exec *fine, const tx_field *f, tx_field *coarse) {
  const tx_cuda_level *l = tx_cuda_of(fine)->level;
  tx_status status = TX_OK;
  if (!l->children.alone) status = send_children(fine, f);
  TX_KEEP(status, tx_cuda_children_inject(l->descent, fine->mesh->level->n_descent, f, coarse,
                                          tx_cuda_stream.compute));
  if (!l->children.alone) TX_KEEP(status, receive_children(fine, coarse));
  return status;
}

tx_status tx_cuda_inject(tx_exec *fine, const tx_field *f, tx_field *coarse) {
  return tx_cuda_watch_failed(inject(fine, f, coarse));
}
