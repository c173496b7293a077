/* Generated right-hand sides, constraints and Weyl tensor against a slow reference, on random data.
 * */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/schemes.h"
#include "physics/adm.h"
#include "physics/bssn.h"
#include "physics/octant/weyl_point.h"
#include "reference_bssn.h"
#include "rhs_point.h"
#include "support/cmocka.h"

static double noise(void) {
  return 2.0 * rand() / RAND_MAX - 1.0;
}

/* Not flat, not even approximately: det gt is not 1, chi and alpha are small or large. */
static double random_value(int v, double size) {
  if (v == TX_VAR_CHI || v == TX_VAR_ALPHA) return 0.5 + 0.4 * size * noise();
  return tx_bssn.variable[v].infinity + 0.3 * size * noise();
}

static void random_jets(double jets[TX_VARS][10]) {
  for (int v = 0; v < TX_VARS; v++) {
    jets[v][0] = random_value(v, 1.0);
    for (int n = 1; n < 10; n++) jets[v][n] = noise();
  }
}

/* Take the trace from At: what the reference's route through the physical metric needs. */
static void remove_trace(double jets[TX_VARS][10]) {
  static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  double trace = 0.0, norm = 0.0;
#define G(i, j) jets[TX_VAR_GT00 + sym[(i) % 3][(j) % 3]][0]
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double cofactor = G(i + 1, j + 1) * G(i + 2, j + 2) - G(i + 1, j + 2) * G(i + 2, j + 1);
      trace += cofactor * jets[TX_VAR_AT00 + sym[i][j]][0];
      norm += cofactor * G(i, j);
    }
#undef G
  for (int c = 0; c < 6; c++) jets[TX_VAR_AT00 + c][0] -= trace / norm * jets[TX_VAR_GT00 + c][0];
}

/* Largest difference over the largest value. */
static double difference(int n, const double *a, const double *b) {
  double worst = 0.0, size = 0.0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
    assert_true(isfinite(a[i]));
  }
  return worst / size;
}

/* Every choice of the gauge: slicing, shift, slow start or not, the four advection switches, f, the
 * form of eta; the metric form with usual powers, others, and bounded. */
enum { LEVEL_OUTSIDE = 3 };
#define REACH 3.5

static void params_of_choice(int choice, tx_system_params *p) {
  static const struct {
    int form;
    double a, b, max;
  } etas[] = {{.form = TX_ETA_CONSTANT},
              {.form = TX_ETA_RADIAL},
              {TX_ETA_METRIC, 1.0, 2.0, 1e9},
              {TX_ETA_METRIC, 2.0, 2.0, 1e9},
              {TX_ETA_METRIC, 1.5, 0.7, 1.0}};
  *p =
      (tx_system_params){.eta_form = etas[choice >> 6].form,
                         .eta = 1.7,
                         .eta_far = 0.3,
                         .eta_radius = 5.0,
                         .eta_R0 = 1.31,
                         .eta_a = etas[choice >> 6].a,
                         .eta_b = etas[choice >> 6].b,
                         .eta_max = etas[choice >> 6].max,
                         .lambda_f0 = 0.8,
                         .lambda_f1 = 0.3,
                         .advect_lapse = choice & 1,
                         .advect_shift = choice >> 1 & 1,
                         .advect_B = choice >> 2 & 1,
                         .advect_Gt = choice >> 3 & 1,
                         .lapse_pull = choice % 3 ? 0.7 * (choice % 3) : 0.0,
                         .sigma = 0.4,
                         .by_W = choice % 3 == 1,
                         .sigma_outside = 1.7,
                         .over_reach2 = {[LEVEL_OUTSIDE] = 1.0 / (REACH * REACH)},
                         .cfl = 0.3,
                         .own = {[TX_OWN_HAMILTONIAN_DAMPING] = choice % 5 * 0.2},
                         .chi_floor = 1e-4,
                         .alpha_floor = 1e-8,
                         .slicing = choice >> 4 & 1 ? TX_SLICING_HARMONIC : TX_SLICING_ONE_PLUS_LOG,
                         .shift = choice >> 5 & 1 ? TX_SHIFT_ZERO : TX_SHIFT_GAMMA_DRIVER};
}

enum { CHOICES = 5 * 64 };

