/* The list of observers: which are due when, which may be deferred, and that files and records belong to one of them. */
#include <fnmatch.h>
#include <string.h>
#include "evolve/demands.h"
#include "observe/observers.h"
#include "support/main.h"

/* Parameters of a run with two holes that writes everything. */
static void read_params(tx_params *p) {
  static const char *const set[] = {"initial_data.type=brill_lindquist",
                                    "initial_data.bh1_mass=0.5",
                                    "initial_data.bh1_position=[0, 0, 2]",
                                    "initial_data.bh2_mass=0.5",
                                    "initial_data.bh2_position=[0, 0, -2]",
                                    "run.t_end=1",
                                    "grid.level_max=2",
                                    "waves.radii=[8]",
                                    "waves.every=2",
                                    "horizons.every=8",
                                    "output.track_every=1",
                                    "output.norms_every=4",
                                    "output.slices_every=8",
                                    "output.fields_every=16"};
  assert_int_equal(tx_params_read(MPI_COMM_SELF, NULL, (int)(sizeof set / sizeof *set), set,
                                  tx_evolve_demands, p),
                   TX_OK);
}

static bool is_in(tx_observer_set set, const tx_observer *observer) {
  return set >> tx_observers_index(observer) & 1;
}

static void observers_are_due_at_their_steps(void **state) {
  tx_params p;
  tx_observers *o = NULL;
  read_params(&p);
  const tx_scene scene = {.comm = MPI_COMM_SELF, .params = &p};
  assert_int_equal(tx_observers_create(&scene, &o), TX_OK);
  const struct {
    const tx_observer *observer;
    int every;
  } expected[] = {{&tx_punctures_observer, 1}, {&tx_waves_observer, 2},  {&tx_norms_observer, 4},
                  {&tx_horizons_observer, 8},  {&tx_slices_observer, 8}, {&tx_fields_observer, 16}};
  for (int64_t step = 0; step <= 32; step++)
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
      const tx_observer *observer = expected[i].observer;
      assert_int_equal(is_in(tx_observers_due(o, step, false), observer),
                       step % expected[i].every == 0);
      assert_true(is_in(tx_observers_due(o, step, true), observer));
    }
  /* Worldtubes are not asked for; the grid is written when others ask for it. */
  const tx_observer_set all = tx_observers_due(o, 0, true);
  assert_false(is_in(all, &tx_worldtubes_observer));
  assert_false(is_in(all, &tx_grid_observer));
  tx_observers_destroy(o);
}

static void what_reads_the_whole_state_is_not_deferred(void **state) {
  const tx_observer_set later = tx_observers_deferred(false), first = tx_observers_deferred(true);
  assert_true(is_in(later, &tx_waves_observer));
  assert_true(is_in(later, &tx_punctures_observer));
  assert_false(is_in(later, &tx_norms_observer));
  assert_false(is_in(later, &tx_slices_observer));
  assert_false(is_in(later, &tx_fields_observer));
  assert_int_equal(first, (tx_observer_set)1 << tx_observers_index(&tx_horizons_observer));
  assert_int_equal(first & ~later, 0);
}

/* A file that two entries claimed would have two fates. */
static void a_file_belongs_to_one_observer(void **state) {
  const tx_manifest *files = tx_observers_files();
  int n = 0;
  for (int i = 0; i < files->n; i++)
    for (const tx_run_file *a = files->lists[i]; a->folder; a++, n++)
      for (int j = 0; j < files->n; j++)
        for (const tx_run_file *b = files->lists[j]; b->folder; b++)
          assert_false(a != b && strcmp(a->folder, b->folder) == 0 &&
                       fnmatch(a->pattern, b->pattern, 0) == 0);
  assert_true(n > 20);
}

/* Checkpoints hold the records of all observers side by side. */
static void records_begin_with_a_word_of_their_observer(void **state) {
  enum { MOST = 99 };
  char word[MOST][TX_RECORD_NAME];
  int owner[MOST];
  tx_params p;
  tx_observers *o = NULL;
  read_params(&p);
  const tx_scene scene = {.comm = MPI_COMM_SELF, .params = &p};
  assert_int_equal(tx_observers_create(&scene, &o), TX_OK);
  int n = 0;
  for (int i = 0; i < tx_observers_count(); i++) {
    tx_record_list list = {0};
    tx_observers_records(o, i, &list);
    for (int r = 0; r < list.n; r++, n++) {
      const size_t length = strcspn(list.at[r].name, "/");
      assert_int_equal(list.at[r].name[length], '/');
      assert_true(n < MOST);
      owner[n] = i;
      snprintf(word[n], sizeof word[n], "%.*s", (int)length, list.at[r].name);
      for (int m = 0; m < n; m++) assert_int_equal(strcmp(word[m], word[n]) == 0, owner[m] == i);
    }
    tx_records_free(&list);
  }
  assert_true(n >= 8);
  tx_observers_destroy(o);
}

/* Names of what is written are looked up before the run. */
static void names_are_looked_up(void **state) {
  static const struct {
    const char *norms, *modes, *words;
    int radii;
  } wrong[] = {
      {"u", "", "output.norms: 'u' is not a variable; give some of alpha", 0},
      {"hamiltonian", "", "'hamiltonian' is a constraint, whose norms constraints.asc has", 0},
      {" ,", "", "output.norms: names no variable; give some, or all", 0},
      {"", "chi momentum", "output.modes: 'momentum' is not a variable", 1},
      {"", "chi momentum_x", "output.modes_radii is empty; give the radii of the spheres", 0},
      {"", "all", "output.modes_radii: a sphere of radius 1e+09 does not fit", 1},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tx_params p;
    tx_observers *o = NULL;
    read_params(&p);
    snprintf(p.output_norms, sizeof p.output_norms, "%s", wrong[i].norms);
    snprintf(p.output_modes, sizeof p.output_modes, "%s", wrong[i].modes);
    p.output_modes_radii.n = wrong[i].radii;
    p.output_modes_radii.v[0] = 1e9;
    const tx_scene scene = {.comm = MPI_COMM_SELF, .params = &p};
    assert_int_equal(tx_observers_create(&scene, &o), TX_ERR_PARAM);
    if (!strstr(tx_error_text(), wrong[i].words)) fail_msg("%s", tx_error_text());
    tx_error_clear();
    tx_observers_destroy(o);
  }
}

static int run_all(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(observers_are_due_at_their_steps),
      cmocka_unit_test(what_reads_the_whole_state_is_not_deferred),
      cmocka_unit_test(a_file_belongs_to_one_observer),
      cmocka_unit_test(records_begin_with_a_word_of_their_observer),
      cmocka_unit_test(names_are_looked_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run_all())
