/* Ways between the grids of levels, of multigrid: restriction by full weighting and prolongation, each against plain loops over
 * patches, and what is refused. */
#include "tests/support/multigrid_rig.h"

/* The mean over the 27 points around. */
static long double mean27(const double *at) {
  const long double w[] = {0.25L, 0.5L, 0.25L};
  long double sum = 0.0L;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++)
        sum += w[i] * w[j] * w[k] * at[((k - 1) * TX_P + j - 1) * TX_P + i - 1];
  return sum;
}

/* Patches of all octants of a level, on every rank, by index. */
static double *all_patches(tx_exec *x, const tx_field *f) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  double *all = calloc((size_t)mesh->n_global * TX_P3, sizeof *all);
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    OK(tx_test_patch(x, f, b, all + (size_t)mesh->octant[b].index * TX_P3));
  MPI_Allreduce(MPI_IN_PLACE, all, (int)mesh->n_global * TX_P3, MPI_DOUBLE, MPI_SUM, mesh->comm);
  return all;
}

/* Positions of all octants of a level, on every rank, by index: x, y, z. */
static int32_t *all_places(const tx_mesh *mesh) {
  int32_t *all = calloc((size_t)mesh->n_global * 3, sizeof *all);
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    memcpy(all + 3 * mesh->octant[b].index, mesh->octant[b].x, sizeof mesh->octant[b].x);
  MPI_Allreduce(MPI_IN_PLACE, all, (int)mesh->n_global * 3, MPI_INT32_T, MPI_SUM, mesh->comm);
  return all;
}

/* Return the index of the octant at x, or -1. */
static int find_octant(const int32_t *places, int n, const int32_t x[3]) {
  for (int i = 0; i < n; i++)
    if (memcmp(places + 3 * i, x, 3 * sizeof *x) == 0) return i;
  return -1;
}

/* At points that coincide with finer ones there are their means, others are left. */
static void check_restriction(rig *r, int l) {
  const tx_mesh *fine = r->grids->grid[l], *coarse = r->grids->grid[l - 1];
  tx_field *to = r->f[l - 1][P];
  OK(tx_test_fill(to, noise_value, &(noise){&r->domain, OUT}));
  double *patches = all_patches(r->x[l], r->f[l][U]), *before = copy_of(to);
  int32_t *places = all_places(fine);
  long coinciding = 0;
  OK(tx_level_restrict(r->down[l], r->f[l][U], r->f[l][OUT], to));
  for (tx_lidx b = 0; b < coarse->n_local; b++) {
    const double *got;
    OK(tx_field_view(to, b, &got));
    for (int n = 0; n < TX_N3; n++) {
      int p[3] = {2 * (n % TX_N), 2 * (n / TX_N % TX_N), 2 * (n / (TX_N * TX_N))};
      int32_t x[3];
      for (int d = 0; d < 3; d++) {
        x[d] = 2 * coarse->octant[b].x[d] + p[d] / TX_N;
        p[d] %= TX_N;
      }
      const int child = find_octant(places, (int)fine->n_global, x);
      if (child < 0) {
        assert_true(got[n] == before[(size_t)b * TX_N3 + (size_t)n]);
        continue;
      }
      const double *patch = patches + (size_t)child * TX_P3;
      double scale = 0.0;
      for (int i = 0; i < TX_P3; i++) scale = fmax(scale, fabs(patch[i]));
      assert_near(got[n], mean27(patch + TX_PATCH_AT(p[0], p[1], p[2])), scale);
      coinciding++;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &coinciding, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  assert_int_equal(coinciding, (long)fine->n_global * TX_N3 / 8);
  free(patches);
  free(before);
  free(places);
}

static void restriction_is_full_weighting(void **state) {
  (void)state;
  const int domains[] = {0, 14, 22};
  for (int n = 0; n < 3; n += tx_test_every(2)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], n == 1 ? TX_OUTER_POLYNOMIAL : TX_OUTER_ROBIN);
    for (int l = 0; l < r.n; l++) {
      make_noise(&r, l);
      if (l > 0) check_restriction(&r, l);
    }
    rig_off(&r);
  }
}

