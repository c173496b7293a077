/* Profile of a GPU kernel, or of a kind of operation on the CPU. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** A row of a profile. Attributes of kernels are 0 on the CPU. Operations (a fused multiply-add counts 2) and least
 *  traffic, what must be read and written once, are those of all launches; 0: not known. */
typedef struct tx_profile_row {
  char name[64]; /**< of the kernel's function, without what it is a template of; or of the kind */
  const char *source;  /**< the file that launches it; "" on the CPU. Literal */
  int registers;       /**< a thread */
  int threads;         /**< a block, of the latest launch */
  int blocks_per_sm;   /**< of the latest launch, that fit on a multiprocessor at once */
  size_t local_bytes;  /**< a thread: spills, and arrays that are not in registers */
  size_t shared_bytes; /**< a block, of the latest launch */
  int64_t launches;    /**< 0 on the CPU, where calls are not counted */
  double seconds;      /**< on this rank, all launches */
  double flop, bytes;
} tx_profile_row;

/** Most rows of a profile. */
#define TX_PROFILE_ROWS 64
