/* Interpolation from the grid of a level to the refinement boundary of the next finer one: passes along z, y and x with centred
 * stencils, points that coincide being taken as they are. Sums go by pairs of points at the same distance: mirror
 * images have the same bits. */
#include "exec/cpu/cpu.h"

#include "physics/midpoint_point.h"
#include "physics/simd.h"

#define REACH TX_MIDPOINT_REACH

/* Vectors that hold n numbers. */
#define VECTORS(n) (((n) + TX_W - 1) / TX_W)

enum {
  WIDE = TX_N + TX_INTERP_POINTS - 1, /* coarse points that all of an octant's fine ones need */
  SLIM = (TX_K + 1) / 2 + TX_INTERP_POINTS - 1, /* and TX_K of them */
  PITCH = (VECTORS(WIDE) + 1) * TX_W /* of rows: all midpoints, a vector at once, read no further */
};
_Static_assert(PITCH <= TX_CPU_PAD, "a row's vectors stay in the padding");
_Static_assert(VECTORS(TX_N) * TX_W + TX_INTERP_POINTS - 1 <= PITCH, "likewise");
_Static_assert(TX_INTERP_POINTS == 6, "three pairs of points");

/* One dimension: point i is coarse point low + at[i], or lies half way to the next. */
typedef struct line {
  int n, low, need;
  bool pairs; /* point and midpoint by turns, as many of each */
  int at[2 * TX_N];
  bool midpoint[2 * TX_N];
} line;

static line line_of(const tx_slab *s, int d) {
  line l = {.n = s->n[d]};
  int low = INT16_MAX, high = INT16_MIN;
  for (int i = 0; i < l.n; i++) {
    const int p = s->from[d] + i;
    l.at[i] = (p + 2 * TX_N) / 2 - TX_N; /* rounded down */
    l.midpoint[i] = p & 1;
    const int first = l.at[i] - (l.midpoint[i] ? REACH : 0);
    const int last = l.at[i] + (l.midpoint[i] ? REACH + 1 : 0);
    low = first < low ? first : low;
    high = last > high ? last : high;
  }
  l.low = low;
  l.need = high - low + 1;
  l.pairs = !l.midpoint[0] && l.n % 2 == 0;
  for (int i = 0; i < l.n; i++) l.at[i] -= low;
  return l;
}

void tx_cpu_centred_needs(const tx_slab *s, int low[3], int high[3]) {
  for (int d = 0; d < 3; d++) {
    const line l = line_of(s, d);
    low[d] = l.low;
    high[d] = l.low + l.need - 1;
  }
}

/* Midpoints of `vectors` vectors of numbers: from the six that are `pitch` apart, `from` being the first. */
static inline void midpoints(const tx_midpoint_weights *m, const double *from, ptrdiff_t pitch,
                             int vectors, double *restrict to) {
  for (int i = 0; i < vectors * TX_W; i += TX_W, from += TX_W) {
    tx_vec sum = m->w[2] * (tx_vec_load(from + 2 * pitch) + tx_vec_load(from + 3 * pitch));
    sum += m->w[1] * (tx_vec_load(from + pitch) + tx_vec_load(from + 4 * pitch));
    sum += m->w[0] * (tx_vec_load(from) + tx_vec_load(from + 5 * pitch));
    tx_vec_store(to + i, sum);
  }
}

/* The pass along x: a row of coarse points becomes n points. */
static inline __attribute__((always_inline)) void row_place(const tx_midpoint_weights *m,
                                                            const line *l, int n, bool pairs,
                                                            const double *row,
                                                            double *restrict to) {
  if (l->need < TX_INTERP_POINTS) { /* no midpoint is among them */
    for (int i = 0; i < n; i++) to[i] = row[l->at[i]];
    return;
  }
  double between[PITCH];
  midpoints(m, row, 1, VECTORS(pairs ? n / 2 : l->need - TX_INTERP_POINTS + 1), between);
  if (pairs)
    for (int i = 0; i < n / 2; i++) {
      to[2 * i] = row[i + REACH];
      to[2 * i + 1] = between[i];
    }
  else
    for (int i = 0; i < n; i++) to[i] = l->midpoint[i] ? between[l->at[i] - REACH] : row[l->at[i]];
}

/* One variable; `from` is the lowest coarse point needed. Rows along x: n points of `vectors` vectors of coarse ones. */
static inline __attribute__((always_inline)) void box(const tx_midpoint_weights *m, const line l[3],
                                                      int vectors, int n, const double *from,
                                                      double *restrict to) {
  double zs[WIDE * PITCH + TX_W], ys[PITCH + TX_W];
  const bool pairs = l[0].pairs;
  for (int k = 0; k < l[2].n; k++) {
    const double *plane = from + l[2].at[k] * TX_P * TX_P;
    ptrdiff_t pitch = TX_P;
    if (l[2].midpoint[k]) {
      for (int j = 0; j < l[1].need; j++)
        midpoints(m, plane + j * TX_P - REACH * TX_P * TX_P, TX_P * TX_P, vectors, zs + j * PITCH);
      plane = zs;
      pitch = PITCH;
    }
    for (int j = 0; j < l[1].n; j++, to += n) {
      const double *row = plane + l[1].at[j] * pitch;
      if (l[1].midpoint[j]) {
        midpoints(m, row - REACH * pitch, pitch, vectors, ys);
        row = ys;
      }
      if (pairs)
        row_place(m, &l[0], n, true, row, to);
      else
        row_place(m, &l[0], n, false, row, to);
    }
  }
}

/* The lengths of rows that occur known to the compiler. */
static void box_any(const tx_midpoint_weights *m, const line l[3], const double *from,
                    double *restrict to) {
  if (l[0].n == 2 * TX_N)
    box(m, l, VECTORS(WIDE), 2 * TX_N, from, to);
  else if (l[0].n == TX_K && l[0].need <= SLIM)
    box(m, l, VECTORS(SLIM), TX_K, from, to);
  else if (l[0].n == 1)
    box(m, l, VECTORS(l[0].need), 1, from, to);
  else
    box(m, l, VECTORS(l[0].need), l[0].n, from, to);
}

void tx_cpu_slab_centred(const tx_slab *s, int n_vars, const double *patch, double *dense) {
  const tx_midpoint_weights m = tx_midpoint_weights_make(TX_INTERP_POINTS);
  const line l[3] = {line_of(s, 0), line_of(s, 1), line_of(s, 2)};
  const ptrdiff_t points = s->n[0] * s->n[1] * s->n[2];
  const double *from = patch + TX_PATCH_AT(l[0].low, l[1].low, l[2].low);
  for (int v = 0; v < n_vars; v++) box_any(&m, l, from + v * TX_P3, dense + v * points);
}