/* Lagrange's interpolation of a patch at half spacings h from the octant's first point. */
static long double between(const double *patch, const int h[3], long double *scale) {
  static const long double midpoint[] = {3, -25, 150, 150, -25, 3};
  long double sum = 0.0L;
  *scale = 0.0L;
  for (int k = 0; k < (h[2] % 2 ? 6 : 1); k++)
    for (int j = 0; j < (h[1] % 2 ? 6 : 1); j++)
      for (int i = 0; i < (h[0] % 2 ? 6 : 1); i++) {
        const int t[3] = {i, j, k};
        int at[3];
        long double w = 1.0L;
        for (int d = 0; d < 3; d++) {
          at[d] = h[d] / 2 + (h[d] % 2 ? t[d] - 2 : 0);
          if (h[d] % 2) w *= midpoint[t[d]] / 256.0L;
        }
        const long double term = w * patch[TX_PATCH_AT(at[0], at[1], at[2])];
        sum += term;
        *scale += fabsl(term);
      }
  return sum;
}

static void check_prolongation(rig *r, int l) {
  const tx_mesh *mesh = r->grids->grid[l];
  tx_field *u = r->f[l][OUT];
  double *patches = all_patches(r->x[l - 1], r->f[l - 1][U]), *before = copy_of(u);
  int32_t *places = all_places(r->grids->grid[l - 1]);
  OK(tx_level_prolong(r->down[l], r->f[l - 1][U], u));
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double *got;
    const int32_t *x = mesh->octant[b].x, above[3] = {x[0] / 2, x[1] / 2, x[2] / 2};
    const int parent = find_octant(places, (int)r->grids->grid[l - 1]->n_global, above);
    OK(tx_field_view(u, b, &got));
    for (int n = 0; n < TX_N3; n++) {
      const int p[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
      int h[3];
      for (int d = 0; d < 3; d++) h[d] = p[d] + (mesh->octant[b].x[d] & 1) * TX_N;
      long double scale, more = between(patches + (size_t)parent * TX_P3, h, &scale);
      const double old = before[(size_t)b * TX_N3 + (size_t)n];
      assert_near(got[n], old + more, fabs(old) + scale);
    }
  }
  free(patches);
  free(before);
  free(places);
}

static void prolongation_interpolates_the_patch_of_the_parent(void **state) {
  const int domains[] = {0, 14, 22};
  for (int n = 0; n < 3; n += tx_test_every(2)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], TX_OUTER_ROBIN);
    for (int l = 0; l < r.n; l++) {
      if (l > 0) {
        OK(tx_test_fill(r.f[l][OUT], noise_value, &(noise){&r.domain, OUT}));
        check_prolongation(&r, l);
      }
      make_noise(&r, l);
    }
    rig_off(&r);
  }
}

/* Round-off grows by the weights of the extrapolation beyond outer faces. */
static void assert_polynomial(const tx_field *u, const tx_test_polynomial *p, double times) {
  const tx_mesh *mesh = tx_exec_mesh(u->x);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double h = tx_mesh_spacing(mesh, mesh->level_lowest), *got;
    double x0[3], tolerance = 1e-12;
    tx_mesh_origin(mesh, b, x0);
    for (int side = 0; side < 6; side++)
      if (mesh->ghosts.outer[b] >> side & 1) tolerance *= 1023.0;
    OK(tx_field_view(u, b, &got));
    for (int n = 0; n < TX_N3; n++) {
      const double x[3] = {x0[0] + n % TX_N * h, x0[1] + n / TX_N % TX_N * h,
                           x0[2] + n / (TX_N * TX_N) * h};
      const double want = times * tx_test_polynomial_value(p, 0, x);
      if (!(fabs(got[n] - want) <= tolerance)) fail_msg("%.17g, not %.17g", got[n], want);
    }
  }
}

static void prolongation_is_exact_for_polynomials(void **state) {
  const int domains[] = {0, 14, 22};
  for (int n = 0; n < 3; n += tx_test_every(2)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], TX_OUTER_POLYNOMIAL);
    const tx_test_polynomial p = tx_test_polynomial_make(&r.domain, 5);
    for (int l = 0; l < r.n; l++) {
      OK(tx_test_fill(r.f[l][U], tx_test_polynomial_value, &p));
      OK(tx_test_fill(r.f[l][OUT], tx_test_polynomial_value, &p));
      if (l > 0) {
        OK(tx_level_prolong(r.down[l], r.f[l - 1][U], r.f[l][OUT]));
        assert_polynomial(r.f[l][OUT], &p, 2.0);
      }
      fill_ghosts(&r, l, U);
    }
    rig_off(&r);
  }
}

