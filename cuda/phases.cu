/* Times of the GPU's phases: events around operations on their stream, read later; and ranges that
 * NVIDIA's profilers show.
 *
 * Operations return before they are done, so the host's clock says nothing of them. An operation
 * counts with the time in which no earlier one was still at work. So the seconds of the phases
 * add up to the busy time of the GPU, and the rest of the wall time is idle. Events cost about a
 * microsecond; where one operation follows another without a pause, they share one. */
#include "cuda/device.cuh"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define HAS_NVTX 1
#else
#define HAS_NVTX 0
#endif

/* Room for operations whose events have not been read, and how many may wait before they are
 * read. */
enum { RING = 1024, READ_FROM = 256 };

typedef struct operation {
  cudaEvent_t begin, end;
  bool has_begin; /* false: begun while the one before was still under way */
  int tag;
} operation;

static operation ring[RING];
static unsigned oldest, next; /* indices grow for ever; the ring is [oldest, next) */
/* Event up to which the device has worked without a pause, or been waited for. */
static cudaEvent_t frontier;
static bool ready, failed;
static unsigned calls; /* tx_cuda_calls when the open operation began */

/* Return whether a call succeeded; else stop measuring. Errors show where they matter. */
static bool phases_good(cudaError_t code) {
  if (code == cudaSuccess) return true;
  (void)cudaGetLastError();
  failed = true;
  return false;
}

static double seconds_from(cudaEvent_t from, cudaEvent_t to) {
  float ms = 0.0f;
  return phases_good(cudaEventElapsedTime(&ms, from, to)) && ms > 0.0f ? 1e-3 * ms : 0.0;
}

/* Charge the oldest operation, which is done, with the time that none before it filled. */
static void read_oldest(void) {
  operation *o = &ring[oldest++ % RING];
  const double end = seconds_from(frontier, o->end);
  const double begin = o->has_begin ? seconds_from(frontier, o->begin) : 0.0;
  if (end > begin) tx_work_charge(o->tag, end - begin);
  if (end <= 0.0) return;
  cudaEvent_t read = frontier;
  frontier = o->end;
  o->end = read;
}

static void read_what_is_done(void) {
  while (oldest != next && cudaEventQuery(ring[oldest % RING].end) == cudaSuccess) read_oldest();
  (void)cudaGetLastError();
}

static void settle_operations(void) {
  while (ready && !failed && oldest != next)
    if (phases_good(cudaEventSynchronize(ring[oldest % RING].end))) read_oldest();
}

static cudaStream_t stream_of(bool aside) {
  return aside ? tx_cuda_stream.side : tx_cuda_stream.compute;
}

static void work_begin(int tag, bool aside) {
  if (failed) return;
  calls = tx_cuda_calls;
  if (next - oldest >= READ_FROM) read_what_is_done();
  if (next - oldest >= RING) settle_operations();
  if (failed) return;
  operation *o = &ring[next % RING];
  o->tag = tag;
  const cudaEvent_t last = next == oldest ? frontier : ring[(next - 1) % RING].end;
  /* Work that follows other work without a pause begins at the end of that. */
  o->has_begin = aside || cudaEventQuery(last) == cudaSuccess;
  (void)cudaGetLastError();
  if (o->has_begin) phases_good(cudaEventRecord(o->begin, stream_of(aside)));
}

static void work_end(bool aside) {
  if (failed || calls == tx_cuda_calls) return;
  if (phases_good(cudaEventRecord(ring[next % RING].end, stream_of(aside)))) next++;
}

#if HAS_NVTX
static void phase_begin(tx_phase phase) {
  nvtxRangePushA(tx_phase_key(phase));
}

static void phase_end(int n) {
  for (int i = 0; i < n; i++) nvtxRangePop();
}
#endif

static const tx_phase_hooks hooks = {
#if HAS_NVTX
    phase_begin, phase_end,
#else
    NULL,       NULL,
#endif
    work_begin,  work_end,  settle_operations,
};

tx_status tx_cuda_phases_start(void) {
  for (int i = 0; i < RING; i++) {
    TX_CUDA(cudaEventCreate(&ring[i].begin));
    TX_CUDA(cudaEventCreate(&ring[i].end));
  }
  TX_CUDA(cudaEventCreate(&frontier));
  TX_CUDA(cudaEventRecord(frontier, tx_cuda_stream.compute));
  oldest = next = 0;
  failed = false;
  ready = true;
  tx_phase_hook(&hooks);
  return TX_OK;
}

void tx_cuda_phases_stop(void) {
  if (!ready) return;
  tx_phase_hook(NULL);
  ready = false;
  for (int i = 0; i < RING; i++) {
    (void)cudaEventDestroy(ring[i].begin);
    (void)cudaEventDestroy(ring[i].end);
  }
  (void)cudaEventDestroy(frontier);
}
