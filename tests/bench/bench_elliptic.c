/* Time of the Hamiltonian constraint of R1 (gr-qc/0602026) on a few levels round both punctures, or of Poisson's equation in a
 * uniform periodic box.
 *
 * usage: [mpirun -n RANKS] bench_elliptic [GRID [ORDER [TOLERANCE [REPEATS [METHOD [VARIANTS]]]]]]
 * GRID: about so many points (1000000), on levels 0 to 10, or fewer where few points are asked for; `levels:TOP`, levels 0 to TOP
 * with the fewest octants; `box:SIDE`, the box with SIDE^3 points. Differences of ORDER 2, 4 or 6 (6); TOLERANCE of the residual
 * over that of u = 0 (1e-10); the fastest of REPEATS (3) is shown, as one line of JSON. METHOD: multigrid (which is meant if none
 * is given), fgmres, cg (in the box alone), relaxation. `reached` lists when the residual first was 1e-2, 1e-4 ... or less: that
 * number, steps, evaluations a point, seconds. VARIANTS, separated by commas, are measured in turns and have a line each: double
 * (which is meant if none is given); mixed, cycles in single precision; on GPUs unfused, double without fused multiply-adds in
 * relaxations and residuals; mixed_unfused. bench_elliptic.gpu runs on GPUs. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* What is solved: the box, if it has a side; the levels, if there is a finest one; or so many points. */
#define MOST_VARIANTS 8
typedef struct variant {
  const char *word;
  tx_precision precision;
  bool unfused;
} variant;

typedef struct options {
  double points, tolerance;
  int side, top, order, repeats;
  const char *method;
  int n_variants;
  const variant *variant[MOST_VARIANTS];
} options;

typedef struct result {
  double setup_s, solve_s, bytes; /* bytes: over all ranks */
  double processor_s;             /* of the solve, over all ranks and threads */
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
static tx_status make_points(double points, tx_octree **tree, tx_mesh **mesh) {
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

static tx_status make_box(int side, tx_octree **tree, tx_mesh **mesh) {
  tx_domain box = {.extent = 1.0};
  int level = 0;
  for (int d = 0; d < 3; d++) box.low[d] = box.high[d] = TX_FACE_PERIODIC;
  while (2 * TX_N << level < side && level < 10) level++;
  TX_REQUIRE(2 * TX_N << level == side, TX_ERR_USAGE,
             "a box with %d points a side; give a power of 2 from %d on", side, 2 * TX_N);
  TX_TRY(tx_octree_create(MPI_COMM_WORLD, &box, level, tree));
  return tx_mesh_create(*tree, mesh);
}

static tx_status make_forest(const options *o, tx_octree **tree, tx_mesh **mesh) {
  tx_test_balls balls = smallest_balls;
  if (o->side > 0) return make_box(o->side, tree, mesh);
  if (o->top == 0) return make_points(o->points, tree, mesh);
  balls.radius *= pow(2.0, balls.top - o->top); /* as many octants a level */
  balls.top = o->top;
  return tx_test_balls_create(MPI_COMM_WORLD, &balls, tree, mesh);
}

/* Waves in the box, of zero mean, as \Delta u must be. */
static double wave(const void *unused, const double x[3]) {
  const double k = 3.14159265358979323846;
  return sin(k * x[0]) * exp(2.0 * (cos(k * x[0]) + sin(k * x[1]) + cos(k * x[2] + 0.3)));
}

static tx_status read_method(const options *o, tx_elliptic_control *c) {
  static const struct {
    const char *word;
    tx_elliptic_method method;
  } known[] = {{"multigrid", TX_ELLIPTIC_MULTIGRID},
               {"fgmres", TX_ELLIPTIC_KRYLOV},
               {"relaxation", TX_ELLIPTIC_RELAXATION}};
  *c = tx_elliptic_control_default();
  c->tolerance = o->tolerance;
  c->steps = 1000000;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    c->method = known[i].method;
    if (strcmp(o->method, known[i].word) == 0) return TX_OK;
  }
  TX_FAIL(TX_ERR_USAGE, "method %s; there are multigrid, fgmres and relaxation", o->method);
}

/* What computes without fused multiply-adds; NULL: nothing here. */
#ifdef BENCH_UNFUSED
const tx_backend *bench_backend_unfused(void);
#else
static const tx_backend *bench_backend_unfused(void) {
  return NULL;
}
#endif

static tx_status read_variants(const char *list, options *o) {
  static const variant known[] = {{"double", TX_PRECISION_DOUBLE, false},
                                  {"mixed", TX_PRECISION_MIXED, false},
                                  {"unfused", TX_PRECISION_DOUBLE, true},
                                  {"mixed_unfused", TX_PRECISION_MIXED, true}};
  for (const char *word = list; *word;) {
    const size_t n = strcspn(word, ",");
    const variant *found = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
      if (strlen(known[i].word) == n && strncmp(word, known[i].word, n) == 0) found = &known[i];
    TX_REQUIRE(found && o->n_variants < MOST_VARIANTS, TX_ERR_USAGE,
               "variants %s; there are double, mixed, unfused and mixed_unfused", list);
    TX_REQUIRE(!found->unfused || bench_backend_unfused(), TX_ERR_USAGE,
               "variant %s is for GPUs: take bench_elliptic.gpu", found->word);
    o->variant[o->n_variants++] = found;
    word += n + (word[n] == ',');
  }
  return TX_OK;
}

/* Equation and coefficients. */
static tx_status create(const tx_mesh *mesh, const options *o, tx_elliptic **e) {
  const tx_elliptic_equation poisson = {.order = o->order, .falloff = 1.0};
  const tx_elliptic_equation hamiltonian = tx_test_hamiltonian(o->order);
  TX_TRY(tx_elliptic_create(mesh, o->side > 0 ? &poisson : &hamiltonian, e));
  tx_status status = TX_OK;
  if (o->side > 0) {
    status = tx_elliptic_give(*e, TX_ELLIPTIC_F, wave, NULL);
  } else {
    status = tx_elliptic_give(*e, 0, tx_test_puncture_a, &holes);
    TX_THEN(status, tx_elliptic_give(*e, 1, tx_test_puncture_b, &holes));
  }
  return tx_agree(MPI_COMM_WORLD, status);
}

static double seconds_used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
  const double begin = tx_now_s(), used = seconds_used();
  TX_TRY(tx_elliptic_solve(e, control, &history));
  const double seconds = over_ranks(tx_now_s() - begin, MPI_MAX);
  const double processor = over_ranks(seconds_used() - used, MPI_SUM);
  if (r->solve_s > 0.0 && seconds >= r->solve_s) return TX_OK;
  r->solve_s = seconds;
  r->processor_s = processor;
  r->history = history;
  return TX_OK;
}

