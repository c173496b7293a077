#include "base/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64u
#define CONSUMERS 128

/* Lies in the ALIGNMENT bytes before each block. */
typedef struct header {
  uint64_t magic;
  void *raw;
  size_t bytes;
  int consumer;
} header;
_Static_assert(sizeof(header) <= ALIGNMENT, "the header must fit before the block");

typedef struct consumer {
  const char *what;
  size_t bytes;
} consumer;

static const uint64_t MAGIC = 0x54454e4445583031u, FREED = 0x4652454544464245u;
static consumer consumers[CONSUMERS]; /* the last takes all that find no place */
static int consumer_count;
static size_t in_use, peak, blocks, limit;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static header *header_of(void *block) {
  return (header *)(void *)((char *)block - ALIGNMENT);
}

/* Entries that hold nothing are taken again. */
static int consumer_find(const char *what) {
  int place = consumer_count;
  for (int i = 0; i < consumer_count; i++) {
    if (strcmp(consumers[i].what, what) == 0) return i;
    if (consumers[i].bytes == 0 && i < place) place = i;
  }
  if (place >= CONSUMERS - 1) place = CONSUMERS - 1, what = "others";
  if (place == consumer_count) consumer_count++;
  consumers[place].what = what;
  return place;
}

static tx_status fail(size_t count, size_t size, const char *what) {
  char report[1024];
  tx_memory_report(report, sizeof report);
  TX_FAIL(TX_ERR_MEMORY,
          "%s: no memory for %zu items of %zu bytes (%.3g GB) besides %.3g GB in use on this rank; "
          "use more ranks or nodes, or a coarser grid; largest consumers: %s",
          what, count, size, (double)count * (double)size * 1e-9, (double)tx_memory_in_use() * 1e-9,
          report);
}

/* Count `bytes` more; false where the limit forbids it. */
static bool reserve(size_t bytes, const char *what, int *index) {
  pthread_mutex_lock(&lock);
  bool allowed = limit == 0 || (bytes <= limit && in_use <= limit - bytes);
  if (allowed) {
    *index = consumer_find(what);
    consumers[*index].bytes += bytes;
    in_use += bytes;
    blocks++;
  }
  pthread_mutex_unlock(&lock);
  return allowed;
}

static void release(size_t bytes, int index) {
  pthread_mutex_lock(&lock);
  consumers[index].bytes -= bytes;
  in_use -= bytes;
  blocks--;
  pthread_mutex_unlock(&lock);
}

static tx_status allocate(size_t count, size_t size, const char *what, bool zeroed, void *out) {
  void *block = NULL;
  size_t bytes, total;
  int index = 0;
  memcpy(out, &block, sizeof block);
  if (count == 0 || size == 0) return TX_OK;
  if (__builtin_mul_overflow(count, size, &bytes) ||
      __builtin_add_overflow(bytes, 2 * ALIGNMENT, &total) || total > PTRDIFF_MAX)
    return fail(count, size, what);
  if (!reserve(bytes, what, &index)) return fail(count, size, what);
  /* calloc takes pages that are zero already: the thread that first writes one decides where it
   * lies. */
  char *raw = zeroed ? calloc(1, total) : malloc(total);
  if (!raw) {
    release(bytes, index);
    return fail(count, size, what);
  }
  pthread_mutex_lock(&lock);
  if (in_use > peak) peak = in_use;
  pthread_mutex_unlock(&lock);
  block = raw + (2 * ALIGNMENT - (uintptr_t)raw % ALIGNMENT);
  *header_of(block) = (header){MAGIC, raw, bytes, index};
  memcpy(out, &block, sizeof block);
  return TX_OK;
}

tx_status tx_alloc(size_t count, size_t size, const char *what, void *out) {
  return allocate(count, size, what, true, out);
}

tx_status tx_alloc_raw(size_t count, size_t size, const char *what, void *out) {
  return allocate(count, size, what, false, out);
}

tx_status tx_realloc(size_t count, size_t size, const char *what, void *inout) {
  void *old, *block;
  memcpy(&old, inout, sizeof old);
  TX_TRY(tx_alloc(count, size, what, &block));
  if (old && block) {
    size_t had = header_of(old)->bytes;
    memcpy(block, old, had < count * size ? had : count * size);
  }
  tx_free(old);
  memcpy(inout, &block, sizeof block);
  return TX_OK;
}

void tx_free(void *block) {
  if (!block) return;
  header *h = header_of(block);
  if (h->magic != MAGIC) {
    fprintf(stderr, "tendex: error: tx_free of %p, which is %s\n", block,
            h->magic == FREED ? "free already"
                              : "no block of tx_alloc or was written before its start");
    abort();
  }
  h->magic = FREED;
  release(h->bytes, h->consumer);
  free(h->raw);
}

void tx_memory_retain(void) {
  /* Unless both are given, the library moves them with what is freed, and gives back most of the tables. */
  (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
  (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

static size_t read_counter(const size_t *counter) {
  pthread_mutex_lock(&lock);
  size_t value = *counter;
  pthread_mutex_unlock(&lock);
  return value;
}

size_t tx_memory_in_use(void) {
  return read_counter(&in_use);
}

size_t tx_memory_peak(void) {
  return read_counter(&peak);
}

size_t tx_memory_blocks(void) {
  return read_counter(&blocks);
}

void tx_memory_limit(size_t bytes) {
  pthread_mutex_lock(&lock);
  limit = bytes;
  pthread_mutex_unlock(&lock);
}

static int more_bytes(const void *a, const void *b) {
  size_t x = ((const consumer *)a)->bytes, y = ((const consumer *)b)->bytes;
  return (x < y) - (x > y);
}

void tx_memory_report(char *text, size_t size) {
  consumer sorted[CONSUMERS];
  pthread_mutex_lock(&lock);
  int n = consumer_count;
  memcpy(sorted, consumers, sizeof sorted);
  pthread_mutex_unlock(&lock);
  qsort(sorted, (size_t)n, sizeof sorted[0], more_bytes);
  if (size > 0) text[0] = 0;
  size_t used = 0;
  for (int i = 0; i < n && i < 8 && sorted[i].bytes > 0 && used < size; i++) {
    int wrote = snprintf(text + used, size - used, "%s%s: %zu bytes", i ? "; " : "", sorted[i].what,
                         sorted[i].bytes);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
}
