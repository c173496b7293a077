/* Horizons of initial data on a mesh: one puncture at rest, spinning, moving; two at rest. */
#include <math.h>
#include <string.h>
#include "evolve/sim.h"
#include "horizons/horizon.h"
#include "physics/bssn.h"
#include "support/main.h"

/* Parameters of a box [-8, 8)^3 with spacing h within 1.2 M of the punctures; h is a power of 2. */
static void make_params(tx_params *p, double h, tx_dims reflect) {
  tx_params_default(p);
  p->grid_extent = 8.0;
  p->grid_reflect = reflect;
  p->grid_level_min = 0;
  p->grid_level_max = 0;
  while (p->grid_extent / TX_N / (1 << p->grid_level_max) > 1.01 * h) p->grid_level_max++;
  p->grid_bh_radius = 1.2;
}

static void one_puncture(tx_params *p, double h, tx_dims reflect, const double x[3]) {
  make_params(p, h, reflect);
  p->initial_data_type = TX_ID_PUNCTURE;
  p->initial_data_bhN_mass[0] = 1.0;
  memcpy(p->initial_data_bhN_position[0], x, sizeof p->initial_data_bhN_position[0]);
}

/* Masses m1 + m2 = 1 at x1 and x2 on the x axis. */
static void pair(tx_params *p, double h, tx_dims reflect, double m1, double x1, double x2) {
  make_params(p, h, reflect);
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = m1;
  p->initial_data_bhN_mass[1] = 1.0 - m1;
  p->initial_data_bhN_position[0][0] = x1;
  p->initial_data_bhN_position[1][0] = x2;
}

static void require_ok(tx_status status) {
  if (status != TX_OK) fail_msg("status %d: %s", status, tx_error_text());
}

static tx_sim *start(const tx_params *p, int l_max, tx_horizon_finder **finder) {
  tx_sim *sim = NULL;
  require_ok(tx_sim_create(MPI_COMM_WORLD, p, &sim));
  require_ok(tx_ghosts_fill(sim->exec, sim->u));
  require_ok(tx_horizon_finder_create(&sim->mesh->domain, l_max, finder));
  return sim;
}

static void end(tx_sim *sim, tx_horizon_finder *finder) {
  tx_horizon_finder_destroy(finder);
  tx_sim_destroy(sim);
}

static tx_horizon find(tx_horizon_finder *f, tx_sim *sim, double x, double y, double z, double r) {
  const double centre[3] = {x, y, z};
  tx_surface guess;
  tx_horizon out;
  tx_surface_sphere(8, centre, r, &guess);
  require_ok(tx_horizon_find(f, sim->exec, sim->u, &guess, &(tx_horizon_points){0, NULL}, &out));
  return out;
}

static void near(const char *what, double value, double expected, double tolerance) {
  print_message("%-40s %.12g, %.2e off\n", what, value, value - expected);
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s: %.15g differs from %.15g by more than %.2e", what, value, expected, tolerance);
}

/* Area 16 pi of a hole of mass 1 at a place that is no grid point, to 1e-6, from guesses 0.6 to
 * 2 times the radius. The stencils of a sample reach half way from the horizon to the puncture,
 * so that the error falls faster than their order; it must not fall slower than that of the
 * evolution. */
static void test_schwarzschild(void **state) {
  const double x[3] = {0.123, 0.045, -0.0678}, far = 16.0 * M_PI;
  double error[2];
  for (int fine = 0; fine < 2; fine++) {
    tx_params p;
    tx_horizon_finder *f;
    one_puncture(&p, fine ? 1.0 / 32.0 : 1.0 / 16.0, TX_DIMS_NONE, x);
    p.grid_bh_radius = 0.6;
    tx_sim *sim = start(&p, 8, &f);
    tx_horizon h = find(f, sim, x[0], x[1], x[2], 0.5);
    assert_true(h.found);
    error[fine] = fabs(h.area - far);
    for (double r = 0.3; !fine && r < 1.1; r += 0.35) {
      h = find(f, sim, x[0] + 0.05, x[1], x[2] - 0.1, r);
      assert_true(h.found);
      assert_in_range(h.iterations, 3, 10);
      near("area", h.area, far, 1e-6 * far);
      near("mass", h.mass, 1.0, 1e-6);
      near("radius", h.radius_mean, 0.5, 1e-6);
      near("least radius", h.radius_min, 0.5, 2e-6);
      near("largest radius", h.radius_max, 0.5, 2e-6);
      for (int d = 0; d < 3; d++) {
        near("centroid", h.centroid[d], x[d], 1e-6);
        assert_true(h.spin[d] == 0.0);
      }
      assert_true(h.residual < 1e-4);
    }
    end(sim, f);
  }
  double order = log2(error[0] / error[1]);
  print_message("errors of the area %.2e, %.2e: order %.2f\n", error[0], error[1], order);
  assert_true(order > 6.0 && order < 13.0);
}

