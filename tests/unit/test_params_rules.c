/* The rules that rows of params.def give, for all parameters: cadences, restarts, conditions, and the order in files. */
#include "evolve/demands.h"
#include "evolve/macro_step.h"
#define DEMANDS tx_evolve_demands
#include "params_given.h"

#include <stdlib.h>
#include "base/base.h"
#include "base/memory.h"
#include "params/table.h"

static int start(void **state) {
  tx_error_clear();
  return 0;
}

static int stop(void **state) {
  return tx_memory_blocks() != 0;
}

static int *steps_of(tx_params *p, int index) {
  return (int *)((char *)p + tx_param_table[index].offset);
}

static bool is_one_of(const char *key, const char *const *keys) {
  for (; *keys; keys++)
    if (strcmp(key, *keys) == 0) return true;
  return false;
}

/* A binary with everything on that is done every so many steps, each 64; its finest step, of level 12, is 1/256 M. */
#define FINEST   12
#define COARSEST 2
static void all_cadences(tx_params *p) {
  assert_int_equal(read_set("grid.extent=128; grid.level_min=2; grid.level_max=12; waves.radii=50; "
                            "initial_data.type=quasi_circular; waves.worldtubes=100; "
                            "output.modes=chi; evolution.time_steps=levels",
                            p),
                   TX_OK);
  p->grid_extent = 64 * TX_N;
  for (int i = 0; i < TX_PARAMS; i++)
    if (tx_param_table[i].cadence) *steps_of(p, i) = 64;
}

/* What is given in steps is a cadence, but for lines of the log, which may come later. */
static void numbers_of_steps_are_cadences(void **state) {
  tx_params p;
  all_cadences(&p);
  for (int i = 0; i < TX_PARAMS; i++) {
    const param_info *info = &tx_param_table[i];
    const bool steps = strcmp(info->unit, "steps") == 0 && i != TX_PARAM_output_log_every;
    if (info->cadence != steps) fail_msg("%s: is it a cadence?", info->key);
    assert_true(!steps || info->kind == PARAM_INT);
    if (tx_param_cadence(&p, i) != (steps ? 64 : 0))
      fail_msg("%s: without effect; all_cadences must switch it on", info->key);
  }
}

static void cadences_bound_the_macro_step(void **state) {
  for (int i = 0; i < TX_PARAMS; i++) {
    tx_params p;
    char text[1200];
    if (!tx_param_table[i].cadence) continue;
    all_cadences(&p);
    assert_int_equal(tx_macro_levels(&p, FINEST, COARSEST), 6);
    *steps_of(&p, i) = 100;
    if (tx_macro_levels(&p, FINEST, COARSEST) != 2) fail_msg("%s", tx_param_key(i));
    assert_true(tx_macro_bound(&p, FINEST, COARSEST, text, sizeof text));
    assert_int_equal(strncmp(text, tx_param_key(i), strlen(tx_param_key(i))), 0);
    p.evolution_macro_step = 0.25;
    snprintf(text, sizeof text, "a.yaml: %s: 100 steps are not a multiple of the 64",
             tx_param_key(i));
    tx_error_clear();
    assert_says(tx_param_key(i), tx_params_check(&p, "a.yaml", tx_evolve_demands), text);
    tx_error_clear();
  }
}

/* What a run computes is fixed; what it needs for that, and how often it writes, may change. */
static param_restart expected(const param_info *info) {
  static const char *const sections[] = {"run", "compute", "checkpoint", "output", NULL};
  static const char *const ignored[] = {"run.name", "run.folder", "run.overwrite", NULL};
  static const char *const fixed[] = {"output.modes",
                                      "output.modes_radii",
                                      "output.modes_l_max",
                                      "output.norms",
                                      "output.norms_exclude",
                                      "output.variables",
                                      NULL};
  static const char *const changed[] = {"evolution.time_steps", "evolution.macro_step",
                                        "horizons.every", "horizons.common_below", NULL};
  if (is_one_of(info->key, ignored)) return PARAM_IGNORED;
  if (is_one_of(info->key, changed)) return PARAM_MAY_CHANGE;
  return is_one_of(info->section, sections) && !is_one_of(info->key, fixed) ? PARAM_MAY_CHANGE
                                                                            : PARAM_FIXED;
}

static void restarts_take_what_may_change(void **state) {
  tx_params p;
  tx_params_default(&p);
  for (int i = 0; i < TX_PARAMS; i++) {
    const param_info *info = &tx_param_table[i];
    char value[TX_PARAM_TEXT_MAX], was[80], text[2 * TX_PARAM_TEXT_MAX], changes[400];
    if (info->restart != expected(info)) fail_msg("%s: may a restart change it?", info->key);
    tx_error_clear();
    tx_param_format(&p, i, value, sizeof value);
    snprintf(was, sizeof was, "%s: another\n", info->key);
    const tx_status status = tx_params_check_change(was, &p, changes, sizeof changes);
    if (info->restart == PARAM_FIXED) {
      snprintf(text, sizeof text, "%s: %s differs from the run's value, another", info->key, value);
      assert_says(info->key, status, text);
    } else {
      snprintf(text, sizeof text, "%s: %s, was another", info->key, value);
      assert_int_equal(status, TX_OK);
      /* Values without a line are of runs before there was the parameter. */
      const char *said = strstr(changes, "evolution.time_steps: levels, was global");
      assert_true(said || i == TX_PARAM_evolution_time_steps);
      if (info->restart == PARAM_MAY_CHANGE)
        assert_non_null(strstr(changes, text));
      else
        assert_null(strstr(changes, info->key));
    }
  }
  tx_error_clear();
}

