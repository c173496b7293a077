/* Punctures solved for by multigrid on the grid of a run: against the spectral solver, against each other, on any number of
 * ranks. */
#include "tests/support/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "elliptic/forest.h"
#include "elliptic/punctures.h"
#include "evolve/data.h"
#include "evolve/demands.h"
#include "evolve/sim.h"
#include "exec/algebra.h"
#include "tests/support/backend.h"
#include "tests/support/exec_checks.h"

/* Two holes that pass each other, in a half of space. */
static tx_params pair(int type, int solver) {
  tx_params p;
  tx_test_params_default(&p);
  p.run_t_end = 1.0;
  p.grid_extent = 32.0;
  p.grid_reflect = TX_DIMS_Z;
  p.grid_level_min = 1;
  p.grid_level_max = 6;
  p.grid_bh_radius = 0.6;
  p.initial_data_type = type;
  p.initial_data_solver = solver;
  p.initial_data_bhN_mass[0] = 0.5;
  p.initial_data_bhN_mass[1] = 0.4;
  p.initial_data_bhN_position[0][0] = 2.0;
  p.initial_data_bhN_position[1][0] = -2.5;
  p.initial_data_bhN_momentum[0][1] = 0.12;
  p.initial_data_bhN_momentum[1][1] = -0.12;
  if (tx_params_on_grid(&p)) p.elliptic_tolerance = 1e-8;
  OK(tx_params_check(&p, NULL, tx_evolve_demands));
  return p;
}

static tx_sim *make(MPI_Comm comm, const tx_params *p) {
  tx_sim *sim = NULL;
  OK(tx_sim_create_data(comm, p, &sim));
  return sim;
}

/* Largest difference of two states of the same grid, over all variables. */
static double difference(tx_sim *a, tx_sim *b) {
  tx_field_norm norm[TX_SYSTEM_VARS];
  const tx_set *all = tx_exec_all(a->exec);
  double most = 0.0;
  tx_field *copy = NULL;
  OK(tx_field_create_state(a->exec, a->system, &copy));
  for (tx_lidx o = 0; o < a->mesh->n_local; o++) {
    const double *values;
    OK(tx_field_view(b->u, o, &values));
    OK(tx_field_put(copy, o, 1, values));
  }
  OK(tx_exec_combine(a->exec, all, &(tx_combination){2, {copy, a->u}, {1.0, -1.0}}, copy));
  OK(tx_exec_norms(a->exec, all, copy, norm, NULL));
  for (int v = 0; v < a->system->n_vars; v++) most = fmax(most, norm[v].max);
  tx_field_destroy(copy);
  return most;
}

/* ADM masses given: both solvers find bare masses, and energy. */
static void both_solvers_agree(void **state) {
  if (tx_test_every(2) > 1) return;
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_SPECTRAL), q = p;
  p.initial_data_masses = q.initial_data_masses = TX_MASSES_ADM;
  q.initial_data_solver = TX_SOLVER_MULTIGRID;
  q.elliptic_tolerance = 1e-8;
  tx_sim *a = make(MPI_COMM_WORLD, &p), *b = make(MPI_COMM_WORLD, &q);
  assert_true(b->adm.cycles > 0 && a->adm.cycles == 0);
  for (int h = 0; h < 2; h++) {
    if (!(fabs(a->adm.mass_bare[h] - b->adm.mass_bare[h]) < 2e-6))
      fail_msg("bare masses %.10g, %.10g", a->adm.mass_bare[h], b->adm.mass_bare[h]);
    assert_true(fabs(b->adm.mass_adm[h] - tx_params_hole_of(&p, h).mass) < 1e-9);
  }
  if (!(fabs(a->adm.energy - b->adm.energy) < 3e-6))
    fail_msg("energies %.10g, %.10g", a->adm.energy, b->adm.energy);
  for (int d = 0; d < 3; d++) {
    assert_true(fabs(a->adm.angular_momentum[d] - b->adm.angular_momentum[d]) < 1e-15);
    assert_true(fabs(a->adm.linear_momentum[d] - b->adm.linear_momentum[d]) < 1e-15);
  }
  const double off = difference(a, b);
  if (!(off < 1e-5)) fail_msg("states differ by %g", off);
  tx_sim_destroy(a);
  tx_sim_destroy(b);
}

