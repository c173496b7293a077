/* The operator \Delta + q on a uniform periodic grid, applied without a matrix and as a sparse one by a library.
 *
 * usage: bench_operator [SIDE [ORDER [REPEATS]]]
 * SIDE^3 points (64), a power of 2 from 2 TX_N on; differences of ORDER 2, 4 or 6 (6); batches of REPEATS products (20). One line
 * of JSON for each numbering of the matrix's rows: `octants`, as the grid has its points, and `lines`, along x, y, z. One rank.
 * bench_operator.gpu runs on a GPU, with cuSPARSE; bench_operator has a loop in its place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/memory.h"
#include "base/timer.h"
#include "exec/backend.h"
#include "exec/multigrid.h"
#include "physics/laplace_point.h"
#include "tests/bench/sparse.h"
#include "tests/support/backend.h"

enum { BATCHES = 3 };
enum { U, Q, F, R, FIELDS };

typedef struct options {
  int side, order, repeats;
} options;

/* The grid with its fields; place[]: octant at each position, x fastest. */
typedef struct grid {
  int side, across; /* points and octants a dimension */
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x;
  tx_field *field[FIELDS];
  tx_lidx *place;
  double bytes, applied_s, alone_s; /* of all that is there; with ghosts, and without them */
} grid;

/* Numbers without a pattern, in [-1, 1). */
static double noise(uint64_t i) {
  uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)(z >> 11) * 0x1p-52 - 1.0;
}

/* Number of the point at (x, y, z), x fastest: in the periodic box any number of sides from it. */
static int64_t line_number(const grid *g, int x, int y, int z) {
  const int n = g->side;
  return (x + n) % n + (int64_t)n * ((y + n) % n + (int64_t)n * ((z + n) % n));
}

static int64_t octant_number(const grid *g, int64_t line) {
  const int n = g->side;
  const int x[3] = {(int)(line % n), (int)(line / n % n), (int)(line / n / n)};
  const int64_t at =
      x[0] / TX_N + (int64_t)g->across * (x[1] / TX_N + (int64_t)g->across * (x[2] / TX_N));
  return (int64_t)g->place[at] * TX_N3 + x[0] % TX_N + TX_N * (x[1] % TX_N + TX_N * (x[2] % TX_N));
}

static double u_at(int64_t line) {
  return noise(2 * (uint64_t)line);
}
static double q_at(int64_t line) {
  return -50.0 * (1.0 + noise(2 * (uint64_t)line + 1));
}

static tx_status put_values(grid *g, int field, double (*value)(int64_t)) {
  double octant[TX_N3];
  for (tx_lidx b = 0; b < g->mesh->n_local; b++) {
    const int32_t *x = g->mesh->octant[b].x;
    for (int i = 0; i < TX_N3; i++)
      octant[i] = value(line_number(g, x[0] * TX_N + i % TX_N, x[1] * TX_N + i / TX_N % TX_N,
                                    x[2] * TX_N + i / (TX_N * TX_N)));
    TX_TRY(tx_field_put(g->field[field], b, 1, octant));
  }
  return TX_OK;
}

static tx_status create(const options *o, grid *g) {
  const tx_domain box = {.extent = 1.0,
                         .low = {TX_FACE_PERIODIC, TX_FACE_PERIODIC, TX_FACE_PERIODIC},
                         .high = {TX_FACE_PERIODIC, TX_FACE_PERIODIC, TX_FACE_PERIODIC}};
  const double before = (double)tx_test_memory_in_use();
  int level = 0;
  while (2 * TX_N << level < o->side) level++;
  TX_REQUIRE(2 * TX_N << level == o->side && o->side <= 256 && o->repeats > 0, TX_ERR_USAGE,
             "%d points a side, %d repeats; give a power of 2 from %d to 256, and 1 or more",
             o->side, o->repeats, 2 * TX_N);
  g->side = o->side;
  g->across = o->side / TX_N;
  TX_TRY(tx_octree_create(MPI_COMM_WORLD, &box, level, &g->tree));
  TX_TRY(tx_mesh_create(g->tree, &g->mesh));
  TX_REQUIRE(g->mesh->size == 1, TX_ERR_USAGE, "bench_operator runs on one rank, not %d",
             g->mesh->size);
  TX_TRY(tx_exec_create(g->mesh, 1, &g->x));
  for (int i = 0; i < FIELDS; i++) TX_TRY(tx_field_create(g->x, 1, NULL, &g->field[i]));
  g->bytes = (double)tx_test_memory_in_use() - before;
  TX_TRY(tx_alloc((size_t)g->mesh->n_local, sizeof *g->place, "bench", &g->place));
  for (tx_lidx b = 0; b < g->mesh->n_local; b++) {
    const int32_t *x = g->mesh->octant[b].x;
    g->place[x[0] + (int64_t)g->across * (x[1] + (int64_t)g->across * x[2])] = b;
  }
  return TX_OK;
}

