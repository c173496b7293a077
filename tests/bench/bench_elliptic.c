/* Time of the Hamiltonian constraint of R1 (gr-qc/0602026) by multigrid, on levels 0 to 10 round both punctures
 * (fewer where few points are asked for).
 *
 * usage: [mpirun -n RANKS] bench_elliptic [POINTS [ORDER [TOLERANCE [REPEATS]]]]
 * About so many POINTS (1000000); differences of ORDER 2, 4 or 6 (6); TOLERANCE of the residual over that of u = 0 (1e-10); the
 * fastest of REPEATS (3) is shown, as one line of JSON. bench_elliptic.gpu runs on GPUs. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/timer.h"
#include "elliptic/internal.h"
#include "exec/backend.h"
#include "tests/support/backend.h"
#include "tests/support/elliptic.h"

static const tx_bowen_york holes = {.n = 2,
                                    .mass = {0.483, 0.483},
                                    .position = {{3.257, 0.0, 0.0}, {-3.257, 0.0, 0.0}},
                                    .momentum = {{0.0, 0.133, 0.0}, {0.0, -0.133, 0.0}}};

typedef struct options {
  double points, tolerance;
  int order, repeats;
} options;

typedef struct result {
  double setup_s, solve_s, bytes; /* bytes: over all ranks */
  int64_t points;
  tx_elliptic_history history; /* of the fastest solve */
} result;

static double over_ranks(double value, MPI_Op op) {
  double all = 0.0;
  MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return all;
}

static const tx_test_balls smallest_balls = {.domain = {.extent = 320.0, .trees = 1},
                                             .low = 1,
                                             .top = 10,
                                             .n = 2,
                                             .radius = 0.25,
                                             .centre = {{3.257, 0.0, 0.0}, {-3.257, 0.0, 0.0}}};

/* A forest with about so many points: the smallest balls about the punctures with fewer levels, or the first ones of growing
 * radius that are large enough. */
static tx_status make_forest(double points, tx_octree **tree, tx_mesh **mesh) {
  tx_test_balls balls = smallest_balls;
  for (bool less = true;;) {
    TX_TRY(tx_test_balls_create(MPI_COMM_WORLD, &balls, tree, mesh));
    const double now = (double)(*mesh)->n_global * TX_N3;
    less = less && now > points && balls.top > 4;
    if (!less && (now >= points || balls.radius > balls.domain.extent)) return TX_OK;
    if (less)
      balls.top--;
    else
      balls.radius *= 1.1;
    tx_mesh_destroy(*mesh);
    tx_octree_destroy(*tree);
    *mesh = NULL;
    *tree = NULL;
  }
}

/* From u = 0. */
static tx_status time_solve(tx_elliptic *e, const tx_elliptic_control *control, result *r) {
  tx_elliptic_history history = {.cycles = 0};
  for (int l = 0; l < e->n; l++) {
    tx_exec *x = e->level[l].x;
    TX_TRY(tx_exec_fill(x, tx_exec_all(x), 0.0, e->level[l].u));
    TX_TRY(tx_exec_wait(x));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = tx_now_s();
  TX_TRY(tx_elliptic_solve(e, control, &history));
  const double seconds = over_ranks(tx_now_s() - begin, MPI_MAX);
  if (r->solve_s > 0.0 && seconds >= r->solve_s) return TX_OK;
  r->solve_s = seconds;
  r->history = history;
  return TX_OK;
}

static tx_status measure(const tx_mesh *mesh, const options *o, result *r) {
  const tx_elliptic_equation equation = tx_test_hamiltonian(o->order);
  tx_elliptic_control control = tx_elliptic_control_default();
  tx_elliptic *e = NULL;
  control.tolerance = o->tolerance;
  const size_t before = tx_test_memory_in_use();
  const double begin = tx_now_s();
  TX_TRY(tx_elliptic_create(mesh, &equation, &e));
  tx_status status = tx_elliptic_give(e, 0, tx_test_puncture_a, &holes);
  TX_THEN(status, tx_elliptic_give(e, 1, tx_test_puncture_b, &holes));
  status = tx_agree(MPI_COMM_WORLD, status);
  r->setup_s = over_ranks(tx_now_s() - begin, MPI_MAX);
  for (int i = 0; i < o->repeats; i++) TX_THEN(status, time_solve(e, &control, r));
  r->points = tx_elliptic_points(e);
  r->bytes = over_ranks((double)(tx_test_memory_in_use() - before), MPI_SUM);
  tx_elliptic_destroy(e);
  return status;
}

static void show(const tx_mesh *mesh, const options *o, const result *r) {
  const tx_elliptic_residual *first = r->history.residual + 1,
                             *last = first - 1 + r->history.cycles;
  const double points = (double)r->points;
  if (mesh->rank != 0) return;
  printf(
      "{\"bench\": \"elliptic\", \"backend\": \"%s\", \"ranks\": %d, \"threads\": %d, \"N\": %d, "
      "\"order\": %d, \"tolerance\": %g, \"points\": %lld, \"octants\": %lld, \"levels\": %d, "
      "\"cycles\": %d, \"seconds\": %.4g, \"seconds_a_cycle\": %.4g, \"factor\": %.4g, "
      "\"unknowns_per_s\": %.4g, \"bytes_a_point\": %.4g, \"setup_s\": %.4g}\n",
      tx_exec_backend()->name, mesh->size, omp_get_max_threads(), TX_N, o->order, o->tolerance,
      (long long)r->points, (long long)mesh->n_global, mesh->level_highest + 1, r->history.cycles,
      r->solve_s, r->solve_s / r->history.cycles,
      pow(last->l2 / first->l2, 1.0 / (r->history.cycles - 1)), points / r->solve_s,
      r->bytes / points, r->setup_s);
}

static tx_status run(const options *o) {
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  result r = {.solve_s = 0.0};
  TX_REQUIRE(o->points > 0.0 && o->tolerance > 0.0 && o->repeats > 0, TX_ERR_USAGE,
             "points, tolerance and repeats must be above 0");
  TX_TRY(make_forest(o->points, &tree, &mesh));
  const tx_status status = measure(mesh, o, &r);
  if (status == TX_OK) show(mesh, o, &r);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  return status;
}

int main(int argc, char **argv) {
  const options o = {.points = argc > 1 ? atof(argv[1]) : 1e6,
                     .order = argc > 2 ? atoi(argv[2]) : 6,
                     .tolerance = argc > 3 ? atof(argv[3]) : 1e-10,
                     .repeats = argc > 4 ? atoi(argv[4]) : 3};
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  setenv("TENDEX_TEST_BACKEND", BENCH_BACKEND, 0);
  tx_status status = tx_agree(MPI_COMM_WORLD, tx_test_backend_start(MPI_COMM_WORLD));
  TX_THEN(status, run(&o));
  tx_error_print(MPI_COMM_WORLD, status);
  if (status != TX_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  tx_test_backend_stop();
  status = tx_base_finalize(MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
