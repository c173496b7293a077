/* Checksums of files: CRC-64/XZ, and that of a whole from those of its parts. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** Return the CRC-64/XZ of n bytes that follow those with the CRC `crc`, 0 at the start. Local, thread safe. */
uint64_t tx_crc64(uint64_t crc, const void *data, size_t n);

/** Return what bytes with the CRC `crc` add to the CRC of a whole in which n bytes follow them: the CRC of the whole is the
 *  exclusive or over its parts, in any order. Local, thread safe. */
uint64_t tx_crc64_share(uint64_t crc, uint64_t n);
