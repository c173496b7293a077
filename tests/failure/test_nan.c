/* A value that is not finite, on one rank, ends the run on all ranks, and its surroundings are
 * written. */
#include "support/main.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/run.h"
#include "base/log.h"
#include "physics/bssn.h"

#define BAD_RANK 1
#define BAD_STEP 3

static void make_params(tx_params *p, const char *folder) {
  tx_params_default(p);
  p->evolution_time_steps = TX_STEPS_GLOBAL;
  p->run_t_end = 100.0;
  p->grid_extent = 8.0;
  p->grid_level_min = 1;
  p->grid_level_max = 2;
  p->grid_bh_radius = 1.0;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = p->initial_data_bhN_mass[1] = 0.5;
  p->initial_data_bhN_position[0][2] = 1.0;
  p->initial_data_bhN_position[1][2] = -1.0;
  snprintf(p->run_folder, sizeof p->run_folder, "%s", folder);
  snprintf(p->run_name, sizeof p->run_name, "nan");
}

/* Put a NaN into K on the bad rank; where: its position. */
static void plant(tx_run *run, int rank, double where[3]) {
  const tx_mesh *mesh = run->sim->mesh;
  if (rank == BAD_RANK) {
    double *values = NULL;
    assert_true(mesh->n_local > 0);
    assert_int_equal(tx_field_octant(run->sim->u, 0, &values), TX_OK);
    values[(size_t)TX_VAR_K * TX_N3 + TX_AT(3, 4, 5)] = NAN;
    tx_mesh_origin(mesh, 0, where);
    double h = tx_mesh_spacing(mesh, mesh->octant[0].level);
    where[0] += 3 * h;
    where[1] += 4 * h;
    where[2] += 5 * h;
  }
  MPI_Bcast(where, 3, MPI_DOUBLE, BAD_RANK, MPI_COMM_WORLD);
}

/* The file holds the bad octant: count the NaNs of K in it. */
static void assert_file_shows_nan(const char *path) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hid_t set = H5Dopen2(file, "K", H5P_DEFAULT), space = H5Dget_space(set);
  hssize_t n = H5Sget_simple_extent_npoints(space);
  double *values = calloc((size_t)n, sizeof *values);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  hssize_t bad = 0;
  for (hssize_t i = 0; i < n; i++) bad += isnan(values[i]);
  free(values);
  assert_true(bad > 0 && bad < n);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

static void nan_on_one_rank_ends_all(void **state) {
  int rank = 0, ranks = 1;
  char folder[64] = "/tmp/tendex-nan-XXXXXX", path[128], command[128];
  double where[3] = {0.0};
  tx_params p;
  tx_run *run = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  assert_int_equal(ranks, 3);
  if (rank == 0) assert_non_null(mkdtemp(folder));
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  tx_log_quiet(1);
  make_params(&p, folder);
  assert_int_equal(tx_run_create(MPI_COMM_WORLD, &p, "nan.yaml", &run), TX_OK);
  while (run->sim->step < BAD_STEP) assert_int_equal(tx_run_advance(run), TX_OK);
  plant(run, rank, where);

  /* One look at the state as it stands names the very point. */
  char expect[128];
  assert_int_equal(tx_sim_check(run->sim), TX_ERR_NUMERICS);
  snprintf(expect, sizeof expect, "K");
  assert_non_null(strstr(tx_error_text(), expect));
  snprintf(expect, sizeof expect, "%g, %g, %g", where[0], where[1], where[2]);
  if (!strstr(tx_error_text(), expect))
    print_error("%s does not name (%s)\n", tx_error_text(), expect);
  assert_non_null(strstr(tx_error_text(), expect));
  tx_error_clear();

  /* Going on, the run ends at the next look, on all ranks with one text, and shows the place. */
  tx_status status = TX_OK;
  while (status == TX_OK && run->sim->step < 20) status = tx_run_advance(run);
  assert_int_equal(status, TX_ERR_NUMERICS);
  assert_true(run->sim->step <= 8);
  char text[512], first[512];
  snprintf(text, sizeof text, "%s", tx_error_text());
  memcpy(first, text, sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_string_equal(text, first);
  assert_non_null(strstr(text, "level"));
  snprintf(path, sizeof path, "%s/fields/bad.%07lld.h5", folder, (long long)run->sim->step);
  if (rank == 0) assert_file_shows_nan(path);
  tx_error_clear();
  assert_int_equal(tx_run_destroy(run), TX_OK);
  MPI_Barrier(MPI_COMM_WORLD);
  tx_log_close();
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (rank == 0) assert_int_equal(system(command), 0);
}

static int nan_tests(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nan_on_one_rank_ends_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_MAIN_WITH(nan_tests())
