/* Operations on fields: transfers, samples, wavelet errors, norms, checks. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/algebra.h"
#include "exec/backend.h"
#include "gw_extraction/sphere_modes.h"
#include "physics/bssn.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

/* A forest with its mesh, plan and one field. */
typedef struct rig {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x;
  tx_field *f;
} rig;

static rig rig_on(tx_domain domain, int rounds, int low, int high, int n_vars) {
  rig r = {.domain = domain};
  OK(tx_test_random_tree(MPI_COMM_WORLD, &domain, 11, rounds, low, high, &r.tree, &r.mesh));
  OK(tx_exec_create(r.mesh, n_vars, &r.x));
  if (n_vars == TX_VARS)
    OK(tx_field_create_state(r.x, &tx_bssn, &r.f));
  else
    OK(n_vars == TX_TEST_VARS ? tx_test_field(r.x, &r.f)
                              : tx_field_create(r.x, n_vars, NULL, &r.f));
  return r;
}

static void rig_off(rig *r) {
  tx_field_destroy(r->f);
  tx_exec_destroy(r->x);
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

static int total(int n) {
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return n;
}

static double most(double v) {
  MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return v;
}

static void point_place(const tx_mesh *mesh, tx_lidx b, int point, double x[3]) {
  double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  tx_mesh_origin(mesh, b, x);
  x[0] += point % TX_N * h;
  x[1] += point / TX_N % TX_N * h;
  x[2] += point / (TX_N * TX_N) * h;
}

/* By all calls of rig_adapt. */
static tx_gidx octants_refined, octants_coarsened;

/* Move the rig to the mesh of a random adaptation; the old mesh's leaves into *old. */
static void rig_adapt(rig *r, uint64_t seed, tx_octant **old, tx_gidx *n_old) {
  int8_t *flag = calloc((size_t)r->mesh->n_local + 1, 1);
  rig now = {.domain = r->domain, .tree = r->tree};
  tx_transfer *transfer = NULL;
  *old = tx_test_all_leaves(r->mesh);
  *n_old = r->mesh->n_global;
  tx_test_random_flags(r->mesh, seed, 0.25, 0.4, flag);
  OK(tx_octree_adapt(r->tree, r->mesh, &(tx_adaptation){flag, 1, 3, NULL}, &transfer));
  OK(tx_mesh_create(r->tree, &now.mesh));
  OK(tx_exec_create(now.mesh, TX_TEST_VARS, &now.x));
  octants_refined += transfer->n_refined;
  octants_coarsened += transfer->n_coarsened;
  assert_int_equal(tx_exec_transfer(r->x, r->f, transfer, now.x, &now.f), TX_ERR_MESH);
  tx_error_clear(); /* its ghosts were not filled */
  OK(tx_test_poison(r->x));
  OK(tx_ghosts_fill(r->x, r->f));
  OK(tx_exec_transfer(r->x, r->f, transfer, now.x, &now.f));
  tx_transfer_destroy(transfer);
  free(flag);
  tx_field_destroy(r->f);
  tx_exec_destroy(r->x);
  tx_mesh_destroy(r->mesh);
  *r = now;
}

/* Whether the octant came by refinement: its parent was a leaf. */
static bool refined(const tx_octant *o, const tx_octant *old, tx_gidx n_old) {
  for (tx_gidx i = 0; i < n_old; i++)
    if (old[i].level == o->level - 1 && old[i].x[0] == o->x[0] / 2 && old[i].x[1] == o->x[1] / 2 &&
        old[i].x[2] == o->x[2] / 2)
      return true;
  return false;
}

/* Largest deviation of the field from f: at points that must be exact (all others are interpolated, at
 * odd places of refined octants), and anywhere. */
static void deviations(rig *r, tx_test_function f, const void *data, const tx_octant *old,
                       tx_gidx n_old, double *copied, double *any) {
  *copied = *any = 0.0;
  for (tx_lidx b = 0; b < r->mesh->n_local; b++) {
    double *values, exact[TX_N3];
    bool fine = refined(&r->mesh->octant[b], old, n_old);
    OK(tx_field_octant(r->f, b, &values));
    for (int i = 0; i < TX_TEST_VARS * TX_N3; i++) {
      int p = i % TX_N3;
      bool odd = p % 2 || p / TX_N % 2 || p / (TX_N * TX_N) % 2;
      if (p == 0) tx_test_octant(r->mesh, b, i / TX_N3, f, data, exact);
      double error = fabs(values[i] - exact[p]);
      if (!(error <= *any)) *any = error;
      if (!(fine && odd) && !(error <= *copied)) *copied = error;
    }
  }
  *copied = most(*copied);
  *any = most(*any);
}

static void check_transfers(int domain_number, bool noise) {
  tx_domain domain = tx_test_domain(domain_number);
  const tx_test_polynomial polynomial = tx_test_polynomial_make(&domain, 5);
  tx_test_function f = noise ? tx_test_noise_value : tx_test_polynomial_value;
  const void *data = noise ? (const void *)&domain : (const void *)&polynomial;
  rig r = rig_on(domain, 1, 1, 3, TX_TEST_VARS);
  OK(tx_test_fill(r.f, f, data));
  for (int round = 0; round < 3; round++) {
    tx_octant *old;
    tx_gidx n_old;
    double copied, any;
    rig_adapt(&r, 31 + (uint64_t)(3 * domain_number + round), &old, &n_old);
    deviations(&r, f, data, old, n_old, &copied, &any);
    assert_true(noise ? any > 0.1 : any < 1e-11);
    if (noise) assert_true(copied == 0.0);
    OK(tx_test_fill(r.f, f, data));
    free(old);
  }
  rig_off(&r);
}

static void polynomials_survive_transfers(void **state) {
  octants_refined = octants_coarsened = 0;
  for (int n = 0; n < 27; n += 5 * tx_test_every(3)) check_transfers(n, false);
  assert_true(octants_refined > 50 && octants_coarsened > 50);
}

static void moved_and_injected_values_are_exact(void **state) {
  octants_refined = octants_coarsened = 0;
  for (int n = 1; n < 27; n += 6 * tx_test_every(2)) check_transfers(n, true);
  assert_true(octants_refined > 50 && octants_coarsened > 50);
}

enum { POINTS = 300 };

/* Points all over the domain, its mirror and periodic images, on lattice points and planes too, but
 * `margin` away from outer faces. */
static void scatter(const tx_domain *domain, double margin, double points[POINTS][3]) {
  srand(5);
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++) {
      double s = 2.0 * rand() / RAND_MAX - 1.0;
      if (i % 3 == 0) s = round(s * 16) / 16; /* on octants' faces */
      double width = domain->extent - (domain->high[d] == TX_FACE_OUTER ? margin : 0.0);
      if (domain->high[d] == TX_FACE_PERIODIC) width *= 3.0;
      points[i][d] = s * width;
    }
}