static void compute_by(tx_elliptic *e, const tx_backend *backend) {
  for (int l = 0; l < e->n; l++) e->level[l].x->backend = backend;
}

/* before: bytes in use without e. */
static tx_status time_variant(tx_elliptic *e, const variant *v, tx_elliptic_control control,
                              size_t before, result *r) {
  const tx_backend *backend = e->level[0].x->backend;
  control.precision = v->precision;
  if (v->unfused) compute_by(e, bench_backend_unfused());
  const tx_status status = time_solve(e, &control, r);
  compute_by(e, backend);
  if (v->precision == TX_PRECISION_MIXED)
    r->bytes = over_ranks((double)(tx_test_memory_in_use() - before), MPI_SUM);
  r->points = e->points;
  return status;
}

/* r: of each variant; fields of single precision are there from the first mixed one on. */
static tx_status measure(const tx_mesh *mesh, const options *o, result *r) {
  tx_elliptic_control control;
  tx_elliptic *e = NULL;
  const size_t before = tx_test_memory_in_use();
  const double begin = tx_now_s();
  TX_TRY(read_method(o, &control));
  tx_status status = create(mesh, o, &e);
  const double setup_s = over_ranks(tx_now_s() - begin, MPI_MAX);
  const double bytes = over_ranks((double)(tx_test_memory_in_use() - before), MPI_SUM);
  for (int n = 0; n < o->n_variants; n++) {
    r[n].setup_s = setup_s;
    r[n].bytes = bytes;
  }
  for (int i = 0; i < o->repeats; i++)
    for (int n = 0; n < o->n_variants; n++)
      TX_THEN(status, time_variant(e, o->variant[n], control, before, &r[n]));
  tx_elliptic_destroy(e);
  return status;
}