/* Three holes, whatever the ranks, in half of space or in all of it. */
static tx_params triple(void) {
  tx_params p = pair(TX_ID_PUNCTURES, TX_SOLVER_SPECTRAL);
  p.grid_level_max = tx_test_every(2) > 1 ? 2 : 4;
  p.initial_data_bhN_mass[2] = 0.3;
  p.initial_data_bhN_position[2][1] = 5.0;
  p.initial_data_bhN_spin[2][2] = 0.03;
  p.elliptic_extra_levels = 1;
  p.elliptic_tolerance = tx_test_every(2) > 1 ? 1e-2 : 1e-6;
  OK(tx_params_check(&p, NULL, tx_evolve_demands));
  return p;
}

/* The same on a grid that holds no more than errors need. */
static tx_params small_triple(void) {
  tx_params p = triple();
  p.grid_level_max = 2;
  OK(tx_params_check(&p, NULL, tx_evolve_demands));
  return p;
}

static void bits_do_not_depend_on_the_ranks(void **state) {
  tx_params p = triple();
  uint64_t checksum[2];
  tx_adm_numbers adm[2];
  int rank = 0;
  /* The forest library starts on all ranks of the world, and stays as long as a forest does. */
  const tx_domain domain = {.extent = 1.0};
  tx_octree *keeps_library = NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(tx_octree_create(MPI_COMM_WORLD, &domain, 0, &keeps_library));
  p.initial_data_lapse = TX_LAPSE_MAXIMAL;
  p.elliptic_tolerance = 1e-2; /* of few cycles */
  for (int self = 0; self < (tx_test_every(2) > 1 ? 1 : 2); self++) {
    if (self && rank > 0) continue;
    tx_sim *sim = make(self ? MPI_COMM_SELF : MPI_COMM_WORLD, &p);
    OK(tx_field_checksum(sim->u, &checksum[self]));
    adm[self] = sim->adm;
    tx_sim_destroy(sim);
  }
  test_wait();
  tx_octree_destroy(keeps_library);
  assert_true(adm[0].cycles > 0 && adm[0].lapse_cycles > 0);
  if (tx_test_every(2) > 1 || rank > 0) return;
  assert_true(checksum[0] == checksum[1]);
  assert_memory_equal(&adm[0], &adm[1], sizeof adm[0]);
}

/* But for the outer boundary, whose lower and upper faces differ. */
static void a_mirror_changes_nothing(void **state) {
  if (tx_test_every(2) > 1) return;
  tx_params p = triple(), q = p;
  q.grid_reflect = TX_DIMS_NONE;
  tx_sim *a = make(MPI_COMM_WORLD, &p), *b = make(MPI_COMM_WORLD, &q);
  if (!(fabs(a->adm.energy - b->adm.energy) < 1e-8))
    fail_msg("energies %.17g, %.17g", a->adm.energy, b->adm.energy);
  for (int h = 0; h < 3; h++) assert_true(fabs(a->adm.mass_adm[h] - b->adm.mass_adm[h]) < 1e-8);
  tx_sim_destroy(a);
  tx_sim_destroy(b);
}

/* A third hole without mass to speak of, at rest, leaves two as they are. */
static void a_third_hole_may_vanish(void **state) {
  if (tx_test_every(2) > 1) return;
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_MULTIGRID), q = p;
  q.initial_data_type = TX_ID_PUNCTURES;
  q.initial_data_solver = TX_SOLVER_SPECTRAL;
  q.initial_data_bhN_mass[2] = 1e-9;
  q.initial_data_bhN_position[2][0] = 2.3;
  OK(tx_params_check(&q, NULL, tx_evolve_demands));
  tx_sim *a = make(MPI_COMM_WORLD, &p), *b = make(MPI_COMM_WORLD, &q);
  assert_true(fabs(a->adm.energy + 1e-9 - b->adm.energy) < 1e-9);
  for (int h = 0; h < 2; h++) assert_true(fabs(a->adm.mass_adm[h] - b->adm.mass_adm[h]) < 1e-8);
  tx_sim_destroy(a);
  tx_sim_destroy(b);
}

