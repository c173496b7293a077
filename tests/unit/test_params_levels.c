/* Steps in time of levels: what is chosen, what bounds it, what is refused. */
#include "evolve/demands.h"
#include "evolve/macro_step.h"
#define DEMANDS tx_evolve_demands
#include "params_given.h"

#include <stdlib.h>
#include "base/base.h"
#include "base/grid.h"
#include "base/memory.h"

static int start(void **state) {
  tx_error_clear();
  return 0;
}

static int stop(void **state) {
  return tx_memory_blocks() != 0;
}

/* A binary with levels 2 to 12, spacings of 16 M to 1/64 M, cfl 0.25: the finest step is 1/256 M. All that is done is
 * done every 64 steps. */
#define FINEST   12
#define COARSEST 2
#define DT       (1.0 / 256.0)
static tx_status read_pair(const char *more, tx_params *p) {
  char text[1024];
  snprintf(text, sizeof text,
           "grid.extent=%d; grid.level_min=2; grid.level_max=12; initial_data.type=quasi_circular; "
           "waves.radii=50; waves.every=64; horizons.every=64; output.track_every=64; "
           "grid.regrid_every=64; evolution.time_steps=levels%s%s",
           64 * TX_N, *more ? "; " : "", more);
  tx_error_clear();
  return read_set(text, p);
}

static int levels_of(const char *more) {
  tx_params p;
  if (read_pair(more, &p) != TX_OK) fail_msg("%s: %s", more, tx_error_text());
  return tx_macro_levels(&p, FINEST, COARSEST);
}

static void assert_bound(const char *more, const char *expect) {
  tx_params p;
  char text[1200];
  if (read_pair(more, &p) != TX_OK) fail_msg("%s: %s", more, tx_error_text());
  const bool cadence = tx_macro_bound(&p, FINEST, COARSEST, text, sizeof text);
  if (strcmp(text, expect) != 0) fail_msg("%s\n gives: %s\n instead of: %s", more, text, expect);
  assert_true(cadence == (strstr(expect, " allow ") != NULL));
}

static void time_steps_of_levels_are_the_default(void **state) {
  tx_params p;
  char text[400];
  tx_params_default(&p);
  assert_int_equal(p.evolution_time_steps, TX_STEPS_LEVELS);
  assert_true(p.evolution_macro_step == 0.0);
  /* Norms, every 64 steps, are all that is done in flat space. */
  assert_int_equal(tx_macro_levels(&p, 9, 2), 6);
  assert_true(tx_macro_bound(&p, 9, 2, text, sizeof text));
  assert_non_null(strstr(text, "output.norms_every 64 (128)"));
  assert_int_equal(read_set("grid.level_max=3; evolution.macro_step=8", &p), TX_OK);
}

/* Where a remnant may do with fewer levels, steps stay those of the finest level that the holes had. */
static void steps_are_counted_as_before_the_merger(void **state) {
  tx_params p;
  assert_int_equal(read_pair("grid.remnant_level=9", &p), TX_OK);
  assert_int_equal(tx_step_level(&p, 12), 12);
  assert_int_equal(tx_step_level(&p, 9), 12);
  assert_int_equal(tx_macro_levels(&p, 9, 2), tx_macro_levels(&p, 12, 2));
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  assert_int_equal(tx_macro_levels(&p, 12, 2), 0);
  assert_int_equal(tx_macro_levels(&p, 9, 2), 3);
  p.output_track_every = 66; /* what is done so often is met */
  assert_int_equal(tx_macro_levels(&p, 9, 2), 1);
  p.output_track_every = 64;
  p.gauge_eta = 0.5 * 256.0 / 4.0; /* and so is the damping of the shift */
  assert_int_equal(tx_macro_levels(&p, 9, 2), 2);
  assert_int_equal(read_pair("", &p), TX_OK);
  assert_int_equal(tx_step_level(&p, 9), 9);
}

