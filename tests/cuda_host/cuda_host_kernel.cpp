/* Threads of a block as fibers. A fiber runs one thread after the other, until one waits; then another fiber
 * goes on with the next. So a kernel without barriers runs as a plain loop. */
#include "cuda_runtime.h"

#include <sys/mman.h>
#include <time.h>
#include <map>
#include "cuda_host.h"
#include "cuda_host_order.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

/* Without sanitizers, whose frames are larger, stacks lie in huge pages: of small ones there are too many for the processor to
 * know. What leaves a stack then meets no page that is closed; it is seen at the end of the kernel. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SMALL_PAGES true
#else
#define SMALL_PAGES false
#endif

enum {
  MAX_THREADS = 1024,
  STACK_BYTES = (SMALL_PAGES ? 256 : 64) * 1024,
  STACK_END = 0x5afe57ac, /* the lowest word of a stack */
  STAGGER = 1088,         /* so that the tops of the stacks do not share cache lines of one set */
  SHARED_BYTES = 227 * 1024,
  SHARED_GUARD = 256,
  WARP = 32,
};

struct context {
#if defined(__x86_64__)
  void *sp;
#else
  ucontext_t u;
#endif
};

struct fiber {
  context at;
  char *stack; /* low end */
  int thread;
  uint3 index; /* of the thread */
  void *fake_stack;
};

struct warp {
  uint64_t lanes[2][WARP]; /* of this exchange and of the last, which some lanes may still read */
  unsigned given[2], arrived;
  unsigned expects; /* mask of the exchange under way */
  int turn;
};

static struct {
  void (*call)(const void *);
  const void *data;
  const char *name;
  size_t shared;
  int threads; /* of a block */
  int next, finished, waiting;
  int line; /* of the barrier at which threads wait */
  int ands, ors, count, all, any, counted;
  bool backwards, reverse;
  int n_ready, ready[MAX_THREADS], n_idle, idle[MAX_THREADS + 1];
  int fiber_of[MAX_THREADS];
  int now; /* fiber; -1 outside */
  struct warp warp[MAX_THREADS / WARP];
} block = {};
static struct fiber *fibers; /* [MAX_THREADS + 1] */
static context outside;
#if defined(__SANITIZE_ADDRESS__)
static void *outside_fake_stack;
static const void *outside_stack;
static size_t outside_bytes;
#endif
alignas(256) static unsigned char dynamic_shared[SHARED_BYTES + SHARED_GUARD];

/* All `static __shared__` arrays are in one section of the program; none need be there. */
extern "C" {
extern unsigned char __start_tx_shared_memory[] __attribute__((weak, visibility("hidden")));
extern unsigned char __stop_tx_shared_memory[] __attribute__((weak, visibility("hidden")));
}

static void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void die(const char *format, ...) {
  va_list args;
  fprintf(stderr, "cuda_host: kernel %s, block (%u, %u, %u): ", block.name, blockIdx.x, blockIdx.y,
          blockIdx.z);
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  abort();
}

#if defined(__x86_64__)
/* Save what a function must preserve, change stacks, restore. */
extern "C" void tx_host_switch(void **save, void *to);
asm(".text\n"
    ".globl tx_host_switch\n"
    ".type tx_host_switch, @function\n"
    "tx_host_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size tx_host_switch, . - tx_host_switch\n");
static void change(context *from, context *to) {
  tx_host_switch(&from->sp, to->sp);
}
static void prepare(context *c, char *top, void (*start)(void)) {
  uint64_t *sp = reinterpret_cast<uint64_t *>(top);
  *--sp = 0; /* as after a call: the stack is 8 off 16 bytes at the start of a function */
  *--sp = reinterpret_cast<uint64_t>(start);
  for (int r = 0; r < 6; r++) *--sp = 0;
  c->sp = sp;
}
#else
static void change(context *from, context *to) {
  swapcontext(&from->u, &to->u);
}
static void prepare(context *c, char *top, void (*start)(void)) {
  getcontext(&c->u);
  c->u.uc_stack.ss_sp = top - STACK_BYTES / 2;
  c->u.uc_stack.ss_size = STACK_BYTES / 2;
  c->u.uc_link = NULL;
  makecontext(&c->u, start, 0);
}
#endif

/* Go to fiber f, -1: outside. */
static void go(int f) {
  const int from = block.now;
  if (f == from) return;
  block.now = f;
#if defined(__SANITIZE_ADDRESS__)
  void **keep = from < 0 ? &outside_fake_stack : &fibers[from].fake_stack;
  __sanitizer_start_switch_fiber(keep, f < 0 ? outside_stack : fibers[f].stack,
                                 f < 0 ? outside_bytes : (size_t)STACK_BYTES);
#endif
  change(from < 0 ? &outside : &fibers[from].at, f < 0 ? &outside : &fibers[f].at);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(from < 0 ? outside_fake_stack : fibers[from].fake_stack, NULL,
                                  NULL);
#endif
}

static uint3 index_of(int t) {
  const unsigned x = (unsigned)t;
  return uint3{x % blockDim.x, x / blockDim.x % blockDim.y, x / (blockDim.x * blockDim.y)};
}