static void rhs_matches_the_reference_at_points(void **state) {
  srand(1);
  for (int choice = 0; choice < CHOICES; choice++) {
    tx_system_params p;
    params_of_choice(choice, &p);
    for (int n = 0; n < 10; n++) {
      const double x[3] = {5.0 * noise(), 4.0 * noise(), 3.0 * noise()};
      double jets[TX_VARS][10], ko[TX_VARS], rhs[TX_VARS], expected[TX_VARS];
      random_jets(jets);
      for (int v = 0; v < TX_VARS; v++) ko[v] = noise();
      rhs_point(&p, jets, ko, x, rhs);
      reference_rhs(&p, jets, ko, x, expected);
      assert_true(difference(TX_VARS, rhs, expected) < 1e-12);
    }
  }
}

static void constraints_and_weyl_match_the_reference_at_points(void **state) {
  srand(2);
  for (int n = 0; n < 500; n++) {
    double jets[TX_VARS][10], E[6], B[6], e[3][3], b[3][3];
    random_jets(jets);
    tx_weyl_point(jets, (const double[3]){0.0}, E, B);
    reference_weyl(jets, e, b);
    const double ours[12] = {E[0], E[1], E[2], E[3], E[4], E[5],
                             B[0], B[1], B[2], B[3], B[4], B[5]};
    const double plain[12] = {e[0][0], e[0][1], e[0][2], e[1][1], e[1][2], e[2][2],
                              b[0][0], b[0][1], b[0][2], b[1][1], b[1][2], b[2][2]};
    assert_true(difference(12, ours, plain) < 1e-12);
  }
}

/* Patches of random data; derivatives of order n are of size noise / h^n. */
typedef struct fixture {
  double patch[TX_VARS][TX_P3], rhs[TX_VARS][TX_N3], out[TX_CONSTRAINTS][TX_N3];
  void *work;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->work = aligned_alloc(64, (tx_bssn.scratch_bytes() + 63) / 64 * 64);
  memset(f->work, 0xff,
         tx_bssn.scratch_bytes()); /* NaN: nothing may be read before it is written */
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  free(f->work);
  free(f);
  return 0;
}

static void fill_random(fixture *f) {
  for (int v = 0; v < TX_VARS; v++)
    for (int n = 0; n < TX_P3; n++) f->patch[v][n] = random_value(v, 0.3);
}

/* Points tested in an octant: corners, edges, faces and some inside. */
static int next_point(int n, int at[3]) {
  static const int side[4] = {0, 3, TX_N - 3, TX_N - 1};
  for (int d = 0; d < 3; d++) at[d] = side[n >> 2 * d & 3];
  return n < 64;
}

/* Dimensions in which the dissipation's stencil reaches nothing extrapolated: from the plane on a lower outer face on, from
 * beyond an upper one. */
static unsigned free_dims(unsigned faces, const int at[3]) {
  unsigned dims = 0;
  for (int d = 0; d < 3; d++) {
    const int low = (faces >> 2 * d & 1) && at[d] - 3 <= 0;
    const int high = (faces >> (2 * d + 1) & 1) && at[d] + 3 >= TX_N;
    if (!low && !high) dims |= 1u << d;
  }
  return dims;
}

/* Points lie within REACH and beyond it. */
static double sigma_at(const tx_system_params *p, int level, const double x[3], double chi) {
  const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), W = p->by_W ? pow(chi, 0.5) : 1.0;
  if (level != LEVEL_OUTSIDE) return W * p->sigma;
  return W * (r < REACH ? p->sigma_outside * pow(r / REACH, 4.0) : p->sigma_outside);
}

/* BSSN with every scheme of this program. */
#define SYSTEM_OF(a, suffix, order, upwinded, half)                                                \
  tx_system_of(&(tx_params){.evolution_order = order,                                              \
                            .evolution_dissipation_order = 2 * (half)-1,                           \
                            .evolution_advection =                                                 \
                                upwinded ? TX_ADVECTION_UPWINDED : TX_ADVECTION_CENTRED}),

/* What upwinding changes in the advection of variable v at a point, by whose factor the right-hand sides take it. */
static double upwinding(const fixture *f, const tx_system_params *p, double h, int order, int v,
                        const int at[3], const double jets[TX_VARS][10]) {
  double centred = 0.0, beta[3];
  for (int d = 0; d < 3; d++) {
    beta[d] = jets[TX_VAR_BETA0 + d][0];
    centred += beta[d] * jets[v][1 + d];
  }
  return tx_rhs_advection(p, v) *
         (reference_upwind(h, order, beta, f->patch[v], at[0], at[1], at[2]) - centred);
}

