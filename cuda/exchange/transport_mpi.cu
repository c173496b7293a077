/* Transport by MPI, driven by the host: straight from and to the GPU's memory where MPI is
 * GPU-aware, else through page-locked memory of the host. */
#include <algorithm>
#include <vector>

#include "cuda/exchange/transport.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

/* MPI's part of a channel. */
struct mpi_plan {
  bool staged;
  /* Staged: copies of the send buffers; received points of all phases; page-locked memory that holds them. */
  double *out[TX_CUDA_PHASES], *in;
  void *page_locked;
  cudaEvent_t *ready;   /* message i may go; one for all unless staged */
  cudaEvent_t uploaded; /* staged: what was received is where it belongs */
  MPI_Request *request; /* receives, then sends */
  int n_ready;
};

static mpi_plan *plan_of(const tx_cuda_channel *ch) {
  return static_cast<mpi_plan *>(ch->state);
}

/* Allocate page-locked copies of send buffers and received points. */
static tx_status create_staging(tx_cuda_channel *ch, mpi_plan *p) {
  const size_t vars = (size_t)ch->max_vars;
  int64_t sent = 0, received = 0;
  for (int phase = 0; phase < ch->n_phases; phase++) {
    const tx_cuda_phase *m = &ch->phase[phase];
    sent += m->points;
    for (int i = 0; i < m->n_from; i++) received = std::max(received, m->from[i].at + m->from[i].n);
  }
  TX_TRY(tx_cuda_host_alloc(vars * (size_t)(sent + received) * sizeof(double), "staging buffers",
                            &p->page_locked));
  double *at = static_cast<double *>(p->page_locked);
  for (int phase = 0; phase < ch->n_phases; phase++) {
    p->out[phase] = at;
    at += vars * (size_t)ch->phase[phase].points;
  }
  p->in = at;
  return TX_OK;
}

static tx_status mpi_plan_create(tx_cuda_channel *ch, bool staged) {
  mpi_plan *p = NULL;
  int most = 0, most_from = 0;
  TX_TRY(tx_alloc(1, sizeof *p, "halo", &p));
  ch->state = p;
  p->staged = staged;
  for (int phase = 0; phase < ch->n_phases; phase++) {
    most = std::max(most, ch->phase[phase].n_to);
    most_from = std::max(most_from, ch->phase[phase].n_from);
  }
  p->n_ready = staged ? most : 1;
  TX_TRY(tx_alloc((size_t)(most + most_from), sizeof *p->request, "halo", &p->request));
  TX_TRY(tx_alloc((size_t)p->n_ready, sizeof *p->ready, "halo", &p->ready));
  for (int i = 0; i < p->n_ready; i++)
    TX_CUDA(cudaEventCreateWithFlags(&p->ready[i], cudaEventDisableTiming));
  TX_CUDA(cudaEventCreateWithFlags(&p->uploaded, cudaEventDisableTiming));
  return staged ? create_staging(ch, p) : TX_OK;
}

static void mpi_plan_destroy(tx_cuda_channel *ch) {
  mpi_plan *p = plan_of(ch);
  if (!p) return;
  for (int i = 0; i < p->n_ready && p->ready; i++)
    if (p->ready[i]) (void)cudaEventDestroy(p->ready[i]);
  if (p->uploaded) (void)cudaEventDestroy(p->uploaded);
  tx_cuda_host_free(p->page_locked);
  tx_free(p->ready);
  tx_free(p->request);
  tx_free(p);
}

/* Enqueue the copies of the send buffer to where MPI reads it. */
static tx_status phase_send(tx_cuda_channel *ch, int phase, int n_vars) {
  const tx_cuda_phase *m = &ch->phase[phase];
  const mpi_plan *p = plan_of(ch);
  const size_t vars = (size_t)n_vars;
  for (int i = 0; i < m->n_to && p->staged; i++) {
    const size_t at = vars * (size_t)m->to[i].at;
    TX_CUDA(cudaMemcpyAsync(p->out[phase] + at, m->send + at,
                            vars * (size_t)m->to[i].n * sizeof(double), cudaMemcpyDeviceToHost,
                            ch->stream));
    TX_CUDA(cudaEventRecord(p->ready[i], ch->stream));
  }
  if (!p->staged) TX_CUDA(cudaEventRecord(p->ready[0], ch->stream));
  return TX_OK;
}

static tx_status event_wait(cudaEvent_t event) {
  TX_CUDA(cudaEventSynchronize(event));
  return TX_OK;
}

/* Post receives, then sends, each as soon as its values are ready. Failures on the GPU go to
 * *gpu: messages that others wait for are sent all the same. */
