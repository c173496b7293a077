/* The runtime API on the host: everything is done when it returns, but on streams that are late. Device memory is host memory
 * that is counted, filled with NaN when fresh, and followed by bytes that must not change.
 *
 * TX_CUDA_HOST_LATE, bit n for the stream that was created as number n: what such a stream is given is done when
 * something waits for it, as late as a GPU may. What should have waited finds other data then. For one rank alone. */
#include <deque>
#include <memory>
#include <vector>
#include "cuda_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <map>
#include <set>
#include "cuda_host.h"
#include "cuda_host_order.h"

struct tx_host_stream {
  unsigned flags;
  bool late;
  tx_host_fiber *fiber;
  std::deque<std::function<void()>> waiting;
  unsigned long long given, done; /* operations */
};
struct tx_host_event {
  unsigned flags;
  bool recorded;
  struct timespec at;
  tx_host_stream *stream; /* where it was recorded last, and as which operation */
  unsigned long long number;
  void *point;
};
struct tx_host_pool {
  unsigned long long threshold;
};

/* A block of device memory: of malloc, or shared with other processes (`file` >= 0). */
struct device_block {
  size_t bytes;
  int file;
  bool opened; /* another process's */
  bool async;
};

enum { ALIGN = 256, GUARD = 256, GUARD_BYTE = 0xa5, DEVICES = 16 };

static cudaError_t last_error;
static int current_device;
static size_t in_use;
static tx_host_pool pools[DEVICES];
static std::map<char *, device_block> &blocks(void) {
  static std::map<char *, device_block> *all = new std::map<char *, device_block>;
  return *all;
}

cudaError_t tx_host_fail(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

static void run_all(void);
static void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void die(const char *format, ...) {
  va_list args;
  fprintf(stderr, "cuda_host: ");
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  abort();
}

static unsigned long long setting(const char *name, unsigned long long otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 0) : otherwise;
}
static int devices(void) {
  const unsigned long long n = setting("TX_CUDA_HOST_DEVICES", 8);
  return n < DEVICES ? (int)n : (int)DEVICES;
}
static size_t memory(void) {
  return (size_t)setting("TX_CUDA_HOST_MEMORY", 1ull << 34);
}
bool tx_host_reverse(void) {
  const char *order = getenv("TX_CUDA_HOST_ORDER");
  return order && strcmp(order, "reverse") == 0;
}