static void rhs_of(fixture *f, const tx_system *system) {
  const double h = 0.7;
  srand(3);
  for (int choice = 0; choice < CHOICES; choice += 7) {
    tx_system_params p;
    params_of_choice(choice, &p);
    const unsigned faces = (unsigned)choice & 63;
    const int level = choice % 2 ? LEVEL_OUTSIDE : choice % 4;
    const tx_octant_place place = {h, {noise(), -1.0 + noise(), -3.0 + noise()}, faces, level};
    fill_random(f);
    tx_system_rhs(system, &p, &place, f->patch[0], f->rhs[0], f->work);
    p.own[TX_OWN_HAMILTONIAN_DAMPING] *= h; /* as the reference's spacing is 1 */
    int at[3];
    for (int n = 0; next_point(n, at); n++) {
      double jets[TX_VARS][10], ko[TX_VARS], ours[TX_VARS], expected[TX_VARS], x[3];
      for (int d = 0; d < 3; d++) x[d] = place.x0[d] + h * at[d];
      const int here = TX_PATCH_AT(at[0], at[1], at[2]);
      for (int v = 0; v < TX_VARS; v++) {
        reference_jet(h, system->order, f->patch[v], at[0], at[1], at[2], jets[v]);
        ko[v] = reference_ko(h, system->dissipation_order,
                             sigma_at(&p, level, x, f->patch[TX_VAR_CHI][here]),
                             free_dims(faces, at), f->patch[v], at[0], at[1], at[2]);
        ours[v] = f->rhs[v][TX_AT(at[0], at[1], at[2])];
      }
      for (int v = 0; v < TX_VARS && system->upwinded; v++)
        ko[v] += upwinding(f, &p, h, system->order, v, at, (const double(*)[10])jets);
      reference_rhs(&p, (const double(*)[10])jets, ko, x, expected);
      assert_true(difference(TX_VARS, ours, expected) < 1e-12);
      for (int v = TX_VAR_BETA0; v <= TX_VAR_B2; v++)
        if (p.shift == TX_SHIFT_ZERO) assert_true(ours[v] == 0.0);
    }
  }
}

static void rhs_matches_the_reference_on_octants(void **state) {
  const tx_system *const systems[] = {TX_SCHEMES(SYSTEM_OF, )};
  for (size_t n = 0; n < sizeof systems / sizeof systems[0]; n++) rhs_of(*state, systems[n]);
}

/* Dimensions in which a point of a patch lies beyond the octant. */
static int dims_beyond(int point) {
  int n = 0;
  for (int d = 0; d < 3; d++, point /= TX_P)
    n += point % TX_P < TX_K || point % TX_P >= TX_K + TX_N;
  return n;
}

static void rhs_reads_no_ghosts_but_those_it_says(void **state) {
  fixture *f = *state;
  static double all[TX_VARS][TX_N3];
  tx_system_params p;
  params_of_choice(0, &p);
  srand(5);
  fill_random(f);
  tx_system_rhs(&tx_bssn, &p, &(tx_octant_place){.h = 0.7}, f->patch[0], all[0], f->work);
  for (int v = 0; v < TX_VARS; v++)
    for (int n = 0; n < TX_P3; n++)
      if (dims_beyond(n) > (tx_bssn.mixed >> v & 1 ? 2 : 1)) f->patch[v][n] = NAN;
  tx_system_rhs(&tx_bssn, &p, &(tx_octant_place){.h = 0.7}, f->patch[0], f->rhs[0], f->work);
  assert_memory_equal(all, f->rhs, sizeof all);
}

static void constraints_of(fixture *f, const tx_system *system) {
  const tx_system_params p = {.eta = 2.0};
  const double h = 0.7;
  srand(4);
  fill_random(f);
  /* The reference needs a tracefree At at the points where they are compared. */
  int at[3];
  for (int n = 0; n < TX_P3; n++) {
    double jets[TX_VARS][10];
    for (int v = 0; v < TX_VARS; v++) jets[v][0] = f->patch[v][n];
    remove_trace(jets);
    for (int v = 0; v < TX_VARS; v++) f->patch[v][n] = jets[v][0];
  }
  system->constraints(&p, &(tx_octant_place){.h = h}, f->patch[0], f->out[0], f->work);
  for (int n = 0; next_point(n, at); n++) {
    double jets[TX_VARS][10], ours[TX_CONSTRAINTS], expected[TX_CONSTRAINTS];
    for (int v = 0; v < TX_VARS; v++)
      reference_jet(h, system->order, f->patch[v], at[0], at[1], at[2], jets[v]);
    reference_constraints((const double(*)[10])jets, expected);
    for (int c = 0; c < TX_CONSTRAINTS; c++) ours[c] = f->out[c][TX_AT(at[0], at[1], at[2])];
    assert_true(difference(TX_CONSTRAINTS, ours, expected) < 1e-12);
  }
}

