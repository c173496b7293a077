/* Initial data of a run: the same bits on all ranks and on any number of them; solved once, then taken from
 * the run folder unless the file there is damaged or of other parameters. */
#include "restart/scratch.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "evolve/data.h"
#include "evolve/demands.h"
#include "physics/bssn.h"

tx_status __real_tx_two_punctures_solve(const tx_two_punctures_spec *spec, tx_two_punctures *out);
tx_status __wrap_tx_two_punctures_solve(const tx_two_punctures_spec *spec, tx_two_punctures *out);

static int solved; /* by this rank */

tx_status __wrap_tx_two_punctures_solve(const tx_two_punctures_spec *spec, tx_two_punctures *out) {
  solved++;
  return __real_tx_two_punctures_solve(spec, out);
}

static char folder[64];

static int start(void **state) {
  tx_log_quiet(1);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* failures are provoked here */
  scratch_make(folder);
  solved = 0;
  return 0;
}

static int stop(void **state) {
  scratch_remove(folder);
  return tx_memory_blocks() != 0;
}

/* A pair in orbit on a small grid. */
static tx_params orbiting(void) {
  tx_params p;
  tx_params_default(&p);
  p.run_t_end = 1.0;
  p.grid_extent = 16.0;
  p.grid_reflect = TX_DIMS_Z;
  p.grid_level_min = 1;
  p.grid_level_max = 3;
  p.initial_data_type = TX_ID_QUASI_CIRCULAR;
  p.initial_data_mass_ratio = 2.0;
  p.initial_data_bhN_chi[1][2] = 0.3;
  p.initial_data_resolution = 12;
  OK(tx_params_check(&p, NULL, tx_evolve_demands));
  snprintf(p.run_folder, sizeof p.run_folder, "%s", folder);
  return p;
}

static void assert_same(const tx_initial_data *a, const tx_initial_data *b) {
  assert_memory_equal(&a->adm, &b->adm, sizeof a->adm);
  for (int n = 0; n < 60; n++) {
    double u[TX_VARS], w[TX_VARS], x[3] = {0.37 * n - 9.0, 0.21 * n - 5.0, 0.013 * n * n};
    tx_initial_data_at(a, 0.0, x, u);
    tx_initial_data_at(b, 0.0, x, w);
    assert_memory_equal(u, w, sizeof u);
  }
}

