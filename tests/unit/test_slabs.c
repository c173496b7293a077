/* Rows, boxes and polynomials: the pieces that patches are made of, on patches without a mesh. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "exec/cpu/cpu.h"
#include "support/cmocka.h"

#define VARS 2

static const int8_t PARITY[VARS][3] = {{1, 1, 1}, {-1, 1, -1}};

static tx_cpu_lines *lines;
static double patch[VARS * TX_P3 + TX_CPU_PAD], block[VARS * TX_N3], dense[VARS * TX_N3];

/* A polynomial of degree `degree` in each coordinate; another one for each variable. */
static double polynomial(int v, int degree, double x, double y, double z) {
  const double c[3] = {x / TX_N - 0.3, y / TX_N - 0.6 + 0.1 * v, z / TX_N - 0.45};
  double f = 1.0;
  for (int d = 0; d < 3; d++) {
    double p = 0.7;
    for (int n = 0; n < degree; n++) p = p * c[d] + 1.0 - 0.25 * (n + d + v);
    f *= p;
  }
  return f;
}

static void fill_nan(double *p, size_t n) {
  for (size_t i = 0; i < n; i++) p[i] = NAN;
}

/* Fill the points of the patch within [low, high) in each dimension, the rest with NaN. */
static void fill_patch(int degree, const int low[3], const int high[3]) {
  fill_nan(patch, sizeof patch / sizeof *patch);
  for (int v = 0; v < VARS; v++)
    for (int k = low[2]; k < high[2]; k++)
      for (int j = low[1]; j < high[1]; j++)
        for (int i = low[0]; i < high[0]; i++)
          patch[v * TX_P3 + TX_PATCH_AT(i, j, k)] = polynomial(v, degree, i, j, k);
}

/* Coarse points that n points at half spacings from `from` need: a midpoint those of six about it, or seven next to a
 * face. */
static void needed(int from, int step, int n, int *low, int *high) {
  *low = 1000;
  *high = -1000;
  for (int i = 0; i < n; i++) {
    int p = from + step * i;
    int a = (int)floor(p / 2.0);
    int b = p % 2 ? a + 3 : a;
    if (p % 2) a -= 2;
    if (p == 1) b = 4;
    if (p == 2 * TX_N - 3 || p == 2 * TX_N - 1) a = TX_N - 4, b = TX_N + 2;
    if (a < *low) *low = a;
    if (b + 1 > *high) *high = b + 1;
  }
}

/* Interpolate a slab from a patch that holds no more than what it needs; check every point. */
static void check_interpolation(const tx_slab *s) {
  int low[3], high[3];
  for (int d = 0; d < 3; d++) {
    needed(s->from[d], s->step[d], s->n[d], &low[d], &high[d]);
    assert_in_range(low[d] + TX_K, 0, TX_P - 1);
    assert_in_range(high[d] + TX_K, 1, TX_P);
  }
  fill_patch(5, low, high);
  fill_nan(dense, VARS * TX_N3);
  tx_cpu_slab_interpolate(lines, s, VARS, PARITY, patch, dense);
  const double *p = dense;
  for (int v = 0; v < VARS; v++)
    for (int k = 0; k < s->n[2]; k++)
      for (int j = 0; j < s->n[1]; j++)
        for (int i = 0; i < s->n[0]; i++) {
          double x[3] = {s->from[0] + s->step[0] * i, s->from[1] + s->step[1] * j,
                         s->from[2] + s->step[2] * k};
          double exact = polynomial(v, 5, x[0] / 2, x[1] / 2, x[2] / 2);
          exact *= tx_cpu_sign(PARITY, v, s->mirror);
          assert_true(fabs(*p++ - exact) < 1e-12);
        }
  for (; p < dense + (size_t)VARS * TX_N3; p++) assert_true(isnan(*p));
}

/* Every place that ghosts of a finer octant may have in a coarser patch, mirrored or not. */
static void test_interpolation(void **state) {
  const int from[6] = {0, TX_N - TX_K, TX_N, 2 * TX_N - TX_K, 0, TX_N};
  const int n[6] = {TX_K, TX_K, TX_K, TX_K, TX_N, TX_N};
  for (int c = 0; c < 216; c++)
    for (unsigned mirror = 0; mirror < 8; mirror++) {
      tx_slab s = {.kind = TX_SLAB_INTERP, .mirror = (uint8_t)mirror};
      for (int d = 0; d < 3; d++) {
        int w = (d == 0 ? c : d == 1 ? c / 6 : c / 36) % 6;
        s.n[d] = (int8_t)n[w];
        s.step[d] = mirror >> d & 1 ? -1 : 1;
        s.from[d] = (int16_t)(mirror >> d & 1 ? from[w] + n[w] - 1 : from[w]);
      }
      check_interpolation(&s);
    }
}

