#include "physics/derivatives.h"

#include "physics/stencils_point.h"

/* Strides of a patch. */
enum { SX = 1, SY = TX_P, SZ = TX_P * TX_P };

/* Rows that extend into the ghosts along x, their point 0 aligned. */
enum { EXT_START = (TX_K + TX_W - 1) / TX_W * TX_W, EXT_PITCH = EXT_START + TX_N + EXT_START };

static const double one[TX_BLOCK_ROWS * TX_W]
    __attribute__((aligned(64))) = {[0 ... TX_BLOCK_ROWS * TX_W - 1] = 1.0};

void tx_block_init(tx_block *block, double h, double sigma, unsigned outer_faces, int slots) {
  double ko[3][TX_N];
  for (int dim = 0; dim < 3; dim++)
    for (int i = 0; i < TX_N; i++) {
      const int low = i <= TX_K && (outer_faces & TX_FACE_BIT(dim, 0));
      const int high = i >= TX_N - TX_K && (outer_faces & TX_FACE_BIT(dim, 1));
      ko[dim][i] = low || high ? 0.0 : TX_KO_SCALE(sigma, h);
    }
  for (int c = 0; c < TX_CHUNKS; c++) block->ko_x[c] = tx_vec_load(&ko[0][c * TX_W]);
  for (int i = 0; i < TX_N; i++) {
    block->ko_y[i] = ko[1][i];
    block->ko_z[i] = ko[2][i];
  }
  block->beta = NULL;
  block->ko = (const tx_vec *)one;
  block->d1 = TX_D1_SCALE(h);
  block->d2 = TX_D2_SCALE(h);
  block->slots = slots;
}

/* Fully unrolled, so that a column of a block stays in registers. */
#define UNROLL_ROWS _Pragma("GCC unroll 16")
_Static_assert(TX_BLOCK_Y <= 16, "UNROLL_ROWS must cover a block");

/* d[m-1] = u(+m) - u(-m) and s[m-1] = u(+m) + u(-m), m = 1..TX_K, of values in memory; and of
 * values in a line that is already loaded. */
static inline void pairs(const double *u, ptrdiff_t stride, tx_vec *d, tx_vec *s) {
  for (int m = 1; m <= TX_K; m++) {
    const tx_vec p = tx_vec_load(u + m * stride), q = tx_vec_load(u - m * stride);
    d[m - 1] = p - q;
    s[m - 1] = p + q;
  }
}

static inline void pairs_of_line(const tx_vec *line, tx_vec *d, tx_vec *s) {
  for (int m = 1; m <= TX_K; m++) {
    d[m - 1] = line[m] - line[-m];
    s[m - 1] = line[m] + line[-m];
  }
}

/* The rows of a block and their neighbours along y, at one x. */
enum { COLUMN = TX_BLOCK_Y + 2 * TX_K };

static inline void column_load(const double *u, tx_vec column[COLUMN]) {
  UNROLL_ROWS
  for (int j = 0; j < COLUMN; j++) column[j] = tx_vec_load(u + (j - TX_K) * SY);
}

/* Return what upwinding adds to beta times TX_ADV_SUM, from the undivided dissipation of each dimension. */
static inline tx_vec upwind(const tx_vec beta[3], tx_vec x, tx_vec y, tx_vec z) {
  return TX_ADV_EVEN *
         (tx_vec_abs(beta[0]) * x + tx_vec_abs(beta[1]) * y + tx_vec_abs(beta[2]) * z);
}

static inline __attribute__((always_inline)) void
derive_without_second(const tx_block *b, const double *u, double advect, tx_vec *first, int keep) {
  for (int c = 0; c < TX_CHUNKS; c++) {
    const double *start = u + TX_PATCH_AT(c * TX_W, b->j, b->k);
    tx_vec column[COLUMN];
    column_load(start, column);
    UNROLL_ROWS
    for (int j = 0; j < TX_BLOCK_Y; j++) {
      const int row = j * TX_CHUNKS + c;
      const double *at = start + j * SY;
      const tx_vec value = column[j + TX_K], *beta = b->beta[row];
      tx_vec d[TX_K], s[TX_K], *out = first + row * b->slots;
      pairs(at, SX, d, s);
      const tx_vec dx = TX_D1_SUM(d), ax = TX_ADV_SUM(d), kx = TX_KO_SUM(value, s);
      tx_vec ko = b->ko_x[c] * kx;
      pairs_of_line(column + j + TX_K, d, s);
      const tx_vec dy = TX_D1_SUM(d), ay = TX_ADV_SUM(d), ky = TX_KO_SUM(value, s);
      ko += b->ko_y[b->j + j] * ky;
      pairs(at, SZ, d, s);
      const tx_vec dz = TX_D1_SUM(d), az = TX_ADV_SUM(d), kz = TX_KO_SUM(value, s);
      ko += b->ko_z[b->k] * kz;
      tx_vec along = beta[0] * ax + beta[1] * ay + beta[2] * az;
      if (TX_UPWINDED) along += upwind(beta, kx, ky, kz);
      out[TX_SLOT_VALUE] = value;
      out[TX_SLOT_ADV] = (advect * b->d1) * along + b->ko[row] * ko;
      if (keep) {
        out[TX_SLOT_D + 0] = b->d1 * dx;
        out[TX_SLOT_D + 1] = b->d1 * dy;
        out[TX_SLOT_D + 2] = b->d1 * dz;
      }
    }
  }
}

