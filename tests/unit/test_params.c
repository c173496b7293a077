#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "base/grid.h"
#include "base/log.h"
#include "base/memory.h"
#include "params/params.h"
#include "evolve/demands.h"
#include "support/cmocka.h"
#define DEMANDS tx_evolve_demands
#include "params_given.h"

static char path[64];

static int start(void **state) {
  tx_error_clear();
  snprintf(path, sizeof path, "/tmp/tendex_test_params_%d", (int)getpid());
  return 0;
}

static int stop(void **state) {
  remove(path);
  return tx_memory_blocks() != 0;
}

static tx_status read_text(const char *text, size_t n, tx_params *p) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, n, out), n);
  assert_int_equal(fclose(out), 0);
  return tx_params_read(MPI_COMM_WORLD, path, 0, NULL, NULL, p);
}

static void defaults_are_valid(void **state) {
  tx_params p, q;
  tx_params_default(&p);
  assert_true(p.evolution_cfl == 0.25 && p.grid_bhN_level[0] == -1 && p.gauge_advect_B);
  assert_int_equal(p.initial_data_type, TX_ID_MINKOWSKI);
  assert_string_equal(p.output_variables, "chi alpha");
  assert_int_equal(p.waves_radii.n, 0);
  assert_int_equal(tx_params_check(&p, NULL, NULL), TX_OK);
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, NULL, 0, NULL, NULL, &q), TX_OK);
  assert_memory_equal(&p, &q, sizeof p);
}

static const char good[] = "# A head-on collision\n"
                           "run:\n"
                           "  name: \"say \\\"hi\\\" \\\\ 5 %d\"\n"
                           "  overwrite: yes\n"
                           "  t_end: 1.5e2\n"
                           "grid:\n"
                           "  extent: 64\n"
                           "  reflect: xyz\n"
                           "  level_max: 7\n"
                           "  level_min: 2\n"
                           "  bh1_level: 6\n"
                           "  bh2_level: 6\n"
                           "initial_data:\n"
                           "  type: 'brill_lindquist'\n"
                           "  bh1_mass: 0.1\n"
                           "  bh2_mass: 0.1\n"
                           "  bh1_position: [0, 0, 0.3]\n"
                           "  bh2_position:\n"
                           "    - 0\n"
                           "    - -0.0\n"
                           "    - -0.3\n"
                           "  lapse: one\n"
                           "waves: {radii: [30, 40.5, 50]}\n"
                           "output:\n"
                           "  fields_every: 10\n"
                           "  variables: all\n";

static void every_form_of_value_is_read(void **state) {
  tx_params p;
  tx_status status = read_text(good, strlen(good), &p);
  if (status != TX_OK) fail_msg("%s", tx_error_text());
  assert_string_equal(p.run_name, "say \"hi\" \\ 5 %d");
  assert_true(p.run_overwrite && p.run_t_end == 150.0);
  assert_int_equal(p.grid_reflect, 7);
  assert_int_equal(p.grid_bhN_level[1], 6);
  assert_int_equal(p.initial_data_type, TX_ID_BRILL_LINDQUIST);
  assert_int_equal(p.initial_data_lapse, TX_LAPSE_ONE);
  assert_true(p.initial_data_bhN_position[1][2] == -0.3);
  assert_int_equal(p.waves_radii.n, 3);
  assert_true(p.waves_radii.v[1] == 40.5 && p.waves_radii.v[3] == 0.0);
  assert_string_equal(p.output_variables, "all");
}

static void assert_round_trip(const tx_params *p) {
  tx_params q;
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(tx_params_write(p, out), TX_OK);
  assert_int_equal(fclose(out), 0);
  tx_status status = tx_params_read(MPI_COMM_WORLD, path, 0, NULL, NULL, &q);
  if (status != TX_OK) fail_msg("%s", tx_error_text());
  assert_memory_equal(p, &q, sizeof q);
}