static void one_step_for_all_knows_no_macro_step(void **state) {
  tx_params p;
  tx_params_default(&p);
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  assert_int_equal(tx_macro_levels(&p, 9, 2), 0);
  assert_int_equal(tx_macro_longest(&p, 9, 2), 0);
  assert_says("global", read_set("evolution.time_steps=global; evolution.macro_step=0.25", &p),
              "--set evolution.macro_step=0.25: has no effect: it is used only if "
              "evolution.time_steps is levels, and evolution.time_steps is global; remove it");
}

/* A quarter of M with holes, 2 M of damping in a quarter of a step. */
static void the_step_that_is_chosen_has_reasons(void **state) {
  assert_int_equal(levels_of(""), 6);
  assert_bound("", "0.25 M, the longest chosen with black holes");
  assert_int_equal(levels_of("gauge.eta=2.01"), 5);
  assert_bound("gauge.eta=4", "eta, up to 4 / M: 0.5 / eta is the longest chosen");
  assert_int_equal(levels_of("gauge.eta_form=radial; gauge.eta=1; gauge.eta_far=8"), 4);
  assert_int_equal(levels_of("gauge.shift=zero"), 6);
  assert_int_equal(levels_of("gauge.eta=0; gauge.slow_start=4"), 5);
  assert_bound("gauge.eta=0; gauge.slow_start=4",
               "gauge.slow_start 4 / M: 0.5 / slow_start is the longest chosen");
  assert_int_equal(levels_of("evolution.cfl=0.35"), 5);
  assert_int_equal(levels_of("evolution.system=z4c"), 6);
  assert_int_equal(levels_of("evolution.system=z4c; evolution.kappa1=1.01"), 5);
  assert_bound("evolution.system=z4c; evolution.kappa1=1; evolution.kappa2=2",
               "constraint damping, 4 / M: 0.5 over this rate is the longest chosen");
}

/* Metric eta is up to R0 / m at a hole of mass m, on all levels: those that are coarse have octants there too. */
static void metric_damping_of_the_smallest_hole_counts(void **state) {
#define METRIC "gauge.eta_form=metric; initial_data.mass_ratio="
  assert_int_equal(levels_of(METRIC "1; gauge.eta_R0=0.99"), 6);
  assert_int_equal(levels_of(METRIC "1; gauge.eta_R0=1.01"), 5);
  assert_int_equal(levels_of(METRIC "7; gauge.eta_R0=0.99"), 4);
  assert_int_equal(levels_of(METRIC "7; gauge.eta_R0=1.01"), 3);
#undef METRIC
}

static void there_are_no_more_steps_than_levels(void **state) {
  tx_params p;
  char text[400];
  assert_int_equal(read_pair("", &p), TX_OK);
  assert_int_equal(tx_macro_levels(&p, 12, 8), 4);
  assert_int_equal(tx_macro_levels(&p, 12, 12), 0);
  assert_int_equal(tx_macro_levels(&p, 11, 2), 5);
  assert_false(tx_macro_bound(&p, 12, 8, text, sizeof text));
  assert_string_equal(text, "the grid: no level is coarser than 8");
  /* Without holes and damping nothing but the levels bounds it. */
  assert_int_equal(read_set("grid.level_max=3; evolution.time_steps=levels; gauge.shift=zero", &p),
                   TX_OK);
  assert_int_equal(tx_macro_levels(&p, 9, 3), 6);
}

#define CADENCES(p)                                                                                \
  {                                                                                                \
    &(p).grid_regrid_every, &(p).waves_every, &(p).horizons_every, &(p).checkpoint_every,          \
        &(p).output_norms_every, &(p).output_track_every, &(p).output_slices_every,                \
        &(p).output_fields_every, &(p).run_max_steps,                                              \
  }
#define N_CADENCES 9

