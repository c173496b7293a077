/* The same bits on any number of ranks and threads: steps, transfers between meshes, norms, samples. */
#include "physics/bssn.h"
#include "physics/initial_data/initial_data.h"
#include "tests/support/main.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

enum { ROUNDS = 3, POINTS = 40, JET = 10 };

static const tx_system_params BSSN = {.eta_form = TX_ETA_RADIAL,
                                      .eta = 2.0,
                                      .eta_far = 0.25,
                                      .eta_radius = 3.0,
                                      .lambda_f0 = 1.0,
                                      .advect_lapse = 1.0,
                                      .advect_shift = 1.0,
                                      .advect_B = 1.0,
                                      .advect_Gt = 1.0,
                                      .sigma = 0.4,
                                      .sigma_outside = 0.9,
                                      .over_reach2 = {[1] = 0.1},
                                      .chi_floor = 1e-4,
                                      .alpha_floor = 1e-8,
                                      .slicing = TX_SLICING_ONE_PLUS_LOG,
                                      .shift = TX_SHIFT_GAMMA_DRIVER};

/* Everything that a run leaves, to be compared byte by byte. */
typedef struct outcome {
  uint64_t checksum[ROUNDS], initial;
  tx_norms norms[ROUNDS];
  double jets[POINTS][TX_VARS][JET], algebraic[2];
} outcome;

/* Finest level. */
static int finest(void) {
  return tx_test_every(2) == 1 ? 3 : 2;
}

static tx_status stage(tx_exec *x, const tx_stage *s) {
  TX_TRY(tx_ghosts_begin(x, s->y));
  TX_TRY(tx_exec_stage(x, tx_exec_interior(x), &BSSN, s));
  TX_TRY(tx_ghosts_end(x, s->y));
  return tx_exec_stage(x, tx_exec_boundary(x), &BSSN, s);
}

/* One step of classical RK4 with four fields in all. */
static tx_status step(tx_exec *x, double dt, tx_field *u, tx_field *work[3]) {
  tx_field *sum = work[0], *a = work[1], *b = work[2];
  TX_TRY(stage(x, &(tx_stage){u, u, u, sum, a, dt / 6, dt / 2, false}));
  TX_TRY(stage(x, &(tx_stage){u, a, sum, sum, b, dt / 3, dt / 2, false}));
  TX_TRY(stage(x, &(tx_stage){u, b, sum, sum, a, dt / 3, dt, false}));
  TX_TRY(stage(x, &(tx_stage){u, a, sum, sum, NULL, dt / 6, 0.0, false}));
  tx_field_swap(u, sum);
  return TX_OK;
}

static tx_status steps(tx_exec *x, int n, tx_field *u) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  tx_field *work[3] = {NULL, NULL, NULL};
  for (int i = 0; i < 3; i++) TX_TRY(tx_field_create_state(x, &tx_bssn, &work[i]));
  double dt = 0.25 * tx_mesh_spacing(mesh, mesh->level_highest);
  for (int i = 0; i < n; i++) TX_TRY(step(x, dt, u, work));
  for (int i = 0; i < 3; i++) tx_field_destroy(work[i]);
  return TX_OK;
}

/* Replace mesh, plan and field by those after a random adaptation. */
static tx_status regrid(tx_octree *tree, uint64_t seed, tx_mesh **mesh, tx_exec **x, tx_field **u) {
  int8_t *flag = calloc((size_t)(*mesh)->n_local + 1, 1);
  tx_transfer *transfer = NULL;
  tx_mesh *now = NULL;
  tx_exec *to = NULL;
  tx_field *out = NULL;
  tx_test_random_flags(*mesh, seed, 0.2, 0.3, flag);
  TX_TRY(tx_octree_adapt(tree, *mesh, &(tx_adaptation){flag, 1, finest(), NULL}, &transfer));
  free(flag);
  TX_TRY(tx_mesh_create(tree, &now));
  TX_TRY(tx_exec_create(now, TX_VARS, &to));
  TX_TRY(tx_ghosts_fill(*x, *u));
  TX_TRY(tx_exec_transfer(*x, *u, transfer, to, &out));
  tx_transfer_destroy(transfer);
  tx_field_destroy(*u);
  tx_exec_destroy(*x);
  tx_mesh_destroy(*mesh);
  *mesh = now;
  *x = to;
  *u = out;
  return TX_OK;
}

