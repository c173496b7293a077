/* Orders between streams, the host and memory of the pool, checked by the thread sanitizer (TENDEX_TSAN): each stream is a fiber of
 * its own to it, in order with another one or with the host only where a launch, an event or a wait says so. Two accesses
 * of the same memory without an order are a data race, whenever they happen here. Without the sanitizer all this is nothing. */
#pragma once

#include <stddef.h>
#include <string.h>

#if defined(TX_HOST_ORDERS)

/** A stream, to the sanitizer. */
struct tx_host_fiber;
tx_host_fiber *tx_host_fiber_create(void);
/** What follows is done by the stream, after all that the host has done; NULL: by the host. Until `leave`. */
void tx_host_fiber_enter(tx_host_fiber *fiber);
void tx_host_fiber_leave(tx_host_fiber *fiber);
/** The host goes on after all that the stream has done. */
void tx_host_fiber_wait(tx_host_fiber *fiber);
/** A point in the work of a stream, in place of `before`; work of another stream, NULL: of the host, after it. */
void *tx_host_point_create(tx_host_fiber *fiber, void *before);
void tx_host_point_wait(tx_host_fiber *fiber, void *point);
/** Memory that is new to the one that enters: what others did there is forgotten. */
void tx_host_memory_new(void *at, size_t bytes);
/** A copy of a kernel's arguments, that only one stream ever looks at. */
const void *tx_host_private(const void *from, size_t bytes);
/** Write what nobody else sees, by whoever has entered: a copy of the caller's memory. */
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
