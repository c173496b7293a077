/* A reflection-symmetric domain against the whole one, on a pulse that is not spherical. */
#include "physics/bssn.h"
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>
#include <stdlib.h>

/* Two holes at rest on the z axis, so far from resolved as tests of symmetry allow. */
static void pair(tx_params *p, int dims, int level, double t_end) {
  tx_params_default(p);
  p->grid_extent = 8.0;
  p->grid_reflect = dims;
  p->evolution_cfl = 0.45;
  p->grid_level_min = p->grid_level_max = level;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = p->initial_data_bhN_mass[1] = 0.5;
  p->initial_data_bhN_position[0][2] = 1.3;
  p->initial_data_bhN_position[1][2] = -1.3;
  p->run_t_end = t_end;
}

/* Largest difference of any variable between two simulations at the points where both have owners and
 * |x| < reach, relative to the largest value of that variable there. */
static double difference(tx_sim *a, tx_sim *b, double reach, double spacing) {
  int side = (int)(reach / spacing);
  size_t n = (size_t)side * (size_t)side * (size_t)side, q = 0;
  double(*x)[3] = malloc(n * sizeof *x), *u[2], worst = 0.0;
  tx_sim *sim[2] = {a, b};
  for (int k = 0; k < side; k++)
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++, q++) {
        x[q][0] = i * spacing;
        x[q][1] = j * spacing;
        x[q][2] = k * spacing;
      }
  for (int s = 0; s < 2; s++) {
    u[s] = malloc(n * TX_VARS * sizeof **u);
    assert_int_equal(tx_ghosts_fill(sim[s]->exec, sim[s]->u), TX_OK);
    assert_int_equal(
        tx_exec_sample(
            sim[s]->exec, sim[s]->u,
            &(tx_probe){.n = n, .points = (const double(*)[3])x, .n_derivs = 1, .jets = u[s]}),
        TX_OK);
  }
  for (int v = 0; v < TX_VARS; v++) {
    double d = 0.0, most = 1e-3;
    for (q = 0; q < n; q++) {
      d = fmax(d, fabs(u[0][q * TX_VARS + (size_t)v] - u[1][q * TX_VARS + (size_t)v]));
      most = fmax(most, fabs(u[0][q * TX_VARS + (size_t)v]));
    }
    worst = fmax(worst, d / most);
  }
  for (int s = 0; s < 2; s++) free(u[s]);
  free(x);
  return worst;
}

/* On one level: to round-off, up to the outer boundary. */
static void test_one_level(void **state) {
  tx_params p[2];
  tx_sim *sim[2];
  int level = TX_N == 8 ? 2 : 1;
  for (int s = 0; s < 2; s++) {
    pair(&p[s], s == 0 ? TX_DIMS_NONE : TX_DIMS_XYZ, level, 1.0);
    sim[s] = simulate(&p[s]);
  }
  double d = difference(sim[0], sim[1], 7.9, 0.25);
  print_message("full and octant differ by %.2e\n", d);
  assert_true(d < 1e-12);
  for (int s = 0; s < 2; s++) tx_sim_destroy(sim[s]);
}

static double refined_difference(int level, int time_steps) {
  tx_params p[2];
  tx_sim *sim[2];
  for (int s = 0; s < 2; s++) {
    pair(&p[s], s == 0 ? TX_DIMS_NONE : TX_DIMS_XYZ, level, 1.0);
    p[s].evolution_time_steps = time_steps;
    p[s].initial_data_type = TX_ID_TEUKOLSKY;
    p[s].initial_data_bhN_mass[0] = p[s].initial_data_bhN_mass[1] = 0.0;
    p[s].initial_data_amplitude = 1e-3;
    p[s].initial_data_wavelength = 2.0;
    p[s].grid_level_max = level + 1;
    p[s].grid_ball_level = level + 1;
    p[s].grid_ball_radius = 3.5; /* on any level the cube |x| < 4 */
    sim[s] = simulate(&p[s]);
  }
  double d = difference(sim[0], sim[1], 6.0, 0.5);
  for (int s = 0; s < 2; s++) tx_sim_destroy(sim[s]);
  return d;
}

/* On refined grids with one step for all levels, planes between levels belong to one side: what remains converges away. */
static void test_refined(void **state) {
  int level = TX_N == 8 ? 1 : 0;
  double coarse = refined_difference(level, TX_STEPS_GLOBAL);
  double fine = refined_difference(level + 1, TX_STEPS_GLOBAL);
  print_message("full and octant differ by %.2e, on half the spacing by %.2e\n", coarse, fine);
  assert_true(coarse > 1e-14);
  assert_true(fine < coarse / 8.0);
}

/* With local time steps nothing remains but round-off of the outer boundary. */
static void test_refined_with_local_time_steps(void **state) {
  double d = refined_difference(TX_N == 8 ? 1 : 0, TX_STEPS_LEVELS);
  print_message("full and octant differ by %.2e\n", d);
  assert_true(d < 1e-14);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_level),
    cmocka_unit_test(test_refined_with_local_time_steps),
    cmocka_unit_test(test_refined),
};

TEST_MAIN(tests)
