/* The part of the CUDA runtime API that the GPU backend uses; see cuda_runtime.h. */
#pragma once

typedef enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorPeerAccessUnsupported = 217,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999,
} cudaError_t;

typedef enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault,
} cudaMemcpyKind;

typedef struct tx_host_stream *cudaStream_t;
typedef struct tx_host_event *cudaEvent_t;
typedef struct tx_host_pool *cudaMemPool_t;
#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

enum {
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventBlockingSync = 1,
  cudaEventDisableTiming = 2,
  cudaEventInterprocess = 4,
  cudaEventWaitDefault = 0,
  cudaHostAllocDefault = 0,
  cudaHostAllocPortable = 1,
  cudaHostAllocMapped = 2,
  cudaHostAllocWriteCombined = 4,
  cudaIpcMemLazyEnablePeerAccess = 1,
  cudaDeviceScheduleAuto = 0,
  cudaDeviceScheduleSpin = 1,
  cudaDeviceScheduleYield = 2,
  cudaDeviceScheduleBlockingSync = 4,
};
typedef enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
} cudaFuncAttribute;
enum { cudaSharedmemCarveoutMaxShared = 100 };
typedef enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold,
  cudaMemPoolAttrReservedMemCurrent,
  cudaMemPoolAttrReservedMemHigh,
  cudaMemPoolAttrUsedMemCurrent,
  cudaMemPoolAttrUsedMemHigh,
} cudaMemPoolAttr;
typedef enum cudaDeviceAttr {
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
} cudaDeviceAttr;
typedef enum cudaMemoryType {
  cudaMemoryTypeUnregistered,
  cudaMemoryTypeHost,
  cudaMemoryTypeDevice,
  cudaMemoryTypeManaged,
} cudaMemoryType;

typedef struct cudaUUID_t {
  char bytes[16];
} cudaUUID_t;
typedef struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
  int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock,
      maxThreadsPerMultiProcessor;
  int major, minor, multiProcessorCount, l2CacheSize, persistingL2CacheMaxSize, memoryBusWidth;
  int unifiedAddressing, integrated, concurrentKernels, asyncEngineCount, ECCEnabled;
  int pciBusID, pciDeviceID, pciDomainID;
} cudaDeviceProp;
typedef struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
} cudaFuncAttributes;
typedef struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
} cudaPointerAttributes;
typedef struct cudaIpcMemHandle_st {
  char reserved[64];
} cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st {
  char reserved[64];
} cudaIpcEventHandle_t;

cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t code);
const char *cudaGetErrorName(cudaError_t code);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char *out, int size, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);

cudaError_t cudaMalloc(void **out, size_t bytes);
cudaError_t cudaFree(void *block);
cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *block, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void **out, size_t bytes);
cudaError_t cudaFreeHost(void *block);
cudaError_t cudaHostRegister(void *block, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *block);
cudaError_t cudaHostGetDevicePointer(void **out, void *block, unsigned flags);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *block);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream);
cudaError_t cudaMemset(void *to, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream);
cudaError_t tx_host_symbol_copy(void *symbol, size_t size, const void *from, size_t bytes,
                                size_t offset);

void tx_host_stream_check(cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t *out);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
typedef void (*cudaHostFn_t)(void *);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t f, void *data);
cudaError_t cudaEventCreate(cudaEvent_t *out);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *block);
cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *block);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle);

cudaError_t tx_host_allow_shared(const void *kernel, cudaFuncAttribute attribute, int value);

/* As in CUDA, blocks of any type, symbols by name, and defaults. */
#define cudaMemcpyToSymbol(symbol, from, bytes, ...)                                               \
  tx_host_symbol_copy((void *)&(symbol), sizeof(symbol), from, bytes, tx_host_first(__VA_ARGS__))
#define cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, stream)                         \
  tx_host_symbol_copy((void *)&(symbol), sizeof(symbol), from, bytes, offset)
static inline size_t tx_host_first(size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDefault) {
  (void)kind;
  return offset;
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **out, const T &symbol) {
  *out = const_cast<void *>(static_cast<const void *>(&symbol));
  return cudaSuccess;
}
template <class T> static inline cudaError_t cudaMalloc(T **out, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(out), bytes);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(out), bytes, stream);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned flags = 0) {
  return cudaHostAlloc(reinterpret_cast<void **>(out), bytes, flags);
}
template <class T> static inline cudaError_t cudaMallocHost(T **out, size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void **>(out), bytes);
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event) {
  return cudaStreamWaitEvent(stream, event, 0);
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event) {
  return cudaEventRecord(event, cudaStream_t());
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, cudaStream_t());
}
static inline cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes) {
  return cudaMemsetAsync(to, byte, bytes, cudaStream_t());
}
template <class... P>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute,
                                               int value) {
  return tx_host_allow_shared(reinterpret_cast<const void *>(kernel), attribute, value);
}
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *) {
  *out = cudaFuncAttributes();
  out->maxThreadsPerBlock = 1024;
  out->numRegs = 128;
  return cudaSuccess;
}
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *,
                                                                        int threads,
                                                                        size_t shared) {
  const int by_threads = threads > 0 ? 2048 / threads : 0;
  const size_t by_shared = (size_t)228 * 1024 / (shared + 1024);
  *blocks = (size_t)by_threads < by_shared ? by_threads : (int)by_shared;
  return cudaSuccess;
}
