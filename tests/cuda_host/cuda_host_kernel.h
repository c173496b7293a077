/* What kernels see of CUDA, and how they are launched; see cuda_runtime.h. */
#pragma once

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct uint3 {
  unsigned x, y, z;
};
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

/* Vectors. */
#define TX_HOST_VECTORS(type, name, align)                                                         \
  struct name##2 {                                                                                 \
    type x, y;                                                                                     \
  }                                                                                                \
  __attribute__((aligned(2 * (align))));                                                           \
  struct name##3 {                                                                                 \
    type x, y, z;                                                                                  \
  };                                                                                               \
  struct name##4 {                                                                                 \
    type x, y, z, w;                                                                               \
  }                                                                                                \
  __attribute__((aligned(16)));                                                                    \
  static inline name##2 make_##name##2(type x, type y) {                                           \
    return name##2 {x, y};                                                                         \
  }                                                                                                \
  static inline name##3 make_##name##3(type x, type y, type z) {                                   \
    return name##3 {x, y, z};                                                                      \
  }                                                                                                \
  static inline name##4 make_##name##4(type x, type y, type z, type w) {                           \
    return name##4 {x, y, z, w};                                                                   \
  }
TX_HOST_VECTORS(double, double, 8)
TX_HOST_VECTORS(float, float, 4)
TX_HOST_VECTORS(int, int, 4)
TX_HOST_VECTORS(short, short, 2)
TX_HOST_VECTORS(long long, longlong, 8)
TX_HOST_VECTORS(unsigned long long, ulonglong, 8)
struct uint2 {
  unsigned x, y;
} __attribute__((aligned(8)));
struct uint4 {
  unsigned x, y, z, w;
} __attribute__((aligned(16)));

/* Arithmetic that C++ does not have under these names. */
using std::isfinite;
using std::isnan;
template <class A, class B> static constexpr typename std::common_type<A, B>::type min(A a, B b) {
  using T = typename std::common_type<A, B>::type;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B> static constexpr typename std::common_type<A, B>::type max(A a, B b) {
  using T = typename std::common_type<A, B>::type;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
static inline double __dadd_rn(double a, double b) {
  return a + b;
}
static inline float __fadd_rn(float a, float b) {
  return a + b;
}
static inline float __fmul_rn(float a, float b) {
  return a * b;
}
static inline double __dmul_rn(double a, double b) {
  return a * b;
}
static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
template <class To, class From> static inline To tx_host_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
static inline long long __double_as_longlong(double x) {
  return tx_host_bits<long long>(x);
}
static inline double __longlong_as_double(long long x) {
  return tx_host_bits<double>(x);
}
static inline int __double2hiint(double x) {
  return (int)(__double_as_longlong(x) >> 32);
}
static inline int __double2loint(double x) {
  return (int)__double_as_longlong(x);
}
static inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(
      (long long)((unsigned long long)(unsigned)high << 32 | (unsigned long long)(unsigned)low));
}
long long clock64(void);
/* Let other processes run while waiting for one of them. */
static inline void __nanosleep(unsigned) {
  sched_yield();
}

/* Memory. */
template <class T> static inline T __ldg(const T *p) {
  return *p;
}
static inline void __threadfence_system(void) {
  __sync_synchronize();
}
/* Other processes may see the same memory, hence real atomics; of no order, as on a GPU. */
#define TX_HOST_ATOMIC(name, T, expression)                                                        \
  static inline T name(T *at, T value) {                                                           \
    T old, now;                                                                                    \
    __atomic_load(at, &old, __ATOMIC_RELAXED);                                                     \
    do now = (expression);                                                                         \
    while (!__atomic_compare_exchange(at, &old, &now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    return old;                                                                                    \
  }
#define TX_HOST_ATOMICS(T) TX_HOST_ATOMIC(atomicAdd, T, old + value)
#define TX_HOST_ATOMICS_INT(T)                                                                     \
  TX_HOST_ATOMICS(T)                                                                               \
  TX_HOST_ATOMIC(atomicMin, T, value < old ? value : old)                                          \
  TX_HOST_ATOMIC(atomicMax, T, old < value ? value : old)
TX_HOST_ATOMICS_INT(int)
TX_HOST_ATOMICS_INT(unsigned)
TX_HOST_ATOMICS_INT(unsigned long long)
TX_HOST_ATOMICS(float)
TX_HOST_ATOMICS(double)

/* Threads of a block wait for each other. The line is that of the call. */
enum tx_host_vote { TX_HOST_COUNT, TX_HOST_AND, TX_HOST_OR };
int tx_host_barrier(int predicate, enum tx_host_vote vote, int line);
static inline void __syncthreads(int line = __builtin_LINE()) {
  tx_host_barrier(0, TX_HOST_COUNT, line);
}
static inline int __syncthreads_count(int p, int line = __builtin_LINE()) {
  return tx_host_barrier(p, TX_HOST_COUNT, line);
}
static inline int __syncthreads_and(int p, int line = __builtin_LINE()) {
  return tx_host_barrier(p, TX_HOST_AND, line);
}
static inline int __syncthreads_or(int p, int line = __builtin_LINE()) {
  return tx_host_barrier(p, TX_HOST_OR, line);
}

/* Lanes of a warp: give 8 bytes, get those of all. `lanes` [32]; *given: the lanes that gave some. */
const uint64_t *tx_host_warp(unsigned mask, uint64_t bits, unsigned *given);
static inline int tx_host_lane(void) {
  return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}
/* Return the value of lane `from`; one's own where that is out of the segment of `width`, as in
 * CUDA. */
template <class T> static inline T tx_host_shuffle(unsigned mask, T value, int from, bool valid) {
  static_assert(sizeof(T) <= 8, "shuffles move 4 or 8 bytes");
  uint64_t bits = 0;
  unsigned given;
  memcpy(&bits, &value, sizeof value);
  const uint64_t *lanes = tx_host_warp(mask, bits, &given);
  if (valid) memcpy(&value, &lanes[from & 31], sizeof value);
  return value;
}
template <class T> static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const int base = tx_host_lane() & ~(width - 1);
  return tx_host_shuffle(mask, value, base + (lane & (width - 1)), true);
}
template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = tx_host_lane();
  return tx_host_shuffle(mask, value, lane + (int)by, (lane & (width - 1)) + (int)by < width);
}
template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = tx_host_lane();
  return tx_host_shuffle(mask, value, lane - (int)by, (lane & (width - 1)) >= (int)by);
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32) {
  const int lane = tx_host_lane();
  const int from = lane ^ by;
  return tx_host_shuffle(mask, value, from, (from & ~(width - 1)) <= (lane & ~(width - 1)));
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) {
  unsigned given, votes = 0;
  const uint64_t *lanes = tx_host_warp(mask, predicate != 0, &given);
  for (int l = 0; l < 32; l++)
    if (given >> l & 1u && lanes[l]) votes |= 1u << l;
  return votes;
}
static inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}

