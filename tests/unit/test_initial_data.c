/* Initial data: constraints and evolution equations, masses, symmetries, noise, refusals. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "physics/bssn.h"
#include "differences.h"
#include "physics/initial_data/initial_data.h"
#include "physics/initial_data/initial_data_point.h"
#include "support/cmocka.h"

static const tx_params blank = {.grid_extent = 1.0, .initial_data_wavelength = 1.0};

static tx_initial_data *make(const tx_params *p) {
  tx_initial_data *id;
  assert_int_equal(tx_initial_data_create(p, &id), TX_OK);
  return id;
}

static tx_params binary(double m1, double z1, double m2, double z2) {
  tx_params p = blank;
  p.grid_extent = 64.0;
  p.initial_data_type = TX_ID_BRILL_LINDQUIST;
  p.initial_data_bhN_mass[0] = m1;
  p.initial_data_bhN_mass[1] = m2;
  p.initial_data_bhN_position[0][2] = z1;
  p.initial_data_bhN_position[1][2] = z2;
  return p;
}

static tx_params wave(int type, int axis, double amplitude) {
  tx_params p = blank;
  p.initial_data_type = type;
  p.initial_data_direction = axis;
  p.initial_data_amplitude = amplitude;
  return p;
}

static int bits_equal(const double *a, const double *b) {
  return memcmp(a, b, TX_VARS * sizeof *a) == 0;
}

static void flat_space_is_what_the_table_says(void **state) {
  tx_initial_data *id = make(&blank);
  double u[TX_VARS];
  tx_initial_data_at(id, 0.0, (const double[3]){0.1, -0.2, 0.3}, u);
  for (int v = 0; v < TX_VARS; v++) assert_true(u[v] == tx_bssn.variable[v].infinity);
  tx_initial_data_destroy(id);
}

/* alpha, gamma_ij (from 1), K_ij (from 7), Gt^i (from 13), gt^ij (from 16), det gt and tr At. */
enum { ALPHA = 0, GAMMA = 1, KIJ = 7, GT = 13, GT_UU = 16, DET = 22, TRACE = 23, ADM_VALUES = 24 };

static void adm(const tx_initial_data *id, double t, const double *x, double *q) {
  double u[TX_VARS], gt[3][3], gt_uu[3][3];
  tx_initial_data_at(id, t, x, u);
  q[ALPHA] = u[TX_VAR_ALPHA];
  q[TRACE] = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) gt[i][j] = u[TX_VAR_GT00 + tx_symmetric_at(i, j)];
  q[DET] = tx_symmetric_inverse((const double(*)[3])gt, gt_uu);
  for (int i = 0; i < 3; i++) {
    q[GT + i] = u[TX_VAR_GAMT0 + i];
    for (int j = 0; j < 3; j++) {
      int ij = tx_symmetric_at(i, j);
      q[GAMMA + ij] = gt[i][j] / u[TX_VAR_CHI];
      q[KIJ + ij] = (u[TX_VAR_AT00 + ij] + gt[i][j] * u[TX_VAR_K] / 3.0) / u[TX_VAR_CHI];
      q[GT_UU + ij] = gt_uu[i][j];
      q[TRACE] += gt_uu[i][j] * u[TX_VAR_AT00 + ij];
    }
  }
}

/** How far data are from solving the equations at a point: largest residual of each. */
typedef struct residuals {
  double dt_gamma, dt_K, hamiltonian, momentum, harmonic, Gt, algebraic;
} residuals;

