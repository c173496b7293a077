/* Psi4 of quadrupole waves, sampled from a refined grid, against its analytic modes: amplitude, sign and
 * phase, on whole and reflection-symmetric domains, the same bits on any number of ranks. */
#include "support/main.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/memory.h"
#include "gw_extraction/gw.h"
#include "physics/bssn.h"
#include "physics/initial_data/initial_data.h"
#include "tests/support/teukolsky.h"

enum { L_MAX = 3, MODES = (L_MAX + 1) * (L_MAX + 1) - 4, RADII = 2 };

/* One sphere on the fine level, one on the coarse one; both within the wave. */
static const double extent = 8.0, radii[RADII] = {2.5, 5.5}, fine_radius = 3.5;

typedef struct grid {
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *exec;
  tx_field *u;
} grid;

static void require_ok(tx_status status) {
  if (status != TX_OK) fail_msg("status %d: %s", status, tx_error_text());
}

/* A ball of the finer level in a domain of level 1 (N = 8) or 0 (N = 16). */
static void grid_create(MPI_Comm comm, const tx_domain *domain, grid *g) {
  int level = TX_N == 8 ? 1 : 0;
  tx_transfer *transfer;
  tx_mesh *first;
  int8_t *flag;
  require_ok(tx_octree_create(comm, domain, level, &g->tree));
  require_ok(tx_mesh_create(g->tree, &first));
  require_ok(tx_alloc((size_t)first->n_local + 1, 1, "test", &flag));
  for (tx_lidx b = 0; b < first->n_local; b++) {
    double x0[3], near2 = 0.0, size = tx_mesh_size(first, level);
    tx_mesh_origin(first, b, x0);
    for (int d = 0; d < 3; d++) {
      double near = fmax(0.0, fmax(x0[d], -x0[d] - size));
      near2 += near * near;
    }
    flag[b] = near2 < fine_radius * fine_radius;
  }
  require_ok(
      tx_octree_adapt(g->tree, first, &(tx_adaptation){flag, level, level + 1, NULL}, &transfer));
  tx_transfer_destroy(transfer);
  tx_mesh_destroy(first);
  tx_free(flag);
  require_ok(tx_mesh_create(g->tree, &g->mesh));
  require_ok(tx_exec_create(g->mesh, TX_VARS, &g->exec));
  require_ok(tx_field_create_state(g->exec, &tx_bssn, &g->u));
}

static void grid_fill(grid *g, const tx_initial_data *id, double t) {
  tx_initial_map map;
  require_ok(tx_initial_map_of(&tx_bssn, &map));
  for (tx_lidx b = 0; b < g->mesh->n_local; b++) {
    double x0[3], *u;
    tx_mesh_origin(g->mesh, b, x0);
    require_ok(tx_field_octant(g->u, b, &u));
    tx_initial_data_octant(id, &map, &(tx_initial_at){t, {x0[0], x0[1], x0[2]}, {NULL, NULL}},
                           tx_mesh_spacing(g->mesh, g->mesh->octant[b].level), u);
  }
  require_ok(tx_ghosts_fill(g->exec, g->u));
}

static void grid_destroy(grid *g) {
  tx_field_destroy(g->u);
  tx_exec_destroy(g->exec);
  tx_mesh_destroy(g->mesh);
  tx_octree_destroy(g->tree);
}

typedef struct modes {
  double psi4[RADII][MODES][2];
  tx_gw_sphere sphere[RADII];
} modes;