static void constraints_match_the_reference_on_octants(void **state) {
  const tx_system *const systems[] = {TX_SCHEMES(SYSTEM_OF, )};
  for (size_t n = 0; n < sizeof systems / sizeof systems[0]; n++)
    constraints_of(*state, systems[n]);
}

static void flat_space_stays_exactly(void **state) {
  fixture *f = *state;
  for (int choice = 0; choice < CHOICES; choice++) {
    tx_system_params p;
    params_of_choice(choice, &p);
    for (int v = 0; v < TX_VARS; v++)
      for (int n = 0; n < TX_P3; n++) f->patch[v][n] = tx_bssn.variable[v].infinity;
    memset(f->rhs, 0xff, sizeof f->rhs);
    memset(f->out, 0xff, sizeof f->out);
    tx_system_rhs(&tx_bssn, &p, &(tx_octant_place){.h = 0.37}, f->patch[0], f->rhs[0], f->work);
    tx_bssn.constraints(&p, &(tx_octant_place){.h = 0.37}, f->patch[0], f->out[0], f->work);
    for (int v = 0; v < TX_VARS; v++)
      for (int n = 0; n < TX_N3; n++) assert_true(f->rhs[v][n] == 0.0);
    for (int c = 0; c < TX_CONSTRAINTS; c++)
      for (int n = 0; n < TX_N3; n++) assert_true(f->out[c][n] == 0.0);
  }
}

/* Data that are even or odd about the planes through one point have right-hand sides of the same
 * parity: those of odd variables vanish there to the last bit. */
static void symmetric_data_give_exact_zeros(void **state) {
  fixture *f = *state;
  srand(5);
  fill_random(f);
  const int c = TX_N / 2;
  for (int v = 0; v < TX_VARS; v++)
    for (int k = -TX_K; k <= TX_K; k++)
      for (int j = -TX_K; j <= TX_K; j++)
        for (int i = -TX_K; i <= TX_K; i++) {
          double sign = 1.0;
          if (i < 0 || (i == 0 && tx_bssn.variable[v].parity[0] < 0))
            sign *= i ? tx_bssn.variable[v].parity[0] : 0;
          if (j < 0 || (j == 0 && tx_bssn.variable[v].parity[1] < 0))
            sign *= j ? tx_bssn.variable[v].parity[1] : 0;
          if (k < 0 || (k == 0 && tx_bssn.variable[v].parity[2] < 0))
            sign *= k ? tx_bssn.variable[v].parity[2] : 0;
          f->patch[v][TX_PATCH_AT(c + i, c + j, c + k)] =
              sign * f->patch[v][TX_PATCH_AT(c + abs(i), c + abs(j), c + abs(k))];
        }
  for (int choice = 15; choice < CHOICES; choice += 64) {
    tx_system_params p;
    params_of_choice(choice, &p);
    tx_system_rhs(&tx_bssn, &p, &(tx_octant_place){.h = 0.7}, f->patch[0], f->rhs[0], f->work);
    for (int v = 0; v < TX_VARS; v++) {
      const int8_t *parity = tx_bssn.variable[v].parity;
      const double rhs = f->rhs[v][TX_AT(c, c, c)];
      if (parity[0] < 0 || parity[1] < 0 || parity[2] < 0)
        assert_true(rhs == 0.0);
      else
        assert_true(rhs != 0.0);
    }
  }
}

/* h exp(-t^2/(2 sigma^2)), and nothing at all once that is below round-off, or if it is off. */
static void the_pull_of_the_lapse_fades(void **state) {
  tx_system_params p = {.slow_start = 0.6, .slow_start_time = 20.0};
  assert_true(tx_lapse_pull(&p, 0.0) == 0.6);
  assert_true(fabs(tx_lapse_pull(&p, 20.0) - 0.6 * 0.60653065971263342) < 1e-15);
  assert_true(fabs(tx_lapse_pull(&p, 60.0) - 0.6 * 0.011108996538242306) < 1e-16);
  assert_true(tx_lapse_pull(&p, 178.0) > 0.0 && tx_lapse_pull(&p, 178.0) < 1e-17);
  assert_true(tx_lapse_pull(&p, 180.0) == 0.0 && tx_lapse_pull(&p, 1e9) == 0.0);
  p.slow_start = 0.0;
  assert_true(tx_lapse_pull(&p, 0.0) == 0.0);
  assert_true(tx_lapse_pull(&(tx_system_params){.slow_start = 0.0}, 0.0) == 0.0);
}

