/* Time steps of levels keep mirror images, to the last bit: in a periodic box, and in the whole of a domain against one
 * octant of it; at outer boundaries to round-off, as lower and upper ones are extrapolated to in different ways. Octants own
 * their low faces only, so that nothing of the kind holds with one step for all levels of a refined grid. */
#include "physics/bssn.h"
#include "support/main.h"
#include "support/simulate.h"

#include <math.h>

#define EXTENT 8.0

/* Smooth, its own image in all three reflections, and flat beyond `reach`, with no symmetry but those: of variable v at
 * |x|. No solution of the constraints. */
static double bump(int v, const double x[3], double reach) {
  double r2 = 0.0, phase = 0.7 * v;
  for (int d = 0; d < 3; d++) {
    r2 += x[d] * x[d];
    phase += (1.1 + 0.13 * ((v + 3 * d) % 5)) * x[d];
  }
  const double s = 1.0 - r2 / (reach * reach);
  return s > 0.0 ? 0.02 * s * s * s * s * cos(phase) : 0.0;
}

static double symmetric(int v, const double x[3], double reach) {
  double at[3], sign = 1.0;
  for (int d = 0; d < 3; d++) {
    const bool odd = tx_bssn.variable[v].parity[d] < 0;
    at[d] = fabs(x[d]);
    if (odd && (at[d] == 0.0 || at[d] == EXTENT)) return 0.0;
    if (odd && x[d] < 0.0) sign = -sign;
  }
  return tx_bssn.variable[v].infinity + sign * bump(v, at, reach);
}

static void point_of(const tx_mesh *mesh, tx_lidx b, int q, double x[3]) {
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  const int at[3] = {q % TX_N, q / TX_N % TX_N, q / (TX_N * TX_N)};
  tx_mesh_origin(mesh, b, x);
  for (int d = 0; d < 3; d++) x[d] += at[d] * h;
}

static void fill(tx_sim *sim, double reach) {
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u, x[3];
    assert_int_equal(tx_field_octant(sim->u, b, &u), TX_OK);
    for (int q = 0; q < TX_N3; q++) {
      point_of(sim->mesh, b, q, x);
      for (int v = 0; v < TX_VARS; v++) u[v * TX_N3 + q] = symmetric(v, x, reach);
    }
  }
  assert_int_equal(tx_exec_outer_planes(sim->exec, tx_exec_all(sim->exec), sim->u), TX_OK);
}

/* Three levels, cubes of half and a quarter of the box. */
static void make_params(tx_params *p, int level, int reflect) {
  tx_params_default(p);
  p->run_t_end = 100.0;
  p->grid_extent = EXTENT;
  p->grid_reflect = reflect;
  p->grid_level_min = level;
  p->grid_level_max = p->grid_ball_level = level + 2;
  p->grid_ball_radius = 0.22 * EXTENT;
  p->grid_ball_growth = 2.0;
  p->evolution_cfl = 0.45;
  p->evolution_dissipation = 0.4;
  p->evolution_time_steps = TX_STEPS_LEVELS;
  p->evolution_macro_step = 100.0;
}

static tx_sim *run(const tx_params *p, double reach, int macro_steps) {
  tx_sim *sim = NULL;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, p, &sim), TX_OK);
  assert_int_equal(sim->mesh->level_highest, sim->mesh->level_lowest + 2);
  fill(sim, reach);
  for (int n = 0; n < macro_steps; n++) assert_int_equal(tx_sim_step(sim), TX_OK);
  assert_int_equal(tx_sim_check(sim), TX_OK);
  return sim;
}

/* The values of all variables at x, [v * TX_N3]; NULL where the leaf that owns x has no point there. */
static const double *values_at(tx_sim *sim, const double x[3]) {
  const tx_lidx b = tx_mesh_locate(sim->mesh, x);
  const double *u;
  double x0[3], h;
  int at[3];
  assert_true(b >= 0);
  tx_mesh_origin(sim->mesh, b, x0);
  h = tx_mesh_spacing(sim->mesh, sim->mesh->octant[b].level);
  for (int d = 0; d < 3; d++) {
    at[d] = (int)lrint((x[d] - x0[d]) / h);
    if (x0[d] + at[d] * h != x[d]) return NULL;
  }
  assert_int_equal(tx_field_view(sim->u, b, &u), TX_OK);
  return u + TX_AT(at[0], at[1], at[2]);
}

/* How far variable v of point q of local octant o of `a` is from the image, under `mirror` (bit d), of what `b` has at x. */
static double off(const tx_sim *a, tx_lidx o, int q, int v, unsigned mirror, const double *there) {
  const double *u;
  double sign = 1.0;
  for (int d = 0; d < 3; d++)
    if (mirror >> d & 1) sign *= tx_bssn.variable[v].parity[d];
  assert_int_equal(tx_field_view(a->u, o, &u), TX_OK);
  return fabs(u[v * TX_N3 + q] - sign * there[v * TX_N3]);
}