/* Points that coincide are copies, to the last bit. */
static void test_interpolation_copies(void **state) {
  const int low[3] = {-TX_K, -TX_K, -TX_K}, high[3] = {TX_N + TX_K, TX_N + TX_K, TX_N + TX_K};
  fill_patch(7, low, high);
  tx_slab s = {.kind = TX_SLAB_INTERP, .n = {TX_N, TX_N, TX_N}, .step = {1, 1, 1}};
  tx_cpu_slab_interpolate(lines, &s, VARS, PARITY, patch, dense);
  for (int k = 0; k < TX_N; k += 2)
    for (int j = 0; j < TX_N; j += 2)
      for (int i = 0; i < TX_N; i += 2)
        assert_true(dense[TX_AT(i, j, k)] == patch[TX_PATCH_AT(i / 2, j / 2, k / 2)]);
  assert_true(dense[TX_AT(1, 0, 0)] != patch[TX_PATCH_AT(0, 0, 0)]);
}

/* The fine lattice of all of an octant, and a box of it. */
static double whole[8 * VARS * TX_N3], part[8 * VARS * TX_N3];

static tx_slab box_of(const int from[3], const int n[3]) {
  tx_slab s = {.kind = TX_SLAB_INTERP, .step = {1, 1, 1}};
  for (int d = 0; d < 3; d++) {
    s.from[d] = (int16_t)from[d];
    s.n[d] = (int8_t)n[d];
  }
  return s;
}

/* A box from a patch that holds no more than what it says that it needs: the bits that the whole lattice has there. */
static void check_box(const tx_slab *s) {
  const int count = s->n[0] * s->n[1] * s->n[2];
  int low[3], high[3];
  tx_cpu_centred_needs(s, low, high);
  for (int d = 0; d < 3; d++) assert_true(low[d] >= -TX_K && high[d]++ < TX_N + TX_K);
  fill_patch(5, low, high);
  fill_nan(part, sizeof part / sizeof *part);
  tx_cpu_slab_centred(s, VARS, patch, part);
  for (int v = 0; v < VARS; v++)
    for (int i = 0; i < count; i++) {
      const int x[3] = {s->from[0] + i % s->n[0], s->from[1] + i / s->n[0] % s->n[1],
                        s->from[2] + i / (s->n[0] * s->n[1])};
      const int at = v * 8 * TX_N3 + (x[2] * 2 * TX_N + x[1]) * 2 * TX_N + x[0];
      assert_memory_equal(&part[v * count + i], &whole[at], sizeof(double));
      assert_true(fabs(whole[at] - polynomial(v, 5, x[0] / 2.0, x[1] / 2.0, x[2] / 2.0)) < 1e-12);
    }
  for (int i = VARS * count; i < 8 * VARS * TX_N3; i++) assert_true(isnan(part[i]));
}

/* Boxes that sides of an octant, planes and mirror images give, and some that none gives. */
static void test_centred_boxes(void **state) {
  const int all[3] = {-TX_K, -TX_K, -TX_K}, end[3] = {TX_N + TX_K, TX_N + TX_K, TX_N + TX_K};
  const int zero[3] = {0, 0, 0}, full[3] = {2 * TX_N, 2 * TX_N, 2 * TX_N};
  const int from[] = {0, 0, 0, 2 * TX_N - TX_K, 0, TX_N, 1, TX_N - TX_K, 1};
  const int n[] = {2 * TX_N, 1, TX_K, TX_K, TX_N, TX_N, TX_K, TX_N, 2};
  enum { CASES = sizeof n / sizeof *n };
  const tx_slab lattice = box_of(zero, full);
  fill_patch(5, all, end);
  tx_cpu_slab_centred(&lattice, VARS, patch, whole);
  for (int c = 0; c < CASES * CASES * CASES; c++) {
    const int w[3] = {c % CASES, c / CASES % CASES, c / (CASES * CASES)};
    const tx_slab s =
        box_of((int[]){from[w[0]], from[w[1]], from[w[2]]}, (int[]){n[w[0]], n[w[1]], n[w[2]]});
    check_box(&s);
  }
}