/* beta = Omega × x + d(x^2 y + x z^2 + x^2) + x × d(x z): a rotation, a gradient, and what turns with l = 2. */
static void shift_fill(grid *g, const double omega[3]) {
  for (tx_lidx b = 0; b < g->mesh->n_local; b++) {
    const double h = tx_mesh_spacing(g->mesh, g->mesh->octant[b].level);
    double x0[3], *u;
    tx_mesh_origin(g->mesh, b, x0);
    require_ok(tx_field_octant(g->u, b, &u));
    for (int p = 0; p < TX_N3; p++) {
      const double x = x0[0] + h * (p % TX_N), y = x0[1] + h * (p / TX_N % TX_N),
                   z = x0[2] + h * (p / (TX_N * TX_N));
      const double beta[3] = {omega[1] * z - omega[2] * y + 2.0 * x * y + z * z + 2.0 * x + x * y,
                              omega[2] * x - omega[0] * z + x * x + z * z - x * x,
                              omega[0] * y - omega[1] * x + 2.0 * x * z - y * z};
      for (int i = 0; i < 3; i++) u[(TX_VAR_BETA0 + i) * TX_N3 + p] = beta[i];
    }
  }
  require_ok(tx_ghosts_fill(g->exec, g->u));
}

/* Modes up to l_max of the data of p at time t, extracted by the ranks of comm; omega: with the shift of that, or NULL. */
static void extract_to(MPI_Comm comm, const tx_params *p, double t, int l_max, const double *omega,
                       double (*psi4)[2], tx_gw_sphere *spheres) {
  tx_domain domain = {.extent = p->grid_extent};
  for (int d = 0; d < 3; d++)
    domain.low[d] = p->grid_reflect >> d & 1 ? TX_FACE_REFLECT : TX_FACE_OUTER;
  tx_initial_data *id;
  tx_gw *gw;
  grid g;
  require_ok(tx_initial_data_create(p, &id));
  require_ok(tx_gw_create(&domain, RADII, radii, l_max, 0, &gw));
  grid_create(comm, &domain, &g);
  grid_fill(&g, id, t);
  if (omega) shift_fill(&g, omega);
  require_ok(tx_gw_extract(gw, g.exec, g.u, psi4, spheres));
  grid_destroy(&g);
  tx_gw_destroy(gw);
  tx_initial_data_destroy(id);
}

static void extract(MPI_Comm comm, const tx_params *p, double t, modes *out) {
  extract_to(comm, p, t, L_MAX, NULL, out->psi4[0], out->sphere);
}

static void wave(tx_params *p, int parity, int m, int reflect) {
  tx_params_default(p);
  p->grid_extent = extent;
  p->grid_reflect = reflect;
  p->initial_data_type = TX_ID_TEUKOLSKY;
  p->initial_data_amplitude = 1e-6;
  p->initial_data_wavelength = 2.0;
  p->initial_data_wave_parity = parity;
  p->initial_data_wave_m = m;
}

/* The largest error of any mode on one sphere, over the largest mode that the wave has there. */
static double largest_error(const tx_params *p, double t, const modes *found, int r) {
  tx_initial_data *id;
  require_ok(tx_initial_data_create(p, &id));
  double worst = 0.0, scale = 0.0;
  for (int i = 0; i < MODES; i++) {
    int l, m;
    double expect[2] = {0.0, 0.0};
    tx_gw_mode(i, &l, &m);
    if (l == 2) tx_test_teukolsky_psi4(id, t, radii[r], m, expect);
    worst = fmax(worst, hypot(found->psi4[r][i][0] - expect[0], found->psi4[r][i][1] - expect[1]));
    scale = fmax(scale, hypot(expect[0], expect[1]));
  }
  tx_initial_data_destroy(id);
  assert_true(scale > 1e-9);
  return worst / scale;
}

typedef struct wave_case {
  int parity, m, reflect;
} wave_case;

/* Every domain has the symmetries of its wave. */
static const wave_case cases[] = {
    {TX_PARITY_EVEN, 0, TX_DIMS_NONE}, {TX_PARITY_EVEN, 2, TX_DIMS_NONE},
    {TX_PARITY_ODD, 2, TX_DIMS_NONE},  {TX_PARITY_EVEN, 0, TX_DIMS_XYZ},
    {TX_PARITY_EVEN, 2, TX_DIMS_XYZ},  {TX_PARITY_EVEN, 2, TX_DIMS_Z},
    {TX_PARITY_EVEN, -2, TX_DIMS_Z},   {TX_PARITY_EVEN, 1, TX_DIMS_Y},
    {TX_PARITY_ODD, 1, TX_DIMS_XZ},    {TX_PARITY_ODD, -2, TX_DIMS_XY},
};

