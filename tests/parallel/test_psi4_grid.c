/* Refinement by Psi4: of a Teukolsky wave, where the exact solution is large. */
#include "support/main.h"

#include <math.h>
#include "evolve/sim.h"
#include "tests/support/teukolsky.h"
#include "tests/support/octree_checks.h"

#define SIDE 4 /* octants of the base level along x, y and z */

static const double extent = 16.0, tol = 5e-8;

static void wave(tx_params *p) {
  tx_test_params_default(p);
  p->run_t_end = 100.0;
  p->grid_extent = extent;
  p->grid_reflect = TX_DIMS_XYZ;
  p->grid_level_min = 2;
  p->grid_level_max = 3;
  p->grid_psi4_tol = tol;
  p->initial_data_type = TX_ID_TEUKOLSKY;
  p->initial_data_amplitude = 1e-6;
  p->initial_data_wavelength = 3.0;
}

/* r |Psi4| of the exact solution at x: l = 2, m = 0 with the harmonic of spin weight -2, sqrt(15/(32 pi)) sin^2(theta). */
static double exact(const tx_initial_data *id, const double x[3]) {
  const double rho2 = x[0] * x[0] + x[1] * x[1], r2 = rho2 + x[2] * x[2];
  double mode[2];
  tx_test_teukolsky_psi4(id, 0.0, sqrt(r2), 0, mode);
  return sqrt(r2) * hypot(mode[0], mode[1]) * sqrt(15.0 / (32.0 * M_PI)) * rho2 / r2;
}

/* The largest in an octant of the base level. */
static double largest(const tx_initial_data *id, const double low[3], double size) {
  double most = 0.0;
  for (int i = 0; i < 16 * 16 * 16; i++) {
    const double step = size / 16.0;
    const double x[3] = {low[0] + step * (i % 16 + 0.5), low[1] + step * (i / 16 % 16 + 0.5),
                         low[2] + step * (i / 256 + 0.5)};
    most = fmax(most, exact(id, x));
  }
  return most;
}

/* Level of the octant at x. */
static int level_at(const tx_sim *sim, const double x[3]) {
  const tx_lidx b = tx_mesh_locate(sim->mesh, x);
  int level = b >= 0 ? sim->mesh->octant[b].level : -1;
  MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, sim->comm);
  return level;
}

static tx_sim *create(MPI_Comm comm, const tx_params *p) {
  tx_sim *sim = NULL;
  assert_int_equal(tx_sim_create(comm, p, &sim), TX_OK);
  return sim;
}

static bool regrid(tx_sim *sim) {
  bool changed = false;
  assert_int_equal(tx_sim_complete(sim), TX_OK);
  assert_int_equal(tx_ghosts_fill(sim->exec, sim->u), TX_OK);
  assert_int_equal(tx_sim_regrid(sim, &changed), TX_OK);
  return changed;
}

static void octants_with_the_wave_are_refined(void **state) {
  const double size = extent / SIDE;
  int refined = 0, others = 0;
  tx_params p;
  wave(&p);
  tx_sim *sim = create(MPI_COMM_WORLD, &p);
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    const double low[3] = {size * (i % SIDE), size * (i / SIDE % SIDE), size * (i / (SIDE * SIDE))};
    const double found = largest(sim->id, low, size);
    const int level = level_at(sim, low);
    if (found > 1.3 * tol) assert_int_equal(level, 3);
    if (found < 0.7 * tol) assert_int_equal(level, 2);
    refined += found > 1.3 * tol;
    others += found < 0.7 * tol;
  }
  assert_int_equal(refined, 7);
  assert_int_equal(others, SIDE * SIDE * SIDE - 7);
  assert_false(regrid(sim)); /* the margin keeps what the tolerance made */
  tx_sim_destroy(sim);
}

static void the_grid_does_not_depend_on_ranks(void **state) {
  uint64_t all = 0, alone = 0;
  tx_params p;
  wave(&p);
  tx_sim *sim = create(MPI_COMM_WORLD, &p);
  assert_true(sim->mesh->n_global > SIDE * SIDE * SIDE);
  assert_int_equal(tx_test_mesh_checksum(sim->mesh, &all), TX_OK);
  tx_sim_destroy(sim);
  sim = create(MPI_COMM_SELF, &p);
  assert_int_equal(tx_test_mesh_checksum(sim->mesh, &alone), TX_OK);
  assert_true(all == alone);
  tx_sim_destroy(sim);
}

/* Without a tolerance the wave is not seen; with a large one its octants are coarsened again. */
static void without_a_tolerance_the_grid_is_as_before(void **state) {
  const tx_gidx base = SIDE * SIDE * SIDE;
  tx_params p;
  wave(&p);
  p.grid_psi4_tol = 0.0;
  tx_sim *sim = create(MPI_COMM_WORLD, &p);
  assert_int_equal(sim->mesh->n_global, base);
  assert_false(regrid(sim));
  p.grid_psi4_tol = tol;
  assert_true(regrid(sim));
  assert_true(sim->mesh->n_global > base);
  p.grid_psi4_tol = 1e6 * tol;
  assert_true(regrid(sim));
  assert_int_equal(sim->mesh->n_global, base);
  tx_sim_destroy(sim);
}

static int psi4_grid_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(octants_with_the_wave_are_refined),
      cmocka_unit_test(the_grid_does_not_depend_on_ranks),
      cmocka_unit_test(without_a_tolerance_the_grid_is_as_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_MAIN_WITH(psi4_grid_tests())
