/* A refined binary that regrids: GPU and CPU agree to round-off, and so do the ways on from each other's
 * checkpoints. */
#include "restart/scratch.h"

#include <limits.h>
#include <math.h>
#include "base/schemes.h"
#include "checkpoint/checkpoint.h"
#include "cuda/cuda.h"
#include "physics/bssn.h"
#include "tests/support/octree_checks.h"

enum {
  STEPS = 8,
  FIRST_REGRID = 3,
  SECOND_REGRID = 6,
  CHECKPOINT = 2,
  LATER = 5,
  /* Macro steps, of four each. */
  MACRO_STEPS = 3,
  MACRO_CHECKPOINT = 2
};
#define TOLERANCE 1e-12 /* of each variable's largest magnitude */

/* What computes. */
typedef enum place { ON_CPU, ON_GPU, PLACES } place;

/* Numbers of a run beside its fields. */
typedef struct numbers {
  uint64_t state, mesh;
  double punctures[2][3], algebraic[2];
  tx_norms norms;
} numbers;

/* Of the time steps of all runs. */
static tx_time_steps time_steps = TX_STEPS_GLOBAL;
static tx_evolved evolved = TX_EVOLVED_BSSN;
static int order = 2 * TX_K, dissipation = 2 * TX_K - 1;
static bool upwinded;

/* Plans from now on are made there. */
static void compute_on(place where) {
  tx_exec_use(where == ON_CPU ? &tx_backend_cpu : &tx_backend_cuda);
}

static void small_binary(tx_params *p) {
  binary(p);
  p->grid_extent = 8.0;
  p->grid_level_max = 3;
  p->grid_bhN_level[1] = 2;
  p->grid_bh_radius = 0.4;
  p->grid_ball_level = 2;
  p->grid_ball_radius = 2.0;
  p->grid_ball_growth = 2.0;
  p->evolution_dissipation_outside = 1.5;
  p->evolution_time_steps = time_steps;
  p->evolution_system = evolved;
  p->evolution_order = order;
  p->evolution_dissipation_order = dissipation;
  p->evolution_advection = upwinded ? TX_ADVECTION_UPWINDED : TX_ADVECTION_CENTRED;
  if (evolved == TX_EVOLVED_BSSN && time_steps == TX_STEPS_LEVELS) {
    p->evolution_hamiltonian_damping = 0.05;
    p->evolution_dissipation_by_W = true;
  }
  if (evolved == TX_EVOLVED_Z4C) p->gauge_lambda_f0 = 4.0 / 3.0;
  p->evolution_macro_step = 100.0;
}

/* Steps first .. last-1, macro steps where levels take their own, with the regrids that fall among them; before each
 * the refined balls change. */
static void advance(tx_sim *sim, tx_params *p, int first, int last) {
  const int first_regrid = time_steps == TX_STEPS_LEVELS ? 1 : FIRST_REGRID;
  for (int step = first; step < last; step++) {
    bool changed = true;
    if (step == first_regrid || step == SECOND_REGRID) {
      p->grid_bh_radius = step == first_regrid ? 1.5 : 0.2;
      OK(tx_ghosts_fill(sim->exec, sim->u));
      OK(tx_sim_regrid(sim, &changed));
    }
    assert_true(changed);
    OK(tx_sim_step(sim));
  }
}

static void look(tx_sim *sim, numbers *out) {
  const tx_ball ball = {.centre = {1.25, 0.0, 0.0}, .radius = 0.5};
  memset(out, 0, sizeof *out);
  OK(tx_sim_algebraic(sim));
  OK(tx_field_checksum(sim->u, &out->state));
  OK(tx_test_mesh_checksum(sim->mesh, &out->mesh));
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_exec_constraints(sim->exec, tx_exec_all(sim->exec), sim->u,
                         &(tx_norms_of){&sim->physics, 1, &ball}, &out->norms));
  memcpy(out->algebraic, sim->algebraic, sizeof out->algebraic);
  for (int a = 0; a < 2; a++) memcpy(out->punctures[a], sim->tracker.at[a].x, sizeof(double[3]));
}