static void destroy(grid *g) {
  tx_free(g->place);
  for (int i = 0; i < FIELDS; i++) tx_field_destroy(g->field[i]);
  tx_exec_destroy(g->x);
  tx_mesh_destroy(g->mesh);
  tx_octree_destroy(g->tree);
}

/* Seconds of F - (\Delta + q) u with F = 0, to R: the fastest batch. */
static tx_status time_operator(const options *o, bool ghosts, grid *g, double *seconds) {
  const tx_helmholtz equation = {o->order, g->field[Q], g->field[F]};
  *seconds = INFINITY;
  for (int b = 0; b <= BATCHES; b++) { /* the first one warms up */
    TX_TRY(tx_exec_wait(g->x));
    const double begin = tx_now_s();
    for (int i = 0; i < o->repeats; i++) {
      if (ghosts) TX_TRY(tx_ghosts_fill(g->x, g->field[U]));
      TX_TRY(tx_exec_residual(g->x, tx_exec_all(g->x), &equation, g->field[U], NULL, g->field[R]));
    }
    TX_TRY(tx_exec_wait(g->x));
    if (b > 0) *seconds = fmin(*seconds, (tx_now_s() - begin) / o->repeats);
  }
  return TX_OK;
}

/* Number of the row of a point. */
typedef int64_t (*numbering)(const grid *g, int64_t line);

static int64_t as_lines(const grid *g, int64_t line) {
  (void)g;
  return line;
}

/* The points of a row's star in the order of their columns. */
static void add_entry(tx_csr *a, int32_t first, int32_t *n, int64_t column, double value) {
  int32_t k = first + (*n)++;
  for (; k > first && a->column[k - 1] > column; k--) {
    a->column[k] = a->column[k - 1];
    a->value[k] = a->value[k - 1];
  }
  a->column[k] = (int32_t)column;
  a->value[k] = value;
}

static void make_row(const grid *g, int order, numbering number, int64_t line, tx_csr *a) {
  const double h = 2.0 / g->side, per_h2 = 1.0 / (h * h);
  const tx_laplace_weights weights = tx_laplace_weights_make(order);
  const double *w = weights.w;
  const int n = g->side;
  const int x = (int)(line % n), y = (int)(line / n % n), z = (int)(line / n / n);
  const int64_t row = number(g, line);
  const int32_t first = (int32_t)row * (1 + 3 * order);
  int32_t used = 0;
  a->start[row] = first;
  add_entry(a, first, &used, row, 3.0 * w[0] * per_h2 + q_at(line));
  for (int m = -order / 2; m <= order / 2; m++) {
    if (m == 0) continue;
    const double value = w[abs(m)] * per_h2;
    add_entry(a, first, &used, number(g, line_number(g, x + m, y, z)), value);
    add_entry(a, first, &used, number(g, line_number(g, x, y + m, z)), value);
    add_entry(a, first, &used, number(g, line_number(g, x, y, z + m)), value);
  }
}