/** The 3+1 equations [A] (2.3.11), (2.5.6), (2.4.10), (2.4.11) as they stand, zero shift. */
static residuals equations(const tx_initial_data *id, double t, const double *x, double e) {
  jet q[ADM_VALUES];
  differences(adm, ADM_VALUES, id, t, x, e, q);
#define S(first, i, j) q[(first) + tx_symmetric_at(i, j)]
  double g[3][3], g_uu[3][3], low[3][3][3], up[3][3][3], Kij[3][3], R[3][3], K = 0.0,
                                                                             alpha = q[0][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) g[i][j] = S(GAMMA, i, j)[0], Kij[i][j] = S(KIJ, i, j)[0];
  tx_symmetric_inverse((const double(*)[3])g, g_uu);
  for (int i = 0; i < 3; i++) /* low[i][j][k] = \Gamma_{ijk} */
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        low[i][j][k] =
            0.5 * (S(GAMMA, i, j)[2 + k] + S(GAMMA, i, k)[2 + j] - S(GAMMA, j, k)[2 + i]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      K += g_uu[i][j] * Kij[i][j];
      for (int k = 0; k < 3; k++) {
        up[i][j][k] = 0.0;
        for (int m = 0; m < 3; m++) up[i][j][k] += g_uu[i][m] * low[m][j][k];
      }
    }
  residuals r = {0};
  double scalar = 0.0, KK = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double DDalpha = q[0][DD(1 + i, 1 + j)], KiKj = 0.0;
      R[i][j] = 0.0;
      for (int k = 0; k < 3; k++) {
        DDalpha -= up[k][i][j] * q[0][2 + k];
        for (int l = 0; l < 3; l++) {
          KiKj += Kij[i][k] * g_uu[k][l] * Kij[l][j];
          R[i][j] += 0.5 * g_uu[k][l] *
                     (S(GAMMA, k, j)[DD(1 + i, 1 + l)] + S(GAMMA, i, l)[DD(1 + k, 1 + j)] -
                      S(GAMMA, k, l)[DD(1 + i, 1 + j)] - S(GAMMA, i, j)[DD(1 + k, 1 + l)]);
          for (int m = 0; m < 3; m++)
            R[i][j] += g_uu[k][l] * (up[m][i][l] * low[m][k][j] - up[m][i][j] * low[m][k][l]);
        }
      }
      double dt_K = -DDalpha + alpha * (R[i][j] + K * Kij[i][j] - 2.0 * KiKj);
      r.dt_K = fmax(r.dt_K, fabs(S(KIJ, i, j)[1] - dt_K));
      r.dt_gamma = fmax(r.dt_gamma, fabs(S(GAMMA, i, j)[1] + 2.0 * alpha * Kij[i][j]));
      scalar += g_uu[i][j] * R[i][j];
      KK += g_uu[i][j] * KiKj;
    }
  r.hamiltonian = fabs(scalar + K * K - KK);
  r.harmonic = fabs(q[0][1] + alpha * alpha * K);
  r.algebraic = fmax(fabs(q[DET][0] - 1.0), fabs(q[TRACE][0]));
  for (int i = 0; i < 3; i++) {
    double M = 0.0, Gt = -q[GT + i][0];
    for (int j = 0; j < 3; j++) Gt -= S(GT_UU, i, j)[2 + j];
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) { /* D^j K_ij - d_i K, with d_i K = \gamma^{jk} D_i K_jk */
        M += g_uu[j][k] * (S(KIJ, i, j)[2 + k] - S(KIJ, j, k)[2 + i]);
        for (int m = 0; m < 3; m++)
          M += g_uu[j][k] *
               (-up[m][k][i] * Kij[m][j] - up[m][k][j] * Kij[i][m] + 2.0 * up[m][i][j] * Kij[m][k]);
      }
    r.momentum = fmax(r.momentum, fabs(M));
    r.Gt = fmax(r.Gt, fabs(Gt));
  }
#undef S
  return r;
}

static const double places[][3] = {{0.11, 0.23, -0.41}, {0.0, 0.0, 0.0}, {-0.37, 0.05, 0.28}};

static void gauge_wave_is_exact(void **state) {
  for (int axis = 0; axis < 3; axis++)
    for (int n = 0; n < 3; n++) {
      tx_params p = wave(TX_ID_GAUGE_WAVE, axis, 0.1);
      tx_initial_data *id = make(&p);
      residuals r = equations(id, 0.3, places[n], 0.01);
      assert_true(r.dt_gamma < 1e-10 && r.dt_K < 1e-9 && r.harmonic < 1e-10);
      assert_true(r.hamiltonian < 1e-9 && r.momentum < 1e-9);
      assert_true(r.Gt < 1e-10 && r.algebraic < 4e-15);
      double u[TX_VARS];
      tx_initial_data_at(id, 0.3, places[n], u);
      double H = 0.1 * sin(2.0 * M_PI * (places[n][axis] - 0.3));
      assert_true(fabs(u[TX_VAR_ALPHA] * u[TX_VAR_ALPHA] - 1.0 + H) < 1e-15);
      tx_initial_data_destroy(id);
    }
}