/* All values of this rank, owned by the caller; *n of them. */
static double *values_of(const tx_sim *sim, size_t *n) {
  const size_t octant = (size_t)sim->system->n_vars * TX_N3;
  *n = (size_t)sim->mesh->n_local * octant;
  double *all = test_malloc(*n * sizeof *all + 1);
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double *u = NULL;
    OK(tx_field_view(sim->u, b, &u));
    memcpy(all + (size_t)b * octant, u, octant * sizeof *all);
  }
  return all;
}

/* Largest deviation of two runs, of the largest magnitude of the same variable; all ranks. */
static double deviation(const double *a, const double *b, size_t n) {
  const tx_system *system = tx_system_numbered(evolved);
  double most[TX_SYSTEM_VARS] = {0.0}, off[TX_SYSTEM_VARS] = {0.0}, worst = 0.0;
  for (size_t i = 0; i < n; i++) {
    const size_t v = i / TX_N3 % (size_t)system->n_vars;
    const double d = fabs(a[i] - b[i]);
    most[v] = fmax(most[v], fabs(a[i]));
    if (!(d <= off[v])) off[v] = d;
  }
  MPI_Allreduce(MPI_IN_PLACE, most, TX_SYSTEM_VARS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, off, TX_SYSTEM_VARS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int v = 0; v < system->n_vars; v++) {
    const double relative = off[v] == 0.0 ? 0.0 : off[v] / most[v];
    if (!(relative <= worst)) worst = relative;
    if (!(relative <= TOLERANCE) && world_rank() == 0)
      print_error("%s: off by %.2e, largest %.3g\n", system->variable[v].name, off[v], most[v]);
  }
  return worst;
}

/* What a run leaves on its way: a checkpoint after some steps, its fields some steps later. */
typedef struct passage {
  int checkpoint, later;
  char folder[64];
  uint64_t written;
  double *values;
  size_t n;
} passage;

/* A run from the start to step `last`, by way of a passage or without (NULL). */
static tx_sim *run_on(place where, tx_params *p, passage *way, int last) {
  tx_sim *sim = NULL;
  compute_on(where);
  small_binary(p);
  OK(tx_sim_create(MPI_COMM_WORLD, p, &sim));
  if (way) {
    advance(sim, p, 0, way->checkpoint);
    scratch_make(way->folder);
    OK(tx_checkpoint_write(way->folder, 1, sim, NULL));
    OK(tx_field_checksum(sim->u, &way->written));
    advance(sim, p, way->checkpoint, way->later);
    way->values = values_of(sim, &way->n);
  }
  advance(sim, p, way ? way->later : 0, last);
  return sim;
}

static void assert_agree(const double *a, size_t n_a, const double *b, size_t n_b,
                         const char *what) {
  assert_int_equal(n_a, n_b);
  const double worst = deviation(a, b, n_a);
  if (world_rank() == 0) print_message("%s: %.2e of the largest magnitude\n", what, worst);
  assert_true(worst <= TOLERANCE);
}

static void assert_close(const numbers *a, const numbers *b) {
  assert_true(a->mesh == b->mesh);
  for (int i = 0; i < 6; i++)
    assert_true(fabs(a->punctures[i / 3][i % 3] - b->punctures[i / 3][i % 3]) < 1e-13);
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    assert_true(fabs(a->norms.l2[c] - b->norms.l2[c]) <= 1e-9 * a->norms.l2[c]);
    assert_true(fabs(a->norms.max[c] - b->norms.max[c]) <= 1e-9 * a->norms.max[c]);
  }
}