/* Two and a third hole as if each part were alone in what the other makes of psi there, psi_0 = 1 + E/(2 D): u of a part is
 * psi_0 times that of masses m/psi_0 and momenta P/psi_0^4. What is left falls like D^-2, as psi_0 varies across a part, and as the curvatures
 * meet. How far the ADM masses are off [out]: with psi_0, and with psi_0 = 1. */
static tx_params part(const tx_params *all, int first, int n, double psi_0) {
  static const double nothing[3] = {0.0, 0.0, 0.0};
  tx_params p = *all;
  double *mass[] = {&p.initial_data_bhN_mass[0], &p.initial_data_bhN_mass[1],
                    &p.initial_data_bhN_mass[2]};
  double *x[] = {p.initial_data_bhN_position[0], p.initial_data_bhN_position[1],
                 p.initial_data_bhN_position[2]};
  double *P[] = {p.initial_data_bhN_momentum[0], p.initial_data_bhN_momentum[1],
                 p.initial_data_bhN_momentum[2]};
  for (int a = 0; a < 3; a++) {
    const tx_params_hole from = tx_params_hole_of(all, a < n ? first + a : a);
    *mass[a] = a < n ? from.mass / psi_0 : 0.0;
    for (int d = 0; d < 3; d++) {
      x[a][d] = (a < n ? from.position : nothing)[d];
      P[a][d] = (a < n ? from.momentum : nothing)[d] / pow(psi_0, 4.0);
    }
  }
  OK(tx_params_check(&p, NULL, tx_evolve_demands));
  return p;
}

static void far_errors(double D, double error[2]) {
  tx_params p = pair(TX_ID_PUNCTURES, TX_SOLVER_SPECTRAL);
  double psi_0[2] = {1.0, 1.0};
  p.grid_level_max = 4;
  p.elliptic_tolerance = 1e-5;
  p.initial_data_bhN_mass[2] = 0.3;
  p.initial_data_bhN_position[2][1] = D;
  p.initial_data_bhN_momentum[2][0] = 0.1;
  OK(tx_params_check(&p, NULL, tx_evolve_demands));
  tx_sim *all = make(MPI_COMM_WORLD, &p);
  for (int scaled = 0; scaled < 2; scaled++) {
    double energy[2];
    error[scaled] = 0.0;
    for (int i = 0; i < 2; i++) {
      const int first = i == 0 ? 0 : 2;
      const tx_params q = part(&p, first, 2 - i, psi_0[i]);
      tx_sim *alone = make(MPI_COMM_WORLD, &q);
      for (int a = 0; a < alone->adm.n; a++)
        error[scaled] = fmax(error[scaled], fabs(psi_0[i] * psi_0[i] * alone->adm.mass_adm[a] -
                                                 all->adm.mass_adm[first + a]));
      energy[i] = alone->adm.energy;
      tx_sim_destroy(alone);
    }
    for (int i = 0; i < 2; i++) psi_0[i] = 1.0 + energy[1 - i] / (2.0 * D);
  }
  tx_sim_destroy(all);
}

static void far_holes_are_as_if_alone(void **state) {
  double near[2], far[2];
  if (tx_test_every(2) > 1) return;
  far_errors(15.0, near);
  far_errors(30.0, far);
  print_message("alone %.3g, %.3g; in psi_0 %.3g, %.3g\n", near[0], far[0], near[1], far[1]);
  assert_true(far[0] > 0.4 * near[0] && far[0] < 0.6 * near[0]);
  assert_true(far[1] < near[1] / 3.0 && far[1] > near[1] / 6.0 && far[1] < far[0] / 30.0);
}