/* Errors. */
cudaError_t cudaGetLastError(void) {
  const cudaError_t code = last_error;
  last_error = cudaSuccess;
  return code;
}
#define TX_HOST_ERRORS(E)                                                                          \
  E(cudaSuccess, "no error")                                                                       \
  E(cudaErrorInvalidValue, "invalid argument")                                                     \
  E(cudaErrorMemoryAllocation, "out of memory")                                                    \
  E(cudaErrorInvalidConfiguration, "invalid configuration argument")                               \
  E(cudaErrorInvalidSymbol, "invalid device symbol")                                               \
  E(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version")   \
  E(cudaErrorNoDevice, "no CUDA-capable device is detected")                                       \
  E(cudaErrorInvalidDevice, "invalid device ordinal")                                              \
  E(cudaErrorInvalidResourceHandle, "invalid resource handle")                                     \
  E(cudaErrorNotReady, "device not ready")                                                         \
  E(cudaErrorUnknown, "unknown error")
const char *cudaGetErrorString(cudaError_t code) {
  switch (code) {
#define TX_HOST_TEXT(name, text)                                                                   \
  case name:                                                                                       \
    return text;
    TX_HOST_ERRORS(TX_HOST_TEXT)
  }
  return "unrecognized error code";
}
const char *cudaGetErrorName(cudaError_t code) {
  switch (code) {
#define TX_HOST_NAME(name, text)                                                                   \
  case name:                                                                                       \
    return #name;
    TX_HOST_ERRORS(TX_HOST_NAME)
  }
  return "unrecognized error code";
}
cudaError_t cudaDriverGetVersion(int *version) {
  *version = (int)setting("TX_CUDA_HOST_DRIVER", CUDART_VERSION);
  return cudaSuccess;
}

/* Devices. */
cudaError_t cudaGetDeviceCount(int *count) {
  int driver = 0;
  *count = 0;
  (void)cudaDriverGetVersion(&driver);
  if (driver < CUDART_VERSION) return tx_host_fail(cudaErrorInsufficientDriver);
  *count = devices();
  return *count > 0 ? cudaSuccess : tx_host_fail(cudaErrorNoDevice);
}
static cudaError_t need_device(int device) {
  if (devices() == 0) return tx_host_fail(cudaErrorNoDevice);
  return device >= 0 && device < devices() ? cudaSuccess : tx_host_fail(cudaErrorInvalidDevice);
}
cudaError_t cudaSetDevice(int device) {
  const cudaError_t code = need_device(device);
  if (code == cudaSuccess) current_device = device;
  return code;
}
cudaError_t cudaGetDevice(int *device) {
  *device = current_device;
  return need_device(current_device);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int device) {
  const cudaError_t code = need_device(device);
  if (code != cudaSuccess) return code;
  memset(out, 0, sizeof *out);
  snprintf(out->name, sizeof out->name, "emulated GPU");
  snprintf(out->uuid.bytes, sizeof out->uuid.bytes, "emulated %d", device);
  out->sharedMemPerBlockOptin = setting("TX_CUDA_HOST_SHARED", 227) * 1024;
  out->sharedMemPerMultiprocessor = out->sharedMemPerBlockOptin + 1024;
  out->major = (int)setting("TX_CUDA_HOST_CAPABILITY", 9);
  out->multiProcessorCount = 4;
  out->l2CacheSize = 1 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *out, int size, int device) {
  snprintf(out, (size_t)size, "0000:%02X:00.0", device);
  return need_device(device);
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
  unsigned bus;
  if (sscanf(id, "0000:%2X:00.0", &bus) != 1) return tx_host_fail(cudaErrorInvalidValue);
  *device = (int)bus;
  return need_device(*device);
}
cudaError_t cudaDeviceSynchronize(void) {
  run_all();
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  *total = memory();
  *free_bytes = in_use < *total ? *total - in_use : 0;
  return need_device(current_device);
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = device != peer && need_device(device) == cudaSuccess && need_device(peer) == cudaSuccess;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

/* Device memory. */
static size_t whole_pages(size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + GUARD + page - 1) / page * page;
}
/* Return the streams and events that live. Using any other ends the program, as it may on a GPU. */
static std::set<const void *> &living(void) {
  static std::set<const void *> *all = new std::set<const void *>;
  return *all;
}
void tx_host_stream_check(cudaStream_t stream) {
  if (stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread &&
      !living().count(stream))
    die("a stream is used that was destroyed or never created");
}
static std::vector<tx_host_stream *> &streams(void) {
  static std::vector<tx_host_stream *> *all = new std::vector<tx_host_stream *>;
  return *all;
}
/* Run the first `number` operations of a stream, and those that they wait for. */
static void run_until(tx_host_stream *stream, unsigned long long number) {
  while (stream->done < number) {
    const std::function<void()> next = std::move(stream->waiting.front());
    stream->waiting.pop_front();
    next();
    stream->done++;
  }
}
static void run_all(void) {
  for (tx_host_stream *stream : streams()) {
    run_until(stream, stream->given);
    tx_host_fiber_wait(stream->fiber);
  }
}
static bool is_own(cudaStream_t stream) {
  return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}
void tx_host_enqueue(cudaStream_t stream, std::function<void()> operation) {
  tx_host_stream_check(stream);
  if (!is_own(stream)) return operation();
  stream->given++;
  if (stream->late) return stream->waiting.push_back(std::move(operation));
  operation();
  stream->done++;
}

/* Enter and leave a stream for work of the emulation itself. */
void tx_host_stream_enter(cudaStream_t stream) {
  tx_host_fiber_enter(is_own(stream) ? stream->fiber : NULL);
}
void tx_host_stream_leave(cudaStream_t stream) {
  tx_host_fiber_leave(is_own(stream) ? stream->fiber : NULL);
}

static cudaError_t allocate(void **out, size_t bytes, bool async, cudaStream_t stream) {
  *out = NULL;
  cudaError_t code = need_device(current_device);
  if (code != cudaSuccess) return code;
  if (bytes == 0) return async ? tx_host_fail(cudaErrorInvalidValue) : cudaSuccess;
  if (bytes > memory() || in_use > memory() - bytes) return tx_host_fail(cudaErrorMemoryAllocation);
  device_block b = {bytes, -1, false, async};
  void *block = NULL;
  if (async) {
    tx_host_stream_enter(stream);
    const int problem = posix_memalign(&block, ALIGN, bytes + GUARD);
    tx_host_stream_leave(stream);
    if (problem != 0) return tx_host_fail(cudaErrorMemoryAllocation);
  } else {
    b.file = memfd_create("cuda_host", MFD_CLOEXEC);
    if (b.file < 0 || ftruncate(b.file, (off_t)whole_pages(bytes)) != 0)
      die("memfd_create for %zu bytes: %s", bytes, strerror(errno));
    block = mmap(NULL, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, b.file, 0);
    if (block == MAP_FAILED) die("mmap of %zu bytes: %s", bytes, strerror(errno));
  }
  tx_host_stream_enter(stream);
  memset(block, 0xff, bytes);
  memset(static_cast<char *>(block) + bytes, GUARD_BYTE, GUARD);
  tx_host_stream_leave(stream);
  in_use += bytes;
  blocks()[static_cast<char *>(block)] = b;
  *out = block;
  return cudaSuccess;
}
static cudaError_t release(void *block, cudaStream_t stream) {
  if (!block) return cudaSuccess;
  char *start = static_cast<char *>(block);
  const auto found = blocks().find(start);
  if (found == blocks().end() || found->second.opened) return tx_host_fail(cudaErrorInvalidValue);
  const device_block b = found->second;
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)start[b.bytes + (size_t)i] != GUARD_BYTE)
      die("byte %zu of a block of %zu bytes of device memory was written", b.bytes + (size_t)i,
          b.bytes);
  blocks().erase(found);
  in_use -= b.bytes;
  if (b.async) {
    tx_host_stream_enter(stream);
    memset(block, 0xff, b.bytes);
    free(block);
    tx_host_stream_leave(stream);
  } else {
    munmap(block, whole_pages(b.bytes));
    close(b.file);
  }
  return cudaSuccess;
}
cudaError_t cudaMalloc(void **out, size_t bytes) {
  return allocate(out, bytes, false, NULL);
}
cudaError_t cudaFree(void *block) {
  run_all();
  return release(block, NULL);
}
cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream) {
  tx_host_stream_check(stream);
  return allocate(out, bytes, true, stream);
}
cudaError_t cudaFreeAsync(void *block, cudaStream_t stream) {
  tx_host_enqueue(stream, [=] { release(block, stream); });
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device) {
  const cudaError_t code = need_device(device);
  if (code == cudaSuccess) *out = &pools[device];
  return code;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  if (attribute == cudaMemPoolAttrReleaseThreshold)
    pool->threshold = *static_cast<unsigned long long *>(value);
  return cudaSuccess;
}