/* Compare runs on the CPU and on the GPU, each by way of its passage, if it has one (`ways` NULL: none has). */
static void agree(passage *const *ways, int steps, int regrids, const char *what) {
  double *values[PLACES];
  size_t n[PLACES];
  numbers end[PLACES];
  for (int w = 0; w < PLACES; w++) {
    tx_params p;
    tx_sim *sim = run_on((place)w, &p, ways ? ways[w] : NULL, steps);
    assert_int_equal(sim->regrids, regrids);
    values[w] = values_of(sim, &n[w]);
    look(sim, &end[w]);
    tx_sim_destroy(sim);
  }
  assert_agree(values[ON_CPU], n[ON_CPU], values[ON_GPU], n[ON_GPU], what);
  assert_close(&end[ON_CPU], &end[ON_GPU]);
  assert_true(end[ON_CPU].algebraic[0] > 0.0 && end[ON_CPU].norms.l2[TX_CONSTRAINT_H] > 0.0);
  for (int w = 0; w < PLACES; w++) test_free(values[w]);
}

/* From the checkpoint of a passage, written elsewhere: the same bits; then the same steps. Frees what the passage has. */
static void go_on_from(passage *way, place reader, const char *what) {
  char path[PATH_MAX];
  int skipped = 0;
  uint64_t read = 0;
  size_t n;
  tx_params p;
  tx_sim *sim = NULL;
  compute_on(reader);
  small_binary(&p);
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, way->folder, path, sizeof path, &skipped));
  OK(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &sim));
  OK(tx_field_checksum(sim->u, &read));
  assert_true(read == way->written);
  advance(sim, &p, way->checkpoint, way->later);
  double *values = values_of(sim, &n);
  tx_sim_destroy(sim);
  assert_agree(way->values, way->n, values, n, what);
  test_free(way->values);
  test_free(values);
  scratch_remove(way->folder);
}

static void cpu_and_gpu_agree(void **state) {
  passage of_cpu = {.checkpoint = CHECKPOINT, .later = LATER}, of_gpu = of_cpu;
  passage *const ways[PLACES] = {&of_cpu, &of_gpu};
  agree(ways, STEPS, 2, "8 steps, 2 regrids");
  go_on_from(&of_cpu, ON_GPU, "from the CPU's checkpoint");
  go_on_from(&of_gpu, ON_CPU, "from the GPU's checkpoint");
}

static void levels_agree(void **state) {
  passage of_gpu = {.checkpoint = MACRO_CHECKPOINT, .later = MACRO_STEPS};
  passage *const ways[PLACES] = {NULL, &of_gpu};
  time_steps = TX_STEPS_LEVELS;
  agree(ways, MACRO_STEPS, 1, "3 macro steps, 1 regrid");
  go_on_from(&of_gpu, ON_CPU, "from the GPU's checkpoint, steps of levels");
  time_steps = TX_STEPS_GLOBAL;
}

static void z4c_agrees(void **state) {
  evolved = TX_EVOLVED_Z4C;
  time_steps = TX_STEPS_LEVELS;
  agree(NULL, MACRO_CHECKPOINT, 1, "Z4c, 2 macro steps, 1 regrid");
  time_steps = TX_STEPS_GLOBAL;
  evolved = TX_EVOLVED_BSSN;
}

/* Every scheme but the usual one. */
static void schemes_agree(void **state) {
#define AGREE(a, suffix, is, up, half)                                                             \
  order = is;                                                                                      \
  dissipation = 2 * (half)-1;                                                                      \
  upwinded = up;                                                                                   \
  if (order != 2 * TX_K) agree(NULL, FIRST_REGRID, 0, "3 steps with another scheme");
  TX_SCHEMES(AGREE, )
  order = 2 * TX_K;
  dissipation = 2 * TX_K - 1;
  upwinded = false;
}

static int agreement_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cpu_and_gpu_agree),
      cmocka_unit_test(levels_agree),
      cmocka_unit_test(z4c_agrees),
      cmocka_unit_test(schemes_agree),
  };
  if (!tx_test_on_gpu()) {
    print_error("TENDEX_TEST_BACKEND must be cuda\n");
    return 1;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_MAIN_WITH(agreement_tests())
