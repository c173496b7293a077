/* The wave equation, a system without lapse, shift and metric, goes through all that the program's
 * own do: steps of levels and one step for all, refinement, checkpoints, output, on CPUs and GPUs. */
#include "support/main.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "checkpoint/checkpoint.h"
#include "evolve/sim.h"
#include "exec/backend.h"
#include "horizons/horizon.h"
#include "observe/observer.h"
#include "output/output.h"
#include "physics/bssn.h"
#include "systems/start.h"

#define PI 3.14159265358979323846

extern const tx_system tx_scalar_wave;

enum { WAVE_U, WAVE_V };

/* A periodic box of side 8 M, refined by one level around its middle. */
static void box(tx_params *p, int level, int time_steps) {
  tx_test_params_default(p);
  p->run_t_end = 100.0;
  p->evolution_system = TX_EVOLVED_SCALAR_WAVE;
  p->evolution_time_steps = time_steps;
  p->evolution_dissipation = 0.1;
  p->grid_extent = 4.0;
  p->grid_periodic = TX_DIMS_XYZ;
  p->grid_level_min = level;
  p->grid_level_max = level + 1;
  p->grid_ball_radius = 1.0;
  p->grid_ball_level = level + 1;
  p->initial_data_type = TX_ID_MINKOWSKI;
}

/* A plane wave along (1, 1, 0), one wavelength across the box in each. */
static double exact(int v, double t, const double x[3]) {
  const double k = 2.0 * PI / 8.0, w = sqrt(2.0) * k, phase = k * (x[0] + x[1]) - w * t;
  return v == WAVE_U ? sin(phase) : -w * cos(phase);
}

/* Its largest difference from the state, of all ranks. */
static double error_of(tx_sim *sim) {
  double worst = 0.0;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level), *u = NULL;
    double x0[3];
    tx_mesh_origin(sim->mesh, b, x0);
    OK(tx_field_view(sim->u, b, &u));
    for (int i = 0; i < 2 * TX_N3; i++) {
      const int p = i % TX_N3;
      const double x[3] = {x0[0] + h * (p % TX_N), x0[1] + h * (p / TX_N % TX_N), 0.0};
      worst = fmax(worst, fabs(u[i] - exact(i / TX_N3, sim->t, x)));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, sim->comm);
  return worst;
}

static void fill(tx_sim *sim) {
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level);
    double x0[3], *u = NULL;
    tx_mesh_origin(sim->mesh, b, x0);
    OK(tx_field_octant(sim->u, b, &u));
    for (int i = 0; i < 2 * TX_N3; i++) {
      const int p = i % TX_N3;
      u[i] = exact(i / TX_N3, 0.0,
                   (double[]){x0[0] + h * (p % TX_N), x0[1] + h * (p / TX_N % TX_N), 0.0});
    }
  }
}

static double error_after(int level, int time_steps, double t_end) {
  tx_params p;
  box(&p, level, time_steps);
  p.run_t_end = t_end;
  tx_sim *sim = start(&p, fill);
  assert_true(sim->system == &tx_scalar_wave && tx_field_vars(sim->u) == 2);
  assert_true(sim->mesh->level_highest == level + 1 && sim->mesh->level_lowest == level);
  while (sim->t < t_end) OK(tx_sim_step(sim));
  const double error = error_of(sim);
  tx_sim_destroy(sim);
  return error;
}

static void waves_converge(void **state) {
  static const int steps[2] = {TX_STEPS_GLOBAL, TX_STEPS_LEVELS};
  const int every = tx_test_every(4);
  for (int n = 0; n < 2; n++) {
    const double t_end = 1.0 / every, coarse = error_after(1, steps[n], t_end);
    if (!(coarse < 1e-3)) fail_msg("time steps %d: error %g", steps[n], coarse);
    if (every > 1 || tx_test_on_gpu()) continue; /* backends agree: see below */
    const double fine = error_after(2, steps[n], t_end);
    if (!(log2(coarse / fine) > 3.8))
      fail_msg("time steps %d: errors %g, %g", steps[n], coarse, fine);
  }
}