/* Largest |d_t K| at points of all ranks that are at least 1 M from holes, in the middle. */
static double change_of_K(tx_sim *sim) {
  tx_field *rates = NULL;
  double most = 0.0;
  const int K = tx_system_variable(sim->system, "K");
  OK(tx_field_create_state(sim->exec, sim->system, &rates));
  OK(tx_ghosts_fill(sim->exec, sim->u));
  OK(tx_exec_rhs(sim->exec, tx_exec_all(sim->exec), &sim->physics, sim->u, rates));
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double *view, h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level);
    double x0[3];
    tx_mesh_origin(sim->mesh, b, x0);
    OK(tx_field_view(rates, b, &view));
    for (int n = 0; n < TX_N3; n++) {
      const int at[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
      double nearest = INFINITY, farthest = 0.0;
      for (int d = 0; d < 3; d++) farthest = fmax(farthest, fabs(x0[d] + at[d] * h));
      for (int a = 0; a < sim->adm.n; a++) {
        const double *y = sim->adm.position[a];
        nearest = fmin(nearest, hypot(hypot(x0[0] + at[0] * h - y[0], x0[1] + at[1] * h - y[1]),
                                      x0[2] + at[2] * h - y[2]));
      }
      if (nearest >= 1.0 && farthest < 8.0) most = fmax(most, fabs(view[K * TX_N3 + n]));
    }
  }
  tx_field_destroy(rates);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/* The lapse of all points: [out] least and most. */
static void lapse_bounds(tx_sim *sim, double bounds[2]) {
  const int alpha = tx_system_variable(sim->system, "alpha");
  bounds[0] = bounds[1] = -1.0;
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    const double *view;
    OK(tx_field_view(sim->u, b, &view));
    for (int n = 0; n < TX_N3; n++) {
      bounds[0] = fmax(bounds[0], -view[alpha * TX_N3 + n]);
      bounds[1] = fmax(bounds[1], view[alpha * TX_N3 + n]);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  bounds[0] *= -1.0;
}

/* K = 0 stays so, d_t K = -D^i D_i alpha + alpha A_ij A^ij, but for the truncation error; whichever solver finds u. */
static void the_maximal_lapse_keeps_slices_maximal(void **state) {
  double rate[2], bounds[2];
  if (tx_test_every(2) > 1) return;
  tx_sim *sim[2];
  for (int solver = TX_SOLVER_SPECTRAL; solver <= TX_SOLVER_MULTIGRID; solver++) {
    tx_params p = pair(TX_ID_TWO_PUNCTURES, solver);
    p.initial_data_lapse = TX_LAPSE_MAXIMAL;
    p.grid_level_max = 5;
    p.initial_data_resolution = solver == TX_SOLVER_SPECTRAL ? 16 : 0;
    p.elliptic_tolerance = 1e-7;
    OK(tx_params_check(&p, NULL, tx_evolve_demands));
    sim[solver] = make(MPI_COMM_WORLD, &p);
    assert_true(sim[solver]->adm.lapse_cycles > 0 && sim[solver]->adm.lapse_residual <= 1e-7);
    rate[solver] = change_of_K(sim[solver]);
    lapse_bounds(sim[solver], bounds);
    assert_true(bounds[0] > 0.0 && bounds[0] < 0.2 && bounds[1] > 0.9 && bounds[1] < 1.0);
  }
  const double off = difference(sim[0], sim[1]);
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_MULTIGRID);
  p.initial_data_lapse = TX_LAPSE_AVERAGED;
  p.grid_level_max = 5;
  tx_sim *other = make(MPI_COMM_WORLD, &p);
  const double without = change_of_K(other);
  print_message("d_t K %.3g, %.3g, without %.3g; solvers differ by %.3g\n", rate[0], rate[1],
                without, off);
  assert_true(rate[0] < without / 100.0 && rate[1] < without / 100.0 && off < 5e-5);
  for (int i = 0; i < 2; i++) tx_sim_destroy(sim[i]);
  tx_sim_destroy(other);
}

