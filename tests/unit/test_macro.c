/* Steps in time of levels: what there is to compute, and the memory that it takes. */
#include "evolve/macro.h"
#include "support/cmocka.h"

#include <math.h>
#include <string.h>
#include "base/base.h"
#include "refine/grid_limit.h"
#include "physics/bssn.h"

/* Leaves of the first grids of par/bbh_q1.yaml and par/bbh_q8.yaml, with octants of 8^3 points. */
static const tx_gidx Q1[TX_LEVELS] = {0,   0,    116,  980,  916,  920, 5552,
                                      960, 1300, 1608, 1960, 1960, 2240};
static const tx_gidx Q8[TX_LEVELS] = {0,   0,    116,  984,  952,  884,  920,  5560, 956,
                                      910, 1002, 1166, 1140, 1084, 1158, 1100, 1056};

/* A mesh that has nothing but its counts, and parameters whose step on the finest level is dt. */
static void make(const tx_gidx *leaves, double dt, tx_params *p, tx_mesh *mesh) {
  memset(mesh, 0, sizeof *mesh);
  memcpy(mesh->level_count, leaves, sizeof mesh->level_count);
  mesh->level_lowest = TX_LEVELS;
  for (int l = 0; l < TX_LEVELS; l++) {
    if (leaves[l] == 0) continue;
    if (l < mesh->level_lowest) mesh->level_lowest = l;
    mesh->level_highest = l;
  }
  tx_params_default(p);
  p->grid_trees = 1;
  p->evolution_cfl = 0.25;
  p->grid_extent = ldexp(4.0 * dt * TX_N, mesh->level_highest);
  mesh->domain = (tx_domain){.extent = p->grid_extent, .trees = 1};
  p->output_norms_every = 0;
  p->gauge_eta = 0.0;
  p->evolution_time_steps = TX_STEPS_LEVELS;
}

static tx_macro macro_of(const tx_gidx *leaves, double dt, double step) {
  tx_params p;
  tx_mesh mesh;
  tx_macro macro;
  make(leaves, dt, &p, &mesh);
  p.evolution_macro_step = step;
  tx_macro_of(&p, &mesh, &macro);
  return macro;
}

/* Counted independently, stage by stage of each octant. */
static void the_gain_is_that_of_production_grids(void **state) {
  static const struct {
    const tx_gidx *leaves;
    double dt, step, gain;
  } cases[] = {{Q1, 1.0 / 256, 4.0, 4.21},       {Q1, 1.0 / 256, 1.0 / 4, 4.17},
               {Q1, 1.0 / 256, 1.0 / 8, 4.03},   {Q1, 1.0 / 256, 1.0 / 16, 3.75},
               {Q1, 1.0 / 256, 1.0 / 32, 3.24},  {Q8, 1.0 / 2048, 8.0, 8.17},
               {Q8, 1.0 / 2048, 1.0 / 4, 8.15},  {Q8, 1.0 / 2048, 1.0 / 8, 8.07},
               {Q8, 1.0 / 2048, 1.0 / 16, 7.92}, {Q8, 1.0 / 2048, 1.0 / 32, 7.59}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    const tx_macro macro = macro_of(cases[c].leaves, cases[c].dt, cases[c].step);
    double shares = 0.0;
    assert_true(macro.of_levels && macro.step == cases[c].step && macro.dt == cases[c].dt);
    assert_true(fabs(tx_macro_gain(&macro) - cases[c].gain) < 0.00501);
    for (int l = 0; l < TX_LEVELS; l++) shares += tx_macro_share(&macro, l);
    assert_true(fabs(shares - 1.0) < 1e-12);
  }
}

/* Level 12 has 64 steps of 1/256 M, level 7 two, level 6 and below one; covered octants are an eighth of the next level. */
static void levels_step_as_often_as_they_must(void **state) {
  const tx_macro macro = macro_of(Q1, 1.0 / 256, 0.25);
  const int64_t steps[13] = {0, 0, 1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 64};
  const tx_gidx nodes[13] = {0, 0, 256, 1120, 1120, 1632, 5696, 1152, 1536, 1888, 2240, 2240, 2240};
  double stages = 0.0, all = 0.0;
  assert_int_equal(macro.m, 6);
  for (int l = 0; l < 13; l++) {
    assert_int_equal(macro.steps[l], steps[l]);
    assert_int_equal(macro.nodes[l], nodes[l]);
    stages += 4.0 * (double)(steps[l] * nodes[l]);
    all += 4.0 * 64.0 * (double)Q1[l];
  }
  assert_true(macro.octant_stages == stages && macro.octant_stages_global == all);
}

static void one_step_for_all_gains_nothing(void **state) {
  tx_params p;
  tx_mesh mesh;
  tx_macro macro;
  make(Q1, 1.0 / 256, &p, &mesh);
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  tx_macro_of(&p, &mesh, &macro);
  assert_false(macro.of_levels);
  assert_int_equal(macro.m, 0);
  assert_true(macro.step == macro.dt && macro.dt == 1.0 / 256);
  assert_true(tx_macro_gain(&macro) == 1.0);
  assert_memory_equal(macro.nodes, Q1, sizeof macro.nodes);
}

