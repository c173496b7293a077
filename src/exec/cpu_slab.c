/* Boxes of points: copies between octants, buffers and patches, and interpolation from coarse to fine.
 * Everything runs row by row along x, with the lengths of rows that occur known to the compiler. */
#include "exec/cpu.h"

#include <stdbool.h>
#include <string.h>

#define TAPS  TX_INTERP_POINTS
#define REACH (TAPS / 2 - 1) /* coarse points below the lower neighbour of a midpoint */

/* to[i] = sign * from[step * i] for a box; inlined with constant n0 and step. */
static inline __attribute__((always_inline)) void
copy_box(const int8_t n[3], int n0, ptrdiff_t step, double sign, const double *from, ptrdiff_t fz,
         ptrdiff_t fy, double *to, ptrdiff_t tz, ptrdiff_t ty) {
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++) {
      const double *restrict a = from + k * fz + j * fy;
      double *restrict b = to + k * tz + j * ty;
      if (step == 1 && sign > 0.0)
        memcpy(b, a, (size_t)n0 * sizeof *b);
      else
        for (int i = 0; i < n0; i++) b[i] = sign * a[step * i];
    }
}

/* copy_box with the row lengths of ghost zones as constants. */
static inline __attribute__((always_inline)) void copy_rows(const int8_t n[3], ptrdiff_t step,
                                                            double sign, const double *from,
                                                            ptrdiff_t fz, ptrdiff_t fy, double *to,
                                                            ptrdiff_t tz, ptrdiff_t ty) {
  if (n[0] == TX_K)
    copy_box(n, TX_K, step, sign, from, fz, fy, to, tz, ty);
  else if (n[0] == TX_N)
    copy_box(n, TX_N, step, sign, from, fz, fy, to, tz, ty);
  else if (n[0] == TX_N / 2)
    copy_box(n, TX_N / 2, step, sign, from, fz, fy, to, tz, ty);
  else
    copy_box(n, n[0], step, sign, from, fz, fy, to, tz, ty);
}

void tx_cpu_slab_copy(const tx_slab *s, int n_vars, const int8_t (*parity)[3], const double *block,
                      tx_cpu_box to) {
  const double *from = block + TX_AT(s->from[0], s->from[1], s->from[2]);
  ptrdiff_t fz = s->step[2] * TX_N * TX_N, fy = s->step[1] * TX_N;
  for (int v = 0; v < n_vars; v++, from += TX_N3, to.p += to.var) {
    double sign = s->mirror ? tx_cpu_sign(parity, v, s->mirror) : 1.0;
    if (s->step[0] == 1 && sign > 0.0)
      copy_rows(s->n, 1, 1.0, from, fz, fy, to.p, to.z, to.y);
    else if (s->step[0] == 2)
      copy_rows(s->n, 2, sign, from, fz, fy, to.p, to.z, to.y);
    else
      copy_rows(s->n, s->step[0], sign, from, fz, fy, to.p, to.z, to.y);
  }
}

void tx_cpu_slab_place(const tx_slab *s, int n_vars, const double *dense, double *patch) {
  double *to = patch + TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]);
  ptrdiff_t fy = s->n[0], fz = fy * s->n[1];
  for (int v = 0; v < n_vars; v++, dense += fz * s->n[2], to += TX_P3)
    copy_rows(s->n, 1, 1.0, dense, fz, fy, to, TX_P * TX_P, TX_P);
}

/* One dimension of an interpolation: n points at half spacings from, from + step, ... need the coarse
 * points low .. low + n_low - 1; point i is coarse point at[i] - low, or lies between it and the next. */
typedef struct line {
  int n, low, n_low;
  int at[TX_N];
  bool midpoint[TX_N];
} line;

static line line_make(int from, int step, int n) {
  line l = {.n = n};
  int low = INT16_MAX, high = INT16_MIN;
  for (int i = 0; i < n; i++) {
    int p = from + step * i, c = (p + 2 * TX_N) / 2 - TX_N; /* rounded down */
    l.midpoint[i] = p & 1;
    l.at[i] = c;
    int a = l.midpoint[i] ? c - REACH : c, b = l.midpoint[i] ? c + REACH + 1 : c;
    if (a < low) low = a;
    if (b > high) high = b;
  }
  l.low = low;
  l.n_low = high - low + 1;
  for (int i = 0; i < n; i++) l.at[i] -= low;
  return l;
}

