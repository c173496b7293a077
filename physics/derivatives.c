#include "physics/derivatives.h"

#include "physics/stencils_point.h"

/* Strides of a patch. */
enum { SX = 1, SY = TX_P, SZ = TX_P * TX_P };

/* Rows that extend into the ghosts along x, their point 0 aligned. */
enum { EXT_START = (TX_K + TX_W - 1) / TX_W * TX_W, EXT_PITCH = EXT_START + TX_N + EXT_START };

void tx_block_init(tx_block *block, double h, double sigma, unsigned outer_faces, int slots) {
  double ko[3][TX_N];
  for (int dim = 0; dim < 3; dim++)
    for (int i = 0; i < TX_N; i++) {
      const int low = i < TX_K && (outer_faces & TX_FACE_BIT(dim, 0));
      const int high = i >= TX_N - TX_K && (outer_faces & TX_FACE_BIT(dim, 1));
      ko[dim][i] = low || high ? 0.0 : TX_KO_SCALE(sigma, h);
    }
  for (int c = 0; c < TX_CHUNKS; c++) block->ko_x[c] = tx_vec_load(&ko[0][c * TX_W]);
  for (int i = 0; i < TX_N; i++) {
    block->ko_y[i] = ko[1][i];
    block->ko_z[i] = ko[2][i];
  }
  block->d1 = TX_D1_SCALE(h);
  block->d2 = TX_D2_SCALE(h);
  block->slots = slots;
}

void tx_block_move(tx_block *block, int j, int k, const double *patch) {
  block->j = j;
  block->k = k;
  for (int a = 0; a < 3; a++) {
    const double *beta = patch + (size_t)(TX_VAR_BETA0 + a) * TX_P3;
    for (int row = 0; row < TX_BLOCK_Y * TX_CHUNKS; row++)
      block->beta[row][a] =
          tx_vec_load(beta + TX_PATCH_AT(row % TX_CHUNKS * TX_W, j + row / TX_CHUNKS, k));
  }
}

/* u(+m) - u(-m) and u(+m) + u(-m), m = 1..TX_K. */
static inline void differences(const double *u, ptrdiff_t stride, tx_vec *d) {
  for (int m = 1; m <= TX_K; m++)
    d[m - 1] = tx_vec_load(u + m * stride) - tx_vec_load(u - m * stride);
}

static inline void sums(const double *u, ptrdiff_t stride, tx_vec *s) {
  for (int m = 1; m <= TX_K; m++)
    s[m - 1] = tx_vec_load(u + m * stride) + tx_vec_load(u - m * stride);
}

static inline tx_vec first_sum(const double *u, ptrdiff_t stride) {
  tx_vec d[TX_K];
  differences(u, stride, d);
  return TX_D1_SUM(d);
}

static inline tx_vec dissipation_sum(const double *u, ptrdiff_t stride) {
  tx_vec s[TX_K];
  sums(u, stride, s);
  return TX_KO_SUM(tx_vec_load(u), s);
}

/* Both, of differences and sums that share their loads. */
static inline void first_and_dissipation(const double *u, ptrdiff_t stride, tx_vec *d1,
                                         tx_vec *ko) {
  tx_vec d[TX_K], s[TX_K];
  for (int m = 1; m <= TX_K; m++) {
    const tx_vec p = tx_vec_load(u + m * stride), q = tx_vec_load(u - m * stride);
    d[m - 1] = p - q;
    s[m - 1] = p + q;
  }
  *d1 = TX_D1_SUM(d);
  *ko = TX_KO_SUM(tx_vec_load(u), s);
}

static inline __attribute__((always_inline)) void
derive_without_second(const tx_block *b, const double *u, double advect, tx_vec *first, int keep) {
  for (int row = 0; row < TX_BLOCK_Y * TX_CHUNKS; row++, first += b->slots) {
    const int c = row % TX_CHUNKS, j = b->j + row / TX_CHUNKS;
    const double *at = u + TX_PATCH_AT(c * TX_W, j, b->k);
    tx_vec dx, dy, dz, ko_x, ko_y, ko_z;
    first_and_dissipation(at, SX, &dx, &ko_x);
    first_and_dissipation(at, SY, &dy, &ko_y);
    first_and_dissipation(at, SZ, &dz, &ko_z);
    const tx_vec *beta = b->beta[row];
    first[TX_SLOT_VALUE] = tx_vec_load(at);
    first[TX_SLOT_ADV] = (advect * b->d1) * (beta[0] * dx + beta[1] * dy + beta[2] * dz) +
                         (b->ko_x[c] * ko_x + b->ko_y[j] * ko_y + b->ko_z[b->k] * ko_z);
    if (keep) {
      first[TX_SLOT_D + 0] = b->d1 * dx;
      first[TX_SLOT_D + 1] = b->d1 * dy;
      first[TX_SLOT_D + 2] = b->d1 * dz;
    }
  }
}

