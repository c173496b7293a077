/* The files of a run folder, brought back to a checkpoint; signals; what a restart may change. */
#include "support/main.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/signals.h"
#include "files/seal.h"
#include "observe/observer.h"
#include "output/internal.h"
#include "output/manifest.h"
#include "params/params.h"
#include "physics/bssn.h"

static char folder[64];
static tx_series_sums sums;

static int make_folder(void **state) {
  tx_error_clear();
  snprintf(folder, sizeof folder, "/tmp/tendex-test-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  tx_series_sums_free(&sums);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static const char *in_folder(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void put(const char *name, const char *text) {
  assert_int_equal(tx_file_append(in_folder(name), text, strlen(text)), TX_OK);
}

static bool is_there(const char *name) {
  struct stat s;
  return stat(in_folder(name), &s) == 0;
}

static void assert_content(const char *name, const char *expect) {
  char got[256] = "";
  FILE *f = fopen(in_folder(name), "r");
  assert_non_null(f);
  got[fread(got, 1, sizeof got - 1, f)] = '\0';
  fclose(f);
  assert_string_equal(got, expect);
}

static void files_go_back_to_the_list(void **state) {
  char line[64];
  tx_text list = {0};
  assert_int_equal(tx_folder_create(in_folder("fields")), TX_OK);
  assert_int_equal(tx_folder_create(in_folder("checkpoints")), TX_OK);
  assert_int_equal(tx_folder_create(in_folder("waves")), TX_OK);
  put("energy.asc", "1\n2\n");
  put("fields/fields.0000004.h5", "four");
  put("log.txt", "log\n");
  put("mine.asc", "mine\n");
  put("checkpoints/checkpoint.0000004.h5", "saved");
  assert_int_equal(tx_series_list(tx_observers_files(), folder, &sums, &list), TX_OK);
  snprintf(line, sizeof line, "4 %016" PRIx64 " energy.asc\n", tx_crc64(0, "1\n2\n", 4));
  assert_non_null(strstr(list.data, line));
  assert_non_null(strstr(list.data, "4 - fields/fields.0000004.h5\n"));
  assert_null(strstr(list.data, "log.txt"));
  assert_null(strstr(list.data, "mine"));
  assert_null(strstr(list.data, "checkpoint"));
  for (int twice = 0; twice < 2; twice++) {
    put("energy.asc", "3\n");
    put("log.txt", "more\n");
    put("grid.asc", "later\n");
    put("summary.json", "{}");
    put("fields/slices.0000005.h5", "later");
    put("fields/slices.0000006.h5.part", "half");
    put("checkpoints/checkpoint.0000005.h5.part", "half");
    put("waves/mp_psi4.h5.part", "half");
    assert_int_equal(tx_series_resume(tx_observers_files(), folder, list.data), TX_OK);
    assert_content("energy.asc", "1\n2\n");
    assert_content("fields/fields.0000004.h5", "four");
    assert_content("mine.asc", "mine\n");
    assert_content("checkpoints/checkpoint.0000004.h5", "saved");
    assert_content("log.txt", twice ? "log\nmore\nmore\n" : "log\nmore\n");
    static const char *const gone[] = {"grid.asc",
                                       "summary.json",
                                       "fields/slices.0000005.h5",
                                       "fields/slices.0000006.h5.part",
                                       "checkpoints/checkpoint.0000005.h5.part",
                                       "waves/mp_psi4.h5.part"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) assert_false(is_there(gone[i]));
  }
  tx_text_free(&list);
}

static void an_empty_list_is_the_beginning(void **state) {
  put("energy.asc", "1\n");
  put("run.yaml", "run:\n");
  put("log.txt", "log\n");
  assert_int_equal(tx_series_resume(tx_observers_files(), folder, ""), TX_OK);
  assert_false(is_there("energy.asc"));
  assert_true(is_there("run.yaml") && is_there("log.txt"));
}

static void what_is_short_or_gone_is_noticed(void **state) {
  put("energy.asc", "1\n");
  put("grid.asc", "1\n");
  tx_log_quiet(1);
  assert_int_equal(tx_series_resume(tx_observers_files(), folder,
                                    "9 0 constraints.asc\n2 - energy.asc\n2 - grid.asc\n"),
                   TX_OK);
  assert_int_equal(tx_series_resume(tx_observers_files(), folder, "3 0 energy.asc\n2 - grid.asc\n"),
                   TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "energy.asc has 2 bytes, but had 3"));
  static const char *const wrong[] = {
      "3",     "3 0 energy.asc", "energy.asc\n", "\n", "3 0\tenergy.asc\n", "3 energy.asc\n",
      "3 -\n", "3 0 \n"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    tx_error_clear();
    assert_int_equal(tx_series_resume(tx_observers_files(), folder, wrong[i]), TX_ERR_IO);
    assert_non_null(strstr(tx_error_text(), "list of files in the checkpoint is damaged"));
  }
  tx_error_clear();
}

