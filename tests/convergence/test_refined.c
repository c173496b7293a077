/* Order of convergence where levels meet: the gauge wave of gr-qc/0305023 in a periodic box of which one eighth is
 * refined, measured near the boundary of the refined cube, with the cube at rest and with regrids that move it.
 *
 * Interpolation from coarse to fine has an error of h^6, of which second derivatives at the boundary make one of
 * h^4. Four points in place of six or seven in any one of its stencils, for ghosts or (where the cube moves) for new
 * octants, bring most of the orders down to between 2 and 4. */
#include "physics/bssn.h"
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>

/* In box lengths: half the cube's side, its centre being at +-CUBE in each dimension, and how near is near. */
#define CUBE 0.25
#define NEAR 0.0625

/* On 16 points the cube is one octant, on 32 points it is eight. */
static const int points[2] = {2 * TX_N, 4 * TX_N};

/* Variables of a wave along an axis; a next to it. */
enum { ALPHA, CHI, GT_AA, GT_BB, K, AT_AA, GAMT_A, WATCHED };

static void watched(int axis, int variable[WATCHED]) {
  static const int diagonal[3] = {0, TX_VAR_GT11 - TX_VAR_GT00, TX_VAR_GT22 - TX_VAR_GT00};
  variable[ALPHA] = TX_VAR_ALPHA;
  variable[CHI] = TX_VAR_CHI;
  variable[GT_AA] = TX_VAR_GT00 + diagonal[axis];
  variable[GT_BB] = TX_VAR_GT00 + diagonal[(axis + 1) % 3];
  variable[K] = TX_VAR_K;
  variable[AT_AA] = TX_VAR_AT00 + diagonal[axis];
  variable[GAMT_A] = TX_VAR_GAMT0 + axis;
}

typedef struct refined_case {
  int axis; /* along which the wave travels */
  double dissipation;
  int regrid_every; /* steps; 0: the cube is at rest */
  int time_steps;
  double order[WATCHED];
} refined_case;

/* Within NEAR of the cube's surface, on either side; the box repeats itself. */
static bool near_surface(const double x[3], const void *centre) {
  double depth = CUBE, gap2 = 0.0;
  for (int d = 0; d < 3; d++) {
    const double apart = fabs(remainder(x[d] - ((const double *)centre)[d], 1.0));
    const double gap = fmax(apart - CUBE, 0.0);
    depth = fmin(depth, CUBE - apart);
    gap2 += gap * gap;
  }
  return gap2 > 0.0 ? gap2 <= NEAR * NEAR : depth <= NEAR;
}

static void make_params(const refined_case *c, int on, tx_params *p) {
  simulate_box(p, on, 0.1 / on, c->regrid_every ? 0.125 : 0.0625);
  p->initial_data_type = TX_ID_GAUGE_WAVE;
  p->initial_data_amplitude = 0.01;
  p->initial_data_direction = c->axis;
  p->evolution_dissipation = c->dissipation;
  p->evolution_time_steps = c->time_steps;
  p->evolution_macro_step = 1.0;
  p->evolution_cfl *= 2.0; /* half the spacing */
  p->grid_level_max = p->grid_level_min + 1;
  p->grid_bh_radius =
      0.7 * CUBE; /* all octants of the cube, and none beside it, not even for keeping */
}

/* The cube's place after `moves`: to and fro along the axis, and across it now and then. */
static void cube_place(const refined_case *c, int moves, double x[3]) {
  static const int across[4] = {0, 1, 0, 2};
  for (int d = 0; d < 3; d++) x[d] = -CUBE;
  for (int m = 0; m < moves; m++) {
    const int d = (c->axis + across[m % 4]) % 3;
    x[d] = -x[d];
  }
}