/* Open a barrier at which the whole block waits: threads go on in the other order than last
 * time. */
static void open_barrier(void) {
  const int n = block.threads;
  block.all = block.ands, block.any = block.ors, block.counted = block.count;
  block.ands = 1, block.ors = 0, block.count = 0;
  block.waiting = 0;
  block.backwards = !block.backwards;
  /* The last in the list is the first to go on. */
  for (int t = 0; t < n; t++)
    block.ready[block.n_ready++] = block.fiber_of[block.backwards ? t : n - 1 - t];
}

/* Let other threads run: ready ones, those that have not begun, those at a full barrier; else
 * end. */
static void leave(void) {
  if (block.n_ready == 0 && block.next >= block.threads && block.waiting > 0) {
    if (block.waiting < block.threads)
      die("%d of %d threads wait at the barrier in line %d, %d have ended, %d wait for lanes of "
          "their warps",
          block.waiting, block.threads, block.line, block.finished,
          block.threads - block.waiting - block.finished);
    open_barrier();
  }
  if (block.n_ready > 0)
    go(block.ready[--block.n_ready]);
  else if (block.next < block.threads)
    go(block.idle[--block.n_idle]);
  else if (block.finished == block.threads)
    go(-1);
  else
    die("%d of %d threads wait for lanes of their warps that never come",
        block.threads - block.finished, block.threads);
}

static void run_threads(void) {
#if defined(__SANITIZE_ADDRESS__)
  /* The first fiber of all is entered from outside. */
  const bool first = !outside_stack;
  __sanitizer_finish_switch_fiber(NULL, first ? &outside_stack : NULL,
                                  first ? &outside_bytes : NULL);
#endif
  for (;;) {
    while (block.n_ready == 0 && block.next < block.threads) {
      const int t = block.reverse ? block.threads - 1 - block.next : block.next;
      block.next++;
      const int f = block.now;
      fibers[f].thread = t;
      fibers[f].index = threadIdx = index_of(t);
      block.fiber_of[t] = f;
      block.call(block.data);
      block.finished++;
    }
    block.idle[block.n_idle++] = block.now;
    leave();
  }
}

static void wait_for_others(void) {
  const struct fiber *f = &fibers[block.now];
  leave();
  threadIdx = f->index;
}

int tx_host_barrier(int predicate, enum tx_host_vote vote, int line) {
  if (block.finished > 0)
    die("%d threads ended before the barrier in line %d", block.finished, line);
  if (block.waiting > 0 && block.line != line)
    die("threads wait at barriers in line %d and in line %d", block.line, line);
  block.line = line;
  block.waiting++;
  block.ands &= predicate != 0;
  block.ors |= predicate != 0;
  block.count += predicate != 0;
  if (block.threads > 1) {
    wait_for_others();
  } else {
    block.all = block.any = block.counted = predicate != 0;
    block.waiting = 0;
    block.ands = 1, block.ors = block.count = 0;
  }
  return vote == TX_HOST_AND ? block.all : vote == TX_HOST_OR ? block.any : block.counted;
}

const uint64_t *tx_host_warp(unsigned mask, uint64_t bits, unsigned *given) {
  const int t = fibers[block.now].thread, lane = t % WARP, first = t - lane;
  const int lanes = block.threads - first < WARP ? block.threads - first : WARP;
  const unsigned there = lanes == WARP ? 0xffffffffu : (1u << lanes) - 1u;
  struct warp *w = &block.warp[first / WARP];
  const int turn = w->turn;
  mask &= there;
  if (!(mask >> lane & 1u)) die("lane %d is not in its own mask %08x", lane, mask);
  if (w->arrived == 0)
    w->expects = mask, w->given[turn] = 0;
  else if (w->expects != mask)
    die("lanes of a warp exchange under masks %08x and %08x", w->expects, mask);
  w->lanes[turn][lane] = bits;
  w->arrived |= 1u << lane;
  w->given[turn] |= 1u << lane;
  if (w->arrived == mask) {
    w->arrived = 0;
    w->turn = !turn;
    for (int l = 0; l < lanes; l++)
      if ((mask >> l & 1u) && l != lane) block.ready[block.n_ready++] = block.fiber_of[first + l];
  } else {
    wait_for_others();
  }
  *given = w->given[turn];
  return w->lanes[turn];
}

/* Choose the fibers: of each stream, if the order of streams is watched, as they have stacks. */
static void choose_fibers(cudaStream_t stream) {
  static std::map<cudaStream_t, struct fiber *> of_stream;
#if !defined(TX_HOST_ORDERS)
  stream = NULL;
#endif
  fibers = of_stream[stream];
  if (fibers) return;
  of_stream[stream] = fibers = static_cast<struct fiber *>(calloc(MAX_THREADS + 1, sizeof *fibers));
  const size_t bytes = (size_t)(MAX_THREADS + 1) * STACK_BYTES;
  void *stacks =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) {
    perror("cuda_host: stacks");
    abort();
  }
  if (!SMALL_PAGES) madvise(stacks, bytes, MADV_HUGEPAGE);
  for (int f = 0; f <= MAX_THREADS; f++) {
    fibers[f].stack = static_cast<char *>(stacks) + (size_t)f * STACK_BYTES;
    if (SMALL_PAGES)
      mprotect(fibers[f].stack, 4096, PROT_NONE);
    else
      *reinterpret_cast<int *>(fibers[f].stack) = STACK_END;
    const size_t down = (size_t)(f % 31) * STAGGER & ~(size_t)15;
    prepare(&fibers[f].at, fibers[f].stack + STACK_BYTES - down, run_threads);
  }
}