/* Nothing moves: alpha = 1/psi, and nothing is solved. */
static void the_maximal_lapse_at_rest_is_averaged(void **state) {
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_SPECTRAL), q;
  p.initial_data_type = TX_ID_BRILL_LINDQUIST;
  memset(p.initial_data_bhN_momentum[0], 0, sizeof p.initial_data_bhN_momentum[0]);
  memset(p.initial_data_bhN_momentum[1], 0, sizeof p.initial_data_bhN_momentum[1]);
  p.grid_level_max = 2;
  p.initial_data_lapse = TX_LAPSE_AVERAGED;
  q = p;
  q.initial_data_lapse = TX_LAPSE_MAXIMAL;
  tx_sim *a = make(MPI_COMM_WORLD, &p), *b = make(MPI_COMM_WORLD, &q);
  assert_int_equal(b->adm.lapse_cycles, 0);
  const double off = difference(a, b); /* weights of extrapolation at outer faces sum up to 1023 */
  if (!(off < 1e-12)) fail_msg("states differ by %g", off);
  tx_sim_destroy(a);
  tx_sim_destroy(b);
}

/* Nodes of the forest that are finer than the evolution's there: all near a spot with levels, and the finest at it. */
static void extra_levels_lie_about_their_punctures(void **state) {
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_SPECTRAL);
  const tx_elliptic_spot spot[] = {
      {{2.0, 0.0, 0.0}, 2}, {{-2.5, 0.0, 0.0}, 0}, {{6.0, 5.0, -4.0}, 1}};
  tx_elliptic_forest *f = NULL;
  tx_level_grids *evolution = NULL, *forest = NULL;
  if (tx_test_every(2) > 1) return;
  p.initial_data_resolution = 16;
  tx_sim *sim = make(MPI_COMM_WORLD, &p);
  OK(tx_elliptic_forest_create(sim->mesh, 2.0, 3, spot, &f));
  OK(tx_level_grids_begin(sim->mesh, NULL, &evolution));
  OK(tx_level_grids_begin(f->mesh, NULL, &forest));
  for (int i = 0; i < 3; i++)
    assert_int_equal(tx_level_grids_locate(forest, spot[i].x),
                     tx_level_grids_locate(evolution, spot[i].x) + f->shift + spot[i].levels);
  for (tx_lidx b = 0; b < f->mesh->n_local; b++) {
    const int level = f->mesh->octant[b].level;
    const double size = tx_mesh_size(f->mesh, level);
    double x[3], nearest = INFINITY;
    tx_mesh_origin(f->mesh, b, x);
    for (int d = 0; d < 3; d++) x[d] += 0.5 * size;
    const int there = tx_level_grids_locate(evolution, x);
    if (there < 0 || level <= there + f->shift) continue;
    for (int i = 0; i < 3; i += 2) {
      double far = 0.0;
      for (int d = 0; d < 3; d++)
        far = fmax(far, fabs(x[d] - (d == 2 ? fabs(spot[i].x[d]) : spot[i].x[d])));
      nearest = fmin(nearest, far);
    }
    assert_true(
        nearest <
        6.0 *
            size); /* two sizes of a parent, that parent and half an octant, less than two for neighbours */
  }
  tx_level_grids_destroy(evolution);
  tx_level_grids_destroy(forest);
  tx_elliptic_forest_destroy(f);
  tx_sim_destroy(sim);
}

/* Solves of `p` fail so. */
static void assert_refused(const tx_params *p, tx_status code, const char *text) {
  tx_sim *sim = NULL;
  TX_TEST_REFUSED(tx_sim_create_data(MPI_COMM_WORLD, p, &sim), code, text);
  assert_null(sim);
}