/** Waves solve the equations up to O(A^2): half the amplitude leaves a quarter of the residual. */
static void linear_waves_are_linear_solutions(void **state) {
  for (int c = 0; c < 5; c++)
    for (int n = 0; n < 3; n++) {
      residuals r[2];
      for (int half = 0; half < 2; half++) {
        tx_params p = wave(c < 3 ? TX_ID_LINEAR_WAVE : TX_ID_TEUKOLSKY, c % 3, half ? 5e-4 : 1e-3);
        p.initial_data_wave_m = 2;
        p.initial_data_wave_parity = c == 3 ? TX_PARITY_ODD : TX_PARITY_EVEN;
        tx_initial_data *id = make(&p);
        r[half] = equations(id, 0.3, places[n], c < 3 ? 0.02 : 0.03);
        tx_initial_data_destroy(id);
        assert_true(r[half].dt_gamma < 1e-9);
        assert_true(r[half].Gt < 1e-12 && r[half].algebraic < 4e-15);
      }
      assert_true(r[0].dt_K < 1e-3 && r[0].hamiltonian < 1e-3 && r[0].momentum < 1e-3);
      assert_true(r[1].dt_K < 0.26 * r[0].dt_K + 1e-8);
      assert_true(r[1].hamiltonian < 0.26 * r[0].hamiltonian + 1e-8);
      assert_true(r[1].momentum < 0.26 * r[0].momentum + 1e-8);
    }
}

static void holes_solve_the_constraints(void **state) {
  tx_params p = binary(0.5, 5.0, 0.5, -5.0);
  for (int type = 0; type < 2; type++) {
    p.initial_data_type = type ? TX_ID_BRILL_LINDQUIST : TX_ID_PUNCTURE;
    tx_initial_data *id = make(&p);
    const double where[][3] = {{0.3, 0.2, 4.6}, {1.0, -2.0, 0.5}, {0.0, 0.0, 0.0}};
    for (int n = 0; n < 3; n++) {
      residuals r = equations(id, 0.0, where[n], 0.02);
      assert_true(r.hamiltonian < 2e-8);
      assert_true(r.momentum == 0.0 && r.Gt < 1e-14 && r.algebraic == 0.0);
    }
    tx_initial_data_destroy(id);
  }
}

/** Exact: two m = 0.5, d = 10. */
static void masses_are_those_of_brill_and_lindquist(void **state) {
  tx_params p = binary(0.5, 5.0, 0.5, -5.0);
  tx_initial_data *id = make(&p);
  tx_adm_numbers a;
  tx_initial_data_adm(id, &a);
  assert_true(a.n == 2 && a.energy == 1.0);
  assert_true(a.mass_adm[0] == 0.5125 && a.mass_adm[1] == 0.5125 && a.mass_bare[1] == 0.5);
  assert_true(a.position[0][2] == 5.0 && a.position[1][2] == -5.0);
  double u[TX_VARS], psi = 1.0 + 0.25 / 3.0 + 0.25 / sqrt(9.0 + 100.0);
  tx_initial_data_at(id, 0.0, (const double[3]){0.0, 3.0, 5.0}, u);
  assert_true(fabs(u[TX_VAR_CHI] - pow(psi, -4)) < 1e-15);
  assert_true(fabs(u[TX_VAR_ALPHA] - pow(psi, -2)) < 1e-15);
  tx_initial_data_destroy(id);
  p.initial_data_lapse = TX_LAPSE_AVERAGED; /* the mean of 1 and (2 - psi)/psi */
  id = make(&p);
  tx_initial_data_at(id, 0.0, (const double[3]){0.0, 3.0, 5.0}, u);
  assert_true(fabs(u[TX_VAR_ALPHA] - 0.5 * (1.0 + (2.0 - psi) / psi)) < 1e-15);
  tx_initial_data_destroy(id);
}

