/* Fields of any number of variables, each as it is described: parity, sign, what lies beyond outer faces. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend.h"
#include "physics/bssn.h"
#include "physics/lagrange_point.h"
#include "physics/predictor_point.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

/* Falling off in four ways, all beside each other, and as polynomials. */
enum { VARS = 4, PLAIN = 1 };
static const tx_field_var ROBIN[VARS] = {
    {{1, 1, 1}, false, TX_OUTER_ROBIN, 1.0, 1.0},
    {{1, -1, 1}, false, TX_OUTER_POLYNOMIAL, 0.0, 0.0},
    {{1, 1, 1}, false, TX_OUTER_ROBIN, -2.0, 2.0},
    {{1, 1, 1}, false, TX_OUTER_ROBIN, 0.5, 1.5},
};

/* Fields of as many variables as there can be, each as described. */
static void fields_as_described(void **unused) {
  const tx_domain domain = tx_test_domain(3);
  tx_field_var vars[TX_FIELD_VARS + 1];
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  tx_field *f = NULL;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 7, 0, 1, 1, &tree, &mesh));
  OK(tx_exec_create(mesh, TX_FIELD_VARS, &x));
  for (int v = 0; v <= TX_FIELD_VARS; v++)
    vars[v] = (tx_field_var){.parity = {1, v % 2 ? -1 : 1, 1}, .positive = v == 31};
  OK(tx_field_create(x, TX_FIELD_VARS, vars, &f));
  OK(tx_exec_fill(x, tx_exec_all(x), 1.0, f));
  OK(tx_exec_check(x, tx_exec_all(x), f, 0.0));
  OK(tx_exec_fill(x, tx_exec_all(x), -1.0, f));
  TX_TEST_REFUSED(tx_exec_check(x, tx_exec_all(x), f, 0.0), TX_ERR_NUMERICS, "variable 31 = -1");
  tx_field_destroy(f);
  TX_TEST_REFUSED(tx_field_create(x, 33, vars, &f), TX_ERR_USAGE, "up to 32");
  TX_TEST_REFUSED(tx_field_create(x, 0, vars, &f), TX_ERR_USAGE, "0 variables");
  vars[2].parity[1] = 0;
  TX_TEST_REFUSED(tx_field_create(x, 4, vars, &f), TX_ERR_USAGE,
                  "variable 2 of a field has parity 0");
  vars[2] = ROBIN[0];
  vars[2].falloff = 0.0;
  TX_TEST_REFUSED(tx_field_create(x, 4, vars, &f), TX_ERR_USAGE,
                  "variable 2 of a field goes to 1 like r^-0");
  assert_null(f);
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

typedef struct rig {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x;
  tx_field *f, *plain; /* the same values; `plain` is of polynomials */
} rig;

static rig rig_on(int domain, tx_test_function value) {
  rig r = {.domain = tx_test_domain(domain)};
  tx_field_var plain[VARS];
  memcpy(plain, ROBIN, sizeof plain);
  for (int v = 0; v < VARS; v++) plain[v].outer = TX_OUTER_POLYNOMIAL;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &r.domain, 7, 1, 1, 2, &r.tree, &r.mesh));
  OK(tx_exec_create(r.mesh, VARS, &r.x));
  OK(tx_field_create(r.x, VARS, ROBIN, &r.f));
  OK(tx_field_create(r.x, VARS, plain, &r.plain));
  OK(tx_test_fill(r.f, value, &r.domain));
  OK(tx_test_fill(r.plain, value, &r.domain));
  OK(tx_test_poison(r.x));
  return r;
}

