/* Parameter files in the making. */
#include <mpi.h>
#include <string.h>
#include "base/base.h"
#include "params/settings.h"
#include "support/cmocka.h"

static tx_settings *settings(int n, const char *const *set) {
  tx_settings *s = NULL;
  assert_int_equal(tx_settings_create(n, set, &s), TX_OK);
  return s;
}

static void put_hole(tx_settings *s) {
  tx_settings_put(s, "initial_data.type", "single_puncture", "%s", "");
  tx_settings_put_real(s, "initial_data.bh1_mass", 1.0, "M");
  tx_settings_put_real(s, "run.t_end", 10.0, "M; %d periods", 2);
  tx_settings_put_int(s, "grid.level_max", 2, "h = %g M", 1.0);
}

static void says(tx_settings *s, const char *fragment) {
  assert_int_equal(tx_settings_check(s, "x.yaml", NULL), TX_ERR_PARAM);
  if (!strstr(tx_error_text(), fragment)) fail_msg("%s", tx_error_text());
  tx_error_clear();
  tx_settings_destroy(s);
}

/** Sections in order, values as a file has them, comments behind them; what is given stays. */
static void what_is_put_becomes_a_file(void **state) {
  const char *given = "grid.level_max=3";
  tx_settings *s = settings(1, &given);
  tx_text text = {.data = NULL};
  put_hole(s);
  assert_true(tx_settings_given(s, "grid.level_max") && !tx_settings_given(s, "run.t_end"));
  assert_int_equal(tx_settings_params(s)->grid_level_max, 3);
  assert_int_equal(tx_settings_check(s, "x.yaml", NULL), TX_OK);
  tx_settings_text(s, &text);
  assert_string_equal(text.data, "run:\n"
                                 "  t_end: 10                     # M; 2 periods\n"
                                 "\n"
                                 "grid:\n"
                                 "  level_max: 3                  # as asked for\n"
                                 "\n"
                                 "initial_data:\n"
                                 "  type: single_puncture\n"
                                 "  bh1_mass: 1                   # M\n");
  tx_text_free(&text);
  tx_settings_destroy(s);
}

/** Those that have no effect go, and so do those that have none without them; given ones are errors. */
static void what_has_no_effect_goes(void **state) {
  const char *given = "grid.ball_radius=0";
  tx_settings *s = settings(0, NULL);
  put_hole(s);
  tx_settings_put_real(s, "grid.ball_growth", 2.0, "%s", "");
  tx_settings_put_int(s, "grid.ball_level", 0, "%s", "");
  tx_settings_put_real(s, "grid.ball_radius", 5.0, "%s", "");
  assert_int_equal(tx_settings_check(s, "x.yaml", NULL), TX_OK);
  assert_true(tx_settings_params(s)->grid_ball_growth == 1.0);
  assert_true(tx_settings_params(s)->grid_ball_radius == 0.0);
  tx_settings_destroy(s);
  given = "gauge.eta_far=0.5";
  s = settings(1, &given);
  put_hole(s);
  says(s, "--set gauge.eta_far=0.5: has no effect");
}

static void what_is_wrong_is_said(void **state) {
  const char *given[] = {"grid.level_max=x", "grid.extent=-1"};
  tx_settings *s = NULL;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(tx_settings_create(1, &given[i], &s), TX_ERR_PARAM);
    if (!strstr(tx_error_text(), given[i])) fail_msg("%s", tx_error_text());
    assert_null(s);
    tx_error_clear();
  }
  s = settings(0, NULL);
  tx_settings_put_int(s, "grid.levels", 1, "%s", "");
  says(s, "grid.levels: unknown parameter");
  s = settings(0, NULL);
  tx_settings_put_int(s, "grid.level_max", 99, "%s", "");
  says(s, "grid.level_max: 99 is not allowed");
  s = settings(0, NULL);
  tx_settings_put(s, "run.name", (char[400]){[0 ... 398] = 'x'}, "%s", "");
  says(s, "run.name: the value is too long");
  s = settings(0, NULL);
  put_hole(s);
  tx_settings_put_int(s, "grid.level_min", 3, "%s", "");
  says(s, "x.yaml: grid.level_m");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_put_becomes_a_file),
      cmocka_unit_test(what_has_no_effect_goes),
      cmocka_unit_test(what_is_wrong_is_said),
  };
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  const tx_status left = tx_base_finalize(MPI_COMM_WORLD); /* what is left over is a failure */
  MPI_Finalize();
  return failed + (left != TX_OK);
}