static tx_status sample(tx_exec *x, tx_field *u, outcome *o) {
  double points[POINTS][3];
  for (int i = 0; i < POINTS; i++)
    for (int d = 0; d < 3; d++) points[i][d] = -3.5 + (double)(i * (d + 3) * 7 % 61) * 0.12;
  TX_TRY(tx_exec_sample(x, u,
                        &(tx_probe){.n = POINTS,
                                    .points = (const double(*)[3])points,
                                    .n_derivs = JET,
                                    .jets = &o->jets[0][0][0]}));
  MPI_Allreduce(MPI_IN_PLACE, o->jets, POINTS * TX_VARS * JET, MPI_DOUBLE, MPI_SUM,
                tx_exec_mesh(x)->comm);
  double *jet = &o->jets[0][0][0];
  for (int i = 0; i < POINTS * TX_VARS * JET; i++) jet[i] += 0.0; /* of one rank -0 stays */
  return TX_OK;
}

/* A strong gravitational wave near the origin: everything varies. z reflects, y is periodic. */
static tx_status evolve(MPI_Comm comm, outcome *o) {
  tx_domain domain = {.extent = 4.0,
                      .low = {TX_FACE_OUTER, TX_FACE_PERIODIC, TX_FACE_REFLECT},
                      .high = {TX_FACE_OUTER, TX_FACE_PERIODIC, TX_FACE_OUTER}};
  const tx_ball ball = {{0.3, 0.0, 0.5}, 0.8};
  tx_params p;
  tx_params_default(&p);
  p.initial_data_type = TX_ID_TEUKOLSKY;
  p.initial_data_amplitude = 0.05;
  p.initial_data_wavelength = 1.5;
  p.grid_extent = domain.extent;
  tx_initial_data *id = NULL;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *x = NULL;
  tx_field *u = NULL;
  memset(o, 0, sizeof *o);
  TX_TRY(tx_initial_data_create(&p, &id));
  TX_TRY(tx_test_random_tree(comm, &domain, 5, 1, 1, finest(), &tree, &mesh));
  TX_TRY(tx_exec_create(mesh, TX_VARS, &x));
  TX_TRY(tx_field_create_state(x, &tx_bssn, &u));
  TX_TRY(tx_exec_initial_data(x, tx_exec_all(x), id, u));
  TX_TRY(tx_exec_enforce(x, tx_exec_all(x), &BSSN, u));
  TX_TRY(tx_field_checksum(u, &o->initial));
  for (int round = 0; round < ROUNDS; round++) {
    if (round > 0) TX_TRY(regrid(tree, 50 + (uint64_t)round, &mesh, &x, &u));
    TX_TRY(steps(x, 1, u));
    TX_TRY(tx_exec_check(x, tx_exec_all(x), u, 0.0));
    TX_TRY(tx_field_checksum(u, &o->checksum[round]));
    TX_TRY(tx_ghosts_fill(x, u));
    TX_TRY(tx_exec_constraints(x, tx_exec_all(x), u, &(tx_norms_of){&BSSN, 1, &ball},
                               &o->norms[round]));
  }
  TX_TRY(tx_exec_algebraic(x, o->algebraic));
  TX_TRY(sample(x, u, o));
  tx_field_destroy(u);
  tx_exec_destroy(x);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  tx_initial_data_destroy(id);
  return TX_OK;
}

/* Run on a communicator of one rank with so many threads. */
static tx_status evolve_alone(int threads, outcome *o) {
  int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  tx_status status = evolve(MPI_COMM_SELF, o);
  omp_set_num_threads(before);
  return status;
}

static outcome together, alone, threaded;

static void ranks_and_threads_agree(void **state) {
  const tx_domain any = tx_test_domain(0);
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  assert_int_equal(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held), TX_OK);
  if (evolve(MPI_COMM_WORLD, &together) != TX_OK) fail_msg("%s", tx_error_text());
  if (rank == 0 && evolve_alone(1, &alone) != TX_OK) fail_msg("%s", tx_error_text());
  const bool threads_matter = tx_test_every(2) == 1;
  if (rank == 0 && threads_matter && evolve_alone(2, &threaded) != TX_OK)
    fail_msg("%s", tx_error_text());
  test_wait();
  MPI_Bcast(&alone, sizeof alone, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Bcast(&threaded, sizeof threaded, MPI_BYTE, 0, MPI_COMM_WORLD);
  tx_octree_destroy(held);
  assert_memory_equal(together.checksum, alone.checksum, sizeof alone.checksum);
  assert_memory_equal(&together, &alone, sizeof alone);
  if (threads_matter) assert_memory_equal(&threaded, &alone, sizeof alone);
  assert_true(alone.initial != alone.checksum[0] && alone.checksum[0] != alone.checksum[1]);
  assert_true(alone.algebraic[0] > 0.0 && alone.algebraic[0] < 1e-3);
  for (int c = 0; c < TX_CONSTRAINTS; c++) assert_true(alone.norms[ROUNDS - 1].l2[c] > 0.0);
}

static int run(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_and_threads_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