/* Everything that is done every so many steps is done where levels meet; lines of the log may wait. */
static void cadences_are_multiples_of_the_macro_step(void **state) {
  for (int c = 0; c < N_CADENCES; c++)
    for (int m = 0; m <= 7; m++) {
      tx_params p;
      assert_int_equal(read_pair("output.log_every=33", &p), TX_OK);
      int *const at[N_CADENCES] = CADENCES(p);
      *at[c] = 25 << m;
      assert_int_equal(tx_macro_levels(&p, FINEST, COARSEST), m < 6 ? m : 6);
      *at[c] = 0;
      assert_int_equal(tx_macro_levels(&p, FINEST, COARSEST), 6);
    }
}

/* What is never done bounds nothing. */
static void cadences_without_effect_do_not_count(void **state) {
  tx_params p;
#define FLAT "grid.level_max=9; evolution.time_steps=levels; gauge.eta=0; output.norms_every=0"
  assert_int_equal(read_set(FLAT, &p), TX_OK);
  assert_int_equal(tx_macro_levels(&p, 9, 0), 9);
  assert_int_equal(read_set(FLAT "; waves.radii=9", &p), TX_OK);
  assert_int_equal(tx_macro_levels(&p, 9, 0), 4); /* waves.every 16 */
  assert_int_equal(read_set(FLAT "; output.slices_every=6", &p), TX_OK);
  assert_int_equal(tx_macro_levels(&p, 9, 0), 1);
#undef FLAT
}

static void what_would_allow_more_is_said(void **state) {
  tx_params p;
  char text[1200];
  assert_int_equal(read_pair("", &p), TX_OK);
  p.waves_every = 25;
  p.horizons_every = 200;
  p.output_norms_every = 12;
  assert_int_equal(tx_macro_levels(&p, FINEST, COARSEST), 0);
  assert_true(tx_macro_bound(&p, FINEST, COARSEST, text, sizeof text));
  assert_string_equal(text, "waves.every 25 (64), horizons.every 200 (192 or 256), "
                            "output.norms_every 12 (64); values in brackets allow 0.25 M");
  /* Of long lists what fits. */
  char little[16];
  assert_true(tx_macro_bound(&p, FINEST, COARSEST, little, sizeof little));
  assert_string_equal(little, "waves.every 25 ");
}

static void a_macro_step_may_be_given(void **state) {
  static const struct {
    double step;
    int m;
  } cases[] = {{1.0 / 256, 0},
               {1.9 / 256, 0},
               {2.0 / 256, 1},
               {0.25, 6},
               {0.2499999, 5},
               {0.49, 6},
               {64 * DT / (1 + 1e-12), 6}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    char more[80];
    snprintf(more, sizeof more, "evolution.macro_step=%.17g", cases[c].step);
    assert_int_equal(levels_of(more), cases[c].m);
  }
  assert_bound("evolution.macro_step=0.125", "evolution.macro_step");
  tx_params p;
  assert_int_equal(read_pair("evolution.macro_step=0.25", &p), TX_OK);
  assert_int_equal(tx_macro_levels(&p, 12, 9), 3);
  assert_int_equal(tx_macro_levels(&p, 11, 2), 5);
  assert_int_equal(tx_macro_levels(&p, 13, 2), 6); /* cadences of 64 allow no 7 */
}

static void refuses(const char *more, const char *fragment) {
  tx_params p;
  assert_says(more, read_pair(more, &p), fragment);
}

