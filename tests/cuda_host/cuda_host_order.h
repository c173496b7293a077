/* Orders between streams, the host and memory of the pool, checked by the thread sanitizer (TENDEX_TSAN): each stream is a fiber of
 * its own to it, in order with another one or with the host only where a launch, an event or a wait says so. Two accesses
 * of the same memory without an order are a data race, whenever they happen here. Without the sanitizer all this is nothing. */
#pragma once

#include <stddef.h>
#include <string.h>

#if defined(TX_HOST_ORDERS)

/** Fiber by which the sanitizer knows a stream. */
struct tx_host_fiber;
tx_host_fiber *tx_host_fiber_create(void);
/** Enter the stream until `leave`: all that follows comes after all that the host has done;
 *  NULL: the host. */
void tx_host_fiber_enter(tx_host_fiber *fiber);
void tx_host_fiber_leave(tx_host_fiber *fiber);
/** Let the host go on after all that the stream has done. */
void tx_host_fiber_wait(tx_host_fiber *fiber);
/** Mark a point in the work of a stream, in place of `before`, and wait for it in another
 *  stream, NULL: the host. */
void *tx_host_point_create(tx_host_fiber *fiber, void *before);
void tx_host_point_wait(tx_host_fiber *fiber, void *point);
/** Forget what others did to memory that is new to the one that enters. */
void tx_host_memory_new(void *at, size_t bytes);
/** Copy a kernel's arguments to memory that only one stream ever looks at. */
const void *tx_host_private(const void *from, size_t bytes);
/** Copy the caller's memory, which nobody else sees, by whoever has entered. */
void tx_host_write(void *to, const void *from, size_t bytes);

#else

struct tx_host_fiber;
static inline tx_host_fiber *tx_host_fiber_create(void) {
  return NULL;
}
static inline void tx_host_fiber_enter(tx_host_fiber *) {}
static inline void tx_host_fiber_leave(tx_host_fiber *) {}
static inline void tx_host_fiber_wait(tx_host_fiber *) {}
static inline void *tx_host_point_create(tx_host_fiber *, void *) {
  return NULL;
}
static inline void tx_host_point_wait(tx_host_fiber *, void *) {}
static inline void tx_host_memory_new(void *, size_t) {}
static inline const void *tx_host_private(const void *from, size_t) {
  return from;
}
static inline void tx_host_write(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}

#endif
