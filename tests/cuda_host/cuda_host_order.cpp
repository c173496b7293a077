/* See cuda_host_order.h. Not instrumented itself, as the rest of the emulation: its own data are nobody's business. */
#include "cuda_host_order.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(TX_HOST_ORDERS)

extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void __tsan_write_range(void *at, unsigned long bytes);
void __tsan_java_init(unsigned long begin, unsigned long bytes);
void __tsan_java_alloc(unsigned long at, unsigned long bytes);
}

enum { NO_ORDER = 1 };

struct tx_host_fiber {
  void *there, *host; /* the sanitizer's */
  char given, done;   /* places at which it keeps what came before */
};

tx_host_fiber *tx_host_fiber_create(void) {
  tx_host_fiber *f = static_cast<tx_host_fiber *>(calloc(1, sizeof *f));
  f->there = __tsan_create_fiber(0);
  return f;
}

void tx_host_fiber_enter(tx_host_fiber *f) {
  if (!f) return;
  f->host = __tsan_get_current_fiber();
  __tsan_release(&f->given);
  __tsan_switch_to_fiber(f->there, NO_ORDER);
  __tsan_acquire(&f->given);
}

void tx_host_fiber_leave(tx_host_fiber *f) {
  if (f) __tsan_switch_to_fiber(f->host, NO_ORDER);
}

void tx_host_fiber_wait(tx_host_fiber *f) {
  if (!f) return;
  tx_host_fiber_enter(f);
  __tsan_release(&f->done);
  tx_host_fiber_leave(f);
  __tsan_acquire(&f->done);
}

void *tx_host_point_create(tx_host_fiber *f, void *before) {
  char *point = static_cast<char *>(malloc(1));
  free(before);
  tx_host_fiber_enter(f);
  __tsan_release(point);
  tx_host_fiber_leave(f);
  return point;
}

void tx_host_point_wait(tx_host_fiber *f, void *point) {
  if (!point) return;
  tx_host_fiber_enter(f);
  __tsan_acquire(point);
  tx_host_fiber_leave(f);
}

void tx_host_memory_new(void *at, size_t bytes) {
  static bool begun;
  if (!begun) __tsan_java_init(8, 1ul << 46);
  begun = true;
  if (bytes > 0) __tsan_java_alloc(reinterpret_cast<uintptr_t>(at) & ~7ul, (bytes + 15) & ~7ul);
}

static void copy_unseen(void *to, const void *from, size_t bytes) {
  volatile char *a = static_cast<volatile char *>(to); /* no memcpy, which is seen */
  const volatile char *b = static_cast<const volatile char *>(from);
  for (size_t i = 0; i < bytes; i++) a[i] = b[i];
}

const void *tx_host_private(const void *from, size_t bytes) {
  alignas(64) static char arguments[8192];
  if (bytes > sizeof arguments) abort();
  copy_unseen(arguments, from, bytes);
  tx_host_memory_new(arguments, sizeof arguments - 16);
  return arguments;
}

void tx_host_write(void *to, const void *from, size_t bytes) {
  copy_unseen(to, from, bytes);
  if (bytes > 0) __tsan_write_range(to, bytes);
}

#endif