/* t = 0: the wave is at rest, Psi4 is all E; t = 1: the wave moves, B matters as much. */
static void test_against_analytic(void **state) {
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int t = 0; t <= 1; t++) {
      tx_params p;
      modes found;
      wave(&p, cases[c].parity, cases[c].m, cases[c].reflect);
      extract(MPI_COMM_WORLD, &p, t, &found);
      double error[RADII];
      for (int r = 0; r < RADII; r++) error[r] = largest_error(&p, t, &found, r);
      print_message("parity %d, m %2d, reflect %d, t %d: errors %.2e %.2e\n", cases[c].parity,
                    cases[c].m, cases[c].reflect, t, error[0], error[1]);
      for (int r = 0; r < RADII; r++) {
        assert_true(error[r] < (r == 0 ? 0.001 : 0.01));
        assert_true(fabs(found.sphere[r].areal_radius - radii[r]) < 1e-4);
      }
    }
}

/* Each rank alone with one thread against all ranks with several. */
static void test_same_bits(void **state) {
  const int threads = omp_get_max_threads();
  for (int reflect = 0; reflect <= TX_DIMS_XYZ; reflect += TX_DIMS_XYZ) {
    tx_params p;
    modes alone, together;
    wave(&p, TX_PARITY_EVEN, 2, reflect);
    omp_set_num_threads(1);
    extract(MPI_COMM_SELF, &p, 1.0, &alone);
    omp_set_num_threads(threads > 2 ? threads : 2);
    extract(MPI_COMM_WORLD, &p, 1.0, &together);
    omp_set_num_threads(threads);
    assert_memory_equal(&alone, &together, sizeof alone);
  }
}

/* In an octant Psi4 has the symmetries of the domain to the last bit: real modes, none of odd m,
 * psi4_{l,-m} = (-1)^l psi4_lm. */
static void test_symmetry_exact(void **state) {
  tx_params p;
  modes found;
  wave(&p, TX_PARITY_EVEN, 2, TX_DIMS_XYZ);
  extract(MPI_COMM_WORLD, &p, 1.0, &found);
  for (int r = 0; r < RADII; r++)
    for (int i = 0; i < MODES; i++) {
      int l, m;
      tx_gw_mode(i, &l, &m);
      const double *a = found.psi4[r][i], *b = found.psi4[r][tx_gw_index(l, -m)];
      assert_true(a[1] == 0.0);
      if (m & 1) assert_true(a[0] == 0.0);
      assert_true(a[0] == (l & 1 ? -b[0] : b[0]));
    }
}

/* A wave of even m has no modes of odd m, as stencils at the sphere are their own mirror images. A few of the inner one read
 * ghosts, which are not; the outer one reads beyond outer faces. */
static void test_no_odd_modes(void **state) {
  tx_params p;
  modes found;
  double odd = 0.0, most = 0.0;
  wave(&p, TX_PARITY_EVEN, 2, TX_DIMS_NONE);
  extract(MPI_COMM_WORLD, &p, 1.0, &found);
  for (int i = 0; i < MODES; i++) {
    int l, m;
    tx_gw_mode(i, &l, &m);
    const double size = hypot(found.psi4[0][i][0], found.psi4[0][i][1]);
    if (m & 1) odd = fmax(odd, size);
    most = fmax(most, size);
  }
  print_message("odd m: %.2e of the largest\n", odd / most);
  assert_true(odd < 1e-7 * most);
}

/* A hole at rest does not radiate, and the area of a sphere is 4 pi r^2 (1 + m/(2 r))^4. Observers of its slice are at rest, and
 * a sphere's areal radius R grows by (1 - 2 m/R)^(1/2) along its normal. */
