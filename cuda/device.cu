/* The GPU of this rank: which one, and its streams. */
#include "cuda/device.cuh"

#include "cuda/backend.cuh"

tx_cuda_streams tx_cuda_stream;
static tx_cuda_device device;
static bool started;

int tx_cuda_count(char *why, size_t size) {
  int n = 0, driver = 0;
  const cudaError_t code = cudaGetDeviceCount(&n);
  if (code == cudaSuccess && n > 0) {
    snprintf(why, size, "%s", "");
    return n;
  }
  (void)cudaGetLastError();
  const bool known = cudaDriverGetVersion(&driver) == cudaSuccess;
  if (known && driver > 0 && code == cudaErrorInsufficientDriver)
    snprintf(why, size,
             "its driver is for CUDA %d.%d, too old for this program's CUDA %d.%d: update it",
             driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  else
    snprintf(why, size, "%s",
             known && driver == 0  ? "no NVIDIA driver is installed"
             : code == cudaSuccess ? "the CUDA driver reports no GPU"
                                   : cudaGetErrorString(code));
  return 0;
}

/* Find the number of this rank among those of its node. */
static tx_status local_rank(MPI_Comm comm, int *out) {
  MPI_Comm node;
  TX_MPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  TX_MPI(MPI_Comm_rank(node, out));
  TX_MPI(MPI_Comm_free(&node));
  return TX_OK;
}

/* Do nothing: a launch shows whether the GPU runs this program's code. */
static __global__ void nothing(int unused) {
  (void)unused;
}

static tx_status describe_gpu(int index) {
  cudaDeviceProp p;
  size_t free = 0, all = 0;
  TX_CUDA(cudaGetDeviceProperties(&p, index));
  TX_CUDA(cudaMemGetInfo(&free, &all));
  TX_CUDA(cudaDriverGetVersion(&device.driver));
  snprintf(device.name, sizeof device.name, "%s", p.name);
  device.sms = p.multiProcessorCount;
  device.capability = 10 * p.major + p.minor;
  device.shared = p.sharedMemPerBlockOptin;
  device.shared_sm = p.sharedMemPerMultiprocessor;
  device.memory = all;
  return TX_OK;
}

/* Keep freed memory in the pool, as plans come and go at every regrid. Never wait for another
 * stream to reuse its memory: uploads run beside stages. */
static tx_status retain_pool(int index) {
  cudaMemPool_t pool;
  uint64_t all = UINT64_MAX;
  int waits = 0;
  TX_CUDA(cudaDeviceGetDefaultMemPool(&pool, index));
  TX_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  TX_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &waits));
  return TX_OK;
}

static tx_status create_streams(void) {
  int low = 0, high = 0;
  TX_CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
  TX_CUDA(cudaStreamCreateWithPriority(&tx_cuda_stream.compute, cudaStreamNonBlocking, low));
  TX_CUDA(cudaStreamCreateWithPriority(&tx_cuda_stream.halo, cudaStreamNonBlocking, high));
  TX_CUDA(cudaStreamCreateWithPriority(&tx_cuda_stream.side, cudaStreamNonBlocking, high));
  TX_CUDA(cudaStreamCreateWithPriority(&tx_cuda_stream.boundary, cudaStreamNonBlocking, low));
  TX_CUDA(cudaStreamCreateWithPriority(&tx_cuda_stream.outer, cudaStreamNonBlocking, low));
  TX_CUDA(cudaStreamCreateWithPriority(&tx_cuda_stream.kept, cudaStreamNonBlocking, low));
  TX_CUDA(cudaStreamCreateWithPriority(&tx_cuda_stream.upload, cudaStreamNonBlocking, high));
  return TX_OK;
}

static tx_status start_local(int rank_here) {
  char why[256];
  const int n = tx_cuda_count(why, sizeof why);
  TX_REQUIRE(n > 0, TX_ERR_LIBRARY,
             "no GPU for this rank: %s; start on a node with GPUs (nvidia-smi lists them), or set "
             "compute.device to cpu",
             why);
  tx_cuda_index = device.index = rank_here % n;
  TX_CUDA(cudaSetDevice(device.index));
  TX_TRY(describe_gpu(device.index));
  TX_REQUIRE(
      device.capability >= TX_CUDA_CAPABILITY_LEAST, TX_ERR_LIBRARY,
      "GPU %d (%s) has compute capability %d.%d, and the kernels need %d.%d (A100) or later; "
      "take another GPU, or set compute.device to cpu",
      device.index, device.name, device.capability / 10, device.capability % 10,
      TX_CUDA_CAPABILITY_LEAST / 10, TX_CUDA_CAPABILITY_LEAST % 10);
  TX_REQUIRE(device.shared >= TX_CUDA_SHARED_LEAST, TX_ERR_LIBRARY,
             "GPU %d (%s) has %zu KB of shared memory a block, and the kernels for octants of %d "
             "points a side need %d KB; take another GPU, or set compute.device to cpu",
             device.index, device.name, device.shared / 1024, TX_N, TX_CUDA_SHARED_LEAST / 1024);
  TX_LAUNCH(nothing, 1, 1, 0, cudaStream_t(), 0);
  cudaError_t code =
      cudaGetLastError(); /* only a launch shows that the program is for other GPUs */
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  TX_REQUIRE(code == cudaSuccess, TX_ERR_LIBRARY,
             "GPU %d (%s, compute capability %d.%d) does not run this program: %s; rebuild with "
             "-DTENDEX_CUDA_ARCH=%d, or update its driver",
             device.index, device.name, device.capability / 10, device.capability % 10,
             cudaGetErrorString(code), device.capability);
  TX_TRY(retain_pool(device.index));
  return create_streams();
}

static void destroy_stream(cudaStream_t *stream) {
  if (*stream) (void)cudaStreamDestroy(*stream);
  *stream = NULL;
}

static void release_device(void) {
  tx_cuda_host_trim();
  destroy_stream(&tx_cuda_stream.compute);
  destroy_stream(&tx_cuda_stream.halo);
  destroy_stream(&tx_cuda_stream.side);
  destroy_stream(&tx_cuda_stream.boundary);
  destroy_stream(&tx_cuda_stream.outer);
  destroy_stream(&tx_cuda_stream.kept);
  destroy_stream(&tx_cuda_stream.upload);
}

tx_status tx_cuda_start(MPI_Comm comm, const tx_cuda_config *config) {
  int rank_here = 0;
  TX_REQUIRE(!started, TX_ERR_USAGE, "the GPU has been started already");
  TX_TRY(tx_agree(comm, local_rank(comm, &rank_here)));
  tx_status status = tx_agree(comm, start_local(rank_here));
  TX_THEN(status, tx_cuda_transport_start(comm, config->transport));
  started = status == TX_OK;
  if (!started) release_device();
  return status;
}

void tx_cuda_stop(void) {
  if (!started) return;
  started = false;
  (void)cudaDeviceSynchronize();
  tx_cuda_transport_stop();
  release_device();
}

void tx_cuda_describe(tx_cuda_device *out) {
  *out = device;
}

tx_status tx_cuda_wait(void) {
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.halo));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.side));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  return tx_cuda_watch_failed(tx_cuda_transport_check());
}
