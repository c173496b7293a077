/* Every ghost point of every patch, on random balanced trees, for all kinds of domains. */
#include "tests/support/main.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

enum { DOMAINS = 27 };

/* What the points of a variable's patch ought to be, NaN where this oracle does not know, and how far from it each may be. */
typedef struct patch_truth {
  double exact[TX_P3], tolerance[TX_P3];
} patch_truth;
typedef void (*oracle)(const void *data, const tx_mesh *mesh, tx_lidx b, int v, patch_truth *truth);

/* Coordinates of a patch's planes in each dimension. */
static void planes_of(const tx_mesh *mesh, tx_lidx b, double x[3][TX_P]) {
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  double origin[3];
  tx_mesh_origin(mesh, b, origin);
  for (int d = 0; d < 3; d++)
    for (int p = 0; p < TX_P; p++) x[d][p] = origin[d] + (p - TX_K) * h;
}

/* -1, 0 or 1: whether plane p of a patch lies below the octant, in it, or above. */
static int side_of(int p) {
  return p < TX_K ? -1 : p >= TX_N + TX_K;
}

/* Polynomials of degree 5 come back everywhere; round-off grows by the sum of the extrapolation's
 * weights (1023 for degree 5) in each dimension beyond an outer face. */
static void polynomial_oracle(const void *polynomial, const tx_mesh *mesh, tx_lidx b, int v,
                              patch_truth *truth) {
  double x[3][TX_P], factor[3][TX_P], growth[3][TX_P];
  planes_of(mesh, b, x);
  for (int d = 0; d < 3; d++)
    for (int p = 0; p < TX_P; p++) {
      const int side = side_of(p);
      const bool outer = side != 0 && mesh->ghosts.outer[b] >> (2 * d + (side > 0)) & 1;
      factor[d][p] = tx_test_polynomial_factor(polynomial, v, d, x[d][p], 0);
      growth[d][p] = outer ? 1023.0 : 1.0;
    }
  for (int i = 0; i < TX_P3; i++) {
    const int p = i % TX_P, q = i / TX_P % TX_P, r = i / (TX_P * TX_P);
    truth->exact[i] = factor[0][p] * factor[1][q] * factor[2][r];
    truth->tolerance[i] = 1e-12 * growth[0][p] * growth[1][q] * growth[2][r];
  }
}

/* Weights of n equally spaced points 0 .. n - 1 for the value at x: Lagrange's. */
static double lagrange(int n, int i, double x) {
  double w = 1.0;
  for (int m = 0; m < n; m++)
    if (m != i) w *= (x - m) / (i - m);
  return w;
}

/* Lattice points of the coarser level on a line in one dimension, side * from, side * (from + 1), ... from a face or the
 * middle of the domain on, and their weights for the value at a plane. None if they reach beyond an outer face. */
typedef struct line {
  int n, from, side;
  double weight[7];
} line;

static double low_end(const tx_domain *domain, int d) {
  return domain->low[d] == TX_FACE_REFLECT ? 0.0 : -domain->extent;
}

/* The point at x alone if it is of that lattice; otherwise the six points about a midpoint, but seven from -2 or N - 4 on
 * where it is next to a face of the coarse octant. */
static line line_about(const tx_domain *domain, int d, double x, double coarse) {
  const double low = low_end(domain, d), s = (x - low) / coarse;
  line l = {.side = domain->low[d] == TX_FACE_REFLECT && s < 0.0 ? -1 : 1};
  const bool there = s == floor(s);
  const int lower = (int)floor(l.side * s), in = (lower % TX_N + TX_N) % TX_N, octant = lower - in;
  const bool first = 2 * in + 1 < TX_K, last = in >= TX_N - 2;
  const int n = there ? 1 : first || last ? 7 : 6;
  l.from = octant + (there ? in : first ? -2 : last ? TX_N - 4 : in - 2);
  for (int i = 0; i < n; i++) {
    const double y = low + l.side * (l.from + i) * coarse;
    if ((domain->low[d] == TX_FACE_OUTER && y < -domain->extent) ||
        (domain->high[d] == TX_FACE_OUTER && y >= domain->extent))
      return l;
    l.weight[i] = lagrange(n, i, l.side * s - l.from);
  }
  l.n = n;
  return l;
}

