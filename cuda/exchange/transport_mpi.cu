/* MPI, which the host drives: straight from and to the GPU's memory where MPI knows how, or else through
 * page-locked memory of the host. */
#include <vector>

#include "cuda/exchange/transport.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

/* Part of a plan. */
struct mpi_plan {
  bool staged;
  double *out[2], *in;  /* staged: copies of the send buffers; received slots of both phases */
  void *page_locked;    /* staged: holds them */
  cudaEvent_t *ready;   /* message i may go; one for all unless staged */
  MPI_Request *request; /* receives, then sends */
  int n_ready;
};

/* One phase of an exchange. */
struct mpi_phase {
  const tx_message *to, *from;
  int n_to, n_from;
  size_t vars;
  tx_tag tag;
};

static mpi_phase phase_of(const tx_exec *x, int phase, int n_vars) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const tx_cuda_pack_plan *p = &tx_cuda_of(x)->pack_plan;
  const size_t vars = (size_t)n_vars;
  if (phase == 0)
    return {p->send1_to, p->recv1_from, g->n_send1_to, g->n_recv1_from, vars, TX_TAG_GHOSTS1};
  return {g->send2_to, g->recv2_from, g->n_send2_to, g->n_recv2_from, vars, TX_TAG_GHOSTS2};
}

static mpi_plan *plan_of(const tx_exec *x) {
  return static_cast<mpi_plan *>(tx_cuda_of(x)->halo->state);
}

/* Send buffer 1, send buffer 2, received in both phases. */
static tx_status create_staging(tx_exec *x, mpi_plan *p) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  const size_t vars = (size_t)x->max_vars;
  int64_t received = 0;
  for (int i = 0; i < g->n_recv1_from; i++) received += g->recv1_from[i].n;
  for (int i = 0; i < g->n_recv2_from; i++) received += g->recv2_from[i].n;
  const size_t part[2] = {vars * (size_t)g->send1_points, vars * (size_t)g->send2_points};
  const size_t doubles = part[0] + part[1] + vars * (size_t)received;
  TX_TRY(tx_cuda_host_alloc(doubles * sizeof(double), "staging buffers", &p->page_locked));
  p->out[0] = static_cast<double *>(p->page_locked);
  p->out[1] = p->out[0] + part[0];
  p->in = p->out[1] + part[1];
  return TX_OK;
}

static tx_status create_local(tx_exec *x, bool staged) {
  const tx_ghost_plan *g = &x->mesh->ghosts;
  mpi_plan *p = NULL;
  TX_TRY(tx_alloc(1, sizeof *p, "halo", &p));
  tx_cuda_of(x)->halo->state = p;
  p->staged = staged;
  const int most = g->n_send1_to > g->n_send2_to ? g->n_send1_to : g->n_send2_to;
  const int most_from = g->n_recv1_from > g->n_recv2_from ? g->n_recv1_from : g->n_recv2_from;
  p->n_ready = staged ? most : 1;
  TX_TRY(tx_alloc((size_t)(most + most_from), sizeof *p->request, "halo", &p->request));
  TX_TRY(tx_alloc((size_t)p->n_ready, sizeof *p->ready, "halo", &p->ready));
  for (int i = 0; i < p->n_ready; i++)
    TX_CUDA(cudaEventCreateWithFlags(&p->ready[i], cudaEventDisableTiming));
  return staged ? create_staging(x, p) : TX_OK;
}

static void plan_destroy(tx_exec *x) {
  mpi_plan *p = plan_of(x);
  if (!p) return;
  for (int i = 0; i < p->n_ready && p->ready; i++)
    if (p->ready[i]) (void)cudaEventDestroy(p->ready[i]);
  tx_cuda_host_free(p->page_locked);
  tx_free(p->ready);
  tx_free(p->request);
  tx_free(p);
}