/* Three punctures at rest, by a sum over pairs that is written out; and bare masses back from what they give. */
static void masses_of_three_holes_are_those_of_all_pairs(void **state) {
  tx_params p = binary(0.5, 5.0, 0.4, -5.0);
  tx_adm_numbers a, again;
  p.initial_data_type = TX_ID_PUNCTURES;
  p.initial_data_bhN_mass[2] = 0.3;
  p.initial_data_bhN_position[2][1] = 12.0;
  tx_initial_data *id = make(&p);
  tx_initial_data_adm(id, &a);
  assert_true(a.n == 3 && fabs(a.energy - 1.2) < 1e-15);
  assert_true(fabs(a.mass_adm[0] - 0.5 * (1.0 + 0.4 / 20.0 + 0.3 / 26.0)) < 1e-15);
  assert_true(fabs(a.mass_adm[1] - 0.4 * (1.0 + 0.5 / 20.0 + 0.3 / 26.0)) < 1e-15);
  assert_true(fabs(a.mass_adm[2] - 0.3 * (1.0 + 0.5 / 26.0 + 0.4 / 26.0)) < 1e-15);
  double u[TX_VARS], psi = 1.0 + 0.25 / 13.0 + 0.2 / 13.0 + 0.15 / 24.0;
  tx_initial_data_at(id, 0.0, (const double[3]){0.0, -12.0, 0.0}, u);
  assert_true(fabs(u[TX_VAR_CHI] - pow(psi, -4)) < 1e-15);
  tx_initial_data_destroy(id);
  p.initial_data_masses = TX_MASSES_ADM;
  p.initial_data_bhN_mass[0] = a.mass_adm[0];
  p.initial_data_bhN_mass[1] = a.mass_adm[1];
  p.initial_data_bhN_mass[2] = a.mass_adm[2];
  id = make(&p);
  tx_initial_data_adm(id, &again);
  for (int h = 0; h < 3; h++) assert_true(fabs(again.mass_bare[h] - a.mass_bare[h]) < 1e-14);
  tx_initial_data_destroy(id);
}

static void punctures_on_grid_points_are_finite(void **state) {
  tx_params p = binary(0.5, 5.0, 0.25, -5.0);
  for (int lapse = TX_LAPSE_PSI_MINUS_2; lapse <= TX_LAPSE_MAXIMAL; lapse++) {
    p.initial_data_lapse = lapse;
    tx_initial_data *id = make(&p);
    double u[TX_VARS];
    for (int a = 0; a < 2; a++) {
      tx_initial_data_at(id, 0.0, id->punctures.position[a], u);
      for (int v = 0; v < TX_VARS; v++) assert_true(isfinite(u[v]));
      assert_true(u[TX_VAR_CHI] == 0.0);
      assert_true(lapse == TX_LAPSE_ONE ? u[TX_VAR_ALPHA] == 1.0 : u[TX_VAR_ALPHA] < 1e-80);
    }
    tx_initial_data_at(id, 0.0, (const double[3]){1e-6, 0.0, 5.0}, u);
    assert_true(fabs(u[TX_VAR_CHI] / pow(1e-6 / 0.25, 4) - 1.0) < 1e-4);
    tx_initial_data_destroy(id);
  }
}

static void refusals_say_why(void **state) {
  tx_params bad[7];
  bad[0] = binary(0.0, 5.0, 0.5, -5.0);
  bad[1] = binary(0.5, 5.0, 0.4999999, -5.0); /* not its mirror image */
  bad[1].grid_reflect = TX_DIMS_Z;
  bad[2] = binary(0.5, 5.0, 0.5, -5.0);
  bad[2].initial_data_bhN_position[0][0] = 1e-6;
  bad[2].grid_reflect = TX_DIMS_X;
  for (int n = 3; n < 7; n++) bad[n] = wave(TX_ID_TEUKOLSKY, 0, 1e-8);
  bad[3].grid_reflect = TX_DIMS_X;
  bad[3].initial_data_wave_m = 1;
  bad[4].grid_reflect = TX_DIMS_Y;
  bad[4].initial_data_wave_m = 1;
  bad[4].initial_data_wave_parity = TX_PARITY_ODD;
  bad[5].initial_data_amplitude = 0.7;
  bad[6] = wave(TX_ID_LINEAR_WAVE, 1, 1e-8);
  bad[6].grid_reflect = TX_DIMS_Y;
  const char *text[7] = {"bh1_mass",        "grid.reflect: z", "grid.reflect: x", "grid.reflect: x",
                         "grid.reflect: y", "amplitude: 0.7",  "grid.reflect: y"};
  for (int n = 0; n < 7; n++) {
    tx_initial_data *id;
    assert_int_equal(tx_initial_data_create(&bad[n], &id), TX_ERR_PARAM);
    assert_null(id);
    assert_non_null(strstr(tx_error_text(), text[n]));
    tx_error_clear();
  }
}

