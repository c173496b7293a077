/* Operations that give numbers, make octants and fill initial data: on the backend that is asked for as on
 * the CPU, on the same mesh. Ghosts come from each one's own exchange. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend.h"
#include "physics/bssn.h"
#include "physics/initial_data/initial_data.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

/* One mesh, a plan and a field of each backend: [0] the CPU, [1] the other. */
typedef struct pair {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x[2];
  tx_field *u[2];
} pair;

static void plans_create(const tx_mesh *mesh, int n_vars, tx_exec *x[2]) {
  const tx_backend *other = tx_exec_backend();
  tx_exec_use(&tx_backend_cpu);
  OK(tx_exec_create(mesh, n_vars, &x[0]));
  tx_exec_use(other);
  OK(tx_exec_create(mesh, n_vars, &x[1]));
}

/* Octants of three levels. Where all dimensions are mirrors, level 0 is one octant. */
static int lowest(const tx_domain *domain) {
  for (int d = 0; d < 3; d++)
    if (domain->low[d] != TX_FACE_REFLECT) return 0;
  return 1;
}

static pair pair_on(int domain) {
  pair p = {.domain = tx_test_domain(domain)};
  const int low = lowest(&p.domain);
  OK(tx_test_random_tree(MPI_COMM_WORLD, &p.domain, 34, 2, low, low + 2, &p.tree, &p.mesh));
  assert_int_equal(p.mesh->level_lowest, low);
  assert_int_equal(p.mesh->level_highest, low + 2);
  plans_create(p.mesh, TX_VARS, p.x);
  for (int i = 0; i < 2; i++) OK(tx_field_create_state(p.x[i], &tx_bssn, &p.u[i]));
  return p;
}

static void pair_off(pair *p) {
  for (int i = 0; i < 2; i++) {
    tx_field_destroy(p->u[i]);
    tx_exec_destroy(p->x[i]);
  }
  tx_mesh_destroy(p->mesh);
  tx_octree_destroy(p->tree);
}

/* Smooth, with the parities of the variables and the periods of the domain, near flat space; and a little
 * noise, in even variables, that tells points from each other. */
static double state_value(const void *data, int v, const double x[3]) {
  const tx_domain *domain = data;
  double value = 0.1;
  for (int d = 0; d < 3; d++) {
    double phase = (1 + (v + d) % 3) * M_PI * x[d] / domain->extent;
    value *= tx_bssn.variable[v].parity[d] > 0 ? cos(phase) : sin(phase);
  }
  return tx_bssn.variable[v].infinity + value + 1e-3 * tx_test_noise_value(domain, 0, x);
}

static void pair_fill(pair *p) {
  for (int i = 0; i < 2; i++) {
    OK(tx_test_fill(p->u[i], state_value, &p->domain));
    OK(tx_test_poison(p->x[i]));
    OK(tx_ghosts_fill(p->x[i], p->u[i]));
  }
}

enum { POINTS = 400 };

/* Points all over the domain and its images, up to `outer` of the way to its outer faces, on octants' faces
 * too. */
static void scatter(const tx_domain *domain, double outer, double points[POINTS][3]) {
  srand(5);
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++) {
      double s = 2.0 * rand() / RAND_MAX - 1.0;
      if (i % 3 == 0) s = round(s * 16) / 16;
      points[i][d] = s * domain->extent * (domain->high[d] == TX_FACE_PERIODIC ? 3.0 : outer);
    }
}

/* Jets of ten of a point, the CPU's and the other one's. Round-off is that of the values, over powers of
 * the spacing. */
static void jets_compare(double h, const double a[TX_VARS][10], const double b[TX_VARS][10]) {
  for (int v = 0; v < TX_VARS; v++)
    for (int e = 0; e < 10; e++) {
      double scale = e == 0 ? 1.0 : e < 4 ? 1.0 / h : 1.0 / (h * h);
      assert_true(fabs(b[v][e] - a[v][e]) <= 2e-12 * scale);
    }
}

