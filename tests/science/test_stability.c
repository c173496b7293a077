/* Robust stability (gr-qc/0305023): noise on flat space must not grow exponentially. */
#include "physics/bssn.h"
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>
#include <string.h>

#define NOISE 1e-10
#define CFL   0.45 /* of production runs; the limit is 0.479 */

/* Whether a point is evolved: on lower outer faces noise is extrapolated, and grows 63 times in each dimension. */
static bool evolved(unsigned outer, int i) {
  const int at[3] = {i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N)};
  bool all = true;
  for (int d = 0; d < 3; d++) all = all && (at[d] > 0 || !(outer & TX_FACE_BIT(d, 0)));
  return all;
}

/* Largest deviation from flat space of all variables, of points that are evolved. One rank. */
static double deviation(tx_sim *sim) {
  double most = 0.0;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u;
    assert_int_equal(tx_field_octant(sim->u, b, &u), TX_OK);
    for (int v = 0; v < sim->system->n_vars; v++)
      for (int i = 0; i < TX_N3; i++)
        if (evolved(sim->mesh->ghosts.outer[b], i))
          most = fmax(most, fabs(u[v * TX_N3 + i] - sim->system->variable[v].infinity));
  }
  return most;
}

static void noise(tx_params *p, int points) {
  simulate_box(p, points, CFL / points, 0.0);
  p->evolution_dissipation = 0.4;
  p->gauge_slicing = TX_SLICING_ONE_PLUS_LOG;
  p->gauge_shift = TX_SHIFT_GAMMA_DRIVER;
  p->initial_data_type = TX_ID_NOISE;
  p->initial_data_amplitude = NOISE;
}

static double later(double t_end, int part, int parts) {
  return part == 0 ? 1.0 : t_end * part / parts;
}

/* The constraints and the fields at t = 1 and at the ends of four equal parts of the time. Between faces of
 * a Sommerfeld condition so near to each other they drift in proportion to t; an exponential mode would make
 * each increase larger than the one before. */
static void assert_no_growth_of(tx_sim *sim, tx_params *p, double t_end) {
  enum { PARTS = 4 };
  double h_norm[PARTS + 1], most[PARTS + 1];
  for (int i = 0; i <= PARTS; i++) {
    tx_norms norms;
    simulate_to(sim, p, later(t_end, i, PARTS));
    assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
    assert_int_equal(tx_sim_norms(sim, &norms), TX_OK);
    h_norm[i] = norms.l2[TX_CONSTRAINT_H];
    most[i] = deviation(sim);
    print_message("t = %6.1f: |H| %.2e, largest deviation %.2e\n", sim->t, h_norm[i], most[i]);
  }
  tx_sim_destroy(sim);
  for (int i = 1; i <= PARTS; i++) {
    assert_true(h_norm[i] < h_norm[0] * (1.5 + 0.02 * later(t_end, i, PARTS)));
    assert_true(most[i] < 100.0 * NOISE);
  }
  for (int i = 3; i <= PARTS; i++) {
    double before = fmax(h_norm[i - 1] - h_norm[i - 2], 0.0);
    assert_true(h_norm[i] - h_norm[i - 1] < 1.3 * before + 0.05 * h_norm[i - 1]);
  }
  assert_true(most[PARTS] < 2.5 * most[PARTS - 1]);
}

static void assert_no_growth(tx_params *p, double t_end) {
  tx_sim *sim = NULL;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, p, &sim), TX_OK);
  assert_no_growth_of(sim, p, t_end);
}

static double t_end = 12.0;
static int levels = 3;
static tx_evolved equations = TX_EVOLVED_BSSN;

static void test_noise_in_a_periodic_box(void **state) {
  tx_params p;
  noise(&p, 2 * TX_N);
  assert_no_growth(&p, t_end);
}