/* All ten entries of all jets, on their one owner. */
static void check_samples(rig *r, double margin, const tx_test_polynomial *polynomial,
                          double tolerance) {
  static double points[POINTS][3], jets[POINTS][TX_TEST_VARS][10];
  static const int order[10][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                   {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2}};
  static bool mine[POINTS];
  scatter(&r->domain, margin, points);
  OK(tx_test_fill(r->f, tx_test_polynomial_value, polynomial));
  OK(tx_ghosts_fill(r->x, r->f));
  memset(jets, 0xff, sizeof jets);
  OK(tx_exec_sample(r->x, r->f,
                    &(tx_probe){.n = POINTS,
                                .points = (const double(*)[3])points,
                                .n_derivs = 10,
                                .jets = &jets[0][0][0],
                                .mine = mine}));
  for (int i = 0; i < POINTS; i++) {
    assert_int_equal(total(mine[i]), 1);
    for (int v = 0; v < TX_TEST_VARS; v++)
      for (int e = 0; e < 10; e++) {
        double exact = tx_test_polynomial_derivative(polynomial, v, points[i], order[e]);
        if (mine[i])
          assert_true(fabs(jets[i][v][e] - exact) < tolerance);
        else
          assert_true(jets[i][v][e] == 0.0);
      }
  }
  static double fewer[POINTS][TX_TEST_VARS][4];
  OK(tx_exec_sample(r->x, r->f,
                    &(tx_probe){.n = POINTS,
                                .points = (const double(*)[3])points,
                                .n_derivs = 4,
                                .jets = &fewer[0][0][0]}));
  for (int i = 0; i < POINTS; i++)
    for (int v = 0; v < TX_TEST_VARS; v++)
      assert_memory_equal(fewer[i][v], jets[i][v], sizeof fewer[i][v]);
}

