/* The CPU's exchange of ghosts: two rounds of messages, each received where it is used. */
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

static tx_status receive(const tx_exec *x, int n_vars, int n, const tx_message *from, tx_tag tag,
                         MPI_Request *requests) {
  for (int i = 0; i < n; i++)
    TX_MPI(MPI_Irecv(((const tx_cpu *)x->state)->slots + (size_t)n_vars * (size_t)from[i].at,
                     (int)from[i].n * n_vars, MPI_DOUBLE, from[i].rank, tag, x->mesh->comm,
                     &requests[i]));
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
                     MPI_DOUBLE, out.to[i].rank, out.tag, x->mesh->comm, &requests[i]));
  return TX_OK;
}

static tx_status wait(int n, MPI_Request *requests) {
  TX_MPI(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
  return TX_OK;
}

/* Post all receives, pack and send phase 1. */
static tx_status phase1_begin(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  TX_TRY(receive(x, f->n_vars, g->n_recv1_from, g->recv1_from, TX_TAG_GHOSTS1, recv1(x)));
  TX_TRY(receive(x, f->n_vars, g->n_recv2_from, g->recv2_from, TX_TAG_GHOSTS2, recv2(x)));
  TX_TRY(tx_cpu_pack(x, f));
  const double *buffer = ((const tx_cpu *)x->state)->send1;
  return transmit(x, f->n_vars, (outgoing){g->n_send1_to, g->send1_to, TX_TAG_GHOSTS1, buffer},
                  send1(x));
}

/* Interpolation from sources [first, last), timed as such. */
static tx_status interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last) {
  if (first == last) return TX_OK;
  tx_phase_begin(TX_PHASE_GHOSTS);
  tx_status status = tx_cpu_interpolate(x, f, first, last);
  tx_phase_end(TX_PHASE_GHOSTS);
  return status;
}

tx_status tx_cpu_ghosts_begin(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  TX_TRY(phase1_begin(x, f));
  TX_TRY(interpolate(x, f, 0, g->n_source_early));
  TX_TRY(wait(g->n_recv1_from, recv1(x)));
  TX_TRY(interpolate(x, f, g->n_source_early, g->n_source));
  const double *buffer = ((const tx_cpu *)x->state)->send2;
  return transmit(x, f->n_vars, (outgoing){g->n_send2_to, g->send2_to, TX_TAG_GHOSTS2, buffer},
                  send2(x));
}

tx_status tx_cpu_ghosts_end(tx_exec *x, const tx_field *f) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  (void)f;
  return wait(g->n_recv2_from + g->n_send1_to + g->n_send2_to, recv2(x));
}
