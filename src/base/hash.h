/* Scrambling of 64 bits, for hashes, checksums and noise that does not depend on the order of calls. */
#pragma once

#include "base/types.h"

/** 2^64 over the golden ratio, odd. */
#define TX_HASH_STEP UINT64_C(0x9e3779b97f4a7c15)

/** Scramble a number bijectively (the finaliser of splitmix64, Steele et al. 2014); keeps 0. */
TX_HD static inline uint64_t tx_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** Return the number that splitmix64 gives in state z: a bijective scramble that does not keep 0. */
TX_HD static inline uint64_t tx_scramble(uint64_t z) {
  return tx_mix(z + TX_HASH_STEP);
}

/** Place of a key in a table of 2^(64 - shift) entries (Fibonacci hashing). */
static inline uint64_t tx_hash_place(uint64_t key, int shift) {
  return key * TX_HASH_STEP >> shift;
}