static void rig_off(rig *r) {
  tx_field_destroy(r->f);
  tx_field_destroy(r->plain);
  tx_exec_destroy(r->x);
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

static double noise(const void *domain, int v, const double x[3]) {
  return ROBIN[v].infinity + tx_test_noise_value(domain, v == PLAIN ? 2 : 0, x);
}

/* (r / extent)^n (u - u_inf) at patch point `at` of octant b; *radius: r / extent. */
static double rescaled(const rig *r, tx_lidx b, int v, const int at[3], const double *patch) {
  double x0[3], r2 = 0.0;
  const double h = tx_mesh_spacing(r->mesh, r->mesh->octant[b].level);
  tx_mesh_origin(r->mesh, b, x0);
  for (int d = 0; d < 3; d++) r2 += (x0[d] + at[d] * h) * (x0[d] + at[d] * h);
  return pow(sqrt(r2) / r->domain.extent, ROBIN[v].falloff) *
         (patch[v * TX_P3 + TX_PATCH_AT(at[0], at[1], at[2])] - ROBIN[v].infinity);
}

/* Ghosts of one line of dimension d beyond a face, `at` being any point of it. */
static void assert_reflected(const rig *r, tx_lidx b, int v, int d, int side, const int at[3],
                             const double *patch) {
  static const double one_sided[] = {360, -450, 400, -225, 72, -10};
  int there[3] = {at[0], at[1], at[2]}, mirror[3] = {at[0], at[1], at[2]};
  const int plane = side ? TX_N : 0;
  for (int s = 0; s <= TX_K; s++) {
    double want = 0.0;
    there[d] = plane + (side ? s : -s);
    if (s == TX_K && side) break; /* the plane is the first ghost there */
    if (s == 0 && !side) continue;
    for (int j = 0; j < 6 && s == 0; j++) {
      mirror[d] = TX_N - 1 - j;
      want += one_sided[j] / 147 * rescaled(r, b, v, mirror, patch);
    }
    mirror[d] = plane - (side ? s : -s);
    if (s > 0) want = rescaled(r, b, v, mirror, patch);
    const double got = rescaled(r, b, v, there, patch);
    if (!(fabs(got - want) <= 1e-12))
      fail_msg("octant %d, variable %d, %d %d %d: %g, not %g", b, v, there[0], there[1], there[2],
               got, want);
  }
}

/* All lines beyond outer faces, each dimension's over all that the ones before filled. */
static void assert_robin(const rig *r, tx_lidx b, int v, const double *patch) {
  const unsigned outer = r->mesh->ghosts.outer[b];
  for (int d = 0; d < 3; d++) {
    int low[3], high[3], at[3];
    for (int e = 0; e < 3; e++) {
      low[e] = e == d ? 0 : e > d && outer & TX_FACE_BIT(e, 0) ? 0 : -TX_K;
      high[e] = e == d ? 1 : e > d && outer & TX_FACE_BIT(e, 1) ? TX_N : TX_N + TX_K;
    }
    for (int side = 0; side < 2; side++)
      for (at[2] = low[2]; at[2] < high[2]; at[2]++)
        for (at[1] = low[1]; at[1] < high[1]; at[1]++)
          for (at[0] = low[0]; at[0] < high[0] && outer & TX_FACE_BIT(d, side); at[0]++)
            assert_reflected(r, b, v, d, side, at, patch);
  }
}

/* Patch points that do not lie beyond an outer face are those of polynomials, bit by bit. */
static void assert_inside_alike(const rig *r, tx_lidx b, int v, const double *patch,
                                const double *plain) {
  const unsigned outer = r->mesh->ghosts.outer[b];
  for (int n = 0; n < TX_P3; n++) {
    const int at[3] = {n % TX_P - TX_K, n / TX_P % TX_P - TX_K, n / (TX_P * TX_P) - TX_K};
    bool beyond = false;
    for (int d = 0; d < 3; d++)
      beyond = beyond || (outer & TX_FACE_BIT(d, 0) && at[d] < 0) ||
               (outer & TX_FACE_BIT(d, 1) && at[d] >= TX_N);
    if (!beyond || v == PLAIN) assert_true(patch[v * TX_P3 + n] == plain[v * TX_P3 + n]);
  }
}

static void robin_ghosts(void **unused) {
  static const int domains[] = {0, 3, 13, 14};
  double *patch = malloc(VARS * TX_P3 * sizeof *patch);
  double *fetched = malloc(TX_P3 * sizeof *fetched);
  for (int n = 0; n < 4; n += tx_test_every(2)) {
    rig r = rig_on(domains[n], noise);
    double *all = malloc(((size_t)r.mesh->n_local + 1) * VARS * TX_P3 * sizeof *all);
    OK(tx_ghosts_fill(r.x, r.plain));
    OK(tx_patches_fetch(r.x, tx_exec_all(r.x), r.plain, 0xfu, all));
    OK(tx_test_poison(r.x));
    OK(tx_ghosts_fill(r.x, r.f));
    for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
      tx_set *one = NULL;
      OK(tx_test_patch(r.x, r.f, b, patch));
      OK(tx_set_create(r.x, 1, &b, &one));
      OK(tx_patches_fetch(r.x, one, r.f, 4u, fetched));
      assert_memory_equal(fetched, patch + 2 * TX_P3, TX_P3 * sizeof *fetched);
      for (int v = 0; v < VARS; v++) {
        assert_inside_alike(&r, b, v, patch, all + (size_t)b * VARS * TX_P3);
        if (v != PLAIN) assert_robin(&r, b, v, patch);
      }
      tx_set_destroy(one);
    }
    free(all);
    rig_off(&r);
  }
  free(patch);
  free(fetched);
}