static void make_idle(void) {
  if (block.n_idle > 0) return;
  for (int f = 0; f <= MAX_THREADS; f++) block.idle[MAX_THREADS - f] = f;
  block.n_idle = MAX_THREADS + 1;
  block.now = -1;
}

static void run_block(void) {
  memset(dynamic_shared, 0xff, block.shared + SHARED_GUARD);
  block.next = block.finished = block.waiting = 0;
  block.ands = 1, block.ors = block.count = 0;
  block.backwards = block.reverse;
  for (int w = 0; w <= (block.threads - 1) / WARP; w++) block.warp[w].arrived = 0;
  go(block.idle[--block.n_idle]);
  for (int i = 0; i < SHARED_GUARD; i++)
    if (dynamic_shared[block.shared + (size_t)i] != 0xff)
      die("wrote byte %zu of the %zu bytes of dynamic shared memory", block.shared + (size_t)i,
          block.shared);
}

void *tx_host_dynamic_shared(void) {
  if (block.shared == 0) die("asks for dynamic shared memory, and was launched without any");
  return dynamic_shared;
}

/* Dynamic shared memory that kernels have been allowed, above 48 KiB. */
static struct {
  const void *kernel;
  int bytes;
} allowed[256];
static int n_allowed;

cudaError_t tx_host_allow_shared(const void *kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  cudaDeviceProp here;
  if (cudaGetDeviceProperties(&here, 0) != cudaSuccess || value < 0 || value > SHARED_BYTES ||
      (size_t)value > here.sharedMemPerBlockOptin)
    return tx_host_fail(cudaErrorInvalidValue);
  int n = 0;
  while (n < n_allowed && allowed[n].kernel != kernel) n++;
  if (n == (int)(sizeof allowed / sizeof *allowed)) return tx_host_fail(cudaErrorUnknown);
  if (n == n_allowed) n_allowed++;
  allowed[n].kernel = kernel;
  allowed[n].bytes = value;
  return cudaSuccess;
}

static size_t shared_limit(const void *kernel) {
  for (int n = 0; n < n_allowed; n++)
    if (allowed[n].kernel == kernel) return (size_t)allowed[n].bytes;
  return 48 * 1024;
}

bool tx_host_launch_begins(const void *kernel, const char *name, dim3 grid, dim3 threads,
                           size_t shared) {
  const unsigned long long n = (unsigned long long)threads.x * threads.y * threads.z;
  const bool fits = n >= 1 && n <= MAX_THREADS && threads.z <= 64 && grid.x >= 1 &&
                    grid.x <= 0x7fffffffu && grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 &&
                    grid.z <= 65535;
  if (!fits || shared > shared_limit(kernel)) {
    tx_host_fail(fits ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration);
    return false;
  }
  make_idle();
  if (block.now >= 0) die("launched while another kernel runs, or after one that crashed");
  block.name = name;
  block.threads = (int)n;
  block.shared = shared;
  block.reverse = tx_host_reverse();
  gridDim = grid;
  blockDim = threads;
  return true;
}

/* Check the stacks of the fibers that threads were on: those that became idle last. */
static void check_stacks(void) {
  for (int n = 1; n <= block.threads + 1 && n <= block.n_idle && !SMALL_PAGES; n++)
    if (*reinterpret_cast<const int *>(fibers[block.idle[block.n_idle - n]].stack) != STACK_END)
      die("a thread needs more than the %d bytes of its stack", STACK_BYTES);
}

void tx_host_run(cudaStream_t stream, void (*call)(const void *), const void *data, size_t bytes) {
  const size_t shared = (size_t)(__stop_tx_shared_memory - __start_tx_shared_memory);
  block.call = call;
  block.data = tx_host_private(data, bytes);
  choose_fibers(stream);
  tx_host_stream_enter(stream);
  tx_host_memory_new(dynamic_shared, sizeof dynamic_shared);
  tx_host_memory_new(__start_tx_shared_memory, shared);
  if (shared > 0) memset(__start_tx_shared_memory, 0xff, shared);
  const unsigned long long n = (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  for (unsigned long long m = 0; m < n; m++) {
    const unsigned long long b = block.reverse ? n - 1 - m : m;
    blockIdx.x = (unsigned)(b % gridDim.x);
    blockIdx.y = (unsigned)(b / gridDim.x % gridDim.y);
    blockIdx.z = (unsigned)(b / gridDim.x / gridDim.y);
    run_block();
  }
  check_stacks();
  tx_host_stream_leave(stream);
}

long long clock64(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000LL + now.tv_nsec;
}