/* Degree 6 on one level, as stencils at grid points have 7 points; degree 5 where ghosts are interpolated or extrapolated. */
static void samples_are_exact(void **state) {
  for (int n = 0; n < 27; n += tx_test_every(5)) {
    tx_domain domain = tx_test_domain(n);
    const tx_test_polynomial six = tx_test_polynomial_make(&domain, 6);
    const tx_test_polynomial five = tx_test_polynomial_make(&domain, 5);
    rig r = rig_on(domain, 0, 1, 1, TX_TEST_VARS);
    check_samples(&r, 5 * tx_mesh_spacing(r.mesh, 1), &six, 1e-11);
    rig_off(&r);
    r = rig_on(domain, 1, 1, 2, TX_TEST_VARS);
    check_samples(&r, 1e-3, &five, 1e-9);
    rig_off(&r);
  }
}

/* Between question and answer the field, its points and the plan's ghosts go on to other things. */
static void samples_are_of_what_was_there(void **state) {
  static double points[POINTS][3], at_once[POINTS][TX_TEST_VARS][4], later[POINTS][TX_TEST_VARS][4];
  const tx_domain domain = tx_test_domain(13);
  const tx_test_polynomial five = tx_test_polynomial_make(&domain, 5);
  rig r = rig_on(domain, 1, 1, 2, TX_TEST_VARS);
  tx_field *g = NULL;
  OK(tx_test_field(r.x, &g));
  OK(tx_test_fill(g, tx_test_polynomial_value, &five));
  OK(tx_exec_combine(r.x, tx_exec_all(r.x), &(tx_combination){1, {g}, {-3.0}}, g));
  OK(tx_test_fill(r.f, tx_test_polynomial_value, &five));
  OK(tx_ghosts_fill(r.x, r.f));
  scatter(&domain, 1e-3, points);
  tx_probe probe = {
      .n = POINTS, .points = (const double(*)[3])points, .n_derivs = 4, .jets = &at_once[0][0][0]};
  OK(tx_exec_sample(r.x, r.f, &probe));
  probe.jets = &later[0][0][0];
  tx_exec_sample_begin(r.x, r.f, &probe);
  memset(points, 0, sizeof points);
  OK(tx_ghosts_fill(r.x, g));
  OK(tx_exec_copy(r.x, tx_exec_all(r.x), g, r.f));
  OK(tx_exec_sample_end(r.x));
  assert_memory_equal(later, at_once, sizeof later);
  tx_exec_sample_begin(r.x, g, &probe);
  tx_exec_sample_begin(r.x, g, &probe);
  assert_int_equal(tx_exec_sample_end(r.x), TX_ERR_USAGE);
  assert_non_null(strstr(tx_error_text(), "still under way"));
  tx_error_clear();
  tx_exec_sample_begin(r.x, r.f, &probe);
  assert_int_equal(tx_exec_sample_end(r.x), TX_ERR_MESH); /* the ghosts are those of g */
  tx_error_clear();
  OK(tx_exec_sample(r.x, g, &probe));
  tx_field_destroy(g);
  rig_off(&r);
}

static void points_outside_are_an_error(void **state) {
  const double points[2][3] = {{0.1, 0.1, 0.1}, {0.0, 12.5, 0.0}};
  double jets[2 * TX_TEST_VARS];
  rig r = rig_on(tx_test_domain(0), 0, 1, 1, TX_TEST_VARS);
  OK(tx_ghosts_fill(r.x, r.f));
  assert_int_equal(
      tx_exec_sample(r.x, r.f, &(tx_probe){.n = 2, .points = points, .n_derivs = 1, .jets = jets}),
      TX_ERR_MESH);
  assert_non_null(strstr(tx_error_text(), "(0, 12.5, 0) lies outside"));
  tx_error_clear();
  OK(tx_exec_sample(r.x, r.f, &(tx_probe){.n = 1, .points = points, .n_derivs = 1, .jets = jets}));
  rig_off(&r);
}

static double sixth_power(const void *data, int v, const double x[3]) {
  const double *h = data;
  return pow(x[v % 3] / *h, 6) / 720;
}

/* The 6-point interpolant from points two spacings apart misses x^6 by 225, or 315 where it is shifted
 * by a pair at an octant's end; polynomials of degree 5 by nothing. */