/* Exactly r^-n. */
static double power(const void *domain, int v, const double x[3]) {
  const double r =
      sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / ((const tx_domain *)domain)->extent;
  return ROBIN[v].infinity + (r > 0.0 ? pow(r, -ROBIN[v].falloff) : 0.0);
}

static void power_laws_are_exact(void **unused) {
  double *patch = malloc(VARS * TX_P3 * sizeof *patch);
  rig r = rig_on(3, power);
  OK(tx_ghosts_fill(r.x, r.f));
  for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
    OK(tx_test_patch(r.x, r.f, b, patch));
    for (int v = 0; v < VARS; v++)
      for (int n = 0; n < TX_P * TX_P && v != PLAIN; n++) {
        const int at[3] = {r.mesh->ghosts.outer[b] & TX_FACE_BIT(0, 0) ? -2 : TX_N + 1,
                           n % TX_P - TX_K, n / TX_P - TX_K};
        bool inside = r.mesh->ghosts.outer[b] & (TX_FACE_BIT(0, 0) | TX_FACE_BIT(0, 1));
        for (int d = 1; d < 3; d++) inside = inside && at[d] >= 0 && at[d] < TX_N;
        if (inside) assert_true(fabs(rescaled(&r, b, v, at, patch) - 1.0) < 1e-13);
      }
  }
  free(patch);
  rig_off(&r);
}

/* What reads patches has them with these ghosts: values at points, and the wavelet error. */
static void samples(void **unused) {
  enum { POINTS = 60 };
  rig r = rig_on(3, noise);
  double points[POINTS][3], jets[POINTS][VARS], *patch = malloc(VARS * TX_P3 * sizeof *patch);
  bool mine[POINTS];
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++) /* many near faces, edges and corners */
      points[i][d] = r.domain.extent * (r.domain.low[d] == TX_FACE_OUTER && i % 2 ? -1.0 : 1.0) *
                     ((i / 2 + d) % 3 ? 0.9999 - 0.002 * i : 0.013 * (i + d));
  OK(tx_ghosts_fill(r.x, r.f));
  OK(tx_exec_sample(r.x, r.f,
                    &(tx_probe){.n = POINTS,
                                .points = (const double(*)[3])points,
                                .n_derivs = 1,
                                .jets = jets[0],
                                .mine = mine}));
  for (int i = 0; i < POINTS; i++) {
    double x0[3], w[3][3][TX_JET_POINTS];
    int first[3];
    const tx_lidx b = tx_mesh_locate(r.mesh, points[i]);
    assert_int_equal(mine[i], b >= 0);
    if (b < 0) continue;
    const double h = tx_mesh_spacing(r.mesh, r.mesh->octant[b].level);
    tx_mesh_origin(r.mesh, b, x0);
    for (int d = 0; d < 3; d++) first[d] = tx_lagrange_line((points[i][d] - x0[d]) / h, h, w[d]);
    OK(tx_test_patch(r.x, r.f, b, patch));
    for (int v = 0; v < VARS; v++) {
      double want = 0.0;
      for (int n = 0; n < TX_JET_POINTS * TX_JET_POINTS * TX_JET_POINTS; n++) {
        const int a = n % TX_JET_POINTS, c = n / TX_JET_POINTS % TX_JET_POINTS,
                  e = n / (TX_JET_POINTS * TX_JET_POINTS);
        want += w[0][0][a] * w[1][0][c] * w[2][0][e] *
                patch[v * TX_P3 + TX_PATCH_AT(first[0] + a, first[1] + c, first[2] + e)];
      }
      if (!(fabs(jets[i][v] - want) <= 1e-11))
        fail_msg("point %d, variable %d: %.15g, not %.15g", i, v, jets[i][v], want);
    }
  }
  free(patch);
  rig_off(&r);
}