static void what_cannot_be_solved_says_why(void **state) {
  if (tx_test_every(2) > 1) return;
  tx_params p = small_triple();
  p.elliptic_tolerance = 1e-18;
  assert_refused(&p, TX_ERR_NUMERICS, "the Hamiltonian constraint is not solved to 1e-18");
  p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_SPECTRAL);
  p.grid_level_max = 2;
  p.initial_data_resolution = 16;
  p.initial_data_lapse = TX_LAPSE_MAXIMAL;
  p.elliptic_tolerance = 1e-18;
  assert_refused(&p, TX_ERR_NUMERICS, "the equation of the maximal lapse is not solved to 1e-18");
  p = small_triple();
  p.initial_data_masses = TX_MASSES_ADM;
  p.initial_data_bhN_spin[2][2] = 5.0 * 0.09;
  assert_refused(&p, TX_ERR_NUMERICS, "puncture 3 came out with S/M^2 = 5, M being its ADM mass");
  p = small_triple();
  p.elliptic_extra_levels = 14;
  assert_refused(&p, TX_ERR_PARAM, "elliptic.extra_levels: level 19 at puncture 3");
  p = triple();
  p.elliptic_reach = 1e6;
  p.initial_data_bhN_spin[2][2] = 0.0;
  assert_refused(&p, TX_ERR_PARAM, "elliptic.reach: the grid for the elliptic equation would have");
}

/* Fewer steps than it takes. */
static void masses_that_are_not_reached_say_so(void **state) {
  if (tx_test_every(2) > 1) return;
  const tx_params p = small_triple();
  tx_sim *sim = make(MPI_COMM_WORLD, &p);
  tx_elliptic_punctures_task task = {
      .adm_masses = true,
      .mass_steps = 1,
      .how = {.order = 2, .reach = 2.0, .control = tx_elliptic_control_default()}};
  const tx_elliptic_punctures_fields none = {NULL, NULL};
  tx_bowen_york data;
  tx_adm_numbers adm;
  task.how.control.tolerance = 1e-6;
  OK(tx_initial_data_holes(&p, &data, task.mass));
  TX_TEST_REFUSED(tx_elliptic_punctures(sim->mesh, &task, &data, &adm, &none), TX_ERR_NUMERICS,
                  "no bare masses were found for these ADM masses: after 1 ");
  tx_sim_destroy(sim);
}

/* Spins of 0.9: ADM masses hardly change with bare ones, and u is known to the tolerance alone. */
static void fast_spins_have_their_masses(void **state) {
  if (tx_test_every(2) > 1) return;
  tx_params p = pair(TX_ID_TWO_PUNCTURES, TX_SOLVER_MULTIGRID);
  p.initial_data_masses = TX_MASSES_ADM;
  p.grid_extent = 16.0;
  p.grid_level_max = 3;
  p.elliptic_extra_levels = 3;
  p.elliptic_tolerance = 1e-5;
  for (int h = 0; h < 2; h++)
    (h == 0 ? p.initial_data_bhN_spin[0] : p.initial_data_bhN_spin[1])[2] =
        0.9 * tx_params_hole_of(&p, h).mass * tx_params_hole_of(&p, h).mass;
  OK(tx_params_check(&p, NULL, tx_evolve_demands));
  tx_sim *sim = make(MPI_COMM_WORLD, &p);
  for (int h = 0; h < 2; h++)
    assert_true(fabs(sim->adm.mass_adm[h] - tx_params_hole_of(&p, h).mass) < 1e-12);
  assert_true(sim->adm.mass_steps <= 6);
  tx_sim_destroy(sim);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(both_solvers_agree),
    cmocka_unit_test(bits_do_not_depend_on_the_ranks),
    cmocka_unit_test(a_mirror_changes_nothing),
    cmocka_unit_test(a_third_hole_may_vanish),
    cmocka_unit_test(far_holes_are_as_if_alone),
    cmocka_unit_test(the_maximal_lapse_keeps_slices_maximal),
    cmocka_unit_test(the_maximal_lapse_at_rest_is_averaged),
    cmocka_unit_test(extra_levels_lie_about_their_punctures),
    cmocka_unit_test(what_cannot_be_solved_says_why),
    cmocka_unit_test(fast_spins_have_their_masses),
    cmocka_unit_test(masses_that_are_not_reached_say_so),
};

static int run(void) {
  tx_log_quiet(1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

TEST_MAIN_WITH(run())
