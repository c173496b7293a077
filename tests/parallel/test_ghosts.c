/* Every ghost point of every patch, on random balanced trees, for all kinds of domains. */
#include "tests/support/main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

#define OK(call) assert_int_equal(call, TX_OK)

enum { DOMAINS = 27 };

/* What a point of a patch ought to be; NaN where this oracle does not know. */
typedef double (*oracle)(const void *data, const tx_mesh *mesh, tx_lidx b, int v, const int p[3],
                         double *tolerance);

/* Number of dimensions in which point p of the patch of b lies beyond an outer face. */
static int outer_dimensions(const tx_mesh *mesh, tx_lidx b, const int p[3]) {
  int n = 0;
  for (int d = 0; d < 3; d++)
    n += (p[d] < 0 && mesh->ghosts.outer[b] >> (2 * d) & 1) ||
         (p[d] >= TX_N && mesh->ghosts.outer[b] >> (2 * d + 1) & 1);
  return n;
}

static void place(const tx_mesh *mesh, tx_lidx b, const int p[3], double x[3]) {
  double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  tx_mesh_origin(mesh, b, x);
  for (int d = 0; d < 3; d++) x[d] += p[d] * h;
}

/* Polynomials of degree 5 come back everywhere; round-off grows by the sum of the extrapolation's
 * weights (1023 for degree 5) in each dimension beyond an outer face. */
static double polynomial_oracle(const void *polynomial, const tx_mesh *mesh, tx_lidx b, int v,
                                const int p[3], double *tolerance) {
  double x[3];
  place(mesh, b, p, x);
  *tolerance = 1e-12 * pow(1023.0, outer_dimensions(mesh, b, p));
  return tx_test_polynomial_value(polynomial, v, x);
}

/* Weights of n equally spaced points 0 .. n - 1 for the value at x: Lagrange's. */
static double lagrange(int n, int i, double x) {
  double w = 1.0;
  for (int m = 0; m < n; m++)
    if (m != i) w *= (x - m) / (i - m);
  return w;
}

/* Lattice points of the coarser level on a line in dimension d, and their weights for the value at x. */
typedef struct line {
  int n;
  tx_test_coordinate at[7];
  double weight[7];
} line;

/* The point at x alone if it is of that lattice; otherwise the six points about a midpoint, but seven from -2 or N - 4 on
 * where it is next to a face of the coarse octant. False if they reach beyond an outer face. */
static bool line_about(const tx_domain *domain, int d, double x, double coarse, line *l) {
  const bool reflects = domain->low[d] == TX_FACE_REFLECT;
  const double low = reflects ? 0.0 : -domain->extent;
  const double s = (x - low) / coarse, side = reflects && s < 0.0 ? -1.0 : 1.0;
  const bool there = s == floor(s);
  const int lower = (int)floor(side * s), in = (lower % TX_N + TX_N) % TX_N, octant = lower - in;
  const bool first = 2 * in + 1 < TX_K, last = in >= TX_N - 2;
  const int from = octant + (there ? in : first ? -2 : last ? TX_N - 4 : in - 2);
  l->n = there ? 1 : first || last ? 7 : 6;
  for (int i = 0; i < l->n; i++) {
    const double y = low + side * (from + i) * coarse;
    if ((domain->low[d] == TX_FACE_OUTER && y < -domain->extent) ||
        (domain->high[d] == TX_FACE_OUTER && y >= domain->extent))
      return false;
    l->at[i] = tx_test_noise_coordinate(domain, d, y);
    l->weight[i] = lagrange(l->n, i, side * s - from);
  }
  return true;
}

/* Direct interpolation of the noise function from the lattice of the coarser level, dimension by dimension. NaN if it
 * reaches beyond an outer face. */
static double interpolated_noise(const tx_domain *domain, int v, const double x[3], double coarse) {
  line l[3];
  double sum = 0.0;
  for (int d = 0; d < 3; d++)
    if (!line_about(domain, d, x[d], coarse, &l[d])) return NAN;
  for (int i = 0; i < l[0].n; i++) {
    double plane = 0.0;
    for (int j = 0; j < l[1].n; j++) {
      double row = 0.0;
      for (int k = 0; k < l[2].n; k++)
        row += l[2].weight[k] *
               tx_test_noise_at(v, (tx_test_coordinate[]){l[0].at[i], l[1].at[j], l[2].at[k]});
      plane += l[1].weight[j] * row;
    }
    sum += l[0].weight[i] * plane;
  }
  return sum;
}