void tx_block_derive0(const tx_block *block, const double *u, double advect, tx_vec *first) {
  derive_without_second(block, u, advect, first, 0);
}

void tx_block_derive1(const tx_block *block, const double *u, double advect, tx_vec *first) {
  derive_without_second(block, u, advect, first, 1);
}

/* Undivided d_y and d_z of a block on rows that extend into the ghosts along x, d_z also on the
 * rows beyond it along y; point 0 of a row is at EXT_START. */
typedef struct extended {
  double dy[TX_BLOCK_Y][EXT_PITCH], dz[COLUMN][EXT_PITCH];
} __attribute__((aligned(64))) extended;

/* d_y and d_z of the block's rows at x = i..i + TX_W - 1. */
static inline void extended_column(const double *u, int i, extended *e) {
  tx_vec column[COLUMN], d[TX_K], s[TX_K];
  column_load(u + i, column);
  UNROLL_ROWS
  for (int j = 0; j < TX_BLOCK_Y; j++) {
    pairs_of_line(column + j + TX_K, d, s);
    tx_vec_store(e->dy[j] + EXT_START + i, TX_D1_SUM(d));
    pairs(u + i + j * SY, SZ, d, s);
    tx_vec_store(e->dz[j + TX_K] + EXT_START + i, TX_D1_SUM(d));
  }
}

static void __attribute__((noinline)) extended_fill(const double *u, extended *e) {
  tx_vec d[TX_K], s[TX_K];
  for (int i = -TX_K; i < TX_N + TX_K - TX_W; i += TX_W) extended_column(u, i, e);
  extended_column(u, TX_N + TX_K - TX_W, e);
  for (int n = 0; n < 2 * TX_K; n++) {
    const int j = n < TX_K ? n - TX_K : n - TX_K + TX_BLOCK_Y;
    for (int i = 0; i < TX_N; i += TX_W) {
      pairs(u + i + j * SY, SZ, d, s);
      tx_vec_store(e->dz[j + TX_K] + EXT_START + i, TX_D1_SUM(d));
    }
  }
}

void tx_block_derive2(const tx_block *b, const double *u, double advect, tx_vec *first) {
  extended e;
  extended_fill(u + TX_PATCH_AT(0, b->j, b->k), &e);
  const double d1 = b->d1, d2 = b->d2, d11 = d1 * d1;
  for (int c = 0; c < TX_CHUNKS; c++) {
    const double *start = u + TX_PATCH_AT(c * TX_W, b->j, b->k);
    tx_vec column[COLUMN];
    column_load(start, column);
    UNROLL_ROWS
    for (int j = 0; j < TX_BLOCK_Y; j++) {
      const int row = j * TX_CHUNKS + c;
      const double *at = start + j * SY;
      const double *dy_at = e.dy[j] + EXT_START + c * TX_W,
                   *dz_at = e.dz[j + TX_K] + EXT_START + c * TX_W;
      const tx_vec value = column[j + TX_K], *beta = b->beta[row];
      tx_vec d[TX_K], s[TX_K], *out = first + row * b->slots;
      pairs(at, SX, d, s);
      const tx_vec dx = d1 * TX_D1_SUM(d), dxx = d2 * TX_D2_SUM(value, s), ax = d1 * TX_ADV_SUM(d),
                   kx = TX_KO_SUM(value, s);
      tx_vec ko = b->ko_x[c] * kx;
      pairs_of_line(column + j + TX_K, d, s);
      const tx_vec dy = d1 * tx_vec_load(dy_at), dyy = d2 * TX_D2_SUM(value, s),
                   ay = TX_UPWINDED ? d1 * TX_ADV_SUM(d) : dy, ky = TX_KO_SUM(value, s);
      ko += b->ko_y[b->j + j] * ky;
      pairs(at, SZ, d, s);
      const tx_vec dz = d1 * tx_vec_load(dz_at), dzz = d2 * TX_D2_SUM(value, s),
                   az = TX_UPWINDED ? d1 * TX_ADV_SUM(d) : dz, kz = TX_KO_SUM(value, s);
      ko += b->ko_z[b->k] * kz;
      tx_vec along = beta[0] * ax + beta[1] * ay + beta[2] * az;
      if (TX_UPWINDED) along += d1 * upwind(beta, kx, ky, kz);
      out[TX_SLOT_VALUE] = value;
      out[TX_SLOT_ADV] = advect * along + b->ko[row] * ko;
      out[TX_SLOT_D + 0] = dx;
      out[TX_SLOT_D + 1] = dy;
      out[TX_SLOT_D + 2] = dz;
      out[TX_SLOT_DD + TX_SYM(0, 0)] = dxx;
      out[TX_SLOT_DD + TX_SYM(1, 1)] = dyy;
      out[TX_SLOT_DD + TX_SYM(2, 2)] = dzz;
      pairs(dy_at, SX, d, s);
      out[TX_SLOT_DD + TX_SYM(0, 1)] = d11 * TX_D1_SUM(d);
      pairs(dz_at, SX, d, s);
      out[TX_SLOT_DD + TX_SYM(0, 2)] = d11 * TX_D1_SUM(d);
      pairs(dz_at, EXT_PITCH, d, s);
      out[TX_SLOT_DD + TX_SYM(1, 2)] = d11 * TX_D1_SUM(d);
    }
  }
}