/** Equal punctures at mirror images give mirror images to the last bit. */
static void mirror_images_are_exact(void **state) {
  tx_params p = binary(0.453, 1.1686, 0.453, -1.1686);
  tx_initial_data *id = make(&p);
  for (int n = 0; n < 1000; n++) {
    double x[3] = {0.001 * n, 0.7 - 0.003 * n, 0.0017 * n}, u[TX_VARS], w[TX_VARS];
    tx_initial_data_at(id, 0.0, x, u);
    x[2] = -x[2];
    tx_initial_data_at(id, 0.0, x, w);
    assert_true(bits_equal(u, w));
  }
  tx_initial_data_destroy(id);
}

static void symmetric_data_are_accepted(void **state) {
  tx_params good[4];
  good[0] = binary(0.5, 5.0, 0.5, -5.0);
  good[0].grid_reflect = TX_DIMS_XYZ;
  for (int n = 1; n < 4; n++) good[n] = wave(TX_ID_TEUKOLSKY, 0, 1e-8);
  good[1].initial_data_wave_m = 2;
  good[1].grid_reflect = TX_DIMS_XYZ;
  good[2].initial_data_wave_m = 1;
  good[2].initial_data_wave_parity = TX_PARITY_ODD;
  good[2].grid_reflect = TX_DIMS_XZ;
  good[3].initial_data_wave_m = -2;
  good[3].grid_reflect = TX_DIMS_Z;
  for (int n = 0; n < 4; n++) tx_initial_data_destroy(make(&good[n]));
  assert_int_equal(tx_memory_blocks(), 0);
}

static void octants_are_their_points(void **state) {
  static double u[TX_VARS * TX_N3];
  tx_params p = wave(TX_ID_TEUKOLSKY, 0, 1e-3);
  tx_initial_data *id = make(&p);
  const double x0[3] = {-0.5, 0.25, 0.125};
  tx_initial_map map;
  assert_int_equal(tx_initial_map_of(&tx_bssn, &map), TX_OK);
  tx_initial_data_octant(id, &map, &(tx_initial_at){0.2, {x0[0], x0[1], x0[2]}, {NULL, NULL}},
                         0.0625, u);
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) {
        double at[3] = {x0[0] + i * 0.0625, x0[1] + j * 0.0625, x0[2] + k * 0.0625}, one[TX_VARS];
        tx_initial_data_at(id, 0.2, at, one);
        for (int v = 0; v < TX_VARS; v++) assert_true(u[v * TX_N3 + TX_AT(i, j, k)] == one[v]);
      }
  tx_initial_data_destroy(id);
}

/* Z4c starts from the data of BSSN, Khat from K, and from no Theta. */
static void other_systems_start_from_the_same_data(void **state) {
  static double u[TX_SYSTEM_VARS * TX_N3];
  const tx_system *z4c = tx_system_numbered(TX_EVOLVED_Z4C);
  tx_params p = wave(TX_ID_TEUKOLSKY, 0, 1e-3);
  tx_initial_data *id = make(&p);
  const double x0[3] = {-0.5, 0.25, 0.125};
  double one[TX_VARS];
  tx_initial_map map;
  assert_int_equal(tx_initial_map_of(z4c, &map), TX_OK);
  tx_initial_data_octant(id, &map, &(tx_initial_at){0.2, {x0[0], x0[1], x0[2]}, {NULL, NULL}},
                         0.0625, u);
  tx_initial_data_at(id, 0.2, x0, one);
  for (int v = 0; v < TX_VARS; v++) {
    const char *name = v == TX_VAR_K ? "Khat" : tx_bssn.variable[v].name;
    const int there = tx_system_variable(z4c, name);
    assert_true(there >= 0 && u[there * TX_N3] == one[v]);
  }
  assert_true(one[TX_VAR_AT00] != 0.0);
  const int Theta = tx_system_variable(z4c, "Theta");
  for (int i = 0; i < TX_N3; i++) assert_true(u[Theta * TX_N3 + i] == 0.0);
  tx_initial_data_destroy(id);
  tx_system lacks = *z4c;
  lacks.n_vars = 8;
  lacks.name = "lapse";
  assert_int_equal(tx_initial_map_of(&lacks, &map), TX_ERR_USAGE);
  assert_non_null(
      strstr(tx_error_text(), "no variable of the system lapse starts from gt_xx of the"));
  tx_error_clear();
}