/* What computes here, and the CPU. */
static void backends_agree(void **state) {
  const tx_backend *here = tx_exec_backend();
  double *kept = NULL;
  size_t n = 0;
  for (int cpu = 0; cpu < 2; cpu++) {
    tx_params p;
    double worst = 0.0;
    box(&p, 1, TX_STEPS_LEVELS);
    if (cpu) tx_exec_use(&tx_backend_cpu);
    tx_sim *sim = start(&p, fill);
    for (int s = 0; s < 2; s++) OK(tx_sim_step(sim));
    if (!cpu) n = (size_t)sim->mesh->n_local * 2 * TX_N3;
    if (!cpu) kept = malloc(n * sizeof *kept);
    for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
      const double *u = NULL;
      double *to = kept + (size_t)b * 2 * TX_N3;
      OK(tx_field_view(sim->u, b, &u));
      for (int i = 0; i < 2 * TX_N3; i++) worst = cpu ? fmax(worst, fabs(u[i] - to[i])) : 0.0;
      if (!cpu) memcpy(to, u, 2 * TX_N3 * sizeof *u);
    }
    assert_true(worst < 1e-12);
    tx_sim_destroy(sim);
  }
  tx_exec_use(here);
  free(kept);
}

/* Energy and its flux are those of the plane wave, with the finite differences' errors, wherever they are computed. */
static void quantities_are_exact(void **state) {
  tx_params p;
  double worst = 0.0, l2[TX_SYSTEM_VARS], max[TX_SYSTEM_VARS];
  tx_field *f = NULL;
  box(&p, 1, TX_STEPS_LEVELS);
  tx_sim *sim = start(&p, fill);
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_sim_analysis(sim, &f));
  assert_int_equal(tx_field_vars(f), 4);
  assert_string_equal(sim->system->quantity[1].name, "flux_x");
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level), *values = NULL;
    double x0[3];
    tx_mesh_origin(sim->mesh, b, x0);
    OK(tx_field_view(f, b, &values));
    for (int i = 0; i < TX_N3; i++) {
      const double x[3] = {x0[0] + h * (i % TX_N), x0[1] + h * (i / TX_N % TX_N), 0.0};
      const double v = exact(WAVE_V, 0.0, x), flux = v * v / sqrt(2.0);
      const double expected[4] = {v * v, flux, flux, 0.0};
      for (int a = 0; a < 4; a++) worst = fmax(worst, fabs(values[a * TX_N3 + i] - expected[a]));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, sim->comm);
  if (!(worst > 0.0 && worst < 1e-3)) fail_msg("error %g", worst);
  /* The mean of cos^4 is 3/8, the largest value w^2 = pi^2/8. */
  OK(tx_sim_volume_norms(sim, f, l2, max));
  assert_true(fabs(l2[0] - sqrt(3.0 / 8.0) * PI * PI / 8.0) < 1e-3);
  if (!(fabs(max[0] - PI * PI / 8.0) < 1e-3 && max[3] < 1e-4))
    fail_msg("%.10g %g", max[0] - PI * PI / 8, max[3]);
  tx_field_destroy(f);
  tx_sim_destroy(sim);
}

/* A norm of what is not finite is NaN, and of that variable alone. */
static void norms_tell_what_is_not_finite(void **state) {
  tx_params p;
  double l2[2], max[2], *u = NULL;
  box(&p, 1, TX_STEPS_LEVELS);
  tx_sim *sim = start(&p, fill);
  if (sim->mesh->first == 0) {
    OK(tx_field_octant(sim->u, 0, &u));
    u[WAVE_V * TX_N3 + TX_AT(3, 3, 3)] = INFINITY;
  }
  OK(tx_sim_volume_norms(sim, sim->u, l2, max));
  assert_true(isnan(l2[WAVE_V]) && isnan(max[WAVE_V]) && l2[WAVE_U] > 0.0 && max[WAVE_U] <= 1.0);
  tx_sim_destroy(sim);
}

