/* CRC-64/XZ by tables, or where the processor multiplies polynomials by folding: 128 bits of state are multiplied by the
 * power of x that the next bits shift them by (V. Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction, Intel 2009). Both give the same bits. */
#include "files/crc64.h"

#include <stdbool.h>
#include <string.h>
#if defined __x86_64__
#include <immintrin.h>
#define FOLDS 1
#else
#define FOLDS 0
#endif

/* Slicing by 16: table[k][b] is the CRC of byte b and k zero bytes. */
static uint64_t table[16][256];

/* x^(8 2^k) modulo the polynomial of the CRC: what 2^k bytes that follow multiply a CRC with. */
static uint64_t power[64];

/* Folding: blocks of 16 bytes that are folded side by side, and for a fold by all of them and by one, x^(n + 63) and x^(n - 1), n
 * bits further on: a product of two reflected words has a factor x too many. */
#define LANES 4
static uint64_t fold_all[2], fold_one[2];
static bool folds;

/* Polynomials have the coefficient of x^0 in the highest bit. */
static uint64_t times_x(uint64_t a) {
  return a >> 1 ^ (-(a & 1) & UINT64_C(0xc96c5795d7870f42));
}

static uint64_t product(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  for (; a != 0; a <<= 1, b = times_x(b)) sum ^= -(a >> 63) & b;
  return sum;
}

static uint64_t power_of_x(int n) {
  uint64_t a = UINT64_C(1) << 63;
  for (int i = 0; i < n; i++) a = times_x(a);
  return a;
}

static void make_folds(uint64_t fold[2], int bits) {
  fold[0] = power_of_x(bits + 63);
  fold[1] = power_of_x(bits - 1);
}

__attribute__((constructor)) static void make_tables(void) {
  for (unsigned b = 0; b < 256; b++) {
    table[0][b] = b;
    for (int bit = 0; bit < 8; bit++) table[0][b] = times_x(table[0][b]);
  }
  for (int k = 1; k < 16; k++)
    for (unsigned b = 0; b < 256; b++)
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
  power[0] = UINT64_C(1) << 55;
  for (int k = 1; k < 64; k++) power[k] = product(power[k - 1], power[k - 1]);
  make_folds(fold_all, 128 * LANES);
  make_folds(fold_one, 128);
#if FOLDS
  folds = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
}

/* Eight bytes of a word in the tables from k on. */
static uint64_t look_up(uint64_t word, int k) {
  uint64_t crc = 0;
  for (int i = 0; i < 8; i++) crc ^= table[k + 7 - i][word >> 8 * i & 255];
  return crc;
}

/* The register after 16 bytes that begin with it. */
static uint64_t after_block(const uint64_t word[2]) {
  return look_up(word[0], 8) ^ look_up(word[1], 0);
}

#if FOLDS
#define CARRYLESS __attribute__((target("pclmul,sse4.1")))

CARRYLESS static inline __m128i load(const unsigned char *at) {
  return _mm_loadu_si128((const __m128i *)at);
}

/* Shift a block by the bits that `by` is for, and add the next one. */
CARRYLESS static inline __m128i fold(__m128i block, __m128i by, __m128i next) {
  const __m128i first = _mm_clmulepi64_si128(block, by, 0x00);
  const __m128i second = _mm_clmulepi64_si128(block, by, 0x11);
  return _mm_xor_si128(next, _mm_xor_si128(first, second));
}

/* The register after n bytes, a positive number of times LANES blocks. */
CARRYLESS static uint64_t fold_bytes(uint64_t crc, const unsigned char *at, size_t n) {
  const __m128i all = load((const unsigned char *)fold_all);
  const __m128i one = load((const unsigned char *)fold_one);
  __m128i lane[LANES];
  uint64_t word[2];
  for (int i = 0; i < LANES; i++) lane[i] = load(at + 16 * i);
  lane[0] = _mm_xor_si128(lane[0], _mm_set_epi64x(0, (long long)crc));
  for (size_t done = 16 * LANES; done < n; done += 16 * LANES)
    for (int i = 0; i < LANES; i++) lane[i] = fold(lane[i], all, load(at + done + 16 * i));
  for (int i = 1; i < LANES; i++) lane[0] = fold(lane[0], one, lane[i]);
  _mm_storeu_si128((__m128i *)word, lane[0]);
  return after_block(word);
}
#else
static uint64_t fold_bytes(uint64_t crc, const unsigned char *at, size_t n) {
  return crc; /* unused */
}
#endif

uint64_t tx_crc64(uint64_t crc, const void *data, size_t n) {
  const unsigned char *at = data;
  crc = ~crc;
  if (folds && n >= 16 * LANES) {
    const size_t most = n - n % (16 * LANES);
    crc = fold_bytes(crc, at, most);
    at += most;
    n -= most;
  }
  for (; n >= 16; n -= 16, at += 16) {
    uint64_t word[2];
    memcpy(word, at, sizeof word);
    word[0] ^= crc;
    crc = after_block(word);
  }
  for (; n > 0; n--) crc = crc >> 8 ^ table[0][(crc ^ *at++) & 255];
  return ~crc;
}

uint64_t tx_crc64_share(uint64_t crc, uint64_t n) {
  for (int k = 0; n > 0; k++, n >>= 1)
    if (n & 1) crc = product(power[k], crc);
  return crc;
}