/* The image of x, and whether `b` has it and x is within `reach` in every dimension. */
static bool image(const tx_sim *b, unsigned mirror, double reach, const double x[3], double y[3]) {
  bool there = true;
  for (int d = 0; d < 3; d++) {
    const bool reflects = b->mesh->domain.low[d] == TX_FACE_REFLECT;
    y[d] = mirror >> d & 1 ? -x[d] : x[d];
    there = there && fabs(x[d]) <= reach && y[d] < EXTENT && !(reflects && y[d] < 0.0);
  }
  return there;
}

/* Values of `a` within `reach` that are more than `most` off their images in `b`; *compared counts all. The first is told. */
static long differing(tx_sim *a, tx_sim *b, unsigned mirror, double reach, double most,
                      long *compared) {
  long n = 0;
  for (tx_lidx o = 0; o < a->mesh->n_local; o++)
    for (int q = 0; q < TX_N3; q++) {
      double x[3], y[3];
      point_of(a->mesh, o, q, x);
      const double *there = image(b, mirror, reach, x, y) ? values_at(b, y) : NULL;
      for (int v = 0; v < TX_VARS && there; v++) {
        ++*compared;
        const double by = off(a, o, q, v, mirror, there);
        if (by <= most) continue;
        if (n++ == 0)
          print_error("%s at (%g, %g, %g), mirror %u: off by %.2e\n", tx_bssn.variable[v].name,
                      x[0], x[1], x[2], mirror, by);
      }
    }
  return n;
}

static void test_images_in_a_periodic_box(void **state) {
  tx_params p;
  long compared = 0, faults = 0;
  make_params(&p, 1, TX_DIMS_NONE);
  p.grid_periodic = TX_DIMS_XYZ;
  tx_sim *sim = run(&p, 0.75 * EXTENT, 2);
  for (unsigned mirror = 1; mirror < 8; mirror++)
    faults += differing(sim, sim, mirror, EXTENT, 0.0, &compared);
  assert_int_equal(faults, 0);
  assert_true(compared > 0);
  tx_sim_destroy(sim);
}

/* From where the data are not flat to the outer boundary and back is farther than anything comes in the time. */
static void test_whole_and_octant(void **state) {
  tx_params p[2];
  tx_sim *sim[2];
  long compared = 0;
  for (int s = 0; s < 2; s++) {
    make_params(&p[s], 1, s == 0 ? TX_DIMS_NONE : TX_DIMS_XYZ);
    sim[s] = run(&p[s], 0.2 * EXTENT, 1);
  }
  const long faults = differing(sim[0], sim[1], 0, 0.75 * EXTENT, 0.0, &compared);
  for (int s = 0; s < 2; s++) tx_sim_destroy(sim[s]);
  assert_int_equal(faults, 0);
  assert_true(compared > 0);
}

/* Data that are not flat at the boundary, on all points that have images: those of the lower faces have none. */
static long beside_outer_boundary(const tx_params *p) {
  long compared = 0, faults = 0;
  tx_sim *sim = NULL;
  assert_int_equal(tx_sim_create(MPI_COMM_WORLD, p, &sim), TX_OK);
  fill(sim, 2.0 * EXTENT);
  for (int n = 0; n < 2; n++) assert_int_equal(tx_sim_step(sim), TX_OK);
  assert_int_equal(tx_sim_check(sim), TX_OK);
  const double h = tx_mesh_spacing(sim->mesh, sim->mesh->level_highest);
  for (unsigned mirror = 1; mirror < 8; mirror++)
    faults += differing(sim, sim, mirror, EXTENT - 0.5 * h, 1e-13, &compared);
  assert_true(compared > 0);
  tx_sim_destroy(sim);
  return faults;
}

static void test_images_at_outer_boundaries(void **state) {
  tx_params p;
  make_params(&p, 1, TX_DIMS_NONE);
  assert_int_equal(beside_outer_boundary(&p), 0);
  p.grid_ball_radius = 0.9 * EXTENT; /* two levels reach the boundary */
  p.grid_level_max = p.grid_ball_level = 2;
  assert_int_equal(beside_outer_boundary(&p), 0);
}

static void test_images_at_outer_boundaries_with_one_step(void **state) {
  tx_params p;
  make_params(&p, 1, TX_DIMS_NONE);
  p.evolution_time_steps = TX_STEPS_GLOBAL;
  p.grid_level_max = p.grid_ball_level = 1;
  assert_int_equal(beside_outer_boundary(&p), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_images_in_a_periodic_box),
    cmocka_unit_test(test_whole_and_octant),
    cmocka_unit_test(test_images_at_outer_boundaries),
    cmocka_unit_test(test_images_at_outer_boundaries_with_one_step),
};
TEST_MAIN(tests)