/* Copies and injections in every mirrored form, and back from a dense buffer into a patch. */
static void check_copy(int kind, int n, unsigned mirror) {
  tx_slab s = {.kind = (uint8_t)kind, .mirror = (uint8_t)mirror, .lo = {-TX_K, 1, 2}};
  int stride = kind == TX_SLAB_INJECT ? 2 : 1;
  for (int d = 0; d < 3; d++) {
    s.n[d] = (int8_t)(d == 0 ? n : 2 + d);
    s.step[d] = (int8_t)(mirror >> d & 1 ? -stride : stride);
    s.from[d] = (int16_t)(mirror >> d & 1 ? stride * (s.n[d] - 1) : 0);
  }
  for (int i = 0; i < VARS * TX_N3; i++) block[i] = i + 1;
  fill_nan(dense, VARS * TX_N3);
  fill_nan(patch, VARS * TX_P3);
  ptrdiff_t y = s.n[0], z = y * s.n[1];
  const tx_field one = {.data = block, .n_vars = VARS};
  tx_cpu_slab_copy(&s, PARITY, &one, 0,
                   (tx_cpu_box){.p = dense, .var = z * s.n[2], .z = z, .y = y});
  double *start = patch + TX_PATCH_AT(s.lo[0], s.lo[1], s.lo[2]);
  tx_cpu_box_copy(s.n, VARS, NULL, tx_cpu_source_dense(&s, dense),
                  (tx_cpu_box){.p = start, .var = TX_P3, .z = TX_P * TX_P, .y = TX_P});
  int count = 0;
  for (int v = 0; v < VARS; v++)
    for (int k = 0; k < s.n[2]; k++)
      for (int j = 0; j < s.n[1]; j++)
        for (int i = 0; i < s.n[0]; i++) {
          int at = TX_AT(s.from[0] + s.step[0] * i, s.from[1] + s.step[1] * j,
                         s.from[2] + s.step[2] * k);
          double sign = 1.0;
          for (int d = 0; d < 3; d++) sign *= mirror >> d & 1 ? PARITY[v][d] : 1;
          double *p = &patch[v * TX_P3 + TX_PATCH_AT(s.lo[0] + i, s.lo[1] + j, s.lo[2] + k)];
          assert_true(*p == sign * block[v * TX_N3 + at]);
          *p = NAN;
          count++;
        }
  assert_int_equal(count, VARS * s.n[0] * s.n[1] * s.n[2]);
  for (int i = 0; i < VARS * TX_P3; i++)
    assert_true(isnan(patch[i])); /* nothing else was written */
}

static void test_copies(void **state) {
  for (unsigned mirror = 0; mirror < 8; mirror++) {
    const int copy[] = {1, TX_K, TX_N / 2, TX_N}, inject[] = {1, TX_K, TX_N / 2};
    for (size_t i = 0; i < sizeof copy / sizeof *copy; i++)
      check_copy(TX_SLAB_COPY, copy[i], mirror);
    for (size_t i = 0; i < sizeof inject / sizeof *inject; i++)
      check_copy(TX_SLAB_INJECT, inject[i], mirror);
  }
}

/* Beyond any set of outer faces, edges and corners included, polynomials go on. */
static void test_extrapolation(void **state) {
  const double largest = TX_K == 3 ? 336 : 840; /* of the weights */
  for (unsigned outer = 0; outer < 64; outer++) {
    int low[3], high[3];
    for (int d = 0; d < 3; d++) {
      low[d] = outer & TX_FACE_BIT(d, 0) ? 0 : -TX_K;
      high[d] = outer & TX_FACE_BIT(d, 1) ? TX_N : TX_N + TX_K;
    }
    fill_patch(TX_OUTER_POINTS - 1, low, high);
    tx_cpu_extrapolate(outer, VARS, patch);
    for (int v = 0; v < VARS; v++)
      for (int k = -TX_K; k < TX_N + TX_K; k++)
        for (int j = -TX_K; j < TX_N + TX_K; j++)
          for (int i = -TX_K; i < TX_N + TX_K; i++) {
            double error = patch[v * TX_P3 + TX_PATCH_AT(i, j, k)] -
                           polynomial(v, TX_OUTER_POINTS - 1, i, j, k);
            assert_true(fabs(error) < 5e-17 * pow(largest, 3)); /* they amplify round-off */
          }
  }
}

static int tables_create(void **state) {
  return tx_cpu_lines_create(&lines) != TX_OK;
}

static int tables_destroy(void **state) {
  tx_free(lines);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interpolation), cmocka_unit_test(test_interpolation_copies),
      cmocka_unit_test(test_centred_boxes), cmocka_unit_test(test_copies),
      cmocka_unit_test(test_extrapolation),
  };
  return cmocka_run_group_tests(tests, tables_create, tables_destroy);
}
