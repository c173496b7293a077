/* Exact solutions and the evolution: the time derivative of each wave is the right-hand side of its
 * data, and its constraints vanish. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "differences.h"
#include "physics/bssn.h"
#include "physics/initial_data/initial_data_point.h"
#include "support/cmocka.h"

static const tx_system_params harmonic = {.eta = 2.0,
                                          .lambda_f0 = 1.0,
                                          .chi_floor = 1e-4,
                                          .alpha_floor = 1e-8,
                                          .slicing = TX_SLICING_HARMONIC,
                                          .shift = TX_SHIFT_ZERO};

static double patch[TX_VARS * TX_P3], rhs[TX_VARS * TX_N3], d_t[TX_VARS * TX_N3];
static double constraints[TX_CONSTRAINTS * TX_N3], octant[TX_VARS * TX_N3];

static void fill_patch(const tx_initial_data *id, double t, const double x0[3], double h) {
  for (int k = -TX_K; k < TX_N + TX_K; k++)
    for (int j = -TX_K; j < TX_N + TX_K; j++)
      for (int i = -TX_K; i < TX_N + TX_K; i++) {
        double x[3] = {x0[0] + i * h, x0[1] + j * h, x0[2] + k * h}, u[TX_VARS];
        tx_initial_data_at(id, t, x, u);
        for (int v = 0; v < TX_VARS; v++) patch[v * TX_P3 + TX_PATCH_AT(i, j, k)] = u[v];
      }
}

/** Largest difference of right-hand side and time derivative, and largest constraint [out], over an
 *  octant with points h apart round `centre`. */
static void compare(const tx_params *p, double t, const double centre[3], double h,
                    double *evolution, double *constraint) {
  tx_initial_data *id;
  tx_initial_map map;
  void *work;
  double x0[3], e = 0.01;
  assert_int_equal(tx_initial_map_of(&tx_bssn, &map), TX_OK);
  assert_int_equal(tx_initial_data_create(p, &id), TX_OK);
  assert_int_equal(tx_alloc(1, tx_bssn.scratch_bytes(), "test", &work), TX_OK);
  for (int d = 0; d < 3; d++) x0[d] = centre[d] - 0.5 * TX_N * h;
  fill_patch(id, t, x0, h);
  const tx_octant_place place = {.h = h};
  tx_system_rhs(&tx_bssn, &harmonic, &place, patch, rhs, work);
  tx_bssn.constraints(&harmonic, &place, patch, constraints, work);
  memset(d_t, 0, sizeof d_t);
  for (int q = -4; q <= 4; q++) {
    tx_initial_data_octant(
        id, &map, &(tx_initial_at){t + q * e, {x0[0], x0[1], x0[2]}, {NULL, NULL}}, h, octant);
    for (int n = 0; n < TX_VARS * TX_N3; n++) d_t[n] += difference_1(q) / e * octant[n];
  }
  *evolution = *constraint = 0.0;
  for (int n = 0; n < TX_VARS * TX_N3; n++) *evolution = fmax(*evolution, fabs(rhs[n] - d_t[n]));
  for (int n = 0; n < TX_CONSTRAINTS * TX_N3; n++)
    *constraint = fmax(*constraint, fabs(constraints[n]));
  tx_free(work);
  tx_initial_data_destroy(id);
}

static tx_params wave(int type, int axis, double amplitude) {
  return (tx_params){.grid_extent = 1.0,
                     .initial_data_type = type,
                     .initial_data_direction = axis,
                     .initial_data_wavelength = 1.0,
                     .initial_data_wave_m = 1,
                     .initial_data_amplitude = amplitude};
}

static const double centres[][3] = {{0.0, 0.0, 0.0}, {0.31, -0.42, 0.17}};

/** Gauge wave: exact, so only the differences' errors remain, of a term of size 1. */
static void gauge_wave_evolves_as_the_equations_say(void **state) {
  for (int axis = 0; axis < 3; axis++)
    for (int c = 0; c < 2; c++) {
      double evolution, constraint;
      tx_params p = wave(TX_ID_GAUGE_WAVE, axis, 0.1);
      compare(&p, 0.15, centres[c], 0.01, &evolution, &constraint);
      assert_true(evolution < 1e-7);
      assert_true(constraint < 1e-7);
    }
}

/** Gravitational waves: up to O(A^2). */
static void linear_waves_evolve_up_to_second_order(void **state) {
  for (int c = 0; c < 5; c++)
    for (int n = 0; n < 2; n++) {
      double evolution[2], constraint[2];
      for (int half = 0; half < 2; half++) {
        tx_params p = wave(c < 3 ? TX_ID_LINEAR_WAVE : TX_ID_TEUKOLSKY, c % 3, half ? 5e-4 : 1e-3);
        p.initial_data_wave_parity = c == 3 ? TX_PARITY_ODD : TX_PARITY_EVEN;
        compare(&p, 0.15, centres[n], 0.01, &evolution[half], &constraint[half]);
      }
      assert_true(evolution[0] < 3e-4 && constraint[0] < 3e-4);
      assert_true(evolution[1] < 0.26 * evolution[0] + 1e-10);
      assert_true(constraint[1] < 0.26 * constraint[0] + 1e-10);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gauge_wave_evolves_as_the_equations_say),
      cmocka_unit_test(linear_waves_evolve_up_to_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