/* Noise: exact where values are copied or injected; where the neighbour is coarser, the interpolant. */
static double noise_oracle(const void *data, const tx_mesh *mesh, tx_lidx b, int v, const int p[3],
                           double *tolerance) {
  (void)data;
  int direction[3];
  for (int d = 0; d < 3; d++) direction[d] = p[d] < 0 ? -1 : p[d] >= TX_N;
  const tx_region *r = &mesh->region[b][TX_REGION(direction[0], direction[1], direction[2])];
  double x[3], h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  place(mesh, b, p, x);
  *tolerance = 0.0;
  if (r->kind == TX_REGION_OUTER) return NAN;
  if (r->kind != TX_REGION_COARSER) return tx_test_noise_value(&mesh->domain, v, x);
  *tolerance = 1e-14;
  return interpolated_noise(&mesh->domain, v, x, 2 * h);
}

/* Compare all patches with the oracle; how many points it knew, and faults. */
typedef struct result {
  long known, unknown, faults;
} result;

static result compare(tx_exec *x, const tx_field *f, oracle truth, const void *data) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  result r = {0, 0, 0};
  double *patch = malloc(sizeof(double) * TX_TEST_VARS * TX_P3);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    for (int i = 0; i < TX_TEST_VARS * TX_P3; i++) patch[i] = NAN;
    assert_int_equal(tx_patch_fill(x, f, b, patch), TX_OK);
    for (int v = 0; v < TX_TEST_VARS; v++)
      for (int i = 0; i < TX_P3; i++) {
        const int p[3] = {i % TX_P - TX_K, i / TX_P % TX_P - TX_K, i / (TX_P * TX_P) - TX_K};
        double tolerance, exact = truth(data, mesh, b, v, p, &tolerance),
                          value = patch[v * TX_P3 + i];
        if (isnan(exact) ? isnan(value) : !(fabs(value - exact) <= tolerance)) {
          if (r.faults++ == 0)
            fprintf(stderr, "octant %d, variable %d, point %d %d %d: %.17g, not %.17g\n", b, v,
                    p[0], p[1], p[2], value, exact);
        }
        if (isnan(exact))
          r.unknown++;
        else
          r.known++;
      }
  }
  free(patch);
  MPI_Allreduce(MPI_IN_PLACE, &r, 3, MPI_LONG, MPI_SUM, mesh->comm);
  return r;
}

/* Patches of several octants, in any order, of some of the variables: those of tx_patch_fill. */
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
    assert_int_equal(tx_patch_fill(x, f, octants[i], one), TX_OK);
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
    assert_int_equal(tx_patch_fill(x, f, 0, patch), TX_OK);
    assert_int_equal(tx_field_octant(f, 0, &octant), TX_OK);
    written = octant[0] += 1.0;
  }
  assert_int_equal(tx_ghosts_fill(x, f), TX_OK);
  if (some) {
    assert_int_equal(tx_patch_fill(x, f, 0, patch), TX_OK);
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
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 70 + (uint64_t)n, 2, 1, TX_N > 8 ? 2 : 3, &tree,
                         &mesh));
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
  (void)state;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1 && step == 1) step = 3, first = (ranks + 1) / 2 % 3; /* of 2, 3 and 5: 1, 2, 0 */
  for (int n = first; n < DOMAINS; n += step) {
    result r = check_domain(n, tx_test_polynomial_value, false, polynomial_oracle);
    assert_int_equal(r.faults, 0);
    assert_int_equal(r.unknown, 0);
  }
}

static void noise_is_copied_or_interpolated(void **state) {
  (void)state;
  for (int n = 2; n < DOMAINS; n += 4 * tx_test_every(3)) {
    result r = check_domain(n, tx_test_noise_value, true, noise_oracle);
    assert_int_equal(r.faults, 0);
    assert_true(r.known > 2 * r.unknown);
  }
}

static void other_ghosts_are_refused(void **state) {
  (void)state;
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
  assert_int_equal(tx_patch_fill(x, a, 0, patch), TX_ERR_MESH);
  OK(tx_ghosts_fill(x, a));
  OK(tx_patch_fill(x, a, 0, patch));
  assert_int_equal(tx_patch_fill(x, b, 0, patch), TX_ERR_MESH);
  tx_field_swap(a, b);
  assert_int_equal(tx_patch_fill(x, a, 0, patch), TX_ERR_MESH);
  OK(tx_patch_fill(x, b, 0, patch));
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
