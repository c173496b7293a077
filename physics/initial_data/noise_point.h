/* Flat space and noise, at one point: the robust stability test (gr-qc/0305023). */
#pragma once

#include "base/hash.h"
#include "physics/initial_data/adm_point.h"

/** Cells that the noise distinguishes from 0 to the domain's extent: finer than any level. */
#define TX_NOISE_CELLS (1 << 24)

/** Noise that is a function of the point's place and nothing else. */
typedef struct tx_noise {
  double amplitude;     /**< values are uniform in [-amplitude, amplitude] */
  double extent;        /**< L: the domain is [-L, L) a dimension */
  uint64_t seed;        /**< another seed, other noise */
  int reflect;          /**< dimensions with a reflection symmetry, bit 0 for x */
  int periodic;         /**< periodic dimensions */
  uint8_t odd[TX_VARS]; /**< dimensions under whose reflection a variable is odd */
} tx_noise;

/** A point as noise knows it: its cell, and in which dimensions it lies behind or on a plane of reflection. */
typedef struct tx_noise_place {
  uint64_t key;
  int behind, on;
} tx_noise_place;

TX_HD static inline tx_noise_place tx_noise_place_of(const tx_noise *noise, const double *x) {
  tx_noise_place place = {tx_scramble(noise->seed), 0, 0};
  for (int d = 0; d < 3; d++) {
    int64_t cell = llround(x[d] / noise->extent * TX_NOISE_CELLS);
    if (noise->periodic >> d & 1) {
      cell = (cell + TX_NOISE_CELLS) % (2 * TX_NOISE_CELLS);
      if (cell < 0) cell += 2 * TX_NOISE_CELLS;
      cell -= TX_NOISE_CELLS;
    }
    if (noise->reflect >> d & 1) {
      if (cell < 0) place.behind |= 1 << d;
      if (cell == 0) place.on |= 1 << d;
      if (cell < 0) cell = -cell;
    }
    place.key = tx_scramble(place.key ^ (uint64_t)cell);
  }
  return place;
}

/** Return the noise number v at a point. Mirror images and periodic images of a point get the same noise, up to its parity;
 *  what is odd vanishes on the plane of reflection. */
TX_HD static inline double tx_noise_value(const tx_noise *noise, tx_noise_place place, int v,
                                          int odd) {
  const int flips = place.behind & odd;
  uint64_t bits = tx_scramble(place.key ^ (uint64_t)v) >> 11; /* uniform, 53 bits */
  double value = noise->amplitude * ((double)bits * (1.0 / 4503599627370496.0) - 1.0);
  if (place.on & odd) value = 0.0;
  return (flips ^ flips >> 1 ^ flips >> 2) & 1 ? -value : value;
}

/** Compute all TX_VARS variables [out] u at x. */
TX_HD static inline void tx_noise_point(const tx_noise *noise, const double *x, double *u) {
  const tx_noise_place place = tx_noise_place_of(noise, x);
  tx_minkowski_point(u);
  for (int v = 0; v < TX_VARS; v++) u[v] += tx_noise_value(noise, place, v, noise->odd[v]);
}
