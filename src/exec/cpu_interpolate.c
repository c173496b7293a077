/* Interpolation from coarse to fine: a tensor product of passes along z, y and x with centred 6-point
 * Lagrange stencils; points that coincide are taken as they are. */
#include "exec/cpu.h"

#include <string.h>

#include "base/memory.h"
#include "physics/simd.h"

#define TAPS  TX_INTERP_POINTS
#define REACH (TAPS / 2 - 1) /* coarse points below the lower neighbour of a midpoint */

/* Weights of the midpoint of six points, outermost first. */
static const double WEIGHT[TAPS / 2] = {3.0 / 256, -25.0 / 256, 150.0 / 256};
_Static_assert(TAPS == 6, "the weights are those of six points");

#define VECTORS(n) (((n) + TX_W - 1) / TX_W)

/* Coarse points that n points may need: ghosts of an octant across and along a face. */
#define NEED_SLIM ((TX_K + 1) / 2 + TAPS - 1)
#define NEED_WIDE (TX_N / 2 + TAPS - 1)

/* One dimension: n points at half spacings from, from + step, ... need the coarse points low .. low +
 * need - 1; point i is coarse point low + at[i], or lies between it and the next. The pass along x is a
 * matrix: row c holds what coarse point c adds to each point. */
typedef struct line {
  int n, low, need;
  int at[TX_N];
  bool midpoint[TX_N];
  tx_vec matrix[NEED_WIDE][VECTORS(TX_N)];
} line;

static void matrix_make(line *l) {
  memset(l->matrix, 0, sizeof l->matrix);
  for (int i = 0; i < l->n; i++) {
    double *w = (double *)l->matrix + i;
    const ptrdiff_t pitch = VECTORS(TX_N) * TX_W;
    if (!l->midpoint[i]) w[l->at[i] * pitch] = 1.0;
    for (int t = 0; t < TAPS / 2 && l->midpoint[i]; t++)
      w[(l->at[i] - REACH + t) * pitch] = w[(l->at[i] + REACH + 1 - t) * pitch] = WEIGHT[t];
  }
}

static void line_make(line *l, int from, int step, int n) {
  int low = INT16_MAX, high = INT16_MIN;
  for (int i = 0; i < n; i++) {
    int p = from + step * i;
    l->midpoint[i] = p & 1;
    l->at[i] = (p + 2 * TX_N) / 2 - TX_N; /* rounded down */
    int first = l->at[i] - (l->midpoint[i] ? REACH : 0);
    int last = l->at[i] + (l->midpoint[i] ? REACH + 1 : 0);
    low = first < low ? first : low;
    high = last > high ? last : high;
  }
  l->n = n;
  l->low = low;
  l->need = high - low + 1;
  for (int i = 0; i < n; i++) l->at[i] -= low;
  matrix_make(l);
}

/* The lines of ghost zones: from 0 or 1, forwards or backwards, across or along a face. */
struct tx_cpu_lines {
  line line[2][2][2];
};

tx_status tx_cpu_lines_create(tx_cpu_lines **out) {
  TX_TRY(tx_alloc(1, sizeof **out, "interpolation tables", out));
  for (int from = 0; from < 2; from++)
    for (int back = 0; back < 2; back++)
      for (int along = 0; along < 2; along++)
        line_make(&(*out)->line[from][back][along], from, back ? -1 : 1, along ? TX_N : TX_K);
  return TX_OK;
}

/* Each pair of half spacings moves a line by one coarse point. */
static const line *line_find(const tx_cpu_lines *lines, int from, int step, int n, int *low) {
  const line *l = &lines->line[from & 1][step < 0][n == TX_N];
  *low = l->low + (from - (from & 1)) / 2;
  return l;
}

void tx_cpu_slab_needs(const tx_cpu_lines *lines, const tx_slab *s, int low[3], int high[3]) {
  for (int d = 0; d < 3; d++) {
    const line *l = line_find(lines, s->from[d], s->step[d], s->n[d], &low[d]);
    high[d] = low[d] + l->need - 1;
  }
}

