/* The emulation itself: what kernels compute, and that misuse is noticed. */
#include "cuda_runtime.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>
extern "C" {
#include <cmocka.h>
}

#define OK(call) assert_int_equal(call, cudaSuccess)

/* Sum a block by a tree in shared memory, and its warps by shuffles. */
static __global__ void sums(const double *a, double *out) {
  __shared__ double tree[96];
  TX_SHARED(double, warps);
  const int t = (int)threadIdx.x;
  double sum = tree[t] = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, (unsigned)by);
  if (t % 32 == 0) warps[t / 32] = sum;
  __syncthreads();
  for (int n = 96; n > 3; n /= 2) {
    if (t < n / 2) tree[t] += tree[t + n / 2];
    __syncthreads();
  }
  if (t == 0) {
    out[2 * blockIdx.x] = tree[0] + tree[1] + tree[2];
    out[2 * blockIdx.x + 1] = warps[0] + warps[1] + warps[2];
  }
}

static __global__ void votes(int *out) {
  const int t = (int)threadIdx.x;
  const int any = __syncthreads_or(t == 40), all = __syncthreads_and(t < 63);
  const int count = __syncthreads_count(t % 3 == 0);
  const unsigned ballot = __ballot_sync(0xffffffffu, t % 2);
  const int other = __shfl_xor_sync(0xffffffffu, t, 1), first = __shfl_sync(0xffffffffu, t, 3, 8);
  const int up = __shfl_up_sync(0xffffffffu, t, 2);
  const bool right = any == 1 && all == 0 && count == 22 && ballot == 0xaaaaaaaau &&
                     other == (t ^ 1) && first == t / 8 * 8 + 3 && up == (t % 32 < 2 ? t : t - 2);
  atomicAdd(out, right ? 1 : 0);
}

/* Read in each thread what its neighbour wrote, with the barrier between them or without. */
static __global__ void neighbours(int wait, int *right) {
  __shared__ int mine[64];
  const int t = (int)threadIdx.x;
  __syncthreads();
  mine[t] = t;
  if (wait) __syncthreads();
  if (mine[(t + 63) % 64] == (t + 63) % 64 && mine[(t + 1) % 64] == (t + 1) % 64)
    atomicAdd(right, 1);
}

static __global__ void half_waits(int unused) {
  (void)unused;
  if (threadIdx.x < 16) __syncthreads();
}

static __global__ void two_barriers(int unused) {
  (void)unused;
  if (threadIdx.x < 16)
    __syncthreads();
  else
    __syncthreads();
}

static __global__ void beyond_shared(int at) {
  TX_SHARED(char, bytes);
  bytes[at] = 1;
}

static __global__ void reads_fresh(const double *fresh, double *out) {
  __shared__ double tile[4];
  TX_SHARED(double, more);
  out[0] = fresh[0] + 0.0;
  out[1] = tile[1] + 0.0;
  out[2] = more[2] + 0.0;
}

static __constant__ double table[4];
static __global__ void reads_table(double *out) {
  out[threadIdx.x] = table[threadIdx.x];
}

static double *device(size_t n) {
  double *block = NULL;
  OK(cudaMalloc(&block, n * sizeof *block));
  return block;
}

static void blocks_and_warps_add_up(void **) {
  enum { BLOCKS = 5, THREADS = 96 };
  double *a = device(BLOCKS * THREADS), *out = device(2 * BLOCKS);
  for (int i = 0; i < BLOCKS * THREADS; i++) a[i] = i;
  TX_LAUNCH(sums, BLOCKS, THREADS, 3 * sizeof(double), 0, a, out);
  OK(cudaGetLastError());
  for (int b = 0; b < BLOCKS; b++)
    for (int i = 0; i < 2; i++)
      assert_true(out[2 * b + i] == THREADS * (b * THREADS + (THREADS - 1) / 2.0));
  OK(cudaFree(a));
  OK(cudaFree(out));
}

static void threads_vote_and_exchange(void **) {
  int *right = NULL;
  OK(cudaMalloc(&right, sizeof *right));
  OK(cudaMemset(right, 0, sizeof *right));
  TX_LAUNCH(votes, 1, 64, 0, 0, right);
  assert_int_equal(*right, 64);
  OK(cudaFree(right));
}

static void missing_barriers_show(void **) {
  int *right = NULL;
  OK(cudaMalloc(&right, 2 * sizeof *right));
  OK(cudaMemset(right, 0, 2 * sizeof *right));
  TX_LAUNCH(neighbours, 1, 64, 0, 0, 1, right);
  TX_LAUNCH(neighbours, 1, 64, 0, 0, 0, right + 1);
  assert_int_equal(right[0], 64);
  assert_true(right[1] < 64);
  OK(cudaFree(right));
}

static void fresh_memory_is_nan(void **) {
  double *fresh = device(1), *out = device(3);
  TX_LAUNCH(reads_fresh, 1, 1, 24, 0, fresh, out);
  for (int i = 0; i < 3; i++) assert_true(std::isnan(out[i]));
  OK(cudaFree(fresh));
  OK(cudaFree(out));
}

