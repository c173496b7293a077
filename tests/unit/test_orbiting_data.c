/* Data of punctures with momenta and spins as the run makes them from parameters: what they carry, measured
 * on the fields by formulae of their own, and what is refused. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "physics/bssn.h"
#include "physics/initial_data/initial_data.h"
#include "support/cmocka.h"

static const tx_params blank = {.grid_extent = 64.0,
                                .initial_data_resolution = 16,
                                .initial_data_tolerance = 1e-9,
                                .initial_data_separation = 10.0,
                                .initial_data_mass_ratio = 1.0};

static void set(double *to, double x, double y, double z) {
  to[0] = x;
  to[1] = y;
  to[2] = z;
}

/** Two punctures off every axis and symmetry, with momenta and spins in all directions. */
static tx_params general_pair(void) {
  tx_params p = blank;
  p.initial_data_type = TX_ID_TWO_PUNCTURES;
  p.initial_data_bhN_mass[0] = 0.5;
  p.initial_data_bhN_mass[1] = 0.3;
  set(p.initial_data_bhN_position[0], 2.0, 1.0, -0.5);
  set(p.initial_data_bhN_position[1], -1.5, -2.0, 1.0);
  set(p.initial_data_bhN_momentum[0], -0.03, 0.11, 0.02);
  set(p.initial_data_bhN_momentum[1], 0.05, -0.08, 0.04);
  set(p.initial_data_bhN_spin[0], 0.02, 0.05, 0.1);
  set(p.initial_data_bhN_spin[1], -0.03, 0.01, 0.04);
  return p;
}

static tx_initial_data *make(const tx_params *p) {
  tx_initial_data *id;
  if (tx_initial_data_create(p, &id) != TX_OK) fail_msg("%s", tx_error_text());
  return id;
}

/** At the point r n: T_j = (K_jk - K gamma_jk) s^k dA / dOmega, s the unit normal and dA the area element
 *  of the sphere in the physical metric. */
static void traction(const tx_initial_data *id, double r, const double *n, double *T) {
  double u[TX_VARS], g[3][3], g_uu[3][3], K_dd[3][3], x[3] = {r * n[0], r * n[1], r * n[2]};
  tx_initial_data_at(id, 0.0, x, u);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int ij = tx_symmetric_at(i, j);
      g[i][j] = u[TX_VAR_GT00 + ij] / u[TX_VAR_CHI];
      K_dd[i][j] = u[TX_VAR_AT00 + ij] / u[TX_VAR_CHI] + g[i][j] * u[TX_VAR_K] / 3.0;
    }
  double det = tx_symmetric_inverse((const double(*)[3])g, g_uu), n_u[3] = {0}, nn = 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) n_u[i] += g_uu[i][j] * n[j], nn += g_uu[i][j] * n[i] * n[j];
  /* s^k = n^k/sqrt(nn), dA = sqrt(det nn) r^2 dOmega */
  for (int j = 0; j < 3; j++) {
    T[j] = 0.0;
    for (int k = 0; k < 3; k++)
      T[j] += (K_dd[j][k] - u[TX_VAR_K] * g[j][k]) * n_u[k] * sqrt(det) * r * r;
  }
}

/** P_i = (1/8 pi) \oint (K_ij - K gamma_ij) s^j dA, and J_i with the rotations phi_i in place of the
 *  translations ([A] appendix A, [BS] 3.191, 3.193).
 */
