/* Device and page-locked memory, counted by what it is for. */
#include "cuda/device.cuh"

#include <map>
#include <string>
#include <unordered_map>

/* A counted block, and all blocks by address and consumers by name. Accounts are made on first
 * use and never freed: blocks may outlive `main`. */
struct block {
  size_t bytes;
  const char *what;
};
struct account {
  std::unordered_map<void *, block> blocks;
  std::map<std::string, size_t> consumers;
  size_t in_use = 0, peak = 0;
};

static account &device_account(void) {
  static account *a = new account;
  return *a;
}

static account &host_account(void) {
  static account *a = new account;
  return *a;
}

static void book(account &a, void *at, size_t bytes, const char *what) {
  a.blocks[at] = {bytes, what};
  a.consumers[what] += bytes;
  a.in_use += bytes;
  if (a.in_use > a.peak) a.peak = a.in_use;
}

static void unbook(account &a, void *at) {
  const auto it = a.blocks.find(at);
  if (it == a.blocks.end()) return;
  a.consumers[it->second.what] -= it->second.bytes;
  a.in_use -= it->second.bytes;
  a.blocks.erase(it);
}

size_t tx_cuda_memory_in_use(void) {
  return device_account().in_use;
}

size_t tx_cuda_memory_peak(void) {
  return device_account().peak;
}

/* List the largest consumers, separated by semicolons. */
static void list_consumers(char *text, size_t size) {
  std::multimap<size_t, std::string> largest;
  for (const auto &c : device_account().consumers)
    if (c.second > 0) largest.emplace(c.second, c.first);
  size_t used = 0;
  if (size > 0) text[0] = '\0';
  for (auto it = largest.rbegin(); it != largest.rend() && used < size; ++it)
    used += (size_t)snprintf(text + used, size - used, "%s%s: %.1f MB", used ? ";" : "",
                             it->second.c_str(), (double)it->first / 1e6);
}

static tx_status no_memory(size_t bytes, const char *what) {
  char largest[512];
  size_t free = 0, all = 0;
  (void)cudaGetLastError();
  (void)cudaMemGetInfo(&free, &all);
  list_consumers(largest, sizeof largest);
  TX_FAIL(TX_ERR_MEMORY,
          "no memory on the GPU for %.1f MB (%s): %.1f of its %.1f MB are free; largest consumers: "
          "%s; use more GPUs (tendex check FILE -n RANKS estimates the need), a coarser "
          "grid.level_max or smaller refined regions",
          (double)bytes / 1e6, what, (double)free / 1e6, (double)all / 1e6, largest);
}

static tx_status alloc_on(cudaStream_t stream, size_t bytes, const char *what, void *out) {
  void *at = NULL;
  *(void **)out = NULL;
  if (bytes == 0) return TX_OK;
  const cudaError_t code = cudaMallocAsync(&at, bytes, stream);
  if (code == cudaErrorMemoryAllocation) return no_memory(bytes, what);
  if (code != cudaSuccess) return tx_cuda_error(code, "cudaMallocAsync", __FILE__, __LINE__);
  book(device_account(), at, bytes, what);
  *(void **)out = at;
  return TX_OK;
}

tx_status tx_cuda_alloc(size_t bytes, const char *what, void *out) {
  return alloc_on(tx_cuda_stream.compute, bytes, what, out);
}

tx_status tx_cuda_alloc_now(size_t bytes, const char *what, void *out) {
  TX_TRY(alloc_on(tx_cuda_stream.upload, bytes, what, out));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.upload));
  return TX_OK;
}

void tx_cuda_free(void *at) {
  if (!at) return;
  unbook(device_account(), at);
  (void)cudaFreeAsync(at, tx_cuda_stream.compute);
}

tx_status tx_cuda_alloc_exported(size_t bytes, const char *what, void *out) {
  void *at = NULL;
  *(void **)out = NULL;
  if (bytes == 0) return TX_OK;
  const cudaError_t code = cudaMalloc(&at, bytes);
  if (code == cudaErrorMemoryAllocation) return no_memory(bytes, what);
  if (code != cudaSuccess) return tx_cuda_error(code, "cudaMalloc", __FILE__, __LINE__);
  book(device_account(), at, bytes, what);
  *(void **)out = at;
  return TX_OK;
}

void tx_cuda_free_exported(void *at) {
  if (!at) return;
  unbook(device_account(), at);
  (void)cudaFree(at);
}

/* Return the page-locked blocks that are free, by size. They are kept, as locking 8 MB takes a
 * millisecond, and plans come and go at every regrid. */
static std::multimap<size_t, void *> &spare_blocks(void) {
  static std::multimap<size_t, void *> *s = new std::multimap<size_t, void *>;
  return *s;
}

/* Round up to a power of two, so that a spare block fits the next request. */
static size_t host_size(size_t bytes) {
  size_t size = 4096;
  while (size < bytes) size *= 2;
  return size;
}

tx_status tx_cuda_host_alloc(size_t bytes, const char *what, void *out) {
  const size_t size = host_size(bytes);
  void *at = NULL;
  *(void **)out = NULL;
  if (bytes == 0) return TX_OK;
  const auto spare = spare_blocks().find(size);
  if (spare != spare_blocks().end()) {
    at = spare->second;
    spare_blocks().erase(spare);
  } else {
    const cudaError_t code = cudaHostAlloc(&at, size, cudaHostAllocDefault);
    TX_REQUIRE(code == cudaSuccess, TX_ERR_MEMORY, "no page-locked memory for %.1f MB (%s): %s",
               (double)size / 1e6, what, cudaGetErrorString(code));
  }
  memset(at, 0, bytes);
  book(host_account(), at, size, what);
  *(void **)out = at;
  return TX_OK;
}

void tx_cuda_host_free(void *at) {
  if (!at) return;
  spare_blocks().emplace(host_account().blocks[at].bytes, at);
  unbook(host_account(), at);
}

void tx_cuda_host_trim(void) {
  for (const auto &spare : spare_blocks()) (void)cudaFreeHost(spare.second);
  spare_blocks().clear();
}

tx_status tx_cuda_upload(const void *from, size_t bytes, const char *what, void *out) {
  TX_TRY(alloc_on(tx_cuda_stream.upload, bytes, what, out));
  if (bytes == 0) return TX_OK;
  TX_CUDA(
      cudaMemcpyAsync(*(void **)out, from, bytes, cudaMemcpyHostToDevice, tx_cuda_stream.upload));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.upload));
  return TX_OK;
}