static void what_is_written_reads_back_bit_for_bit(void **state) {
  tx_params p;
  assert_int_equal(read_text(good, strlen(good), &p), TX_OK);
  assert_true(signbit(p.initial_data_bhN_position[1][1]));
  assert_round_trip(&p);
  tx_params_default(&p);
  assert_round_trip(&p);
  uint64_t random = 12345;
  for (int i = 0; i < 50; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    double x = (double)(random >> 11) * 0x1p-53;
    p.evolution_cfl = 0.3 * x + 1e-3;
    p.evolution_chi_floor = pow(10.0, -300.0 * x);
    p.grid_extent = 1.0 + x;
    p.waves_radii.n = 2;
    p.waves_radii.v[0] = x + 1e-3;
    p.waves_radii.v[1] = x / 3.0 + 2e-6;
    assert_round_trip(&p);
  }
}

static void unused_parameters_are_written_as_comments(void **state) {
  tx_params p;
  char text[16384] = "";
  tx_params_default(&p);
  FILE *out = fopen(path, "w+");
  assert_non_null(out);
  assert_int_equal(tx_params_write(&p, out), TX_OK);
  rewind(out);
  text[fread(text, 1, sizeof text - 1, out)] = 0;
  fclose(out);
  assert_non_null(strstr(text, "\n# Domain and refinement\ngrid:\n  extent: 32\n"));
  assert_non_null(strstr(text, "\n  # wave_m: 0  # not used: only if initial_data.type is "
                               "teukolsky_wave\n"));
}

static void a_full_disk_is_noticed(void **state) {
  tx_params p;
  tx_params_default(&p);
  FILE *out = fopen("/dev/full", "w");
  assert_non_null(out);
  assert_int_equal(tx_params_write(&p, out), TX_ERR_IO);
  fclose(out);
}