/* Bowen-York data of spin S in any direction: J = S, r = m/2. The energy holds waves too: E = M + O(S^4). */
static void test_spinning(void **state) {
  const double x[3] = {0.03, 0.02, 0.01}, S[3] = {0.1, -0.12, 0.1249};
  tx_params p;
  tx_horizon_finder *f;
  one_puncture(&p, 1.0 / 16.0, TX_DIMS_NONE, x);
  memcpy(p.initial_data_bhN_spin[0], S, sizeof S);
  tx_sim *sim = start(&p, 8, &f);
  tx_horizon h = find(f, sim, 0.0, 0.0, 0.0, 0.6);
  assert_true(h.found);
  for (int d = 0; d < 3; d++) near("spin", h.spin[d], S[d], 1e-6);
  near("radius", h.radius_min, 0.5, 1e-5);
  near("radius", h.radius_max, 0.5, 1e-5);
  double J = sqrt(S[0] * S[0] + S[1] * S[1] + S[2] * S[2]);
  near("chi", h.chi, J / (h.mass * h.mass), 1e-6);
  assert_true(sim->adm.energy > h.mass);
  near("mass", h.mass, sim->adm.energy, 2e-5);
  near("irreducible mass", h.mass_irreducible,
       sqrt(h.mass * h.mass - 0.25 * pow(J / h.mass_irreducible, 2.0)), 1e-6);
  end(sim, f);
}

/* A moving puncture: the horizon's mass is the ADM mass at the puncture's other end, m (1 + u)
 * (Tichy, Bruegmann, gr-qc/0307027), and E^2 = M^2 + P^2 but for waves, O(P^4). The mirrors keep
 * the rest 0. */
static void test_moving(void **state) {
  const double origin[3] = {0.0};
  double junk[2];
  for (int fast = 0; fast < 2; fast++) {
    tx_params p;
    tx_horizon_finder *f;
    double P = fast ? 0.2 : 0.1;
    one_puncture(&p, 1.0 / 16.0, TX_DIMS_YZ, origin);
    p.initial_data_bhN_momentum[0][0] = P;
    p.initial_data_tolerance = 1e-8;
    tx_sim *sim = start(&p, 8, &f);
    tx_horizon h = find(f, sim, 0.0, 0.0, 0.0, 0.6);
    assert_true(h.found);
    near("irreducible mass", h.mass_irreducible, sim->adm.mass_adm[0], 1e-7);
    junk[fast] = sqrt(sim->adm.energy * sim->adm.energy - P * P) - h.mass;
    assert_true(junk[fast] > 0.0 && junk[fast] < 0.06 * pow(P, 4.0));
    assert_true(h.centroid[0] < -1e-3 && h.centroid[1] == 0.0 && h.centroid[2] == 0.0);
    for (int d = 0; d < 3; d++) assert_true(h.spin[d] == 0.0);
    end(sim, f);
  }
  double order = log2(junk[1] / junk[0]);
  print_message("E - M in waves %.2e, %.2e: order %.2f in P\n", junk[0], junk[1], order);
  assert_true(order > 3.8 && order < 4.2);
}

/* Far from each other the horizons' masses are the punctures' ADM masses m_a (1 + m_b/(2 d)),
 * and their radii those of isolated holes, smaller by the factor 1/(1 + m_b/(2 d)). */
static void test_separate(void **state) {
  const double d = 4.0, m1 = 0.6;
  tx_params p;
  tx_horizon_finder *f;
  pair(&p, 1.0 / 32.0, TX_DIMS_YZ, m1, 1.5, 1.5 - d);
  p.grid_bh_radius = 0.5;
  tx_sim *sim = start(&p, 8, &f);
  for (int a = 0; a < 2; a++) {
    double m = a ? 1.0 - m1 : m1, factor = 1.0 + 0.5 * (1.0 - m) / d, x = a ? 1.5 - d : 1.5;
    tx_horizon h = find(f, sim, x, 0.0, 0.0, 0.7 * m);
    assert_true(h.found);
    near("mass", h.mass, m * factor, 1e-6);
    near("radius", h.radius_mean, 0.5 * m / factor, 1e-4);
    near("centroid", h.centroid[0], x, 0.005);
    assert_true(h.spin[2] == 0.0 && h.centroid[1] == 0.0 && h.centroid[2] == 0.0);
  }
  const double both[2][3] = {{1.5, 0.0, 0.0}, {1.5 - d, 0.0, 0.0}}, middle[3] = {0.0};
  tx_surface guess;
  tx_horizon h;
  tx_surface_sphere(8, middle, 3.0, &guess);
  require_ok(tx_horizon_find(f, sim->exec, sim->u, &guess, &(tx_horizon_points){2, both}, &h));
  assert_false(h.found);
  assert_in_range(h.iterations, 1, 12);
  end(sim, f);
}

/* Two equal punctures: a common horizon for separations below 0.76620 M (gr-qc/0306056: 1.5324
 * for masses of 1), not above; its area at 0.75 M from the minimal surface of revolution by
 * shooting. */