/* Page-locked memory. */
static std::map<const char *, size_t> &locked(void) {
  static std::map<const char *, size_t> *all = new std::map<const char *, size_t>;
  return *all;
}
static bool is_locked(const void *at) {
  const char *p = static_cast<const char *>(at);
  auto next = locked().upper_bound(p);
  if (next == locked().begin()) return false;
  --next;
  return p < next->first + next->second;
}
cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned) {
  const cudaError_t code = need_device(current_device);
  if (code != cudaSuccess) return code;
  if (posix_memalign(out, ALIGN, bytes > 0 ? bytes : 1) != 0)
    return tx_host_fail(cudaErrorMemoryAllocation);
  memset(*out, 0xff, bytes);
  locked()[static_cast<char *>(*out)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *block) {
  run_all();
  locked().erase(static_cast<char *>(block));
  free(block);
  return cudaSuccess;
}
/* Find the block in which an address lies, and its start; NULL if none. */
static const device_block *block_of(const void *at, char **start) {
  char *p = static_cast<char *>(const_cast<void *>(at));
  auto next = blocks().upper_bound(p);
  if (next == blocks().begin()) return NULL;
  --next;
  *start = next->first;
  return p < next->first + next->second.bytes ? &next->second : NULL;
}

/* Check an end of a copy: one that names the device must lie within one block there. */
static cudaError_t within(const void *at, size_t bytes, bool device) {
  char *start;
  const device_block *b = block_of(at, &start);
  if (!b) return device && bytes > 0 ? tx_host_fail(cudaErrorInvalidValue) : cudaSuccess;
  const size_t offset = (size_t)(static_cast<const char *>(at) - start);
  return device && bytes <= b->bytes - offset ? cudaSuccess : tx_host_fail(cudaErrorInvalidValue);
}
static cudaError_t check_ends(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  char *start;
  const bool free_choice = kind == cudaMemcpyDefault;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const cudaError_t code =
      within(to, bytes, free_choice ? block_of(to, &start) != NULL : to_device);
  if (code != cudaSuccess) return code;
  return within(from, bytes, free_choice ? block_of(from, &start) != NULL : from_device);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  const cudaError_t code = check_ends(to, from, bytes, kind);
  if (code == cudaSuccess && bytes > 0) memmove(to, from, bytes);
  return code;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  char *start;
  const cudaError_t code = check_ends(to, from, bytes, kind);
  if (code != cudaSuccess || bytes == 0) return code;
  const bool pageable_to = !block_of(to, &start) && !is_locked(to);
  if (block_of(from, &start) || is_locked(from)) {
    tx_host_enqueue(stream, [=] {
      tx_host_stream_enter(stream);
      memmove(to, from, bytes);
      tx_host_stream_leave(stream);
    });
  } else { /* pageable memory is read at once */
    const char *bytes_there = static_cast<const char *>(from);
    auto copy = std::make_shared<std::vector<char>>(bytes_there, bytes_there + bytes);
    tx_host_enqueue(stream, [=] {
      tx_host_stream_enter(stream);
      tx_host_write(to, copy->data(), bytes);
      tx_host_stream_leave(stream);
    });
  }
  return pageable_to ? cudaStreamSynchronize(stream) : cudaSuccess;
}
cudaError_t cudaMemset(void *to, int byte, size_t bytes) {
  const cudaError_t code = within(to, bytes, true);
  if (code == cudaSuccess && bytes > 0) memset(to, byte, bytes);
  return code;
}
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream) {
  const cudaError_t code = within(to, bytes, true);
  if (code != cudaSuccess || bytes == 0) return code;
  tx_host_enqueue(stream, [=] {
    tx_host_stream_enter(stream);
    memset(to, byte, bytes);
    tx_host_stream_leave(stream);
  });
  return code;
}
cudaError_t tx_host_symbol_copy(void *symbol, size_t size, const void *from, size_t bytes,
                                size_t offset) {
  if (offset > size || bytes > size - offset) return tx_host_fail(cudaErrorInvalidValue);
  memcpy(static_cast<char *>(symbol) + offset, from, bytes);
  return cudaSuccess;
}