static void wrong_files_are_refused(void **state) {
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"grid:\n  extent: 5\n  extnt: 5\n",
       ":3: grid.extnt: unknown parameter; did you mean grid.extent?"},
      {"grid:\n  etxetn: 5\n", ":2: grid.etxetn: unknown parameter; did you mean grid.extent?"},
      {"grid:\n  t_end: 5\n", ":2: grid.t_end: unknown parameter; did you mean run.t_end?"},
      {"grid:\n  zzzzzzzzzz: 5\n", ":2: grid.zzzzzzzzzz: unknown parameter; --help-params lists"},
      {"gird:\n  extent: 5\n", ":1: gird: unknown section; did you mean grid?"},
      {"\nextent: 5\n",
       ":2: extent: not in a section; write \"grid:\" and below it, indented, \"extent: "},
      {"grid.extent: 5\n", ":1: grid.extent: not in a section; write \"grid:\""},
      {"grid.extnt: 5\n", ":1: grid.extnt: unknown section; did you mean grid.extent?"},
      {"grid:\n  extent: 5\n  extent: 6\n", ":3: grid.extent: given twice, first in line 2"},
      {"grid:\n  extent: 5\nrun:\n  t_end: 1\ngrid:\n",
       ":5: section grid: given twice, first in line 1"},
      {"grid:\n  level_max: 2.5\n",
       ":2: grid.level_max: 2.5 is not allowed; give an integer from 0 to 18"},
      {"grid:\n  level_max: 1e1\n", ":2: grid.level_max: 1e1 is not allowed"},
      {"grid:\n  level_max: 20\n", ":2: grid.level_max: 20 is not allowed"},
      {"grid:\n  level_max: 17\n  trees: 3\n",
       ":2: grid.level_max: 17 is too fine for this number of trees; give at most 16"},
      {"grid:\n  level_max: 99999999999999999999\n", ":2: grid.level_max: 99999999999999999999 is"},
      {"grid:\n  level_max: '3'\n",
       ":2: grid.level_max: \"3\" is text; give it without quotes: an in"},
      {"grid:\n  level_max: [3]\n", ":2: grid.level_max: [3] is not allowed; give an integer"},
      {"grid:\n  extent: big\n",
       ":2: grid.extent: big is not allowed; give a number from 1e-06 to 1e+09 M"},
      {"grid:\n  extent: nan\n", ":2: grid.extent: nan is not allowed"},
      {"grid:\n  extent: inf\n", ":2: grid.extent: inf is not allowed"},
      {"grid:\n  extent: 0x10\n", ":2: grid.extent: 0x10 is not allowed"},
      {"grid:\n  extent: 1e999\n", ":2: grid.extent: 1e999 is not allowed"},
      {"grid:\n  extent: 1 M\n", ":2: grid.extent: 1 M is not allowed"},
      {"grid:\n  extent: 1/2\n", ":2: grid.extent: 1/2 is not allowed"},
      {"grid:\n  extent: 0\n", ":2: grid.extent: 0 is not allowed"},
      {"grid:\n  extent:\n", ":2: grid.extent: no value is given; give a number"},
      {"grid:\n  extent: {a: 1}\n",
       ":2: grid.extent: this is neither a single value nor a list; give"},
      {"run:\n  overwrite: 1\n", ":2: run.overwrite: 1 is not allowed; give true or false"},
      {"run:\n  name: ~\n", ":2: run.name: no value is given"},
      {"run:\n  name: \"a\\nb\"\n", ":2: run.name: "},
      {"initial_data:\n  type: kerr\n",
       "initial_data.type: kerr is not allowed; give one of minkowski, "},
      {"initial_data:\n  bh1_position: [1, 2]\n",
       "bh1_position: [1, 2] is not allowed; give [x, y, z]"},
      {"initial_data:\n  bh1_position: [1, 2, 3, 4]\n",
       "bh1_position: [1, 2, 3, 4] is not allowed"},
      {"initial_data:\n  bh1_position: 1\n", "bh1_position: 1 is not allowed; give [x, y, z]"},
      {"initial_data:\n  bh1_position: [1, a, 3]\n", "bh1_position: [1, a, 3] is not allowed"},
      {"waves:\n  radii: [1, [2]]\n", "waves.radii: the list holds something that is not a number"},
      {"waves:\n  radii: [1, , 2]\n", "not valid YAML"},
      {"grid: 5\n", ":1: section grid: must hold parameters"},
      {"grid:\n", ":1: section grid: must hold parameters"},
      {"- grid\n", ":1: must hold sections"},
      {"hello\n", ":1: must hold sections"},
      {"[1]: 5\n", ":1: the name of a section must be plain text"},
      {"grid:\n  [1]: 5\n", ":2: section grid: the name of a parameter must be plain text"},
      {"grid:\n\textent: 5\n", ":2: not valid YAML: "},
      {"grid:\n\textent: 5\n", "indent with spaces, this line holds a tab"},
      {"grid:\n  extent: 5\n level_max: 3\n", ":3: not valid YAML: "},
      {"grid: {extent: 5\n", ": not valid YAML: "},
      {"grid:\n  extent: \xff\n", ":2: not valid YAML: "},
      {"", ": the parameter file is empty"},
      {"# nothing\n", ": the parameter file is empty"},
      {"grid:\n  extent: 5\n---\nrun:\n  t_end: 1\n", ":4: a second YAML document begins"},
      {"grid:\n  extent: 5\n---\nrun: [\n", ": not valid YAML"},
      {"gauge:\n  shift: zero\n\n  eta: 2\n", ":4: gauge.eta: has no effect: it is used only if "
                                              "gauge.shift is gamma_driver and gauge.eta_form is "
                                              "constant or radial; remove it"},
      {"gauge:\n  shift: zero\n  eta_form: radial\n",
       ":3: gauge.eta_form: has no effect: it is used only if gauge.shift is gamma_driver, and "
       "gauge.shift is zero; remove it"},
      {"gauge:\n  eta_R0: 2\n", ":2: gauge.eta_R0: has no effect: it is used only if "
                                "gauge.eta_form is metric, and gauge.eta_form is constant"},
      {"gauge:\n  eta_form: metric\n  eta_far: 2\n",
       ":3: gauge.eta_far: has no effect: it is used only if gauge.eta_form is radial, and "
       "gauge.eta_form is metric"},
      {"gauge:\n  slow_start_time: 10\n",
       ":2: gauge.slow_start_time: has no effect: it is used only if gauge.slicing is one_plus_log "
       "and gauge.slow_start is above 0"},
      {"gauge:\n  slow_start: -0.1\n", ":2: gauge.slow_start: -0.1 is not allowed"},
      {"grid:\n  bh_growth: 1\n",
       ":2: grid.bh_growth: 1 is not allowed; give a number from 1.1 to 8"},
      {"grid:\n  bh_growth: 1.6\n", ":2: grid.bh_growth: has no effect: it is used only if "
                                    "initial_data.type is single_puncture"},
      {"grid:\n  ball_growth: 0.5\n", ":2: grid.ball_growth: 0.5 is not allowed"},
      {"grid:\n  ball_growth: 2\n",
       ":2: grid.ball_growth: has no effect: it is used only if grid.ball_radius is above 0"},
      {"evolution:\n  dissipation_outside: 2\n",
       ":2: evolution.dissipation_outside: has no effect: it is used only if grid.ball_growth is "
       "above 1, and grid.ball_growth is 1"},
      {"evolution:\n  dissipation_outside: 3.5\n",
       ":2: evolution.dissipation_outside: 3.5 is not allowed"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p;
    tx_error_clear();
    tx_status status = read_text(cases[c].text, strlen(cases[c].text), &p);
    assert_says(cases[c].text, status, cases[c].says);
    assert_non_null(strstr(tx_error_text(), path));
  }
}

