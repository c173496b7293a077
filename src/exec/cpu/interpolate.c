/* Interpolation from coarse to fine: a tensor product of passes along z, y and x with Lagrange stencils, which
 * base/grid.h tells of; points that coincide are taken as they are. */
#include "exec/cpu/cpu.h"

#include <string.h>

#include "base/memory.h"
#include "physics/midpoint_point.h"
#include "physics/simd.h"

#define TAPS  TX_INTERP_GHOST
#define REACH TX_MIDPOINT_REACH

/* The stencils of a midpoint, centred or with one point more above or below it: the first coarse point, relative to
 * its lower neighbour, and the weights. */
typedef struct stencil {
  int first, taps;
  double w[TAPS];
} stencil;
typedef struct stencils {
  stencil centred, above, below;
} stencils;

static stencils stencils_make(void) {
  const tx_midpoint_weights six = tx_midpoint_weights_make(TX_INTERP_POINTS);
  const tx_midpoint_weights seven = tx_midpoint_weights_make(TX_INTERP_GHOST);
  stencils s = {
      {-REACH, TX_INTERP_POINTS, {0.0}}, {-REACH, TAPS, {0.0}}, {-REACH - 1, TAPS, {0.0}}};
  for (int t = 0; t < TAPS; t++) {
    s.centred.w[t] = six.w[t];
    s.above.w[t] = seven.w[t];
    s.below.w[t] = seven.w[TAPS - 1 - t];
  }
  return s;
}

#define VECTORS(n) (((n) + TX_W - 1) / TX_W)

/* Coarse points that n points may need: ghosts of an octant across and along a face. */
#define NEED_SLIM ((TX_K + 1) / 2 + TX_INTERP_POINTS - 1)
#define NEED_WIDE (TX_N / 2 + TX_INTERP_POINTS - 1)

/* One dimension: n points at half spacings from, from + step, ... need the coarse points low .. low +
 * need - 1; point i is coarse point low + at[i], or lies between it and the next, if it has a stencil.
 * The pass along x is a matrix: row c holds what coarse point c adds to each point. */
typedef struct line {
  int n, low, need;
  int at[TX_N];
  const stencil *midpoint[TX_N];
  tx_vec matrix[NEED_WIDE][VECTORS(TX_N)];
} line;

static void matrix_make(line *l) {
  memset(l->matrix, 0, sizeof l->matrix);
  for (int i = 0; i < l->n; i++) {
    double *w = (double *)l->matrix + i;
    const ptrdiff_t pitch = VECTORS(TX_N) * TX_W;
    const stencil *m = l->midpoint[i];
    if (!m) w[l->at[i] * pitch] = 1.0;
    for (int t = 0; m && t < m->taps; t++) w[(l->at[i] + m->first + t) * pitch] = m->w[t];
  }
}

/* ghost: of a slab of ghosts. Those of a face share their points. */
static const stencil *stencil_of(const stencils *s, int p, bool ghost) {
  if (!(p & 1)) return NULL;
  if (ghost && TX_INTERP_HIGH(p)) return p == 2 * TX_N - 1 ? &s->below : &s->above;
  if (ghost && TX_INTERP_LOW(p)) return p == 1 ? &s->above : &s->below;
  return &s->centred;
}

static void line_make(const stencils *s, line *l, int from, int step, int n, bool ghost) {
  int low = INT16_MAX, high = INT16_MIN;
  for (int i = 0; i < n; i++) {
    int p = from + step * i;
    const stencil *m = l->midpoint[i] = stencil_of(s, p, ghost);
    l->at[i] = (p + 2 * TX_N) / 2 - TX_N; /* rounded down */
    int first = l->at[i] + (m ? m->first : 0);
    int last = first + (m ? m->taps - 1 : 0);
    low = first < low ? first : low;
    high = last > high ? last : high;
  }
  l->n = n;
  l->low = low;
  l->need = high - low + 1;
  for (int i = 0; i < n; i++) l->at[i] -= low;
  matrix_make(l);
}

/* Lines by their length, TX_K or TX_N; lowest half spacing, of those of ghosts; forwards or backwards. */
struct tx_cpu_lines {
  stencils stencils;
  line slim[2 * TX_N][2], wide[2][2]; /* wide: from 0 or TX_N */
  line child[2];                      /* of octants: their points from 0 or TX_N */
};

