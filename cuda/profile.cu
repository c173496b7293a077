/* Profile of kernels: registers and memory of each, and its time while it runs alone. */
#include "cuda/device.cuh"

/* Room for launches whose events have not been read. */
enum { RING = 2048 };

typedef struct timed_launch {
  cudaEvent_t begin, end;
  int row;
} timed_launch;

bool tx_cuda_profiling;
static timed_launch ring[RING];
static int n_timed; /* in the ring */
static tx_profile_row rows[TX_PROFILE_ROWS];
static const void *kernels[TX_PROFILE_ROWS];
static size_t dynamic[TX_PROFILE_ROWS]; /* shared memory of the latest launches */
static int n_rows;
static bool too_many;
static cudaError_t first_error;

static bool profile_good(cudaError_t code) {
  if (code == cudaSuccess) return true;
  (void)cudaGetLastError();
  if (first_error == cudaSuccess) first_error = code;
  return false;
}

/* Charge all launches to their rows, after waiting for them. */
static void settle_launches(void) {
  for (int i = 0; i < n_timed; i++) {
    float ms = 0.0f;
    if (profile_good(cudaEventSynchronize(ring[i].end)) &&
        profile_good(cudaEventElapsedTime(&ms, ring[i].begin, ring[i].end)))
      rows[ring[i].row].seconds += 1e-3 * ms;
  }
  n_timed = 0;
}

/* Take the kernel's name out of the text of a launch: kernel of `(kernel<2, TYPE>)`. */
static void name_of(const char *text, char *out, size_t size) {
  while (*text == '(') text++;
  size_t n = strcspn(text, "<) ");
  if (n >= size) n = size - 1;
  memcpy(out, text, n);
  out[n] = '\0';
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Return the row of a kernel, -1 if there are too many. */
static int row_of(const tx_cuda_launch *launch) {
  for (int i = 0; i < n_rows; i++)
    if (kernels[i] == launch->kernel) return i;
  if (n_rows == TX_PROFILE_ROWS) return -1;
  kernels[n_rows] = launch->kernel;
  rows[n_rows] = tx_profile_row();
  name_of(launch->name, rows[n_rows].name, sizeof rows[n_rows].name);
  rows[n_rows].source = base_name(launch->file);
  return n_rows++;
}

/* Ask for the registers and memory of a launch of this shape, once while the shape stays. */
static void describe_launch(int number, const tx_cuda_launch *launch) {
  tx_profile_row *row = &rows[number];
  cudaFuncAttributes a;
  if (row->launches > 0 && row->threads == launch->threads && dynamic[number] == launch->shared)
    return;
  if (!profile_good(cudaFuncGetAttributes(&a, launch->kernel))) return;
  dynamic[number] = launch->shared;
  row->registers = a.numRegs;
  row->local_bytes = a.localSizeBytes;
  row->threads = launch->threads;
  row->shared_bytes = a.sharedSizeBytes + launch->shared;
  profile_good(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&row->blocks_per_sm, launch->kernel,
                                                             launch->threads, launch->shared));
}

void tx_cuda_profile_begin(const tx_cuda_launch *launch, tx_cuda_work work) {
  const int number = row_of(launch);
  if (number < 0) too_many = true;
  if (number < 0 || first_error != cudaSuccess) return;
  if (n_timed == RING) settle_launches();
  tx_profile_row *row = &rows[number];
  describe_launch(number, launch);
  row->launches++;
  row->flop += work.flop;
  row->bytes += work.bytes;
  ring[n_timed].row = number;
  if (n_timed > 0) profile_good(cudaStreamWaitEvent(launch->stream, ring[n_timed - 1].end, 0));
  profile_good(cudaEventRecord(ring[n_timed].begin, launch->stream));
}

void tx_cuda_profile_end(cudaStream_t stream) {
  if (too_many || first_error != cudaSuccess) return;
  profile_good(cudaEventRecord(ring[n_timed].end, stream));
  n_timed++;
}

tx_status tx_cuda_profile_start(void) {
  TX_TRY(tx_cuda_wait());
  for (int i = 0; i < RING; i++) {
    TX_CUDA(cudaEventCreate(&ring[i].begin));
    TX_CUDA(cudaEventCreate(&ring[i].end));
  }
  n_timed = n_rows = 0;
  too_many = false;
  first_error = cudaSuccess;
  tx_cuda_profiling = true;
  return TX_OK;
}

tx_status tx_cuda_profile_stop(tx_profile_row out[TX_PROFILE_ROWS], int *n) {
  tx_cuda_profiling = false;
  settle_launches();
  for (int i = 0; i < RING; i++) {
    (void)cudaEventDestroy(ring[i].begin);
    (void)cudaEventDestroy(ring[i].end);
  }
  *n = n_rows;
  memcpy(out, rows, sizeof rows);
  TX_CUDA(first_error);
  TX_REQUIRE(!too_many, TX_ERR_USAGE, "a profile has at most %d kernels", TX_PROFILE_ROWS);
  return TX_OK;
}