/* The lines of all planes of a patch, and the lattice points that they take, of which the first is number `base`. */
enum { LATTICE = TX_P / 2 + 10 };
typedef struct weave {
  line line[3][TX_P];
  int base[3], n[3];
  tx_test_coordinate at[3][LATTICE];
} weave;

static void weave_of(const tx_domain *domain, const double x[3][TX_P], double coarse, weave *w) {
  for (int d = 0; d < 3; d++) {
    int first = INT_MAX, last = INT_MIN;
    for (int p = 0; p < TX_P; p++) {
      const line l = w->line[d][p] = line_about(domain, d, x[d][p], coarse);
      const int a = l.side * l.from, z = l.side * (l.from + l.n - 1);
      if (l.n == 0) continue;
      first = a < first ? a : z < first ? z : first;
      last = a > last ? a : z > last ? z : last;
    }
    w->base[d] = first;
    w->n[d] = last - first + 1;
    assert_in_range(w->n[d], 1, LATTICE);
    for (int i = 0; i < w->n[d]; i++)
      w->at[d][i] = tx_test_noise_coordinate(domain, d, low_end(domain, d) + (first + i) * coarse);
  }
}

/* Sum over the points of the line of plane p in dimension d, of values `stride` apart. */
static double along(const weave *w, int d, int p, const double *values, int stride) {
  const line *l = &w->line[d][p];
  double sum = 0.0;
  for (int i = 0; i < l->n; i++)
    sum += l->weight[i] * values[(l->side * (l->from + i) - w->base[d]) * stride];
  return l->n > 0 ? sum : NAN;
}

/* Direct interpolation of the noise function from the lattice of the coarser level, dimension by dimension, z first. NaN
 * where it reaches beyond an outer face. */
static void interpolated_noise(const weave *w, int v, double exact[TX_P3]) {
  static double noise[LATTICE], line_sum[LATTICE][LATTICE][TX_P], plane_sum[LATTICE][TX_P][TX_P];
  for (int i = 0; i < w->n[0]; i++)
    for (int j = 0; j < w->n[1]; j++) {
      for (int k = 0; k < w->n[2]; k++)
        noise[k] =
            tx_test_noise_at(v, (tx_test_coordinate[]){w->at[0][i], w->at[1][j], w->at[2][k]});
      for (int r = 0; r < TX_P; r++) line_sum[i][j][r] = along(w, 2, r, noise, 1);
    }
  for (int i = 0; i < w->n[0]; i++)
    for (int q = 0; q < TX_P; q++)
      for (int r = 0; r < TX_P; r++) plane_sum[i][q][r] = along(w, 1, q, &line_sum[i][0][r], TX_P);
  for (int i = 0; i < TX_P3; i++)
    exact[i] =
        along(w, 0, i % TX_P, &plane_sum[0][i / TX_P % TX_P][i / (TX_P * TX_P)], TX_P * TX_P);
}

/* Noise: exact where values are copied or injected; where the neighbour is coarser, the interpolant. */
static void noise_oracle(const void *data, const tx_mesh *mesh, tx_lidx b, int v,
                         patch_truth *truth) {
  static tx_test_coordinate at[3][TX_P];
  static weave w;
  bool coarser = false;
  for (int r = 0; r < 27; r++) coarser |= mesh->region[b][r].kind == TX_REGION_COARSER;
  double x[3][TX_P];
  planes_of(mesh, b, x);
  for (int d = 0; d < 3; d++)
    for (int p = 0; p < TX_P; p++) at[d][p] = tx_test_noise_coordinate(data, d, x[d][p]);
  if (coarser) {
    weave_of(data, (const double(*)[TX_P])x, 2 * tx_mesh_spacing(mesh, mesh->octant[b].level), &w);
    interpolated_noise(&w, v, truth->exact);
  }
  for (int i = 0; i < TX_P3; i++) {
    const int p = i % TX_P, q = i / TX_P % TX_P, r = i / (TX_P * TX_P);
    const int kind = mesh->region[b][TX_REGION(side_of(p), side_of(q), side_of(r))].kind;
    truth->tolerance[i] = kind == TX_REGION_COARSER ? 1e-14 : 0.0;
    if (kind == TX_REGION_OUTER)
      truth->exact[i] = NAN;
    else if (kind != TX_REGION_COARSER)
      truth->exact[i] = tx_test_noise_at(v, (tx_test_coordinate[]){at[0][p], at[1][q], at[2][r]});
  }
}