static tx_status make_matrix(const grid *g, int order, numbering number, double *u, tx_csr *a) {
  const int64_t rows = (int64_t)g->side * g->side * g->side;
  a->rows = (int32_t)rows;
  a->entries = a->rows * (1 + 3 * order);
  TX_TRY(tx_alloc((size_t)rows + 1, sizeof *a->start, "matrix", &a->start));
  TX_TRY(tx_alloc_raw((size_t)a->entries, sizeof *a->column, "matrix", &a->column));
  TX_TRY(tx_alloc_raw((size_t)a->entries, sizeof *a->value, "matrix", &a->value));
  a->start[rows] = a->entries;
#pragma omp parallel for schedule(static)
  for (int64_t line = 0; line < rows; line++) {
    make_row(g, order, number, line, a);
    u[number(g, line)] = u_at(line);
  }
  return TX_OK;
}

/* Largest difference of the matrix's product y and -R, over the largest value of y. */
static tx_status compare(const grid *g, numbering number, const double *y, double *difference) {
  double most[2] = {0.0, 0.0};
  for (tx_lidx b = 0; b < g->mesh->n_local; b++) {
    const int32_t *x = g->mesh->octant[b].x;
    const double *r;
    TX_TRY(tx_field_view(g->field[R], b, &r));
    for (int i = 0; i < TX_N3; i++) {
      const int64_t line = line_number(g, x[0] * TX_N + i % TX_N, x[1] * TX_N + i / TX_N % TX_N,
                                       x[2] * TX_N + i / (TX_N * TX_N));
      const double product = y[number(g, line)];
      most[0] = fmax(most[0], fabs(product + r[i]));
      most[1] = fmax(most[1], fabs(product));
    }
  }
  *difference = most[0] / most[1];
  return TX_OK;
}

static void show(const options *o, const grid *g, const char *rows, const tx_csr *a,
                 const tx_csr_time *t, double difference) {
  printf("{\"bench\": \"operator\", \"backend\": \"%s\", \"N\": %d, \"side\": %d, \"order\": %d, "
         "\"points\": %d, \"seconds\": %.4g, \"seconds_without_ghosts\": %.4g, \"bytes\": %.6g, "
         "\"matrix\": \"%s\", \"rows\": \"%s\", \"entries\": %d, \"matrix_seconds\": %.4g, "
         "\"matrix_bytes\": %.6g, \"faster\": %.3g, \"smaller\": %.3g, \"difference\": %.2g}\n",
         tx_exec_backend()->name, TX_N, o->side, o->order, a->rows, g->applied_s, g->alone_s,
         g->bytes, t->means, rows, a->entries, t->seconds, t->bytes, t->seconds / g->applied_s,
         t->bytes / g->bytes, difference);
}

static tx_status time_matrix(const options *o, const grid *g, const char *rows, numbering number) {
  const size_t side = (size_t)g->side, n = side * side * side;
  tx_csr a = {.rows = 0};
  tx_csr_time time;
  double *u = NULL, *y = NULL, difference;
  tx_status status = tx_alloc(n, sizeof *u, "vectors", &u);
  TX_THEN(status, tx_alloc(n, sizeof *y, "vectors", &y));
  TX_THEN(status, make_matrix(g, o->order, number, u, &a));
  TX_THEN(status, tx_csr_multiply(&a, u, y, o->repeats, &time));
  TX_THEN(status, compare(g, number, y, &difference));
  if (status == TX_OK) show(o, g, rows, &a, &time, difference);
  tx_free(a.start);
  tx_free(a.column);
  tx_free(a.value);
  tx_free(u);
  tx_free(y);
  return status;
}

static tx_status run(const options *o) {
  grid g = {.side = 0};
  tx_status status = create(o, &g);
  TX_THEN(status, put_values(&g, U, u_at));
  TX_THEN(status, put_values(&g, Q, q_at));
  TX_THEN(status, time_operator(o, true, &g, &g.applied_s));
  TX_THEN(status, time_operator(o, false, &g, &g.alone_s));
  TX_THEN(status, time_matrix(o, &g, "octants", octant_number));
  TX_THEN(status, time_matrix(o, &g, "lines", as_lines));
  destroy(&g);
  return status;
}

int main(int argc, char **argv) {
  const options o = {.side = argc > 1 ? atoi(argv[1]) : 64,
                     .order = argc > 2 ? atoi(argv[2]) : 6,
                     .repeats = argc > 3 ? atoi(argv[3]) : 20};
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