/* With a macro step that is given, cadences must be multiples of it; the nearest one is named. */
static void cadences_between_macro_steps_are_refused(void **state) {
#define NO_MULTIPLE                                                                                \
  " steps are not a multiple of the 32 that evolution.macro_step 0.125 M has on the finest "       \
  "level; "                                                                                        \
  "give "
#define GIVEN "evolution.macro_step=0.125; "
  refuses(GIVEN "checkpoint.every=49",
          "checkpoint.every=49: 49" NO_MULTIPLE "64, or lower evolution.macro_step to 0.00390625");
  refuses(GIVEN "checkpoint.every=40",
          "40" NO_MULTIPLE "32, or lower evolution.macro_step to 0.03125");
  refuses(GIVEN "run.max_steps=8", "run.max_steps=8: 8" NO_MULTIPLE "32, or");
  refuses(GIVEN "run.max_steps=16", "16" NO_MULTIPLE "32, or lower evolution.macro_step to 0.0625");
  tx_params p;
  assert_int_equal(read_pair(GIVEN "output.log_every=7; checkpoint.every=96", &p), TX_OK);
#undef NO_MULTIPLE
#undef GIVEN
  assert_says(
      "the default of a cadence",
      read_set("grid.level_max=7; grid.level_min=1; grid.ball_level=7; grid.ball_radius=1; "
               "evolution.time_steps=levels; gauge.eta=0; waves.radii=9; evolution.macro_step=100",
               &p),
      "waves.every: 16 steps are not a multiple of the 64 that evolution.macro_step 100 M has");
}

/* The finest level of a hole is reached; wavelets and Psi4 may go on to grid.level_max, with half the step on each level. */
static void the_finest_level_that_may_be_counts(void **state) {
  tx_params p;
#define LOWER "grid.bh1_level=9; grid.bh2_level=9; evolution.macro_step=0.5; gauge.eta=1; "
  refuses(LOWER "grid.wavelet_tol=1e-3",
          "grid.regrid_every=64: 64 steps are not a multiple of the 128 that");
  refuses(LOWER "grid.psi4_tol=1e-3",
          "grid.regrid_every=64: 64 steps are not a multiple of the 128 that");
  assert_int_equal(read_pair(LOWER "checkpoint.every=16", &p), TX_OK);
  assert_int_equal(tx_macro_levels(&p, 9, 2), 4);
#undef LOWER
  refuses("evolution.macro_step=0.0039",
          "evolution.macro_step=0.0039: 0.0039 M is less than the step of the finest level, "
          "0.00390625 M; give more, or 0 to have it chosen");
}

static void unstable_steps_of_levels_are_refused(void **state) {
  tx_params p;
  refuses("gauge.eta=20; evolution.macro_step=0.25",
          "evolution.macro_step=0.25: 0.25 M makes the step of level 6 0.25 M, unstable with eta "
          "up to 20 / M: the limit is 2.7 / eta = 0.135 M; give at most that");
  assert_int_equal(read_pair("gauge.eta=20; evolution.macro_step=0.135", &p), TX_OK);
  assert_says(
      "kappa1",
      read_pair("evolution.system=z4c; evolution.kappa1=10; evolution.macro_step=0.25", &p),
      "unstable with constraint damping at 20 / M: the limit is 0.135 M; give at most that, or "
      "lower evolution.kappa1");
  /* d_t alpha = -h alpha, with the waves: stable for h dt up to 2.785 without dissipation. */
#define PULL "evolution.dissipation=0; gauge.eta=0; evolution.macro_step=0.25; gauge.slow_start="
  assert_int_equal(read_pair(PULL "11.13", &p), TX_OK);
  refuses(PULL "11.16", "0.25 M makes the step of level 6 0.25 M, unstable with gauge.slow_start; "
                        "give at most 0.125");
#undef PULL
  /* Outside of the ball, level 3 and below, dissipation is 3: with 3 sigma C that does not fit cfl 0.4. */
#define OUTSIDE                                                                                    \
  "grid.ball_level=4; grid.ball_radius=99; grid.ball_growth=2; evolution.dissipation_outside=3; "  \
  "gauge.eta=0; evolution.cfl=0.4"
  assert_int_equal(read_pair(OUTSIDE, &p), TX_OK);
  assert_int_equal(tx_macro_levels(&p, FINEST, COARSEST), 5);
  /* Chosen without the other bounds, the step ends there too. */
  p.initial_data_type = TX_ID_MINKOWSKI;
  p.grid_regrid_every = p.waves_every = p.output_norms_every = 0;
  assert_int_equal(tx_macro_levels(&p, FINEST, COARSEST), 8);
  char why[200];
  assert_false(tx_macro_bound(&p, FINEST, COARSEST, why, sizeof why));
  assert_string_equal(
      why, "stability: a longer one is unstable on level 3 with evolution.dissipation_outside");
  refuses(OUTSIDE "; evolution.macro_step=3.2",
          "M makes the step of level 3 3.2 M, unstable with evolution.dissipation_outside; give at "
          "most 1.6");
#undef OUTSIDE
}

