/* The BSSN constraints of the run R1's data on a refined grid fall with resolution at the order of the
 * stencils: every octant of the grid is halved, so that nothing else changes. */
#include "support/main.h"

#include <math.h>
#include <string.h>
#include "evolve/demands.h"
#include "evolve/sim.h"
#include "physics/bssn.h"
#include "support/simulate.h"

/** Run R1 of gr-qc/0602026. */
static void run_r1(tx_params *p) {
  tx_params_default(p);
  p->run_t_end = 1.0;
  p->grid_extent = 12.0;
  p->grid_reflect = TX_DIMS_Z;
  p->grid_level_min = 1;
  p->grid_level_max = TX_N == 8 ? 3 : 2;
  p->grid_bh_radius = 1.2;
  p->initial_data_type = TX_ID_TWO_PUNCTURES;
  p->initial_data_resolution = 32;
  p->initial_data_bhN_mass[0] = p->initial_data_bhN_mass[1] = 0.483;
  p->initial_data_bhN_position[0][0] = 3.257;
  p->initial_data_bhN_position[1][0] = -3.257;
  p->initial_data_bhN_momentum[0][1] = 0.133;
  p->initial_data_bhN_momentum[1][1] = -0.133;
  OK(tx_params_check(p, NULL, tx_evolve_demands));
}

/* Norms with the punctures' surroundings left out. */
static void measure(const tx_sim *sim, tx_exec *exec, tx_field *u, tx_norms *norms) {
  tx_ball balls[2];
  for (int a = 0; a < 2; a++) {
    memcpy(balls[a].centre, sim->adm.position[a], sizeof balls[a].centre);
    balls[a].radius = 2.5;
  }
  OK(tx_exec_initial_data(exec, tx_exec_all(exec), sim->id, u));
  OK(tx_ghosts_fill(exec, u));
  OK(tx_exec_constraints(exec, tx_exec_all(exec), u, &(tx_norms_of){&sim->physics, 2, balls},
                         norms));
}

/* The same on the children of all octants. */
static void measure_halved(const tx_sim *sim, tx_norms *norms) {
  static int8_t flag[4096];
  tx_transfer *transfer = NULL;
  tx_mesh *mesh = NULL;
  tx_exec *exec = NULL;
  tx_field *u = NULL;
  assert_true(sim->mesh->n_local <= 4096);
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) flag[b] = 1;
  OK(tx_octree_adapt(sim->tree, sim->mesh,
                     &(tx_adaptation){flag, 0, sim->mesh->level_highest + 1, NULL}, &transfer));
  OK(tx_mesh_create(sim->tree, &mesh));
  assert_true(mesh->n_local == 8 * sim->mesh->n_local);
  OK(tx_exec_create(mesh, TX_VARS, &exec));
  OK(tx_field_create_state(exec, &tx_bssn, &u));
  measure(sim, exec, u, norms);
  tx_field_destroy(u);
  tx_exec_destroy(exec);
  tx_mesh_destroy(mesh);
  tx_transfer_destroy(transfer);
}

static void constraints_fall_at_the_order_of_the_stencils(void **state) {
  tx_params p;
  tx_norms coarse, fine;
  run_r1(&p);
  tx_sim *sim = simulate(&p);
  measure(sim, sim->exec, sim->u, &coarse);
  measure_halved(sim, &fine);
  tx_sim_destroy(sim);
  /* 6, less up to 2 where second derivatives reach over a refinement boundary. */
  static const double expected[] = {[TX_CONSTRAINT_H] = 4.6, 6.0, 6.0, 6.0};
  static const char *const name[] = {[TX_CONSTRAINT_H] = "H", "M_x", "M_y", "M_z"};
  for (int c = TX_CONSTRAINT_H; c <= TX_CONSTRAINT_M2; c++) {
    double order = convergence_order(coarse.l2[c], fine.l2[c]);
    assert_true(convergence_as_expected(name[c], order, expected[c]));
    assert_true(coarse.l2[c] > 1e-9 && coarse.l2[c] < 1e-5);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(constraints_fall_at_the_order_of_the_stencils),
};
TEST_MAIN(tests)