/* One octant of eight refined: edges at all faces. */
static void assert_no_growth_with_a_refined_octant(int time_steps) {
  const double x[3] = {-0.25, -0.25, -0.25};
  tx_params p;
  tx_sim *sim = NULL;
  noise(&p, 2 * TX_N);
  p.evolution_system = equations;
  if (equations == TX_EVOLVED_Z4C) p.gauge_lambda_f0 = 4.0 / 3.0;
  p.grid_level_max = p.grid_level_min + 1;
  p.grid_bh_radius = 0.2;
  p.evolution_time_steps = time_steps;
  p.evolution_macro_step = 1.0;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, &p, &sim), TX_OK);
  simulate_refine(sim, x);
  sim->tracker.n = 0;
  assert_int_equal(sim->mesh->n_global, 7 + 8);
  assert_int_equal(sim->halvings, time_steps == TX_STEPS_LEVELS);
  assert_int_equal(tx_exec_initial_data(sim->exec, tx_exec_all(sim->exec), sim->id, sim->u), TX_OK);
  assert_no_growth_of(sim, &p, t_end);
}

static void test_noise_with_a_refined_region(void **state) {
  assert_no_growth_with_a_refined_octant(TX_STEPS_GLOBAL);
}

static void test_noise_with_steps_of_two_levels(void **state) {
  assert_no_growth_with_a_refined_octant(TX_STEPS_LEVELS);
}

/* The norm of H at t = 1 M of noise with CAHD. */
static double hamiltonian_with(double damping) {
  tx_params p;
  tx_norms norms;
  noise(&p, 2 * TX_N);
  p.evolution_cfl = 0.25;
  p.evolution_hamiltonian_damping = damping;
  p.run_t_end = 1.0;
  tx_sim *sim = simulate(&p);
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  assert_int_equal(tx_sim_norms(sim, &norms), TX_OK);
  tx_sim_destroy(sim);
  print_message("damping %.2f: |H| %.2e\n", damping, norms.l2[TX_CONSTRAINT_H]);
  return norms.l2[TX_CONSTRAINT_H];
}

static void test_the_hamiltonian_constraint_is_damped(void **state) {
  assert_true(hamiltonian_with(0.15) < 0.3 * hamiltonian_with(0.0));
}

/* Of Z4c, one level and two: with f = 1 it grows by a factor of 2 in 1 M at the edge. */
static void test_noise_in_z4c(void **state) {
  tx_params p;
  noise(&p, 2 * TX_N);
  p.evolution_system = TX_EVOLVED_Z4C;
  p.gauge_lambda_f0 = 4.0 / 3.0;
  assert_no_growth(&p, t_end);
  equations = TX_EVOLVED_Z4C;
  assert_no_growth_with_a_refined_octant(TX_STEPS_LEVELS);
  equations = TX_EVOLVED_BSSN;
}

/* With one step for all; cubes within cubes, below, have outer boundaries too. */
static void test_noise_with_outer_boundaries(void **state) {
  tx_params p;
  noise(&p, 2 * TX_N);
  p.grid_periodic = TX_DIMS_NONE;
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  assert_no_growth(&p, t_end);
}

/* Cubes within cubes: a half of each in x, whose edges lie at both ends, a quarter in y and z. */
static void test_noise_with_steps_of_levels(void **state) {
  tx_params p;
  noise(&p, 4 * TX_N);
  p.grid_extent = 10.0;
  p.grid_periodic = TX_DIMS_X;
  p.grid_reflect = TX_DIMS_YZ;
  simulate_nested(&p, levels);
  assert_no_growth(&p, t_end);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_noise_in_a_periodic_box),
    cmocka_unit_test(test_noise_with_a_refined_region),
    cmocka_unit_test(test_noise_with_outer_boundaries),
    cmocka_unit_test(test_noise_with_steps_of_two_levels),
    cmocka_unit_test(test_noise_with_steps_of_levels),
    cmocka_unit_test(test_the_hamiltonian_constraint_is_damped),
    cmocka_unit_test(test_noise_in_z4c),
};

static int run(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "slow") == 0) t_end = 100.0, levels = 4;
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run(argc, argv))