static tx_params noisy(int reflect, int periodic, int seed) {
  tx_params p = wave(TX_ID_NOISE, 0, 0.5);
  p.grid_extent = 3.0;
  p.grid_reflect = reflect;
  p.grid_periodic = periodic;
  p.initial_data_seed = seed;
  return p;
}

/** Uniform in [-A, A] on every variable, different at every point, for every variable and seed. */
static void noise_is_uniform_and_uncorrelated(void **state) {
  enum { N = 24, COUNT = N * N * N };
  tx_params p = noisy(0, 0, 1), q = noisy(0, 0, 2);
  tx_initial_data *id = make(&p), *other = make(&q);
  double sum[TX_VARS] = {0}, square[TX_VARS] = {0}, next[TX_VARS] = {0}, near[TX_VARS] = {0};
  double seeds[TX_VARS] = {0}, u[TX_VARS], w[TX_VARS], v1[TX_VARS];
  for (int n = 0; n < COUNT; n++) {
    double x[3] = {3.0 * (n % N) / N, 3.0 * (n / N % N) / N - 2.0, -3.0 * (n / N / N) / N};
    double y[3] = {x[0] + 3.0 / N, x[1], x[2]};
    tx_initial_data_at(id, 0.0, x, u);
    tx_initial_data_at(id, 0.0, y, w);
    tx_initial_data_at(other, 0.0, x, v1);
    for (int v = 0; v < TX_VARS; v++) u[v] -= tx_bssn.variable[v].infinity;
    for (int v = 0; v < TX_VARS; v++) {
      assert_true(fabs(u[v]) <= 0.5);
      sum[v] += u[v];
      square[v] += u[v] * u[v];
      next[v] += u[v] * u[(v + 1) % TX_VARS];
      near[v] += u[v] * (w[v] - tx_bssn.variable[v].infinity);
      seeds[v] += u[v] * (v1[v] - tx_bssn.variable[v].infinity);
    }
  }
  double bound = 5.0 / sqrt(COUNT); /* five standard deviations */
  for (int v = 0; v < TX_VARS; v++) {
    assert_true(fabs(sum[v] / COUNT) < bound * 0.5 / sqrt(3.0));
    assert_true(fabs(square[v] / COUNT - 1.0 / 12) < bound * 0.25 * sqrt(4.0 / 45));
    assert_true(fabs(next[v] / COUNT) < bound / 12);
    assert_true(fabs(near[v] / COUNT) < bound / 12);
    assert_true(fabs(seeds[v] / COUNT) < bound / 12);
  }
  tx_initial_data_destroy(id);
  tx_initial_data_destroy(other);
}

static void noise_has_the_symmetries_of_the_domain(void **state) {
  tx_params p = noisy(TX_DIMS_XZ, TX_DIMS_Y, 7);
  tx_initial_data *id = make(&p);
  double u[TX_VARS], w[TX_VARS];
  for (int n = 1; n < 100; n++) {
    double x[3] = {3.0 * n / 128, 3.0 * (n * 37 % 128) / 64 - 3.0, 3.0 * (n * 11 % 128) / 128};
    tx_initial_data_at(id, 0.0, x, u);
    for (int d = 0; d < 3; d += 2) {
      double mirror[3] = {x[0], x[1], x[2]};
      mirror[d] = -mirror[d];
      tx_initial_data_at(id, 0.0, mirror, w);
      for (int v = 0; v < TX_VARS; v++) assert_true(u[v] == tx_bssn.variable[v].parity[d] * w[v]);
      mirror[d] = 0.0;
      tx_initial_data_at(id, 0.0, mirror, w);
      for (int v = 0; v < TX_VARS; v++)
        assert_true((w[v] == 0.0) ==
                    (tx_bssn.variable[v].parity[d] < 0 ||
                     (mirror[2 - d] == 0.0 && tx_bssn.variable[v].parity[2 - d] < 0)));
    }
    for (int image = -1; image <= 1; image += 2) {
      tx_initial_data_at(id, 0.0, (const double[3]){x[0], x[1] + 6.0 * image, x[2]}, w);
      assert_true(bits_equal(u, w));
    }
    tx_initial_data_at(id, 0.0, (const double[3]){x[0], -x[1] - 1e-3, x[2]}, w);
    assert_false(bits_equal(u, w));
  }
  tx_initial_data_destroy(id);
}