/* Wavelets follow it: a regrid at a lower tolerance refines, and the state goes on there. */
static void regrids_keep_the_system(void **state) {
  tx_params p;
  bool changed = false;
  box(&p, 1, TX_STEPS_LEVELS);
  tx_sim *sim = start(&p, fill);
  OK(tx_sim_step(sim));
  p.grid_wavelet_tol = 1e-9;
  const tx_gidx before = sim->mesh->n_global;
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_sim_regrid(sim, &changed));
  assert_true(changed && sim->mesh->n_global > before);
  assert_true(tx_field_system(sim->u) == &tx_scalar_wave);
  OK(tx_sim_step(sim));
  assert_true(error_of(sim) < 1e-3);
  tx_sim_destroy(sim);
}

static void folder_make(char folder[64]) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(folder, 64, "/tmp/tendex-wave-XXXXXX");
  if (rank == 0) assert_non_null(mkdtemp(folder));
  MPI_Bcast(folder, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void folder_remove(const char *folder) {
  char command[96];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (rank == 0) assert_int_equal(system(command), 0);
}

static void checkpoints_go_on_bitwise(void **state) {
  tx_params p;
  char folder[64], path[256];
  int skipped = -1;
  uint64_t sums[2];
  box(&p, 1, TX_STEPS_LEVELS);
  folder_make(folder);
  tx_sim *sim = start(&p, fill), *again = NULL;
  OK(tx_sim_step(sim));
  OK(tx_checkpoint_write(folder, 1, sim, NULL));
  OK(tx_checkpoint_newest(MPI_COMM_WORLD, folder, path, sizeof path, &skipped));
  assert_int_equal(skipped, 0);
  OK(tx_checkpoint_restore(MPI_COMM_WORLD, &p, path, &again));
  OK(tx_sim_step(sim));
  OK(tx_sim_step(again));
  OK(tx_field_checksum(sim->u, &sums[0]));
  OK(tx_field_checksum(again->u, &sums[1]));
  assert_true(sums[0] == sums[1]);
  tx_sim_destroy(again);
  tx_sim_destroy(sim);
  folder_remove(folder);
}

/* Its variables are in files, and no others. */
static void output_has_its_variables(void **state) {
  tx_params p;
  char folder[64], path[128];
  int rank;
  tx_output *out = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  box(&p, 1, TX_STEPS_LEVELS);
  folder_make(folder);
  snprintf(p.run_folder, sizeof p.run_folder, "%s/run", folder);
  p.output_fields_every = 1;
  snprintf(p.output_variables, sizeof p.output_variables, "u alpha");
  assert_int_equal(
      tx_output_create(MPI_COMM_WORLD, &p, "scalar_wave.yaml", tx_observers_files(), &out),
      TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "'alpha' is not a variable; give some of u v, or all; or "
                                          "analysis quantities, of energy flux_x"));
  tx_error_clear();
  snprintf(p.output_variables, sizeof p.output_variables, "all energy");
  tx_sim *sim = start(&p, fill);
  tx_field *quantities = NULL;
  OK(tx_output_create(MPI_COMM_WORLD, &p, "scalar_wave.yaml", tx_observers_files(), &out));
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_sim_analysis(sim, &quantities));
  OK(tx_output_fields(out, 0, 0.0, sim->exec, sim->u, quantities));
  OK(tx_exec_check(sim->exec, tx_exec_all(sim->exec), sim->u, 0.0));
  tx_field_destroy(quantities);
  OK(tx_output_destroy(out));
  if (rank == 0) {
    snprintf(path, sizeof path, "%s/run/fields/fields.0000000.h5", folder);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0 && H5Lexists(file, "u", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(file, "v", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(file, "energy", H5P_DEFAULT) > 0);
    assert_true(H5Lexists(file, "flux_x", H5P_DEFAULT) == 0);
    assert_true(H5Lexists(file, "chi", H5P_DEFAULT) == 0);
    H5Fclose(file);
  }
  tx_sim_destroy(sim);
  folder_remove(folder);
}