static void test_common(void **state) {
  const double separation[3] = {0.7585, 0.7738, 0.75};
  for (int k = 0; k < 3; k++) {
    tx_params p;
    tx_horizon_finder *f;
    pair(&p, 1.0 / 32.0, TX_DIMS_YZ, 0.5, 0.5 * separation[k], -0.5 * separation[k]);
    p.grid_bh_radius = 0.6;
    tx_sim *sim = start(&p, 12, &f);
    tx_horizon h = find(f, sim, 0.0, 0.0, 0.0, 0.8);
    assert_int_equal(h.found, k != 1);
    if (k == 2) near("area / 16 pi", h.area / (16.0 * M_PI), 0.97959612, 1e-6);
    end(sim, f);
  }
}

/* Mirrors: less work, the same surface; a centre beside a mirror is no trouble. */
static void test_mirrors(void **state) {
  static const tx_dims reflect[3] = {TX_DIMS_NONE, TX_DIMS_XYZ, TX_DIMS_X};
  tx_horizon h[4];
  for (int k = 0; k < 3; k++) {
    tx_params p;
    tx_horizon_finder *f;
    pair(&p, 1.0 / 16.0, reflect[k], 0.5, 0.3, -0.3);
    tx_sim *sim = start(&p, 8, &f);
    h[k] = find(f, sim, 0.0, 0.0, 0.0, 0.8);
    if (k == 2) h[3] = find(f, sim, 0.03, 0.02, 0.0, 0.6);
    end(sim, f);
  }
  for (int k = 0; k < 4; k++) {
    assert_true(h[k].found);
    near("area", h[k].area, h[0].area, 5e-5);
    for (int d = 0; d < 3; d++) near("centroid", h[k].centroid[d], 0.0, 1e-6);
    for (int i = 0; i < 81 && k < 3; i++)
      near("coefficient", h[k].surface.a[i], h[0].surface.a[i], 1e-5);
  }
  for (int d = 0; d < 3; d++) assert_true(h[1].centroid[d] == 0.0 && h[1].spin[d] == 0.0);
  assert_true(h[2].centroid[0] == 0.0);
  assert_true(h[3].surface.centre[0] != 0.0);
}

/* What is not finite, not there, or not of the mesh. */
static void test_errors(void **state) {
  const double origin[3] = {0.0};
  tx_params p;
  tx_horizon_finder *f, *other;
  one_puncture(&p, 1.0 / 8.0, TX_DIMS_NONE, origin);
  tx_sim *sim = start(&p, 4, &f);
  assert_false(find(f, sim, 7.9, 0.0, 0.0, 0.5).found);
  assert_false(find(f, sim, 4.0, 4.0, 4.0, 0.5).found);
  assert_true(find(f, sim, 0.0, 0.0, 0.0, 0.5).found);

  tx_surface guess;
  tx_horizon h;
  tx_surface_sphere(4, origin, 0.5, &guess);
  tx_domain domain = sim->mesh->domain;
  domain.low[2] = TX_FACE_REFLECT;
  require_ok(tx_horizon_finder_create(&domain, 4, &other));
  assert_int_equal(
      tx_horizon_find(other, sim->exec, sim->u, &guess, &(tx_horizon_points){0, NULL}, &h),
      TX_ERR_MESH);
  assert_non_null(strstr(tx_error_text(), "another domain"));
  tx_error_clear();
  tx_horizon_finder_destroy(other);

  tx_field *few, *fresh;
  require_ok(tx_field_create(sim->exec, 3, NULL, &few));
  assert_int_equal(tx_horizon_find(f, sim->exec, few, &guess, &(tx_horizon_points){0, NULL}, &h),
                   TX_ERR_MESH);
  assert_non_null(strstr(tx_error_text(), "not a field of 3"));
  tx_error_clear();
  tx_field_destroy(few);
  require_ok(tx_field_create_state(sim->exec, &tx_bssn, &fresh)); /* its ghosts are not filled */
  assert_true(tx_horizon_find(f, sim->exec, fresh, &guess, &(tx_horizon_points){0, NULL}, &h) !=
              TX_OK);
  tx_error_clear();
  tx_field_destroy(fresh);

  const double near_surface[3] = {0.3, 0.3, 0.3};
  tx_lidx b = tx_mesh_locate(sim->mesh, near_surface);
  double *u;
  require_ok(tx_field_octant(sim->u, b, &u));
  for (int i = 0; i < TX_N3; i++) u[TX_VAR_CHI * TX_N3 + i] = NAN;
  require_ok(tx_ghosts_fill(sim->exec, sim->u));
  h = find(f, sim, 0.0, 0.0, 0.0, 0.5);
  assert_false(h.found);
  assert_int_equal(h.iterations, 1);
  for (int i = 0; i < TX_N3; i++) u[TX_VAR_CHI * TX_N3 + i] = -1.0;
  require_ok(tx_ghosts_fill(sim->exec, sim->u));
  assert_false(find(f, sim, 0.0, 0.0, 0.0, 0.5).found);
  end(sim, f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_schwarzschild), cmocka_unit_test(test_spinning),
    cmocka_unit_test(test_moving),        cmocka_unit_test(test_separate),
    cmocka_unit_test(test_common),        cmocka_unit_test(test_mirrors),
    cmocka_unit_test(test_errors),
};
TEST_MAIN(tests)