/* The holes have merged and levels 11 and 12 are gone: steps are still counted in those of level 12, and level 10 takes as
 * long ones as before. */
static void the_grid_of_a_remnant_keeps_the_count_of_steps(void **state) {
  tx_gidx leaves[TX_LEVELS];
  tx_params p;
  tx_mesh mesh;
  tx_macro macro, before;
  make(Q1, 1.0 / 256, &p, &mesh);
  p.evolution_macro_step = 0.25;
  p.initial_data_type = TX_ID_BRILL_LINDQUIST;
  p.grid_level_max = 12;
  p.horizons_every = p.output_track_every = 64;
  p.grid_remnant_level = 10;
  tx_macro_of(&p, &mesh, &before);
  assert_true(before.dt == 1.0 / 256 && before.m == 6);
  memcpy(leaves, Q1, sizeof leaves);
  leaves[10] = before.nodes[10]; /* what lies below level 11 become leaves */
  leaves[11] = leaves[12] = 0;
  memcpy(mesh.level_count, leaves, sizeof leaves);
  mesh.level_highest = 10;
  tx_macro_of(&p, &mesh, &macro);
  assert_true(macro.dt == 1.0 / 256 && macro.m == 6 && macro.step == 0.25);
  for (int l = 0; l <= 10; l++) assert_int_equal(macro.steps[l], before.steps[l]);
  assert_true(macro.octant_stages == before.octant_stages / tx_macro_remnant_gain(&before, 10));
  double all = 0.0;
  for (int l = 0; l <= 10; l++) all += 4.0 * 16.0 * (double)leaves[l];
  assert_true(macro.octant_stages_global == all);
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  tx_macro_of(&p, &mesh, &macro);
  assert_true(macro.dt == 1.0 / 256 && macro.m == 2 && macro.step == 1.0 / 64);
  assert_true(macro.octant_stages == all / 16.0 && tx_macro_gain(&macro) == 1.0);
}

/* A run that stopped at a step that is no multiple takes shorter ones until it is at one. */
static void macro_steps_end_at_multiples(void **state) {
  assert_int_equal(tx_macro_levels_from(4, 0), 4);
  assert_int_equal(tx_macro_levels_from(4, 16), 4);
  assert_int_equal(tx_macro_levels_from(4, 3), 0);
  assert_int_equal(tx_macro_levels_from(4, 24), 3);
  assert_int_equal(tx_macro_levels_from(0, 24), 0);
  int64_t step = 5;
  for (int n = 0; n < 9; n++) step += (int64_t)1 << tx_macro_levels_from(3, step);
  assert_int_equal(step, 64); /* 5, 6, 8, 16, 24, ... */
}

/* Leaves once, nodes once, three times the largest level: of 296 leaves and 301 nodes, level 1 with 261. */
static void levels_must_fit(void **state) {
  const tx_gidx leaves[TX_LEVELS] = {0, 256, 40};
  const double octant = sizeof(double) * TX_VARS * TX_N3, need = octant * (296 + 301 + 3 * 261);
  tx_grid_limit limit = {.bytes = need, .state_bytes = octant, .why = "the hosts of its ranks"};
  tx_error_clear();
  assert_int_equal(tx_grid_limit_check_levels(&limit, leaves), TX_OK);
  limit.bytes = need - 1.0;
  assert_int_equal(tx_grid_limit_check_levels(&limit, leaves), TX_ERR_MEMORY);
  assert_non_null(strstr(tx_error_text(), TX_N == 16 ? "grid take 1.0" : "grid take 0."));
  assert_non_null(strstr(tx_error_text(), "and the hosts of its ranks have"));
  tx_error_clear();
}

/* What is refused before the mesh is known could not have been evolved: never more than what there is to be. */
static void no_room_is_asked_for_that_is_not_needed(void **state) {
  tx_params p;
  tx_mesh mesh;
  const tx_gidx *const grids[2] = {Q1, Q8};
  for (int g = 0; g < 2; g++) {
    tx_gidx nodes[TX_LEVELS], all = 0, leaves = 0, largest = 0;
    make(grids[g], 1.0 / 256, &p, &mesh);
    p.grid_level_min = mesh.level_lowest;
    p.grid_level_max = mesh.level_highest;
    tx_level_nodes_count(grids[g], nodes);
    for (int l = 0; l < TX_LEVELS; l++) {
      all += nodes[l];
      leaves += grids[g][l];
      if (nodes[l] > largest) largest = nodes[l];
    }
    const double needs = (double)(leaves + all + 3 * largest) / (double)leaves;
    assert_true(tx_step_copies(&p) <= needs && tx_step_copies(&p) > 2.0);
    p.evolution_time_steps = TX_STEPS_GLOBAL;
    assert_true(tx_step_copies(&p) == 4.0);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gain_is_that_of_production_grids),
      cmocka_unit_test(levels_step_as_often_as_they_must),
      cmocka_unit_test(one_step_for_all_gains_nothing),
      cmocka_unit_test(the_grid_of_a_remnant_keeps_the_count_of_steps),
      cmocka_unit_test(macro_steps_end_at_multiples),
      cmocka_unit_test(levels_must_fit),
      cmocka_unit_test(no_room_is_asked_for_that_is_not_needed),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