static void odd_bytes_are_refused(void **state) {
  tx_params p;
  static char text[(1 << 20) + 10];
  assert_says("NUL", read_text("run:\n  name: \"a\\0b\"\n", 20, &p),
              ":2: run.name: byte 2, 0x00, is a control character");
  memset(text, '#', sizeof text);
  tx_error_clear();
  assert_says("large file", read_text(text, sizeof text, &p), "more than 1048576 bytes");
  tx_error_clear();
  memcpy(text, "run:\n  name: ", 13);
  memset(text + 13, 'a', 256);
  text[269] = '\n';
  assert_says("long text", read_text(text, 270, &p), ":2: run.name: the text is too long");
  assert_int_equal(read_text(text, 268, &p), TX_OK);
  assert_int_equal(strlen(p.run_name), 255);
}

static void files_that_cannot_be_read(void **state) {
  tx_params p;
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, "/nonexistent.yaml", 0, NULL, NULL, &p),
                   TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "/nonexistent.yaml: No such file or directory"));
  tx_error_clear();
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, "/tmp", 0, NULL, NULL, &p), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "/tmp: Is a directory"));
}

static void overrides_are_checked_like_the_file(void **state) {
  static const char *const cases[][2] = {
      {"grid.extent=foo", "--set grid.extent=foo: foo is not allowed; give a number from"},
      {"grid.extent=", "--set grid.extent=:  is not allowed"},
      {"grid.extnt=3", "--set grid.extnt=3: unknown parameter; did you mean grid.extent?"},
      {"t_end=4", "--set t_end=4: must be section.name=value; did you mean run.t_end?"},
      {"grid.extent", "--set grid.extent: must be section.name=value"},
      {"grid.extent=5; grid.extent=6",
       "--set grid.extent=6: given twice, also as --set grid.extent=5"},
      {"waves.radii=[1, 2", "--set waves.radii=[1, 2: "},
      {"waves.radii=1, , 2", "--set waves.radii=1, , 2: "},
      {"waves.radii=1, 2,", "--set waves.radii=1, 2,: "},
      {"waves.l_max=3",
       "--set waves.l_max=3: has no effect: it is used only if waves.radii is not empty"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p;
    tx_error_clear();
    assert_says(cases[c][0], read_set(cases[c][0], &p), cases[c][1]);
  }
}

static void overrides_win_over_the_file(void **state) {
  tx_params p;
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs("grid:\n  extent: 30\nwaves:\n  radii: 20\n", out);
  assert_int_equal(fclose(out), 0);
  const char *const set[] = {"grid.extent=28", "run.name=", "waves.radii=[ 2.5 ,3,4 ]",
                             "run.folder=a=b"};
  tx_status status = tx_params_read(MPI_COMM_WORLD, path, 4, set, NULL, &p);
  if (status != TX_OK) fail_msg("%s", tx_error_text());
  assert_true(p.grid_extent == 28.0);
  assert_string_equal(p.run_name, "");
  assert_string_equal(p.run_folder, "a=b");
  assert_int_equal(p.waves_radii.n, 3);
  assert_true(p.waves_radii.v[0] == 2.5 && p.waves_radii.v[2] == 4.0);
  const char *const none[] = {"waves.radii=[]"};
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, path, 1, none, NULL, &p), TX_OK);
  assert_int_equal(p.waves_radii.n, 0);
}