/* When the residual first was within 1e-2, 1e-4 ... of that of u = 0. */
static void show_reached(const tx_elliptic_history *h) {
  const char *between = "";
  int i = 0;
  for (int power = 2; power <= 14; power += 2) {
    while (i <= h->cycles && h->residual[i].l2 > pow(10.0, -power) * h->scale) i++;
    if (i > h->cycles) return;
    printf("%s[1e-%d, %d, %.2f, %.4g]", between, power, h->residual[i].step,
           h->residual[i].evaluations, h->residual[i].time_s);
    between = ", ";
  }
}

static void show(const tx_mesh *mesh, const options *o, const variant *v, const result *r) {
  const tx_elliptic_history *h = &r->history;
  const tx_elliptic_residual *first = h->residual + 1, *last = h->residual + h->cycles;
  const double points = (double)r->points;
  if (mesh->rank != 0) return;
  printf(
      "{\"bench\": \"elliptic\", \"backend\": \"%s\", \"ranks\": %d, \"threads\": %d, \"N\": %d, "
      "\"grid\": \"%s\", \"method\": \"%s\", \"precision\": \"%s\", \"fused\": %s, "
      "\"order\": %d, \"tolerance\": %g, \"points\": %lld, \"octants\": %lld, \"levels\": %d, "
      "\"cycles\": %d, \"seconds\": %.4g, \"seconds_a_cycle\": %.4g, \"factor\": %.4g, "
      "\"unknowns_per_s\": %.4g, \"bytes_a_point\": %.4g, \"setup_s\": %.4g, \"newton\": %d, "
      "\"evaluations\": %.2f, \"processor_s\": %.4g, \"reached\": [",
      tx_exec_backend()->name, mesh->size, omp_get_max_threads(), TX_N,
      o->side > 0  ? "box"
      : o->top > 0 ? "punctures"
                   : "points",
      o->method, v->precision == TX_PRECISION_MIXED ? "mixed" : "double",
      v->unfused ? "false" : "true", o->order, o->tolerance, (long long)r->points,
      (long long)mesh->n_global, mesh->level_highest + 1, last->step, r->solve_s,
      r->solve_s / last->step, pow(last->l2 / first->l2, 1.0 / (last->step - first->step)),
      points / r->solve_s, r->bytes / points, r->setup_s, h->newton, last->evaluations,
      r->processor_s);
  show_reached(h);
  printf("]}\n");
}

static tx_status run(const options *o) {
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  static result r[MOST_VARIANTS];
  TX_REQUIRE(o->points > 0.0 || o->side > 0 || o->top > 0, TX_ERR_USAGE,
             "give a number of points, levels:TOP or box:SIDE, all above 0");
  TX_REQUIRE(o->tolerance > 0.0 && o->repeats > 0, TX_ERR_USAGE,
             "tolerance and repeats must be above 0");
  tx_status status = make_forest(o, &tree, &mesh);
  TX_THEN(status, measure(mesh, o, r));
  for (int n = 0; n < o->n_variants && status == TX_OK; n++) show(mesh, o, o->variant[n], &r[n]);
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
  return status;
}

int main(int argc, char **argv) {
  const char *grid = argc > 1 ? argv[1] : "1e6";
  options o = {.points = atof(grid),
               .side = strncmp(grid, "box:", 4) == 0 ? atoi(grid + 4) : 0,
               .top = strncmp(grid, "levels:", 7) == 0 ? atoi(grid + 7) : 0,
               .order = argc > 2 ? atoi(argv[2]) : 6,
               .tolerance = argc > 3 ? atof(argv[3]) : 1e-10,
               .repeats = argc > 4 ? atoi(argv[4]) : 3,
               .method = argc > 5 ? argv[5] : "multigrid"};
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  setenv("TENDEX_TEST_BACKEND", BENCH_BACKEND, 0);
  tx_status status = tx_agree(MPI_COMM_WORLD, tx_test_backend_start(MPI_COMM_WORLD));
  TX_THEN(status, read_variants(argc > 6 ? argv[6] : "double", &o));
  TX_THEN(status, run(&o));
  tx_error_print(MPI_COMM_WORLD, status);
  if (status != TX_OK) MPI_Abort(MPI_COMM_WORLD, 1);
  tx_test_backend_stop();
  status = tx_base_finalize(MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