/* Variables that the data do not know have noise of their own, with the symmetries of theirs. */
static void noise_is_in_all_variables_of_a_system(void **state) {
  static double u[TX_SYSTEM_VARS * TX_N3], w[TX_SYSTEM_VARS * TX_N3];
  const tx_system *z4c = tx_system_numbered(TX_EVOLVED_Z4C);
  const int Theta = tx_system_variable(z4c, "Theta"), K = tx_system_variable(z4c, "Khat");
  tx_variable_info variables[TX_SYSTEM_VARS];
  tx_params p = noisy(TX_DIMS_X, 0, 7);
  tx_initial_data *id = make(&p);
  tx_initial_map map;
  tx_system odd = *z4c;
  memcpy(variables, z4c->variable, (size_t)z4c->n_vars * sizeof *variables);
  variables[Theta].parity[0] = -1;
  odd.variable = variables;
  assert_int_equal(tx_initial_map_of(z4c, &map), TX_OK);
  tx_initial_data_octant(id, &map, &(tx_initial_at){0.0, {0.25, 0.5, 0.75}, {NULL, NULL}}, 0.1, u);
  tx_initial_data_octant(id, &map, &(tx_initial_at){0.0, {-0.25, 0.5, 0.75}, {NULL, NULL}}, 0.1, w);
  assert_true(u[Theta * TX_N3] != 0.0 && u[Theta * TX_N3] != u[K * TX_N3]);
  assert_true(u[Theta * TX_N3] == w[Theta * TX_N3]);
  assert_int_equal(tx_initial_map_of(&odd, &map), TX_OK);
  tx_initial_data_octant(id, &map, &(tx_initial_at){0.0, {-0.25, 0.5, 0.75}, {NULL, NULL}}, 0.1, w);
  assert_true(u[Theta * TX_N3] == -w[Theta * TX_N3]);
  tx_initial_data_destroy(id);
}

/** A point is the same however an octant of whatever level arrives at its coordinates. */
static void noise_belongs_to_the_point(void **state) {
  tx_params p = noisy(0, 0, 7);
  tx_initial_data *id = make(&p);
  double u[TX_VARS], w[TX_VARS];
  for (int n = 0; n < 64; n++) {
    double h = 3.0 / 64, fine = h / 1024, x0 = -3.0 + 64 * 1024 * fine;
    tx_initial_data_at(id, 0.0, (const double[3]){-3.0 + (64 + n) * h, 0.3, n * h}, u);
    tx_initial_data_at(id, 0.0, (const double[3]){x0 + n * 1024 * fine, 0.1 + 0.2, n * h}, w);
    assert_true(bits_equal(u, w));
  }
  tx_initial_data_destroy(id);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flat_space_is_what_the_table_says),
      cmocka_unit_test(other_systems_start_from_the_same_data),
      cmocka_unit_test(noise_is_in_all_variables_of_a_system),
      cmocka_unit_test(gauge_wave_is_exact),
      cmocka_unit_test(linear_waves_are_linear_solutions),
      cmocka_unit_test(holes_solve_the_constraints),
      cmocka_unit_test(masses_are_those_of_brill_and_lindquist),
      cmocka_unit_test(masses_of_three_holes_are_those_of_all_pairs),
      cmocka_unit_test(punctures_on_grid_points_are_finite),
      cmocka_unit_test(refusals_say_why),
      cmocka_unit_test(mirror_images_are_exact),
      cmocka_unit_test(symmetric_data_are_accepted),
      cmocka_unit_test(octants_are_their_points),
      cmocka_unit_test(noise_is_uniform_and_uncorrelated),
      cmocka_unit_test(noise_has_the_symmetries_of_the_domain),
      cmocka_unit_test(noise_belongs_to_the_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