/* The file `text` with overrides that are separated by blanks. */
static tx_status read_text_set(const char *text, const char *sets, tx_params *p) {
  char copy[256];
  const char *set[4];
  int n = 0;
  snprintf(copy, sizeof copy, "%s", sets);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) set[n++] = w;
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
  return tx_params_read(MPI_COMM_WORLD, path, n, set, NULL, p);
}

/* A file, then overrides: what only they made useless is dropped and named in one warning of the
 * log, and what is left reads back. */
static void assert_dropped(const char *file, const char *set, const char *warning) {
  tx_params p, q;
  char text[1024] = "", log[80];
  tx_status status = read_text_set(file, set, &p);
  if (status != TX_OK) fail_msg("%s", tx_error_text());
  assert_int_equal(tx_params_check(&p, NULL, NULL), TX_OK);
  snprintf(log, sizeof log, "%s.log", path);
  assert_int_equal(tx_log_open(log), TX_OK);
  assert_int_equal(tx_log_close(), TX_OK);
  FILE *f = fopen(log, "r");
  assert_non_null(f);
  text[fread(text, 1, sizeof text - 1, f)] = '\0';
  fclose(f);
  remove(log);
  assert_string_equal(text, warning);
  f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(tx_params_write(&p, f), TX_OK);
  assert_int_equal(fclose(f), 0);
  status = tx_params_read(MPI_COMM_WORLD, path, 0, NULL, NULL, &q);
  if (status != TX_OK) fail_msg("%s", tx_error_text());
  assert_memory_equal(&p, &q, sizeof p);
}

#define THREE                                                                                      \
  "initial_data.type=punctures; grid.level_max=4; initial_data.bh1_mass=1; "                       \
  "initial_data.bh2_mass=1; initial_data.bh3_mass=1; initial_data.bh1_position=2,0,0; "            \
  "initial_data.bh2_position=-2,0,0; "
#define LOST "warning: without effect after --set: "
#define BALL "grid:\n  level_min: 1\n  level_max: 3\n  ball_level: 2\n  ball_radius: 9\n"

static void overrides_may_make_the_file_useless(void **state) {
  tx_log_quiet(1);
  assert_dropped("output:\n  slices_every: 8\n  variables: K\n", "output.slices_every=0",
                 LOST "output.variables\n");
  assert_dropped("waves:\n  radii: [9]\n  l_max: 3\n  every: 5\n", "waves.radii=[]",
                 LOST "waves.l_max, waves.every\n");
  assert_dropped("waves:\n  radii: [9]\n  l_max: 3\n", "run.t_end=1", "");
  assert_dropped(BALL, "grid.ball_radius=0", LOST "grid.ball_level\n");
  assert_dropped(BALL, "grid.ball_level=1", LOST "grid.ball_radius\n");
  assert_dropped("grid:\n  wavelet_tol: 1e-3\n  wavelet_tol_far: 1e-2\n  wavelet_radius: 9\n",
                 "grid.wavelet_tol=0", LOST "grid.wavelet_tol_far, grid.wavelet_radius\n");
}