static void wavelet_errors(void **state) {
  rig r = rig_on(tx_test_domain(13), 0, 2, 2, TX_TEST_VARS);
  double h = tx_mesh_spacing(r.mesh, 2), *error = malloc(sizeof *error * (size_t)r.mesh->n_local);
  const tx_test_polynomial five = tx_test_polynomial_make(&r.domain, 5);
  OK(tx_test_fill(r.f, tx_test_polynomial_value, &five));
  OK(tx_ghosts_fill(r.x, r.f));
  OK(tx_exec_wavelet(r.x, tx_exec_all(r.x), r.f, 0xf, error));
  for (tx_lidx b = 0; b < r.mesh->n_local; b++) assert_true(error[b] < 1e-12);
  OK(tx_test_fill(r.f, sixth_power, &h));
  OK(tx_ghosts_fill(r.x, r.f));
  OK(tx_exec_wavelet(r.x, tx_exec_all(r.x), r.f, 1u << 0, error));
  for (tx_lidx b = 0; b < r.mesh->n_local; b++)
    if (!r.mesh->ghosts.outer[b]) assert_float_equal(error[b], 315. / 720, 1e-6);
  free(error);
  rig_off(&r);
}

static void check_names_the_place(void **state) {
  rig r = rig_on(tx_test_domain(0), 1, 1, 2, TX_VARS);
  int rank = r.mesh->rank, last = r.mesh->size - 1;
  double *values, x[3];
  for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
    OK(tx_field_octant(r.f, b, &values));
    for (int i = 0; i < TX_N3; i++)
      values[TX_VAR_ALPHA * TX_N3 + i] = values[TX_VAR_CHI * TX_N3 + i] = 1.0;
  }
  OK(tx_exec_check(r.x, tx_exec_all(r.x), r.f, 1.5));
  const struct {
    int v;
    double value;
    const char *text;
  } bad[] = {{TX_VAR_AT12, NAN, "At_yz = "},
             {TX_VAR_K, -INFINITY, "K = -inf, not a finite number"},
             {TX_VAR_CHI, 0.0, "chi = 0, which must be positive"}};
  for (int n = 0; n < 3; n++) {
    char here[128] = "";
    const int spot = bad[n].v * TX_N3 + TX_AT(1, 3, 2);
    double before = 0.0;
    if (rank == last) {
      OK(tx_field_octant(r.f, r.mesh->n_local - 1, &values));
      before = values[spot];
      values[spot] = bad[n].value;
      point_place(r.mesh, r.mesh->n_local - 1, TX_AT(1, 3, 2), x);
      snprintf(here, sizeof here, "%.10g, %.10g, %.10g on level %d at t = 1.5", x[0], x[1], x[2],
               r.mesh->octant[r.mesh->n_local - 1].level);
    }
    MPI_Bcast(here, sizeof here, MPI_CHAR, last, MPI_COMM_WORLD);
    assert_int_equal(tx_exec_check(r.x, tx_exec_all(r.x), r.f, 1.5), TX_ERR_NUMERICS);
    assert_non_null(strstr(tx_error_text(), bad[n].text));
    assert_non_null(strstr(tx_error_text(), here));
    tx_error_clear();
    if (rank != last) continue;
    OK(tx_field_octant(r.f, r.mesh->n_local - 1, &values));
    values[spot] = before;
  }
  OK(tx_exec_check(r.x, tx_exec_all(r.x), r.f, 1.5));
  rig_off(&r);
}

/* What lies on the planes of lower outer faces neither counts nor stays. */
static void planes_are_not_looked_at(void **state) {
  const tx_system_params p = {.chi_floor = 1e-4, .alpha_floor = 1e-8};
  double *values, worst[2];
  rig r = rig_on(tx_test_domain(0), 0, 1, 1, TX_VARS);
  for (int pass = 0; pass < 2; pass++)
    for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
      const unsigned outer = r.mesh->ghosts.outer[b];
      OK(tx_field_octant(r.f, b, &values));
      for (int i = 0; i < TX_VARS * TX_N3; i++) {
        const int at[3] = {i % TX_N, i / TX_N % TX_N, i % TX_N3 / (TX_N * TX_N)};
        bool plane = false;
        for (int d = 0; d < 3; d++) plane |= outer & TX_FACE_BIT(d, 0) && at[d] == 0;
        const double infinity = tx_bssn.variable[i / TX_N3].infinity;
        if (pass == 1) assert_float_equal(values[i], infinity, 1e-11);
        if (pass == 0) values[i] = plane ? 3.0 : infinity;
      }
      if (pass == 1 || b + 1 < r.mesh->n_local) continue;
      OK(tx_exec_enforce(r.x, tx_exec_all(r.x), &p, r.f));
      OK(tx_exec_algebraic(r.x, worst));
      assert_true(worst[0] == 0.0 && worst[1] == 0.0);
    }
  rig_off(&r);
}