/* Weights of the midpoint of six points, outermost first. */
static const double WEIGHT[TAPS / 2] = {3.0 / 256, -25.0 / 256, 150.0 / 256};
_Static_assert(TAPS == 6, "the weights are those of six points");

/* Points along x that a row may need, and its length in a vector-friendly number. */
#define ROW_MOST  (TX_N / 2 + TAPS - 1)
#define ROW_WIDE  ((ROW_MOST + 1) / 2 * 2)
#define SLIM_MOST ((TX_K + 1) / 2 + TAPS - 1)
#define ROW_SLIM  ((SLIM_MOST + 1) / 2 * 2)

/* A pass in a direction whose neighbours are `stride` apart, on rows of `width` points:
 * to[row] = from[at] or the midpoint. */
static inline __attribute__((always_inline)) void
pass(bool midpoint, const double *restrict from, ptrdiff_t stride, int width, double *restrict to) {
  if (midpoint) {
    const double *a = from - REACH * stride;
    for (int i = 0; i < width; i++)
      to[i] = WEIGHT[0] * (a[i] + a[5 * stride + i]) +
              WEIGHT[1] * (a[stride + i] + a[4 * stride + i]) +
              WEIGHT[2] * (a[2 * stride + i] + a[3 * stride + i]);
  } else {
    for (int i = 0; i < width; i++) to[i] = from[i];
  }
}

/* The last pass as a matrix: column c holds the weights of coarse point c in each point of a row. */
typedef struct matrix {
  double w[ROW_MOST][TX_N];
} matrix;

static void matrix_make(const line *l, matrix *m) {
  memset(m, 0, sizeof *m);
  for (int i = 0; i < l->n; i++) {
    int a = l->at[i];
    if (!l->midpoint[i])
      m->w[a][i] = 1.0;
    else
      for (int t = 0; t < TAPS / 2; t++)
        m->w[a - REACH + t][i] = m->w[a + REACH + 1 - t][i] = WEIGHT[t];
  }
}

/* One variable: z, then y on rows of `width` points, then x, n0 points (computed as `lanes`) a row. */
static inline __attribute__((always_inline)) void interpolate_box(const line l[3], const matrix *m,
                                                                  int width, int lanes, int n0,
                                                                  double sign, const double *from,
                                                                  double *restrict to) {
  double zs[TX_N / 2 + TAPS][ROW_WIDE], ys[ROW_WIDE], row[TX_N];
  for (int k = 0; k < l[2].n; k++) {
    for (int j = 0; j < l[1].n_low; j++)
      pass(l[2].midpoint[k], from + l[2].at[k] * TX_P * TX_P + j * TX_P, TX_P * TX_P, width, zs[j]);
    for (int j = 0; j < l[1].n; j++) {
      pass(l[1].midpoint[j], zs[l[1].at[j]], ROW_WIDE, width, ys);
      for (int i = 0; i < lanes; i++) row[i] = 0.0;
      for (int c = 0; c < l[0].n_low; c++)
        for (int i = 0; i < lanes; i++) row[i] += ys[c] * m->w[c][i];
      for (int i = 0; i < n0; i++) to[i] = sign * row[i];
      to += n0;
    }
  }
}

void tx_cpu_slab_interpolate(const tx_slab *s, int n_vars, const int8_t (*parity)[3],
                             const double *patch, double *dense) {
  line l[3];
  matrix m;
  for (int d = 0; d < 3; d++) l[d] = line_make(s->from[d], s->step[d], s->n[d]);
  matrix_make(&l[0], &m);
  const double *from = patch + TX_PATCH_AT(l[0].low, l[1].low, l[2].low);
  size_t points = (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
  for (int v = 0; v < n_vars; v++, from += TX_P3, dense += points) {
    double sign = s->mirror ? tx_cpu_sign(parity, v, s->mirror) : 1.0;
    if (s->n[0] == TX_N)
      interpolate_box(l, &m, ROW_WIDE, TX_N, TX_N, sign, from, dense);
    else if (s->n[0] == TX_K && l[0].n_low <= SLIM_MOST)
      interpolate_box(l, &m, ROW_SLIM, (TX_K + 3) / 4 * 4, TX_K, sign, from, dense);
    else
      interpolate_box(l, &m, ROW_WIDE, TX_N, s->n[0], sign, from, dense);
  }
}