/* Bytes are read once: a change of what was summed before is for the restart to find. */
static void sums_follow_what_is_appended(void **state) {
  uint64_t crc = 0, again = 0;
  const char *path = in_folder("energy.asc");
  put("energy.asc", "1\n2\n");
  assert_int_equal(tx_series_sum(&sums, path, "energy.asc", 2, &crc), TX_OK);
  assert_true(crc == tx_crc64(0, "1\n", 2));
  FILE *f = fopen(path, "r+");
  fputs("7\n", f);
  fclose(f);
  assert_int_equal(tx_series_sum(&sums, path, "energy.asc", 4, &crc), TX_OK);
  assert_true(crc == tx_crc64(0, "1\n2\n", 4));
  tx_series_sums_free(&sums);
  assert_int_equal(tx_series_sum(&sums, path, "energy.asc", 4, &again), TX_OK);
  assert_true(again == tx_crc64(0, "7\n2\n", 4));
  assert_int_equal(tx_series_sum(&sums, path, "energy.asc", 5, &again), TX_ERR_IO);
  tx_error_clear();
}

static void changed_bytes_are_noticed_before_anything_is_cut(void **state) {
  tx_text list = {0};
  put("energy.asc", "1\n2\n");
  put("grid.asc", "1\n");
  assert_int_equal(tx_series_list(tx_observers_files(), folder, &sums, &list), TX_OK);
  put("energy.asc", "3\n");
  FILE *f = fopen(in_folder("grid.asc"), "w");
  fputs("9\n", f);
  fclose(f);
  assert_int_equal(tx_series_resume(tx_observers_files(), folder, list.data), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "/grid.asc was changed: its first 2 bytes differ"));
  tx_error_clear();
  assert_content("energy.asc", "1\n2\n3\n");
  tx_text_free(&list);
}

static void a_collection_ends_well_after_it_was_cut(void **state) {
  const tx_piece piece = {.system = &tx_bssn,
                          .group = "/",
                          .n = 1,
                          .normal = -1,
                          .n_sets = 1,
                          .set = {tx_bssn.variable[0].name}};
  struct stat s;
  char path[256], first[4096] = "", now[4096] = "";
  snprintf(path, sizeof path, "%s", in_folder("fields.xmf"));
  assert_int_equal(tx_xdmf_append(path, "fields", 0.0, "a.h5", 1, &piece), TX_OK);
  assert_int_equal(stat(path, &s), 0);
  FILE *f = fopen(path, "r");
  size_t n = fread(first, 1, sizeof first - 1, f);
  fclose(f);
  assert_int_equal(tx_xdmf_append(path, "fields", 1.0, "b.h5", 1, &piece), TX_OK);
  assert_int_equal(tx_xdmf_cut(path, s.st_size), TX_OK);
  f = fopen(path, "r");
  assert_int_equal(fread(now, 1, sizeof now - 1, f), n);
  fclose(f);
  assert_string_equal(now, first);
  assert_int_equal(tx_xdmf_cut(path, 3), TX_ERR_IO);
  tx_error_clear();
}

static void signals_are_noted_once(void **state) {
  assert_int_equal(tx_signals_catch(false), TX_OK);
  assert_int_equal(tx_signals_received(), 0);
  raise(SIGUSR1);
  raise(SIGHUP);
  raise(SIGTERM); /* so soon after, it is the same request */
  assert_int_equal(tx_signals_received(), SIGUSR1);
  assert_string_equal(tx_signal_name(tx_signals_received()), "SIGUSR1");
  tx_signals_release();
  struct sigaction action;
  assert_int_equal(sigaction(SIGUSR1, NULL, &action), 0);
  assert_true(action.sa_handler == SIG_DFL);
  assert_int_equal(tx_signals_catch(false), TX_OK);
  raise(SIGHUP);
  assert_string_equal(tx_signal_name(tx_signals_received()), "SIGHUP");
  tx_signals_release();
}

static void changes_are_told_apart(void **state) {
  tx_params p;
  char *values = NULL, changes[400];
  size_t n = 0;
  tx_params_default(&p);
  FILE *f = open_memstream(&values, &n);
  assert_int_equal(tx_params_values(&p, f), TX_OK);
  fclose(f);
  assert_int_equal(tx_params_check_change(values, &p, changes, sizeof changes), TX_OK);
  assert_string_equal(changes, "");
  p.run_t_end = 7.0;
  p.checkpoint_keep = 3;
  snprintf(p.run_folder, sizeof p.run_folder, "elsewhere");
  assert_int_equal(tx_params_check_change(values, &p, changes, sizeof changes), TX_OK);
  assert_string_equal(changes, "run.t_end: 7, was 0; checkpoint.keep: 3, was 2");
  free(values);
}

