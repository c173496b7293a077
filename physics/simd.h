/* Rows of points as vectors of doubles, as wide as the processor takes and as divides TX_N. */
#pragma once

#include "base/grid.h"

/* Bits of a vector. NEON has 128. SVE's are as many as -msve-vector-bits says; without it the compiler does not know, and 128 do. */
#if defined(__AVX512F__)
#define TX_VECTOR_BITS 512
#elif defined(__AVX__)
#define TX_VECTOR_BITS 256
#elif defined(__ARM_FEATURE_SVE_BITS)
#define TX_VECTOR_BITS __ARM_FEATURE_SVE_BITS
#else
#define TX_VECTOR_BITS 128
#endif

#if TX_VECTOR_BITS >= 512 && TX_N % 8 == 0
#define TX_W 8
#elif TX_VECTOR_BITS >= 256 && TX_N % 4 == 0
#define TX_W 4
#else
#define TX_W 2
#endif

/** A vector of TX_W doubles, aligned; and the same anywhere in memory. */
typedef double tx_vec __attribute__((vector_size(8 * TX_W)));
typedef double tx_vec_anywhere __attribute__((vector_size(8 * TX_W), aligned(8), may_alias));

static inline tx_vec tx_vec_load(const double *p) {
  return *(const tx_vec_anywhere *)p;
}

static inline tx_vec tx_vec_sqrt(tx_vec v) {
  tx_vec root;
  for (int n = 0; n < TX_W; n++) root[n] = __builtin_sqrt(v[n]);
  return root;
}

static inline tx_vec tx_vec_abs(tx_vec v) {
  typedef long long bits __attribute__((vector_size(8 * TX_W)));
  return (tx_vec)((bits)v & 0x7fffffffffffffffLL);
}

static inline void tx_vec_store(double *p, tx_vec v) {
  *(tx_vec_anywhere *)p = v;
}