/* Lapse and conformal factor have floors; beside them wavelets look at K. */
static void the_table_says_what_floors_and_wavelets_look_at(void **state) {
  for (int v = 0; v < TX_VARS; v++) {
    const bool floored = v == TX_VAR_ALPHA || v == TX_VAR_CHI;
    assert_int_equal(tx_bssn.variable[v].positive, floored);
    assert_int_equal(tx_bssn.variable[v].watched, floored || v == TX_VAR_K);
  }
}

/* gamma_ij (what = 0) or K_ij at x, where the variables are the quadratic functions of these jets. */
static double adm_of_functions(const double jets[TX_VARS][10], int what, int component,
                               const double x[3]) {
  double u[TX_VARS];
  for (int v = 0; v < TX_VARS; v++) {
    u[v] = jets[v][0];
    for (int k = 0, at = 4; k < 3; k++) {
      u[v] += jets[v][1 + k] * x[k];
      for (int l = k; l < 3; l++, at++) u[v] += (k == l ? 0.5 : 1.0) * jets[v][at] * x[k] * x[l];
    }
  }
  const double gamma = u[TX_VAR_GT00 + component] / u[TX_VAR_CHI];
  return what == 0 ? gamma : u[TX_VAR_AT00 + component] / u[TX_VAR_CHI] + gamma * u[TX_VAR_K] / 3.0;
}

/* Derivative of it at x along a. */
static double adm_slope(const double jets[TX_VARS][10], int what, int component, const double x[3],
                        const double a[3]) {
  static const double weight[3] = {0.75, -0.15, 1.0 / 60.0};
  const double h = 2e-3;
  double slope = 0.0;
  for (int m = 1; m <= 3; m++)
    for (int side = -1; side <= 1; side += 2) {
      double y[3];
      for (int k = 0; k < 3; k++) y[k] = x[k] + side * m * h * a[k];
      slope += side * weight[m - 1] * adm_of_functions(jets, what, component, y) / h;
    }
  return slope;
}

/* d_k along n of it at the origin. */
static double adm_slope_of_slope(const double jets[TX_VARS][10], int component, int k,
                                 const double n[3]) {
  const double h = 2e-3, axis[3] = {k == 0, k == 1, k == 2};
  static const double weight[3] = {0.75, -0.15, 1.0 / 60.0};
  double slope = 0.0;
  for (int m = 1; m <= 3; m++)
    for (int side = -1; side <= 1; side += 2) {
      double y[3];
      for (int d = 0; d < 3; d++) y[d] = side * m * h * n[d];
      slope += side * weight[m - 1] * adm_slope(jets, 0, component, y, axis) / h;
    }
  return slope;
}

static void physical_metric_matches_functions(void **state) {
  static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double n[3] = {0.48, -0.6, 0.64}, origin[3] = {0.0, 0.0, 0.0};
  for (int round = 0; round < 5; round++) {
    double jets[TX_VARS][10];
    tx_adm_jet g;
    random_jets(jets);
    tx_bssn.adm_at((const double(*)[10])(jets + TX_ADM_FIRST), n, &g);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const int c = sym[i][j];
        assert_float_equal(g.gamma_dd[i][j], adm_of_functions(jets, 0, c, origin), 1e-13);
        assert_float_equal(g.K_dd[i][j], adm_of_functions(jets, 1, c, origin), 1e-13);
        assert_float_equal(g.dn_K_dd[i][j], adm_slope(jets, 1, c, origin, n), 1e-5);
        for (int k = 0; k < 3; k++) {
          const double axis[3] = {k == 0, k == 1, k == 2};
          assert_float_equal(g.dgamma_ddd[k][i][j], adm_slope(jets, 0, c, origin, axis), 1e-5);
          assert_float_equal(g.dn_dgamma_ddd[k][i][j], adm_slope_of_slope(jets, c, k, n), 1e-4);
        }
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rhs_matches_the_reference_at_points),
      cmocka_unit_test(constraints_and_weyl_match_the_reference_at_points),
      cmocka_unit_test_setup_teardown(rhs_matches_the_reference_on_octants, setup, teardown),
      cmocka_unit_test_setup_teardown(rhs_reads_no_ghosts_but_those_it_says, setup, teardown),
      cmocka_unit_test_setup_teardown(constraints_match_the_reference_on_octants, setup, teardown),
      cmocka_unit_test_setup_teardown(flat_space_stays_exactly, setup, teardown),
      cmocka_unit_test_setup_teardown(symmetric_data_give_exact_zeros, setup, teardown),
      cmocka_unit_test(the_pull_of_the_lapse_fades),
      cmocka_unit_test(physical_metric_matches_functions),
      cmocka_unit_test(the_table_says_what_floors_and_wavelets_look_at),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