/* Modes are on disk once each, in HDF5 and as text, also if writing failed on the way; as many as a buffer holds and more. */
static void modes_are_written_once(void **state) {
  enum { ROWS = 300, MODES = 5 };
  static const double radii[1] = {7.0};
  const tx_gw_info gw = {.n_radii = 1, .radii = radii, .l_max = 2, .n_modes = MODES};
  tx_params p;
  tx_params_default(&p);
  tx_output out = {.comm = MPI_COMM_SELF, .params = &p, .files = tx_observers_files()};
  out.modes.file = H5I_INVALID_HID;
  snprintf(out.folder, sizeof out.folder, "%s", folder);
  assert_int_equal(tx_folder_create(in_folder("waves")), TX_OK);
  /* The second text file cannot be written. */
  assert_int_equal(tx_folder_create(in_folder("waves/mp_psi4_l2_m-1_r7.00.asc")), TX_OK);
  for (int n = 0; n < ROWS; n++) {
    double psi4[MODES][2];
    for (int i = 0; i < MODES; i++) psi4[i][0] = 10.0 * n + i, psi4[i][1] = -psi4[i][0];
    if (n == 2) {
      assert_int_equal(tx_mode_buffer_flush(&out), TX_ERR_IO);
      assert_non_null(strstr(tx_error_text(), "waves/mp_psi4_l2_m-1_r7.00.asc"));
      tx_error_clear();
      assert_int_equal(tx_mode_buffer_flush(&out), TX_ERR_IO);
      tx_error_clear();
      assert_int_equal(rmdir(in_folder("waves/mp_psi4_l2_m-1_r7.00.asc")), 0);
      assert_int_equal(tx_mode_buffer_flush(&out), TX_OK);
    }
    assert_int_equal(tx_output_modes(&out, 0.5 * n, &gw, (const double(*)[2])psi4), TX_OK);
  }
  int64_t rows = 0;
  assert_int_equal(tx_mode_buffer_flush(&out), TX_OK);
  assert_int_equal(tx_modes_rows(&out, &rows), TX_OK);
  assert_int_equal(rows, ROWS);
  for (int i = 0; i < MODES; i++) {
    static double row[ROWS][3], text[3];
    char name[64];
    snprintf(name, sizeof name, "waves/mp_psi4_l2_m%d_r7.00.asc", i - 2);
    assert_true(H5Dread(out.modes.set[i], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >=
                0);
    FILE *file = fopen(in_folder(name), "r");
    assert_non_null(file);
    for (int n = 0; n < ROWS; n++) {
      const double value = 10.0 * n + i, expect[3] = {0.5 * n, value, -value};
      assert_memory_equal(row[n], expect, sizeof expect);
      assert_int_equal(fscanf(file, "%lf %lf %lf", &text[0], &text[1], &text[2]), 3);
      assert_memory_equal(text, expect, sizeof expect);
    }
    assert_int_equal(fscanf(file, "%lf", &text[0]), EOF);
    fclose(file);
  }
  assert_int_equal(tx_modes_close(&out), TX_OK);
  tx_mode_buffer_free(&out.mode_buffer);
}

static void assert_worldtube_time(const char *name, double t) {
  double row[33];
  hid_t file = H5Fopen(in_folder(name), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "DtLapse.dat", H5P_DEFAULT), space = H5Dget_space(set);
  assert_int_equal(H5Sget_simple_extent_npoints(space), 33); /* one row */
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0);
  assert_true(row[0] == t && row[32] == -t);
  assert_true(H5Sclose(space) >= 0 && H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
}

/* A file of a worldtube that somebody removes while rows are added comes back, and the next row begins another. */
static void worldtubes_are_put_back(void **state) {
  const double radius = 7.0;
  const tx_worldtube_info info = {
      .n_radii = 1, .radii = &radius, .form = TX_WORLDTUBE_MODAL, .l_max = 3, .n_columns = 32};
  double rows[TX_WORLDTUBE_SETS][32] = {{0.0}};
  tx_params p;
  tx_params_default(&p);
  tx_output out = {.comm = MPI_COMM_SELF, .params = &p, .files = tx_observers_files()};
  snprintf(out.folder, sizeof out.folder, "%s", folder);
  for (int step = 8; step <= 16; step += 8) {
    rows[TX_WORLDTUBE_SETS - 1][31] = -0.25 * step;
    assert_int_equal(tx_output_worldtubes(&out, step, 0.25 * step, &info, rows[0]), TX_OK);
    if (step == 8) assert_int_equal(unlink(in_folder("worldtubes/0000008.CceR0007.h5")), 0);
  }
  assert_int_equal(tx_worldtubes_close(&out), TX_OK);
  tx_free(out.worldtubes.row);
  assert_worldtube_time("worldtubes/0000008.CceR0007.h5", 2.0);
  assert_worldtube_time("worldtubes/0000016.CceR0007.h5", 4.0);
}

static const struct CMUnitTest series_tests[] = {
    cmocka_unit_test_setup_teardown(worldtubes_are_put_back, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(modes_are_written_once, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(files_go_back_to_the_list, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(an_empty_list_is_the_beginning, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(what_is_short_or_gone_is_noticed, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(sums_follow_what_is_appended, make_folder, remove_folder),
    cmocka_unit_test_setup_teardown(changed_bytes_are_noticed_before_anything_is_cut, make_folder,
                                    remove_folder),
    cmocka_unit_test_setup_teardown(a_collection_ends_well_after_it_was_cut, make_folder,
                                    remove_folder),
    cmocka_unit_test(signals_are_noted_once),
    cmocka_unit_test(changes_are_told_apart),
};
TEST_MAIN(series_tests)