static void constants_are_copied(void **) {
  const double values[4] = {1.0, 2.0, 3.0, 4.0};
  double *out = device(4);
  OK(cudaMemcpyToSymbol(table, values, sizeof values));
  TX_LAUNCH(reads_table, 1, 4, 0, 0, out);
  for (int i = 0; i < 4; i++) assert_true(out[i] == values[i]);
  assert_int_equal(cudaMemcpyToSymbol(table, values, 5 * sizeof(double)), cudaErrorInvalidValue);
  (void)cudaGetLastError();
  OK(cudaFree(out));
}

static void bad_launches_and_copies_are_refused(void **) {
  double *a = device(4), host[8] = {0.0};
  TX_LAUNCH(beyond_shared, 1, 1025, 1, 0, 0);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
  TX_LAUNCH(beyond_shared, 1, 1, 64 * 1024, 0, 0);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(beyond_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  TX_LAUNCH(beyond_shared, 1, 1, 64 * 1024, 0, 0);
  OK(cudaGetLastError());
  assert_int_equal(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  assert_int_equal(cudaMemcpy(a, host, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaFree(a));
}

static void memory_ends(void **) {
  double *a = NULL, *b = NULL;
  size_t left = 0, all = 0;
  setenv("TX_CUDA_HOST_MEMORY", "1000000", 1);
  OK(cudaMalloc(&a, 600000));
  OK(cudaMemGetInfo(&left, &all));
  assert_true(left == 400000 && all == 1000000);
  assert_int_equal(cudaMallocAsync(&b, 600000, 0), cudaErrorMemoryAllocation);
  assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
  OK(cudaFree(a));
  OK(cudaMallocAsync(&b, 600000, 0));
  OK(cudaFreeAsync(b, 0));
  unsetenv("TX_CUDA_HOST_MEMORY");
}

static void beyond_device(int bytes) {
  char *block = NULL;
  cudaMallocAsync(&block, 100, 0);
  char *volatile end = block + bytes;
  *end = 1;
  cudaFreeAsync(block, 0);
}

static __global__ void add(int *to, const int *from) {
  *to += *from;
}

/* Test that a late stream does nothing until it is waited for, and then works in order, after
 * all that it waits for. */
static void late_streams_wait(void **) {
  int *a, *b, here = 5;
  cudaStream_t late, now;
  cudaEvent_t added;
  OK(cudaMalloc(reinterpret_cast<void **>(&a), 2 * sizeof *a));
  b = a + 1;
  setenv("TX_CUDA_HOST_LATE", "0xffffffffffffffff", 1);
  OK(cudaStreamCreate(&late));
  unsetenv("TX_CUDA_HOST_LATE");
  OK(cudaStreamCreate(&now));
  OK(cudaEventCreate(&added));
  OK(cudaMemsetAsync(a, 0, 2 * sizeof *a, now));
  OK(cudaMemcpyAsync(b, &here, sizeof here, cudaMemcpyHostToDevice, late));
  here = 7; /* pageable memory was read */
  TX_LAUNCH(add, 1, 1, 0, late, a, b);
  OK(cudaEventRecord(added, late));
  TX_LAUNCH(add, 1, 1, 0, late, a, b);
  assert_true(*a == 0 && *b == 0);
  assert_int_equal(cudaStreamQuery(late), cudaErrorNotReady);
  assert_int_equal(cudaEventQuery(added), cudaErrorNotReady);
  TX_LAUNCH(add, 1, 1, 0, now, b, a); /* did not wait */
  assert_int_equal(*b, 0);
  OK(cudaStreamWaitEvent(now, added, 0));
  assert_true(*a == 5 && *b == 5);
  OK(cudaEventQuery(added));
  OK(cudaStreamSynchronize(late));
  assert_int_equal(*a, 10);
  (void)cudaGetLastError();
  OK(cudaEventDestroy(added));
  OK(cudaStreamDestroy(late));
  OK(cudaStreamDestroy(now));
  OK(cudaFree(a));
}

#if defined(__SANITIZE_THREAD__)
/* Races that the sanitizer found, counted instead of reported. */
static int races;
namespace __tsan {
class ReportDesc;
bool OnReport(const ReportDesc *, bool);
bool OnReport(const ReportDesc *, bool) {
  races++;
  return true;
}
} // namespace __tsan

/* Count races of a kernel on one stream and another one on a second stream, after the first or
 * not, and of the host, which waits or not. */
static int races_of(bool ordered, bool waits) {
  int *a;
  cudaStream_t one, two;
  cudaEvent_t added;
  races = 0;
  OK(cudaStreamCreate(&one));
  OK(cudaStreamCreate(&two));
  OK(cudaEventCreate(&added));
  OK(cudaMallocAsync(reinterpret_cast<void **>(&a), 2 * sizeof *a, one));
  OK(cudaMemsetAsync(a, 0, 2 * sizeof *a, one));
  TX_LAUNCH(add, 1, 1, 0, one, a, a + 1);
  OK(cudaEventRecord(added, one));
  if (ordered) OK(cudaStreamWaitEvent(two, added, 0));
  TX_LAUNCH(add, 1, 1, 0, two, a, a + 1);
  if (waits) OK(cudaStreamSynchronize(two));
  *a += 1;
  OK(cudaDeviceSynchronize());
  OK(cudaFreeAsync(a, one));
  OK(cudaEventDestroy(added));
  OK(cudaStreamDestroy(one));
  OK(cudaStreamDestroy(two));
  return races;
}

/* Count races of memory of the pool that is freed on one stream while another one may still read
 * it. */
static int races_of_free(bool ordered) {
  int *a;
  cudaStream_t one, two;
  cudaEvent_t added;
  races = 0;
  OK(cudaStreamCreate(&one));
  OK(cudaStreamCreate(&two));
  OK(cudaEventCreate(&added));
  OK(cudaMallocAsync(reinterpret_cast<void **>(&a), 2 * sizeof *a, one));
  OK(cudaMemsetAsync(a, 0, 2 * sizeof *a, one));
  OK(cudaEventRecord(added, one));
  OK(cudaStreamWaitEvent(two, added, 0));
  TX_LAUNCH(add, 1, 1, 0, two, a, a + 1);
  OK(cudaEventRecord(added, two));
  if (ordered) OK(cudaStreamWaitEvent(one, added, 0));
  OK(cudaFreeAsync(a, one));
  OK(cudaEventDestroy(added));
  OK(cudaStreamDestroy(one));
  OK(cudaStreamDestroy(two));
  return races;
}

/* Count races of shared memory and stacks, which each stream has of its own. */
static int races_of_blocks(void) {
  double *a;
  cudaStream_t stream[2];
  races = 0;
  OK(cudaMalloc(reinterpret_cast<void **>(&a), 100 * sizeof *a));
  for (int i = 0; i < 2; i++) {
    OK(cudaStreamCreate(&stream[i]));
    TX_LAUNCH(sums, 1, 96, 3 * sizeof *a, stream[i], a, a + 96 + 2 * i);
  }
  for (int i = 0; i < 2; i++) OK(cudaStreamDestroy(stream[i]));
  OK(cudaFree(a));
  return races;
}

static void orders_are_checked(void **) {
  assert_int_equal(races_of(true, true), 0);
  assert_true(races_of(false, true) > 0);
  assert_true(races_of(true, false) > 0);
  assert_int_equal(races_of_free(true), 0);
  assert_true(races_of_free(false) > 0);
  assert_int_equal(races_of_blocks(), 0);
}
#endif

static void use_after_destroy(void) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamDestroy(stream);
  TX_LAUNCH(two_barriers, 1, 1, 0, stream, 0);
}

/* Check that `misuse`, in a process of its own, ends it with `message`. */
static void assert_dies(int misuse, const char *message) {
  int ends[2];
  char text[4096] = "";
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    signal(SIGABRT, SIG_DFL);
    if (misuse == 0) TX_LAUNCH(half_waits, 1, 64, 0, 0, 0);
    if (misuse == 1) TX_LAUNCH(two_barriers, 1, 64, 0, 0, 0);
    if (misuse == 2) TX_LAUNCH(beyond_shared, 1, 1, 128, 0, 128);
    if (misuse == 3) beyond_device(100);
    if (misuse == 4) use_after_destroy();
    _exit(0);
  }
  close(ends[1]);
  size_t n = 0;
  for (ssize_t got = 1; got > 0 && n < sizeof text - 1; n += (size_t)got)
    got = read(ends[0], text + n, sizeof text - 1 - n);
  close(ends[0]);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  if (!strstr(text, message)) fail_msg("\"%s\" is not in: %s", message, text);
}

static void misuse_ends_the_program(void **) {
  assert_dies(0, "16 of 64 threads wait at the barrier");
  assert_dies(1, "threads wait at barriers in line");
  assert_dies(2, "wrote byte 128 of the 128 bytes of dynamic shared memory");
  assert_dies(4, "a stream is used that was destroyed");
#if !defined(__SANITIZE_ADDRESS__)
  assert_dies(3, "byte 100 of a block of 100 bytes of device memory was written");
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(blocks_and_warps_add_up),
    cmocka_unit_test(threads_vote_and_exchange),
    cmocka_unit_test(missing_barriers_show),
    cmocka_unit_test(fresh_memory_is_nan),
    cmocka_unit_test(constants_are_copied),
    cmocka_unit_test(bad_launches_and_copies_are_refused),
    cmocka_unit_test(memory_ends),
    cmocka_unit_test(late_streams_wait),
#if defined(__SANITIZE_THREAD__)
    cmocka_unit_test(orders_are_checked),
#endif
    cmocka_unit_test(misuse_ends_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