static tx_status post(tx_cuda_channel *ch, int phase, int n_vars, tx_status *gpu) {
  const tx_cuda_phase *m = &ch->phase[phase];
  const mpi_plan *p = plan_of(ch);
  const size_t vars = (size_t)n_vars;
  double *in = p->staged ? p->in : tx_cuda_channel_set(ch);
  const double *out = p->staged ? p->out[phase] : m->send;
  for (int i = 0; i < m->n_from; i++)
    TX_MPI(MPI_Irecv(in + vars * (size_t)m->from[i].at, (int)(vars * (size_t)m->from[i].n),
                     MPI_DOUBLE, m->from[i].rank, m->tag, ch->comm, &p->request[i]));
  for (int i = 0; i < m->n_to; i++) {
    TX_KEEP(*gpu, event_wait(p->ready[p->staged ? i : 0]));
    TX_MPI(MPI_Isend(out + vars * (size_t)m->to[i].at, (int)(vars * (size_t)m->to[i].n), MPI_DOUBLE,
                     m->to[i].rank, m->tag, ch->comm, &p->request[m->n_from + i]));
  }
  return TX_OK;
}

/* Enqueue the copy of a message to the set under way. */
static tx_status upload_message(const tx_cuda_channel *ch, const tx_message *m, size_t vars) {
  const size_t at = vars * (size_t)m->at;
  TX_CUDA(cudaMemcpyAsync(tx_cuda_channel_set(ch) + at, plan_of(ch)->in + at,
                          vars * (size_t)m->n * sizeof(double), cudaMemcpyHostToDevice,
                          ch->stream));
  return TX_OK;
}

/* Wait for the messages. */
static tx_status collect(tx_cuda_channel *ch, int phase, int n_vars) {
  const tx_cuda_phase *m = &ch->phase[phase];
  const mpi_plan *p = plan_of(ch);
  tx_status status = TX_OK;
  for (int n = 0; n < m->n_from; n++) {
    int i = 0;
    TX_MPI(MPI_Waitany(m->n_from, p->request, &i, MPI_STATUS_IGNORE));
    if (p->staged) TX_KEEP(status, upload_message(ch, &m->from[i], (size_t)n_vars));
  }
  TX_MPI(MPI_Waitall(m->n_to, p->request + m->n_from, MPI_STATUSES_IGNORE));
  return status;
}

static tx_status record_uploaded(const tx_cuda_channel *ch) {
  const mpi_plan *p = plan_of(ch);
  if (p->staged) TX_CUDA(cudaEventRecord(p->uploaded, ch->stream));
  return TX_OK;
}

static tx_status phase_receive(tx_cuda_channel *ch, int phase, int n_vars) {
  const mpi_plan *p = plan_of(ch);
  /* From then on nobody reads what was received there before, nor the host's copy of an earlier exchange. */
  tx_status status = event_wait(ch->vacant);
  if (p->staged && phase == 0) TX_KEEP(status, event_wait(p->uploaded));
  TX_TRY(post(ch, phase, n_vars, &status));
  TX_KEEP(status, collect(ch, phase, n_vars));
  TX_KEEP(status, record_uploaded(ch));
  return status;
}

static tx_status mpi_create(tx_cuda_channel *ch) {
  return mpi_plan_create(ch, false);
}

static tx_status staged_create(tx_cuda_channel *ch) {
  return mpi_plan_create(ch, true);
}

/* Exchange octants. Messages count octants, as MPI counts in int. */
static tx_status mpi_exchange_octants(const tx_cuda_channel *ch, const tx_transfer *t,
                                      const double *send_buffer, MPI_Request *request,
                                      tx_field *out) {
  const size_t block = (size_t)out->n_vars * TX_N3;
  MPI_Datatype octant;
  TX_MPI(MPI_Type_contiguous((int)block, MPI_DOUBLE, &octant));
  TX_MPI(MPI_Type_commit(&octant));
  for (int i = 0; i < t->n_recv; i++)
    TX_MPI(MPI_Irecv(out->data + (size_t)t->recv[i].at * block, (int)t->recv[i].n, octant,
                     t->recv[i].rank, TX_TAG_TRANSFER, ch->comm, &request[i]));
  for (int i = 0; i < t->n_send; i++)
    TX_MPI(MPI_Isend(send_buffer + (size_t)tx_send_buffer_at(t, i) * block, (int)t->send[i].n,
                     octant, t->send[i].rank, TX_TAG_TRANSFER, ch->comm, &request[t->n_recv + i]));
  TX_MPI(MPI_Waitall(t->n_recv + t->n_send, request, MPI_STATUSES_IGNORE));
  TX_MPI(MPI_Type_free(&octant));
  return TX_OK;
}

static tx_status mpi_redistribute(tx_cuda_channel *ch, const tx_transfer *t,
                                  const double *send_buffer, tx_field *out) {
  std::vector<MPI_Request> request((size_t)(t->n_recv + t->n_send));
  const cudaError_t code = cudaStreamSynchronize(tx_cuda_stream.compute);
  tx_status status = code == cudaSuccess
                         ? TX_OK
                         : tx_cuda_error(code, "cudaStreamSynchronize", __FILE__, __LINE__);
  status = tx_agree(ch->comm, status);
  return status == TX_OK ? mpi_exchange_octants(ch, t, send_buffer, request.data(), out) : status;
}