static void wavelet_errors(void **unused) {
  rig r = rig_on(3, noise);
  double *error = malloc(((size_t)r.mesh->n_local + 1) * sizeof *error);
  double *patch = malloc(VARS * TX_P3 * sizeof *patch);
  const tx_predictor predictor = tx_predictor_make();
  OK(tx_ghosts_fill(r.x, r.f));
  OK(tx_exec_wavelet(r.x, tx_exec_all(r.x), r.f, 4u, error));
  for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
    double most = 0.0;
    OK(tx_test_patch(r.x, r.f, b, patch));
    for (int n = 0; n < TX_N3; n++) {
      const int at[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
      for (int d = 0; d < 3; d++) {
        int row[3] = {at[0], at[1], at[2]};
        row[d] = 0;
        if (at[d] % 2)
          most = fmax(most, fabs(tx_predictor_deviation(
                                &predictor, patch + 2 * TX_P3 + TX_PATCH_AT(row[0], row[1], row[2]),
                                d == 0   ? 1
                                : d == 1 ? TX_P
                                         : TX_P * TX_P,
                                at[d])));
      }
    }
    assert_true(fabs(error[b] - most) <= 1e-12);
  }
  free(patch);
  free(error);
  rig_off(&r);
}

/* The evolution's operations are made for polynomials. */
static void evolution_refuses_them(void **unused) {
  static const tx_system_params bssn = {.eta = 2.0};
  const tx_domain domain = tx_test_domain(3);
  tx_field_var vars[TX_VARS];
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  tx_field *u = NULL, *to = NULL, *next = NULL;
  tx_norms norms;
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 7, 0, 1, 1, &tree, &mesh));
  OK(tx_exec_create(mesh, TX_VARS, &x));
  for (int v = 0; v < TX_VARS; v++) vars[v] = ROBIN[v == 5 ? 0 : PLAIN];
  OK(tx_field_create(x, TX_VARS, vars, &u));
  OK(tx_field_create_state(x, &tx_bssn, &to));
  OK(tx_field_create_state(x, &tx_bssn, &next));
  OK(tx_ghosts_fill(x, u));
  const tx_set *all = tx_exec_all(x);
  const tx_stage stage = {to, u, to, next, NULL, 0.1, 0.1, false};
  TX_TEST_REFUSED(tx_exec_stage(x, all, &bssn, &stage), TX_ERR_USAGE, "stage: variable 5");
  TX_TEST_REFUSED(tx_exec_rhs(x, all, &bssn, u, to), TX_ERR_USAGE, "right-hand side: variable 5");
  TX_TEST_REFUSED(tx_exec_constraints(x, all, u, &(tx_norms_of){&bssn, 0, NULL}, &norms),
                  TX_ERR_USAGE, "constraints: variable 5");
  TX_TEST_REFUSED(tx_exec_outer_planes(x, all, u), TX_ERR_USAGE, "outer planes: variable 5");
  tx_field_destroy(u);
  tx_field_destroy(to);
  tx_field_destroy(next);
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
}

/* A field on a new mesh is described as before. */
static void transfers_keep_descriptions(void **unused) {
  rig r = rig_on(3, noise);
  int8_t *want = calloc((size_t)r.mesh->n_local + 1, 1);
  tx_transfer *transfer = NULL;
  tx_mesh *now = NULL;
  tx_exec *to = NULL;
  tx_field *out = NULL;
  tx_test_random_flags(r.mesh, 11, 0.2, 0.3, want);
  OK(tx_ghosts_fill(r.x, r.f));
  OK(tx_octree_adapt(r.tree, r.mesh, &(tx_adaptation){want, 1, 2, NULL}, &transfer));
  OK(tx_mesh_create(r.tree, &now));
  OK(tx_exec_create(now, VARS, &to));
  OK(tx_exec_transfer(r.x, r.f, transfer, to, &out));
  assert_memory_equal(out->var, r.f->var, VARS * sizeof *out->var);
  assert_int_equal(out->robin, r.f->robin);
  free(want);
  tx_transfer_destroy(transfer);
  tx_field_destroy(out);
  tx_exec_destroy(to);
  tx_mesh_destroy(now);
  rig_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(fields_as_described),
    cmocka_unit_test(robin_ghosts),
    cmocka_unit_test(power_laws_are_exact),
    cmocka_unit_test(samples),
    cmocka_unit_test(wavelet_errors),
    cmocka_unit_test(evolution_refuses_them),
    cmocka_unit_test(transfers_keep_descriptions),
};
TEST_MAIN(tests)
