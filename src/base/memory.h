/* Counted memory. Every block of ours is allocated and freed here; at the end the count is zero. */
#pragma once

#include <stdint.h>
#include <stddef.h>
#include "base/status.h"

/** Allocate `count` items of `size` bytes, 64-byte aligned, zeroed, into *out; the caller owns it.
 *  `what` (a literal) names the consumer in reports. Local. A count of 0 gives NULL.
 *  Errors: TX_ERR_MEMORY with the size asked for and the largest consumers. */
tx_status tx_alloc(size_t count, size_t size, const char *what, void *out /* T** */);

/** Allocate memory that is not zeroed: for tables that are written in full at once. Local. */
tx_status tx_alloc_raw(size_t count, size_t size, const char *what, void *out /* T** */);

/** Grow or shrink a block of tx_alloc, keeping its content; new space is zeroed. */
tx_status tx_realloc(size_t count, size_t size, const char *what, void *inout /* T** */);

/** Free a block of tx_alloc; NULL is fine. */
void tx_free(void *block);

/** Keep freed blocks below 32 MB from now on, for this process to reuse; larger ones go back to the system.
 *  Mesh tables are replaced at every regrid, and the first touch of a page costs a microsecond or more. Local. */
void tx_memory_retain(void);

/** Return the bytes in use, the most ever in use, and blocks in use on this rank. */
size_t tx_memory_in_use(void);
size_t tx_memory_peak(void);
size_t tx_memory_blocks(void);

/** Make requests fail that would raise the bytes in use above `bytes`; 0: no limit (the start). Local. */
void tx_memory_limit(size_t bytes);

/** List the largest consumers, one "what: bytes" a line, into `text` of `size` bytes. */
void tx_memory_report(char *text, size_t size);