/* Solves by all ranks since the last call. */
static int solves(void) {
  int sum = 0;
  MPI_Allreduce(&solved, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  solved = 0;
  return sum;
}

static tx_initial_data *make(const tx_params *p) {
  tx_initial_data *id = NULL;
  if (tx_data_create(MPI_COMM_WORLD, p, &id) != TX_OK) fail_msg("%s", tx_error_text());
  return id;
}

static void all_ranks_have_the_bits_of_one(void **state) {
  tx_params p = orbiting();
  tx_initial_data *shared = make(&p), *own = NULL;
  assert_int_equal(solves(), 1);
  OK(tx_initial_data_create(&p, &own));
  assert_same(shared, own);
  tx_initial_data_destroy(shared);
  tx_initial_data_destroy(own);
}

static void fields_do_not_depend_on_the_ranks(void **state) {
  tx_params p = orbiting();
  uint64_t checksum[2];
  tx_sim *sim = NULL;
  p.run_folder[0] = '\0';
  for (int self = 0; self < 2; self++) {
    OK(tx_sim_create(self ? MPI_COMM_SELF : MPI_COMM_WORLD, &p, &sim));
    OK(tx_field_checksum(sim->u, &checksum[self]));
    tx_sim_destroy(sim);
  }
  assert_true(checksum[0] == checksum[1]);
}

static void the_solution_is_kept(void **state) {
  tx_params p = orbiting(), other = p;
  tx_initial_data *first = make(&p);
  assert_int_equal(solves(), 1);
  tx_initial_data *second = make(&p);
  assert_int_equal(solves(), 0);
  assert_same(first, second);
  tx_initial_data_destroy(second);
  /* What the solution does not depend on may change. */
  other.initial_data_lapse = TX_LAPSE_ONE;
  other.grid_extent = 32.0;
  second = make(&other);
  assert_int_equal(solves(), 0);
  double u[TX_VARS];
  tx_initial_data_at(second, 0.0, (const double[3]){1.0, 2.0, 3.0}, u);
  assert_true(u[TX_VAR_ALPHA] == 1.0);
  tx_initial_data_destroy(second);
  /* The last bit of what it does depend on may not. */
  other.initial_data_bhN_chi[1][2] = 0.3 * (1.0 + 1e-15);
  second = make(&other);
  assert_int_equal(solves(), 1);
  tx_initial_data_destroy(second);
  second = make(&p); /* and replaced the file */
  assert_int_equal(solves(), 1);
  assert_same(first, second);
  tx_initial_data_destroy(second);
  tx_initial_data_destroy(first);
}

static long file_size(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

/* Cut the file, change one byte, or put something else in its place. */
static void damage(const char *path, int kind) {
  long size = file_size(path);
  assert_true(size > 5000);
  if (kind == 0) assert_int_equal(truncate(path, size / 2), 0);
  if (kind == 1) assert_int_equal(truncate(path, 0), 0);
  FILE *f = fopen(path, kind == 2 ? "w" : "r+");
  assert_non_null(f);
  if (kind == 2) fputs("not what it was\n", f);
  if (kind > 2) {
    long at = kind == 3 ? 40 : kind == 4 ? 1100 : size / 2; /* user block, HDF5's head, numbers */
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 4, f);
  }
  fclose(f);
}

static bool log_says(const char *what) {
  char path[96], text[8192] = "";
  snprintf(path, sizeof path, "%s/log.txt", folder);
  FILE *f = fopen(path, "r");
  if (!f) return false;
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  return strstr(text, what) != NULL;
}

static void open_log(void) {
  char path[96];
  snprintf(path, sizeof path, "%s/log.txt", folder);
  if (world_rank() == 0) remove(path);
  OK(tx_log_open(path));
}

static void a_damaged_file_is_replaced(void **state) {
  tx_params p = orbiting();
  char path[96];
  snprintf(path, sizeof path, "%s/initial_data.h5", folder);
  tx_initial_data *first = make(&p);
  solves();
  for (int kind = 0; kind < 6; kind++) {
    if (world_rank() == 0) damage(path, kind);
    open_log();
    tx_initial_data *again = make(&p);
    OK(tx_log_close());
    assert_int_equal(solves(), 1);
    assert_same(first, again);
    if (world_rank() == 0) assert_true(log_says("warning: ") && log_says("solving anew"));
    tx_initial_data_destroy(again);
    again = make(&p);
    assert_int_equal(solves(), 0);
    tx_initial_data_destroy(again);
  }
  tx_initial_data_destroy(first);
}

/* That it cannot be kept is said, and stops nobody. */
static void a_folder_that_takes_nothing(void **state) {
  tx_params p = orbiting();
  size_t n = strlen(p.run_folder);
  snprintf(p.run_folder + n, sizeof p.run_folder - n, "/none");
  open_log();
  tx_initial_data_destroy(make(&p));
  OK(tx_log_close());
  assert_int_equal(solves(), 1);
  if (world_rank() == 0) assert_true(log_says("a restart solves anew: "));
  assert_string_equal(tx_error_text(), "");
}

static void other_data_leave_no_file(void **state) {
  tx_params p = orbiting();
  char path[96];
  snprintf(path, sizeof path, "%s/initial_data.h5", folder);
  p.initial_data_type = TX_ID_BRILL_LINDQUIST;
  p.initial_data_bhN_mass[0] = p.initial_data_bhN_mass[1] = 0.5;
  p.initial_data_bhN_position[0][0] = 1.0;
  tx_initial_data_destroy(make(&p));
  p = orbiting();
  tx_initial_data *quick = NULL;
  p.initial_data_resolution = 0;
  OK(tx_data_create_preview(&p, &quick));
  assert_int_equal(quick->adm.resolution, 16);
  tx_initial_data_destroy(quick);
  MPI_Barrier(MPI_COMM_WORLD);
  assert_true(file_size(path) == -1);
}

/* With 16 points no bare masses are found; those of 96 points. Every rank would do the same. */
static void a_preview_has_fast_spins(void **state) {
  const double bare[2] = {0.273861, 0.0883545};
  tx_params p = orbiting();
  tx_initial_data *id = NULL;
  if (world_size() > 1) skip();
  p.initial_data_separation = 10.0;
  p.initial_data_mass_ratio = 3.0;
  p.initial_data_bhN_chi[0][2] = p.initial_data_bhN_chi[1][2] = 0.9;
  p.initial_data_resolution = 16;
  assert_int_equal(tx_data_create_preview(&p, &id), TX_ERR_NUMERICS);
  assert_null(id);
  tx_error_clear();
  p.initial_data_resolution = 0;
  OK(tx_data_create_preview(&p, &id));
  assert_string_equal(tx_error_text(), "");
  assert_true(id->adm.error < 0.05);
  for (int a = 0; a < 2; a++) assert_true(fabs(id->adm.mass_bare[a] / bare[a] - 1.0) < 0.03);
  tx_initial_data_destroy(id);
}

static void failures_reach_all_ranks(void **state) {
  tx_params p = orbiting();
  tx_initial_data *id = NULL;
  p.initial_data_separation = 2.0;
  assert_int_equal(tx_data_create(MPI_COMM_WORLD, &p, &id), TX_ERR_PARAM);
  tx_error_clear();
  p = orbiting();
  p.initial_data_bhN_chi[1][0] = 0.1; /* not its own mirror image in z */
  assert_int_equal(tx_data_create(MPI_COMM_WORLD, &p, &id), TX_ERR_PARAM);
  assert_null(id);
  assert_non_null(strstr(tx_error_text(), "grid.reflect: z"));
  tx_error_clear();
  tx_memory_limit(tx_memory_in_use() + 1000);
  assert_int_equal(tx_data_create(MPI_COMM_WORLD, &p, &id), TX_ERR_MEMORY);
  tx_memory_limit(0);
  assert_null(id);
  tx_error_clear();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
static const struct CMUnitTest tests[] = {
    TEST(all_ranks_have_the_bits_of_one), TEST(fields_do_not_depend_on_the_ranks),
    TEST(the_solution_is_kept),           TEST(a_damaged_file_is_replaced),
    TEST(a_folder_that_takes_nothing),    TEST(other_data_leave_no_file),
    TEST(failures_reach_all_ranks),       TEST(a_preview_has_fast_spins),
};
TEST_MAIN(tests)