/* Each condition holds of some data and not of others, and names the parameter that decides. */
static void conditions_tell_data_apart(void **state) {
  static const char *const sets[] = {
      "compute.device=cpu",
      ONE "; initial_data.bh1_spin=0,0,0.5; initial_data.solver=multigrid",
      TWO MASS2 MIRRORED "grid.regrid_every=64; grid.remnant_level=3",
      "initial_data.type=two_punctures; grid.level_max=4; initial_data.bh1_mass=1; " MASS2 MIRRORED
      "initial_data.resolution=20; output.norms_every=0; horizons.every=0",
      "initial_data.type=quasi_circular; grid.level_max=4; waves.radii=9; waves.worldtubes=9",
      "initial_data.type=punctures; grid.level_max=4; initial_data.bh1_mass=1",
      WAVE "grid.periodic=xyz; output.slices_every=4; output.fields_every=4",
      "initial_data.type=teukolsky_wave; gauge.shift=zero; gauge.slicing=harmonic",
      "initial_data.type=brill_wave; initial_data.amplitude=1; output.modes=chi",
      "initial_data.type=noise; gauge.eta_form=radial; gauge.slow_start=0.1",
      ONE "; gauge.eta_form=metric; evolution.system=z4c; evolution.time_steps=global",
      "grid.level_max=3; grid.ball_level=2; grid.ball_radius=4; grid.ball_growth=2",
      "grid.level_max=3; grid.wavelet_tol=1e-3; grid.wavelet_tol_far=1; grid.wavelet_radius=9",
  };
  bool held[TX_CONDITIONS] = {false}, failed[TX_CONDITIONS] = {false};
  for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
    tx_params p;
    tx_error_clear();
    if (read_set(sets[s], &p) != TX_OK) fail_msg("%s: %s", sets[s], tx_error_text());
    for (int c = 0; c < TX_CONDITIONS; c++)
      *(tx_param_conditions[c].holds(&p) ? &held[c] : &failed[c]) = true;
  }
  tx_params p;
  tx_params_default(&p);
#define WORD(number, word)                                                                         \
  p.evolution_system = number;                                                                     \
  for (int c = 0; c < TX_CONDITIONS; c++)                                                          \
    *(tx_param_conditions[c].holds(&p) ? &held[c] : &failed[c]) = true;
  TX_EVOLVED_WORDS(WORD)
#undef WORD
  p.initial_data_type = TX_ID_PROFILE;
#define PROFILE(number, name, text)                                                                \
  p.evolution_system = number;                                                                     \
  snprintf(p.initial_data_profile, sizeof p.initial_data_profile, name);                           \
  for (int c = 0; c < TX_CONDITIONS; c++)                                                          \
    *(tx_param_conditions[c].holds(&p) ? &held[c] : &failed[c]) = true;
#include "params/system_parameters.def"
#undef PROFILE
  for (int c = 1; c < TX_CONDITIONS; c++) {
    const param_condition *condition = &tx_param_conditions[c];
    bool used = false;
    for (int i = 0; i < TX_PARAMS; i++) used = used || tx_param_condition(i) == condition;
    if (!held[c] || !failed[c] || !used) fail_msg("\"%s\": no difference", condition->text);
    if (condition->decides >= 0)
      assert_non_null(strstr(condition->text, tx_param_key(condition->decides)));
  }
}

/* Each parameter is passed once; what every puncture has, puncture by puncture. */
static void files_have_an_order(void **state) {
  static const char *const names[] = {"mass", "position", "momentum", "spin"};
  int passed = 0, i = 0;
  bool seen[TX_PARAMS] = {false};
  for (; i < TX_PARAMS; i = tx_param_next(i), passed++) {
    assert_false(seen[i]);
    seen[i] = true;
  }
  assert_int_equal(passed, TX_PARAMS);
  i = TX_PARAM_initial_data_bhN_mass;
  for (int a = 1; a <= TX_PUNCTURES_MAX; a++)
    for (int n = 0; n < 4; n++, i = tx_param_next(i)) {
      char key[80];
      snprintf(key, sizeof key, "initial_data.bh%d_%s", a, names[n]);
      assert_string_equal(tx_param_key(i), key);
    }
  assert_int_equal(i, TX_PARAM_initial_data_separation);
  assert_int_equal(tx_param_next(TX_PARAM_grid_bhN_level + 7), TX_PARAM_grid_bh_radius);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(numbers_of_steps_are_cadences), TEST(cadences_bound_the_macro_step),
      TEST(restarts_take_what_may_change), TEST(conditions_tell_data_apart),
      TEST(files_have_an_order),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