#define REFUSED(call, code, part)                                                                  \
  do {                                                                                             \
    assert_int_equal(call, code);                                                                  \
    if (!strstr(tx_error_text(), part)) fail_msg("%s", tx_error_text());                           \
    tx_error_clear();                                                                              \
  } while (0)

/* What it does not have is refused. */
static void what_a_system_lacks_is_refused(void **state) {
  tx_params p;
  const double at[1][3] = {{1.0, 1.0, 1.0}};
  double psi4[1][TX_PSI4_COLUMNS];
  tx_norms norms;
  box(&p, 1, TX_STEPS_GLOBAL);
  tx_sim *sim = start(&p, fill);
  tx_initial_data *id = NULL;
  tx_exec *x = sim->exec;
  const tx_set *all = tx_exec_all(x);
  OK(tx_ghosts_fill(x, sim->u));
  REFUSED(tx_exec_psi4(x, sim->u, 1, at, psi4), TX_ERR_USAGE, "the system scalar_wave has no Psi4");
  REFUSED(tx_exec_constraints(x, all, sim->u, &(tx_norms_of){&sim->physics, 0, NULL}, &norms),
          TX_ERR_USAGE, "the system scalar_wave has no constraints");
  OK(tx_initial_data_create(&p, &id));
  REFUSED(tx_exec_initial_data(x, all, id, sim->u), TX_ERR_USAGE,
          "no variable of the system scalar_wave starts from alpha of the initial data");
  tx_initial_data_destroy(id);
  tx_field *field = NULL;
  tx_system poor = tx_scalar_wave;
  poor.n_analyses = 0;
  REFUSED(tx_field_create_analysis(x, &poor, &field), TX_ERR_USAGE,
          "the system scalar_wave has no analysis quantities");
  REFUSED(tx_exec_analysis(x, &sim->physics, sim->u, sim->u), TX_ERR_USAGE,
          "the 4 analysis quantities of the system scalar_wave do not fit a field of 2 variables");
  tx_horizon_finder *finder = NULL;
  tx_surface guess = {.l_max = 0};
  tx_horizon found;
  OK(tx_horizon_finder_create(&sim->mesh->domain, 4, &finder));
  REFUSED(tx_horizon_find(finder, x, sim->u, &guess, &(tx_horizon_points){0, NULL}, &found),
          TX_ERR_MESH, "the system scalar_wave has no metric to find a horizon in");
  tx_horizon_finder_destroy(finder);
  tx_sim_destroy(sim);
}

/* Parameters that no parser has seen may name a scheme or a system that is not there. */
static void other_schemes_are_refused(void **state) {
  tx_params p;
  tx_sim *sim = NULL;
  box(&p, 1, TX_STEPS_GLOBAL);
  p.evolution_order = 12;
  REFUSED(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_ERR_PARAM,
          "the system scalar_wave has no finite differences of order 12 with centred advection");
  box(&p, 1, TX_STEPS_GLOBAL);
  p.evolution_system = TX_SYSTEMS_MAX;
  REFUSED(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_ERR_PARAM, "there is no system of equations");
  assert_null(sim);
}

/* A profile of one system, for a state of another that has none. */
static void profiles_of_others_are_refused(void **state) {
  tx_params p;
  tx_initial_data *id = NULL;
  tx_exec *x = NULL;
  tx_field *bssn = NULL;
  box(&p, 1, TX_STEPS_GLOBAL);
  tx_sim *sim = start(&p, fill);
  p.initial_data_type = TX_ID_PROFILE;
  snprintf(p.initial_data_profile, sizeof p.initial_data_profile, "gaussian");
  OK(tx_initial_data_create(&p, &id));
  OK(tx_exec_create(sim->mesh, TX_VARS, &x));
  OK(tx_field_create_state(x, &tx_bssn, &bssn));
  REFUSED(tx_exec_initial_data(x, tx_exec_all(x), id, bssn), TX_ERR_USAGE,
          "the system bssn has no profiles");
  tx_initial_data_destroy(id);
  snprintf(p.initial_data_profile, sizeof p.initial_data_profile, "gauss");
  REFUSED(tx_initial_data_create(&p, &id), TX_ERR_PARAM,
          "the system scalar_wave has no profile \"gauss\"");
  tx_field_destroy(bssn);
  tx_exec_destroy(x);
  tx_sim_destroy(sim);
}

