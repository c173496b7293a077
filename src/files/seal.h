/* The user block of our HDF5 files and its checksum: what is read before HDF5 sees the file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "files/crc64.h"
#include "physics/system.h"

/** Bytes before the HDF5 part of the file. */
#define TX_SEAL_BYTES 1024

/** Description of the file in its user block, beside format, code version and layout. */
typedef struct tx_seal_head {
  const tx_system *system; /**< whose variables it holds */
  int64_t step;
  double t;
  uint64_t length;   /**< of the whole file, bytes */
  uint64_t checksum; /**< of the lines above it and of all that follows the user block */
} tx_seal_head;

/** A part of a file whose CRC is known from what was written there. */
typedef struct tx_seal_part {
  uint64_t at, bytes; /**< at: from the beginning of the file, behind the user block */
  uint64_t crc;
} tx_seal_part;

/** Write the user block of the file `path`, which is complete but for it, from its length and what it
 *  holds, of which all but `known` (NULL: nothing) is read; flush it to the disk. Local. Errors: TX_ERR_IO. */
tx_status tx_seal_write(const char *path, const tx_system *system, int64_t step, double t,
                        const tx_seal_part *known);

/** Return whether the user block of the file is one of ours, and as long as the file. With `whole` also: does its
 *  checksum agree with what is there? If not, `why` says so, a clause. Never fails otherwise. Local. */
bool tx_seal_good(const char *path, bool whole, char *why, size_t size);

/** Check a file, and for one that is not good, whether it is intact but of another build. This is determined only
 *  with `whole`; then `why` names the program to restart with. Local. */
typedef enum tx_seal_kind { TX_SEAL_GOOD, TX_SEAL_OTHER, TX_SEAL_BAD } tx_seal_kind;
tx_seal_kind tx_seal_look(const char *path, bool whole, char *why, size_t size);
