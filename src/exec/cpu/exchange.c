/* The CPU's exchange of ghosts: two rounds of messages, each received where it is used. On grids of levels, of the two
 * only the first is part of it; the second one carries stored stages, which are received when they are needed. */
#include "exec/cpu/cpu.h"

#include "base/timer.h"

/* The four groups of requests. */
static MPI_Request *recv1(const tx_exec *x) {
  return ((const tx_cpu *)x->state)->requests;
}
static MPI_Request *recv2(const tx_exec *x) {
  return recv1(x) + x->mesh->ghosts.n_recv1_from;
}
static MPI_Request *send1(const tx_exec *x) {
  return recv2(x) + x->mesh->ghosts.n_recv2_from;
}
static MPI_Request *send2(const tx_exec *x) {
  return send1(x) + x->mesh->ghosts.n_send1_to;
}

/* Messages of a phase, and the buffer that they go to, which begins with point `first`. */
typedef struct incoming {
  int n;
  const tx_message *from;
  tx_tag tag;
  double *buffer;
  int64_t first;
} incoming;

static tx_status receive(const tx_exec *x, int n_vars, incoming in, MPI_Request *requests) {
  for (int i = 0; i < in.n; i++)
    TX_MPI(MPI_Irecv(in.buffer + (size_t)n_vars * (size_t)(in.from[i].at - in.first),
                     (int)in.from[i].n * n_vars, MPI_DOUBLE, in.from[i].rank, (int)in.tag,
                     x->mesh->comm, &requests[i]));
  return TX_OK;
}

/* Messages of a phase, and the buffer that they lie in. */
typedef struct outgoing {
  int n;
  const tx_message *to;
  tx_tag tag;
  const double *buffer;
} outgoing;

static tx_status transmit(const tx_exec *x, int n_vars, outgoing out, MPI_Request *requests) {
  for (int i = 0; i < out.n; i++)
    TX_MPI(MPI_Isend(out.buffer + (size_t)n_vars * (size_t)out.to[i].at, (int)out.to[i].n * n_vars,
                     MPI_DOUBLE, out.to[i].rank, (int)out.tag, x->mesh->comm, &requests[i]));
  return TX_OK;
}

static tx_status wait(int n, MPI_Request *requests) {
  TX_MPI(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
  return TX_OK;
}

/* Post receives, pack and send phase 1. */
static tx_status phase1_begin(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_cpu *cpu = x->state;
  const incoming in = {g->n_recv1_from, g->recv1_from, TX_TAG_GHOSTS1, cpu->slots, 0};
  TX_TRY(receive(x, f->n_vars, in, recv1(x)));
  TX_TRY(tx_cpu_pack(x, f));
  const outgoing out = {g->n_send1_to, g->send1_to, TX_TAG_GHOSTS1, cpu->send1};
  return transmit(x, f->n_vars, out, send1(x));
}

/* Interpolation from sources [first, last), timed as such. */
static tx_status interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last) {
  if (first == last) return TX_OK;
  tx_phase_begin(TX_PHASE_GHOSTS);
  tx_status status = tx_cpu_interpolate(x, f, first, last);
  tx_phase_end(TX_PHASE_GHOSTS);
  return status;
}

static tx_status send2_begin(tx_exec *x, int n_vars, tx_tag tag) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const double *buffer = ((const tx_cpu *)x->state)->send2;
  return transmit(x, n_vars, (outgoing){g->n_send2_to, g->send2_to, tag, buffer}, send2(x));
}

tx_status tx_cpu_ghosts_begin(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  if (x->mesh->level) return phase1_begin(x, f);
  const tx_cpu *cpu = x->state;
  const incoming in = {g->n_recv2_from, g->recv2_from, TX_TAG_GHOSTS2, cpu->slots, 0};
  TX_TRY(receive(x, f->n_vars, in, recv2(x)));
  TX_TRY(phase1_begin(x, f));
  TX_TRY(interpolate(x, f, 0, g->n_source_early));
  TX_TRY(wait(g->n_recv1_from, recv1(x)));
  TX_TRY(interpolate(x, f, g->n_source_early, g->n_source));
  return send2_begin(x, f->n_vars, TX_TAG_GHOSTS2);
}

tx_status tx_cpu_ghosts_end(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  (void)f;
  if (!x->mesh->level) return wait(g->n_recv2_from + g->n_send1_to + g->n_send2_to, recv2(x));
  TX_TRY(wait(g->n_recv1_from, recv1(x)));
  return wait(g->n_send1_to, send1(x));
}

static MPI_Request *stage_requests(const tx_exec *fine, int k) {
  return ((const tx_cpu *)fine->state)->level->stage_requests + k * fine->mesh->ghosts.n_recv2_from;
}

tx_status tx_cpu_stage_wait(tx_exec *fine, int k) {
  return wait(fine->mesh->ghosts.n_recv2_from, stage_requests(fine, k));
}

tx_status tx_cpu_stage_sent(tx_exec *coarse) {
  return wait(coarse->mesh->ghosts.n_send2_to, send2(coarse));
}

tx_status tx_cpu_stage_receive(tx_exec *fine, int k, int n_vars) {
  const tx_ghost_plan *g = &fine->mesh->ghosts;
  double *buffer = tx_cpu_stored_stage(((const tx_cpu *)fine->state)->level, k);
  const incoming in = {g->n_recv2_from, g->recv2_from, TX_TAG_STAGE, buffer,
                       fine->mesh->level->boundary_at};
  return receive(fine, n_vars, in, stage_requests(fine, k));
}

tx_status tx_cpu_stage_send(tx_exec *coarse, int n_vars) {
  return send2_begin(coarse, n_vars, TX_TAG_STAGE);
}

/* Messages count children: their points that are injected. */
tx_status tx_cpu_children_begin(tx_exec *fine, int n_vars) {
  const tx_level_plan *plan = fine->mesh->level;
  const tx_cpu_level *level = ((const tx_cpu *)fine->state)->level;
  const int points = n_vars * TX_CPU_CHILD;
  const incoming in = {plan->n_receive_from, plan->receive_from, TX_TAG_INJECT, level->received, 0};
  const outgoing out = {plan->n_send_to, plan->send_to, TX_TAG_INJECT, level->sent};
  TX_TRY(receive(fine, points, in, level->inject_requests));
  return transmit(fine, points, out, level->inject_requests + plan->n_receive_from);
}

tx_status tx_cpu_children_end(tx_exec *fine) {
  const tx_level_plan *plan = fine->mesh->level;
  return wait(plan->n_receive_from + plan->n_send_to,
              ((const tx_cpu *)fine->state)->level->inject_requests);
}
