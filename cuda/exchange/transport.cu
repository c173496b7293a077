/* Choice of the transport between GPUs. */
#include "cuda/exchange/transport.h"

#include "cuda/exchange/peer_memory.h"

/* All transports, fastest first. */
static const tx_transport *const candidates[] = {
    &tx_transport_peer, &tx_transport_peer_nccl,   &tx_transport_nccl,  &tx_transport_peer_mpi,
    &tx_transport_mpi,  &tx_transport_peer_staged, &tx_transport_staged};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

static const tx_transport *chosen;
static MPI_Comm started = MPI_COMM_NULL;
static char why[2048];

static double patience_s = 600.0;
static int64_t piece, direct = -1;

void tx_cuda_transport_limits(double wait_s, int64_t piece_doubles, int64_t direct_bytes) {
  patience_s = wait_s;
  piece = piece_doubles;
  direct = direct_bytes;
}

int64_t tx_cuda_transport_direct(int64_t usual) {
  return direct >= 0 ? direct : usual;
}

double tx_cuda_transport_patience(void) {
  return patience_s;
}

int64_t tx_cuda_transport_piece(int64_t usual) {
  return piece > 0 ? piece : usual;
}

const tx_transport *tx_cuda_transport_chosen(void) {
  return chosen;
}

const char *tx_cuda_transport(void) {
  return chosen ? chosen->name : "none";
}

const char *tx_cuda_transport_why(void) {
  return why;
}

/* Add a reason to `why`; hierarchical transports fail for reasons of their parts. */
static void explain(const char *name, const char *reason) {
  if (strstr(why, reason)) return;
  const size_t used = strlen(why);
  snprintf(why + used, sizeof why - used, "%s%s: %s", used ? "; " : "", name, reason);
}

/* Start a transport; if it does not work, say so in `why` and forget the failure. Collective. */
static bool works(const tx_transport *t, MPI_Comm comm) {
  if (t->start(comm) == TX_OK) return true;
  explain(t->name, tx_error_text());
  t->stop();
  tx_error_clear();
  (void)cudaGetLastError();
  return false;
}

static void warn_if_staged(void) {
  if (chosen == &tx_transport_staged || chosen == &tx_transport_peer_staged)
    tx_warn("GPUs exchange ghosts through host memory%s, which is slow. Faster transports do not "
            "work: %s",
            chosen == &tx_transport_staged ? "" : " between hosts", why);
}

static tx_status start_asked(MPI_Comm comm, int asked) {
  bool known = false;
  for (int i = 0; i < CANDIDATES && !chosen; i++) {
    if ((int)candidates[i]->word != asked) continue;
    known = true;
    if (works(candidates[i], comm)) chosen = candidates[i];
  }
  TX_REQUIRE(known, TX_ERR_USAGE, "transport number %d is unknown", asked);
  TX_REQUIRE(chosen, TX_ERR_LIBRARY,
             "compute.transport does not work here: %s; auto takes the fastest that works", why);
  if (asked != TX_TRANSPORT_STAGED) warn_if_staged();
  snprintf(why, sizeof why, "as compute.transport asks");
  return TX_OK;
}

static tx_status start_any(MPI_Comm comm) {
  for (int i = 0; i < CANDIDATES && !chosen; i++)
    if (works(candidates[i], comm)) chosen = candidates[i];
  TX_REQUIRE(chosen, TX_ERR_LIBRARY, "no transport between GPUs works: %s", why);
  if (chosen == candidates[0]) snprintf(why, sizeof why, "the fastest, and it works");
  warn_if_staged();
  return TX_OK;
}

/* Start the watch. Without it, the launcher has to end all ranks when one has ended. */
static void watch_start(MPI_Comm comm) {
  if (tx_cuda_watch_start(comm, chosen) == TX_OK) return;
  tx_warn("ranks do not watch over each other: %s. If one ends, the others may wait for it",
          tx_error_text());
  tx_cuda_watch_stop();
  tx_error_clear();
}

tx_status tx_cuda_transport_start(MPI_Comm comm, int asked) {
  int size = 0;
  TX_MPI(MPI_Comm_size(comm, &size));
  chosen = NULL;
  started = comm;
  why[0] = '\0';
  if (size == 1) {
    snprintf(why, sizeof why, "one rank");
    return TX_OK;
  }
  TX_TRY(tx_peer_pretend_hosts(comm));
  tx_status status = asked == TX_TRANSPORT_AUTO ? start_any(comm) : start_asked(comm, asked);
  if (status == TX_OK) watch_start(comm);
  return status;
}

void tx_cuda_transport_stop(void) {
  tx_cuda_watch_stop();
  if (chosen) chosen->stop();
  chosen = NULL;
  started = MPI_COMM_NULL;
}

static tx_status translate(MPI_Comm comm, int size, int *own, int *out) {
  MPI_Group of, all;
  for (int r = 0; r < size; r++) own[r] = r;
  TX_MPI(MPI_Comm_group(comm, &of));
  TX_MPI(MPI_Comm_group(started, &all));
  TX_MPI(MPI_Group_translate_ranks(of, size, own, all, out));
  TX_MPI(MPI_Group_free(&of));
  TX_MPI(MPI_Group_free(&all));
  for (int r = 0; r < size; r++)
    TX_REQUIRE(out[r] != MPI_UNDEFINED, TX_ERR_USAGE,
               "rank %d of a plan is not among those that started their GPUs together", r);
  return TX_OK;
}

tx_status tx_cuda_ranks(MPI_Comm comm, int *out) {
  int size = 0;
  int *own = NULL;
  TX_MPI(MPI_Comm_size(comm, &size));
  TX_TRY(tx_alloc((size_t)size, sizeof *own, "ranks", &own));
  const tx_status status = translate(comm, size, own, out);
  tx_free(own);
  return status;
}