/* The dynamic shared memory of the block that runs. */
void *tx_host_dynamic_shared(void);

/* Check a launch as a GPU would; false: cudaGetLastError has the reason. */
bool tx_host_launch_begins(const void *kernel, const char *name, dim3 grid, dim3 block,
                           size_t shared);
/* Run call(data [bytes]) for every thread of every block, as a stream does. */
void tx_host_run(cudaStream_t stream, void (*call)(const void *), const void *data, size_t bytes);

/* Run an operation in the order of a stream, now or later. */
void tx_host_enqueue(cudaStream_t stream, std::function<void()> operation);

/* A kernel and its arguments, converted once to the types of its parameters. */
template <class... P> struct tx_host_call {
  void (*kernel)(P...);
  std::tuple<typename std::decay<P>::type...> arguments;
  static void thread(const void *data) {
    const tx_host_call *call = static_cast<const tx_host_call *>(data);
    std::apply(call->kernel, call->arguments);
  }
};
template <class... P, class... A>
static inline void tx_host_launch(const char *name, void (*kernel)(P...), dim3 grid, dim3 block,
                                  size_t shared, cudaStream_t stream, A &&...arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "arguments of a kernel");
  tx_host_stream_check(stream);
  if (!tx_host_launch_begins(reinterpret_cast<const void *>(kernel), name, grid, block, shared))
    return;
  const tx_host_call<P...> call = {kernel, {std::forward<A>(arguments)...}};
  tx_host_enqueue(stream, [=] {
    if (tx_host_launch_begins(reinterpret_cast<const void *>(kernel), name, grid, block, shared))
      tx_host_run(stream, tx_host_call<P...>::thread, &call, sizeof call);
  });
}

#define TX_LAUNCH(kernel, grid, block, shared, stream, ...)                                        \
  tx_host_launch(#kernel, kernel, grid, block, shared, stream, ##__VA_ARGS__)
#define TX_SHARED(type, name) type *name = static_cast<type *>(tx_host_dynamic_shared())