/* Enqueue the copies of the send buffer to where MPI reads it. */
static tx_status phase_send(tx_exec *x, int phase, int n_vars) {
  const tx_cuda_halo *h = tx_cuda_of(x)->halo;
  const mpi_plan *p = plan_of(x);
  const mpi_phase m = phase_of(x, phase, n_vars);
  for (int i = 0; i < m.n_to && p->staged; i++) {
    const size_t at = m.vars * (size_t)m.to[i].at;
    TX_CUDA(cudaMemcpyAsync(p->out[phase] + at, h->send[phase] + at,
                            m.vars * (size_t)m.to[i].n * sizeof(double), cudaMemcpyDeviceToHost,
                            tx_cuda_stream.halo));
    TX_CUDA(cudaEventRecord(p->ready[i], tx_cuda_stream.halo));
  }
  if (!p->staged) TX_CUDA(cudaEventRecord(p->ready[0], tx_cuda_stream.halo));
  return TX_OK;
}

static tx_status event_wait(cudaEvent_t event) {
  TX_CUDA(cudaEventSynchronize(event));
  return TX_OK;
}

/* Receives, then sends, each as soon as it is ready. What goes wrong on the GPU goes to *gpu: messages that others
 * wait for are sent all the same. */
static tx_status post(tx_exec *x, int phase, const mpi_phase *m, tx_status *gpu) {
  const tx_cuda_halo *h = tx_cuda_of(x)->halo;
  const mpi_plan *p = plan_of(x);
  double *in = p->staged ? p->in : tx_cuda_of(x)->mesh.slots;
  const double *out = p->staged ? p->out[phase] : h->send[phase];
  for (int i = 0; i < m->n_from; i++)
    TX_MPI(MPI_Irecv(in + m->vars * (size_t)m->from[i].at, (int)(m->vars * (size_t)m->from[i].n),
                     MPI_DOUBLE, m->from[i].rank, m->tag, x->mesh->comm, &p->request[i]));
  for (int i = 0; i < m->n_to; i++) {
    TX_KEEP(*gpu, event_wait(p->ready[p->staged ? i : 0]));
    TX_MPI(MPI_Isend(out + m->vars * (size_t)m->to[i].at, (int)(m->vars * (size_t)m->to[i].n),
                     MPI_DOUBLE, m->to[i].rank, m->tag, x->mesh->comm, &p->request[m->n_from + i]));
  }
  return TX_OK;
}

/* Enqueue the copy of message i to the slots. */
static tx_status upload_message(const tx_exec *x, const mpi_phase *m, int i) {
  const size_t at = m->vars * (size_t)m->from[i].at;
  TX_CUDA(cudaMemcpyAsync(tx_cuda_of(x)->mesh.slots + at, plan_of(x)->in + at,
                          m->vars * (size_t)m->from[i].n * sizeof(double), cudaMemcpyHostToDevice,
                          tx_cuda_stream.halo));
  return TX_OK;
}

/* Wait for the messages. */
static tx_status collect(tx_exec *x, const mpi_phase *m) {
  const mpi_plan *p = plan_of(x);
  tx_status status = TX_OK;
  for (int n = 0; n < m->n_from; n++) {
    int i = 0;
    TX_MPI(MPI_Waitany(m->n_from, p->request, &i, MPI_STATUS_IGNORE));
    if (p->staged) TX_KEEP(status, upload_message(x, m, i));
  }
  TX_MPI(MPI_Waitall(m->n_to, p->request + m->n_from, MPI_STATUSES_IGNORE));
  return status;
}

static tx_status phase_receive(tx_exec *x, int phase, int n_vars) {
  const mpi_phase m = phase_of(x, phase, n_vars);
  /* From then on nobody reads what was received for the exchange before. */
  tx_status status = event_wait(tx_cuda_of(x)->halo->written);
  TX_TRY(post(x, phase, &m, &status));
  TX_KEEP(status, collect(x, &m));
  return status;
}

static tx_status mpi_create(tx_exec *x) {
  return tx_agree(x->mesh->comm, create_local(x, false));
}

static tx_status staged_create(tx_exec *x) {
  return tx_agree(x->mesh->comm, create_local(x, true));
}