/* Midpoints between two rows that are `pitch` apart from the next, `vectors` long. */
static inline __attribute__((always_inline)) void midpoints(const double *lower, ptrdiff_t pitch,
                                                            int vectors, double *restrict to) {
  const double *a = lower - REACH * pitch;
  for (int i = 0; i < vectors * TX_W; i += TX_W)
    tx_vec_store(to + i,
                 WEIGHT[0] * (tx_vec_load(a + i) + tx_vec_load(a + 5 * pitch + i)) +
                     WEIGHT[1] * (tx_vec_load(a + pitch + i) + tx_vec_load(a + 4 * pitch + i)) +
                     WEIGHT[2] * (tx_vec_load(a + 2 * pitch + i) + tx_vec_load(a + 3 * pitch + i)));
}

/* One variable: `need` coarse points a row become n0, computed as whole vectors. */
static inline __attribute__((always_inline)) void box(const line *const l[3], int need, int n0,
                                                      double sign, const double *from,
                                                      double *restrict to) {
  enum { PITCH = VECTORS(NEED_WIDE) * TX_W };
  double zs[NEED_WIDE * PITCH], ys[PITCH];
  const double *end = to + n0 * l[1]->n * l[2]->n - VECTORS(n0) * TX_W;
  for (int k = 0; k < l[2]->n; k++) {
    const double *plane = from + l[2]->at[k] * TX_P * TX_P;
    ptrdiff_t pitch = TX_P;
    if (l[2]->midpoint[k]) {
      for (int j = 0; j < l[1]->need; j++)
        midpoints(plane + j * TX_P, TX_P * TX_P, VECTORS(need), zs + j * PITCH);
      plane = zs;
      pitch = PITCH;
    }
    for (int j = 0; j < l[1]->n; j++, to += n0) {
      const double *row = plane + l[1]->at[j] * pitch;
      if (l[1]->midpoint[j]) {
        midpoints(row, pitch, VECTORS(need), ys);
        row = ys;
      }
      tx_vec sum[VECTORS(TX_N)];
      for (int i = 0; i < VECTORS(n0); i++) sum[i] = row[0] * l[0]->matrix[0][i];
      for (int c = 1; c < need; c++)
        for (int i = 0; i < VECTORS(n0); i++) sum[i] += row[c] * l[0]->matrix[c][i];
      if (to <= end) /* what a vector writes beyond its row, the next row overwrites */
        for (int i = 0; i < VECTORS(n0); i++) tx_vec_store(to + i * TX_W, sign * sum[i]);
      else
        for (int i = 0; i < n0; i++) to[i] = sign * sum[i / TX_W][i % TX_W];
    }
  }
}

void tx_cpu_slab_interpolate(const tx_cpu_lines *lines, const tx_slab *s, int n_vars,
                             const int8_t (*parity)[3], const double *patch, double *dense) {
  const line *l[3];
  int low[3];
  for (int d = 0; d < 3; d++) l[d] = line_find(lines, s->from[d], s->step[d], s->n[d], &low[d]);
  const double *from = patch + TX_PATCH_AT(low[0], low[1], low[2]);
  const ptrdiff_t points = s->n[0] * s->n[1] * s->n[2];
  for (int v = 0; v < n_vars; v++, from += TX_P3, dense += points) {
    double sign = s->mirror ? tx_cpu_sign(parity, v, s->mirror) : 1.0;
    if (l[0]->need == NEED_WIDE)
      box(l, NEED_WIDE, TX_N, sign, from, dense);
    else if (l[0]->need == NEED_SLIM)
      box(l, NEED_SLIM, TX_K, sign, from, dense);
    else
      box(l, NEED_SLIM - 1, TX_K, sign, from, dense);
  }
}