static void test_hole(void **state) {
  tx_params p;
  modes found;
  tx_params_default(&p);
  p.grid_extent = extent;
  p.grid_reflect = TX_DIMS_Z;
  p.initial_data_type = TX_ID_PUNCTURE;
  p.initial_data_bhN_mass[0] = 1.0;
  extract(MPI_COMM_WORLD, &p, 0.0, &found);
  for (int r = 0; r < RADII; r++) {
    double psi = 1.0 + 0.5 / radii[r], R = radii[r] * psi * psi, weyl = 1.0 / pow(R, 3.0);
    assert_true(fabs(found.sphere[r].areal_radius / R - 1.0) < 1e-5);
    assert_true(found.sphere[r].expansion_n == 0.0);
    assert_true(fabs(found.sphere[r].expansion_s / (2.0 / R * sqrt(1.0 - 2.0 / R)) - 1.0) < 1e-6);
    for (int i = 0; i < MODES; i++)
      assert_true(hypot(found.psi4[r][i][0], found.psi4[r][i][1]) < 1e-3 * weyl);
    for (int i = 0; i < 3; i++) assert_true(found.sphere[r].turn[i] == 0.0);
    assert_true(fabs(found.sphere[r].lapse * psi * psi - 1.0) < 1e-6);
  }
}

/* A sphere turns with the rotation in the shift, and not with the rest of it; in domains with reflections about the axis that
 * they leave, which images of points add up to. */
static void test_turning(void **state) {
  static const struct {
    int reflect;
    double omega[3];
  } turns[] = {{TX_DIMS_NONE, {0.3, -0.2, 0.5}},
               {TX_DIMS_Z, {0.0, 0.0, 0.5}},
               {TX_DIMS_XYZ, {0.0, 0.0, 0.0}}};
  for (int c = 0; c < 3; c++) {
    tx_params p;
    modes found;
    wave(&p, TX_PARITY_EVEN, 2, turns[c].reflect);
    extract_to(MPI_COMM_WORLD, &p, 0.0, L_MAX, turns[c].omega, found.psi4[0], found.sphere);
    for (int r = 0; r < RADII; r++)
      for (int i = 0; i < 3; i++)
        assert_true(fabs(found.sphere[r].turn[i] - turns[c].omega[i]) < 1e-11);
  }
}

/* Many modes from many points, sphere by sphere: those of low l do not change but for what the grid adds
 * at high l, and that is small. */
static void test_high_l(void **state) {
  enum { HIGH = 60, MANY = (HIGH + 1) * (HIGH + 1) - 4 };
  tx_params p;
  modes low;
  tx_gw_sphere spheres[RADII];
  double(*psi4)[2], scale = 0.0;
  require_ok(tx_alloc(RADII * MANY, sizeof *psi4, "test", &psi4));
  wave(&p, TX_PARITY_EVEN, 2, TX_DIMS_NONE);
  extract(MPI_COMM_WORLD, &p, 0.0, &low);
  extract_to(MPI_COMM_WORLD, &p, 0.0, HIGH, NULL, psi4, spheres);
  for (int r = 0; r < RADII; r++) {
    for (int i = 0; i < MODES; i++) scale = fmax(scale, fabs(low.psi4[r][i][0]));
    for (int i = 0; i < MANY; i++) {
      const double *a = psi4[r * MANY + i], none[2] = {0.0, 0.0};
      const double *b = i < MODES ? low.psi4[r][i] : none;
      assert_true(hypot(a[0] - b[0], a[1] - b[1]) < 3e-3 * scale);
    }
    assert_true(fabs(spheres[r].areal_radius - radii[r]) < 1e-4);
  }
  tx_free(psi4);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_against_analytic),
    cmocka_unit_test(test_same_bits),
    cmocka_unit_test(test_symmetry_exact),
    cmocka_unit_test(test_no_odd_modes),
    cmocka_unit_test(test_hole),
    cmocka_unit_test(test_turning),
    cmocka_unit_test(test_high_l),
};

TEST_MAIN(tests)