/* Messages count octants, and MPI counts in int. */
static tx_status mpi_exchange_octants(const tx_exec *x, const tx_transfer *t,
                                      const double *send_buffer, MPI_Request *request,
                                      tx_field *out) {
  const size_t block = (size_t)out->n_vars * TX_N3;
  MPI_Datatype octant;
  TX_MPI(MPI_Type_contiguous((int)block, MPI_DOUBLE, &octant));
  TX_MPI(MPI_Type_commit(&octant));
  for (int i = 0; i < t->n_recv; i++)
    TX_MPI(MPI_Irecv(out->data + (size_t)t->recv[i].at * block, (int)t->recv[i].n, octant,
                     t->recv[i].rank, TX_TAG_TRANSFER, x->mesh->comm, &request[i]));
  for (int i = 0; i < t->n_send; i++)
    TX_MPI(MPI_Isend(send_buffer + (size_t)tx_send_buffer_at(t, i) * block, (int)t->send[i].n,
                     octant, t->send[i].rank, TX_TAG_TRANSFER, x->mesh->comm,
                     &request[t->n_recv + i]));
  TX_MPI(MPI_Waitall(t->n_recv + t->n_send, request, MPI_STATUSES_IGNORE));
  TX_MPI(MPI_Type_free(&octant));
  return TX_OK;
}

static tx_status mpi_redistribute(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                                  tx_field *out) {
  std::vector<MPI_Request> request((size_t)(t->n_recv + t->n_send));
  const cudaError_t code = cudaStreamSynchronize(tx_cuda_stream.compute);
  tx_status status = code == cudaSuccess
                         ? TX_OK
                         : tx_cuda_error(code, "cudaStreamSynchronize", __FILE__, __LINE__);
  status = tx_agree(x->mesh->comm, status);
  return status == TX_OK ? mpi_exchange_octants(x, t, send_buffer, request.data(), out) : status;
}

struct staged_redistribution {
  const tx_exec *x;
  const tx_transfer *t;
  const double *send_buffer;
  tx_field *out;
  int64_t block;  /* doubles of an octant */
  int64_t piece;  /* doubles of each message sent at once */
  double *memory; /* page-locked, a piece of each message */
  std::vector<MPI_Request> request;
};

/* Doubles in piece number n of a message. */
static int64_t piece(const staged_redistribution *m, const tx_message *message, int64_t n) {
  const int64_t left = message->n * m->block - n * m->piece;
  return left < 0 ? 0 : left < m->piece ? left : m->piece;
}

/* Copy pieces of the send buffer to the host. */
static tx_status pieces_fetch(staged_redistribution *m, int64_t n) {
  const tx_transfer *t = m->t;
  for (int i = 0; i < t->n_send; i++) {
    const int64_t at = tx_send_buffer_at(t, i) * m->block + n * m->piece;
    const int64_t doubles = piece(m, &t->send[i], n);
    if (doubles > 0)
      TX_CUDA(cudaMemcpyAsync(m->memory + (t->n_recv + i) * m->piece, m->send_buffer + at,
                              (size_t)doubles * sizeof(double), cudaMemcpyDeviceToHost,
                              tx_cuda_stream.compute));
  }
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  return TX_OK;
}

static tx_status pieces_post(staged_redistribution *m, int64_t n) {
  const tx_transfer *t = m->t;
  for (int i = 0; i < t->n_recv + t->n_send; i++) m->request[(size_t)i] = MPI_REQUEST_NULL;
  for (int i = 0; i < t->n_recv + t->n_send; i++) {
    const tx_message *message = i < t->n_recv ? &t->recv[i] : &t->send[i - t->n_recv];
    const int doubles = (int)piece(m, message, n);
    double *at = m->memory + i * m->piece;
    if (doubles == 0) continue;
    TX_MPI(i < t->n_recv ? MPI_Irecv(at, doubles, MPI_DOUBLE, message->rank, TX_TAG_TRANSFER,
                                     m->x->mesh->comm, &m->request[(size_t)i])
                         : MPI_Isend(at, doubles, MPI_DOUBLE, message->rank, TX_TAG_TRANSFER,
                                     m->x->mesh->comm, &m->request[(size_t)i]));
  }
  return TX_OK;
}

static tx_status pieces_collect(staged_redistribution *m, int64_t n) {
  const tx_transfer *t = m->t;
  TX_MPI(MPI_Waitall(t->n_recv + t->n_send, m->request.data(), MPI_STATUSES_IGNORE));
  for (int i = 0; i < t->n_recv; i++) {
    const int64_t doubles = piece(m, &t->recv[i], n);
    if (doubles > 0)
      TX_CUDA(cudaMemcpyAsync(m->out->data + t->recv[i].at * m->block + n * m->piece,
                              m->memory + i * m->piece, (size_t)doubles * sizeof(double),
                              cudaMemcpyHostToDevice, tx_cuda_stream.compute));
  }
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  return TX_OK;
}