/* One that was not added has no kernels: the GPU refuses it, the CPU needs none. */
static void systems_without_kernels_are_refused(void **state) {
  tx_params p;
  tx_system unknown = tx_scalar_wave;
  unknown.name = "unknown";
  box(&p, 1, TX_STEPS_GLOBAL);
  tx_sim *sim = start(&p, fill);
  tx_exec *x = NULL;
  tx_field *u = NULL, *out = NULL;
  OK(tx_exec_create(sim->mesh, 2, &x));
  OK(tx_field_create_state(x, &unknown, &u));
  OK(tx_field_create_state(x, &unknown, &out));
  OK(tx_ghosts_fill(x, u));
  const tx_set *all = tx_exec_all(x);
  if (tx_test_on_gpu()) {
    const char *why = "the system unknown has no kernels for GPUs";
    REFUSED(tx_exec_rhs(x, all, &sim->physics, u, out), TX_ERR_USAGE, why);
    REFUSED(tx_exec_enforce(x, all, &sim->physics, u), TX_ERR_USAGE, why);
  } else {
    OK(tx_exec_rhs(x, all, &sim->physics, u, out));
  }
  tx_field_destroy(u);
  tx_field_destroy(out);
  tx_exec_destroy(x);
  tx_sim_destroy(sim);
}

/* States of two systems do not meet in one stage, and a field of as many variables is no state. */
static void states_are_told_apart(void **state) {
  tx_params p;
  box(&p, 1, TX_STEPS_GLOBAL);
  tx_sim *sim = start(&p, fill);
  tx_exec *x = NULL;
  tx_field *wave = NULL, *bssn[3] = {NULL}, *plain = NULL;
  OK(tx_exec_create(sim->mesh, TX_VARS, &x));
  OK(tx_field_create_state(x, &tx_scalar_wave, &wave));
  for (int i = 0; i < 3; i++) OK(tx_field_create_state(x, &tx_bssn, &bssn[i]));
  OK(tx_field_create(x, 2, NULL, &plain));
  tx_stage stage = {.u = bssn[0], .y = bssn[0], .base_sum = bssn[0], .sum = bssn[1], .next = wave};
  REFUSED(tx_exec_stage(x, tx_exec_all(x), &sim->physics, &stage), TX_ERR_USAGE,
          "a stage works on states of one system, not of bssn and scalar_wave");
  REFUSED(tx_exec_enforce(x, tx_exec_all(x), &sim->physics, plain), TX_ERR_USAGE,
          "the field of 2 variables is no state of a system of equations");
  tx_field_destroy(wave);
  tx_field_destroy(plain);
  for (int i = 0; i < 3; i++) tx_field_destroy(bssn[i]);
  tx_exec_destroy(x);
  tx_sim_destroy(sim);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(waves_converge),
    cmocka_unit_test(backends_agree),
    cmocka_unit_test(quantities_are_exact),
    cmocka_unit_test(norms_tell_what_is_not_finite),
    cmocka_unit_test(regrids_keep_the_system),
    cmocka_unit_test(checkpoints_go_on_bitwise),
    cmocka_unit_test(output_has_its_variables),
    cmocka_unit_test(what_a_system_lacks_is_refused),
    cmocka_unit_test(other_schemes_are_refused),
    cmocka_unit_test(profiles_of_others_are_refused),
    cmocka_unit_test(systems_without_kernels_are_refused),
    cmocka_unit_test(states_are_told_apart),
};
TEST_MAIN(tests)