/* Where dissipation begins at 0 the scheme stands less than with it: 2 sqrt(2) / sqrt(6 k2), k2 = 272/45 at order 6, 2048/315 at order 8:
 * 0.470 and 0.453. */
static void levels_without_dissipation_count(void **state) {
  tx_params p;
  assert_int_equal(
      read_set("grid.level_max=6; grid.ball_level=6; grid.ball_radius=3; grid.ball_growth=2; "
               "evolution.dissipation_outside=0.1; gauge.eta=0; output.norms_every=0; "
               "evolution.cfl=0.45; evolution.time_steps=levels",
               &p),
      TX_OK);
  p.evolution_cfl = TX_K == 3 ? 0.475 : 0.458;
  assert_int_equal(tx_macro_levels(&p, 6, 0), 0);
  p.evolution_cfl = TX_K == 3 ? 0.469 : 0.452;
  assert_int_equal(tx_macro_levels(&p, 6, 0), 6);
}

static void a_restart_may_change_the_steps(void **state) {
  tx_params was, is;
  char *values = NULL, changes[400];
  size_t n = 0;
  assert_int_equal(read_pair("", &was), TX_OK);
  assert_int_equal(read_pair("evolution.macro_step=0.125", &is), TX_OK);
  FILE *f = open_memstream(&values, &n);
  assert_int_equal(tx_params_values(&was, f), TX_OK);
  fclose(f);
  assert_int_equal(tx_params_check_change(values, &is, changes, sizeof changes), TX_OK);
  assert_string_equal(changes, "evolution.macro_step: 0.125, was 0");
  is.evolution_time_steps = TX_STEPS_GLOBAL;
  assert_int_equal(tx_params_check_change(values, &is, changes, sizeof changes), TX_OK);
  assert_non_null(strstr(changes, "evolution.time_steps: global, was levels"));
  free(values);
}

/* Values of a checkpoint without a line of the parameter are of one step for all levels. */
static void what_began_before_there_were_levels_is_said_to_change(void **state) {
  tx_params p;
  char *values = NULL, changes[400];
  size_t n = 0;
  assert_int_equal(read_pair("", &p), TX_OK);
  FILE *f = open_memstream(&values, &n);
  assert_int_equal(tx_params_values(&p, f), TX_OK);
  fclose(f);
  char *line = strstr(values, "evolution.time_steps: levels\n");
  assert_non_null(line);
  const char *rest = strchr(line, '\n') + 1;
  memmove(line, rest, strlen(rest) + 1);
  assert_int_equal(tx_params_check_change(values, &p, changes, sizeof changes), TX_OK);
  assert_string_equal(changes, "evolution.time_steps: levels, was global");
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  assert_int_equal(tx_params_check_change(values, &p, changes, sizeof changes), TX_OK);
  assert_string_equal(changes, "");
  free(values);
}

#define PAIR "initial_data.type=brill_lindquist; grid.level_max=4; "

/** Defaults with a unit are for a total mass of 1: of other masses they are that of the nearest power of two. What is given stays, and what
 *  has no effect. */