/* Compare all patches with the oracle; how many points it knew, and faults. */
typedef struct result {
  long known, unknown, faults;
} result;

static result compare(tx_exec *x, const tx_field *f, oracle truth_of, const void *data) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  static patch_truth truth;
  result r = {0, 0, 0};
  double *patch = malloc(sizeof(double) * TX_TEST_VARS * TX_P3);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    for (int i = 0; i < TX_TEST_VARS * TX_P3; i++) patch[i] = NAN;
    assert_int_equal(tx_test_patch(x, f, b, patch), TX_OK);
    for (int v = 0; v < TX_TEST_VARS; v++) {
      truth_of(data, mesh, b, v, &truth);
      for (int i = 0; i < TX_P3; i++) {
        const double exact = truth.exact[i], value = patch[v * TX_P3 + i];
        if (isnan(exact) ? isnan(value) : !(fabs(value - exact) <= truth.tolerance[i])) {
          if (r.faults++ == 0)
            fprintf(stderr, "octant %d, variable %d, point %d %d %d: %.17g, not %.17g\n", b, v,
                    i % TX_P - TX_K, i / TX_P % TX_P - TX_K, i / (TX_P * TX_P) - TX_K, value,
                    exact);
        }
        if (isnan(exact))
          r.unknown++;
        else
          r.known++;
      }
    }
  }
  free(patch);
  MPI_Allreduce(MPI_IN_PLACE, &r, 3, MPI_LONG, MPI_SUM, mesh->comm);
  return r;
}

/* Compare patches of several octants, in any order, of some of the variables, with whole ones of single octants. */
static void check_fetch(tx_exec *x, const tx_field *f, uint32_t mask) {
  enum { MOST = 6 };
  const tx_lidx n_local = tx_exec_mesh(x)->n_local, n = n_local < MOST ? n_local : MOST;
  const size_t vars = (size_t)__builtin_popcount(mask), bytes = sizeof(double) * TX_P3;
  double *one = malloc(TX_TEST_VARS * bytes), *some = malloc(MOST * vars * bytes);
  tx_lidx octants[MOST];
  for (tx_lidx i = 0; i < n; i++) octants[i] = (n - 1 - i) * (n_local / n);
  tx_set *set = NULL;
  assert_int_equal(tx_set_create(x, n, octants, &set), TX_OK);
  assert_int_equal(tx_patches_fetch(x, set, f, mask, some), TX_OK);
  tx_set_destroy(set);
  for (tx_lidx i = 0; i < n; i++) {
    const double *got = some + (size_t)i * vars * TX_P3;
    assert_int_equal(tx_test_patch(x, f, octants[i], one), TX_OK);
    for (int v = 0; v < TX_TEST_VARS; v++) {
      if (!(mask >> v & 1)) continue;
      assert_memory_equal(got, one + v * TX_P3, bytes);
      got += TX_P3;
    }
  }
  free(one);
  free(some);
}

/* What a view wrote after patches were asked for shows in those of the next ghosts. */
static void check_view(tx_exec *x, tx_field *f) {
  double *octant = NULL, *patch = malloc(sizeof(double) * TX_TEST_VARS * TX_P3), written = 0.0;
  const bool some = tx_exec_mesh(x)->n_local > 0;
  if (some) {
    assert_int_equal(tx_test_patch(x, f, 0, patch), TX_OK);
    assert_int_equal(tx_field_octant(f, 0, &octant), TX_OK);
    written = octant[0] += 1.0;
  }
  assert_int_equal(tx_ghosts_fill(x, f), TX_OK);
  if (some) {
    assert_int_equal(tx_test_patch(x, f, 0, patch), TX_OK);
    assert_true(patch[TX_PATCH_AT(0, 0, 0)] == written);
  }
  free(patch);
}