static void overrides_excuse_nothing_else(void **state) {
  static const char *const cases[][3] = {
      {"waves:\n  l_max: 3\n", "waves.radii=[]", ":2: waves.l_max: has no effect"},
      {"waves:\n  l_max: 3\n", "run.t_end=1", ":2: waves.l_max: has no effect"},
      {"waves:\n  radii: [9]\n", "waves.radii=[] waves.l_max=3",
       "--set waves.l_max=3: has no effect"},
      {"grid:\n  wavelet_radius: 9\nwaves:\n  radii: [9]\n  every: 3\n", "waves.radii=[]",
       ":2: grid.wavelet_radius: has no effect"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p;
    tx_error_clear();
    assert_says(cases[c][0], read_text_set(cases[c][0], cases[c][1], &p), cases[c][2]);
  }
}

/* Orders of the differences and of the dissipation that this program takes by default. */
#if TX_K == 3
#define USUAL    "6"
#define USUAL_KO "5"
#else
#define USUAL    "8"
#define USUAL_KO "7"
#endif

static void relations_that_do_not_hold(void **state) {
  static const char *const cases[][2] = {
      {"grid.level_min=3; grid.level_max=2",
       "grid.level_max=2: 2 is below grid.level_min, which is 3"},
      {ONE "; grid.bh1_level=5",
       "bh1_level=5: 5 is not allowed; give -1 or a level from grid.level_min 0 to"},
      {TWO MASS2 "grid.level_min=2; grid.bh2_level=1; " MIRRORED, "bh2_level=1: 1 is not allowed"},
      {"evolution.order=5",
       "evolution.order=5: order 5 with centred advection and dissipation of "
       "order " USUAL_KO " is not in this program, which has " USUAL " centred with " USUAL_KO},
      {"evolution.advection=upwinded",
       "evolution.advection=upwinded: order " USUAL " with upwinded"},
      {"evolution.dissipation_order=6",
       "evolution.dissipation_order=6: order " USUAL " with centred advection and dissipation of "
       "order 6 is not in this program"},
      {"grid.ball_radius=3; grid.ball_level=2; grid.level_max=1", "ball_level=2: 2 is not allowed"},
      {TWO MASS2 MIRRORED "grid.regrid_every=64; grid.remnant_level=5",
       "remnant_level=5: 5 is not allowed; give -1 or a level from grid.level_min 0 to "
       "grid.level_max 4"},
      {TWO MASS2 MIRRORED
       "grid.regrid_every=64; grid.ball_level=3; grid.ball_radius=8; grid.remnant_level=2",
       "remnant_level=2: 2 is not allowed; give -1 or a level from grid.ball_level 3 to"},
      {TWO MASS2 MIRRORED "grid.remnant_level=2",
       "has no effect: it is used only if there are several punctures, and grid.regrid_every and"},
      {TWO MASS2 MIRRORED "grid.regrid_every=64; horizons.every=0; grid.remnant_level=2",
       "has no effect: it is used only if there are several punctures, and grid.regrid_every and"},
      {TWO MASS2 MIRRORED "grid.regrid_every=64; grid.remnant_delay=2",
       "has no effect: it is used only if grid.remnant_level is not -1"},
      {"grid.ball_radius=3",
       "ball_radius=3: has no effect: it is used only if grid.ball_level is above"},
      {"grid.ball_level=1; grid.level_max=1",
       "has no effect: it is used only if grid.ball_radius is"},
      {"grid.wavelet_tol=1; grid.wavelet_tol_far=1", "needs grid.wavelet_radius"},
      {"grid.wavelet_radius=10",
       "has no effect: it is used only if grid.wavelet_tol_far is above 0"},
      {"grid.coarsen_below=0.2", "has no effect: it is used only if grid.wavelet_tol is above 0"},
      {"grid.reflect=xz; grid.periodic=z", "grid.periodic=z: z is both periodic and reflecting"},
      {ONE "; grid.periodic=z", "data of an isolated source cannot be periodic"},
      {"initial_data.type=single_puncture; grid.level_max=4",
       "bh1_mass: initial_data.type single_puncture "
       "needs a mass above 0 M"},
      {TWO "initial_data.bh2_mass=0; " MIRRORED, "brill_lindquist needs a mass above 0 M"},
      {ONE "; initial_data.bh2_mass=1",
       "bh2_mass=1: has no effect: it is used only if initial_data.type is "
       "brill_lindquist, two_punctures or punctures, and initial_data.type is single_puncture"},
      {TWO MASS2 MIRRORED "initial_data.bh3_mass=1",
       "is used only if initial_data.type is punctures"},
      {"initial_data.type=punctures", "initial_data.type punctures needs a mass above 0 M"},
      {THREE "initial_data.bh5_mass=1",
       "bh5_mass=1: puncture 4 has no mass, so this one would be ignored"},
      {THREE "initial_data.bh3_position=-2,0,0",
       "bh3_position=-2,0,0: is also the position of puncture 2; give another, or remove one"},
      {THREE "initial_data.bh3_position=0,400,0", "(0, 400, 0) lies outside the domain"},
      {THREE "grid.reflect=x; initial_data.bh3_position=1,3,0",
       "bh3_position=1,3,0: x = 1 breaks the reflection symmetry of grid.reflect; give x = 0, make "
       "another puncture its mirror image"},
      {THREE "grid.reflect=x; initial_data.bh2_spin=0.1,0,0",
       "bh2_spin=0.1,0,0: is not the mirror image of bh1_spin"},
      {THREE "grid.reflect=x; initial_data.bh3_momentum=1,0,0",
       "bh3_momentum=1,0,0: x = 1 breaks the reflection symmetry"},
      {THREE "grid.bh3_level=7", "bh3_level=7: 7 is not allowed"},
      {ONE "; initial_data.bh1_position=0,32,0",
       "(0, 32, 0) lies outside the domain; raise grid.extent"},
      {TWO MASS2 "initial_data.bh2_position=0,0,-66", "(0, 0, -66) lies outside the domain"},
      {TWO MASS2 "initial_data.bh1_position=1,0,0; initial_data.bh2_position=1,0,0",
       "is also the position of"},
      {ONE "; grid.reflect=xz; initial_data.bh1_position=1,0,1",
       "x = 1 breaks the reflection symmetry"},
      {TWO "grid.reflect=z; initial_data.bh2_mass=2; " MIRRORED,
       "2 differs from the mass of puncture 1, 1, whose"},
      {TWO MASS2 "grid.reflect=z; grid.bh2_level=3; " MIRRORED, "3 differs from grid.bh1_level"},
      {TWO MASS2 "grid.reflect=z; grid.bh2_radius=3; " MIRRORED,
       "bh2_radius=3: 3 M differs from that of puncture 1, 2 M, though puncture 2 is its mirror"},
      {TWO MASS2 "grid.reflect=z; initial_data.bh1_position=0,1,0; initial_data.bh2_position=0,0,3",
       "bh2_position=0,0,3: z = 3 breaks the reflection symmetry of grid.reflect"},
      {TWO MASS2
       "grid.reflect=z; initial_data.bh1_position=0,1,4; initial_data.bh2_position=0,0,-4",
       "bh1_position=0,1,4: z = 4 breaks the reflection symmetry of grid.reflect"},
      {TWO MASS2
       "grid.reflect=yz; initial_data.bh1_position=0,1,1; initial_data.bh2_position=0,-1,-1",
       "y = 1 breaks the reflection symmetry of grid.reflect"},
      {WAVE "grid.periodic=xy", "periodic=xy: a plane wave needs periodic faces"},
      {WAVE "grid.periodic=xyz; grid.extent=20", "16 M does not divide the periodic domain"},
      {WAVE "grid.periodic=xyz; grid.extent=8; initial_data.amplitude=1",
       "amplitude=1: 1 makes the metric"},
      {"waves.radii=[10,32]", "the sphere of radius 32 M leaves the domain; give radii below"},
      {"waves.radii=[10,20,10]", "10 is given twice"},
      {"waves.radii=[10.004,20,9.996]",
       "10.004 and 9.996 would both be r10.00 in output file names"},
      {"waves.radii=10; waves.l_max=8; waves.degree=15",
       "degree=15: 15 cannot separate modes up to"},
      {"gauge.lambda_f1=-1.5", "f = lambda_f0 + lambda_f1 = -0.5 at alpha = 1 is negative"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p;
    tx_error_clear();
    assert_says(cases[c][0], read_set(cases[c][0], &p), cases[c][1]);
  }
}

static void relations_that_hold(void **state) {
  static const char *const cases[] = {
      ONE,
      ONE "; grid.reflect=xyz; grid.bh1_level=3; grid.bh_radius=2",
      ONE "; grid.reflect=xy; initial_data.bh1_position=0,0,-32",
      TWO MASS2 MIRRORED "grid.reflect=xyz",
      TWO MASS2 MIRRORED "grid.reflect=xyz; grid.bh1_level=4",
      TWO "initial_data.bh2_mass=0.5; grid.reflect=xy; " MIRRORED,
      WAVE "grid.periodic=xyz; grid.extent=8; initial_data.direction=z",
      "initial_data.type=gauge_wave; initial_data.wavelength=0.1; grid.periodic=xyz; "
      "grid.extent=0.5",
      "initial_data.type=noise; gauge.shift=zero; gauge.advect_lapse=false; initial_data.seed=4",
      "grid.ball_radius=3; grid.ball_level=2; grid.level_max=2",
      "waves.radii=10; waves.l_max=8; waves.degree=17",
      "waves.radii=[10,10.01]; waves.text=false",
      "initial_data.type=quasi_circular; grid.reflect=z; initial_data.bh1_chi=0,0,0.9",
      ONE "; initial_data.bh1_spin=0,0,0.3; grid.reflect=z; initial_data.resolution=16",
      "initial_data.type=two_punctures; initial_data.bh1_mass=1; initial_data.bh2_mass=1; "
      "initial_data.bh1_position=1,0,0; initial_data.bh2_position=-1,0,0; "
      "initial_data.bh1_momentum=-0.1,0,0; initial_data.bh2_momentum=0.1,0,0; "
      "initial_data.bh1_spin=0.2,0,0; initial_data.bh2_spin=0.2,0,0; grid.reflect=x",
      "gauge.lambda_f0=0; gauge.lambda_f1=1",
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p;
    tx_status status = read_set(cases[c], &p);
    if (status != TX_OK) fail_msg("%s: %s", cases[c], tx_error_text());
  }
}

static void check_needs_no_file(void **state) {
  tx_params p;
  tx_params_default(&p);
  p.initial_data_wave_m = 2;
  assert_says("unused", tx_params_check(&p, "a.yaml", NULL),
              "a.yaml: initial_data.wave_m: has no effect");
}

static void help_is_readable(void **state) {
  static char text[65536];
  FILE *out = fopen(path, "w+");
  assert_non_null(out);
  tx_params_help(NULL, out);
  rewind(out);
  text[fread(text, 1, sizeof text - 1, out)] = 0;
  fclose(out);
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    if (strcspn(line, "\n") > 100) fail_msg("more than 100 columns: %.120s", line);
#define SECTION(name, about) assert_non_null(strstr(text, #name ": " about "\n"));
#define PARAM(kind, section, name, ...)                                                            \
  assert_non_null(strstr(text, "\n  " #section "." #name ": "));
#define PER_HOLE(n, kind, section, name, ...) PARAM(kind, section, bhN_##name)
#include "params/params.def"
  assert_non_null(
      strstr(text, "\n  gauge.eta: 2 1/M\n      damping of the Gamma driver; with eta_form radial "
                   "its value at the "
                   "origin.\n      a number from 0 to 1e+06 1/M\n      default for a total mass of "
                   "1; scaled with the mass of the punctures\n      used only if gauge.shift is "
                   "gamma_driver and gauge.eta_form is constant or radial\n"));
}

static void help_can_be_narrowed(void **state) {
  char text[4096];
  FILE *out = fopen(path, "w+");
  assert_non_null(out);
  tx_params_help("bh1_m", out);
  tx_params_help("nothing like it", out);
  rewind(out);
  text[fread(text, 1, sizeof text - 1, out)] = 0;
  fclose(out);
  assert_true(strncmp(text, "initial_data: Initial data\n\n  initial_data.bhN_mass: 0 M\n", 50) ==
              0);
  assert_non_null(strstr(text, "      N is 1 to 8\n"));
  assert_null(strstr(text, "bhN_spin"));
  assert_non_null(strstr(text, "no parameter's key contains \"nothing like it\""));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(defaults_are_valid),
      TEST(every_form_of_value_is_read),
      TEST(what_is_written_reads_back_bit_for_bit),
      TEST(unused_parameters_are_written_as_comments),
      TEST(a_full_disk_is_noticed),
      TEST(wrong_files_are_refused),
      TEST(odd_bytes_are_refused),
      TEST(files_that_cannot_be_read),
      TEST(overrides_are_checked_like_the_file),
      TEST(overrides_win_over_the_file),
      TEST(overrides_may_make_the_file_useless),
      TEST(overrides_excuse_nothing_else),
      TEST(relations_that_do_not_hold),
      TEST(relations_that_hold),
      TEST(check_needs_no_file),
      TEST(help_is_readable),
      TEST(help_can_be_narrowed),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