/* The worst det gt and tr At before enforcement, from any rank, once. */
static void algebraic_diagnostics(void **state) {
  const tx_system_params p = {.chi_floor = 1e-4, .alpha_floor = 1e-8};
  rig r = rig_on(tx_test_domain(0), 0, 1, 1, TX_VARS);
  double *values, worst[2];
  for (tx_lidx b = 0; b < r.mesh->n_local; b++) {
    OK(tx_field_octant(r.f, b, &values));
    for (int v = 0; v < TX_VARS; v++)
      for (int i = 0; i < TX_N3; i++) values[v * TX_N3 + i] = tx_bssn.variable[v].infinity;
  }
  if (r.mesh->rank == r.mesh->size - 1) {
    OK(tx_field_octant(r.f, 0, &values));
    values[TX_VAR_GT00 * TX_N3 + TX_AT(5, 1, 1)] = 1.01;
    values[TX_VAR_AT11 * TX_N3 + TX_AT(1, 2, 1)] = -0.02;
  }
  OK(tx_exec_enforce(r.x, tx_exec_all(r.x), &p, r.f));
  OK(tx_exec_algebraic(r.x, worst));
  assert_float_equal(worst[0], 0.01, 1e-12);
  assert_float_equal(worst[1], 0.02, 1e-12);
  OK(tx_exec_algebraic(r.x, worst));
  assert_true(worst[0] == 0.0 && worst[1] == 0.0);
  rig_off(&r);
}

static double wavy_state(const void *data, int v, const double x[3]) {
  return tx_bssn.variable[v].infinity +
         1e-3 * sin(x[0] + 0.3 * v) * cos(0.7 * x[1] - v) * cos(0.9 * x[2]);
}

static bool same(const tx_field *a, const tx_field *b) {
  uint64_t of_a, of_b;
  OK(tx_field_checksum(a, &of_a));
  OK(tx_field_checksum(b, &of_b));
  return of_a == of_b;
}

/* A stage is right-hand side, update and enforcement, bit for bit; the update is what it says. */
static void stages_are_their_pieces(void **state) {
  const tx_system_params p = {.eta = 2.0,
                              .lambda_f0 = 1.0,
                              .sigma = 0.4,
                              .chi_floor = 1e-4,
                              .alpha_floor = 1e-8,
                              .slicing = TX_SLICING_ONE_PLUS_LOG,
                              .shift = TX_SHIFT_GAMMA_DRIVER};
  rig r = rig_on(tx_test_domain(5), 1, 1, 2, TX_VARS);
  tx_field *k, *sum[2], *next[2];
  OK(tx_field_create_state(r.x, &tx_bssn, &k));
  for (int i = 0; i < 2; i++) {
    OK(tx_field_create_state(r.x, &tx_bssn, &sum[i]));
    OK(tx_field_create_state(r.x, &tx_bssn, &next[i]));
  }
  OK(tx_test_fill(r.f, wavy_state, NULL));
  OK(tx_ghosts_fill(r.x, r.f));
  OK(tx_exec_rhs(r.x, tx_exec_all(r.x), &p, r.f, k));
  OK(tx_exec_stage(r.x, tx_exec_all(r.x), &p,
                   &(tx_stage){r.f, r.f, r.f, sum[0], next[0], 0.125, 0.25, false}));
  OK(tx_exec_update(r.x, tx_exec_all(r.x), k,
                    &(tx_stage){r.f, r.f, r.f, sum[1], next[1], 0.125, 0.25, false}));
  double *u, *rhs, *out;
  OK(tx_field_octant(r.f, 0, &u));
  OK(tx_field_octant(k, 0, &rhs));
  OK(tx_field_octant(sum[1], 0, &out));
  for (int i = 0; i < TX_VARS * TX_N3; i++)
    assert_true(fabs(out[i] - u[i] - 0.125 * rhs[i]) < 1e-15);
  OK(tx_field_octant(next[1], 0, &out));
  for (int i = 0; i < TX_VARS * TX_N3; i++)
    assert_true(fabs(out[i] - u[i] - 0.25 * rhs[i]) < 1e-15);
  OK(tx_exec_outer_planes(r.x, tx_exec_all(r.x), sum[1]));
  assert_true(same(sum[0], sum[1]));
  assert_false(same(next[0], next[1]));
  OK(tx_exec_enforce(r.x, tx_exec_all(r.x), &p, next[1]));
  assert_true(same(next[0], next[1]));
  /* The last stage: no next, enforcement on the sum. */
  OK(tx_exec_stage(r.x, tx_exec_all(r.x), &p,
                   &(tx_stage){r.f, r.f, sum[0], sum[0], NULL, 0.5, 0.0, false}));
  OK(tx_exec_update(r.x, tx_exec_all(r.x), k,
                    &(tx_stage){r.f, r.f, sum[1], sum[1], NULL, 0.5, 0.0, false}));
  OK(tx_exec_enforce(r.x, tx_exec_all(r.x), &p, sum[1]));
  assert_true(same(sum[0], sum[1]));
  assert_int_equal(tx_exec_stage(r.x, tx_exec_all(r.x), &p,
                                 &(tx_stage){r.f, r.f, r.f, r.f, NULL, 1.0, 0.0, false}),
                   TX_ERR_USAGE);
  tx_error_clear();
  tx_field_destroy(k);
  for (int i = 0; i < 2; i++) {
    tx_field_destroy(sum[i]);
    tx_field_destroy(next[i]);
  }
  rig_off(&r);
}