/* Fill a field on a random tree from f, exchange ghosts over poisoned buffers, compare. */
static result check_domain(int n, tx_test_function f, bool noise, oracle truth) {
  tx_domain domain = tx_test_domain(n);
  const tx_test_polynomial polynomial = tx_test_polynomial_make(&domain, 5);
  const void *data = noise ? (const void *)&domain : (const void *)&polynomial;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  tx_field *field = NULL;
  const int low = domain.trees == 1, high = low + (TX_N > 8 ? 1 : 2);
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 70 + (uint64_t)n, 2, low, high, &tree, &mesh));
  assert_true(mesh->level_highest > mesh->level_lowest);
  OK(tx_exec_create(mesh, TX_TEST_VARS + 1, &x));
  OK(tx_test_field(x, &field));
  OK(tx_test_fill(field, f, data));
  OK(tx_test_poison(x));
  OK(tx_ghosts_fill(x, field));
  result r = compare(x, field, truth, data);
  check_fetch(x, field, 1u << (TX_TEST_VARS - 1));
  check_fetch(x, field, (1u << TX_TEST_VARS) - 2);
  check_view(x, field);
  tx_field_destroy(field);
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  return r;
}

/* On one rank all domains. What several add is the same in all of them: each number of ranks takes a third, others. */
static void polynomials_come_back(void **state) {
  int ranks, first = 0, step = tx_test_every(4);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1 && step == 1) step = 3, first = (ranks + 1) / 2 % 3; /* of 2, 3 and 5: 1, 2, 0 */
  for (int n = first; n < DOMAINS; n += step) {
    result r = check_domain(n, tx_test_polynomial_value, false, polynomial_oracle);
    assert_int_equal(r.faults, 0);
    assert_int_equal(r.unknown, 0);
  }
}

static void noise_is_copied_or_interpolated(void **state) {
  for (int n = 2; n < DOMAINS; n += 4 * tx_test_every(3)) {
    result r = check_domain(n, tx_test_noise_value, true, noise_oracle);
    assert_int_equal(r.faults, 0);
    assert_true(r.known > 2 * r.unknown);
  }
}

static void other_ghosts_are_refused(void **state) {
  tx_domain domain = tx_test_domain(0);
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL, *y = NULL;
  tx_field *a = NULL, *b = NULL, *c = NULL;
  double *patch = malloc(sizeof(double) * TX_TEST_VARS * TX_P3);
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 1, 1, 1, 2, &tree, &mesh));
  OK(tx_exec_create(mesh, TX_TEST_VARS, &x));
  OK(tx_exec_create(mesh, TX_TEST_VARS, &y));
  OK(tx_test_field(x, &a));
  OK(tx_test_field(x, &b));
  OK(tx_field_create(y, 1, NULL, &c));
  assert_int_equal(tx_test_patch(x, a, 0, patch), TX_ERR_MESH);
  OK(tx_ghosts_fill(x, a));
  OK(tx_test_patch(x, a, 0, patch));
  assert_int_equal(tx_test_patch(x, b, 0, patch), TX_ERR_MESH);
  tx_field_swap(a, b);
  assert_int_equal(tx_test_patch(x, a, 0, patch), TX_ERR_MESH);
  OK(tx_test_patch(x, b, 0, patch));
  assert_int_equal(tx_ghosts_fill(x, c), TX_ERR_MESH);
  tx_error_clear();
  free(patch);
  tx_field_destroy(a);
  tx_field_destroy(b);
  tx_field_destroy(c);
  tx_exec_destroy(x);
  tx_exec_destroy(y);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

static int run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_come_back),
      cmocka_unit_test(noise_is_copied_or_interpolated),
      cmocka_unit_test(other_ghosts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