struct staged_redistribution {
  const tx_cuda_channel *ch;
  const tx_transfer *t;
  const double *send_buffer;
  tx_field *out;
  int64_t block;  /* doubles of an octant */
  int64_t piece;  /* doubles of each message sent at once */
  double *memory; /* page-locked, a piece of each message */
  std::vector<MPI_Request> request;
};

/* Return the doubles in piece number n of a message. */
static int64_t doubles_of_piece(const staged_redistribution *m, const tx_message *message,
                                int64_t n) {
  const int64_t left = message->n * m->block - n * m->piece;
  return left < 0 ? 0 : left < m->piece ? left : m->piece;
}

/* Copy pieces of the send buffer to the host. */
static tx_status pieces_fetch(staged_redistribution *m, int64_t n) {
  const tx_transfer *t = m->t;
  for (int i = 0; i < t->n_send; i++) {
    const int64_t at = tx_send_buffer_at(t, i) * m->block + n * m->piece;
    const int64_t doubles = doubles_of_piece(m, &t->send[i], n);
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
    const int doubles = (int)doubles_of_piece(m, message, n);
    double *at = m->memory + i * m->piece;
    if (doubles == 0) continue;
    TX_MPI(i < t->n_recv ? MPI_Irecv(at, doubles, MPI_DOUBLE, message->rank, TX_TAG_TRANSFER,
                                     m->ch->comm, &m->request[(size_t)i])
                         : MPI_Isend(at, doubles, MPI_DOUBLE, message->rank, TX_TAG_TRANSFER,
                                     m->ch->comm, &m->request[(size_t)i]));
  }
  return TX_OK;
}

static tx_status pieces_collect(staged_redistribution *m, int64_t n) {
  const tx_transfer *t = m->t;
  TX_MPI(MPI_Waitall(t->n_recv + t->n_send, m->request.data(), MPI_STATUSES_IGNORE));
  for (int i = 0; i < t->n_recv; i++) {
    const int64_t doubles = doubles_of_piece(m, &t->recv[i], n);
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

static tx_status staged_redistribute(tx_cuda_channel *ch, const tx_transfer *t,
                                     const double *send_buffer, tx_field *out) {
  const size_t n = (size_t)(t->n_recv + t->n_send);
  const int64_t piece_doubles = tx_cuda_transport_piece((int64_t)1 << 20);
  double *memory = NULL;
  tx_status status =
      tx_cuda_host_alloc(n * (size_t)piece_doubles * sizeof(double), "staging buffers", &memory);
  status = tx_agree(ch->comm, status);
  staged_redistribution m = {ch,
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

/* Make sure that MPI takes addresses of device memory. Tests that run kernels on the host have
 * one memory, and may say that it does not. */
static tx_status check_mpi_knows_cuda(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  tx_mpi_answer answer = TX_MPI_CANNOT_SAY;
#if defined(TX_CUDA_HOST)
  answer = getenv("TX_CUDA_HOST_PLAIN_MPI") ? TX_MPI_NO : TX_MPI_YES;
#elif defined(MPIX_CUDA_AWARE_SUPPORT)
  answer = MPIX_Query_cuda_support() == 1 ? TX_MPI_YES : TX_MPI_NO;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int knows = 0;
  TX_MPI(MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &knows));
  answer = knows ? TX_MPI_YES : TX_MPI_NO;
#endif
  TX_MPI(MPI_Get_library_version(version, &length));
  return tx_mpi_check_gpus(version, answer, getenv("MPICH_GPU_SUPPORT_ENABLED"));
}

/* Doubles of a trial message, as long as those of a run. */
enum { TRIAL = 1 << 17 };

static tx_status mpi_try_ring(MPI_Comm comm, int rank, int size) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  std::vector<double> host(TRIAL, 1.0 + rank);
  double *out = NULL, *in = NULL;
  TX_TRY(tx_cuda_upload(host.data(), TRIAL * sizeof(double), "halo", &out));
  TX_TRY(tx_cuda_upload(host.data(), TRIAL * sizeof(double), "halo", &in));
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
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &size));
  const tx_status status = tx_agree(comm, check_mpi_knows_cuda());
  return status == TX_OK ? tx_agree(comm, mpi_try_ring(comm, rank, size)) : status;
}

static tx_status staged_start(MPI_Comm comm) {
  return tx_agree(comm, TX_OK);
}

static void nothing_to_stop(void) {}

const tx_transport tx_transport_mpi = {
    "GPU-aware MPI",
    TX_TRANSPORT_MPI,
    false,
    true,
    mpi_start,
    nothing_to_stop,
    mpi_create,
    mpi_plan_destroy,
    NULL,
    phase_send,
    phase_receive,
    NULL,
    mpi_redistribute,
    NULL,
};

const tx_transport tx_transport_staged = {
    "memory of the hosts",
    TX_TRANSPORT_STAGED,
    false,
    true,
    staged_start,
    nothing_to_stop,
    staged_create,
    mpi_plan_destroy,
    NULL,
    phase_send,
    phase_receive,
    NULL,
    staged_redistribute,
    NULL,
};