/* Flat space with K = 0.3 + r^2/100, Gt^x = x y^2/1000, Gt^y = -y x^2/1000:
 * H = 2/3 K^2 + (y^2 - x^2)/1000, M_i = -4/3 x_i/100, G = Gt. */
static double norms_state(const void *data, int v, const double x[3]) {
  if (v == TX_VAR_K) return 0.3 + (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / 100;
  if (v == TX_VAR_GAMT0) return x[0] * x[1] * x[1] / 1000;
  if (v == TX_VAR_GAMT1) return -x[1] * x[0] * x[0] / 1000;
  return tx_bssn.variable[v].infinity;
}

static void norms_exact(const double x[3], double c[TX_CONSTRAINTS]) {
  double K = norms_state(NULL, TX_VAR_K, x);
  c[TX_CONSTRAINT_H] = 2.0 / 3.0 * K * K + (x[1] * x[1] - x[0] * x[0]) / 1000;
  for (int d = 0; d < 3; d++) c[TX_CONSTRAINT_M0 + d] = 4.0 / 3.0 * x[d] / 100;
  for (int d = 0; d < 3; d++) c[TX_CONSTRAINT_G0 + d] = norms_state(NULL, TX_VAR_GAMT0 + d, x);
}

static bool inside(int n_balls, const tx_ball *balls, const double x[3]) {
  for (int a = 0; a < n_balls; a++)
    if (hypot(hypot(x[0] - balls[a].centre[0], x[1] - balls[a].centre[1]),
              x[2] - balls[a].centre[2]) < balls[a].radius)
      return true;
  return false;
}

/* Norms over the lattice of the whole domain, summed plainly. */
static tx_norms norms_brute(double extent, double h, int n_balls, const tx_ball *balls) {
  tx_norms norms = {{0.0}, {0.0}};
  int n = (int)lround(extent / h), points = 0;
  for (int k = 2 - n; k < n - 1; k++)
    for (int j = 2 - n; j < n - 1; j++)
      for (int i = 2 - n; i < n - 1; i++) {
        double x[3] = {i * h, j * h, k * h}, c[TX_CONSTRAINTS];
        if (inside(n_balls, balls, x)) continue;
        norms_exact(x, c);
        points++;
        for (int m = 0; m < TX_CONSTRAINTS; m++) {
          norms.l2[m] += c[m] * c[m];
          norms.max[m] = fmax(norms.max[m], fabs(c[m]));
        }
      }
  for (int m = 0; m < TX_CONSTRAINTS; m++) norms.l2[m] = sqrt(norms.l2[m] / points);
  return norms;
}

/* Constraints of BSSN have no parameters. */
static const tx_system_params plain = {.eta = 2.0};

/* Constraints are analysis quantities: norms of a field of them are the same. */
static void norms_of_quantities(const rig *r, const tx_norms_of *of, const tx_norms *norms) {
  double l2[TX_CONSTRAINTS], max[TX_CONSTRAINTS];
  tx_field *f = NULL;
  OK(tx_field_create_analysis(r->x, &tx_bssn, &f));
  OK(tx_exec_analysis(r->x, of->physics, r->f, f));
  OK(tx_exec_volume_norms(r->x, f, of, l2, max));
  for (int m = 0; m < TX_CONSTRAINTS; m++) {
    assert_true(max[m] == norms->max[m]);
    assert_true(fabs(l2[m] - norms->l2[m]) <= 1e-14 * norms->l2[m]);
  }
  tx_field_destroy(f);
}

/* The same from any reflected part of the domain. */
static void norms_of_the_whole(void **state) {
  const tx_ball balls[2] = {{{0, 0, 3.2}, 2.5}, {{0, 0, -3.2}, 2.5}};
  const int domains[] = {0, 1, 3, 10, 13};
  for (int n = 0; n < 5; n += tx_test_every(2))
    for (int n_balls = 0; n_balls <= 2; n_balls += 2) {
      rig r = rig_on(tx_test_domain(domains[n]), 0, 1, 1, TX_VARS);
      tx_norms norms, exact;
      exact = norms_brute(r.domain.extent, tx_mesh_spacing(r.mesh, 1), n_balls, balls);
      OK(tx_test_fill(r.f, norms_state, NULL));
      OK(tx_ghosts_fill(r.x, r.f));
      OK(tx_exec_constraints(r.x, tx_exec_all(r.x), r.f, &(tx_norms_of){&plain, n_balls, balls},
                             &norms));
      for (int m = 0; m < TX_CONSTRAINTS; m++) {
        assert_true(fabs(norms.l2[m] - exact.l2[m]) <= 1e-11 * exact.l2[TX_CONSTRAINT_H]);
        assert_true(fabs(norms.max[m] - exact.max[m]) <= 1e-11 * exact.max[TX_CONSTRAINT_H]);
      }
      norms_of_quantities(&r, &(tx_norms_of){&plain, n_balls, balls}, &norms);
      rig_off(&r);
    }
}

static void norms_of_nan(void **state) {
  rig r = rig_on(tx_test_domain(0), 0, 1, 1, TX_VARS);
  tx_norms norms;
  double *values;
  OK(tx_test_fill(r.f, norms_state, NULL));
  OK(tx_field_octant(r.f, 0, &values));
  if (r.mesh->rank == r.mesh->size - 1) values[TX_VAR_K * TX_N3 + TX_AT(3, 3, 3)] = NAN;
  OK(tx_ghosts_fill(r.x, r.f));
  OK(tx_exec_constraints(r.x, tx_exec_all(r.x), r.f, &(tx_norms_of){&plain, 0, NULL}, &norms));
  assert_true(isnan(norms.l2[TX_CONSTRAINT_H]) && isnan(norms.max[TX_CONSTRAINT_H]));
  assert_true(norms.l2[TX_CONSTRAINT_G0] > 0.0 && norms.l2[TX_CONSTRAINT_G0] < 1.0);
  rig_off(&r);
}

/* 1 + x^2 - y^2, and x + 2 y. */
static double polynomials(const void *data, int v, const double x[3]) {
  return v == 0 ? 1.0 + x[0] * x[0] - x[1] * x[1] : x[0] + 2.0 * x[1];
}

/* Modes of polynomials are exact, in a domain with mirrors too; a sphere beyond the domain is refused. */
static void modes_of_polynomials(void **state) {
  const double radii[2] = {1.5, 4.0}, pi = 3.14159265358979323846;
  enum { MODES = 6 };
  double modes[2][2][MODES][2], far = 100.0;
  assert_int_equal(tx_sphere_modes_count(2), MODES);
  for (int domain = 0; domain <= 10; domain += 10) {
    rig r = rig_on(tx_test_domain(domain), 0, 1, 1, 2);
    tx_sphere_modes *s = NULL;
    TX_TEST_REFUSED(tx_sphere_modes_create(&r.domain, 1, &far, 2, 2, &s), TX_ERR_PARAM,
                    "a sphere of radius 100 does not fit into a domain of extent");
    OK(tx_sphere_modes_create(&r.domain, 2, radii, 2, 1, &s));
    OK(tx_test_fill(r.f, polynomials, NULL));
    OK(tx_ghosts_fill(r.x, r.f));
    TX_TEST_REFUSED(tx_sphere_modes_project(s, r.x, r.f, modes[0][0]), TX_ERR_USAGE,
                    "modes of 2 variables: up to 1 are possible");
    tx_sphere_modes_destroy(s);
    OK(tx_sphere_modes_create(&r.domain, 2, radii, 2, 2, &s));
    OK(tx_sphere_modes_project(s, r.x, r.f, modes[0][0]));
    for (int i = 0; i < 2; i++)
      for (int v = 0; v < (domain ? 1 : 2); v++) { /* the other one has no mirror */
        double exact[MODES][2] = {{0.0}};
        if (v == 0) exact[0][0] = sqrt(4.0 * pi);
        if (v == 0) exact[5][0] = 2.0 * radii[i] * radii[i] * sqrt(2.0 * pi / 15.0);
        if (v == 1) exact[2][0] = -radii[i] * sqrt(2.0 * pi / 3.0);
        if (v == 1) exact[2][1] = 2.0 * radii[i] * sqrt(2.0 * pi / 3.0);
        for (int m = 0; m < MODES; m++)
          for (int part = 0; part < 2; part++)
            assert_true(fabs(modes[i][v][m][part] - exact[m][part]) < 1e-11);
      }
    tx_sphere_modes_destroy(s);
    rig_off(&r);
  }
}

/* The number that variable v has at a point of octant b in round `round`. */
static double numbered(int round, tx_lidx b, int i) {
  return 1e6 * round + 1e-3 * b + i;
}

static void put_numbers(tx_field *f, int round, tx_lidx b, tx_lidx n) {
  double *values = malloc((size_t)n * 2 * TX_N3 * sizeof *values);
  for (tx_lidx c = 0; c < n; c++)
    for (int i = 0; i < 2 * TX_N3; i++) values[c * 2 * TX_N3 + i] = numbered(round, b + c, i);
  OK(tx_field_put(f, b, n, values));
  free(values);
}

static void assert_numbers(const tx_field *f, int round, tx_lidx b, tx_lidx n) {
  const double *values = NULL;
  OK(tx_field_views(f, b, n, &values));
  for (tx_lidx c = 0; c < n; c++)
    for (int i = 0; i < 2 * TX_N3; i++)
      assert_true(values[c * 2 * TX_N3 + i] == numbered(round, b + c, i));
}

/* Whatever the host has of the field from before: nothing, other octants, some of these, older ones. */
static void octants_side_by_side(void **state) {
  rig r = rig_on(tx_test_domain(0), 0, TX_N == 8 ? 3 : 2, TX_N == 8 ? 3 : 2, 2);
  const tx_lidx all = r.mesh->n_local;
  const tx_lidx batch = all > TX_VIEW_OCTANTS + 2 ? TX_VIEW_OCTANTS : all - 4;
  const double *values = NULL;
  double *octant = NULL;
  assert_true(batch == TX_VIEW_OCTANTS || r.mesh->size > 1);
  for (tx_lidx b = 0; b < all; b += batch)
    put_numbers(r.f, 0, b, all - b < batch ? all - b : batch);
  for (tx_lidx b = 0; b < all; b += batch)
    assert_numbers(r.f, 0, b, all - b < batch ? all - b : batch);
  assert_numbers(r.f, 0, 0, 1);
  assert_numbers(r.f, 0, batch - 1, 2);
  assert_numbers(r.f, 0, 1, batch);
  assert_numbers(r.f, 0, all - 1, 1);
  assert_numbers(r.f, 0, all - 2, 2);
  put_numbers(r.f, 1, all - 3, 2);
  assert_numbers(r.f, 1, all - 3, 2);
  assert_numbers(r.f, 0, all - 1, 1);
  OK(tx_field_octant(r.f, all - 1, &octant));
  octant[0] += 1.0;
  put_numbers(r.f, 2, 0, 1);
  assert_numbers(r.f, 2, 0, 1);
  assert_numbers(r.f, 0, 1, batch);
  OK(tx_field_view(r.f, all - 1, &values));
  assert_true(values[0] == numbered(0, all - 1, 0) + 1.0 && values[1] == numbered(0, all - 1, 1));
  assert_int_equal(tx_field_views(r.f, 0, TX_VIEW_OCTANTS + 1, &values), TX_ERR_USAGE);
  tx_error_clear();
  rig_off(&r);
}

static int run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_survive_transfers),
      cmocka_unit_test(moved_and_injected_values_are_exact),
      cmocka_unit_test(samples_are_exact),
      cmocka_unit_test(samples_are_of_what_was_there),
      cmocka_unit_test(points_outside_are_an_error),
      cmocka_unit_test(wavelet_errors),
      cmocka_unit_test(check_names_the_place),
      cmocka_unit_test(algebraic_diagnostics),
      cmocka_unit_test(planes_are_not_looked_at),
      cmocka_unit_test(stages_are_their_pieces),
      cmocka_unit_test(norms_of_the_whole),
      cmocka_unit_test(norms_of_nan),
      cmocka_unit_test(modes_of_polynomials),
      cmocka_unit_test(octants_side_by_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