/* Streams and events. */
static cudaError_t event_check(cudaEvent_t event) {
  if (!event) return tx_host_fail(cudaErrorInvalidResourceHandle);
  if (!living().count(event)) die("an event is used that was destroyed or never created");
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int) {
  const cudaError_t code = need_device(current_device);
  if (code != cudaSuccess) return code;
  const unsigned long long late = setting("TX_CUDA_HOST_LATE", 0);
  *out = new tx_host_stream{
      flags, streams().size() < 64 && (late >> streams().size() & 1), tx_host_fiber_create(), {}, 0,
      0};
  living().insert(*out);
  streams().push_back(*out);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *out) {
  return cudaStreamCreateWithPriority(out, 0, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!stream) return tx_host_fail(cudaErrorInvalidResourceHandle);
  tx_host_stream_check(stream);
  run_until(stream, stream->given);
  living().erase(stream); /* what it was given is not waited for */
  return cudaSuccess;     /* events may still name it */
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  tx_host_stream_check(stream);
  if (!is_own(stream)) return cudaSuccess;
  run_until(stream, stream->given);
  tx_host_fiber_wait(stream->fiber);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  tx_host_stream_check(stream);
  if (is_own(stream) && stream->done < stream->given) return tx_host_fail(cudaErrorNotReady);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const cudaError_t code = event_check(event);
  if (code != cudaSuccess || !event->stream) return code;
  tx_host_stream *of = event->stream;
  const unsigned long long number = event->number;
  tx_host_enqueue(stream, [=] { run_until(of, number); });
  tx_host_point_wait(is_own(stream) ? stream->fiber : NULL, event->point);
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
  const cudaError_t code = need_device(current_device);
  if (code != cudaSuccess) return code;
  *out = new tx_host_event{flags, false, {0, 0}, NULL, 0, NULL};
  living().insert(*out);
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *out) {
  return cudaEventCreateWithFlags(out, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const cudaError_t code = event_check(event);
  if (code != cudaSuccess) return code;
  living().erase(event);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (getenv("TX_CUDA_HOST_FAIL")) return tx_host_fail(cudaErrorUnknown);
  tx_host_stream_check(stream);
  const cudaError_t code = event_check(event);
  if (code != cudaSuccess) return code;
  event->recorded = true;
  tx_host_enqueue(stream, [=] {
    if (living().count(event)) clock_gettime(CLOCK_MONOTONIC, &event->at);
  });
  event->stream = is_own(stream) ? stream : NULL;
  event->number = event->stream ? stream->given : 0;
  if (event->stream) event->point = tx_host_point_create(stream->fiber, event->point);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const cudaError_t code = event_check(event);
  if (code != cudaSuccess || !event->stream) return code;
  run_until(event->stream, event->number);
  tx_host_point_wait(NULL, event->point);
  return code;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const cudaError_t code = event_check(event);
  if (code != cudaSuccess || !event->stream || event->stream->done >= event->number) return code;
  return tx_host_fail(cudaErrorNotReady);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
  const unsigned untimed = cudaEventDisableTiming;
  if (!from || !to || !from->recorded || !to->recorded || ((from->flags | to->flags) & untimed))
    return tx_host_fail(cudaErrorInvalidResourceHandle);
  *milliseconds = (float)(1e3 * (double)(to->at.tv_sec - from->at.tv_sec) +
                          1e-6 * (double)(to->at.tv_nsec - from->at.tv_nsec));
  return cudaSuccess;
}

/* Memory of other processes: the file behind a block of cudaMalloc, found through /proc. */
struct ipc_memory {
  char mark[8];
  pid_t process;
  int file;
  size_t bytes;
};
static_assert(sizeof(ipc_memory) <= sizeof(cudaIpcMemHandle_t), "it must fit");
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *block) {
  const auto found = blocks().find(static_cast<char *>(block));
  if (found == blocks().end() || found->second.file < 0 || found->second.opened)
    return tx_host_fail(cudaErrorInvalidValue);
  ipc_memory m = {"memory", getpid(), found->second.file, found->second.bytes};
  memset(out, 0, sizeof *out);
  memcpy(out, &m, sizeof m);
  return cudaSuccess;
}
cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned) {
  ipc_memory m;
  char path[64];
  memcpy(&m, &handle, sizeof m);
  if (strcmp(m.mark, "memory") != 0 || m.process == getpid())
    return tx_host_fail(cudaErrorInvalidValue);
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)m.process, m.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) die("open of %s, memory of another process: %s", path, strerror(errno));
  void *block = mmap(NULL, whole_pages(m.bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (block == MAP_FAILED) die("mmap of another process's memory: %s", strerror(errno));
  blocks()[static_cast<char *>(block)] = device_block{m.bytes, file, true, false};
  *out = block;
  return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void *block) {
  const auto found = blocks().find(static_cast<char *>(block));
  if (found == blocks().end() || !found->second.opened) return tx_host_fail(cudaErrorInvalidValue);
  munmap(block, whole_pages(found->second.bytes));
  close(found->second.file);
  blocks().erase(found);
  return cudaSuccess;
}