static tx_status pieces_all(staged_redistribution *m) {
  int64_t most = 0;
  tx_status status = TX_OK;
  for (int i = 0; i < m->t->n_recv; i++) most = std::max(most, m->t->recv[i].n * m->block);
  for (int i = 0; i < m->t->n_send; i++) most = std::max(most, m->t->send[i].n * m->block);
  for (int64_t n = 0; n * m->piece < most; n++) {
    TX_KEEP(status, pieces_fetch(m, n));
    TX_TRY(pieces_post(m, n)); /* others wait for it, whatever failed here */
    TX_KEEP(status, pieces_collect(m, n));
  }
  return status;
}

static tx_status staged_redistribute(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                                     tx_field *out) {
  const size_t n = (size_t)(t->n_recv + t->n_send);
  const int64_t piece_doubles = tx_cuda_transport_piece((int64_t)1 << 20);
  double *memory = NULL;
  tx_status status =
      tx_cuda_host_alloc(n * (size_t)piece_doubles * sizeof(double), "staging buffers", &memory);
  status = tx_agree(x->mesh->comm, status);
  staged_redistribution m = {x,
                             t,
                             send_buffer,
                             out,
                             (int64_t)out->n_vars * TX_N3,
                             piece_doubles,
                             memory,
                             std::vector<MPI_Request>(n)};
  TX_THEN(status, pieces_all(&m));
  tx_cuda_host_free(memory);
  return status;
}

/* Whether MPI takes addresses of device memory. Tests that run kernels on the host have one memory. */
static bool mpi_knows_cuda(void) {
#if defined(TX_CUDA_HOST)
  return true;
#elif defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int knows = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &knows) == MPI_SUCCESS && knows;
#else
  return false;
#endif
}

/* A message around the ring, as long as those of a run are. */
enum { TRIAL = 1 << 17 };

static tx_status try_ring(MPI_Comm comm, int rank, int size) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  std::vector<double> host(TRIAL, 1.0 + rank);
  double *out = NULL, *in = NULL;
  TX_TRY(tx_cuda_upload(host.data(), TRIAL * sizeof(double), "halo", &out));
  TX_TRY(tx_cuda_upload(host.data(), TRIAL * sizeof(double), "halo", &in));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  TX_MPI(MPI_Sendrecv(out, TRIAL, MPI_DOUBLE, next, TX_TAG_GHOSTS1, in, TRIAL, MPI_DOUBLE, previous,
                      TX_TAG_GHOSTS1, comm, MPI_STATUS_IGNORE));
  TX_CUDA(cudaMemcpyAsync(host.data(), in, TRIAL * sizeof(double), cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  tx_cuda_free(out);
  tx_cuda_free(in);
  for (double value : host)
    TX_REQUIRE(value == 1.0 + previous, TX_ERR_LIBRARY,
               "a trial message did not arrive: %g, not %d", value, 1 + previous);
  return TX_OK;
}

static tx_status mpi_start(MPI_Comm comm) {
  int rank = 0, size = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &size));
  if (!mpi_knows_cuda())
    status = tx_error_record(TX_ERR_LIBRARY, __FILE__, __LINE__,
                             "this MPI was built without CUDA, or does not say that it was");
  status = tx_agree(comm, status);
  return status == TX_OK ? tx_agree(comm, try_ring(comm, rank, size)) : status;
}

static tx_status staged_start(MPI_Comm comm) {
  return tx_agree(comm, TX_OK);
}

static void nothing_to_stop(void) {}

const tx_transport tx_transport_mpi = {
    "GPU-aware MPI", TX_TRANSPORT_MPI, false,      true,          mpi_start,        nothing_to_stop,
    mpi_create,      plan_destroy,     phase_send, phase_receive, mpi_redistribute,
};

const tx_transport tx_transport_staged = {
    "memory of the hosts", TX_TRANSPORT_STAGED, false,        true,       staged_start,
    nothing_to_stop,       staged_create,       plan_destroy, phase_send, phase_receive,
    staged_redistribute,
};
