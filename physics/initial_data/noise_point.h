/* Flat space and noise, at one point: the robust stability test (gr-qc/0305023). */
#pragma once

#include "base/hash.h"
#include "physics/initial_data/adm_point.h"

/** Cells that the noise distinguishes from 0 to the domain's extent: finer than any level. */
#define TX_NOISE_CELLS (1 << 24)

/** Noise that is a function of the point's place and nothing else. */
typedef struct tx_noise {
  double amplitude; /**< values are uniform in [-amplitude, amplitude] */
  double extent;    /**< L: the domain is [-L, L) a dimension */
  uint64_t seed;    /**< another seed, other noise */
  int reflect;      /**< dimensions with a reflection symmetry, bit 0 for x */
  int periodic;     /**< periodic dimensions */
  uint32_t odd[3];  /**< bit v of odd[d]: variable v is odd under reflection of dimension d */
} tx_noise;

/** All TX_VARS variables [out] u at x. Mirror images and periodic images of a point get the same
 *  noise, up to the variable's parity; odd variables vanish on the plane of reflection. */
TX_HD static inline void tx_noise_point(const tx_noise *noise, const double *x, double *u) {
  tx_minkowski_point(u);
  uint32_t negate = 0, zero = 0;
  uint64_t key = tx_scramble(noise->seed);
  for (int d = 0; d < 3; d++) {
    int64_t cell = llround(x[d] / noise->extent * TX_NOISE_CELLS);
    if (noise->periodic >> d & 1) {
      cell = (cell + TX_NOISE_CELLS) % (2 * TX_NOISE_CELLS);
      if (cell < 0) cell += 2 * TX_NOISE_CELLS;
      cell -= TX_NOISE_CELLS;
    }
    if (noise->reflect >> d & 1) {
      if (cell < 0) negate ^= noise->odd[d];
      if (cell == 0) zero |= noise->odd[d];
      if (cell < 0) cell = -cell;
    }
    key = tx_scramble(key ^ (uint64_t)cell);
  }
  for (int v = 0; v < TX_VARS; v++) {
    uint64_t bits = tx_scramble(key ^ (uint64_t)v) >> 11; /* uniform, 53 bits */
    double value = noise->amplitude * ((double)bits * (1.0 / 4503599627370496.0) - 1.0);
    if (zero >> v & 1) value = 0.0;
    u[v] += negate >> v & 1 ? -value : value;
  }
}