/* What is prolonged to needs its edge and ghosts anew; what is read, and its ghosts, stay. */
static void prolongation_makes_ghosts_stale(void **state) {
  rig r = rig_on(MPI_COMM_WORLD, 0, TX_OUTER_ROBIN);
  tx_field **f = r.f[1];
  const tx_helmholtz e = {6, f[Q], f[F]};
  make_noise(&r, 0);
  make_noise(&r, 1);
  OK(tx_level_prolong(r.down[1], r.f[0][U], f[OUT]));
  OK(tx_exec_residual(r.x[1], tx_exec_all(r.x[1]), &e, f[U], NULL, f[OUT]));
  OK(tx_level_prolong(r.down[1], r.f[0][U], f[U]));
  TX_TEST_REFUSED(tx_exec_residual(r.x[1], tx_exec_all(r.x[1]), &e, f[U], NULL, f[OUT]),
                  TX_ERR_MESH, "the ghosts at hand");
  TX_TEST_REFUSED(tx_ghosts_fill(r.x[1], f[U]), TX_ERR_USAGE,
                  "the refinement boundary of this field");
  rig_off(&r);
}

static void refuse_ways(rig *r, tx_field *two, tx_field *foreign) {
  tx_exec *x = r->x[1];
  tx_field **f = r->f[1];
  const tx_set *all = tx_exec_all(x);
  const double c[TX_STORED_STAGES] = {1.0};
  double l2, max;
  make_noise(r, 1);
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[U], foreign, r->f[0][P]), TX_ERR_MESH,
                  "full weighting");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[P], f[OUT], r->f[0][P]), TX_ERR_MESH,
                  "full weighting");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[U], f[U], r->f[0][P]), TX_ERR_USAGE,
                  "the output is");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[U], f[OUT], f[P]), TX_ERR_MESH, "full weighting");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[U], two, r->f[0][P]), TX_ERR_USAGE,
                  "2 variables");
  TX_TEST_REFUSED(tx_level_norms(1, &two, &l2, &max), TX_ERR_USAGE, "2 variables");
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], r->f[0][P], f[U]), TX_ERR_MESH, "prolongation");
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], r->f[0][U], two), TX_ERR_USAGE, "2 variables");
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], r->f[0][U], r->f[0][P]), TX_ERR_MESH,
                  "prolongation");
  OK(tx_field_create(r->x[0], 2, NULL, &two)); /* the coarser level's */
  OK(tx_ghosts_fill(r->x[0], two));
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], two, f[U]), TX_ERR_USAGE, "2 variables");
  OK(tx_stage_store(x, 0, two));
  tx_field_destroy(two);
  OK(tx_field_create(x, 2, NULL, &two));
  OK(tx_level_boundary_make(x, c, two));
  OK(tx_ghosts_fill(x, two));
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], two, f[OUT], r->f[0][P]), TX_ERR_USAGE,
                  "2 variables");
  TX_TEST_REFUSED(tx_exec_residual(x, all, &(tx_helmholtz){6, f[Q], f[F]}, two, NULL, f[OUT]),
                  TX_ERR_USAGE, "2 variables");
  tx_field_destroy(two);
}

static void what_does_not_fit_is_refused(void **state) {
  rig r = rig_on(MPI_COMM_WORLD, 0, TX_OUTER_ROBIN), other = rig_on(MPI_COMM_WORLD, 0, 0);
  tx_level_grids *plain = NULL; /* without the way down */
  tx_exec *x[TX_LEVELS];
  tx_descender *none = NULL;
  tx_field *two = NULL;
  OK(tx_field_create(r.x[1], 2, NULL, &two));
  make_noise(&r, 0);
  refuse_ways(&r, two, other.f[1][U]);
  TX_TEST_REFUSED(tx_descender_create(r.x[0], &none), TX_ERR_USAGE, "level 0 has no way down");
  OK(tx_level_grids_create(r.mesh, NULL, &plain));
  assert_true(plain->n >= 2);
  OK(tx_exec_create_levels(plain, 0, 1, x));
  TX_TEST_REFUSED(tx_descender_create(x[1], &none), TX_ERR_USAGE, "level 2 has no way down");
  assert_null(none);
  tx_descender_destroy(NULL);
  for (int i = plain->n - 1; i >= 0; i--) tx_exec_destroy(x[i]);
  tx_level_grids_destroy(plain);
  tx_field_destroy(two);
  rig_off(&other);
  rig_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(restriction_is_full_weighting),
    cmocka_unit_test(prolongation_interpolates_the_patch_of_the_parent),
    cmocka_unit_test(prolongation_is_exact_for_polynomials),
    cmocka_unit_test(prolongation_makes_ghosts_stale),
    cmocka_unit_test(what_does_not_fit_is_refused),
};
TEST_MAIN(tests)