/* All variables and derivatives, fewer derivatives, a few variables. */
static void check_samples(const pair *p) {
  static double points[POINTS][3], jets[2][POINTS][TX_VARS][10], four[POINTS][TX_VARS][4];
  static double few[POINTS][5];
  static bool mine[2][POINTS];
  scatter(&p->domain, 0.999, points);
  const double(*at)[3] = (const double(*)[3])points;
  for (int i = 0; i < 2; i++)
    OK(tx_exec_sample(p->x[i], p->u[i],
                      &(tx_probe){.n = POINTS,
                                  .points = at,
                                  .n_derivs = 10,
                                  .jets = &jets[i][0][0][0],
                                  .mine = mine[i]}));
  assert_memory_equal(mine[0], mine[1], sizeof mine[0]);
  for (int n = 0; n < POINTS; n++)
    if (mine[0][n])
      jets_compare(tx_mesh_spacing(p->mesh, p->mesh->level_highest),
                   (const double(*)[10])jets[0][n], (const double(*)[10])jets[1][n]);
    else
      assert_memory_equal(jets[0][n], jets[1][n], sizeof jets[0][n]);
  for (int i = 0; i < 2; i++) {
    const tx_range vars = {TX_VAR_GT22, 5};
    OK(tx_exec_sample(
        p->x[i], p->u[i],
        &(tx_probe){.n = POINTS, .points = at, .n_derivs = 4, .jets = &four[0][0][0]}));
    OK(tx_exec_sample(
        p->x[i], p->u[i],
        &(tx_probe){.n = POINTS, .points = at, .vars = vars, .n_derivs = 1, .jets = &few[0][0]}));
    for (int n = 0; n < POINTS; n++) {
      for (int v = 0; v < TX_VARS; v++)
        assert_memory_equal(four[n][v], jets[i][n][v], sizeof four[n][v]);
      for (int v = 0; v < vars.n; v++)
        assert_memory_equal(&few[n][v], &jets[i][n][vars.first + v][0], sizeof few[n][v]);
    }
  }
}

static void check_psi4(const pair *p) {
  static double points[POINTS][3], rows[2][POINTS][TX_PSI4_COLUMNS];
  double h = tx_mesh_spacing(p->mesh, p->mesh->level_highest);
  scatter(&p->domain, 0.6, points); /* noise, extrapolated, makes no metric */
  for (int i = 0; i < 2; i++)
    OK(tx_exec_psi4(p->x[i], p->u[i], POINTS, (const double(*)[3])points, rows[i]));
  for (int n = 0; n < POINTS; n++) {
    const double *a = rows[0][n], *b = rows[1][n];
    assert_true(a[TX_PSI4_OWNERS] == b[TX_PSI4_OWNERS]);
    if (a[TX_PSI4_OWNERS] == 0.0) {
      const double zeros[TX_PSI4_COLUMNS] = {0.0};
      assert_memory_equal(b, zeros, sizeof zeros);
      continue;
    }
    for (int c = TX_PSI4_RE; c <= TX_PSI4_IM; c++)
      assert_true(fabs(b[c] - a[c]) <= 1e-11 / (h * h));
    for (int c = TX_PSI4_EXPANSION_N; c <= TX_PSI4_EXPANSION_S; c++)
      assert_true(fabs(b[c] - a[c]) <= 1e-11 / h && a[c] != 0.0);
    for (int c = TX_PSI4_TURN_X; c <= TX_PSI4_TURN_Z; c++)
      assert_true(fabs(b[c] - a[c]) <= 1e-11 / h);
    assert_true(a[TX_PSI4_TURN_X] != 0.0 || a[TX_PSI4_TURN_Y] != 0.0);
    assert_true(fabs(b[TX_PSI4_LAPSE] - a[TX_PSI4_LAPSE]) <= 1e-11 && a[TX_PSI4_LAPSE] > 0.0);
    assert_true(a[TX_PSI4_AREA] > 0.0);
    assert_true(fabs(b[TX_PSI4_AREA] - a[TX_PSI4_AREA]) <= 1e-11 * a[TX_PSI4_AREA]);
  }
}

static void check_wavelets(const pair *p) {
  const uint32_t mask = 1u << TX_VAR_CHI | 1u << TX_VAR_BETA2 | 1u << TX_VAR_GAMT2;
  const size_t n = (size_t)p->mesh->n_local;
  double *error[2];
  for (int i = 0; i < 2; i++) {
    error[i] = calloc(n + 1, sizeof(double));
    OK(tx_exec_wavelet(p->x[i], tx_exec_all(p->x[i]), p->u[i], mask, error[i]));
  }
  for (size_t b = 0; b < n; b++)
    assert_true(error[0][b] > 1e-4 && fabs(error[1][b] - error[0][b]) < 1e-12);
  free(error[0]);
  free(error[1]);
}

static void check_hashes(const pair *p) {
  uint64_t hash[2];
  for (int i = 0; i < 2; i++) OK(tx_field_checksum(p->u[i], &hash[i]));
  assert_true(hash[0] == hash[1]);
}

/* Values of all octants, and of those of the other backend. */
static double deviation(const tx_mesh *mesh, tx_field *const u[2], double scale_least) {
  double most = 0.0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double *values[2];
    for (int i = 0; i < 2; i++) OK(tx_field_view(u[i], b, &values[i]));
    for (int n = 0; n < TX_VARS * TX_N3; n++) {
      double error = fabs(values[1][n] - values[0][n]) / fmax(fabs(values[0][n]), scale_least);
      if (!(error <= most)) most = error;
    }
  }
  return most;
}