static void refined_errors(const refined_case *c, int on, double error[WATCHED]) {
  tx_params p;
  double cube[3];
  int moves = 0, variable[WATCHED];
  make_params(c, on, &p);
  tx_sim *sim = NULL;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  cube_place(c, 0, cube);
  simulate_refine(sim, cube);
  /* The data themselves, not what interpolation made of them. */
  assert_int_equal(tx_exec_initial_data(sim->exec, tx_exec_all(sim->exec), sim->id, sim->u), TX_OK);
  while (sim->t < p.run_t_end) {
    if (c->regrid_every && sim->step > 0 && sim->step % c->regrid_every == 0) {
      cube_place(c, ++moves, cube);
      simulate_refine(sim, cube);
    }
    assert_int_equal(tx_sim_step(sim), TX_OK);
  }
  const int octants = on / TX_N * on / TX_N * on / TX_N;
  assert_int_equal(sim->mesh->n_global, octants + 7 * octants / 8);
  assert_int_equal(sim->regrids, 1 + moves);
  watched(c->axis, variable);
  for (int w = 0; w < WATCHED; w++) error[w] = simulate_error(sim, variable[w], near_surface, cube);
  tx_sim_destroy(sim);
}

static void assert_refined_orders(const refined_case *c) {
  double error[2][WATCHED];
  int variable[WATCHED], off = 0;
  for (int g = 0; g < 2; g++) refined_errors(c, points[g], error[g]);
  watched(c->axis, variable);
  for (int w = 0; w < WATCHED; w++)
    off += !convergence_as_expected(tx_bssn.variable[variable[w]].name,
                                    convergence_order(error[0][w], error[1][w]), c->order[w]);
  assert_int_equal(off, 0);
}

static void test_cube_at_rest(void **state) {
  assert_refined_orders(&(refined_case){.axis = 0,
                                        .order = {[ALPHA] = 5.5,
                                                  [CHI] = 5.5,
                                                  [GT_AA] = 5.7,
                                                  [GT_BB] = 5.2,
                                                  [K] = 5.2,
                                                  [AT_AA] = 5.1,
                                                  [GAMT_A] = 5.4}});
}

static void test_cube_at_rest_with_dissipation(void **state) {
  assert_refined_orders(&(refined_case){.axis = 1,
                                        .dissipation = 0.4,
                                        .order = {[ALPHA] = 5.0,
                                                  [CHI] = 5.0,
                                                  [GT_AA] = 5.1,
                                                  [GT_BB] = 5.0,
                                                  [K] = 5.0,
                                                  [AT_AA] = 5.2,
                                                  [GAMT_A] = 4.9}});
}

/* Regrids every so many steps, as in runs, not at the same times. */
static void test_moving_cube(void **state) {
  assert_refined_orders(&(refined_case){.axis = 2,
                                        .regrid_every = 5,
                                        .order = {[ALPHA] = 4.6,
                                                  [CHI] = 4.6,
                                                  [GT_AA] = 5.7,
                                                  [GT_BB] = 5.6,
                                                  [K] = 4.6,
                                                  [AT_AA] = 5.2,
                                                  [GAMT_A] = 5.2}});
}

static void test_moving_cube_with_dissipation(void **state) {
  assert_refined_orders(&(refined_case){.axis = 0,
                                        .dissipation = 0.4,
                                        .regrid_every = 5,
                                        .order = {[ALPHA] = 4.8,
                                                  [CHI] = 4.8,
                                                  [GT_AA] = 5.0,
                                                  [GT_BB] = 5.0,
                                                  [K] = 4.8,
                                                  [AT_AA] = 5.1,
                                                  [GAMT_A] = 5.0}});
}

/* Two steps of the cube to one of the rest, and a regrid after every second of those: twice as many on half the spacing, so
 * that the order is lower, but the errors are those of one step for all within a tenth. */
static void test_moving_cube_with_steps_of_levels(void **state) {
  assert_refined_orders(&(refined_case){.axis = 2,
                                        .dissipation = 0.4,
                                        .regrid_every = 4,
                                        .time_steps = TX_STEPS_LEVELS,
                                        .order = {[ALPHA] = 4.4,
                                                  [CHI] = 4.3,
                                                  [GT_AA] = 4.3,
                                                  [GT_BB] = 4.3,
                                                  [K] = 4.4,
                                                  [AT_AA] = 4.4,
                                                  [GAMT_A] = 4.3}});
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cube_at_rest),
    cmocka_unit_test(test_cube_at_rest_with_dissipation),
    cmocka_unit_test(test_moving_cube),
    cmocka_unit_test(test_moving_cube_with_dissipation),
    cmocka_unit_test(test_moving_cube_with_steps_of_levels),
};
TEST_MAIN(tests)