tx_status tx_cpu_lines_create(tx_cpu_lines **out) {
  TX_TRY(tx_alloc(1, sizeof **out, "interpolation tables", out));
  const stencils *s = &(*out)->stencils;
  (*out)->stencils = stencils_make();
  for (int back = 0; back < 2; back++) {
    const int step = back ? -1 : 1;
    for (int lo = 0; lo <= 2 * TX_N - TX_K; lo++)
      line_make(s, &(*out)->slim[lo][back], back ? lo + TX_K - 1 : lo, step, TX_K, true);
    for (int half = 0; half < 2; half++) {
      const int from = half * TX_N + (back ? TX_N - 1 : 0);
      line_make(s, &(*out)->wide[half][back], from, step, TX_N, true);
      if (!back) line_make(s, &(*out)->child[half], from, step, TX_N, false);
    }
  }
  return TX_OK;
}

static const line *line_find(const tx_cpu_lines *lines, const tx_slab *s, int d) {
  const int n = s->n[d], back = s->step[d] < 0, lo = s->from[d] - (back ? n - 1 : 0);
  return n == TX_K ? &lines->slim[lo][back] : &lines->wide[lo / TX_N][back];
}

void tx_cpu_slab_needs(const tx_cpu_lines *lines, const tx_slab *s, int low[3], int high[3]) {
  for (int d = 0; d < 3; d++) {
    const line *l = line_find(lines, s, d);
    low[d] = l->low;
    high[d] = l->low + l->need - 1;
  }
}

/* Midpoints between two rows that are `pitch` apart from the next, `vectors` long. */
static inline __attribute__((always_inline)) void midpoints(const stencil *m, const double *lower,
                                                            ptrdiff_t pitch, int vectors,
                                                            double *restrict to) {
  const double *a = lower + m->first * pitch;
  for (int i = 0; i < vectors * TX_W; i += TX_W) {
    tx_vec sum = m->w[0] * tx_vec_load(a + i);
    for (int t = 1; t < TX_INTERP_POINTS; t++) sum += m->w[t] * tx_vec_load(a + t * pitch + i);
    if (m->taps == TAPS)
      sum += m->w[TX_INTERP_POINTS] * tx_vec_load(a + TX_INTERP_POINTS * pitch + i);
    tx_vec_store(to + i, sum);
  }
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
        midpoints(l[2]->midpoint[k], plane + j * TX_P, TX_P * TX_P, VECTORS(need), zs + j * PITCH);
      plane = zs;
      pitch = PITCH;
    }
    for (int j = 0; j < l[1]->n; j++, to += n0) {
      const double *row = plane + l[1]->at[j] * pitch;
      if (l[1]->midpoint[j]) {
        midpoints(l[1]->midpoint[j], row, pitch, VECTORS(need), ys);
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

/* One variable: from a patch to dense points, the length of lines along x known to the compiler. */
static void interpolate(const line *const l[3], double sign, const double *patch, double *dense) {
  const double *from = patch + TX_PATCH_AT(l[0]->low, l[1]->low, l[2]->low);
  switch (l[0]->need) {
  case NEED_WIDE:
    box(l, NEED_WIDE, TX_N, sign, from, dense);
    break;
  case NEED_SLIM:
    box(l, NEED_SLIM, TX_K, sign, from, dense);
    break;
  default:
    box(l, NEED_SLIM - 1, TX_K, sign, from, dense);
  }
}

void tx_cpu_slab_interpolate(const tx_cpu_lines *lines, const tx_slab *s, int n_vars,
                             const int8_t (*parity)[3], const double *patch, double *dense) {
  const line *l[3];
  for (int d = 0; d < 3; d++) l[d] = line_find(lines, s, d);
  const ptrdiff_t points = s->n[0] * s->n[1] * s->n[2];
  for (int v = 0; v < n_vars; v++)
    interpolate(l, s->mirror ? tx_cpu_sign(parity, v, s->mirror) : 1.0, patch + v * TX_P3,
                dense + v * points);
}

void tx_cpu_prolong(const tx_cpu_lines *lines, unsigned child, int n_vars, const double *patch,
                    double *out) {
  const line *l[3];
  for (int d = 0; d < 3; d++) l[d] = &lines->child[child >> d & 1];
  for (int v = 0; v < n_vars; v++) interpolate(l, 1.0, patch + v * TX_P3, out + v * TX_N3);
}