/* The same octants of a new mesh. */
static void check_transfers(pair *p) {
  int8_t *flag = calloc((size_t)p->mesh->n_local + 1, 1);
  tx_transfer *transfer = NULL;
  pair now = {.domain = p->domain, .tree = p->tree};
  tx_test_random_flags(p->mesh, 31, 0.25, 0.4, flag);
  const int low = lowest(&p->domain);
  OK(tx_octree_adapt(p->tree, p->mesh, &(tx_adaptation){flag, low, low + 2, NULL}, &transfer));
  OK(tx_mesh_create(p->tree, &now.mesh));
  plans_create(now.mesh, TX_VARS, now.x);
  assert_true(transfer->n_refined > 0 && transfer->n_coarsened > 0);
  for (int i = 0; i < 2; i++) OK(tx_exec_transfer(p->x[i], p->u[i], transfer, now.x[i], &now.u[i]));
  assert_true(deviation(now.mesh, now.u, 1.0) < 1e-12);
  tx_transfer_destroy(transfer);
  free(flag);
  p->tree = NULL;
  pair_off(p);
  *p = now;
}

/* To save time two domains of four: on one rank the first and the third, on several the others; with larger octants, which
 * have no test on one rank, the first two. */
static void all_operations(void **state) {
  const int domains[] = {0, 13, 22, 9};
  const bool large = TX_N > 8;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int n = large ? 0 : ranks > 1; n < (large ? 2 : 4); n += large ? 1 : 2) {
    pair p = pair_on(domains[n]);
    pair_fill(&p);
    check_hashes(&p);
    check_samples(&p);
    check_psi4(&p);
    check_wavelets(&p);
    check_transfers(&p);
    pair_off(&p);
  }
}

/* What is wrong first, octant by octant, variable by variable. */
static void first_faults_are_found(void **state) {
  static const struct {
    int var, point;
    double value;
    bool bad;
  } fault[] = {{TX_VAR_GAMT2, TX_N3 - 1, NAN, true},     {TX_VAR_K, 5, -1e300, false},
               {TX_VAR_K, TX_N3 / 2, -INFINITY, true},   {TX_VAR_CHI, 1, 0.0, true},
               {TX_VAR_CHI, 0, 1e-300, false},           {TX_VAR_ALPHA, TX_N3 - 2, -1.0, true},
               {TX_VAR_ALPHA, 0, (double)INFINITY, true}};
  pair p = pair_on(0);
  tx_lidx last = p.mesh->n_local - 1, octant;
  int var, point;
  pair_fill(&p);
  for (int i = 0; i < 2 && last >= 0; i++) {
    OK(p.x[i]->backend->check(p.x[i], tx_exec_all(p.x[i]), p.u[i], &octant, &var, &point));
    assert_int_equal(octant, -1);
    for (size_t n = 0; n < sizeof fault / sizeof *fault; n++) {
      double *values;
      OK(tx_field_octant(p.u[i], last, &values));
      values[fault[n].var * TX_N3 + fault[n].point] = fault[n].value;
      OK(p.x[i]->backend->check(p.x[i], tx_exec_all(p.x[i]), p.u[i], &octant, &var, &point));
      if (!fault[n].bad) continue;
      assert_int_equal(octant, last);
      assert_int_equal(var, fault[n].var);
      assert_int_equal(point, fault[n].point);
    }
  }
  pair_off(&p);
}

static void initial_data_agree(void **state) {
  pair p = pair_on(18); /* z reflects */
  for (int type = TX_ID_MINKOWSKI; type <= TX_ID_TWO_PUNCTURES; type++) {
    tx_params q;
    tx_params_default(&q);
    q.grid_extent = p.domain.extent;
    q.initial_data_type = type;
    q.initial_data_amplitude = 0.01;
    q.initial_data_wavelength = p.domain.extent;
    q.initial_data_bhN_mass[0] = 0.7;
    q.initial_data_bhN_position[0][0] = 1.1;
    if (type != TX_ID_PUNCTURE) {
      q.initial_data_bhN_mass[1] = 0.4;
      q.initial_data_bhN_position[1][0] = -1.9;
    }
    if (type == TX_ID_TWO_PUNCTURES) {
      q.initial_data_resolution = 16;
      q.initial_data_bhN_momentum[0][1] = 0.1;
      q.initial_data_bhN_momentum[1][1] = -0.1;
      q.initial_data_bhN_spin[0][2] = 0.05;
    }
    tx_initial_data *id = NULL;
    OK(tx_initial_data_create(&q, &id));
    for (int i = 0; i < 2; i++) OK(tx_exec_initial_data(p.x[i], tx_exec_all(p.x[i]), id, p.u[i]));
    assert_true(deviation(p.mesh, p.u, 1e-3) < 1e-12);
    tx_initial_data_destroy(id);
  }
  pair_off(&p);
}

static int run(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_operations),
      cmocka_unit_test(first_faults_are_found),
      cmocka_unit_test(initial_data_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