void tx_block_derive0(const tx_block *block, const double *u, double advect, tx_vec *first) {
  derive_without_second(block, u, advect, first, 0);
}

void tx_block_derive1(const tx_block *block, const double *u, double advect, tx_vec *first) {
  derive_without_second(block, u, advect, first, 1);
}

/* d_y or d_z (undivided) of one row, from x = -TX_K to TX_N + TX_K - 1; `out` is its point 0. */
static inline void extended_row(const double *u, ptrdiff_t stride, double *out) {
  for (int i = -TX_K; i < TX_N + TX_K - TX_W; i += TX_W)
    tx_vec_store(out + i, first_sum(u + i, stride));
  const int last = TX_N + TX_K - TX_W;
  tx_vec_store(out + last, first_sum(u + last, stride));
}

static inline void interior_row(const double *u, ptrdiff_t stride, double *out) {
  for (int i = 0; i < TX_N; i += TX_W) tx_vec_store(out + i, first_sum(u + i, stride));
}

void tx_block_derive2(const tx_block *b, const double *u, double advect, tx_vec *first) {
  double dy_rows[TX_BLOCK_Y][EXT_PITCH] __attribute__((aligned(64)));
  double dz_rows[TX_BLOCK_Y + 2 * TX_K][EXT_PITCH] __attribute__((aligned(64)));
  for (int j = -TX_K; j < TX_BLOCK_Y + TX_K; j++) {
    const double *at = u + TX_PATCH_AT(0, b->j + j, b->k);
    double *out = dz_rows[j + TX_K] + EXT_START;
    if (j < 0 || j >= TX_BLOCK_Y) {
      interior_row(at, SZ, out);
    } else {
      extended_row(at, SZ, out);
      extended_row(at, SY, dy_rows[j] + EXT_START);
    }
  }
  const double d1 = b->d1, d2 = b->d2, d11 = d1 * d1;
  for (int row = 0; row < TX_BLOCK_Y * TX_CHUNKS; row++, first += b->slots) {
    const int c = row % TX_CHUNKS, j = row / TX_CHUNKS, i = c * TX_W;
    const double *at = u + TX_PATCH_AT(i, b->j + j, b->k);
    const double *dy_at = dy_rows[j] + EXT_START + i, *dz_at = dz_rows[j + TX_K] + EXT_START + i;
    const tx_vec value = tx_vec_load(at), *beta = b->beta[row];
    tx_vec d[TX_K], s[TX_K];
    differences(at, SX, d);
    const tx_vec dx = d1 * TX_D1_SUM(d), dy = d1 * tx_vec_load(dy_at), dz = d1 * tx_vec_load(dz_at);
    first[TX_SLOT_VALUE] = value;
    first[TX_SLOT_D + 0] = dx;
    first[TX_SLOT_D + 1] = dy;
    first[TX_SLOT_D + 2] = dz;
    sums(at, SX, s);
    first[TX_SLOT_DD + TX_SYM(0, 0)] = d2 * TX_D2_SUM(value, s);
    tx_vec ko = b->ko_x[c] * TX_KO_SUM(value, s);
    sums(at, SY, s);
    first[TX_SLOT_DD + TX_SYM(1, 1)] = d2 * TX_D2_SUM(value, s);
    ko += b->ko_y[b->j + j] * TX_KO_SUM(value, s);
    sums(at, SZ, s);
    first[TX_SLOT_DD + TX_SYM(2, 2)] = d2 * TX_D2_SUM(value, s);
    ko += b->ko_z[b->k] * TX_KO_SUM(value, s);
    first[TX_SLOT_ADV] = advect * (beta[0] * dx + beta[1] * dy + beta[2] * dz) + ko;
    first[TX_SLOT_DD + TX_SYM(0, 1)] = d11 * first_sum(dy_at, SX);
    first[TX_SLOT_DD + TX_SYM(0, 2)] = d11 * first_sum(dz_at, SX);
    first[TX_SLOT_DD + TX_SYM(1, 2)] = d11 * first_sum(dz_at, EXT_PITCH);
  }
}