static void surface_integrals(const tx_initial_data *id, double r, double *P, double *J) {
  enum { N_THETA = 64, N_PHI = 64 };
  set(P, 0.0, 0.0, 0.0);
  set(J, 0.0, 0.0, 0.0);
  for (int a = 0; a < N_THETA; a++) {
    /* Fejer's first rule: exact up to degree N_THETA - 1 in cos theta. */
    double theta = M_PI * (a + 0.5) / N_THETA, sum = 1.0;
    for (int k = 1; k <= N_THETA / 2; k++) sum -= 2.0 * cos(2.0 * k * theta) / (4.0 * k * k - 1.0);
    double weight = 2.0 / N_THETA * sum * 2.0 * M_PI / N_PHI / (8.0 * M_PI);
    for (int b = 0; b < N_PHI; b++) {
      double phi = 2.0 * M_PI * b / N_PHI, T[3], rT[3];
      double n[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
      traction(id, r, n, T);
      tx_vec3_cross(n, T, rT); /* phi_i^j T_j = (x cross T)_i */
      for (int i = 0; i < 3; i++) P[i] += weight * T[i], J[i] += weight * r * rT[i];
    }
  }
}

/** The integrals do not depend on the sphere, as At of the conformal metric has no divergence. */
static void the_fields_carry_the_momenta(void **state) {
  tx_params p = general_pair();
  tx_initial_data *id = make(&p);
  tx_adm_numbers adm;
  tx_initial_data_adm(id, &adm);
  const double *x[2] = {p.initial_data_bhN_position[0], p.initial_data_bhN_position[1]};
  const double *P[2] = {p.initial_data_bhN_momentum[0], p.initial_data_bhN_momentum[1]};
  const double *S[2] = {p.initial_data_bhN_spin[0], p.initial_data_bhN_spin[1]};
  for (double r = 8.0; r < 40.0; r *= 2.0) {
    double P_is[3], J_is[3], L[2][3];
    surface_integrals(id, r, P_is, J_is);
    for (int a = 0; a < 2; a++) tx_vec3_cross(x[a], P[a], L[a]);
    for (int i = 0; i < 3; i++) {
      assert_true(fabs(P_is[i] - (P[0][i] + P[1][i])) < 1e-11);
      assert_true(fabs(J_is[i] - (L[0][i] + L[1][i] + S[0][i] + S[1][i])) < 1e-10);
      assert_true(fabs(P_is[i] - adm.linear_momentum[i]) < 1e-11);
      assert_true(fabs(J_is[i] - adm.angular_momentum[i]) < 1e-10);
    }
  }
  tx_initial_data_destroy(id);
}

/** E = -(1/2 pi) \oint d_r psi r^2 dOmega; from three spheres far out, what falls off is taken away. */
static void the_fields_carry_the_energy(void **state) {
  enum { N = 12 };
  tx_params p = general_pair();
  tx_initial_data *id = make(&p);
  double E[2];
  for (int far = 0; far < 2; far++) {
    double r = far ? 800.0 : 400.0, h = 0.01 * r, sum = 0.0;
    for (int a = 0; a < N; a++)
      for (int b = 0; b < N; b++) {
        double z = -1.0 + (a + 0.5) * 2.0 / N, phi = 2.0 * M_PI * b / N, psi[2];
        double n[3] = {sqrt(1.0 - z * z) * cos(phi), sqrt(1.0 - z * z) * sin(phi), z};
        for (int s = 0; s < 2; s++) {
          double u[TX_VARS], q = s ? r + h : r - h;
          tx_initial_data_at(id, 0.0, (const double[3]){q * n[0], q * n[1], q * n[2]}, u);
          psi[s] = pow(u[TX_VAR_CHI], -0.25);
        }
        sum += (psi[1] - psi[0]) / (2.0 * h) * r * r * (1.0 - h * h / (r * r));
      }
    E[far] = -2.0 * sum / (N * N);
  }
  tx_adm_numbers adm;
  tx_initial_data_adm(id, &adm);
  assert_true(fabs(2.0 * E[1] - E[0] - adm.energy) < 1e-6);
  assert_true(adm.energy > 0.8); /* the bare masses */
  tx_initial_data_destroy(id);
}

static void quasi_circular_pairs_have_the_masses_asked_for(void **state) {
  tx_params p = blank;
  p.initial_data_type = TX_ID_QUASI_CIRCULAR;
  p.initial_data_mass_ratio = 1.5;
  set(p.initial_data_bhN_chi[0], 0.0, 0.0, 0.5);
  set(p.initial_data_bhN_chi[1], 0.0, 0.0, -0.3);
  p.grid_reflect = TX_DIMS_Z;
  tx_initial_data *id = make(&p);
  tx_adm_numbers a;
  tx_initial_data_adm(id, &a);
  assert_true(a.n == 2 && a.resolution == 16);
  assert_true(fabs(a.mass_adm[0] - 0.6) < 1e-9 && fabs(a.mass_adm[1] - 0.4) < 1e-9);
  assert_true(a.mass_bare[0] < 0.55 && a.mass_bare[1] < 0.39);
  assert_true(fabs(a.position[0][0] - 4.0) < 1e-14 && fabs(a.position[1][0] + 6.0) < 1e-14);
  assert_true(fabs(a.spin[0][2] - 0.18) < 1e-15 && fabs(a.spin[1][2] + 0.048) < 1e-15);
  double J = 10.0 * a.momentum[0][1] + 0.18 - 0.048;
  assert_true(fabs(a.angular_momentum[2] - J) < 1e-14);
  assert_true(a.energy > 0.98 && a.energy < 1.0);
  tx_initial_data_destroy(id);
}

/** By an independent spectral solver, at its resolution. */
static void target_masses_give_the_known_bare_masses(void **state) {
  tx_params p = blank;
  p.initial_data_type = TX_ID_QUASI_CIRCULAR;
  p.initial_data_resolution = 28;
  tx_initial_data *id = make(&p);
  tx_adm_numbers a;
  tx_initial_data_adm(id, &a);
  for (int i = 0; i < 2; i++) assert_true(fabs(a.mass_bare[i] - 0.4859161) < 1e-7);
  assert_true(fabs(a.energy - 0.98974994) < 1e-8);
  assert_true(fabs(a.angular_momentum[2] - 0.962578) < 1e-6);
  tx_initial_data_destroy(id);
}

static void masses_at_rest_may_be_adm_masses(void **state) {
  tx_params p = blank;
  p.initial_data_type = TX_ID_BRILL_LINDQUIST;
  p.initial_data_masses = TX_MASSES_ADM;
  p.initial_data_bhN_mass[0] = 0.7;
  p.initial_data_bhN_mass[1] = 0.3;
  p.initial_data_bhN_position[0][2] = 1.0;
  p.initial_data_bhN_position[1][2] = -0.5;
  tx_initial_data *id = make(&p);
  tx_adm_numbers a;
  tx_initial_data_adm(id, &a);
  assert_true(fabs(a.mass_adm[0] - 0.7) < 1e-15 && fabs(a.mass_adm[1] - 0.3) < 1e-15);
  assert_true(a.energy == a.mass_bare[0] + a.mass_bare[1] && a.energy < 0.95);
  assert_true(a.resolution == 0);
  tx_initial_data_destroy(id);
}

/** One puncture: E = m + 5 P^2/(8 m) + O(P^4); E = m + 2 J^2/(5 m^3) + O(J^4); at rest no solver. */
static void one_puncture_may_move_or_spin(void **state) {
  for (int kind = 0; kind < 3; kind++) {
    tx_params p = blank;
    p.initial_data_type = TX_ID_PUNCTURE;
    p.initial_data_bhN_mass[0] = 2.0;
    if (kind == 1) p.initial_data_bhN_momentum[0][1] = 0.02;
    if (kind == 2) p.initial_data_bhN_spin[0][0] = 0.02;
    tx_initial_data *id = make(&p);
    tx_adm_numbers a;
    tx_initial_data_adm(id, &a);
    double expect = kind == 0 ? 0.0 : kind == 1 ? 5.0 * 4e-4 / 16.0 : 2.0 * 4e-4 / 40.0;
    assert_true(a.n == 1 && (a.resolution > 0) == (kind > 0));
    assert_true(fabs(a.energy - 2.0 - expect) <= 1e-3 * expect);
    assert_true(a.linear_momentum[1] == (kind == 1 ? 0.02 : 0.0));
    assert_true(a.angular_momentum[0] == (kind == 2 ? 0.02 : 0.0));
    tx_initial_data_destroy(id);
  }
}

/** A pair with all the symmetries that grid.reflect names, and each of them broken by one number. */
static void symmetries_are_checked(void **state) {
  tx_params good = blank;
  good.initial_data_type = TX_ID_TWO_PUNCTURES;
  good.initial_data_bhN_mass[0] = good.initial_data_bhN_mass[1] = 0.5;
  set(good.initial_data_bhN_position[0], 3.0, 0.0, 0.0);
  set(good.initial_data_bhN_position[1], -3.0, 0.0, 0.0);
  set(good.initial_data_bhN_momentum[0], -0.1, 0.0, 0.0);
  set(good.initial_data_bhN_momentum[1], 0.1, 0.0, 0.0);
  good.grid_reflect = TX_DIMS_XYZ;
  tx_initial_data_destroy(make(&good));
  const struct {
    size_t offset;
    int i, reflect;
  } broken[] = {
      {offsetof(tx_params, initial_data_bhN_momentum[0]), 1, TX_DIMS_Y},
      {offsetof(tx_params, initial_data_bhN_momentum[1]), 2, TX_DIMS_Z},
      {offsetof(tx_params, initial_data_bhN_momentum[0]), 0, TX_DIMS_X},
      {offsetof(tx_params, initial_data_bhN_spin[0]), 0, TX_DIMS_Z},
      {offsetof(tx_params, initial_data_bhN_spin[1]), 1, TX_DIMS_Z},
      {offsetof(tx_params, initial_data_bhN_spin[0]), 2, TX_DIMS_Y},
  };
  for (size_t n = 0; n < sizeof broken / sizeof broken[0]; n++) {
    tx_params bad = good;
    tx_initial_data *id;
    bad.grid_reflect = broken[n].reflect;
    double *vector = (double *)((char *)&bad + broken[n].offset);
    vector[broken[n].i] += 1e-4;
    assert_int_equal(tx_initial_data_create(&bad, &id), TX_ERR_PARAM);
    assert_non_null(strstr(tx_error_text(), "grid.reflect: "));
    tx_error_clear();
    vector[broken[n].i] -= 1e-4;
    set(bad.initial_data_bhN_spin[0], 0.0, 0.0, 0.0);
    tx_initial_data_destroy(make(&bad));
  }
  assert_int_equal(tx_memory_blocks(), 0);
}

static void orbits_that_are_none_are_refused(void **state) {
  tx_params p = blank;
  tx_initial_data *id;
  p.initial_data_type = TX_ID_QUASI_CIRCULAR;
  p.initial_data_separation = 2.0;
  assert_int_equal(tx_initial_data_create(&p, &id), TX_ERR_PARAM);
  assert_non_null(strstr(tx_error_text(), "initial_data.separation: at 2 M"));
  tx_error_clear();
}

/** Exactly 0 on a plane of symmetry what must be 0 there. */
static void symmetry_kills_exactly(void **state) {
  tx_params p = blank;
  p.initial_data_type = TX_ID_QUASI_CIRCULAR;
  set(p.initial_data_bhN_chi[0], 0.0, 0.0, 0.4);
  tx_initial_data *id = make(&p);
  for (int n = 0; n < 100; n++) {
    double u[TX_VARS];
    tx_initial_data_at(id, 0.0, (const double[3]){0.3 * n - 14.0, 0.17 * n - 3.0, 0.0}, u);
    for (int v = 0; v < TX_VARS; v++)
      if (tx_bssn.variable[v].parity[2] < 0) assert_true(u[v] == 0.0);
    assert_true(tx_vec3_dot(&u[TX_VAR_AT00], &u[TX_VAR_AT00]) > 0.0);
  }
  tx_initial_data_destroy(id);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_fields_carry_the_momenta),
      cmocka_unit_test(the_fields_carry_the_energy),
      cmocka_unit_test(quasi_circular_pairs_have_the_masses_asked_for),
      cmocka_unit_test(target_masses_give_the_known_bare_masses),
      cmocka_unit_test(masses_at_rest_may_be_adm_masses),
      cmocka_unit_test(one_puncture_may_move_or_spin),
      cmocka_unit_test(symmetries_are_checked),
      cmocka_unit_test(orbits_that_are_none_are_refused),
      cmocka_unit_test(symmetry_kills_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