static void defaults_scale_with_the_masses(void **state) {
  static const struct {
    const char *sets;
    double unit;
  } known[] = {
      {"initial_data.type=linear_wave; grid.periodic=xyz; initial_data.wavelength=16", 1.0},
      {"initial_data.type=quasi_circular; grid.level_max=4", 1.0},
      {ONE, 1.0},
      {"initial_data.type=single_puncture; grid.level_max=4; initial_data.bh1_mass=4", 4.0},
      {PAIR "initial_data.bh1_mass=1.95; initial_data.bh2_mass=2.05; " MIRRORED, 4.0},
      {PAIR "initial_data.bh1_mass=0.453; initial_data.bh2_mass=0.453; " MIRRORED, 1.0},
      {PAIR "initial_data.bh1_mass=0.7; initial_data.bh2_mass=0.7; " MIRRORED, 1.0},
      {PAIR "initial_data.bh1_mass=0.72; initial_data.bh2_mass=0.72; " MIRRORED, 2.0},
      {PAIR "initial_data.bh1_mass=0.001; initial_data.bh2_mass=0.001; "
            "initial_data.bh1_position=0,0,0.01",
       1.0 / 512},
      /* A spin of 0.9 of the square of its ADM mass leaves little bare mass. */
      {"initial_data.type=single_puncture; grid.level_max=4; initial_data.bh1_mass=0.3; "
       "initial_data.bh1_spin=0,0,0.9",
       1.0},
      {"initial_data.type=single_puncture; grid.level_max=4; initial_data.masses=adm; "
       "initial_data.bh1_mass=0.25; initial_data.bh1_spin=0,0,0.05",
       0.25},
  };
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    tx_params p, q;
    tx_error_clear();
    if (read_set(known[k].sets, &p) != TX_OK) fail_msg("%s: %s", known[k].sets, tx_error_text());
    tx_params_default(&q);
    const bool holes = tx_params_punctures(&p) > 0;
    assert_true(tx_params_unit(&p) == known[k].unit);
    assert_true(p.grid_extent == 32.0 * known[k].unit);
    assert_true(p.gauge_eta == 2.0 / known[k].unit);
    assert_true(p.output_norms_exclude == (holes ? known[k].unit : 1.0));
    assert_true(p.gauge_eta_radius == q.gauge_eta_radius); /* without effect */
    assert_true(p.evolution_cfl == q.evolution_cfl);
  }
}

static void what_is_given_does_not_scale(void **state) {
  tx_params p;
  char text[512];
  assert_int_equal(read_set("initial_data.type=single_puncture; grid.level_max=4; gauge.eta=2; "
                            "initial_data.bh1_mass=4; gauge.eta_form=radial; evolution.system=z4c",
                            &p),
                   TX_OK);
  assert_true(p.gauge_eta == 2.0 && p.gauge_eta_far == 0.0625 && p.gauge_eta_radius == 160.0);
  assert_true(p.evolution_kappa1 == 0.005);
  tx_params_scaled(&p, text, sizeof text);
  assert_string_equal(text, "grid.extent 128 M, grid.bh_radius 4 M, evolution.kappa1 0.005 1/M, "
                            "gauge.eta_far 0.0625 1/M, gauge.eta_radius 160 M, "
                            "output.norms_exclude 4 M");
  assert_int_equal(read_set(ONE, &p), TX_OK);
  tx_params_scaled(&p, text, sizeof text);
  assert_string_equal(text, "");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(time_steps_of_levels_are_the_default),
      TEST(steps_are_counted_as_before_the_merger),
      TEST(one_step_for_all_knows_no_macro_step),
      TEST(the_step_that_is_chosen_has_reasons),
      TEST(metric_damping_of_the_smallest_hole_counts),
      TEST(there_are_no_more_steps_than_levels),
      TEST(cadences_are_multiples_of_the_macro_step),
      TEST(cadences_without_effect_do_not_count),
      TEST(what_would_allow_more_is_said),
      TEST(a_macro_step_may_be_given),
      TEST(cadences_between_macro_steps_are_refused),
      TEST(the_finest_level_that_may_be_counts),
      TEST(unstable_steps_of_levels_are_refused),
      TEST(levels_without_dissipation_count),
      TEST(a_restart_may_change_the_steps),
      TEST(what_began_before_there_were_levels_is_said_to_change),
      TEST(defaults_scale_with_the_masses),
      TEST(what_is_given_does_not_scale),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
